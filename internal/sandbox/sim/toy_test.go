package sim_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
)

// toy is a minimal network: it publishes text and reads it back.
type toy struct {
	env *sim.Env
}

func toyNetwork() sim.Network {
	return sim.Network{
		Name: "toy", Title: "Toy",
		Addresses: []sim.Address{{Role: "api", Real: "https://toy.example", Path: "/toy"}},
		Account:   toyAccount,
		Seed:      toySeed,
		New:       newToy,
	}
}

func toyAccount(handle string) (sim.Account, error) {
	return sim.Account{ID: strconv.FormatUint(sim.StableNumber(10, "toy", handle), 10), Handle: handle, Name: "Toy " +
			handle},
		sim.CheckHandle(handle, 15)
}

func toySeed(handle string) (sim.Seed, error) {
	a, err := toyAccount(handle)
	if err != nil {
		return sim.Seed{}, err
	}
	return sim.NewSeed("toy", a, sim.SeedTerms{Scopes: []string{"write"}, AccessLifetime: time.Hour, WithRefresh: true})
}

func newToy(env *sim.Env) sim.Service {
	t := &toy{env: env}
	env.Route("POST /posts", sim.Publish, t.create)
	env.Route("GET /posts/{id}", sim.Read, t.get)
	env.Consent("/authorize", func(r *http.Request) (sim.ConsentRequest, error) {
		q := r.URL.Query()
		return sim.ConsentRequest{ClientID: q.Get("client_id"), RedirectURI: q.Get("redirect_uri"),
			State:  q.Get("state"),
			Scopes: []string{"read", "write"}, CodeLifetime: time.Minute,
			Denied: url.Values{"error": {"access_denied"}}}, nil
	})
	env.PostPage("GET /p/{id}", func(r *http.Request) string { return r.PathValue("id") })
	return t
}

func (t *toy) create(r *http.Request) sim.Reply {
	token, standing, err := t.env.FindToken(sim.BearerToken(r))
	if err != nil || standing != sim.TokenLive {
		return sim.Reply{Status: http.StatusUnauthorized}
	}
	var in struct{ Text, Parent string }
	if err := sim.DecodeStrictJSON(r, &in); err != nil {
		return sim.Reply{Status: http.StatusBadRequest, Body: err.Error()}
	}
	post := sim.Post{AccountID: token.AccountID, Kind: sim.KindPost, ParentID: in.Parent, Text: in.Text}
	if in.Parent != "" {
		post.Kind = sim.KindComment
	}
	err = t.env.Update(func(tx *sim.Tx) error {
		post.ID, post.CreatedAt = strconv.FormatUint(tx.NextSeq(), 10), tx.Now()
		t.env.Posts.Put(tx, post)
		return nil
	})
	if err != nil {
		return sim.Reply{Status: http.StatusInternalServerError, Body: err.Error()}
	}
	return sim.Reply{Status: http.StatusCreated, Body: map[string]string{"id": post.ID}}
}

func (t *toy) get(r *http.Request) sim.Reply {
	var post sim.Post
	found := false
	t.env.View(func() { post, found = t.env.Posts.Live(r.PathValue("id")) })
	if !found {
		return t.NotFound()
	}
	return sim.Reply{Status: http.StatusOK, Body: post}
}

func (t *toy) Fault(_ *http.Request, f sim.Fault) sim.Reply {
	return sim.Reply{Status: http.StatusServiceUnavailable, Body: map[string]string{"toy": string(f.Kind)}}
}

func (t *toy) NotFound() sim.Reply {
	return sim.Reply{Status: http.StatusNotFound, Body: map[string]string{"toy": "not found"}}
}

func (t *toy) PostPath(p sim.Post, _ sim.Account) string { return "/p/" + p.ID }

func (t *toy) Welcome(*sim.Tx, sim.Account) {}

// harness is a running sandbox with the toy network and one account.
type harness struct {
	t     *testing.T
	world *sim.World
	url   string
	seed  sim.Seed
}

func setup(t *testing.T, options sim.Options) *harness {
	t.Helper()
	world, err := sim.Open(options, []sim.Network{toyNetwork()})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	server := httptest.NewServer(world)
	t.Cleanup(func() {
		server.Close()
		if err := world.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	seed, err := toySeed("ada")
	if err != nil {
		t.Fatalf("seed: %v", err)
	}
	return &harness{t: t, world: world, url: server.URL, seed: seed}
}

// do sends a request with the account's token and returns status and body. Status 0 means no response.
func (b *harness) do(method, path, body string) (int, string) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.url+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatalf("request: %v", err)
	}
	req.Header.Set("Authorization", "Bearer "+b.seed.AccessToken)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, string(text)
}

// must sends a request and fails the test unless the status matches.
func (b *harness) must(status int, method, path, body string) string {
	b.t.Helper()
	got, text := b.do(method, path, body)
	if got != status {
		b.t.Fatalf("%s %s: status %d, want %d: %s", method, path, got, status, text)
	}
	return text
}

type shownPost struct {
	Provider, AccountID, PlatformPostID, Kind, Text string
	ParentID                                        *string
	DeletedAt                                       *time.Time
	Likes                                           int
}

// posts reads the timeline from the controls.
func (b *harness) posts() []shownPost {
	b.t.Helper()
	var out struct{ Data []shownPost }
	text := b.must(http.StatusOK, "GET", "/_control/posts?provider=toy", "")
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		b.t.Fatalf("decode posts: %v", err)
	}
	return out.Data
}
