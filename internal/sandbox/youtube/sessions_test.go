package youtube_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

const block = 256 << 10

func TestWrongRangesAreRefused(t *testing.T) {
	t.Parallel()
	const total = 3*block + 100
	cases := map[string]struct {
		size   int
		header string
		status int
	}{
		"right":            {block, fmt.Sprintf("bytes 0-%d/%d", block-1, total), 308},
		"no multiple":      {block + 1, fmt.Sprintf("bytes 0-%d/%d", block, total), 400},
		"too small":        {1000, fmt.Sprintf("bytes 0-999/%d", total), 400},
		"gap":              {block, fmt.Sprintf("bytes %d-%d/%d", block, 2*block-1, total), 400},
		"other total":      {block, fmt.Sprintf("bytes 0-%d/%d", block-1, total+1), 400},
		"past the end":     {block, fmt.Sprintf("bytes %d-%d/%d", total-10, total+block, total), 400},
		"length differs":   {block, fmt.Sprintf("bytes 0-%d/%d", 2*block-1, total), 400},
		"backwards":        {block, fmt.Sprintf("bytes 9-3/%d", total), 400},
		"no numbers":       {block, "bytes a-b/c", 400},
		"without a total":  {block, fmt.Sprintf("bytes 0-%d/*", block-1), 308},
		"whole, too short": {block, "", 400},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := setup(t, sim.Options{})
			address := a.open(total, metadata)
			resp := a.put(address, file(c.size), c.header)
			if resp.Status != c.status || (c.status == 400 && reason(resp) != "badRequest") {
				t.Errorf("%d %s, want %d", resp.Status, resp.Body, c.status)
			}
			want := ""
			if c.status == 308 {
				want = fmt.Sprintf("bytes=0-%d", block-1)
			}
			if probe := a.put(address, nil, fmt.Sprintf("bytes */%d", total)); probe.Status != 308 ||
				probe.Header.Get("Range") != want {
				t.Errorf("probe: %d %v", probe.Status, probe.Header)
			}
		})
	}
}

func TestSizeMayBeSentWithTheLastChunk(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	opened := a.Must(http.StatusOK, simtest.Request{Method: "POST", Path: uploads, Token: a.seed.AccessToken,
		JSON: metadata})
	video := file(block + 7)
	a.put(opened.Header.Get("Location"), video[:block], fmt.Sprintf("bytes 0-%d/*", block-1))
	resp := a.put(opened.Header.Get("Location"), video[block:], fmt.Sprintf("bytes %d-%d/%d", block, block+6, block+7))
	sum := sha256.Sum256(video)
	if posts := a.Posts(); resp.Status != 201 || len(posts) != 1 ||
		posts[0].Media[0].SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("%d %s: %+v", resp.Status, resp.Body, posts)
	}
}

func TestFinishedSessionsReturnTheirVideo(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	address := a.open(1000, metadata)
	id := a.put(address, file(1000), "bytes 0-999/1000").Text("id")
	for _, again := range []string{"bytes */1000", "bytes 0-999/1000"} {
		body := []byte(nil)
		if !strings.Contains(again, "*") {
			body = file(1000)
		}
		if resp := a.put(address, body, again); resp.Status != http.StatusOK || resp.Text("id") != id {
			t.Errorf("%s: %d %s", again, resp.Status, resp.Body)
		}
	}
	if posts := a.Posts(); len(posts) != 1 {
		t.Errorf("posts are %+v", posts)
	}
}

func TestClientsCanAvoidStatus308(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	resp := a.Do(simtest.Request{Method: "PUT", Path: a.open(2*block, metadata), Token: a.seed.AccessToken,
		Body: file(block),
		Header: map[string]string{"Content-Range": fmt.Sprintf("bytes 0-%d/%d", block-1, 2*block),
			"X-GUploader-No-308": "yes"}})
	if resp.Status != 200 || resp.Header.Get("X-Http-Status-Code-Override") != "308" ||
		resp.Header.Get("Range") != fmt.Sprintf("bytes=0-%d", block-1) {
		t.Errorf("%d %v", resp.Status, resp.Header)
	}
}

func TestSessionsBelongToAChannel(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	address := a.open(1000, metadata)
	owner := a.seed
	a.seed = a.Seed("bob")
	if resp := a.put(address, file(1000), ""); resp.Status != http.StatusForbidden {
		t.Errorf("a stranger: %d", resp.Status)
	}
	a.seed.AccessToken = "ya29.unknown"
	if resp := a.put(address, file(1000), ""); resp.Status != http.StatusUnauthorized || reason(resp) != "authError" {
		t.Errorf("without a token: %d %s", resp.Status, resp.Body)
	}
	a.seed.AccessToken = a.refresh(http.StatusOK, owner.RefreshToken).Text("access_token")
	if resp := a.put(address, file(1000), ""); resp.Status != http.StatusCreated {
		t.Errorf("with a new token of the owner: %d", resp.Status)
	}
}

func TestSessionsEndAfterAWeek(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	address := a.open(1000, metadata)
	a.Clock.Advance(7 * 24 * time.Hour)
	a.seed.AccessToken = a.refresh(http.StatusOK, a.seed.RefreshToken).Text("access_token")
	if resp := a.put(address, nil, "bytes */1000"); resp.Status != http.StatusNotFound {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
}

// brokenBody is a body that fails after some bytes.
type brokenBody struct {
	io.Reader
	left int
}

func (b *brokenBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, errors.New("the connection broke")
	}
	n, err := b.Reader.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

func TestBrokenConnectionKeepsWholeBlocks(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	video := file(4 * block)
	address := a.open(len(video), metadata)
	req, err := http.NewRequestWithContext(t.Context(), "PUT", address,
		&brokenBody{Reader: bytes.NewReader(video), left: 2*block + 1000})
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = int64(len(video))
	req.Header.Set("Authorization", "Bearer "+a.seed.AccessToken)
	if resp, err := http.DefaultClient.Do(req); err == nil {
		t.Fatalf("the upload succeeded: %d", errors.Join(resp.Body.Close()))
	}
	// The sandbox detects the broken connection asynchronously; it accepts the next chunk after that.
	probe := fmt.Sprintf("bytes */%d", len(video))
	for a.put(address, nil, probe).Header.Get("Range") == "" {
		runtime.Gosched()
	}
	if got := a.put(address, nil, probe).Header.Get("Range"); got != fmt.Sprintf("bytes=0-%d", 2*block-1) {
		t.Fatalf("stored %s", got)
	}
	a.put(address, video[2*block:], fmt.Sprintf("bytes %d-%d/%d", 2*block, len(video)-1, len(video)))
	sum := sha256.Sum256(video)
	if posts := a.Posts(); len(posts) != 1 || posts[0].Media[0].SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("posts are %+v", posts)
	}
}

func TestOnlyOneOfManyLastChunksPublishes(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	address := a.open(1000, metadata)
	var created atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if a.put(address, file(1000), "bytes 0-999/1000").Status == http.StatusCreated {
				created.Add(1)
			}
		})
	}
	wg.Wait()
	if posts := a.Posts(); created.Load() != 1 || len(posts) != 1 {
		t.Errorf("%d uploads, %d posts", created.Load(), len(posts))
	}
}

// zeros fills most of a large test video.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestLargeVideoNeedsLittleMemory(t *testing.T) {
	const size = 64 << 20
	a := setup(t, sim.Options{})
	address := a.open(size, metadata)
	sum := sha256.New()
	body := io.TeeReader(io.LimitReader(io.MultiReader(bytes.NewReader(file(1000)), zeros{}), size), sum)
	req, err := http.NewRequestWithContext(t.Context(), "PUT", address, body)
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = size
	req.Header.Set("Authorization", "Bearer "+a.seed.AccessToken)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if resp.Body.Close() != nil || resp.StatusCode != http.StatusCreated {
		t.Fatalf("status %d", resp.StatusCode)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 24<<20 {
		t.Errorf("%d bytes of memory for %d of video", used, size)
	}
	if got := a.Posts()[0].Media[0]; got.SHA256 != hex.EncodeToString(sum.Sum(nil)) || got.Size != size ||
		got.Type != "video/mp4" {
		t.Errorf("media is %+v", got)
	}
}

func TestUploadsResumeAfterARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	video := append(file(block-500), shapedFile(1080, 1920, 9)...) // the index spans the end of the first chunk
	copy(video[16:], make([]byte, 16))
	video = append(video, make([]byte, block)...)
	var address, id string
	t.Run("before", func(t *testing.T) {
		a := setup(t, sim.Options{DataDir: dir})
		id = a.publish(metadata, file(500))
		address = strings.TrimPrefix(a.open(len(video), metadata), a.URL)
		a.put(address, video[:block], fmt.Sprintf("bytes 0-%d/%d", block-1, len(video)))
	})
	a := setup(t, sim.Options{DataDir: dir})
	if resp := a.put(address, nil, fmt.Sprintf("bytes */%d",
		len(video))); resp.Header.Get("Range") != fmt.Sprintf("bytes=0-%d", block-1) {
		t.Fatalf("probe: %d %v", resp.Status, resp.Header)
	}
	resp := a.put(address, video[block:], fmt.Sprintf("bytes %d-%d/%d", block, len(video)-1, len(video)))
	sum := sha256.Sum256(video)
	posts := a.Posts()
	if resp.Status != http.StatusCreated || len(posts) != 2 || posts[0].PlatformPostID != id ||
		posts[1].Media[0].SHA256 != hex.EncodeToString(sum[:]) {
		t.Fatalf("%d: %+v", resp.Status, posts)
	}
	list := a.get(http.StatusOK, "playlistItems?part=snippet&playlistId=UU"+a.seed.AccountID[2:])
	if list.Text("items", 0, "snippet", "resourceId", "videoId") != resp.Text("id") ||
		list.Text("items", 1, "snippet", "resourceId", "videoId") != id {
		t.Errorf("uploads are %s", list.Body)
	}
}
