package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"crier/internal/filelock"
)

// login is a saved login.
type login struct {
	Server       string    `json:"server,omitempty"`
	Person       string    `json:"person,omitempty"`
	AccessToken  string    `json:"accessToken,omitempty"`
	RefreshToken string    `json:"refreshToken,omitempty"`
	ExpiresAt    time.Time `json:"expiresAt,omitzero"`
}

// name identifies a login.
func (l login) name() string {
	if l.Person == "" {
		return l.Server
	}
	return l.Person + " at " + l.Server
}

// logins are a person's saved logins, in their configuration directory.
type logins struct {
	// Current is the name of the login that commands use unless a server is given.
	Current string `json:"current,omitempty"`
	// LastServer is the server of the last login, even after a logout.
	LastServer string  `json:"lastServer,omitempty"`
	Logins     []login `json:"logins"`
}

// server returns the server of the current login, or of the last one.
func (k logins) server() string {
	if l, ok := k.find(k.Current); ok {
		return l.Server
	}
	return k.LastServer
}

// servers lists the servers with saved logins.
func (k logins) servers() string {
	var servers []string
	for _, l := range k.Logins {
		if !slices.Contains(servers, l.Server) {
			servers = append(servers, l.Server)
		}
	}
	return strings.Join(servers, " and ")
}

func (k logins) find(name string) (login, bool) {
	for _, l := range k.Logins {
		if l.name() == name {
			return l, true
		}
	}
	return login{}, false
}

// forServer returns the current login if it is for the server, else the newest one that is.
func (k logins) forServer(server string) (found login, ok bool) {
	server = strings.TrimRight(server, "/")
	if l, current := k.find(k.Current); current && l.Server == server {
		return l, true
	}
	for _, l := range k.Logins {
		if l.Server == server {
			found, ok = l, true
		}
	}
	return found, ok
}

// add adds a login and makes it current; it replaces one of the same person at the same server.
func (k *logins) add(l login) {
	k.drop(l.name())
	k.Logins = append(k.Logins, l)
	k.Current, k.LastServer = l.name(), l.Server
}

// drop removes a login. Another one, if any, becomes current.
func (k *logins) drop(name string) {
	k.Logins = slices.DeleteFunc(k.Logins, func(l login) bool { return l.name() == name })
	if k.Current != name {
		return
	}
	k.Current = ""
	if n := len(k.Logins); n > 0 {
		k.Current = k.Logins[n-1].name()
	}
}

// loginFile returns the path in the person's configuration directory.
func (s *Shell) loginFile() (string, error) {
	base := s.variable("XDG_CONFIG_HOME")
	if base == "" {
		home := s.variable("HOME")
		if home == "" {
			return "", errors.New("the login cannot be stored: HOME is not set")
		}
		base = filepath.Join(home, ".config")
	}
	return filepath.Join(base, "crier", "login.json"), nil
}

func (s *Shell) loadLogins() (logins, error) {
	var saved struct {
		logins
		login // the format of older versions, with a single login
	}
	path, err := s.loginFile()
	if err != nil {
		return saved.logins, nil //nolint:nilerr // without a directory for them there are no logins
	}
	data, err := os.ReadFile(path) //nolint:gosec // the person's own file
	if errors.Is(err, fs.ErrNotExist) {
		return saved.logins, nil
	}
	if err != nil {
		return saved.logins, fmt.Errorf("read the login: %w", err)
	}
	if err := json.Unmarshal(data, &saved); err != nil {
		return saved.logins, fmt.Errorf("read the login in %s: %w; remove the file and log in again", path, err)
	}
	if saved.Server != "" && len(saved.Logins) == 0 && saved.LastServer == "" {
		saved.LastServer = saved.Server
		if saved.RefreshToken != "" {
			saved.add(saved.login)
		}
	}
	return saved.logins, nil
}

// lockPause is the pause between two attempts to take the lock.
const lockPause = 20 * time.Millisecond

// lockLogin locks the logins against other commands of the person. The lock is released when the process ends, however
// it ends.
func (s *Shell) lockLogin(ctx context.Context) (unlock func(), err error) {
	path, err := s.loginFile()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("create the configuration directory: %w", err)
	}
	file, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // the person's own file
	if err != nil {
		return nil, fmt.Errorf("lock the login: %w", err)
	}
	for {
		locked, err := filelock.Try(file)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("lock the login: %w", err), file.Close())
		}
		if locked {
			return func() { _ = file.Close() }, nil
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), file.Close())
		case <-time.After(lockPause):
		}
	}
}

// saveLogins writes the logins atomically and readable by their owner only. They must be locked.
func (s *Shell) saveLogins(saved logins) error {
	path, err := s.loginFile()
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(saved, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the login: %w", err)
	}
	temp, err := os.CreateTemp(filepath.Dir(path), "login.*") // with mode 0600
	if err != nil {
		return fmt.Errorf("write the login: %w", err)
	}
	_, err = temp.Write(data)
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write the login: %w", err), os.Remove(temp.Name()))
	}
	return nil
}
