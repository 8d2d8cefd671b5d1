package sim

import (
	"bytes"
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"fmt"
	"hash"
	"image"
	_ "image/gif"  // dimensions of uploaded images
	_ "image/jpeg" // dimensions of uploaded images
	_ "image/png"  // dimensions of uploaded images
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Media describes a stored file, without its bytes.
type Media struct {
	ID     string `json:"id"`
	Type   string `json:"type"` // detected from the bytes, whatever the sender declared
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // empty if the parts did not arrive in order
	Width  int    `json:"width,omitempty"`
	Height int    `json:"height,omitempty"`
	// AltText is the alt text.
	AltText string `json:"altText,omitempty"`
}

// Ingest reads a file to its end and describes it, without an id. Small files are kept for the timelines. A file of
// more than limit bytes is an error.
func (p *Previews) Ingest(r io.Reader, limit int64) (Media, error) {
	d, err := p.Extend(Digest{}, io.LimitReader(r, limit+1))
	if err != nil {
		return Media{}, err
	}
	if d.Size > limit {
		return Media{}, fmt.Errorf("file is larger than %d bytes", limit)
	}
	return d.Media()
}

// Digest is the state of a file that arrives in parts. It is small, and can be stored between the parts.
type Digest struct {
	Size   int64  `json:"size"`
	State  []byte `json:"state,omitempty"` // of SHA-256
	Type   string `json:"type,omitempty"`
	Width  int    `json:"width,omitempty"`
	Height int    `json:"height,omitempty"`
}

// Extend reads one more part and returns the updated digest. Type and dimensions are detected from the first part; a
// small first part is kept for the timelines, since mostly it is the whole file.
func (p *Previews) Extend(d Digest, part io.Reader) (Digest, error) {
	sum, err := d.hash()
	if err != nil {
		return d, err
	}
	head := &capped{limit: previewBytes}
	n, err := io.Copy(io.MultiWriter(sum, head), part)
	if err != nil {
		return d, fmt.Errorf("read media: %w", err)
	}
	first := d.Size == 0
	d.Size += n
	if d.State, err = sum.(encoding.BinaryMarshaler).MarshalBinary(); err != nil {
		return d, fmt.Errorf("keep hash: %w", err)
	}
	if first {
		d.Type = sniff(head.buf)
		if config, _, err := image.DecodeConfig(bytes.NewReader(head.buf)); err == nil {
			d.Width, d.Height = config.Width, config.Height
		}
		if n <= previewBytes {
			p.add(hex.EncodeToString(sum.Sum(nil)), d.Type, head.buf)
		}
	}
	return d, nil
}

// Media describes the file after all parts arrived in order.
func (d Digest) Media() (Media, error) {
	sum, err := d.hash()
	if err != nil {
		return Media{}, err
	}
	return Media{Type: d.Type, Size: d.Size, SHA256: hex.EncodeToString(sum.Sum(nil)), Width: d.Width,
		Height: d.Height}, nil
}

func (d Digest) hash() (hash.Hash, error) {
	sum := sha256.New()
	if d.State == nil {
		return sum, nil
	}
	if err := sum.(encoding.BinaryUnmarshaler).UnmarshalBinary(d.State); err != nil {
		return nil, fmt.Errorf("resume hash: %w", err)
	}
	return sum, nil
}

// oleSignature is the signature of files of older office programs.
const oleSignature = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// sniff detects the type from a file's first bytes. The standard library knows few of the brands of MP4 and QuickTime
// files, and office files only as archives.
func sniff(head []byte) string {
	if bytes.HasPrefix(head, []byte(oleSignature)) {
		return "application/x-ole-storage"
	}
	if len(head) >= 12 && string(head[4:8]) == "ftyp" {
		if string(head[8:12]) == "qt  " {
			return "video/quicktime"
		}
		return "video/mp4"
	}
	kind, _, _ := strings.Cut(http.DetectContentType(head), ";")
	return kind
}

// capped keeps the first bytes that are written to it.
type capped struct {
	buf   []byte
	limit int
}

func (c *capped) Write(b []byte) (int, error) {
	c.buf = append(c.buf, b[:min(len(b), c.limit-len(c.buf))]...)
	return len(b), nil
}

const (
	previewBytes = 2 << 20  // of one file
	previewTotal = 64 << 20 // of all
)

// Previews keeps the newest small pictures and videos for the timelines, in memory only.
type Previews struct {
	mu    sync.Mutex
	files map[string]preview
	order []string
	total int
}

type preview struct {
	kind string
	body []byte
}

func newPreviews() *Previews { return &Previews{files: map[string]preview{}} }

// previewTypes are displayed by browsers and cannot run scripts.
var previewTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp", "video/mp4", "video/quicktime"}

func (p *Previews) add(id, kind string, body []byte) {
	if id == "" || len(body) == 0 || !slices.Contains(previewTypes, kind) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.files[id]; ok {
		return
	}
	p.files[id] = preview{kind: kind, body: body}
	p.order = append(p.order, id)
	p.total += len(body)
	for p.total > previewTotal {
		oldest := p.order[0]
		p.order = p.order[1:]
		p.total -= len(p.files[oldest].body)
		delete(p.files, oldest)
	}
}

func (p *Previews) has(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.files[id]
	return ok
}

// serve serves GET /_media/{sha256}.
func (p *Previews) serve(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	file, ok := p.files[r.PathValue("sha256")]
	p.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	pageHeaders(w, "'none'")
	w.Header().Set("Content-Type", file.kind)
	w.Header().Set("Cache-Control", "max-age=86400, immutable")
	_, _ = w.Write(file.body) // the client may be gone
}
