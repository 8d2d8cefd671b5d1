package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/media"
	"crier/internal/media/mediatest"
)

var uploadRules = map[string]func(*testing.T, library){
	"a file that arrives in pieces becomes the asset it is":          uploadInPieces,
	"a piece that does not fit is refused and says what would":       refusedPieces,
	"an upload is completed once, however often it is asked for":     completedOnce,
	"a file that turns out to be bad goes with its upload":           refusedUploads,
	"an upload goes on after another node has taken over":            takenOver,
	"an upload whose folder was deleted ends up in no folder":        folderGone,
	"what an upload says about its file is checked when it is begun": refusedBeginnings,
}

const pieceSize = media.MinChunkSize

func uploadInPieces(t *testing.T, l library) {
	folder := l.do(t, "POST", l.folders(), object{"name": "Clips"}).text(t, "id")
	file := longVideo(3*pieceSize + 1000)
	begun := l.do(t, "POST", l.uploads(), object{
		"fileName": "clip.mp4", "mimeType": "video/mp4", "byteSize": len(file), "folderId": folder, "altText": "A clip",
	}).want(t, http.StatusCreated)
	id := begun.text(t, "uploadId")
	if begun.get(t, "nextByteStart") != json.Number("0") || begun.get(t, "byteSize") != json.Number(fmt.Sprint(len(file))) || begun.has("assetId") {
		t.Errorf("begun: %s", begun.body)
	}
	expires, err := crier.ParseTime(begun.text(t, "expiresAt"))
	if err != nil || expires.Before(l.clock.Now().Add(24*time.Hour)) {
		t.Errorf("the upload expires at %v: %v", expires, err)
	}
	l.piece(t, id, file, 0, 1000).want(t, http.StatusOK)
	l.piece(t, id, file, 1000, pieceSize).want(t, http.StatusOK)
	// The same operations have a second, shorter address.
	short := path("/v1/teams/%s/uploads/%s", l.team, id)
	got := l.do(t, "PUT", short, file[pieceSize:3*pieceSize], "Content-Range", fmt.Sprintf("bytes %d-%d/%d", pieceSize, 3*pieceSize-1, len(file))).want(t, http.StatusOK)
	if got.get(t, "nextByteStart") != json.Number(fmt.Sprint(3*pieceSize)) {
		t.Errorf("after two pieces: %s", got.body)
	}
	if told := l.do(t, "GET", short, nil).want(t, http.StatusOK); !bytes.Equal(told.body, got.body) {
		t.Errorf("asked, the upload says %s", told.body)
	}
	l.piece(t, id, file, 3*pieceSize, len(file)).want(t, http.StatusOK)
	asset := l.do(t, "POST", short+"/complete", nil).want(t, http.StatusCreated)
	if asset.text(t, "fileName") != "clip.mp4" || asset.text(t, "folderId") != folder || asset.text(t, "altText") != "A clip" || asset.text(t, "status") != "ready" {
		t.Errorf("the asset is %s", asset.body)
	}
	if _, body := l.fetch(t, l.assets(asset.text(t, "id"), "content")); !bytes.Equal(body, file) {
		t.Errorf("the content has %d bytes, not the %d of the file", len(body), len(file))
	}
	done := l.do(t, "GET", l.uploads(id), nil).want(t, http.StatusOK)
	if done.text(t, "assetId") != asset.text(t, "id") || done.get(t, "nextByteStart") != done.get(t, "byteSize") {
		t.Errorf("complete: %s", done.body)
	}
	if left := l.files(t); len(left) != 2 {
		t.Errorf("a video has the files %q", left)
	}
}

func refusedPieces(t *testing.T, l library) {
	file := longVideo(3 * pieceSize)
	id := l.begin(t, "video/mp4", len(file))
	put := func(contentRange string, body []byte) response {
		return l.do(t, "PUT", l.uploads(id), body, "Content-Range", contentRange)
	}
	total := len(file)
	for contentRange, body := range map[string][]byte{
		"":                                      file[:10],
		"bytes":                                 file[:10],
		"bytes 0-/10":                           file[:10],
		"bytes 0-9/*":                           file[:10],
		"octets 0-9/10":                         file[:10],
		"bytes 9-0/" + fmt.Sprint(total):        file[:10],
		"bytes 0-9/5":                           file[:10],
		"bytes 0-9/99999999999999999999":        file[:10],
		"bytes -5-9/" + fmt.Sprint(total):       file[:10],
		"bytes 0-10/" + fmt.Sprint(total):       file[:10],        // a byte more than the body has
		"bytes 0-262143/" + fmt.Sprint(1000000): file[:pieceSize], // another total
		"bytes 0-70000000/" + fmt.Sprint(total): file[:10],        // more than the file has
	} {
		if got := put(contentRange, body); got.status != http.StatusBadRequest {
			t.Errorf("%q: %d %s", contentRange, got.status, got.body)
		} else {
			got.wantIssues(t, "Content-Range")
		}
	}
	gap := put(fmt.Sprintf("bytes %d-%d/%d", pieceSize, 2*pieceSize-1, total), file[pieceSize:2*pieceSize]).wantError(t, http.StatusConflict, "Conflict")
	if !strings.Contains(gap.text(t, "message"), "nextByteStart is 0") {
		t.Errorf("a gap: %s", gap.body)
	}
	l.piece(t, id, file, 0, pieceSize).want(t, http.StatusOK)
	again := l.piece(t, id, file, 0, pieceSize).wantError(t, http.StatusConflict, "Conflict")
	if !strings.Contains(again.text(t, "message"), fmt.Sprintf("nextByteStart is %d", pieceSize)) {
		t.Errorf("a piece again: %s", again.body)
	}
	early := l.do(t, "POST", l.uploads(id, "complete"), nil).wantError(t, http.StatusConflict, "Conflict")
	if !strings.Contains(early.text(t, "message"), fmt.Sprintf("nextByteStart is %d", pieceSize)) {
		t.Errorf("completed early: %s", early.body)
	}
	l.do(t, "GET", l.uploads(unknownID), nil).wantError(t, http.StatusNotFound, "NotFound")
	l.do(t, "GET", l.uploads("7"), nil).wantIssues(t, "uploadId")
	l.do(t, "POST", l.uploads(unknownID, "complete"), nil).wantError(t, http.StatusNotFound, "NotFound")

	page := l.begin(t, "video/mp4", 2*pieceSize)
	html := append(mediatest.HTML(), make([]byte, 2*pieceSize)...)
	l.piece(t, page, html[:2*pieceSize], 0, pieceSize).wantIssues(t, "file")
	picture := append(mediatest.PNG(20, 20), make([]byte, 2*pieceSize)...)
	l.piece(t, page, picture[:2*pieceSize], 0, pieceSize).wantIssues(t, "mimeType")
}

func completedOnce(t *testing.T, l library) {
	file := longVideo(pieceSize)
	id := l.begin(t, "video/mp4", len(file))
	l.piece(t, id, file, 0, len(file)).want(t, http.StatusOK)
	answers := make([]response, 4)
	var wait sync.WaitGroup
	for i := range answers {
		wait.Go(func() {
			answers[i], _ = l.roundTrip(request{method: "POST", path: l.uploads(id, "complete"), key: l.key})
		})
	}
	wait.Wait()
	for _, got := range answers {
		got.want(t, http.StatusCreated)
		if got.text(t, "id") != answers[0].text(t, "id") {
			t.Errorf("two assets: %s and %s", got.body, answers[0].body)
		}
	}
	l.do(t, "POST", l.uploads(id, "complete"), nil).want(t, http.StatusCreated)
	l.piece(t, id, file, 0, len(file)).wantError(t, http.StatusConflict, "Conflict")
	if n := l.number(t, `SELECT count(*) FROM assets`); n != 1 {
		t.Errorf("there are %d assets", n)
	}
	if left := l.files(t); len(left) != 2 {
		t.Errorf("a video has the files %q", left)
	}
	first := l.begin(t, "video/mp4", len(file))
	l.piece(t, first, file, 0, len(file)).want(t, http.StatusOK)
	once := l.do(t, "POST", l.uploads(first, "complete"), nil, "Idempotency-Key", "one").want(t, http.StatusCreated)
	twice := l.do(t, "POST", l.uploads(first, "complete"), nil, "Idempotency-Key", "one").want(t, http.StatusCreated)
	if !bytes.Equal(once.body, twice.body) || twice.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("a repeat is answered with %s", twice.body)
	}
}

func refusedUploads(t *testing.T, l library) {
	for name, test := range map[string]struct {
		declared string
		file     []byte
		path     string
	}{
		"a video that is cut off":      {"video/mp4", mediatest.Cut(mediatest.VerticalMP4()), "file"},
		"a bomb":                       {"image/png", mediatest.BombPNG(), "file"},
		"pixels that are noise":        {"image/png", garbledPNG(100, 100), "file"},
		"a type that nobody has named": {"application/octet-stream", mediatest.Cut(mediatest.JPEG(300, 300)), "file"},
	} {
		id := l.begin(t, test.declared, len(test.file))
		l.piece(t, id, test.file, 0, len(test.file)).want(t, http.StatusOK)
		got := l.do(t, "POST", l.uploads(id, "complete"), nil).wantIssues(t, test.path)
		if t.Failed() {
			t.Fatalf("%s: %s", name, got.body)
		}
		l.do(t, "GET", l.uploads(id), nil).wantError(t, http.StatusNotFound, "NotFound")
	}
	l.wantNothing(t)
}

func takenOver(t *testing.T, l library) {
	file := longVideo(2 * pieceSize)
	id := l.begin(t, "video/mp4", len(file))
	l.piece(t, id, file, 0, pieceSize).want(t, http.StatusOK)
	// A sender that breaks off in the middle of a piece.
	broken := request{method: "PUT", path: l.uploads(id), key: l.key, body: &brokenReader{data: file[pieceSize : pieceSize+1000]},
		header: map[string]string{"Content-Range": fmt.Sprintf("bytes %d-%d/%d", pieceSize, len(file)-1, len(file))}}
	if got, err := l.roundTrip(broken); err == nil && got.status == http.StatusOK {
		t.Fatalf("half a piece was taken: %s", got.body)
	}
	told := l.do(t, "GET", l.uploads(id), nil).want(t, http.StatusOK)
	if told.get(t, "nextByteStart") != json.Number(fmt.Sprint(pieceSize)) {
		t.Errorf("after half a piece: %s", told.body)
	}
	l.piece(t, id, file, pieceSize, len(file)).want(t, http.StatusOK)
	l.do(t, "POST", l.uploads(id, "complete"), nil).want(t, http.StatusCreated)
}

// brokenReader fails after its data.
type brokenReader struct{ data []byte }

// Read gives the data, then fails.
func (b *brokenReader) Read(p []byte) (int, error) {
	if len(b.data) == 0 {
		return 0, fmt.Errorf("the line is broken")
	}
	n := copy(p, b.data)
	b.data = b.data[n:]
	return n, nil
}

func folderGone(t *testing.T, l library) {
	folder := l.do(t, "POST", l.folders(), object{"name": "Clips"}).text(t, "id")
	file := longVideo(pieceSize)
	id := l.do(t, "POST", l.uploads(), object{"fileName": "clip.mp4", "mimeType": "video/mp4", "byteSize": len(file), "folderId": folder}).text(t, "uploadId")
	l.piece(t, id, file, 0, len(file)).want(t, http.StatusOK)
	l.do(t, "DELETE", l.folders(folder), nil).want(t, http.StatusOK)
	if got := l.do(t, "POST", l.uploads(id, "complete"), nil).want(t, http.StatusCreated); got.get(t, "folderId") != nil {
		t.Errorf("the asset is in a folder that is gone: %s", got.body)
	}
}

func refusedBeginnings(t *testing.T, l library) {
	good := func(change object) object {
		body := object{"fileName": "clip.mp4", "mimeType": "video/mp4", "byteSize": 1000}
		maps.Copy(body, change)
		return body
	}
	for path, change := range map[string]object{
		"fileName": {"fileName": ""},
		"mimeType": {"mimeType": "image/heic"},
		"byteSize": {"byteSize": 0},
		"folderId": {"folderId": unknownID},
		"altText":  {"altText": 7},
		"colour":   {"colour": "red"},
	} {
		l.do(t, "POST", l.uploads(), good(change)).wantIssues(t, path)
	}
	l.do(t, "POST", l.uploads(), good(object{"byteSize": 5<<30 + 1})).wantIssues(t, "byteSize")
	l.do(t, "POST", l.uploads(), object{}).wantIssues(t, "byteSize", "fileName", "mimeType")
	for _, mimeType := range []string{"image/jpg", "application/octet-stream", "VIDEO/MP4", "video/mp4; codecs=avc1"} {
		l.do(t, "POST", l.uploads(), good(object{"mimeType": mimeType})).want(t, http.StatusCreated)
	}
	l.do(t, "POST", l.uploads(), good(object{"byteSize": 5 << 30})).want(t, http.StatusCreated)
}
