package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

func (s *Shell) accountsCommand() *cobra.Command {
	return Group("accounts", "The social accounts that posts go to",
		"  crier accounts list\n  crier accounts connect twitter",
		s.accountsList(), s.accountsConnect(), s.accountsSwitch("enable", crier.AccountConnected),
		s.accountsSwitch("disable", crier.AccountDisabled), s.accountsDisconnect())
}

func (s *Shell) accountsList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the team's social accounts", Example: "  crier accounts list --json",
		Args: cobra.NoArgs,
		RunE: s.forTeam(func(ctx context.Context, c *client.Client, team crier.ID, _ []string) error {
			list, err := c.ListAccounts(ctx, team)
			if err != nil {
				return err
			}
			return s.Show(list, "ID\tNETWORK\tNAME\tHANDLE\tSTATUS\tHEALTH", func(w io.Writer) {
				for _, a := range list.Data {
					Row(w, a.ID, networkName(a.Provider), a.DisplayName, cmp.Or(text(a.ProfileHandle), "–"),
						a.Status, cmp.Or(text(a.AccountHealthIssue), "good"))
				}
			})
		}),
	}
}

func (s *Shell) accountsConnect() *cobra.Command {
	var noBrowser, noWait bool
	cmd := &cobra.Command{
		Use: "connect NETWORK", Short: "Connect an account in your browser and wait for the result",
		Long: "Opens the network's consent page in your browser and waits for the result.\n" +
			"With --no-browser the address can be opened on another computer; with --no-wait the command ends at " +
			"once.",
		Example: "  crier accounts connect linkedin\n  crier accounts connect twitter --no-browser",
		Args:    cobra.ExactArgs(1),
		RunE: s.forTeam(func(ctx context.Context, c *client.Client, team crier.ID, args []string) error {
			if !slices.Contains(crier.Providers(), network(args[0])) {
				return usagef("there is no network %q: use %s", args[0], strings.Join(crier.ProviderX.Enum(), ", "))
			}
			return s.connectAccount(ctx, c, team, network(args[0]), !noBrowser, !noWait)
		}),
	}
	cmd.Flags().BoolVar(&noBrowser, "no-browser", false, "do not open the browser")
	cmd.Flags().BoolVar(&noWait, "no-wait", false, "print the URL and exit")
	return completesFirst(cmd, func(context.Context) ([]cobra.Completion, error) {
		return completed(crier.Providers(), nil, func(p crier.Provider) cobra.Completion {
			return word(string(p), networkName(p))
		})
	})
}

// connectAccount starts a consent and waits for its outcome: the browser returns to this command if it runs on the same
// machine, and the server knows the account in any case.
func (s *Shell) connectAccount(ctx context.Context, c *client.Client, team crier.ID, at crier.Provider, browser,
	wait bool) error {
	before, err := c.ListAccounts(ctx, team)
	if err != nil {
		return err
	}
	in := crier.ConnectRequest{Provider: at}
	var failures *connectionFailures
	if wait {
		if failures, err = failuresFromNow(ctx, c, team); err != nil {
			return err
		}
	}
	returned := make(chan error, 1)
	if browser && wait && Interactive(s.stdin) {
		address, stop, err := awaitBrowser(ctx, returned)
		if err != nil {
			return err
		}
		defer stop()
		in.ReturnURL = (*crier.WebURL)(&address)
	}
	out, err := c.ConnectAccount(ctx, team, in)
	if err != nil {
		return err
	}
	if !wait {
		return s.Show(out, "", func(w io.Writer) {
			fmt.Fprintf(w, "Open this address and give your consent:\n%s\n", out.AuthorizationURL)
		})
	}
	fmt.Fprintf(s.stderr, "Open this address and give your consent:\n%s\n", out.AuthorizationURL)
	if browser && Interactive(s.stdin) {
		openBrowser(ctx, out.AuthorizationURL)
	}
	fmt.Fprintln(s.stderr, "Waiting for your consent…")
	failures.connection = out.ConnectionID
	connected, err := s.awaitAccounts(ctx, c, team, before.Data, out.ExpiresAt, returned, failures)
	if err != nil {
		return err
	}
	return s.Show(crier.SocialAccountList{Data: connected}, "", func(w io.Writer) {
		for _, a := range connected {
			fmt.Fprintf(w, "Connected %s: %s\n", oneLine(accountLabel(a)), a.ID)
		}
	})
}

// accountPause is the pause between two checks whether an account is connected.
const accountPause = time.Second

// awaitAccounts waits until an account is connected or reconnected.
func (s *Shell) awaitAccounts(ctx context.Context, c *client.Client, team crier.ID, before []crier.SocialAccount,
	end crier.Time, returned <-chan error, failures *connectionFailures) ([]crier.SocialAccount, error) {
	known := map[crier.ID]crier.Time{}
	for _, a := range before {
		known[a.ID] = a.ConnectedAt
	}
	back := false
	for {
		list, err := c.ListAccounts(ctx, team)
		if err != nil && !serverAway(err) {
			return nil, waitEnded(err)
		}
		connected := slices.DeleteFunc(list.Data, func(a crier.SocialAccount) bool {
			since, old := known[a.ID]
			return a.Status != crier.AccountConnected || old && since.Equal(a.ConnectedAt.Time)
		})
		if len(connected) > 0 {
			return connected, nil
		}
		if err := failures.check(ctx, c); err != nil && !serverAway(err) {
			return nil, waitEnded(err)
		}
		switch {
		case back:
			return nil, errors.New("the browser returned, but no account was connected")
		case s.now().After(end.Time):
			return nil, errors.New("the consent was not given in time: start again with 'crier accounts connect'")
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case err := <-returned:
			if err != nil {
				return nil, err
			}
			back = true
		case <-time.After(accountPause):
		}
	}
}

// serverAway reports whether a server did not answer, or failed, such as during a restart behind a proxy. Whoever waits
// for something else asks again.
func serverAway(err error) bool {
	refused, ok := errors.AsType[*client.Error](err)
	return ok && refused.Status >= http.StatusInternalServerError || is[*client.UnreachableError](err)
}

// waitEnded says what a rejected key leaves open: the connection belongs to the key, not to its secret.
func waitEnded(err error) error {
	if client.IsKind(err, crier.KindUnauthorized) {
		return fmt.Errorf("%w The consent can still be given: 'crier accounts list' shows the account then", err)
	}
	return err
}

// connectionFailures detects that a connection failed, wherever the browser is, from the events of the team.
type connectionFailures struct {
	organization, team, connection crier.ID
	after                          string
}

// failuresFromNow skips the connections that failed earlier.
func failuresFromNow(ctx context.Context, c *client.Client, team crier.ID) (*connectionFailures, error) {
	found, err := c.GetTeam(ctx, team)
	if err != nil {
		return nil, err
	}
	f := &connectionFailures{organization: found.OrganizationID, team: team}
	return f, f.check(ctx, c)
}

// check returns the failure of the awaited connection, if there is one.
func (f *connectionFailures) check(ctx context.Context, c *client.Client) error {
	for {
		page, err := c.ListEvents(ctx, f.organization, client.EventOptions{
			Types: []crier.EventType{crier.ConnectionFailedEvent}, TeamID: f.team, After: f.after})
		if client.IsKind(err, crier.KindInvalid) {
			if f.after == "" { // an older server, without such an event
				return nil
			}
			// The server no longer knows the cursor: its secret key was rotated. No other connection has this id, so
			// earlier failures do not matter.
			f.after = ""
			continue
		}
		if err != nil {
			return err
		}
		f.after = page.NextCursor
		for _, e := range page.Data {
			var failed crier.FailedConnection
			if json.Unmarshal(e.Data.Object, &failed) == nil && failed.ID == f.connection {
				return errors.New("no account was connected: " + consentFailure(failed.Message))
			}
		}
		if !page.HasMore {
			return nil
		}
	}
}

// awaitBrowser listens on this machine for the browser that returns from a consent.
func awaitBrowser(ctx context.Context, returned chan<- error) (address string, stop func(), err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("listen for the browser: %w", err)
	}
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second}
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/connected" {
			http.NotFound(w, r)
			return
		}
		var result error
		message := "Done. You can close this window."
		if refused := r.URL.Query().Get("error"); refused != "" {
			result = errors.New("no account was connected: " + consentFailure(refused))
			message = result.Error()
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html><title>crier</title><p>%s</p>\n", html.EscapeString(message))
		select {
		case returned <- result:
		default: // it returned before
		}
	})
	go func() { _ = server.Serve(listener) }() // until it is closed
	return "http://" + listener.Addr().String() + "/connected", func() { _ = server.Close() }, nil
}

// consentFailure returns why a consent failed, for people.
func consentFailure(reason string) string {
	if strings.Contains(reason, "access_denied") || strings.Contains(reason, "user_cancelled") {
		return "the consent was refused in the browser"
	}
	return reason
}

// onAccount returns a command for one account.
func (s *Shell) onAccount(use, short, example string,
	change func(ctx context.Context, c *client.Client, team, id crier.ID) (crier.SocialAccount, error)) *cobra.Command {
	cmd := &cobra.Command{
		Use: use + " ACCOUNT", Short: short, Example: example, Args: cobra.ExactArgs(1),
		RunE: s.forTeam(func(ctx context.Context, c *client.Client, team crier.ID, args []string) error {
			id, err := s.findAccount(ctx, c, team, args[0])
			if err != nil {
				return err
			}
			a, err := change(ctx, c, team, id)
			if err != nil {
				return err
			}
			return s.Show(a, "", func(w io.Writer) {
				fmt.Fprintf(w, "%s is %s.\n", oneLine(accountLabel(a)),
					a.Status)
			})
		}),
	}
	return completesFirst(cmd, s.teamWords(s.accountWords))
}

func (s *Shell) accountsSwitch(verb string, status crier.AccountStatus) *cobra.Command {
	short := map[string]string{"enable": "Enable publishing on an account again",
		"disable": "Disable publishing on an account, without disconnecting it"}[verb]
	return s.onAccount(verb, short, "  crier accounts "+verb+" @acme",
		func(ctx context.Context, c *client.Client, team, id crier.ID) (crier.SocialAccount, error) {
			return c.UpdateAccount(ctx, team, id, crier.SocialAccountUpdate{Status: string(status)})
		})
}

func (s *Shell) accountsDisconnect() *cobra.Command {
	return s.onAccount("disconnect", "End the connection of an account", "  crier accounts disconnect @acme --yes",
		func(ctx context.Context, c *client.Client, team, id crier.ID) (crier.SocialAccount, error) {
			a, err := c.GetAccount(ctx, team, id)
			if err != nil {
				return a, err
			}
			if err := s.confirm(ctx, "This disconnects %s; what is scheduled on it waits for a new connection.",
				accountLabel(a)); err != nil {
				return a, err
			}
			return c.DisconnectAccount(ctx, team, id)
		})
}
