package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// login is what is kept of a login, in the person's configuration directory.
type login struct {
	Server       string    `json:"server,omitempty"`
	AccessToken  string    `json:"accessToken,omitempty"`
	RefreshToken string    `json:"refreshToken,omitempty"`
	ExpiresAt    time.Time `json:"expiresAt,omitzero"`
}

// loginFile is in the person's configuration directory.
func (s *shell) loginFile() (string, error) {
	base := s.variable("XDG_CONFIG_HOME")
	if base == "" {
		home := s.variable("HOME")
		if home == "" {
			return "", errors.New("there is no HOME to keep the login in")
		}
		base = filepath.Join(home, ".config")
	}
	return filepath.Join(base, "crier", "login.json"), nil
}

func (s *shell) loadLogin() (login, error) {
	var l login
	path, err := s.loginFile()
	if err != nil {
		return l, nil //nolint:nilerr // without a place to keep it there is no login
	}
	data, err := os.ReadFile(path) //nolint:gosec // the person's own file
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return l, fmt.Errorf("read the login: %w", err)
	}
	if err := json.Unmarshal(data, &l); err != nil {
		return l, fmt.Errorf("read the login in %s: %w", path, err)
	}
	return l, nil
}

// lockPause is how long a command waits before it looks again whether another one is done with the login.
const lockPause = 20 * time.Millisecond

// lockLogin keeps other commands of the person from changing the login. The lock ends with the process, however it ends.
func (s *shell) lockLogin(ctx context.Context) (unlock func(), err error) {
	path, err := s.loginFile()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the configuration directory: %w", err)
	}
	file, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // the person's own file
	if err != nil {
		return nil, fmt.Errorf("lock the login: %w", err)
	}
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = file.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.Join(fmt.Errorf("lock the login: %w", err), file.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), file.Close())
		case <-time.After(lockPause):
		}
	}
}

// saveLogin writes the login so that nobody else can read it, whole or not at all. The login must be locked.
func (s *shell) saveLogin(l login) error {
	path, err := s.loginFile()
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(l, "", "  ") //nolint:gosec // into a file that only its owner can read
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
