//go:build linux

package cli_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// An interrupted upload leaves an incomplete bar: the error has a line of its own. The bar fits a narrow screen.
func TestInterruptedProgressEndsItsLine(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x")
	target, err := url.Parse(c.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	forward := httputil.NewSingleHostReverseProxy(target)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			_, _ = io.Copy(io.Discard, r.Body) // only then is the end of the connection noticed
			interrupt()
			<-r.Context().Done() // the command has ended without the answer
			return
		}
		forward.ServeHTTP(w, r)
	}))
	defer proxy.Close()
	eyes, screen := terminal(t)
	seen := make(chan []byte, 1)
	go func() {
		text, _ := io.ReadAll(eyes) // it ends with an error, when nothing writes to the terminal any more
		seen <- text
	}()
	file := filepath.Join(c.home, "clip.mp4")
	if err := os.WriteFile(file, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newPerson(t, proxy.URL, c.Key)
	p.environ = append(p.environ, "COLUMNS=30")
	var stdout bytes.Buffer
	if code := p.start(ctx, strings.NewReader(""), &stdout, screen, "media", "upload", file); code != 130 {
		t.Errorf("it ended with %d", code)
	}
	_ = screen.Close()
	shown := strings.ReplaceAll(string(<-seen), "\r\n", "\n")
	if !strings.Contains(shown, "%\ncrier: interrupted\n") {
		t.Errorf("the terminal shows %q", shown)
	}
	for line := range strings.SplitSeq(shown, "\r") {
		if bar, _, isBar := strings.Cut(line, "%\n"); strings.HasPrefix(line, "[") && (!isBar ||
			utf8.RuneCountInString(bar) >= 29) {
			t.Errorf("a bar on a screen of 30 columns is %q", line)
		}
	}
}
