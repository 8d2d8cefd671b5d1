package main

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/media"
	"crier/internal/media/mediatest"
)

var sweepRules = map[string]func(*testing.T, library){
	"uploads are removed when their time is over":           expiredUploads,
	"files that belong to nothing are removed after a day":  orphans,
	"a deleted asset is removed for good after thirty days": purgedAssets,
}

func (l library) sweep(t *testing.T) {
	t.Helper()
	if err := l.node.services.Assets.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func expiredUploads(t *testing.T, l library) {
	file := longVideo(2 * pieceSize)
	id := l.begin(t, "video/mp4", len(file))
	l.piece(t, id, file, 0, pieceSize).want(t, http.StatusOK)
	l.clock.advance(6 * 24 * time.Hour)
	l.sweep(t)
	l.piece(t, id, file, pieceSize, len(file)).want(t, http.StatusOK)
	l.clock.advance(2 * 24 * time.Hour)
	l.do(t, "GET", l.uploads(id), nil).wantError(t, http.StatusNotFound, "NotFound")
	l.do(t, "POST", l.uploads(id, "complete"), nil).wantError(t, http.StatusNotFound, "NotFound")
	l.sweep(t)
	l.wantNothing(t)
}

func orphans(t *testing.T, l library) {
	picture := l.ready(t, "a.png", mediatest.PNG(20, 20))
	upload := l.begin(t, "video/mp4", 2*pieceSize)
	l.piece(t, upload, longVideo(2*pieceSize), 0, pieceSize).want(t, http.StatusOK)
	owned := l.files(t)
	key := media.Key{ID: crier.NewID(), Variant: media.VariantOriginal}
	data := []byte("left by a process that died")
	if err := l.blobs.Put(context.Background(), key, bytes.NewReader(data), int64(len(data))); err != nil {
		t.Fatal(err)
	}
	l.sweep(t)
	if got := l.files(t); len(got) != len(owned)+1 {
		t.Errorf("a file whose asset may still be on its way was removed: %q", got)
	}
	l.clock.advance(25 * time.Hour)
	l.sweep(t)
	if got := l.files(t); !slices.Equal(got, owned) {
		t.Errorf("left are %q, owned were %q", got, owned)
	}
	if resp, _ := l.fetch(t, l.assets(picture, "content")); resp.StatusCode != http.StatusOK {
		t.Errorf("after the sweep the content is answered with %d", resp.StatusCode)
	}
}

func purgedAssets(t *testing.T, l library) {
	lonely := l.ready(t, "a.png", mediatest.PNG(20, 20))
	named := l.ready(t, "b.png", mediatest.PNG(20, 20))
	post := l.post(t, object{"text": "Look", "assetIds": []string{named}})
	for _, id := range []string{lonely, named} {
		l.do(t, "DELETE", l.assets(id), nil).want(t, http.StatusOK)
	}
	l.clock.advance(29 * 24 * time.Hour)
	l.sweep(t)
	if got := l.files(t); len(got) != 6 {
		t.Errorf("before thirty days are over, the files are %q", got)
	}
	l.clock.advance(2 * 24 * time.Hour)
	l.sweep(t)
	l.sweep(t)
	if got := l.files(t); len(got) > 0 {
		t.Errorf("after thirty days there are still %q", got)
	}
	if n := l.number(t, `SELECT count(*) FROM assets`); n != 1 {
		t.Errorf("%d rows are left, want the one that a post names", n)
	}
	if got := l.do(t, "GET", l.posts(post), nil).want(t, http.StatusOK); got.text(t, "assetIds", 0) != named {
		t.Errorf("the post is %s", got.body)
	}
}
