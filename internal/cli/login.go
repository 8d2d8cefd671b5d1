package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

func (s *Shell) loginCommand() *cobra.Command {
	var noBrowser bool
	cmd := &cobra.Command{
		Use:   "login",
		Short: "Log in to an installation in your browser",
		Long: "Shows a code and opens the browser, where you approve this computer. The tokens are stored in " +
			"your configuration directory, readable only by you.\n" +
			"Without --server it goes to CRIER_SERVER, else to where you logged in last, else to " + defaultServer +
			".\n" +
			"You can be logged in to several servers, and as several people: see 'crier auth'.",
		Example: "  crier login\n  crier login --server https://crier.example.com",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return s.login(cmd.Context(), !noBrowser) },
	}
	cmd.Flags().BoolVar(&noBrowser, "no-browser", false, "do not open the browser")
	return cmd
}

func (s *Shell) authCommand() *cobra.Command {
	return Group("auth", "The logins of this computer",
		"  crier auth list\n  crier auth switch https://crier.example.com",
		s.authList(), s.authSwitch(), s.loginCommand(), s.logoutCommand())
}

// noVariable fails where a saved login would have no effect: a token in the environment overrides every login.
func (s *Shell) noVariable(to string) error {
	if s.token != "" {
		return usagef("--token applies to one command only; set CRIER_TOKEN for all of them")
	}
	if s.variable("CRIER_TOKEN") == "" {
		return nil
	}
	return fmt.Errorf("CRIER_TOKEN is set, and commands use it instead of a login: to %s, first clear it with "+
		"'unset CRIER_TOKEN'", to)
}

func (s *Shell) login(ctx context.Context, browser bool) error {
	if err := s.noVariable("log in"); err != nil {
		return err
	}
	saved, err := s.loadLogins()
	if err != nil {
		return err
	}
	server := cmp.Or(s.requestedServer(), saved.server(), defaultServer)
	if err := checkServer(server); err != nil {
		return err
	}
	device, err := os.Hostname()
	if err != nil {
		device = "a computer"
	}
	c := client.New(server, "", client.WithUserAgent("crier/"+s.version))
	code, err := c.BeginDeviceLogin(ctx, "crier on "+device)
	if is[*client.UnreachableError](err) { // the error names the server
		return err
	}
	if err != nil {
		return fmt.Errorf("start a login at %s: %w", server, err)
	}
	fmt.Fprintf(s.stderr, "Open %s\nand approve the code %s\n", code.VerificationURIComplete, code.UserCode)
	if browser && Interactive(s.stdin) {
		openBrowser(ctx, code.VerificationURIComplete)
	}
	fmt.Fprintln(s.stderr, "Waiting for your approval…")
	tokens, err := s.awaitApproval(ctx, c, code)
	if err != nil {
		return err
	}
	l := s.newLogin(server, tokens)
	if who, err := client.New(server, l.AccessToken).AgentContext(ctx); err == nil && who.User != nil {
		l.Person = cmp.Or(text(who.User.Email), who.User.Name)
	}
	if err := s.changeLogins(ctx, func(saved *logins) error { saved.add(l); return nil }); err != nil {
		return err
	}
	return s.Show(loginEntry{Server: l.Server, Person: l.Person, Current: true}, "", func(w io.Writer) {
		fmt.Fprintf(w, "You are logged in to %s%s.\n", l.Server, prefixed(" as ", l.Person))
	})
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

func (s *Shell) newLogin(server string, tokens crier.BearerTokens) login {
	return login{Server: server, AccessToken: tokens.AccessToken, RefreshToken: tokens.RefreshToken,
		ExpiresAt: s.now().Add(time.Duration(tokens.ExpiresIn) * time.Second)}
}

var (
	errLoginRefused = errors.New("the login was refused in the browser")
	errLoginLate    = errors.New("the code expired before it was approved: run 'crier login' again")
)

// slower is the additional pause when a server asks to slow down (RFC 8628, section 3.5).
const slower = 5 * time.Second

// awaitApproval polls for the tokens until the person has decided. It retries while the server is briefly unavailable.
func (s *Shell) awaitApproval(ctx context.Context, c *client.Client, code crier.DeviceCode) (crier.BearerTokens,
	error) {
	pause := max(time.Duration(code.Interval)*time.Second, 100*time.Millisecond)
	end := s.now().Add(time.Duration(code.ExpiresIn) * time.Second)
	for {
		select {
		case <-ctx.Done():
			return crier.BearerTokens{}, ctx.Err()
		case <-time.After(pause):
		}
		tokens, err := c.RedeemDeviceCode(ctx, code.DeviceCode)
		known, refused := errors.AsType[*crier.OAuthError](err)
		switch {
		case err == nil:
			return tokens, nil
		case ctx.Err() != nil:
			return tokens, ctx.Err()
		case refused && known.Code == "authorization_pending", unavailable(err):
		case refused && known.Code == "slow_down":
			pause += slower
		case refused && known.Code == "access_denied":
			return tokens, errLoginRefused
		case refused && known.Code == "expired_token":
			return tokens, errLoginLate
		case refused:
			return tokens, fmt.Errorf("the server refuses the login: %s", cmp.Or(known.Description, known.Code))
		default:
			return tokens, err
		}
		if s.now().After(end) {
			return tokens, errLoginLate
		}
	}
}

// unavailable reports whether the server, or a proxy for it, is unavailable, as during a restart.
func unavailable(err error) bool {
	known, ok := errors.AsType[*client.Error](err)
	return is[*client.UnreachableError](err) ||
		ok && (known.Status >= http.StatusInternalServerError || known.Status == http.StatusTooManyRequests)
}

// openBrowser tries to open an address in the browser; the address is printed anyway.
func openBrowser(ctx context.Context, address string) {
	command, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		command = "open"
	case "windows":
		command, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	_ = exec.CommandContext(ctx, command, args...).Start() //nolint:gosec // an address of the person's own server
}

// errLoginEnded means that the tokens of a login are no longer valid.
var errLoginEnded = errors.New("your login has expired: run 'crier login' again")

// renewTime limits the exchange of a refresh token: other commands wait for it.
const renewTime = 30 * time.Second

// freshToken returns the access token of a saved login, refreshed if it is about to expire.
func (s *Shell) freshToken(ctx context.Context, name string) (string, error) {
	saved, err := s.loadLogins()
	if err != nil {
		return "", err
	}
	if l, ok := saved.find(name); ok && s.lasts(l) {
		return l.AccessToken, nil
	}
	var token string
	err = s.changeLogins(ctx, func(saved *logins) error {
		l, err := s.renew(ctx, saved, name)
		token = l.AccessToken
		return err
	})
	return token, err
}

// lasts reports whether an access token is valid for one more request.
func (s *Shell) lasts(l login) bool { return s.now().Add(time.Minute).Before(l.ExpiresAt) }

// renew exchanges the refresh token. A refresh token works once, and its second use ends the login: so only one command
// does it at a time, the others read the new pair, and the pair is saved before it is used.
func (s *Shell) renew(ctx context.Context, saved *logins, name string) (login, error) {
	l, ok := saved.find(name)
	if !ok || l.RefreshToken == "" {
		return l, errNoLogin
	}
	if s.lasts(l) {
		return l, nil
	}
	ctx, cancel := context.WithTimeout(ctx, renewTime)
	defer cancel()
	tokens, err := client.New(l.Server, "").RefreshTokens(ctx, l.RefreshToken)
	if refused, ok := errors.AsType[*crier.OAuthError](err); ok && refused.Code == "invalid_grant" {
		return l, errLoginEnded
	}
	if err != nil {
		return l, fmt.Errorf("renew the login: %w", err)
	}
	renewed := s.newLogin(l.Server, tokens)
	renewed.Person = l.Person
	for i := range saved.Logins {
		if saved.Logins[i].name() == name {
			saved.Logins[i] = renewed
		}
	}
	return renewed, nil
}

// changeLogins changes the saved logins under the lock.
func (s *Shell) changeLogins(ctx context.Context, change func(*logins) error) error {
	unlock, err := s.lockLogin(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	saved, err := s.loadLogins()
	if err != nil {
		return err
	}
	if err := change(&saved); err != nil {
		return err
	}
	return s.saveLogins(saved)
}

func (s *Shell) logoutCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "logout",
		Short: "Log out and revoke the login",
		Long: "Removes the current login, or that of --server, and revokes it on the server if it can be " +
			"reached. A token in CRIER_TOKEN is not a login: it works until it is unset.",
		Example: "  crier logout\n  crier logout --server https://crier.example.com",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return s.logout(cmd.Context()) },
	}
}

func (s *Shell) logout(ctx context.Context) error {
	if err := s.noVariable("log out"); err != nil {
		return err
	}
	var ended login
	err := s.changeLogins(ctx, func(saved *logins) error {
		l, ok := saved.forServer(cmp.Or(s.requestedServer(), saved.server()))
		if !ok {
			return errNoLogin
		}
		if _, err := client.New(l.Server, "").RevokeToken(ctx, l.RefreshToken); err != nil {
			fmt.Fprintln(s.stderr, "The login could not be revoked on the server:", ErrorText(err))
		}
		saved.drop(l.name())
		ended = l
		return nil
	})
	if err != nil {
		return err
	}
	return s.Show(loginEntry{Server: ended.Server, Person: ended.Person}, "", func(w io.Writer) {
		fmt.Fprintf(w, "You are logged out of %s.\n", ended.Server)
	})
}

// loginEntry is a login without its tokens.
type loginEntry struct {
	Server  string `json:"server"`
	Person  string `json:"person"`
	Current bool   `json:"current"`
}

func (k logins) list() []loginEntry {
	list := make([]loginEntry, len(k.Logins))
	for i, l := range k.Logins {
		list[i] = loginEntry{Server: l.Server, Person: l.Person, Current: l.name() == k.Current}
	}
	return list
}

func (s *Shell) authList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the logins of this computer", Example: "  crier auth list", Args: cobra.NoArgs,
		SuggestFor: []string{"status"},
		RunE: func(*cobra.Command, []string) error {
			saved, err := s.loadLogins()
			if err != nil {
				return err
			}
			if s.variable("CRIER_TOKEN") != "" {
				fmt.Fprintln(s.stderr, "CRIER_TOKEN is set: commands use it instead of a login.")
			}
			header := "IN USE\tSERVER\tPERSON"
			if len(saved.list()) == 0 {
				header = "There is no login: run 'crier login'."
			}
			return s.Show(saved.list(), header, func(w io.Writer) {
				for _, l := range saved.list() {
					mark := ""
					if l.Current {
						mark = "*"
					}
					Row(w, mark, l.Server, l.Person)
				}
			})
		},
	}
}

func (s *Shell) authSwitch() *cobra.Command {
	cmd := &cobra.Command{
		Use: "switch [SERVER | PERSON]", Short: "Choose the login that commands use", Args: cobra.MaximumNArgs(1),
		Long: "Selects the login that commands use. Without a name it switches between two logins.",
		Example: "  crier auth switch\n  crier auth switch https://crier.example.com\n  crier auth switch " +
			"ada@example.com",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.noVariable("switch to a login"); err != nil {
				return err
			}
			var chosen login
			err := s.changeLogins(cmd.Context(), func(saved *logins) error {
				var err error
				if chosen, err = saved.choose(args); err == nil {
					saved.Current, saved.LastServer = chosen.name(), chosen.Server
				}
				return err
			})
			if err != nil {
				return err
			}
			return s.Show(loginEntry{Server: chosen.Server, Person: chosen.Person, Current: true}, "",
				func(w io.Writer) {
					fmt.Fprintf(w, "Commands use the login at %s%s.\n", chosen.Server, prefixed(" as ", chosen.Person))
				})
		},
	}
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		saved, _ := s.loadLogins() // otherwise there is nothing to complete
		var words []cobra.Completion
		for _, l := range saved.Logins {
			words = append(words, cobra.CompletionWithDesc(l.Server, l.Person))
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
}

// choose returns the login with a name; without a name, the one of two that is not in use.
func (k logins) choose(args []string) (login, error) {
	var fit []login
	for _, l := range k.Logins {
		if len(args) == 0 && l.name() != k.Current ||
			len(args) == 1 && (strings.TrimRight(args[0], "/") == l.Server || strings.EqualFold(args[0], l.Person) ||
				args[0] == l.name()) {
			fit = append(fit, l)
		}
	}
	switch {
	case len(k.Logins) == 0:
		return login{}, errNoLogin
	case len(fit) == 1:
		return fit[0], nil
	case len(fit) == 0 && len(args) == 0:
		return login{}, usagef("there is only one login; 'crier login --server ADDRESS' adds another")
	case len(fit) == 0:
		return login{}, &missingError{text: fmt.Sprintf("there is no login %q; 'crier auth list' shows them", args[0])}
	}
	lines := make([]string, len(fit))
	for i, l := range fit {
		lines[i] = "  crier auth switch \"" + l.name() + "\""
	}
	return login{}, usagef("choose one of these:\n%s", strings.Join(lines, "\n"))
}
