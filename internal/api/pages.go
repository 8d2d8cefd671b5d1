package api

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"crier/internal/service"
)

// pageFiles are the templates and the style sheet of the HTML pages. layout.html is the frame; every other file is one
// page, which defines "title" and "main".
//
//go:embed pages
var pageFiles embed.FS

// pageNames are the pages, each in a file of its name.
var pageNames = []string{"home", "docs", "message", "setup", "setup_dead", "setup_done", "choose", "connected",
	"sign_in", "account", "device", "authorize", "invitation", "reset_password", "mail_link"}

// pages renders the HTML pages. A page is self-contained: its style is inline, and it has no script.
type pages struct {
	templates map[string]*template.Template
	// policy allows a browser to use the one style sheet and nothing else.
	policy string
}

func newPages(version string) *pages {
	style, err := pageFiles.ReadFile("pages/style.css")
	if err != nil {
		panic(fmt.Sprintf("the style sheet is not built in: %v", err)) // at start, by a programmer's error only
	}
	layout := template.Must(template.New("layout").Funcs(template.FuncMap{
		"style":   func() template.CSS { return template.CSS(style) }, //nolint:gosec // built in, not from outside
		"version": func() string { return version },
	}).ParseFS(pageFiles, "pages/layout.html"))
	p := &pages{templates: map[string]*template.Template{}, policy: pagePolicy(style)}
	for _, name := range pageNames {
		p.templates[name] = template.Must(template.Must(layout.Clone()).ParseFS(pageFiles, "pages/"+name+".html"))
	}
	return p
}

// formTarget is the directive of the policy for the targets of forms.
const formTarget = "form-action 'self'"

// originPattern matches an origin of a policy: nothing that would end the directive.
var originPattern = regexp.MustCompile(`^https?://[A-Za-z0-9.:\[\]-]+$`)

// leadingTo returns the policy of a page whose form may also redirect to another site.
func (p *pages) leadingTo(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return p.policy
	}
	origin := u.Scheme + "://" + u.Host
	if !originPattern.MatchString(origin) {
		return p.policy
	}
	return strings.Replace(p.policy, formTarget, formTarget+" "+origin, 1)
}

func pagePolicy(style []byte) string {
	sum := sha256.Sum256(style)
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; img-src data:; " +
		formTarget + "; base-uri 'none'; frame-ancestors 'none'"
}

// html renders a page into memory, so that a page is sent completely or not at all.
func (p *pages) html(name string, data any) ([]byte, error) {
	var out bytes.Buffer
	if err := p.templates[name].ExecuteTemplate(&out, "layout.html", data); err != nil {
		return nil, fmt.Errorf("render the page %s: %w", name, err)
	}
	return out.Bytes(), nil
}

// head sets the headers of pages in place of the defaults of the API.
func (p *pages) head(h http.Header) {
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", p.policy)
	// The referrer only has the origin, never a token in the URL. no-referrer would reveal as little, but a browser
	// then sends forms with "Origin: null", which cannot be distinguished from another site's.
	h.Set("Referrer-Policy", "strict-origin")
}

// render sends a page.
func (s *Server) render(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	s.renderWith(w, r, status, name, data, s.pages.policy)
}

// renderWith sends a page with its own policy.
func (s *Server) renderWith(w http.ResponseWriter, r *http.Request, status int, name string, data any, policy string) {
	body, err := s.pages.html(name, data)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.pages.head(w.Header())
	w.Header().Set("Content-Security-Policy", policy)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the reader has gone: nobody to tell
}

// message is a page with a single message.
type message struct {
	Title string
	Lines []string
	// Home adds a link to the start page.
	Home bool
}

// formField is a field of a form, for the template of that name.
type formField struct {
	Name, Label, Type, Value string
	// Autocomplete is the browser's autocomplete hint.
	Autocomplete string
	MinLength    int
	// Optional fields may stay empty.
	Optional bool
	Hint     string
	// Problem describes why the value is invalid, as a sentence.
	Problem string
}

// failPage responds to a person's request that failed for a reason that is not the person's.
func (s *Server) failPage(w http.ResponseWriter, r *http.Request, err error) {
	infoOf(r).err = err
	retry := "Nothing was changed. Try again in a moment."
	if service.Unavailable(err) {
		w.Header().Set("Retry-After", unavailableRetry)
		s.render(w, r, http.StatusServiceUnavailable, "message",
			message{Title: "The server is busy", Lines: []string{retry}})
		return
	}
	s.render(w, r, http.StatusInternalServerError, "message", message{
		Title: "Something went wrong on the server",
		Lines: []string{retry,
			"If it happens again, tell the operator of this server; its log has the reason under the id " +
				infoOf(r).id + "."},
	})
}
