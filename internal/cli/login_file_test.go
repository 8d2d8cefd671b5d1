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

// keeper returns a shell that stores logins in a directory of the test.
func keeper(t *testing.T) (s *Shell, path string) {
	t.Helper()
	home := t.TempDir()
	s = New(Config{Environ: []string{"HOME=" + home}, Now: time.Now})
	return s, filepath.Join(home, ".config", "crier", "login.json")
}

func TestLoginsAreKeptForTheirOwnerAlone(t *testing.T) {
	t.Parallel()
	s, path := keeper(t)
	if kept, err := s.loadLogins(); err != nil || len(kept.Logins) != 0 || kept.server() != "" {
		t.Errorf("before the first login: %+v, %v", kept, err)
	}
	unlock, err := s.lockLogin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	var kept logins
	kept.keep(login{Server: "https://a.example", Person: "ada@example.com", RefreshToken: "r",
		ExpiresAt: time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)})
	if err := s.saveLogins(kept); err != nil {
		t.Fatal(err)
	}
	read, err := s.loadLogins()
	if err != nil || len(read.Logins) != 1 || read.Logins[0] != kept.Logins[0] || read.Current != kept.Current {
		t.Errorf("read %+v, %v; want %+v", read, err, kept)
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
	s, _ := keeper(t)
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
		s, path := keeper(t)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(c.file),
			0o600)); err != nil {
			t.Fatal(err)
		}
		kept, err := s.loadLogins()
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || len(kept.Logins) != c.logins || kept.server() != c.server {
			t.Errorf("%s: %+v, %v; want %d logins and %q", name, kept, err, c.logins, c.server)
		}
	}
}

func TestLoginsAreChosenByServerAndByUse(t *testing.T) {
	t.Parallel()
	var kept logins
	for _, l := range []login{{Server: "https://a", Person: "ada"}, {Server: "https://a", Person: "eve"},
		{Server: "https://b"}} {
		kept.keep(l)
	}
	if kept.Current != "https://b" || kept.known() != "https://a and https://b" || kept.server() != "https://b" {
		t.Errorf("in use is %q of %q", kept.Current, kept.known())
	}
	if l, ok := kept.forServer("https://a/"); !ok || l.Person != "eve" { // the newest
		t.Errorf("at the other server there is %+v, %t", l, ok)
	}
	kept.Current = "ada at https://a"
	if l, ok := kept.forServer("https://a"); !ok || l.Person != "ada" { // the one in use
		t.Errorf("at the server in use there is %+v, %t", l, ok)
	}
	if l, ok := kept.forServer("https://c"); ok {
		t.Errorf("at a server without a login there is %+v", l)
	}
	kept.keep(login{Server: "https://a", Person: "ada", RefreshToken: "new"})
	if len(kept.Logins) != 3 || kept.Logins[2].RefreshToken != "new" {
		t.Errorf("a second login of the same person is kept beside the first: %+v", kept.Logins)
	}
	kept.drop("nobody")
	kept.drop("ada at https://a")
	if kept.Current != "https://b" || len(kept.Logins) != 2 || kept.LastServer != "https://a" {
		t.Errorf("after the login in use has ended: %+v", kept)
	}
	kept.drop("https://b")
	kept.drop("eve at https://a")
	if kept.Current != "" || kept.server() != "https://a" || kept.known() != "" {
		t.Errorf("after all have ended: %+v", kept)
	}
}

func TestLoginsNeedAHome(t *testing.T) {
	t.Parallel()
	s := New(Config{Now: time.Now})
	if _, err := s.loginFile(); err == nil || err.Error() != "there is no HOME to keep the login in" {
		t.Errorf("without a home: %v", err)
	}
	if kept, err := s.loadLogins(); err != nil || len(kept.Logins) != 0 {
		t.Errorf("without a home there are %+v, %v", kept, err)
	}
	if _, err := s.lockLogin(t.Context()); err == nil {
		t.Error("without a home a login is locked")
	}
	xdg := New(Config{Environ: []string{"XDG_CONFIG_HOME=/x", "HOME=/h"}, Now: time.Now})
	if path, err := xdg.loginFile(); err != nil || path != filepath.Join("/x", "crier", "login.json") {
		t.Errorf("%s, %v", path, err)
	}
}
