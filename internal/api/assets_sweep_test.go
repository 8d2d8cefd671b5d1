package api_test

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
	"crier/internal/server/servertest"
)

func (l library) sweep(t *testing.T) {
	t.Helper()
	if err := l.Node.Services.Assets.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func expiredUploads(t *testing.T, l library) {
	file := servertest.LongVideo(2 * chunkSize)
	id := l.StartUpload(t, "video/mp4", len(file))
	l.SendChunk(t, id, file, 0, chunkSize).Want(t, http.StatusOK)
	l.Clock.Advance(6 * 24 * time.Hour)
	l.sweep(t)
	l.SendChunk(t, id, file, chunkSize, len(file)).Want(t, http.StatusOK)
	l.Clock.Advance(2 * 24 * time.Hour)
	l.Do(t, "GET", l.Uploads(id), nil).WantError(t, http.StatusNotFound, "NotFound")
	l.Do(t, "POST", l.Uploads(id, "complete"), nil).WantError(t, http.StatusNotFound, "NotFound")
	l.sweep(t)
	l.WantNothing(t)
}

func orphans(t *testing.T, l library) {
	picture := l.Ready(t, "a.png", mediatest.PNG(20, 20))
	upload := l.StartUpload(t, "video/mp4", 2*chunkSize)
	l.SendChunk(t, upload, servertest.LongVideo(2*chunkSize), 0, chunkSize).Want(t, http.StatusOK)
	owned := l.Files(t)
	key := media.Key{ID: crier.NewID(), Variant: media.VariantOriginal}
	data := []byte("left by a process that died")
	if err := l.Blobs.Put(context.Background(), key, bytes.NewReader(data), int64(len(data))); err != nil {
		t.Fatal(err)
	}
	l.sweep(t)
	if got := l.Files(t); len(got) != len(owned)+1 {
		t.Errorf("a file whose asset may still be on its way was removed: %q", got)
	}
	l.Clock.Advance(25 * time.Hour)
	l.sweep(t)
	if got := l.Files(t); !slices.Equal(got, owned) {
		t.Errorf("left are %q, owned were %q", got, owned)
	}
	if resp, _ := l.Fetch(t, l.Assets(picture, "content")); resp.StatusCode != http.StatusOK {
		t.Errorf("after the sweep the content is answered with %d", resp.StatusCode)
	}
}

func purgedAssets(t *testing.T, l library) {
	lonely := l.Ready(t, "a.png", mediatest.PNG(20, 20))
	named := l.Ready(t, "b.png", mediatest.PNG(20, 20))
	post := l.NewPostID(t, object{"text": "Look", "assetIds": []string{named}})
	for _, id := range []string{lonely, named} {
		l.Do(t, "DELETE", l.Assets(id), nil).Want(t, http.StatusOK)
	}
	l.Clock.Advance(29 * 24 * time.Hour)
	l.sweep(t)
	if got := l.Files(t); len(got) != 6 {
		t.Errorf("before thirty days are over, the files are %q", got)
	}
	l.Clock.Advance(2 * 24 * time.Hour)
	l.sweep(t)
	l.sweep(t)
	if got := l.Files(t); len(got) > 0 {
		t.Errorf("after thirty days there are still %q", got)
	}
	if n := l.Number(t, `SELECT count(*) FROM assets`); n != 1 {
		t.Errorf("%d rows are left, want the one that a post names", n)
	}
	if got := l.Do(t, "GET", l.PostsPath(post), nil).Want(t, http.StatusOK); got.Text(t, "assetIds", 0) != named {
		t.Errorf("the post is %s", got.Body)
	}
}
