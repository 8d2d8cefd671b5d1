package instagram_test

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/graph/graphtest"
	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

// send sends bytes of a video of the given size to an upload address.
func (a *app) send(uri string, offset, size int, body []byte) simtest.Response {
	a.t.Helper()
	return a.Do(simtest.Request{Method: "POST", Path: uri, Body: body,
		Header: map[string]string{"Authorization": "OAuth " + a.seed.AccessToken,
			"offset": strconv.Itoa(offset), "file_size": strconv.Itoa(size)}})
}

func TestVideoBytesCanBeResumed(t *testing.T) {
	t.Parallel()
	a := setup(t, "facebook:ada", sim.Options{})
	file := graphtest.MP4(graphtest.Video{Bytes: 100_000})
	created := a.must("POST", a.seed.AccountID+"/media", "media_type", "REELS", "upload_type", "resumable", "caption",
		"bytes")
	uri, container := created.Text("uri"), created.Text("id")
	if resp := a.send(uri, 0, len(file), file[:50002]); resp.Status != http.StatusBadRequest ||
		resp.Text("debug_info", "type") != "PartialRequestError" {
		t.Errorf("half a file: %d %s", resp.Status, resp.Body)
	}
	status := a.must("GET", container, "fields", "id,status,status_code,video_status")
	if status.Value("video_status", "uploading_phase", "bytes_transferred") != 50002.0 ||
		status.Text("video_status", "uploading_phase", "status") != "in_progress" ||
		status.Text("status_code") != "IN_PROGRESS" {
		t.Errorf("status is %s", status.Body)
	}
	if resp := a.send(uri, 0, len(file), file); resp.Text("debug_info", "type") != "OffsetInvalidError" {
		t.Errorf("wrong offset: %d %s", resp.Status, resp.Body)
	}
	if resp := a.send(uri, 50002, len(file), file[50002:]); resp.Status != http.StatusOK ||
		resp.Value("success") != true {
		t.Fatalf("the rest: %d %s", resp.Status, resp.Body)
	}
	a.Clock.Advance(time.Second)
	a.must("POST", a.seed.AccountID+"/media_publish", "creation_id", container)
	sum := sha256.Sum256(file)
	if media := a.Posts()[0].Media[0]; media.SHA256 != hex.EncodeToString(sum[:]) || media.Width != 720 {
		t.Errorf("media is %+v", media)
	}
}

func TestUploadHostFetchesAURL(t *testing.T) {
	t.Parallel()
	a := setup(t, "facebook:ada", sim.Options{})
	created := a.must("POST", a.seed.AccountID+"/media", "media_type", "STORIES", "upload_type", "resumable")
	header := map[string]string{"Authorization": "OAuth " + a.seed.AccessToken, "file_url": a.video()}
	a.Must(http.StatusOK, simtest.Request{Method: "POST", Path: created.Text("uri"), Header: header})
	a.Clock.Advance(time.Second)
	a.must("POST", a.seed.AccountID+"/media_publish", "creation_id", created.Text("id"))
}

func TestUploadHostNeedsItsOwnAuthScheme(t *testing.T) {
	t.Parallel()
	a := setup(t, "facebook:ada", sim.Options{})
	created := a.must("POST", a.seed.AccountID+"/media", "media_type", "REELS", "upload_type", "resumable")
	resp := a.Do(simtest.Request{Method: "POST", Path: created.Text("uri"), Token: a.seed.AccessToken,
		Body: []byte("x"), Header: map[string]string{"offset": "0", "file_size": "1"}})
	if resp.Status != http.StatusBadRequest || resp.Text("debug_info", "type") != "ProcessingFailedError" ||
		!strings.Contains(resp.Text("debug_info", "message"), "unauthorized user request") {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
	a.Fault(sim.Upload, sim.Outage, map[string]any{"accountId": a.seed.AccountID})
	if resp := a.send(created.Text("uri"), 0, 1, []byte("x")); resp.Status != http.StatusInternalServerError {
		t.Errorf("a fault of one account: %d %s", resp.Status, resp.Body)
	}
}
