package providertest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"crier/internal/provider"
	"crier/internal/sandbox"
)

// Network is a client and what the suite has to know to put it in front of its network's sandbox.
type Network struct {
	// New makes the client for a sandbox that has the network at base.
	New func(base string, clock *Clock) (provider.Provider, error)
	// Handle names the account that publishes; the sandbox knows some kinds of accounts by it.
	Handle string
	// Settings are the publish settings without which nothing can be published, as JSON.
	Settings string
	// Variants are further things to publish: the kinds of post that need a setting.
	Variants []Variant
	// Picture and Film are a JPEG and a video that the network takes.
	Picture, Film Sample
	// Faults says which error each fault of the sandbox becomes, where it is not what most networks say. A fault that the
	// client gets over by itself has an empty kind.
	Faults map[string]Class
	// RefusesLongText is false for a network whose limit of text is the client's own precaution.
	RefusesLongText bool
	// RotatesRefreshToken means that a refresh token works once.
	RotatesRefreshToken bool
	// Blind lists what nobody can find out about when the answer is lost: types of posts and actions.
	Blind []string
	// NeverSureOfAbsence means that a post which cannot be found may be there all the same.
	NeverSureOfAbsence bool
	// RenewsInTime means that only a token that has not ended can be renewed.
	RenewsInTime bool
}

// Variant is a kind of post that is asked for by a setting.
type Variant struct {
	Name, PostType, Settings string
	// Hides is true when the network shows no text with it.
	Hides bool
}

// Sample is a file and what is known about it.
type Sample struct {
	Bytes []byte
	Media provider.Media
}

// Class is what an error means.
type Class struct {
	Kind provider.Kind
	Code provider.Code
}

// Run is what every network has to pass: whatever happens, a post is on the timeline exactly once, or the client says
// that it cannot know.
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

// stage is one client in front of one sandbox, with one account. The clock moves only when something waits.
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
	// busy counts the calls that the sandbox is at.
	busy sync.WaitGroup
	// ahead is by how many nanoseconds the network's clock is ahead of the client's.
	ahead atomic.Int64
	// keepsSilent has the network answer to a renewal without a new refresh token.
	keepsSilent atomic.Bool
	// slow is asked for by the sandbox when a slow fault strikes; what it returns ends the wait.
	slow func() <-chan time.Time
}

func newStage(t *testing.T, n Network) *stage {
	t.Helper()
	s := &stage{t: t, n: n, clock: NewClock(), slow: func() <-chan time.Time { return time.After(0) }}
	world, err := sandbox.New(sandbox.Options{
		Now: func() time.Time { return s.clock.Now().Add(time.Duration(s.ahead.Load())) }, LimitFactor: 10_000, After: func(time.Duration) <-chan time.Time { return s.slow() },
	})
	if err != nil {
		t.Fatalf("start the sandbox: %v", err)
	}
	s.box = s.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.busy.Add(1)
		defer s.busy.Done()
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

// serveFile is where networks fetch media from that do not take bytes.
func (s *stage) serveFile(w http.ResponseWriter, r *http.Request) {
	sample := s.n.Picture
	if r.URL.Path == "/film" {
		sample = s.n.Film
	}
	w.Header().Set("Content-Type", sample.Media.MIMEType)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(sample.Bytes))
}

// connect makes the client and an account with a token that the sandbox knows.
func (s *stage) connect() {
	s.t.Helper()
	draft, err := s.n.New(s.box, s.clock)
	if err != nil {
		s.t.Fatalf("make the client: %v", err)
	}
	name := draft.Info().Name
	if s.Provider, err = s.n.New(s.box+"/"+name, s.clock); err != nil {
		s.t.Fatalf("make the client: %v", err)
	}
	seed, err := sandbox.SeedAccount(name, s.n.Handle)
	if err != nil {
		s.t.Fatalf("make an account: %v", err)
	}
	s.account = provider.Account{
		ProviderAccountID: seed.AccountID, Handle: seed.Handle, SubType: seed.AccountKind, Scopes: seed.Scopes,
		Token: provider.Token{Access: provider.Secret(seed.AccessToken), Refresh: provider.Secret(seed.RefreshToken), Scopes: seed.Scopes},
	}
	registry, err := provider.NewRegistry(s.Provider)
	if err != nil {
		s.t.Fatalf("register the client: %v", err)
	}
	s.info, s.features = registry.InfoFor(s.Provider, s.account), registry.Features(s.Provider)
}

// content is a post of a type with as many media as it needs.
func (s *stage) content(postType, text string) provider.Content {
	s.t.Helper()
	part := provider.Part{Text: text}
	switch postType {
	case "text_post":
	case "text_image":
		part.Media = s.pictures(1)
	case "carousel":
		part.Media = s.pictures(2)
	case "text_video":
		part.Media = []provider.Media{s.media(s.n.Film, "film", 0)}
	default:
		s.t.Fatalf("the suite does not know posts of type %s", postType)
	}
	return provider.Content{Action: provider.Post, PostType: postType, Parts: []provider.Part{part}, Settings: s.settings(s.n.Settings)}
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

func (s *stage) settings(text string) provider.Settings {
	s.t.Helper()
	settings := provider.Settings{}
	if text == "" {
		return settings
	}
	if err := json.Unmarshal([]byte(text), &settings); err != nil {
		s.t.Fatalf("settings %s: %v", text, err)
	}
	return settings
}

// simplest is what the network publishes with the least effort.
func (s *stage) simplest() provider.Content {
	s.t.Helper()
	types := s.info.PostTypes()
	for _, postType := range []string{"text_post", "text_image", "text_video"} {
		if slices.Contains(types, postType) {
			return s.content(postType, "The simplest post")
		}
	}
	s.t.Fatalf("the network publishes nothing that the suite knows: %v", types)
	return provider.Content{}
}

// shown is something on the account's timeline.
type shown struct {
	PlatformPostID, Kind, Text string
	ParentID                   *string
	Media                      []any
	DeletedAt                  *time.Time
}

// timeline is all that the account has published, the oldest first.
func (s *stage) timeline() []shown {
	s.t.Helper()
	query := url.Values{"provider": {s.info.Name}, "accountId": {s.account.ProviderAccountID}}
	var found struct{ Data []shown }
	s.control(http.MethodGet, "posts?"+query.Encode(), nil, &found)
	return found.Data
}

// texts are those of the timeline.
func texts(posts []shown) []string {
	list := []string{}
	for _, p := range posts {
		list = append(list, p.Kind+": "+p.Text)
	}
	return list
}

// ids are those of the timeline.
func ids(posts []shown) []string {
	list := []string{}
	for _, p := range posts {
		list = append(list, p.PlatformPostID)
	}
	return list
}

// fault has the next call of an operation fail.
func (s *stage) fault(operation, kind string) {
	s.t.Helper()
	s.control(http.MethodPost, "faults", map[string]any{
		"provider": s.info.Name, "operation": operation, "kind": kind, "count": 1, "delayMs": 1, "retryAfterSeconds": 30,
	}, nil)
}

// pendingFaults is how many faults have not struck.
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
	response, err := http.DefaultClient.Do(request)
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
