package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// newLoginShell returns a shell that stores logins in a directory of the test.
func newLoginShell(t *testing.T) (s *Shell, path string) {
	t.Helper()
	home := t.TempDir()
	s = New(Config{Environ: []string{"HOME=" + home}, Now: time.Now})
	return s, filepath.Join(home, ".config", "crier", "login.json")
}

func TestLoginsAreKeptForTheirOwnerAlone(t *testing.T) {
	t.Parallel()
	s, path := newLoginShell(t)
	if saved, err := s.loadLogins(); err != nil || len(saved.Logins) != 0 || saved.server() != "" {
		t.Errorf("before the first login: %+v, %v", saved, err)
	}
	unlock, err := s.lockLogin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	var saved logins
	saved.add(login{Server: "https://a.example", Person: "ada@example.com", RefreshToken: "r",
		ExpiresAt: time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)})
	if err := s.saveLogins(saved); err != nil {
		t.Fatal(err)
	}
	read, err := s.loadLogins()
	if err != nil || len(read.Logins) != 1 || read.Logins[0] != saved.Logins[0] || read.Current != saved.Current {
		t.Errorf("read %+v, %v; want %+v", read, err, saved)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	folder, err := os.Stat(filepath.Dir(path))
	if err != nil || folder.Mode().Perm() != 0o700 {
		t.Errorf("its directory is %v, %v", folder.Mode(), err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "login.*"))
	if err != nil || len(left) != 2 { // the logins and the lock
		t.Errorf("there are %v, %v", left, err)
	}
}

func TestALockedLoginIsWaitedFor(t *testing.T) {
	t.Parallel()
	s, _ := newLoginShell(t)
	unlock, err := s.lockLogin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.lockLogin(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a second command that was interrupted: %v", err)
	}
	unlock()
	again, err := s.lockLogin(t.Context())
	if err != nil {
		t.Fatalf("after the first has ended: %v", err)
	}
	again()
}

func TestLoginsOfOlderVersionsAreRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file   string
		logins int
		server string
		fails  string
	}{
		"one alone":    {`{"server":"https://a.example","refreshToken":"r"}`, 1, "https://a.example", ""},
		"logged out":   {`{"server":"https://a.example"}`, 0, "https://a.example", ""},
		"several":      {`{"current":"b","logins":[{"server":"a"},{"server":"b"}]}`, 2, "b", ""},
		"none in use":  {`{"lastServer":"c","logins":[{"server":"a"}]}`, 1, "c", ""},
		"empty":        {`{}`, 0, "", ""},
		"more than is": {`{"logins":[],"future":true}`, 0, "", ""},
		"broken":       {`{"logins":`, 0, "", "remove the file and log in again"},
		"no object":    {`[]`, 0, "", "remove the file and log in again"},
	} {
		s, path := newLoginShell(t)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(c.file),
			0o600)); err != nil {
			t.Fatal(err)
		}
		saved, err := s.loadLogins()
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || len(saved.Logins) != c.logins || saved.server() != c.server {
			t.Errorf("%s: %+v, %v; want %d logins and %q", name, saved, err, c.logins, c.server)
		}
	}
}

func TestLoginsAreChosenByServerAndByUse(t *testing.T) {
	t.Parallel()
	var saved logins
	for _, l := range []login{{Server: "https://a", Person: "ada"}, {Server: "https://a", Person: "eve"},
		{Server: "https://b"}} {
		saved.add(l)
	}
	if saved.Current != "https://b" || saved.servers() != "https://a and https://b" || saved.server() != "https://b" {
		t.Errorf("in use is %q of %q", saved.Current, saved.servers())
	}
	if l, ok := saved.forServer("https://a/"); !ok || l.Person != "eve" { // the newest
		t.Errorf("at the other server there is %+v, %t", l, ok)
	}
	saved.Current = "ada at https://a"
	if l, ok := saved.forServer("https://a"); !ok || l.Person != "ada" { // the one in use
		t.Errorf("at the server in use there is %+v, %t", l, ok)
	}
	if l, ok := saved.forServer("https://c"); ok {
		t.Errorf("at a server without a login there is %+v", l)
	}
	saved.add(login{Server: "https://a", Person: "ada", RefreshToken: "new"})
	if len(saved.Logins) != 3 || saved.Logins[2].RefreshToken != "new" {
		t.Errorf("a second login of the same person is kept beside the first: %+v", saved.Logins)
	}
	saved.drop("nobody")
	saved.drop("ada at https://a")
	if saved.Current != "https://b" || len(saved.Logins) != 2 || saved.LastServer != "https://a" {
		t.Errorf("after the login in use has ended: %+v", saved)
	}
	saved.drop("https://b")
	saved.drop("eve at https://a")
	if saved.Current != "" || saved.server() != "https://a" || saved.servers() != "" {
		t.Errorf("after all have ended: %+v", saved)
	}
}

func TestLoginsNeedAHome(t *testing.T) {
	t.Parallel()
	s := New(Config{Now: time.Now})
	if _, err := s.loginFile(); err == nil || err.Error() != "the login cannot be stored: HOME is not set" {
		t.Errorf("without a home: %v", err)
	}
	if saved, err := s.loadLogins(); err != nil || len(saved.Logins) != 0 {
		t.Errorf("without a home there are %+v, %v", saved, err)
	}
	if _, err := s.lockLogin(t.Context()); err == nil {
		t.Error("without a home a login is locked")
	}
	xdg := New(Config{Environ: []string{"XDG_CONFIG_HOME=/x", "HOME=/h"}, Now: time.Now})
	if path, err := xdg.loginFile(); err != nil || path != filepath.Join("/x", "crier", "login.json") {
		t.Errorf("%s, %v", path, err)
	}
}
