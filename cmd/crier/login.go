package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/oauth2"
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

// saveLogin writes the login so that nobody else can read it, whole or not at all.
func (s *shell) saveLogin(l login) error {
	path, err := s.loginFile()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the configuration directory: %w", err)
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

// oauthConfig is the installation as an OAuth library sees it.
func oauthConfig(server string) oauth2.Config {
	name, err := os.Hostname()
	if err != nil {
		name = "a computer"
	}
	return oauth2.Config{
		ClientID: "crier on " + name,
		Endpoint: oauth2.Endpoint{
			DeviceAuthURL: server + "/v1/auth/device", TokenURL: server + "/v1/auth/token", AuthStyle: oauth2.AuthStyleInParams,
		},
	}
}

func (s *shell) loginCommand() *cobra.Command {
	var noBrowser bool
	cmd := &cobra.Command{
		Use:     "login",
		Short:   "Log in to an installation through your browser",
		Long:    "Shows a code and opens the browser, where you approve this computer. The tokens are kept in your configuration directory, for you alone.",
		Example: "  crier login\n  crier login --server https://crier.example.com",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return s.login(cmd.Context(), !noBrowser) },
	}
	cmd.Flags().BoolVar(&noBrowser, "no-browser", false, "do not open the browser")
	return cmd
}

func (s *shell) login(ctx context.Context, browser bool) error {
	server := strings.TrimRight(firstOf(s.server, s.variable("CRIER_SERVER"), defaultServer), "/")
	config := oauthConfig(server)
	device, err := config.DeviceAuth(ctx)
	if err != nil {
		return fmt.Errorf("reach %s: %w", server, err)
	}
	fmt.Fprintf(s.stderr, "Open %s\nand approve the code %s\n", device.VerificationURIComplete, device.UserCode)
	if browser && interactive(s.stdin) {
		openBrowser(ctx, device.VerificationURIComplete)
	}
	fmt.Fprintln(s.stderr, "Waiting for your approval…")
	token, err := config.DeviceAccessToken(ctx, device)
	if err != nil {
		return fmt.Errorf("log in: %w", err)
	}
	if err := s.saveLogin(login{Server: server, AccessToken: token.AccessToken, RefreshToken: token.RefreshToken, ExpiresAt: token.Expiry}); err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.stdout, "You are logged in to", server)
	return err
}

// openBrowser shows an address, as well as that goes: the address is printed anyway.
func openBrowser(ctx context.Context, address string) {
	command := "xdg-open"
	if runtime.GOOS == "darwin" {
		command = "open"
	}
	_ = exec.CommandContext(ctx, command, address).Start() //nolint:gosec // an address of the installation the person chose
}

// refreshing keeps two requests of one command from using the refresh token twice.
var refreshing sync.Mutex

// freshToken is the access token of the saved login, renewed when it is about to end. The new pair is saved before it is
// used, because the old refresh token is spent.
func (s *shell) freshToken(ctx context.Context) (string, error) {
	refreshing.Lock()
	defer refreshing.Unlock()
	l, err := s.loadLogin()
	if err != nil {
		return "", err
	}
	if s.now().Add(time.Minute).Before(l.ExpiresAt) {
		return l.AccessToken, nil
	}
	config := oauthConfig(l.Server)
	token, err := config.TokenSource(ctx, &oauth2.Token{RefreshToken: l.RefreshToken}).Token()
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refused.ErrorCode == "invalid_grant" {
		return "", fmt.Errorf("your login has ended, run 'crier login' again: %w", err)
	}
	if err != nil {
		return "", fmt.Errorf("renew the login: %w", err)
	}
	l.AccessToken, l.RefreshToken, l.ExpiresAt = token.AccessToken, token.RefreshToken, token.Expiry
	return l.AccessToken, s.saveLogin(l)
}

func (s *shell) logoutCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "logout",
		Short:   "End the login of this computer",
		Example: "  crier logout",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := s.loadLogin()
			if err != nil {
				return err
			}
			if l.RefreshToken != "" {
				if err := revoke(cmd.Context(), l); err != nil {
					fmt.Fprintln(s.stderr, "The server could not be told:", err)
				}
			}
			if err := s.saveLogin(login{Server: l.Server}); err != nil {
				return err
			}
			_, err = fmt.Fprintln(s.stdout, "You are logged out.")
			return err
		},
	}
}

func revoke(ctx context.Context, l login) error {
	form := url.Values{"token": {l.RefreshToken}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, l.Server+"/v1/auth/revoke", strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d", answer.StatusCode)
	}
	return errors.Join(err, answer.Body.Close())
}
