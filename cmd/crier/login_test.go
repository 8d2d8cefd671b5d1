package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"crier/internal/server/servertest"
	"crier/internal/store"
)

// saveLogin saves the login of a device where a program finds it, with an expired access token.
func saveLogin(tb testing.TB, s *testServer, tokens servertest.Response) (environment []string, file string) {
	tb.Helper()
	home := tb.TempDir()
	file = filepath.Join(home, "crier", "login.json")
	data, err := json.Marshal(object{"server": s.URL, "accessToken": "ended",
		"refreshToken": tokens.Text(tb, "refresh_token"), "expiresAt": time.Now()})
	if err != nil {
		tb.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		tb.Fatal(err)
	}
	return []string{"XDG_CONFIG_HOME=" + home}, file
}

func TestCommandsAtOnceRefreshTheLoginOnce(t *testing.T) {
	t.Parallel()
	s := startServer(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	s.NewFounder(t, "ada@example.com")
	b := s.NewBrowser(t)
	b.SignIn(t, "ada@example.com")
	environment, file := saveLogin(t, s, s.LogIn(t, b))
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			if out := runProgram(t, environment, "whoami"); out.code != 0 {
				t.Errorf("%+v", out)
			}
		})
	}
	all.Wait()
	if n := s.Number(t, `SELECT count(*) FROM refresh_tokens`); n != 2 {
		t.Errorf("there are %d refresh tokens, want the first and the one that replaced it", n)
	}
	if stat, err := os.Stat(file); err != nil || stat.Mode().Perm() != 0o600 {
		t.Errorf("the login is kept with %v, %v", stat, err)
	}
}

func TestFailedRefreshKeepsTheLogin(t *testing.T) {
	t.Parallel()
	s := startServer(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	s.NewFounder(t, "ada@example.com")
	b := s.NewBrowser(t)
	b.SignIn(t, "ada@example.com")
	environment, file := saveLogin(t, s, s.LogIn(t, b))
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b.Post(t, "/sign-out", map[string][]string{"everywhere": {"yes"}}).Want(t, http.StatusSeeOther)
	if out := runProgram(t, environment, "whoami"); out.code != 3 || out.stdout != "" {
		t.Errorf("%+v", out)
	}
	after, err := os.ReadFile(file)
	if err != nil || string(after) != string(before) {
		t.Errorf("the login became %s, %v", after, err)
	}
}
