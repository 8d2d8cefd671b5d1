package graph

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"crier/internal/sandbox/sim"
)

// uploadStore stores one upload.
type uploadStore struct {
	file Transfer
	// before runs when the file is looked up; it acts as a concurrent caller.
	before func()
}

func (s *uploadStore) Transfer(id string, _ sim.Token) (Transfer, bool) {
	found := s.file
	if s.before != nil {
		s.before()
	}
	return found, id == "1"
}

func (s *uploadStore) Keep(_ *sim.Tx, _ string, t Transfer) { s.file = t }

func (s *uploadStore) LargestTransfer() int64 { return 1000 }

// send sends bytes to the host of resumable uploads.
func (b *harness) send(id string, offset, size int, body io.Reader) *httptest.ResponseRecorder {
	b.t.Helper()
	r := httptest.NewRequest("POST", "/toy/rupload/videos/v1.0/"+id, body)
	r.Header.Set("Authorization", "OAuth "+b.token)
	r.Header.Set("offset", strconv.Itoa(offset))
	r.Header.Set("file_size", strconv.Itoa(size))
	rec := httptest.NewRecorder()
	b.world.ServeHTTP(rec, r)
	return rec
}

func TestInterruptedUploadKeepsReceivedBytes(t *testing.T) {
	t.Parallel()
	b, s := setup(t), &uploadStore{}
	b.api.ServeUploads("videos", s, map[string]bool{"success": true})
	file := bytes.Repeat([]byte("x"), 100)
	b.send("1", 0, 100, io.MultiReader(bytes.NewReader(file[:60]), iotest.ErrReader(errors.New("connection reset"))))
	if s.file.Size() != 60 || s.file.Done || s.file.Total != 100 {
		t.Fatalf("%+v", s.file)
	}
	if rec := b.send("1", 60, 100, bytes.NewReader(file[60:])); rec.Code != http.StatusOK || !s.file.Done {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	if rec := b.send("1", 100, 100, strings.NewReader("x")); !strings.Contains(rec.Body.String(),
		"ProcessingFailedError") {
		t.Errorf("more than all: %d %s", rec.Code, rec.Body)
	}
}

func TestRejectedUploads(t *testing.T) {
	t.Parallel()
	b, s := setup(t), &uploadStore{}
	b.api.ServeUploads("videos", s, map[string]bool{"success": true})
	for want, rec := range map[string]*httptest.ResponseRecorder{
		"ProcessingFailedError": b.send("2", 0, 10, strings.NewReader("x")),
		"OffsetInvalidError":    b.send("1", 5, 10, strings.NewReader("x")),
		"longer than file_size": b.send("1", 0, 3, strings.NewReader("xxxx")),
		"at most 1000":          b.send("1", 0, 1001, strings.NewReader("x")),
	} {
		if rec.Code != http.StatusBadRequest || !strings.Contains(rec.Body.String(), want) {
			t.Errorf("%d %s, want %s", rec.Code, rec.Body, want)
		}
	}
	if s.file.Size() != 0 {
		t.Errorf("%d bytes were stored", s.file.Size())
	}
}

func TestConcurrentUploadOfTheSameBytesIsStoredOnce(t *testing.T) {
	t.Parallel()
	b, s := setup(t), &uploadStore{}
	b.api.ServeUploads("videos", s, map[string]bool{"success": true})
	s.before = func() { s.file, s.before = Transfer{Upload: Upload{Digest: sim.Digest{Size: 4}}, Total: 10}, nil }
	rec := b.send("1", 0, 10, strings.NewReader("0123456789"))
	if !strings.Contains(rec.Body.String(), "OffsetInvalidError") || s.file.Size() != 4 {
		t.Errorf("%d %s, %d bytes are stored", rec.Code, rec.Body, s.file.Size())
	}
}
