package api_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"crier/internal/media/mediatest"
	"crier/internal/server"
	"crier/internal/server/servertest"
)

// withImportsFrom allows imports of files from a private network.
func withImportsFrom(network string) servertest.Option {
	return func(a *server.Config) { a.ImportAllow = []netip.Prefix{netip.MustParsePrefix(network)} }
}

// origin is a server on this machine that files are imported from. It counts the requests.
type origin struct {
	*httptest.Server
	requests atomic.Int64
}

func startOrigin(tb testing.TB) *origin {
	tb.Helper()
	o := &origin{}
	clip := mediatest.VerticalMP4()
	give := func(contentType string, data []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			_, _ = w.Write(data)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/clips/{name}", give("video/mp4", clip))
	mux.HandleFunc("/bytes", give("application/octet-stream", clip))
	mux.HandleFunc("/text", give("text/plain", clip))
	mux.HandleFunc("/named", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="../../evil/owl.mp4"`)
		give("video/mp4", clip)(w, r)
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter,
		r *http.Request) {
		http.Redirect(w, r, "/bytes", http.StatusFound)
	})
	mux.HandleFunc("/lies", give("image/png", mediatest.JPEG(20, 20)))
	mux.HandleFunc("/page", give("text/html", mediatest.HTML()))
	mux.HandleFunc("/heic", give("image/heic", mediatest.HEIC()))
	mux.HandleFunc("/bomb", give("image/png", mediatest.BombPNG()))
	mux.HandleFunc("/cut", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(2*len(clip)))
		give("video/mp4", clip)(w, r)
	})
	mux.HandleFunc("/huge", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(300<<20))
		_, _ = w.Write(clip)
	})
	mux.HandleFunc("/inside", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://10.1.2.3/", http.StatusFound)
	})
	mux.HandleFunc("/round", func(w http.ResponseWriter,
		r *http.Request) {
		http.Redirect(w, r, "/round", http.StatusFound)
	})
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.requests.Add(1)
		mux.ServeHTTP(w, r)
	}))
	tb.Cleanup(o.Close)
	return o
}

func TestFileCanBeImported(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		l, from := startLibrary(t, db, withImportsFrom("127.0.0.0/8")), startOrigin(t)
		folder := l.folder(t, "Clips", "")
		for address, name := range map[string]string{
			"/clips/clip%20one.mp4": "clip one.mp4", "/bytes": "bytes", "/text": "text", "/named": "owl.mp4",
			"/moved": "bytes",
		} {
			got := l.Do(t, "POST", l.Assets("import"), object{"url": from.URL + address}).Want(t, http.StatusCreated)
			if got.Text(t, "fileName") != name || got.Text(t, "mimeType") != "video/mp4" ||
				got.Text(t, "status") != "ready" {
				t.Errorf("%s became %s", address, got.Body)
			}
			if _, body := l.Fetch(t, l.Assets(got.Text(t, "id"), "content")); !bytes.Equal(body,
				mediatest.VerticalMP4()) {
				t.Errorf("%s: the content has %d bytes", address, len(body))
			}
		}
		requests := from.requests.Load()
		body := object{"url": from.URL + "/bytes", "fileName": "owl.mp4", "folderId": folder, "altText": "An owl"}
		first := l.Do(t, "POST", l.Assets("import"), body, "Idempotency-Key", "one").Want(t, http.StatusCreated)
		again := l.Do(t, "POST", l.Assets("import"), body, "Idempotency-Key", "one").Want(t, http.StatusCreated)
		if first.Text(t, "fileName") != "owl.mp4" || first.Text(t, "folderId") != folder ||
			first.Text(t, "altText") != "An owl" {
			t.Errorf("the asset is %s", first.Body)
		}
		if !bytes.Equal(first.Body, again.Body) || from.requests.Load() != requests+1 {
			t.Errorf("the repeat was answered with %s after %d downloads", again.Body, from.requests.Load()-requests)
		}
	})
}

func TestFailedImportLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		l, from := startLibrary(t, db, withImportsFrom("127.0.0.0/8")), startOrigin(t)
		for address, wantText := range map[string]string{
			"/lies":    "declared as image/png",
			"/page":    "cannot be used",
			"/heic":    "HEIC",
			"/bomb":    "pixels",
			"/cut":     "",
			"/huge":    "/assets/uploads",
			"/inside":  "private network",
			"/round":   "redirects",
			"/missing": "404",
		} {
			got := l.Do(t, "POST", l.Assets("import"), object{"url": from.URL + address}).WantIssues(t, "url")
			if !strings.Contains(got.Text(t, "issues", 0, "message"), wantText) {
				t.Errorf("%s: %s", address, got.Body)
			}
		}
		l.Do(t, "POST", l.Assets("import"), object{"url": from.URL + "/bytes", "folderId": unknownID}).WantIssues(t,
			"folderId")
		from.Close()
		l.Do(t, "POST", l.Assets("import"), object{"url": from.URL + "/bytes"}).WantIssues(t, "url")
		l.WantNothing(t)
	})
}
