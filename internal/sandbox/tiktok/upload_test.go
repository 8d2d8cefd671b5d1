package tiktok_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
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

func TestChunkRules(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		size, chunk, count int
		good               bool
	}{
		"one small chunk":           {4_999_999, 4_999_999, 1, true},
		"small file in parts":       {4_999_999, 2_000_000, 2, false},
		"reference with remainder":  {50_000_123, 10_000_000, 5, true},
		"remainder as a chunk":      {50_000_123, 10_000_000, 6, false},
		"one byte over one chunk":   {64_000_001, 64_000_000, 1, false},
		"one chunk of another size": {7_000_000, 5_000_000, 1, false},
		"one chunk of its own size": {7_000_000, 7_000_000, 1, true},
		"one byte over, in tens":    {64_000_001, 10_000_000, 6, true},
		"two large chunks":          {150_000_000, 64_000_000, 2, true},
		"chunk too small":           {50_000_000, 4_000_000, 12, false},
		"chunk too large":           {150_000_000, 75_000_000, 2, false},
		"chunk larger than file":    {6_000_000, 7_000_000, 1, false},
		"whole file in one":         {60_000_000, 60_000_000, 1, true},
		"no file":                   {0, 0, 0, false},
		"more than four gigabytes":  {5 << 30, 64_000_000, 83, false},
		"no chunk size":             {6_000_000, 0, 1, false},
		"no chunk size, small file": {1000, 0, 1, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := setup(t, sim.Options{})
			if c.good {
				a.open(c.size, c.chunk, c.count)
				return
			}
			a.refused(http.StatusBadRequest, "invalid_params", "post/publish/video/init/",
				uploadBody(c.size, c.chunk, c.count))
		})
	}
}

func TestWrongChunksAreRefused(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		size   int
		header string
		kind   string
		status int
	}{
		"no range":         {5_000_000, "", "video/mp4", 400},
		"no numbers":       {5_000_000, "bytes a-b/c", "video/mp4", 400},
		"other total":      {5_000_000, "bytes 0-4999999/9999999", "video/mp4", 400},
		"length differs":   {4_999_999, "bytes 0-4999999/10000123", "video/mp4", 400},
		"shorter chunk":    {4_000_000, "bytes 0-3999999/10000123", "video/mp4", 400},
		"longer chunk":     {6_000_000, "bytes 0-5999999/10000123", "video/mp4", 400},
		"backwards":        {1, "bytes 5-4/10000123", "video/mp4", 400},
		"no video type":    {5_000_000, "bytes 0-4999999/10000123", "application/octet-stream", 400},
		"second one first": {5_000_123, "bytes 5000000-10000122/10000123", "video/mp4", 416},
		"right":            {5_000_000, "bytes 0-4999999/10000123", "video/mp4", 206},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := setup(t, sim.Options{})
			publishID, address := a.open(10_000_123, 5_000_000, 2)
			resp := a.Do(simtest.Request{Method: "PUT", Path: address, Body: file(max(16, c.size)),
				Header: map[string]string{"Content-Type": c.kind, "Content-Range": c.header}})
			if resp.Status != c.status || len(resp.Body) != 0 {
				t.Errorf("%d %s, want %d", resp.Status, resp.Body, c.status)
			}
			uploaded := 0.0
			if c.status == 206 {
				uploaded = 5e6
			}
			if status := a.status(publishID); status.Value("data", "uploaded_bytes") != uploaded {
				t.Errorf("status is %s", status.Body)
			}
		})
	}
}

func TestChunkSentTwiceIsRefused(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	_, address := a.open(10_000_000, 5_000_000, 2)
	body := file(10_000_000)
	a.put(address, body[:5_000_000], "bytes 0-4999999/10000000")
	if resp := a.put(address, body[:5_000_000], "bytes 0-4999999/10000000"); resp.Status != 416 ||
		resp.Header.Get("Content-Range") != "bytes 0-5000000/10000000" {
		t.Errorf("first chunk again: %d %v", resp.Status, resp.Header)
	}
	for _, want := range []int{201, 416} {
		if resp := a.put(address, body[5_000_000:], "bytes 5000000-9999999/10000000"); resp.Status != want {
			t.Errorf("last chunk: %d, want %d", resp.Status, want)
		}
	}
}

func TestUploadURLsExpire(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	_, address := a.open(1000, 1000, 1)
	for want, path := range map[int]string{
		http.StatusNotFound:  "/tiktok/video/?upload_id=1&upload_token=x",
		http.StatusForbidden: address + "x",
	} {
		if resp := a.put(path, file(1000), "bytes 0-999/1000"); resp.Status != want {
			t.Errorf("%s: %d, want %d", path, resp.Status, want)
		}
	}
	a.Clock.Advance(time.Hour)
	if resp := a.put(address, file(1000), "bytes 0-999/1000"); resp.Status != http.StatusForbidden {
		t.Errorf("after an hour: %d", resp.Status)
	}
}

func TestOnlyOneOfManyLastChunksPosts(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	publishID, address := a.open(1000, 1000, 1)
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
	a.Clock.Advance(time.Second)
	a.wantStatus(publishID, "PUBLISH_COMPLETE")
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
	const size, chunk = 80_000_000, 40_000_000
	a := setup(t, sim.Options{})
	publishID, address := a.open(size, chunk, 2)
	sum := sha256.New()
	body := io.TeeReader(io.MultiReader(bytes.NewReader(file(1000)), zeros{}), sum)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for first, last := int64(0), int64(chunk-1); first < size; first, last = last+1, size-1 {
		req, err := http.NewRequestWithContext(t.Context(), "PUT", address, io.LimitReader(body, last-first+1))
		if err != nil {
			t.Fatal(err)
		}
		req.ContentLength = last - first + 1
		req.Header.Set("Content-Type", "video/mp4")
		req.Header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", first, last, size))
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if resp.Body.Close() != nil || resp.StatusCode/100 != 2 {
			t.Fatalf("status %d", resp.StatusCode)
		}
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 32<<20 {
		t.Errorf("%d bytes of memory for %d of video", used, size)
	}
	a.Clock.Advance(time.Second)
	a.wantStatus(publishID, "PUBLISH_COMPLETE")
	if got := a.Posts()[0].Media[0]; got.SHA256 != hex.EncodeToString(sum.Sum(nil)) || got.Size != size ||
		got.Type != "video/mp4" {
		t.Errorf("media is %+v", got)
	}
}

func TestUploadsResumeAfterARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	body := file(10_000_000)
	var publishID, address, done string
	t.Run("before", func(t *testing.T) {
		a := setup(t, sim.Options{DataDir: dir})
		done = a.small()
		publishID, address = a.open(10_000_000, 5_000_000, 2)
		a.put(address, body[:5_000_000], "bytes 0-4999999/10000000")
		address = strings.TrimPrefix(address, a.URL)
	})
	a := setup(t, sim.Options{DataDir: dir})
	if resp := a.put(address, body[5_000_000:], "bytes 5000000-9999999/10000000"); resp.Status != http.StatusCreated {
		t.Fatalf("last chunk: %d", resp.Status)
	}
	a.Clock.Advance(2 * time.Second)
	for _, id := range []string{done, publishID} {
		if resp := a.wantStatus(id, "PUBLISH_COMPLETE"); resp.Value("data", "publicaly_available_post_id", 0) == nil {
			t.Errorf("status is %s", resp.Body)
		}
	}
	sum := sha256.Sum256(body)
	if posts := a.Posts(); len(posts) != 2 || posts[1].Media[0].SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("posts are %+v", posts)
	}
}

// box returns an MP4 box.
func box(kind string, body ...byte) []byte {
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(len(body)+8)), kind...), body...)
}

// shapedFile returns a video with dimensions and a duration.
func shapedFile(width, height, seconds int) []byte {
	mvhd := make([]byte, 100)
	binary.BigEndian.PutUint32(mvhd[12:], 1)
	binary.BigEndian.PutUint32(mvhd[16:], uint32(seconds))
	tkhd := make([]byte, 84)
	binary.BigEndian.PutUint32(tkhd[40:], 0x10000)
	binary.BigEndian.PutUint32(tkhd[76:], uint32(width)<<16)
	binary.BigEndian.PutUint32(tkhd[80:], uint32(height)<<16)
	index := append(box("mvhd", mvhd...), box("trak", box("tkhd", tkhd...)...)...)
	return append(box("ftyp", []byte("isom\x00\x00\x02\x00")...), box("moov", index...)...)
}

func TestVideoLimits(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		video  []byte
		reason string
	}{
		"good":      {shapedFile(1080, 1920, 600), ""},
		"too long":  {shapedFile(1080, 1920, 601), "duration_check_failed"},
		"too small": {shapedFile(1080, 359, 10), "picture_size_check_failed"},
		"too large": {shapedFile(4097, 1080, 10), "picture_size_check_failed"},
		"no video":  {[]byte("this is a text"), "file_format_check_failed"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := setup(t, sim.Options{})
			size := len(c.video)
			publishID, address := a.open(size, size, 1)
			if resp := a.put(address, c.video, fmt.Sprintf("bytes 0-%d/%d", size-1,
				size)); resp.Status != http.StatusCreated {
				t.Fatalf("upload: %d", resp.Status)
			}
			a.Clock.Advance(time.Second)
			if got := a.status(publishID).Text("data", "fail_reason"); got != c.reason ||
				len(a.Posts()) != map[bool]int{true: 1}[c.reason == ""] {
				t.Errorf("fail_reason is %q, want %q", got, c.reason)
			}
		})
	}
}
