package cli_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"crier"
)

// installation simulates a server that people log in to: after some polls it issues tokens, or fails.
type installation struct {
	*httptest.Server
	mu      sync.Mutex
	answers []string // errors of the token endpoint, in order; then tokens
	person  string
	revoked int
}

func startInstallation(t *testing.T, person string, answers ...string) *installation {
	t.Helper()
	i := &installation{person: person, answers: answers}
	mux := http.NewServeMux()
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	mux.HandleFunc("POST /v1/auth/device", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"device_code":"d","user_code":"ABCD-EFGH","verification_uri_complete":%q,"expires_in":600,`+
			`"interval":0}`, i.URL+"/device")
	})
	mux.HandleFunc("POST /v1/auth/token", func(w http.ResponseWriter, _ *http.Request) {
		i.mu.Lock()
		defer i.mu.Unlock()
		if len(i.answers) > 0 {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"error":%q}`, i.answers[0])
			i.answers = i.answers[1:]
			return
		}
		fmt.Fprintf(w, `{"access_token":"token of %s","token_type":"Bearer","expires_in":3600,"refresh_token":"r"}`,
			i.person)
	})
	mux.HandleFunc("POST /v1/auth/revoke", func(w http.ResponseWriter, _ *http.Request) {
		i.revoked++
		fmt.Fprint(w, `{"revoked":true}`)
	})
	mux.HandleFunc("GET /v1/agent/context", func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer token of ")
		fmt.Fprintf(w, `{"user":{"id":"018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e4d","email":"%s@example.com","name":%q}}`,
			name, name)
	})
	return i
}

func TestSeveralLoginsAreKeptAndSwitched(t *testing.T) {
	t.Parallel()
	first, second := startInstallation(t, "ada", "authorization_pending"), startInstallation(t, "bob")
	p := newPerson(t, "", "")
	p.run(t, "whoami").want(t, 3, "crier login")
	p.run(t, "login", "--server", first.URL, "--no-browser").want(t, 0, "ABCD-EFGH", "as ada@example.com")
	p.run(t, "whoami", "--server", second.URL).want(t, 3, "you are logged in to "+first.URL+", not to "+second.URL)
	p.run(t, "login", "--server", second.URL, "--no-browser", "--json").want(t, 0, `"current": true`)
	p.run(t, "auth", "list").want(t, 0, "*       "+second.URL, first.URL, "ada@example.com", "bob@example.com")
	p.run(t, "whoami").want(t, 0, "bob@example.com")
	p.run(t, "whoami", "--server", first.URL+"/").want(t, 0, "ada@example.com")
	p.run(t, "auth", "switch").want(t, 0, first.URL)
	p.run(t, "whoami").want(t, 0, "ada@example.com")
	p.run(t, "auth", "switch", "BOB@example.com").want(t, 0, second.URL)
	p.run(t, "auth", "switch", "carol@example.com").want(t, 5, "crier auth list")
	p.run(t, "logout").want(t, 0, "logged out of "+second.URL)
	if second.revoked != 1 || first.revoked != 0 {
		t.Errorf("%d and %d logins were ended at their servers", first.revoked, second.revoked)
	}
	p.run(t, "whoami").want(t, 0, "ada@example.com")
	p.run(t, "logout").want(t, 0)
	p.run(t, "logout").want(t, 3)
	// the server is remembered
	p.run(t, "login", "--no-browser").want(t, 0, "logged in to ")
	file := filepath.Join(p.home, ".config", "crier", "login.json")
	if stat, err := os.Stat(file); err != nil || stat.Mode().Perm() != 0o600 {
		t.Errorf("the logins are kept with %v, %v", stat, err)
	}
}

func TestTwoPeopleCanBeLoggedInToOneServer(t *testing.T) {
	t.Parallel()
	i := startInstallation(t, "ada")
	p := newPerson(t, i.URL, "")
	p.run(t, "login", "--no-browser").want(t, 0)
	i.mu.Lock()
	i.person = "bob"
	i.mu.Unlock()
	p.run(t, "login", "--no-browser").want(t, 0)
	p.run(t, "whoami").want(t, 0, "bob@example.com")
	p.run(t, "auth", "switch", i.URL).want(t, 2, "choose one of these", "ada@example.com at ")
	p.run(t, "auth", "switch", "ada@example.com").want(t, 0)
	p.run(t, "whoami").want(t, 0, "ada@example.com")
}

func TestTokenInTheEnvironmentIsNotLoggedOut(t *testing.T) {
	t.Parallel()
	first, second := startInstallation(t, "ada"), startInstallation(t, "bob")
	p := newPerson(t, "", "")
	p.run(t, "login", "--server", first.URL, "--no-browser").want(t, 0)
	p.run(t, "login", "--server", second.URL, "--no-browser").want(t, 0)
	with := p
	with.environ = append(slices.Clone(p.environ), "CRIER_TOKEN=token of eve")
	for _, args := range [][]string{{"logout"}, {"auth", "logout"}, {"auth", "switch"}, {"login", "--no-browser"}} {
		with.run(t, args...).want(t, 1, "CRIER_TOKEN is set", "unset CRIER_TOKEN")
	}
	p.run(t, "logout", "--token", "token of eve").want(t, 2, "--token")
	if first.revoked+second.revoked != 0 {
		t.Errorf("%d logins were ended", first.revoked+second.revoked)
	}
	with.run(t, "whoami").want(t, 0, "eve@example.com")
	p.run(t, "whoami").want(t, 0, "bob@example.com")
}

func TestLegacyLoginFileIsRead(t *testing.T) {
	t.Parallel()
	i := startInstallation(t, "ada")
	p := newPerson(t, "", "")
	data, err := json.Marshal(map[string]any{"server": i.URL, "accessToken": "token of ada", "refreshToken": "r",
		"expiresAt": time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(p.home, ".config", "crier")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "login.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	p.run(t, "whoami").want(t, 0, "ada@example.com", i.URL)
	p.run(t, "auth", "list").want(t, 0, "*       "+i.URL)
}

func TestLoginErrorsAreReadable(t *testing.T) {
	t.Parallel()
	p := newPerson(t, "", "")
	for code, words := range map[string]string{
		"access_denied": "refused in the browser", "expired_token": "the code expired",
		"invalid_client": "invalid_client",
	} {
		i := startInstallation(t, "ada", code)
		p.run(t, "login", "--no-browser", "--server", i.URL).want(t, 1, words).lacks(t, "oauth2")
	}
	p.run(t, "login", "--no-browser", "--server", "http://127.0.0.1:1").want(t, 9, "cannot reach http://127.0.0.1:1",
		"crier serve")
	p.run(t, "login", "--server", "nonsense").want(t, 2)
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/v1/agent/context" {
			w.WriteHeader(http.StatusNotFound)
		}
		fmt.Fprint(w, "<html><body>Welcome to nginx!</body></html>")
	}))
	t.Cleanup(foreign.Close)
	p.run(t, "login", "--no-browser", "--server", foreign.URL).want(t, 9, "not one of crier's").lacks(t, "nginx")
	p.run(t, "whoami", "--server", foreign.URL, "--token", "crier_key").want(t, 9, "not one of crier's").lacks(t,
		"nginx")
	p.run(t, "networks", "--server", foreign.URL, "--token", "crier_key").want(t, 9, "not one of crier's").
		lacks(t, "nginx")
}

// agree decides on the sandbox's page, lets the browser return to the server, and decides there: allow, deny at the
// network, or decline on crier's page.
func (c crew) agree(address, decision string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	scopes := strings.FieldsFunc(u.Query().Get("scope"), func(r rune) bool { return r == ' ' || r == ',' })
	browser := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := browser.PostForm(address, url.Values{"name": {"ada"},
		"decision": {strings.Replace(decision, "decline", "allow", 1)}, "scope": scopes})
	if err != nil {
		return err
	}
	_ = answer.Body.Close()
	callback := strings.Replace(answer.Header.Get("Location"), "http://crier.test", c.server.URL, 1)
	answer, err = http.Get(callback) // which follows to the command
	if err != nil {
		return err
	}
	page, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil || decision == "deny" {
		return err
	}
	form := url.Values{"decision": {decision}} // nobody is signed in in this browser, so it is asked
	for _, field := range hiddenField.FindAllStringSubmatch(string(page), -1) {
		form.Set(field[1], field[2])
	}
	answer, err = http.PostForm(strings.Replace(strings.Split(callback, "?")[0], "callback", "choose", 1), form)
	if err == nil {
		err = answer.Body.Close()
	}
	return err
}

var hiddenField = regexp.MustCompile(`type="hidden" name="(\w+)" value="([^"]+)"`)

// connecting runs 'accounts connect' while a person decides in a browser, and waits for its end.
func (c crew) connecting(t *testing.T, decision string, args ...string) result {
	t.Helper()
	var stdout bytes.Buffer
	reader, stderr := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- c.start(t.Context(), strings.NewReader(""), &stdout, stderr,
			append([]string{"accounts", "connect", "twitter"}, args...)...)
		_ = stderr.Close()
	}()
	prefix := readUntil(t, reader, "Waiting")
	for line := range strings.Lines(prefix) {
		if strings.HasPrefix(line, "http") {
			if err := c.agree(strings.TrimSpace(line), decision); err != nil {
				t.Fatal(err)
			}
		}
	}
	rest, err := io.ReadAll(reader) // until the command ends
	if err != nil {
		t.Fatal(err)
	}
	return result{stdout: stdout.String(), stderr: prefix + string(rest), code: <-ended}
}

func TestConnectingWaitsForTheResult(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	for _, decision := range []string{"deny", "decline"} { // wherever the browser is
		c.connecting(t, decision, "--no-browser").want(t, 1,
			"no account was connected: the consent was refused in the browser").lacks(t, "access_denied")
	}
	c.connecting(t, "allow").want(t, 0, "Connected X ")
	c.connecting(t, "deny").want(t, 1, "refused in the browser") // one that is connected stays so
	c.run(t, "accounts", "list").want(t, 0, "connected")
	c.run(t, "accounts", "connect", "twitter", "--no-wait").want(t, 0, "give your consent:\nhttp")
}

// The operator rotates the secret key while somebody decides in the browser: the restarted server is away for a moment,
// and refuses the cursors that the old key has signed.
func TestConnectingSurvivesARestartOfTheServer(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	target, err := url.Parse(c.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(target)
	var mu sync.Mutex
	var old string // the first cursor that is sent
	lists := 0
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		query := r.URL.Query()
		if after := query.Get("after"); after != "" && strings.HasSuffix(r.URL.Path, "/events") {
			if old = cmp.Or(old, after); after == old {
				query.Set("after", after[:len(after)-4]+"AAAA")
				r.URL.RawQuery = query.Encode()
			}
		}
		if strings.HasSuffix(r.URL.Path, "/social-accounts") && r.Method == http.MethodGet {
			lists++
		}
		away := lists > 1 && lists <= 6
		mu.Unlock()
		if away {
			http.Error(w, "no node answers", http.StatusBadGateway)
			return
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	c.person = newPerson(t, proxy.URL, c.Key)
	c.connecting(t, "deny", "--no-browser").want(t, 1,
		"no account was connected: the consent was refused in the browser")
	if old == "" || lists < 6 {
		t.Errorf("the server was asked for accounts %d times, and for events after %q", lists, old)
	}
}

// The key was rotated without a time of grace, before either of the requests that are repeated.
func TestConnectingTellsThatTheConsentOutlivesTheKey(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/social-accounts", "/events"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			c := newCrew(t)
			target, err := url.Parse(c.server.URL)
			if err != nil {
				t.Fatal(err)
			}
			owner := c.person
			forward := httputil.NewSingleHostReverseProxy(target)
			var connected atomic.Bool
			var keys crier.Page[crier.APIKey]
			owner.run(t, "keys", "list", "--json").want(t, 0).into(t, &keys)
			rotate := sync.OnceFunc(func() {
				owner.run(t, "keys", "rotate", string(keys.Data[0].ID), "--yes").want(t, 0)
			})
			proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if connected.Load() && r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, path) {
					rotate()
				}
				forward.ServeHTTP(w, r)
				if strings.HasSuffix(r.URL.Path, "/connect") {
					connected.Store(true)
				}
			}))
			t.Cleanup(proxy.Close)
			c.person = newPerson(t, proxy.URL, c.Key)
			c.run(t, "accounts", "connect", "twitter", "--no-browser").want(t, 3, "can still be given", "CRIER_TOKEN")
		})
	}
}

// readUntil reads until a text has arrived.
func readUntil(t *testing.T, r io.Reader, text string) string {
	t.Helper()
	var seen strings.Builder
	piece := make([]byte, 1024)
	for !strings.Contains(seen.String(), text) {
		n, err := r.Read(piece)
		seen.Write(piece[:n])
		if err != nil {
			t.Fatalf("%v after:\n%s", err, seen.String())
		}
	}
	return seen.String()
}
