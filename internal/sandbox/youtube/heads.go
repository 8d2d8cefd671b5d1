package youtube

import (
	"bytes"
	"io"
	"sync"

	"crier/internal/sandbox/sim"
)

const (
	// headBytes is the largest video that timelines can play.
	headBytes = 2 << 20
	// maxHeads is how many unfinished uploads are remembered for it.
	maxHeads = 32
)

// heads remembers the first chunks of small videos, in memory only, so that a timeline can play them in the end: what
// comes in one piece is kept by the core.
type heads struct {
	mu     sync.Mutex
	bodies map[string][]byte
}

func newHeads() *heads { return &heads{bodies: map[string][]byte{}} }

// follow returns the body of a chunk, and where the video up to its end gathers while it is read. Large videos gather
// nowhere.
func (h *heads) follow(s session, chunk io.Reader) (io.Reader, *bytes.Buffer) {
	if s.Total == 0 || s.Total > headBytes {
		return chunk, nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if int64(len(h.bodies[s.ID])) != s.Digest.Size {
		return chunk, nil // its beginning was forgotten
	}
	gathered := bytes.NewBuffer(bytes.Clone(h.bodies[s.ID]))
	return io.TeeReader(chunk, gathered), gathered
}

// keep remembers a video whose chunk was stored, or hands it to the timelines when it is complete.
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
	// What it is has been told by the chunks; this is for the preview alone, and a missing one does not hurt.
	_, _ = previews.Extend(sim.Digest{}, gathered)
}
