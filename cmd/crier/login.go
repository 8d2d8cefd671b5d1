package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/oauth2"

	"crier/client"
)

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
	if err := checkServer(server); err != nil {
		return err
	}
	config := oauthConfig(server)
	device, err := config.DeviceAuth(ctx)
	if err != nil {
		return fmt.Errorf("begin a login at %s: %w", server, err)
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
	unlock, err := s.lockLogin(ctx)
	if err != nil {
		return err
	}
	defer unlock()
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

// errLoginEnded means that the tokens of a login are worth nothing any more.
var errLoginEnded = errors.New("your login has ended: run 'crier login' again")

// renewTime bounds the exchange of a refresh token: other commands wait for it.
const renewTime = 30 * time.Second

// freshToken is the access token of the saved login, renewed when it is about to end.
func (s *shell) freshToken(ctx context.Context) (string, error) {
	l, err := s.loadLogin()
	if err != nil || s.lasts(l) {
		return l.AccessToken, err
	}
	return s.renewLogin(ctx)
}

// lasts is true while an access token is good for one more request.
func (s *shell) lasts(l login) bool { return s.now().Add(time.Minute).Before(l.ExpiresAt) }

// renewLogin exchanges the refresh token. A refresh token works once, and its second use ends the login: so only one
// command does it at a time, the others find the new pair, and the pair is saved before it is used.
func (s *shell) renewLogin(ctx context.Context) (string, error) {
	unlock, err := s.lockLogin(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	l, err := s.loadLogin()
	if err != nil || s.lasts(l) {
		return l.AccessToken, err
	}
	if l.RefreshToken == "" {
		return "", errNoLogin
	}
	ctx, cancel := context.WithTimeout(ctx, renewTime)
	defer cancel()
	config := oauthConfig(l.Server)
	token, err := config.TokenSource(ctx, &oauth2.Token{RefreshToken: l.RefreshToken}).Token()
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refused.ErrorCode == "invalid_grant" {
		return "", errLoginEnded
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
			unlock, err := s.lockLogin(cmd.Context())
			if err != nil {
				return err
			}
			defer unlock()
			l, err := s.loadLogin()
			if err != nil {
				return err
			}
			if l.RefreshToken != "" {
				if _, err := client.New(l.Server, "").RevokeToken(cmd.Context(), l.RefreshToken); err != nil {
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
