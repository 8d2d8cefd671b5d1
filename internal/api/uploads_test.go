package api_test

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
	"crier/internal/server/servertest"
)

var uploadRules = map[string]func(*testing.T, library){
	"a piece that does not fit is refused and says what would":       refusedChunks,
	"an upload goes on after another node has taken over":            takenOver,
	"an upload whose folder was deleted ends up in no folder":        deletedFolder,
	"what an upload says about its file is checked when it is begun": refusedStarts,
}

const chunkSize = media.MinChunkSize

func uploadInChunks(t *testing.T, l library) {
	folder := l.Do(t, "POST", l.Folders(), object{"name": "Clips"}).Text(t, "id")
	file := servertest.LongVideo(3*chunkSize + 1000)
	upload := l.Do(t, "POST", l.Uploads(), object{
		"fileName": "clip.mp4", "mimeType": "video/mp4", "byteSize": len(file), "folderId": folder, "altText": "A clip",
	}).Want(t, http.StatusCreated)
	id := upload.Text(t, "uploadId")
	if upload.Get(t, "nextByteStart") != json.Number("0") ||
		upload.Get(t, "byteSize") != json.Number(fmt.Sprint(len(file))) || upload.Has("assetId") {
		t.Errorf("begun: %s", upload.Body)
	}
	expires, err := crier.ParseTime(upload.Text(t, "expiresAt"))
	if err != nil || expires.Before(l.Clock.Now().Add(24*time.Hour)) {
		t.Errorf("the upload expires at %v: %v", expires, err)
	}
	l.SendChunk(t, id, file, 0, 1000).Want(t, http.StatusOK)
	l.SendChunk(t, id, file, 1000, chunkSize).Want(t, http.StatusOK)
	// The same operations have a second, shorter path.
	short := path("/v1/teams/%s/uploads/%s", l.Team, id)
	got := l.Do(t, "PUT", short, file[chunkSize:3*chunkSize], "Content-Range",
		fmt.Sprintf("bytes %d-%d/%d", chunkSize, 3*chunkSize-1, len(file))).Want(t, http.StatusOK)
	if got.Get(t, "nextByteStart") != json.Number(fmt.Sprint(3*chunkSize)) {
		t.Errorf("after two pieces: %s", got.Body)
	}
	if status := l.Do(t, "GET", short, nil).Want(t, http.StatusOK); !bytes.Equal(status.Body, got.Body) {
		t.Errorf("asked, the upload says %s", status.Body)
	}
	l.SendChunk(t, id, file, 3*chunkSize, len(file)).Want(t, http.StatusOK)
	asset := l.Do(t, "POST", short+"/complete", nil).Want(t, http.StatusCreated)
	if asset.Text(t, "fileName") != "clip.mp4" || asset.Text(t, "folderId") != folder ||
		asset.Text(t, "altText") != "A clip" || asset.Text(t, "status") != "ready" {
		t.Errorf("the asset is %s", asset.Body)
	}
	if _, body := l.Fetch(t, l.Assets(asset.Text(t, "id"), "content")); !bytes.Equal(body, file) {
		t.Errorf("the content has %d bytes, not the %d of the file", len(body), len(file))
	}
	done := l.Do(t, "GET", l.Uploads(id), nil).Want(t, http.StatusOK)
	if done.Text(t, "assetId") != asset.Text(t, "id") || done.Get(t, "nextByteStart") != done.Get(t, "byteSize") {
		t.Errorf("complete: %s", done.Body)
	}
	if left := l.Files(t); len(left) != 2 {
		t.Errorf("a video has the files %q", left)
	}
}

func refusedChunks(t *testing.T, l library) {
	file := servertest.LongVideo(3 * chunkSize)
	id := l.StartUpload(t, "video/mp4", len(file))
	put := func(contentRange string, body []byte) servertest.Response {
		return l.Do(t, "PUT", l.Uploads(id), body, "Content-Range", contentRange)
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
		"bytes 0-262143/" + fmt.Sprint(1000000): file[:chunkSize], // another total
		"bytes 0-70000000/" + fmt.Sprint(total): file[:10],        // more than the file has
	} {
		if got := put(contentRange, body); got.Status != http.StatusBadRequest {
			t.Errorf("%q: %d %s", contentRange, got.Status, got.Body)
		} else {
			got.WantIssues(t, "Content-Range")
		}
	}
	gap := put(fmt.Sprintf("bytes %d-%d/%d", chunkSize, 2*chunkSize-1, total), file[chunkSize:2*chunkSize]).WantError(t,
		http.StatusConflict, "Conflict")
	if !strings.Contains(gap.Text(t, "message"), "nextByteStart is 0") {
		t.Errorf("a gap: %s", gap.Body)
	}
	l.SendChunk(t, id, file, 0, chunkSize).Want(t, http.StatusOK)
	again := l.SendChunk(t, id, file, 0, chunkSize).WantError(t, http.StatusConflict, "Conflict")
	if !strings.Contains(again.Text(t, "message"), fmt.Sprintf("nextByteStart is %d", chunkSize)) {
		t.Errorf("a piece again: %s", again.Body)
	}
	early := l.Do(t, "POST", l.Uploads(id, "complete"), nil).WantError(t, http.StatusConflict, "Conflict")
	if !strings.Contains(early.Text(t, "message"), fmt.Sprintf("nextByteStart is %d", chunkSize)) {
		t.Errorf("completed early: %s", early.Body)
	}
	l.Do(t, "GET", l.Uploads(unknownID), nil).WantError(t, http.StatusNotFound, "NotFound")
	l.Do(t, "GET", l.Uploads("7"), nil).WantIssues(t, "uploadId")
	l.Do(t, "POST", l.Uploads(unknownID, "complete"), nil).WantError(t, http.StatusNotFound, "NotFound")

	page := l.StartUpload(t, "video/mp4", 2*chunkSize)
	html := append(mediatest.HTML(), make([]byte, 2*chunkSize)...)
	l.SendChunk(t, page, html[:2*chunkSize], 0, chunkSize).WantIssues(t, "file")
	picture := append(mediatest.PNG(20, 20), make([]byte, 2*chunkSize)...)
	l.SendChunk(t, page, picture[:2*chunkSize], 0, chunkSize).WantIssues(t, "mimeType")
}

func completedOnce(t *testing.T, l library) {
	file := servertest.LongVideo(chunkSize)
	id := l.StartUpload(t, "video/mp4", len(file))
	l.SendChunk(t, id, file, 0, len(file)).Want(t, http.StatusOK)
	answers := make([]servertest.Response, 4)
	var wait sync.WaitGroup
	for i := range answers {
		wait.Go(func() {
			answers[i], _ = l.RoundTrip(servertest.Request{Method: "POST", Path: l.Uploads(id, "complete"), Key: l.Key})
		})
	}
	wait.Wait()
	for _, got := range answers {
		got.Want(t, http.StatusCreated)
		if got.Text(t, "id") != answers[0].Text(t, "id") {
			t.Errorf("two assets: %s and %s", got.Body, answers[0].Body)
		}
	}
	l.Do(t, "POST", l.Uploads(id, "complete"), nil).Want(t, http.StatusCreated)
	l.SendChunk(t, id, file, 0, len(file)).WantError(t, http.StatusConflict, "Conflict")
	if n := l.Number(t, `SELECT count(*) FROM assets`); n != 1 {
		t.Errorf("there are %d assets", n)
	}
	if left := l.Files(t); len(left) != 2 {
		t.Errorf("a video has the files %q", left)
	}
	first := l.StartUpload(t, "video/mp4", len(file))
	l.SendChunk(t, first, file, 0, len(file)).Want(t, http.StatusOK)
	once := l.Do(t, "POST", l.Uploads(first, "complete"), nil, "Idempotency-Key", "one").Want(t, http.StatusCreated)
	twice := l.Do(t, "POST", l.Uploads(first, "complete"), nil, "Idempotency-Key", "one").Want(t, http.StatusCreated)
	if !bytes.Equal(once.Body, twice.Body) || twice.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("a repeat is answered with %s", twice.Body)
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
		id := l.StartUpload(t, test.declared, len(test.file))
		l.SendChunk(t, id, test.file, 0, len(test.file)).Want(t, http.StatusOK)
		got := l.Do(t, "POST", l.Uploads(id, "complete"), nil).WantIssues(t, test.path)
		if t.Failed() {
			t.Fatalf("%s: %s", name, got.Body)
		}
		l.Do(t, "GET", l.Uploads(id), nil).WantError(t, http.StatusNotFound, "NotFound")
	}
	l.WantNothing(t)
}

func takenOver(t *testing.T, l library) {
	file := servertest.LongVideo(2 * chunkSize)
	id := l.StartUpload(t, "video/mp4", len(file))
	l.SendChunk(t, id, file, 0, chunkSize).Want(t, http.StatusOK)
	// A client that disconnects in the middle of a chunk.
	broken := servertest.Request{Method: "PUT", Path: l.Uploads(id), Key: l.Key,
		Body:   &brokenReader{data: file[chunkSize : chunkSize+1000]},
		Header: map[string]string{"Content-Range": fmt.Sprintf("bytes %d-%d/%d", chunkSize, len(file)-1, len(file))}}
	if got, err := l.RoundTrip(broken); err == nil && got.Status == http.StatusOK {
		t.Fatalf("half a piece was taken: %s", got.Body)
	}
	status := l.Do(t, "GET", l.Uploads(id), nil).Want(t, http.StatusOK)
	if status.Get(t, "nextByteStart") != json.Number(fmt.Sprint(chunkSize)) {
		t.Errorf("after half a piece: %s", status.Body)
	}
	l.SendChunk(t, id, file, chunkSize, len(file)).Want(t, http.StatusOK)
	l.Do(t, "POST", l.Uploads(id, "complete"), nil).Want(t, http.StatusCreated)
}

// brokenReader fails after its data.
type brokenReader struct{ data []byte }

// Read returns the data, then fails.
func (b *brokenReader) Read(p []byte) (int, error) {
	if len(b.data) == 0 {
		return 0, fmt.Errorf("the line is broken")
	}
	n := copy(p, b.data)
	b.data = b.data[n:]
	return n, nil
}

func deletedFolder(t *testing.T, l library) {
	folder := l.Do(t, "POST", l.Folders(), object{"name": "Clips"}).Text(t, "id")
	file := servertest.LongVideo(chunkSize)
	id := l.Do(t, "POST", l.Uploads(), object{"fileName": "clip.mp4", "mimeType": "video/mp4", "byteSize": len(file),
		"folderId": folder}).Text(t, "uploadId")
	l.SendChunk(t, id, file, 0, len(file)).Want(t, http.StatusOK)
	l.Do(t, "DELETE", l.Folders(folder), nil).Want(t, http.StatusOK)
	if got := l.Do(t, "POST", l.Uploads(id, "complete"), nil).Want(t, http.StatusCreated); got.Get(t,
		"folderId") != nil {
		t.Errorf("the asset is in a folder that is gone: %s", got.Body)
	}
}

func refusedStarts(t *testing.T, l library) {
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
		l.Do(t, "POST", l.Uploads(), good(change)).WantIssues(t, path)
	}
	l.Do(t, "POST", l.Uploads(), good(object{"byteSize": 5<<30 + 1})).WantIssues(t, "byteSize")
	l.Do(t, "POST", l.Uploads(), object{}).WantIssues(t, "byteSize", "fileName", "mimeType")
	for _, mimeType := range []string{"image/jpg", "application/octet-stream", "VIDEO/MP4", "video/mp4; codecs=avc1"} {
		l.Do(t, "POST", l.Uploads(), good(object{"mimeType": mimeType})).Want(t, http.StatusCreated)
	}
	l.Do(t, "POST", l.Uploads(), good(object{"byteSize": 5 << 30})).Want(t, http.StatusCreated)
}
