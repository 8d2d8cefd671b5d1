package sim

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// The controls, for tests and experiments. They are JSON, and use crier's terms instead of a network's.

var faultOperations = []Operation{Publish, Upload, Refresh, Read, Delete, Comment}

var faultKinds = []FaultKind{RateLimit, Outage, Slow, LostResponse, AuthExpired, Reject, Restricted}

const (
	maxFaultCount = 1_000_000
	maxFaultDelay = 10 * time.Minute
	maxRetryAfter = 7 * 24 * time.Hour
	maxLikes      = 1_000_000_000
	// defaultRetryAfter is the default duration of a rate limit.
	defaultRetryAfter = time.Minute
)

func (w *World) registerControls() {
	w.mux.HandleFunc("GET /_control/posts", control(w.listPosts))
	w.mux.HandleFunc("GET /_control/faults", control(w.listFaults))
	w.mux.HandleFunc("POST /_control/faults", control(w.addFault))
	w.mux.HandleFunc("DELETE /_control/faults", control(w.clearFaults))
	w.mux.HandleFunc("POST /_control/likes", control(w.addLikes))
	w.mux.HandleFunc("POST /_control/metrics", control(w.setMetrics))
	w.mux.HandleFunc("GET /_control/calls", control(w.listCalls))
	w.mux.HandleFunc("/_control/", control(func(*http.Request) Reply {
		return controlError(http.StatusNotFound, "no such control: there are posts, faults, likes, metrics and calls")
	}))
}

// control rejects bodies that are not JSON. Pages of other origins could send those without a preflight request.
func control(h Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
		if r.Method == http.MethodPost && strings.TrimSpace(kind) != "application/json" {
			controlError(http.StatusBadRequest, "Content-Type must be application/json").write(w)
			return
		}
		h(r).write(w)
	}
}

func controlError(status int, format string, args ...any) Reply {
	return Reply{Status: status, Body: map[string]string{"error": fmt.Sprintf(format, args...)}}
}

type controlData struct {
	Data any `json:"data"`
}

type controlPost struct {
	Provider       string  `json:"provider"`
	AccountID      string  `json:"accountId"`
	PlatformPostID string  `json:"platformPostId"`
	Kind           Kind    `json:"kind"`
	ParentID       *string `json:"parentId"`
	Text           string  `json:"text"`
	Media          []Media `json:"media"`
	Likes          int     `json:"likes"`
	CreatedAt      string  `json:"createdAt"`
	DeletedAt      *string `json:"deletedAt"`
}

func (w *World) listPosts(r *http.Request) Reply {
	envs, err := w.selected(r.URL.Query().Get("provider"))
	if err != nil {
		return controlError(http.StatusBadRequest, "%s", err)
	}
	account := r.URL.Query().Get("accountId")
	list := []controlPost{}
	for _, e := range envs {
		e.View(func() { list = append(list, e.controlPosts(account)...) })
	}
	return Reply{Status: http.StatusOK, Body: controlData{list}}
}

// controlPosts returns an account's posts, or everybody's, oldest first.
func (e *Env) controlPosts(account string) []controlPost {
	ids := e.Posts.table.keys
	if account != "" {
		ids = e.Posts.ByAccount(account)
	}
	list := make([]controlPost, 0, len(ids))
	for _, id := range ids {
		if p, ok := e.Posts.Get(id); ok {
			list = append(list, e.controlPost(p))
		}
	}
	return list
}

func (e *Env) controlPost(p Post) controlPost {
	c := controlPost{Provider: e.network.Name, AccountID: p.AccountID, PlatformPostID: p.ID, Kind: p.Kind, Text: p.Text,
		Media: p.Media, Likes: p.Likes, CreatedAt: wireTime(p.CreatedAt)}
	if c.Media == nil {
		c.Media = []Media{}
	}
	if p.ParentID != "" {
		c.ParentID = &p.ParentID
	}
	if p.Deleted() {
		at := wireTime(p.DeletedAt)
		c.DeletedAt = &at
	}
	return c
}

// wireTime formats a time as crier's own API does.
func wireTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

type faultInput struct {
	Provider          string    `json:"provider"`
	Operation         Operation `json:"operation"`
	Kind              FaultKind `json:"kind"`
	Count             int       `json:"count"`
	Skip              int       `json:"skip"`
	AccountID         string    `json:"accountId,omitempty"`
	DelayMs           int64     `json:"delayMs,omitempty"`
	RetryAfterSeconds int64     `json:"retryAfterSeconds,omitempty"`
}

func (w *World) addFault(r *http.Request) Reply {
	var in faultInput
	if err := DecodeStrictJSON(r, &in); err != nil {
		return controlError(http.StatusBadRequest, "%s", err)
	}
	if err := w.addToScript(in); err != nil {
		return controlError(http.StatusBadRequest, "%s", err)
	}
	return Reply{Status: http.StatusCreated, Body: in}
}

// addToScript adds a fault to the script of its network.
func (w *World) addToScript(in faultInput) error {
	if err := in.check(); err != nil {
		return err
	}
	e, err := w.provider(in.Provider)
	if err != nil {
		return err
	}
	f := Fault{Operation: in.Operation, Kind: in.Kind, Count: in.Count, Skip: in.Skip, AccountID: in.AccountID,
		Delay:      time.Duration(in.DelayMs) * time.Millisecond,
		RetryAfter: time.Duration(in.RetryAfterSeconds) * time.Second}
	if f.RetryAfter == 0 {
		f.RetryAfter = defaultRetryAfter
	}
	e.script.add(f)
	return nil
}

func (in faultInput) check() error {
	switch {
	case !slices.Contains(faultOperations, in.Operation):
		return fmt.Errorf("operation %q is not one of %s", in.Operation, join(faultOperations))
	case !slices.Contains(faultKinds, in.Kind):
		return fmt.Errorf("kind %q is not one of %s", in.Kind, join(faultKinds))
	case in.Count < 1 || in.Count > maxFaultCount:
		return fmt.Errorf("count must be 1 to %d", maxFaultCount)
	case in.Skip < 0 || in.Skip > maxFaultCount:
		return fmt.Errorf("skip must be 0 to %d", maxFaultCount)
	case in.DelayMs < 0 || in.DelayMs > maxFaultDelay.Milliseconds():
		return fmt.Errorf("delayMs must be 0 to %d", maxFaultDelay.Milliseconds())
	case in.Kind == Slow && in.DelayMs == 0:
		return fmt.Errorf("delayMs is required for kind slow: 1 to %d", maxFaultDelay.Milliseconds())
	case in.RetryAfterSeconds < 0 || in.RetryAfterSeconds > int64(maxRetryAfter.Seconds()):
		return fmt.Errorf("retryAfterSeconds must be 0 to %d", int64(maxRetryAfter.Seconds()))
	}
	return nil
}

func (w *World) listFaults(*http.Request) Reply {
	list := []faultInput{}
	for _, e := range w.envs {
		for _, f := range e.script.pending() {
			list = append(list, faultInput{Provider: e.network.Name, Operation: f.Operation, Kind: f.Kind,
				Count: f.Count, Skip: f.Skip,
				AccountID: f.AccountID, DelayMs: f.Delay.Milliseconds(),
				RetryAfterSeconds: int64(f.RetryAfter.Seconds())})
		}
	}
	return Reply{Status: http.StatusOK, Body: controlData{list}}
}

func (w *World) clearFaults(*http.Request) Reply {
	for _, e := range w.envs {
		e.script.clear()
	}
	return Reply{Status: http.StatusOK, Body: controlData{[]faultInput{}}}
}

type likesInput struct {
	Provider       string `json:"provider"`
	PlatformPostID string `json:"platformPostId"`
	Count          int    `json:"count"`
}

func (w *World) addLikes(r *http.Request) Reply {
	var in likesInput
	if err := DecodeStrictJSON(r, &in); err != nil {
		return controlError(http.StatusBadRequest, "%s", err)
	}
	if in.Count < 1 || in.Count > maxLikes {
		return controlError(http.StatusBadRequest, "count must be 1 to %d", maxLikes)
	}
	e, err := w.provider(in.Provider)
	if err != nil {
		return controlError(http.StatusBadRequest, "%s", err)
	}
	return e.like(in)
}

func (e *Env) like(in likesInput) Reply {
	return e.changePost(in.PlatformPostID, func(p *Post) { p.Likes += in.Count })
}

type metricsInput struct {
	Provider       string `json:"provider"`
	PlatformPostID string `json:"platformPostId,omitempty"`
	Likes          *int   `json:"likes,omitempty"`
	Views          *int   `json:"views,omitempty"`
	AccountID      string `json:"accountId,omitempty"`
	Followers      *int   `json:"followers,omitempty"`
}

func (in metricsInput) check() error {
	for name, n := range map[string]*int{"likes": in.Likes, "views": in.Views, "followers": in.Followers} {
		if n != nil && (*n < 0 || *n > maxLikes) {
			return fmt.Errorf("%s must be 0 to %d", name, maxLikes)
		}
	}
	switch {
	case (in.PlatformPostID == "") == (in.AccountID == ""):
		return errors.New("name either platformPostId, with likes or views, or accountId, with followers")
	case in.AccountID != "" && (in.Followers == nil || in.Likes != nil || in.Views != nil):
		return errors.New("an account has followers, and nothing else")
	case in.PlatformPostID != "" && (in.Followers != nil || in.Likes == nil && in.Views == nil):
		return errors.New("a post has likes, views or both, and nothing else")
	}
	return nil
}

// setMetrics sets the likes and views of a post, or the followers of an account. The numbers may decrease. Those that
// are not set are derived from the likes.
func (w *World) setMetrics(r *http.Request) Reply {
	var in metricsInput
	if err := DecodeStrictJSON(r, &in); err != nil {
		return controlError(http.StatusBadRequest, "%s", err)
	}
	if err := in.check(); err != nil {
		return controlError(http.StatusBadRequest, "%s", err)
	}
	e, err := w.provider(in.Provider)
	if err != nil {
		return controlError(http.StatusBadRequest, "%s", err)
	}
	if in.AccountID != "" {
		return e.setFollowers(in)
	}
	return e.changePost(in.PlatformPostID, func(p *Post) {
		if in.Likes != nil {
			p.Likes, p.Settled = *in.Likes, true
		}
		if in.Views != nil {
			p.Views = in.Views
		}
	})
}

func (e *Env) setFollowers(in metricsInput) Reply {
	found := false
	err := e.Update(func(tx *Tx) error {
		var a Account
		if a, found = e.Accounts.Get(in.AccountID); found {
			a.Followers = in.Followers
			e.Accounts.Put(tx, a)
		}
		return nil
	})
	switch {
	case err != nil:
		return controlError(http.StatusInternalServerError, "%s", err)
	case !found:
		return controlError(http.StatusNotFound, "%s has no account %q", e.network.Name, in.AccountID)
	}
	return Reply{Status: http.StatusOK, Body: in}
}

// changePost changes an existing post.
func (e *Env) changePost(id string, change func(p *Post)) Reply {
	var liked Post
	found := false
	err := e.Update(func(tx *Tx) error {
		if liked, found = e.Posts.Live(id); found {
			change(&liked)
			e.Posts.Put(tx, liked)
		}
		return nil
	})
	switch {
	case err != nil:
		return controlError(http.StatusInternalServerError, "%s", err)
	case !found:
		return controlError(http.StatusNotFound, "%s has no post %q", e.network.Name, id)
	}
	return Reply{Status: http.StatusOK, Body: e.controlPost(liked)}
}

type callCount struct {
	Provider  string    `json:"provider"`
	Operation Operation `json:"operation"`
	Count     int       `json:"count"`
}

func (w *World) listCalls(r *http.Request) Reply {
	envs, err := w.selected(r.URL.Query().Get("provider"))
	if err != nil {
		return controlError(http.StatusBadRequest, "%s", err)
	}
	list := []callCount{}
	for _, e := range envs {
		for _, op := range append(slices.Clone(faultOperations), Connect) {
			list = append(list, callCount{Provider: e.network.Name, Operation: op, Count: e.script.callCount(op)})
		}
	}
	return Reply{Status: http.StatusOK, Body: controlData{list}}
}

// selected returns the named network, or all of them for an empty name.
func (w *World) selected(name string) ([]*Env, error) {
	if name == "" {
		return w.envs, nil
	}
	e, err := w.provider(name)
	return []*Env{e}, err
}

func (w *World) provider(name string) (*Env, error) {
	names := make([]string, 0, len(w.envs))
	for _, e := range w.envs {
		if e.network.Name == name {
			return e, nil
		}
		names = append(names, e.network.Name)
	}
	return nil, fmt.Errorf("provider %q is not one of %s", name, join(names))
}

func join[S ~string](list []S) string {
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = string(s)
	}
	return strings.Join(texts, ", ")
}
