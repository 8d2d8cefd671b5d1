package api

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"crier/internal/api/contract"
)

// slowly returns its text in chunks, with pauses.
type slowly struct {
	pieces []string
	pause  time.Duration
}

// Read returns the next chunk.
func (s *slowly) Read(p []byte) (int, error) {
	if len(s.pieces) == 0 {
		return 0, io.EOF
	}
	<-time.After(s.pause) // the test needs time to pass
	n := copy(p, s.pieces[0])
	s.pieces = s.pieces[1:]
	return n, nil
}

func TestFileTransferOutlivesServerTimeouts(t *testing.T) {
	t.Parallel()
	const timeout = 150 * time.Millisecond
	slow := func() io.Reader { return &slowly{strings.Split(strings.Repeat("x", 8), ""), timeout / 3} }
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r, cancel := bounded(w, r, r.URL.Path == "/long")
		defer cancel()
		if _, err := io.ReadAll(contract.NewStream(w, r)); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if _, err := io.Copy(newPatientWriter(w), slow()); err != nil || r.Context().Err() != nil {
			t.Errorf("%s: the answer was cut off: %v", r.URL.Path, err)
		}
	}))
	server.Config.ReadTimeout, server.Config.WriteTimeout = timeout, timeout
	server.Config.ReadHeaderTimeout = time.Minute // the header alone may take a busy machine longer than the others
	server.Start()
	t.Cleanup(server.Close)
	resp, err := http.Post(server.URL+"/long", "text/plain", slow())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || string(body) != "xxxxxxxx" {
		t.Errorf("the answer is %q: %v", body, err)
	}
}

// TestStalledUploadTimesOut sends the header of an upload and nothing else: the server closes the connection, also when
// the request was refused before its body was read.
func TestStalledUploadTimesOut(t *testing.T) {
	t.Parallel()
	const timeout = 100 * time.Millisecond
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/refused" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		r, cancel := bounded(w, r, true)
		defer cancel()
		stream := contract.NewStream(w, r)
		defer stream.Drain()
		w.WriteHeader(http.StatusBadRequest)
	}))
	server.Config.ReadTimeout, server.Config.IdleTimeout = timeout, timeout
	server.Start()
	t.Cleanup(server.Close)
	for _, path := range []string{"/refused", "/admitted"} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "PUT %s HTTP/1.1\r\nHost: crier.test\r\nContent-Length: 1000\r\n\r\n", path)
		_ = conn.SetReadDeadline(time.Now().Add(2 * time.Minute))
		var timeout net.Error // whether it is closed or reset does not matter
		if _, err := io.ReadAll(conn); errors.As(err, &timeout) && timeout.Timeout() {
			t.Errorf("%s: the connection was not ended: %v", path, err)
		}
		_ = conn.Close()
	}
}

func TestContentRangeIsParsedStrictly(t *testing.T) {
	t.Parallel()
	var b byteRange
	if err := b.UnmarshalText([]byte("bytes 100-299/1000")); err != nil || b.Start != 100 || b.Length != 200 ||
		b.Total != 1000 {
		t.Errorf("%+v: %v", b, err)
	}
	for _, bad := range []string{
		"", "bytes", "bytes 0-9", "bytes 0-9/*", "bytes */10", "bytes=0-9/10", "Bytes 0-9/10", "bytes 0-10/10",
		"bytes 9-8/10", "bytes 0 - 9/10",
		"bytes +0-9/10", "bytes 0-9/10 ", "bytes 0-9/99999999999999999999", "bytes 0x0-0x9/10",
	} {
		if err := b.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q was read as %+v", bad, b)
		}
	}
}
