package sim

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

//go:embed pages
var pageFiles embed.FS

var pageTemplates = template.Must(template.New("").Funcs(template.FuncMap{
	"clock": func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") },
	"bytes": formatBytes,
	"count": formatCount,
}).ParseFS(pageFiles, "pages/*.html"))

// timelineLength is the number of posts on a page.
const timelineLength = 50

// overviewLength is the number of posts of each network on the first page.
const overviewLength = 8

func (w *World) registerPages() {
	w.mux.HandleFunc("GET /{$}", w.showOverview)
	w.registerFaultsPage()
	w.mux.HandleFunc("GET /_media/{sha256}", w.previews.serve)
	w.mux.HandleFunc("GET /_avatar/{name}", serveAvatar)
	w.mux.HandleFunc("GET /_style.css", func(rw http.ResponseWriter, r *http.Request) {
		pageHeaders(rw, "'none'")
		http.ServeFileFS(rw, r, pageFiles, "pages/style.css")
	})
	w.mux.HandleFunc("/", func(rw http.ResponseWriter, _ *http.Request) {
		renderPage(rw, http.StatusNotFound, "problem.html",
			problemPage{Title: "Not found", Message: "There is no such page in the sandbox."})
	})
}

// pageHeaders forbids everything that our pages do not need. Forms may be sent to formTargets only, and to where those
// redirect.
func pageHeaders(w http.ResponseWriter, formTargets string) {
	h := w.Header()
	h.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; base-uri 'none'; "+
			"frame-ancestors 'none'; form-action "+formTargets)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
}

// renderPage sends a page without forms.
func renderPage(w http.ResponseWriter, status int, name string, data any) {
	renderForm(w, status, name, data, "'none'")
}

func renderForm(w http.ResponseWriter, status int, name string, data any, formTargets string) {
	var buf bytes.Buffer
	if err := pageTemplates.ExecuteTemplate(&buf, name, data); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	pageHeaders(w, formTargets)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(buf.Bytes()) // the client may be gone
}

type problemPage struct {
	Title   string
	Message string
}

func (e *Env) showProblem(w http.ResponseWriter, status int, message string) {
	renderPage(w, status, "problem.html", problemPage{Title: e.network.Title, Message: message})
}

type consentPage struct {
	Title   string
	Action  string
	Request ConsentRequest
	// Site is where the person came from and returns to.
	Site     string
	Accounts []Account
	Problem  string
}

// consentChoices is the number of accounts on a consent page; any other can be typed.
const consentChoices = 20

func (e *Env) showConsent(w http.ResponseWriter, r *http.Request, c ConsentRequest, problem string) {
	page := consentPage{Title: e.network.Title, Action: r.URL.RequestURI(), Request: c, Problem: problem}
	if back, err := url.Parse(c.RedirectURI); err == nil {
		page.Site = back.Host
	}
	e.View(func() { page.Accounts = e.Accounts.newest(consentChoices) })
	status := http.StatusOK
	if problem != "" {
		status = http.StatusBadRequest
	}
	// Browsers check every redirect after the form against the policy, and where the app's page leads is up to the app.
	renderForm(w, status, "consent.html", page, "http: https:")
}

type timelinePage struct {
	Title    string
	Networks []timelineView
	// Whole is set on a page of one network.
	Whole bool
}

type timelineView struct {
	Name  string
	Title string
	Count int
	Posts []postView
}

// postView is a post as a page shows it, with its replies.
type postView struct {
	Post
	Author    Account
	Path      string
	Original  *postView // of a repost or a quote
	Pictures  []mediaView
	Reposts   int
	Replies   []postView
	Permalink bool
}

type mediaView struct {
	Media
	Shown bool // the file itself is available
	Video bool
}

func (w *World) showOverview(rw http.ResponseWriter, _ *http.Request) {
	page := timelinePage{Title: "All networks"}
	for _, e := range w.envs {
		page.Networks = append(page.Networks, e.timeline(overviewLength))
	}
	renderPage(rw, http.StatusOK, "timeline.html", page)
}

func (e *Env) showTimeline(w http.ResponseWriter, _ *http.Request) {
	renderPage(w, http.StatusOK, "timeline.html",
		timelinePage{Title: e.network.Title, Networks: []timelineView{e.timeline(timelineLength)}, Whole: true})
}

func (e *Env) timeline(length int) timelineView {
	view := timelineView{Name: e.network.Name, Title: e.network.Title}
	e.View(func() {
		roots := e.Posts.Roots()
		view.Count = len(roots)
		for _, id := range slices.Backward(roots[max(0, len(roots)-length):]) {
			if p, ok := e.Posts.Get(id); ok {
				view.Posts = append(view.Posts, e.postView(p, true))
			}
		}
	})
	return view
}

// PostPage registers the public page of posts; post returns the id in the request. The patterns should cover what
// [Service.PostPath] returns.
func (e *Env) PostPage(pattern string, post func(r *http.Request) string) {
	e.Page(pattern, func(w http.ResponseWriter, r *http.Request) {
		var view postView
		found := false
		e.View(func() {
			var p Post
			if p, found = e.Posts.Get(post(r)); found {
				view = e.postView(p, true)
			}
		})
		if !found {
			e.showProblem(w, http.StatusNotFound, "There is no such post.")
			return
		}
		view.Permalink = true
		renderPage(w, http.StatusOK, "post.html", struct {
			Title, Name string
			Post        postView
		}{e.network.Title, e.network.Name, view})
	})
}

// postView prepares a post for a page. The store's lock is held.
func (e *Env) postView(p Post, withReplies bool) postView {
	author, _ := e.Accounts.Get(p.AccountID)
	v := postView{Post: p, Author: author, Path: "/" + e.network.Name + e.service.PostPath(p, author),
		Reposts: e.Posts.CountChildren(p.ID, KindRepost)}
	for _, m := range p.Media {
		v.Pictures = append(v.Pictures, mediaView{Media: m, Shown: e.Media.has(m.SHA256),
			Video: strings.HasPrefix(m.Type, "video/")})
	}
	shown := p.Quotes()
	if p.Kind == KindRepost {
		shown = p.ParentID
	}
	if original, ok := e.Posts.Get(shown); ok {
		view := e.postView(original, false)
		v.Original = &view
	}
	if withReplies {
		v.Replies = e.replies(p.ID, nil)
	}
	return v
}

// maxReplies limits the replies shown below one post.
const maxReplies = 200

// replies returns the replies to a post, a thread one after another.
func (e *Env) replies(id string, list []postView) []postView {
	for _, child := range e.Posts.Children(id) {
		p, ok := e.Posts.Get(child)
		if !ok || p.Kind != KindComment || len(list) >= maxReplies {
			continue
		}
		list = e.replies(child, append(list, e.postView(p, false)))
	}
	return list
}

// formatCount formats a number of things; the plural ends in s.
func formatCount(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func formatBytes(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	default:
		return fmt.Sprintf("%d bytes", n)
	}
}
