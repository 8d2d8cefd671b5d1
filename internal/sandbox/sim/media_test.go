package sim

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"
)

func TestHashOfParts(t *testing.T) {
	t.Parallel()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 30, 20))); err != nil {
		t.Fatal(err)
	}
	whole := append(picture.Bytes(), make([]byte, 100)...)
	p := newPreviews()
	var d Digest
	for _, part := range [][]byte{whole[:60], whole[60:61], whole[61:]} {
		var err error
		if d, err = p.Extend(d, bytes.NewReader(part)); err != nil {
			t.Fatal(err)
		}
		d = roundTrip(t, d)
	}
	m, err := d.Media()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(whole)
	if m.SHA256 != hex.EncodeToString(sum[:]) || m.Size != int64(len(whole)) || m.Type != "image/png" ||
		m.Width != 30 || m.Height != 20 {
		t.Errorf("media is %+v", m)
	}
}

// roundTrip encodes and decodes the digest, as the journal does.
func roundTrip(t *testing.T, d Digest) Digest {
	t.Helper()
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var back Digest
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	return back
}

func TestIngestRejectsFilesOverTheLimit(t *testing.T) {
	t.Parallel()
	p := newPreviews()
	if _, err := p.Ingest(strings.NewReader("12345"), 5); err != nil {
		t.Errorf("a file of the limit's size: %v", err)
	}
	if _, err := p.Ingest(strings.NewReader("123456"), 5); err == nil {
		t.Error("a file over the limit was accepted")
	}
}

func TestPreviewSizeIsBounded(t *testing.T) {
	t.Parallel()
	p := newPreviews()
	for i := range 80 {
		body := make([]byte, 1<<20)
		body[0] = byte(i)
		p.add(hex.EncodeToString(body[:1]), "image/png", body)
	}
	if p.total > previewTotal || len(p.files) != 64 || p.has("00") || !p.has("4f") {
		t.Errorf("%d files of %d bytes are stored", len(p.files), p.total)
	}
	p.add("ff", "text/html", []byte("<script>"))
	if p.has("ff") {
		t.Error("a file that browsers could execute is stored")
	}
}

func TestSniffSupportedFormats(t *testing.T) {
	t.Parallel()
	for want, head := range map[string]string{
		"video/mp4":       "\x00\x00\x00\x20ftypisom\x00\x00\x02\x00",
		"video/quicktime": "\x00\x00\x00\x14ftypqt  \x00\x00\x00\x00",
		"image/jpeg":      "\xff\xd8\xff\xe0",
		"application/pdf": "%PDF-1.7",
		"text/plain":      "hello",
	} {
		if got := sniff([]byte(head)); got != want {
			t.Errorf("%q is %s, want %s", head, got, want)
		}
	}
}

func TestLimitWindowsReset(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 23, 50, 0, 0, time.UTC)
	l := newLimits(func() time.Time { return now }, 1)
	for want := 1; want >= 0; want-- {
		if u := l.Take("k", 2, 15*time.Minute, false); u.Exceeded || u.Remaining != want {
			t.Errorf("usage %+v, want %d left", u, want)
		}
	}
	if u := l.Take("k", 2, 15*time.Minute, false); !u.Exceeded || !u.Reset.Equal(now.Add(15*time.Minute)) {
		t.Errorf("third call: %+v", u)
	}
	if u := l.Take("day", 1, 24*time.Hour, true); !u.Reset.Equal(now.Add(10 * time.Minute)) {
		t.Errorf("a calendar day ends at %v", u.Reset)
	}
	now = now.Add(15 * time.Minute)
	if u := l.Take("k", 2, 15*time.Minute, false); u.Exceeded || u.Remaining != 1 {
		t.Errorf("after the window: %+v", u)
	}
}
