// Package graphtest helps the tests of Meta's simulated networks: a host that serves media, and the smallest pictures
// and videos that these networks distinguish. It knows no network.
package graphtest

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// Host serves files by path, like an app's media store, and records the requests.
type Host struct {
	URL string

	mu     sync.Mutex
	files  map[string]served
	visits []*http.Request
}

type served struct {
	status int
	kind   string
	body   []byte
}

// NewHost runs a host until the test ends.
func NewHost(t *testing.T) *Host {
	t.Helper()
	h := &Host{files: map[string]served{}}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	h.URL = server.URL
	return h
}

// Serve adds a file to the host and returns its URL.
func (h *Host) Serve(path, kind string, body []byte) string {
	return h.Answer(path, http.StatusOK, kind, body)
}

// Answer makes the host respond to a path with a status, and returns the URL.
func (h *Host) Answer(path string, status int, kind string, body []byte) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.files[path] = served{status: status, kind: kind, body: body}
	return h.URL + path
}

// Visits returns the requests so far.
func (h *Host) Visits() []*http.Request {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.visits
}

// ServeHTTP implements http.Handler.
func (h *Host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	h.visits = append(h.visits, r)
	file, found := h.files[r.URL.Path]
	h.mu.Unlock()
	if !found {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", file.kind)
	w.WriteHeader(file.status)
	_, _ = w.Write(file.body) // the client may be gone
}

// JPEG returns a picture.
func JPEG(t *testing.T, width, height int) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, image.NewGray(image.Rect(0, 0, width, height)), nil); err != nil {
		t.Fatalf("make picture: %v", err)
	}
	return buf.Bytes()
}

// PNG returns a picture.
func PNG(t *testing.T, width, height int) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := png.Encode(&buf, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatalf("make picture: %v", err)
	}
	return buf.Bytes()
}

// Video are the properties of a video of MP4. Zero fields have the defaults in their comments.
type Video struct {
	Width, Height int           // 720 x 1280
	Length        time.Duration // 5 s
	Codec         string        // avc1
	AudioCodec    string        // mp4a
	Bytes         int           // of pictures: 1000
	IndexLast     bool          // the index follows the frames
}

func (v Video) withDefaults() Video {
	if v.Width == 0 {
		v.Width, v.Height = 720, 1280
	}
	if v.Length == 0 {
		v.Length = 5 * time.Second
	}
	if v.Codec == "" {
		v.Codec = "avc1"
	}
	if v.AudioCodec == "" {
		v.AudioCodec = "mp4a"
	}
	if v.Bytes == 0 {
		v.Bytes = 1000
	}
	return v
}

// MP4 returns the boxes of a video, without visible content.
func MP4(v Video) []byte {
	v = v.withDefaults()
	start, pictures := box("ftyp", []byte("isom\x00\x00\x02\x00isomavc1")), box("mdat", make([]byte, v.Bytes))
	index := box("moov", movieHeader(v.Length), track("soun", v.AudioCodec, 0, 0),
		track("vide", v.Codec, v.Width, v.Height))
	if v.IndexLast {
		return bytes.Join([][]byte{start, pictures, index}, nil)
	}
	return bytes.Join([][]byte{start, index, pictures}, nil)
}

func box(name string, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	head := binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))
	return append(append(head, name...), body...)
}

// movieHeader contains the duration in milliseconds.
func movieHeader(length time.Duration) []byte {
	body := make([]byte, 100)
	binary.BigEndian.PutUint32(body[12:], 1000)
	binary.BigEndian.PutUint32(body[16:], uint32(length.Milliseconds()))
	return box("mvhd", body)
}

func track(handler, codec string, width, height int) []byte {
	header := make([]byte, 84)
	binary.BigEndian.PutUint32(header[40:], 1<<16) // not rotated
	binary.BigEndian.PutUint16(header[76:], uint16(width))
	binary.BigEndian.PutUint16(header[80:], uint16(height))
	samples := box("stbl", box("stsd", make([]byte, 8), box(codec, make([]byte, 16))), box("stsz", make([]byte, 12)))
	return box("trak", box("tkhd", header), box("mdia", box("hdlr", make([]byte, 8), []byte(handler), make([]byte, 13)),
		box("minf", samples)))
}
