package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// tokens is a server that refreshes logins: a refresh token works once.
type tokens struct {
	*httptest.Server
	mu     sync.Mutex
	given  int
	reused bool
	// answer replaces the next response.
	answer func(w http.ResponseWriter)
}

func startTokens(t *testing.T) *tokens {
	t.Helper()
	s := &tokens{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.answer != nil {
			s.answer(w)
			s.answer = nil
			return
		}
		if r.FormValue("refresh_token") != fmt.Sprint("refresh", s.given) {
			s.reused = true
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":"invalid_grant"}`)
			return
		}
		s.given++
		fmt.Fprintf(w, `{"access_token":"access%d","refresh_token":"refresh%d","expires_in":3600,"token_type":"Bearer"}`,
			s.given, s.given)
	}))
	t.Cleanup(s.Close)
	return s
}

// newShell returns a shell at a time with its own home directory, in which a login is stored.
func newShell(t *testing.T, home string, now *time.Time) *Shell {
	t.Helper()
	return New(Config{Environ: []string{"HOME=" + home}, Stdin: strings.NewReader(""), Stdout: &strings.Builder{},
		Stderr: &strings.Builder{}, Now: func() time.Time { return *now }, Version: "test"})
}

func saveLogin(t *testing.T, s *Shell, list ...login) {
	t.Helper()
	err := s.changeLogins(t.Context(), func(saved *logins) error {
		for _, l := range list {
			saved.add(l)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestLoginIsRefreshedOnceForCommandsThatRunAtOnce(t *testing.T) {
	t.Parallel()
	server, home, now := startTokens(t), t.TempDir(), time.Now()
	first := newShell(t, home, &now)
	old := login{Server: server.URL, Person: "ada", AccessToken: "access0", RefreshToken: "refresh0",
		ExpiresAt: now.Add(61 * time.Second)}
	other := login{Server: "https://other.example", AccessToken: "other", RefreshToken: "x", ExpiresAt: now}
	saveLogin(t, first, other, old)
	if got, err := first.freshToken(t.Context(), old.name()); err != nil || got != "access0" {
		t.Errorf("a token that lasts is replaced: %q, %v", got, err)
	}
	now = now.Add(2 * time.Second) // valid for less than one more minute
	got := make([]string, 6)
	var commands sync.WaitGroup
	for i := range got {
		commands.Go(func() {
			var err error
			if got[i], err = newShell(t, home, &now).freshToken(t.Context(), old.name()); err != nil {
				t.Error(err)
			}
		})
	}
	commands.Wait()
	for i, token := range got {
		if token != "access1" {
			t.Errorf("command %d uses %q", i, token)
		}
	}
	if server.reused || server.given != 1 {
		t.Errorf("the login was renewed %d times, reused: %v", server.given, server.reused)
	}
	saved, err := first.loadLogins()
	if err != nil {
		t.Fatal(err)
	}
	renewed, ok := saved.find(old.name())
	if !ok || renewed.RefreshToken != "refresh1" || !renewed.ExpiresAt.Equal(now.Add(time.Hour)) ||
		saved.Current != old.name() {
		t.Errorf("kept is %+v, in use %s", renewed, saved.Current)
	}
	if l, ok := saved.find(other.name()); !ok || l.AccessToken != "other" {
		t.Errorf("another login was changed: %+v", l)
	}
}

func TestFailedRefreshIsReportedAndKeepsTheLogin(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for name, c := range map[string]struct {
		answer   func(w http.ResponseWriter)
		code     int
		wantText string
	}{
		"it has ended": {func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":"invalid_grant"}`)
		}, exitUnauthorized, "run 'crier login' again"},
		"the server is broken": {func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) }, exitServer,
			"renew the login"},
		"another program": {func(w http.ResponseWriter) { fmt.Fprint(w, "<html>") }, exitServer, "not one of crier's"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, s := startTokens(t), newShell(t, t.TempDir(), &now)
			l := login{Server: server.URL, AccessToken: "a", RefreshToken: "refresh0", ExpiresAt: now}
			saveLogin(t, s, l)
			server.answer = c.answer
			_, err := s.freshToken(t.Context(), l.name())
			if err == nil || !strings.Contains(err.Error(), c.wantText) || ExitCode(err) != c.code {
				t.Errorf("the error is %v, which ends with %d", err, ExitCode(err))
			}
			saved, err := s.loadLogins()
			if got, ok := saved.find(l.name()); err != nil || !ok || got.RefreshToken != "refresh0" {
				t.Errorf("kept is %+v, %v", got, err)
			}
		})
	}
	s := newShell(t, t.TempDir(), &now)
	saveLogin(t, s, login{Server: "https://a.example", AccessToken: "a", ExpiresAt: now})
	for _, name := range []string{"https://a.example", "nobody"} { // without a refresh token, and none at all
		if _, err := s.freshToken(t.Context(), name); !errors.Is(err, errNoLogin) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLoginFileIsPrivate(t *testing.T) {
	t.Parallel()
	home, now := t.TempDir(), time.Now()
	s := newShell(t, home, &now)
	saveLogin(t, s, login{Server: "https://a.example", AccessToken: "secret", RefreshToken: "r", ExpiresAt: now})
	folder := filepath.Join(home, ".config", "crier")
	for name, mode := range map[string]os.FileMode{".": 0o700, "login.json": 0o600, "login.json.lock": 0o600} {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s has the mode %v, %v", name, info.Mode(), err)
		}
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 2 {
		t.Errorf("there are %d files, %v", len(files), err)
	}
	elsewhere := t.TempDir()
	s.environ = append(s.environ, "XDG_CONFIG_HOME="+elsewhere)
	saveLogin(t, s, login{Server: "https://b.example", RefreshToken: "r"})
	if _, err := os.Stat(filepath.Join(elsewhere, "crier", "login.json")); err != nil {
		t.Error(err)
	}
}

func TestDamagedLoginFileIsNamed(t *testing.T) {
	t.Parallel()
	home, now := t.TempDir(), time.Now()
	s := newShell(t, home, &now)
	saveLogin(t, s, login{Server: "https://a.example", RefreshToken: "r"})
	path, err := s.loginFile()
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"cut off": `{"logins":[{`, "another file": "hello", "empty": ""} {
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Connect(t.Context()); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
		if err := s.changeLogins(t.Context(), func(*logins) error { return nil }); err == nil {
			t.Errorf("%s: it is overwritten", name)
		}
	}
	s.environ = nil
	if _, err := s.Connect(t.Context()); !errors.Is(err, errNoLogin) {
		t.Errorf("without a home: %v", err)
	}
	if err := s.changeLogins(t.Context(), func(*logins) error { return nil }); err == nil ||
		!strings.Contains(err.Error(), "HOME") {
		t.Errorf("a login without a home: %v", err)
	}
}

func TestWaitingForTheLoginLockCanBeInterrupted(t *testing.T) {
	t.Parallel()
	home, now := t.TempDir(), time.Now()
	unlock, err := newShell(t, home, &now).lockLogin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := newShell(t, home, &now).lockLogin(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the lock is taken twice: %v", err)
	}
	unlock()
	again, err := newShell(t, home, &now).lockLogin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again()
}

func TestLoginSelection(t *testing.T) {
	t.Parallel()
	ada := login{Server: "https://a.example", Person: "ada@example.com"}
	bob := login{Server: "https://a.example", Person: "bob@example.com"}
	nobody := login{Server: "https://b.example"}
	all := logins{Logins: []login{ada, nobody, bob}, Current: ada.name()}
	two := logins{Logins: []login{ada, nobody}, Current: ada.name()}
	for name, c := range map[string]struct {
		saved logins
		args  []string
		want  string
		code  int
	}{
		"by its server":          {all, []string{"https://b.example/"}, nobody.name(), 0},
		"by its person":          {all, []string{"BOB@example.com"}, bob.name(), 0},
		"by its name":            {all, []string{bob.name()}, bob.name(), 0},
		"the other of two":       {two, nil, nobody.name(), 0},
		"one of three":           {all, nil, "", exitUsage},
		"a server of two people": {all, []string{"https://a.example"}, "", exitUsage},
		"nobody of that name":    {all, []string{"eve"}, "", exitMissing},
		"the only one":           {logins{Logins: []login{ada}, Current: ada.name()}, nil, "", exitUsage},
		"none at all":            {logins{}, nil, "", exitUnauthorized},
	} {
		got, err := c.saved.choose(c.args)
		if c.want != "" && (err != nil || got.name() != c.want) || c.want == "" && ExitCode(err) != c.code {
			t.Errorf("%s: %q, %v", name, got.name(), err)
		}
	}
	for name, c := range map[string]struct {
		saved  logins
		server string
		want   string
	}{
		"the one in use": {all, "https://a.example", ada.name()},
		"the newest of others": {logins{Logins: all.Logins, Current: nobody.name()}, "https://a.example/",
			bob.name()},
		"of a server nobody logged in": {all, "https://c.example", ""},
	} {
		if got, _ := c.saved.forServer(c.server); c.want != "" && got.name() != c.want || c.want == "" &&
			got != (login{}) {
			t.Errorf("%s: %q", name, got.name())
		}
	}
	saved := all
	saved.Logins = []login{ada, nobody, bob}
	saved.drop(ada.name())
	if saved.Current != bob.name() {
		t.Errorf("after logging out %q is in use", saved.Current)
	}
	saved.drop(nobody.name())
	if saved.Current != bob.name() || len(saved.Logins) != 1 {
		t.Errorf("after logging out elsewhere %q is in use", saved.Current)
	}
	if saved.drop(bob.name()); saved.Current != "" || saved.server() != "" {
		t.Errorf("after logging out everywhere %q is in use", saved.Current)
	}
}

// A proxy responds while the server behind it restarts.
func TestApprovalPollingSurvivesABriefOutage(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for name, answer := range map[string]func(w http.ResponseWriter){
		"a proxy says so":   func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) },
		"crier says so":     func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) },
		"too many requests": func(w http.ResponseWriter) { w.WriteHeader(http.StatusTooManyRequests) },
		"no answer":         func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			requests := 0
			mux := http.NewServeMux()
			server := httptest.NewServer(mux)
			t.Cleanup(server.Close)
			mux.HandleFunc("POST /v1/auth/device", func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprint(w, `{"device_code":"d","user_code":"ABCD-EFGH","expires_in":600,"interval":0}`)
			})
			mux.HandleFunc("POST /v1/auth/token", func(w http.ResponseWriter, _ *http.Request) {
				mu.Lock()
				requests++
				first := requests == 1
				mu.Unlock()
				if first {
					answer(w)
					return
				}
				fmt.Fprint(w, `{"access_token":"a","refresh_token":"r","expires_in":3600}`)
			})
			s := newShell(t, t.TempDir(), &now)
			s.server = server.URL
			if err := s.login(t.Context(), false); err != nil {
				t.Fatal(err)
			}
			saved, err := s.loadLogins()
			if l, ok := saved.find(server.URL); err != nil || !ok || l.AccessToken != "a" {
				t.Errorf("kept is %+v, %v", saved, err)
			}
		})
	}
}

func TestLoginFileHoldsOnlyLogins(t *testing.T) {
	t.Parallel()
	home, now := t.TempDir(), time.Now().UTC().Truncate(time.Second)
	s := newShell(t, home, &now)
	saveLogin(t, s, login{Server: "https://a.example", Person: "ada", AccessToken: "a", RefreshToken: "r",
		ExpiresAt: now})
	path, _ := s.loginFile()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil || len(fields) != 3 {
		t.Errorf("the file is %s, %v", data, err)
	}
	shown := logins{Logins: []login{{Server: "https://a.example", AccessToken: "secret",
		RefreshToken: "secret"}}}.list()
	if text := fmt.Sprintf("%+v", shown); strings.Contains(text, "secret") {
		t.Errorf("a list of logins shows tokens: %s", text)
	}
}
