package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier"
	"crier/internal/auth"
	"crier/internal/media"
	"crier/internal/provider"
	"crier/internal/provider/all"
	"crier/internal/queue"
	"crier/internal/sandbox"
	"crier/internal/service"
	"crier/internal/social"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// databases are migrated for crier's tables and jobs.
var databases = &storetest.Suite{Prepare: func(ctx context.Context, cfg store.Config) error {
	st, err := store.Open(ctx, cfg)
	if err != nil {
		return err
	}
	defer st.Close()
	if _, err := st.Migrate(ctx); err != nil {
		return err
	}
	jobs, err := queue.New(queue.Config{Store: st, Now: time.Now, Logger: slog.New(slog.DiscardHandler),
		Metrics: prometheus.NewRegistry()})
	if err != nil {
		return err
	}
	return jobs.Migrate(ctx)
}}

// RemoveDatabases is for the TestMain of the outer tests.
var RemoveDatabases = databases.Remove

// world is a whole server within the test: store, rules, job engine, networks and the HTTP API, with one tenant that
// has an account on every network.
type world struct {
	*Server
	store    *store.Store
	services *service.Services
	jobs     *queue.Queue
	tenant   service.Tenant
	key      string
	offset   atomic.Int64 // of the clock
	sandbox  string
}

// cheapPasswords is what hashes of passwords take, in KiB: the tests of auth prove the usual amount.
const cheapPasswords = 64

// now returns the world's time: the machine's, plus the offset that tests add.
func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.offset.Load())) }

// wait advances the clock.
func (w *world) wait(d time.Duration) { w.offset.Add(int64(d)) }

// eachWorld runs a test in a new world on each database. Nothing is published in it unless the test starts the workers.
func eachWorld(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	databases.EachStore(t, func(t *testing.T, st *store.Store) { test(t, newWorld(t, st)) })
}

func newWorld(t *testing.T, st *store.Store) *world {
	t.Helper()
	return newWorldWith(t, st, func(*service.Config) {})
}

func newWorldWith(t *testing.T, st *store.Store, change func(*service.Config)) *world {
	t.Helper()
	w := &world{store: st}
	log := slog.New(slog.DiscardHandler)
	box, err := sandbox.New(sandbox.Options{DataDir: t.TempDir(), Now: w.now, Logger: log})
	requireNoError(t, err)
	simulator := httptest.NewServer(box)
	t.Cleanup(func() { simulator.Close(); _ = box.Close() })
	w.sandbox = simulator.URL
	blobs, err := media.NewDisk(t.TempDir())
	requireNoError(t, err)
	keys, err := auth.NewKeyring(auth.NewSecretKey())
	requireNoError(t, err)
	w.jobs, err = queue.New(queue.Config{Store: st, Now: w.now, Logger: log, Metrics: prometheus.NewRegistry()})
	requireNoError(t, err)
	cfg := service.Config{
		Store: st, Keys: keys, Queue: w.jobs, Providers: w.networks(t), Observer: w.jobs, Blobs: blobs, Sandbox: true,
		PublicURL: "http://example.com", Now: w.now, Logger: log, PasswordMemory: cheapPasswords,
	}
	change(&cfg)
	w.services = service.New(cfg)
	w.jobs.Register(w.services)
	w.tenant, err = w.services.Instance.Initialise(t.Context(), service.TenantRequest{Name: "Acme", Credits: 10_000,
		Accounts: w.accounts})
	requireNoError(t, err)
	w.key = w.tenant.APIKey
	w.Server = New(Config{Services: w.services, Now: w.now, Logger: log, Version: "1.2.3",
		PublicURL: "http://example.com", SandboxURL: w.sandbox, Ready: func(context.Context) error { return nil }})
	return w
}

// networks returns the clients of all networks, pointed at the sandbox.
func (w *world) networks(t *testing.T) *provider.Registry {
	t.Helper()
	cfg := all.Config{Caller: provider.NewCaller(provider.CallerConfig{Version: "1.2.3", Now: w.now}), Now: w.now}
	for _, p := range crier.Providers() {
		cfg = cfg.WithAccess(string(p), all.Access{Credentials: provider.Credentials{ClientID: "crier-sandbox",
			ClientSecret: "crier-sandbox"}})
	}
	registry, err := all.New(cfg.WithSandbox(w.sandbox))
	requireNoError(t, err)
	return registry
}

// accounts returns one sandbox account per network.
func (w *world) accounts(team crier.ID) ([]social.NewAccount, error) {
	var list []social.NewAccount
	for _, network := range sandbox.Networks() {
		seed, err := sandbox.SeedAccount(network, "team"+string(team[len(team)-8:]))
		if err != nil {
			return nil, err
		}
		token := provider.Token{Access: provider.Secret(seed.AccessToken), Refresh: provider.Secret(seed.RefreshToken),
			Scopes: seed.Scopes}
		if seed.ExpiresIn > 0 {
			token.ExpiresAt = w.now().Add(seed.ExpiresIn)
		}
		if seed.RefreshExpiresIn > 0 {
			token.RefreshExpiresAt = w.now().Add(seed.RefreshExpiresIn)
		}
		list = append(list, social.NewAccount{Provider: crier.Provider(seed.Network), Sandbox: true,
			Account: provider.ConnectedAccount{ProviderAccountID: seed.AccountID, DisplayName: seed.DisplayName,
				Handle: seed.Handle, SubType: seed.AccountKind, Token: token}})
	}
	return list, nil
}

// work starts the workers.
func (w *world) work(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	requireNoError(t, w.jobs.Start(ctx))
	t.Cleanup(func() {
		cancel()
		requireNoError(t, w.jobs.Stop(context.Background()))
	})
}

// account returns the tenant's account on a network.
func (w *world) account(t *testing.T, network crier.Provider) crier.ID {
	t.Helper()
	for _, a := range w.tenant.Accounts {
		if a.Provider == network {
			return a.ID
		}
	}
	t.Fatalf("no account on %s", network)
	return ""
}

// team returns a path below the tenant's team.
func (w *world) team(format string, args ...any) string {
	return "/v1/teams/" + string(w.tenant.TeamID) + fmt.Sprintf(format, args...)
}

// organization returns a path below the tenant's organization.
func (w *world) organization(format string, args ...any) string {
	return "/v1/organizations/" + string(w.tenant.OrganizationID) + fmt.Sprintf(format, args...)
}

// object is a JSON object.
type object = map[string]any

// answer is the response to a request.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// header sets a header of a request; an empty value removes it.
type header struct{ name, value string }

// call sends a request with the tenant's key.
func (w *world) call(t *testing.T, method, path string, body any, headers ...header) answer {
	t.Helper()
	var reader io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		requireNoError(t, err)
		reader = bytes.NewReader(data)
	}
	r := httptest.NewRequestWithContext(t.Context(), method, path, reader)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("Authorization", "Bearer "+w.key)
	for _, h := range headers {
		r.Header.Del(h.name)
		if h.value != "" {
			r.Header.Set(h.name, h.value)
		}
	}
	recorder := httptest.NewRecorder()
	w.ServeHTTP(recorder, r)
	return answer{status: recorder.Code, header: recorder.Result().Header, body: recorder.Body.Bytes()}
}

// want ends the test unless the response has the status.
func (a answer) want(t *testing.T, status int) answer {
	t.Helper()
	if a.status != status {
		t.Fatalf("status %d, want %d: %s", a.status, status, a.body)
	}
	return a
}

// wantError ends the test unless the response is an error of the kind whose message contains the words.
func (a answer) wantError(t *testing.T, kind crier.Kind, wantText string) {
	t.Helper()
	var body struct {
		Tag     crier.Kind `json:"_tag"`
		Message string     `json:"message"`
	}
	err := json.Unmarshal(a.body, &body)
	if err != nil || body.Tag != kind || !strings.Contains(string(a.body), wantText) {
		t.Fatalf("got %d %s, want %s that says %q", a.status, a.body, kind, wantText)
	}
}

// as decodes a response.
func as[T any](t *testing.T, a answer) T {
	t.Helper()
	var out T
	decoder := json.NewDecoder(bytes.NewReader(a.body))
	if err := decoder.Decode(&out); err != nil {
		t.Fatalf("%v: %s", err, a.body)
	}
	return out
}

// signIn gives the tenant's owner a password and returns the cookie of a session.
func (w *world) signIn(t *testing.T) string {
	t.Helper()
	form := url.Values{"token": {w.tenant.SetupToken}, "name": {"Ada Lovelace"}, "email": {"ada@example.com"},
		"password": {ownerPassword}}
	r := formRequest(t, "/setup", form)
	r.Header.Set("User-Agent", "Browser/1")
	recorder := httptest.NewRecorder()
	w.ServeHTTP(recorder, r)
	for _, c := range recorder.Result().Cookies() {
		if c.Name == sessionCookie && c.Value != "" {
			return sessionCookie + "=" + c.Value
		}
	}
	t.Fatalf("set-up did not sign in: %d %s", recorder.Code, recorder.Body)
	return ""
}
