package providertest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"crier/internal/provider"
	"crier/internal/sandbox"
)

// Run is the test suite of every network: whatever happens, a post is on the timeline exactly once, or the client
// reports that the outcome is unknown.
func Run(t *testing.T, n Network) {
	t.Helper()
	t.Run("posts", func(t *testing.T) { t.Parallel(); testPosts(t, n) })
	t.Run("held back", func(t *testing.T) { t.Parallel(); testHeldBack(t, n) })
	t.Run("limits", func(t *testing.T) { t.Parallel(); testLimits(t, n) })
	t.Run("actions", func(t *testing.T) { t.Parallel(); testActions(t, n) })
	t.Run("faults", func(t *testing.T) { t.Parallel(); testFaults(t, n) })
	t.Run("tokens", func(t *testing.T) { t.Parallel(); testTokens(t, n) })
	t.Run("cancelling", func(t *testing.T) { t.Parallel(); testCancelling(t, n) })
	t.Run("crashes", func(t *testing.T) { t.Parallel(); testCrashes(t, n) })
	t.Run("lost", func(t *testing.T) { t.Parallel(); testLost(t, n) })
}

// stage is one client with one sandbox and one account. The clock advances only for waits.
type stage struct {
	provider.Provider
	t        *testing.T
	n        Network
	info     provider.Info
	features provider.Features
	clock    *Clock
	box      string
	files    string
	account  provider.Account
	// busy counts the running calls of the sandbox.
	busy sync.WaitGroup
	// ahead is by how many nanoseconds the network's clock is ahead of the client's.
	ahead atomic.Int64
	// keepsSilent makes the network respond to a refresh without a new refresh token.
	keepsSilent atomic.Bool
	// scripted replaces the network if it is set.
	scripted atomic.Pointer[http.HandlerFunc]
	// slow is called by the sandbox for a slow fault; its channel ends the wait.
	slow func() <-chan time.Time
}

func newStage(t *testing.T, n Network) *stage {
	t.Helper()
	s := &stage{t: t, n: n, clock: NewClock(), slow: func() <-chan time.Time { return time.After(0) }}
	world, err := sandbox.New(sandbox.Options{
		Now: func() time.Time { return s.clock.Now().Add(time.Duration(s.ahead.Load())) }, LimitFactor: 10_000,
		After: func(time.Duration) <-chan time.Time { return s.slow() },
	})
	if err != nil {
		t.Fatalf("start the sandbox: %v", err)
	}
	s.box = s.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.busy.Add(1)
		defer s.busy.Done()
		if scripted := s.scripted.Load(); scripted != nil {
			(*scripted)(w, r)
			return
		}
		if s.keepsSilent.Load() {
			serveWithoutRefreshToken(world, w, r)
			return
		}
		world.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		if err := world.Close(); err != nil {
			t.Errorf("close the sandbox: %v", err)
		}
	})
	s.files = s.serve(http.HandlerFunc(s.serveFile))
	s.connect()
	return s
}

func (s *stage) serve(h http.Handler) string {
	server := httptest.NewServer(h)
	s.t.Cleanup(server.Close)
	return server.URL
}

// serveFile serves media to networks that do not accept uploads.
func (s *stage) serveFile(w http.ResponseWriter, r *http.Request) {
	sample := s.n.Picture
	if r.URL.Path == "/film" {
		sample = s.n.Film
	}
	w.Header().Set("Content-Type", sample.Media.MIMEType)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(sample.Bytes))
}

// connect creates the client and an account with a token of the sandbox.
func (s *stage) connect() {
	s.t.Helper()
	c, err := s.n.connect(s.box, s.clock)
	if err != nil {
		s.t.Fatal(err)
	}
	s.Provider, s.account, s.info, s.features = c.provider, c.account, c.info, c.features
}

// content returns a post as provider content.
func (s *stage) content(p Post) provider.Content {
	s.t.Helper()
	c := provider.Content{Action: provider.Post, PostType: p.PostType, Settings: s.settings(p.Settings)}
	for _, text := range p.Texts {
		part := provider.Part{Text: text, Media: s.pictures(p.Pictures)}
		for range p.Films {
			part.Media = append(part.Media, s.media(s.n.Film, "film", len(part.Media)))
		}
		c.Parts = append(c.Parts, part)
	}
	return c
}

func (s *stage) pictures(count int) []provider.Media {
	list := make([]provider.Media, count)
	for i := range list {
		list[i] = s.media(s.n.Picture, "picture", i)
	}
	return list
}

func (s *stage) media(sample Sample, path string, position int) provider.Media {
	m := sample.Media
	made := NewMedia(m.FileName, m.MIMEType, sample.Bytes)
	m.Size, m.Open, m.Position = made.Size, made.Open, position
	m.URL = func(context.Context) (string, error) { return s.files + "/" + path, nil }
	return m
}

func (s *stage) settings(values map[string]any) provider.Settings {
	s.t.Helper()
	settings := provider.Settings{}
	for key, value := range values {
		data, err := json.Marshal(value)
		if err != nil {
			s.t.Fatalf("encode the setting %s: %v", key, err)
		}
		settings[key] = data
	}
	return settings
}

// simplest returns the content of the simplest post.
func (s *stage) simplest() provider.Content { return s.content(s.n.Simplest(s.info)) }

// shown is an entry of the account's timeline.
type shown struct {
	PlatformPostID, Kind, Text string
	ParentID                   *string
	Media                      []any
	DeletedAt                  *time.Time
}

// timeline returns everything the account has published, oldest first.
func (s *stage) timeline() []shown {
	s.t.Helper()
	query := url.Values{"provider": {s.info.Name}, "accountId": {s.account.ProviderAccountID}}
	var found struct{ Data []shown }
	s.control(http.MethodGet, "posts?"+query.Encode(), nil, &found)
	return found.Data
}

// texts returns the texts of the timeline.
func texts(posts []shown) []string {
	list := []string{}
	for _, p := range posts {
		list = append(list, p.Kind+": "+p.Text)
	}
	return list
}

// ids returns the ids of the timeline.
func ids(posts []shown) []string {
	list := []string{}
	for _, p := range posts {
		list = append(list, p.PlatformPostID)
	}
	return list
}

// fault makes the next call of an operation fail.
func (s *stage) fault(operation, kind string) {
	s.t.Helper()
	s.control(http.MethodPost, "faults", map[string]any{
		"provider": s.info.Name, "operation": operation, "kind": kind, "count": 1, "delayMs": 1,
		"retryAfterSeconds": 30,
	}, nil)
}

// pendingFaults returns the number of faults that have not occurred.
func (s *stage) pendingFaults() int {
	s.t.Helper()
	var found struct{ Data []any }
	s.control(http.MethodGet, "faults", nil, &found)
	return len(found.Data)
}

func (s *stage) control(method, path string, body, into any) {
	s.t.Helper()
	if err := s.tryControl(method, path, body, into); err != nil {
		s.t.Fatal(err)
	}
}

// controls is not the default client: closing any test server closes that one's idle connections, one of which a
// request may be about to use.
var controls = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}

func (s *stage) tryControl(method, path string, body, into any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode a control: %w", err)
	}
	request, err := http.NewRequest(method, s.box+"/_control/"+path, bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("build a control: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := controls.Do(request)
	if err != nil {
		return fmt.Errorf("control the sandbox: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		return fmt.Errorf("control the sandbox: %s %s: status %d", method, path, response.StatusCode)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(into)
}
