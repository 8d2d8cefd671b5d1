package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

// shell is what the commands share that talk to a running installation. They get no private way in: all of them go
// through the public interface.
type shell struct {
	*app
	server, token string
	team, org     string
	asJSON, yes   bool
}

// addShell adds the commands that talk to a running installation.
func (a *app) addShell(root *cobra.Command) {
	s := &shell{app: a}
	for _, cmd := range []*cobra.Command{
		s.loginCommand(), s.logoutCommand(), s.contextCommand(), s.postCommand(), s.postsCommand(), s.postsValidate(), s.slotsCommand(), s.accountsCommand(),
		s.organizationsCommand(), s.teamsCommand(), s.keysCommand(), s.membersCommand(), s.mediaCommand(), s.creditsCommand(), s.doctorCommand(), s.mcpCommand(),
	} {
		s.addFlags(cmd)
		root.AddCommand(cmd)
	}
}

func (s *shell) addFlags(cmd *cobra.Command) {
	flags := cmd.PersistentFlags()
	flags.StringVar(&s.server, "server", "", "address of the installation (environment: CRIER_SERVER; default: where you logged in, else http://127.0.0.1:8080)")
	flags.StringVar(&s.token, "token", "", "API key or access token (environment: CRIER_TOKEN; default: your login)")
	flags.StringVar(&s.team, "team", "", "id of the team (environment: CRIER_TEAM; default: your first one)")
	flags.StringVar(&s.org, "organization", "", "id of the organization (default: your first one)")
	flags.BoolVar(&s.asJSON, "json", false, "print JSON, for scripts")
	flags.BoolVarP(&s.yes, "yes", "y", false, "do not ask before changing or spending something")
}

func (a *app) variable(name string) string {
	for _, pair := range a.environ {
		if key, value, ok := strings.Cut(pair, "="); ok && key == name {
			return value
		}
	}
	return ""
}

const defaultServer = "http://127.0.0.1:8080"

// errNoLogin means that there is neither a login nor a token.
var errNoLogin = errors.New("you are not logged in: run 'crier login', or set CRIER_TOKEN to an API key")

// client connects as the flags, the environment or the saved login say.
func (s *shell) client(ctx context.Context) (*client.Client, error) {
	login, err := s.loadLogin()
	if err != nil {
		return nil, err
	}
	server := firstOf(s.server, s.variable("CRIER_SERVER"), login.Server, defaultServer)
	if err := checkServer(server); err != nil {
		return nil, err
	}
	agent := client.WithUserAgent("crier/" + version)
	if token := firstOf(s.token, s.variable("CRIER_TOKEN")); token != "" {
		return client.New(server, token, agent), nil
	}
	if login.AccessToken != "" && strings.TrimRight(server, "/") != login.Server { // a login is for its own server alone
		return nil, fmt.Errorf("you are logged in to %s, not to %s: run 'crier login --server %s', or set CRIER_TOKEN", login.Server, server, server)
	}
	if login.AccessToken == "" {
		return nil, errNoLogin
	}
	return client.New(server, "", agent, client.WithTokenSource(s.freshToken)), ctx.Err()
}

// checkServer refuses what cannot be the address of an installation.
func checkServer(server string) error {
	u, err := url.Parse(server)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("the server must be an address such as https://crier.example.com, got %q", server)
	}
	return nil
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// inTeam connects and finds the team to work in.
func (s *shell) inTeam(ctx context.Context) (*client.Client, crier.ID, error) {
	c, err := s.client(ctx)
	if err != nil {
		return nil, "", err
	}
	if given := firstOf(s.team, s.variable("CRIER_TEAM")); given != "" {
		id, ok := crier.ParseID(given)
		if !ok {
			return nil, "", fmt.Errorf("--team must be a UUID, got %q", given)
		}
		return c, id, nil
	}
	overview, err := c.AgentContext(ctx)
	if err != nil {
		return nil, "", err
	}
	if overview.DefaultTeamID == nil {
		return nil, "", errors.New("you have no team yet")
	}
	return c, *overview.DefaultTeamID, nil
}

// inOrganization connects and finds the organization to work in.
func (s *shell) inOrganization(ctx context.Context) (*client.Client, crier.ID, error) {
	c, err := s.client(ctx)
	if err != nil {
		return nil, "", err
	}
	if s.org != "" {
		id, ok := crier.ParseID(s.org)
		if !ok {
			return nil, "", fmt.Errorf("--organization must be a UUID, got %q", s.org)
		}
		return c, id, nil
	}
	overview, err := c.AgentContext(ctx)
	if err != nil {
		return nil, "", err
	}
	if overview.DefaultOrganizationID == nil {
		return nil, "", errors.New("you have no organization yet")
	}
	return c, *overview.DefaultOrganizationID, nil
}

// local is a time in the person's own zone.
func local(t crier.Time) string { return t.Local().Format("Mon 2 Jan 2006 15:04 MST") }

func localOrDash(t *crier.Time) string {
	if t == nil {
		return "–"
	}
	return local(*t)
}

var (
	// errRefused means that a person said no.
	errRefused = errors.New("nothing was changed")
	// errNobody means that there is no person to ask.
	errNobody = errors.New("nobody is there to ask: add --yes to go ahead")
	// errInterrupted means that a person ended the command while they were asked.
	errInterrupted = errors.New("interrupted: nothing was changed")
)

// confirm tells what will happen and asks, unless --yes was given. Without a person to ask it refuses.
func (s *shell) confirm(ctx context.Context, format string, args ...any) error {
	if s.yes {
		return nil
	}
	fmt.Fprintln(s.stderr, printable(fmt.Sprintf(format, args...)))
	person, done, err := s.person()
	if err != nil {
		return err
	}
	defer done()
	fmt.Fprint(s.stderr, "Go ahead? [y/N] ")
	answer, err := readLine(ctx, person)
	if err != nil {
		return err
	}
	if a := strings.ToLower(strings.TrimSpace(answer)); a != "y" && a != "yes" {
		return errRefused
	}
	return nil
}

// somebody refuses at once what could not be asked for later, before anything is done that would have to be undone.
func (s *shell) somebody() error {
	if s.yes {
		return nil
	}
	_, done, err := s.person()
	if err == nil {
		done()
	}
	return err
}

// person is who can be asked: at the standard input, or at the terminal when a text is piped in.
func (s *shell) person() (r io.Reader, done func(), err error) {
	if interactive(s.stdin) {
		return s.stdin, func() {}, nil
	}
	terminal, err := os.Open("/dev/tty")
	if err != nil {
		return nil, nil, errNobody
	}
	return terminal, func() { _ = terminal.Close() }, nil // it was only read
}

// readLine reads what a person types. Reading from a terminal cannot be stopped, so an interrupted command leaves it behind.
func readLine(ctx context.Context, person io.Reader) (string, error) {
	type line struct {
		text string
		err  error
	}
	typed := make(chan line, 1)
	go func() {
		text, err := bufio.NewReader(person).ReadString('\n')
		typed <- line{text, err}
	}()
	select {
	case <-ctx.Done():
		return "", errInterrupted
	case l := <-typed:
		if l.err != nil && !errors.Is(l.err, io.EOF) {
			return "", fmt.Errorf("read the answer: %w", l.err)
		}
		return l.text, nil
	}
}

// interactive is true when a person sits at the other end.
func interactive(end any) bool {
	f, ok := end.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// parseWhen reads a time as people write it: RFC 3339, a date and time in their zone, or a duration from now.
func parseWhen(text string, now time.Time) (crier.Time, error) {
	if t, err := crier.ParseTime(text); err == nil {
		return t, nil
	}
	for _, layout := range []string{"2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02 15:04:05"} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return crier.TimeOf(t), nil
		}
	}
	if d, err := time.ParseDuration(strings.TrimPrefix(text, "in ")); err == nil {
		return crier.TimeOf(now.Add(d)), nil
	}
	return crier.Time{}, fmt.Errorf("%q is not a time: write 2026-11-15T09:00:00Z, \"2026-11-15 09:00\" in your zone, or a duration such as 2h30m", text)
}
