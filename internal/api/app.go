package api

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

// appPath is the path of the dashboard, where people go after signing in.
const appPath = "/app"

// dashboard serves the files of the single-page application. Those under assets have a hash of their content in their
// names, so browsers may cache them forever; every other path is a page of the application, which index.html renders.
type dashboard struct {
	files  map[string]*appFile
	policy string
}

// appFile is one built file, compressed on its first request: most are never requested on most servers. The
// uncompressed content is part of the program and rarely requested, so it is not copied.
type appFile struct {
	plain       func() []byte
	contentType string
	etag        string
	compressed  func() []byte
}

// newDashboard reads the built files. A missing index.html is an error of the build.
func newDashboard(files fs.FS, publicURL string) (*dashboard, error) {
	d := &dashboard{files: map[string]*appFile{}, policy: appPolicy(publicURL)}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		d.files[name], err = newAppFile(files, name)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the dashboard: %w", err)
	}
	if d.files["index.html"] == nil {
		return nil, fmt.Errorf("the dashboard has no index.html")
	}
	return d, nil
}

// appTypes are the media types of built files. The machine's own table may differ, and is large.
var appTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
}

func newAppFile(files fs.FS, name string) (*appFile, error) {
	content, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	contentType, ok := appTypes[path.Ext(name)]
	if !ok {
		return nil, fmt.Errorf("the type of %s is not known", name)
	}
	sum := sha256.Sum256(content)
	plain := func() []byte {
		content, _ := fs.ReadFile(files, name) // as above, out of the program itself
		return content
	}
	return &appFile{
		plain: plain, contentType: contentType, etag: `"` + hex.EncodeToString(sum[:12]) + `"`,
		compressed: sync.OnceValue(func() []byte { return compress(plain()) }),
	}, nil
}

// compress returns nil if the content would not become smaller.
func compress(content []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	_, _ = w.Write(content) // a buffer takes everything
	_ = w.Close()
	if out.Len() >= len(content) {
		return nil
	}
	return out.Bytes()
}

// appPolicy allows the dashboard to run its own files and no inline code. Pictures come from crier and, as profile
// pictures, from the networks; an installation without TLS also loads them from a sandbox without TLS.
func appPolicy(publicURL string) string {
	pictures := "'self' data: blob: https:"
	if strings.HasPrefix(publicURL, "http:") {
		pictures += " http:"
	}
	return "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src 'self'; " +
		"manifest-src 'self'; " +
		"img-src " + pictures + "; media-src " + pictures +
		"; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}

// appAsset serves a file whose name changes with its content.
func (s *Server) appAsset(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, appPath+"/")
	file, ok := s.dashboard.files[name]
	if !ok {
		s.notFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	file.serve(w, r)
}

// appPage serves the same document for every page of the application. A person who is not signed in is sent to sign in
// first and returns.
func (s *Server) appPage(w http.ResponseWriter, r *http.Request) {
	if _, ok := s.signedInUser(w, r); !ok {
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Security-Policy", s.dashboard.policy)
	h.Set("Referrer-Policy", "same-origin")
	s.dashboard.files["index.html"].serve(w, r)
}

func (f *appFile) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("Vary", "Accept-Encoding")
	h.Set("ETag", f.etag)
	var content []byte
	if acceptsGzip(r.Header.Get("Accept-Encoding")) {
		content = f.compressed()
	}
	if content == nil {
		content = f.plain()
	} else {
		h.Set("Content-Encoding", "gzip")
		h.Set("ETag", strings.TrimSuffix(f.etag, `"`)+`-gzip"`)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}
