package youtube

import (
	"bytes"
	"io"
	"sync"

	"crier/internal/sandbox/sim"
)

const (
	// headBytes is the maximum size of a video that timelines can play.
	headBytes = 2 << 20
	// maxHeads is the maximum number of unfinished uploads that are kept for it.
	maxHeads = 32
)

// heads keeps the first chunks of small videos, in memory only, so that a timeline can play them in the end: the core
// keeps what arrives in one request.
type heads struct {
	mu     sync.Mutex
	bodies map[string][]byte
}

func newHeads() *heads { return &heads{bodies: map[string][]byte{}} }

// follow returns the body of a chunk, and a buffer that collects the video up to its end while it is read. Large videos
// are not collected.
func (h *heads) follow(s session, chunk io.Reader) (io.Reader, *bytes.Buffer) {
	if s.Total == 0 || s.Total > headBytes {
		return chunk, nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if int64(len(h.bodies[s.ID])) != s.Digest.Size {
		return chunk, nil // its start was dropped
	}
	gathered := bytes.NewBuffer(bytes.Clone(h.bodies[s.ID]))
	return io.TeeReader(chunk, gathered), gathered
}

// keep stores a video whose chunk was accepted, or passes it to the timelines when it is complete.
func (h *heads) keep(s session, gathered *bytes.Buffer, previews *sim.Previews) {
	if gathered == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.VideoID == "" {
		if len(h.bodies) >= maxHeads {
			clear(h.bodies)
		}
		h.bodies[s.ID] = gathered.Bytes()
		return
	}
	delete(h.bodies, s.ID)
	// Its properties are known from the chunks; this is only for the preview, and a missing one does no harm.
	_, _ = previews.Extend(sim.Digest{}, gathered)
}
