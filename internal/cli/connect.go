package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"crier"
	"crier/client"
)

const defaultServer = "http://127.0.0.1:8080"

// noLoginError is errNoLogin for a server that was named explicitly.
type noLoginError struct{ server string }

func (e *noLoginError) Error() string {
	if e.server == defaultServer {
		return errNoLogin.Error()
	}
	return fmt.Sprintf("you are not logged in: run 'crier login --server %s', or set CRIER_TOKEN to an API key",
		e.server)
}

func (*noLoginError) Is(target error) bool { return target == errNoLogin }

// errNoLogin means that there is neither a login nor a token.
var errNoLogin = errors.New("you are not logged in: run 'crier login', or set CRIER_TOKEN to an API key")

// OtherServerError means that there is no login for the requested server, but one for another.
type OtherServerError struct{ requested, saved string }

// Error says what to do.
func (e *OtherServerError) Error() string {
	return fmt.Sprintf("you are logged in to %s, not to %s: run 'crier login --server %s', or set CRIER_TOKEN", e.saved,
		e.requested, e.requested)
}

// requestedServer returns the server given by flag or environment.
func (s *Shell) requestedServer() string {
	return strings.TrimRight(cmp.Or(s.server, s.variable("CRIER_SERVER")), "/")
}

// Choice says how a server was chosen.
type Choice int

// The ways in which a server is chosen.
const (
	ChosenByDefault Choice = iota
	ChosenByLogin
	ChosenByVariable
	ChosenByFlag
)

// Server returns the address that commands use, and how it was chosen.
func (s *Shell) Server() (address string, by Choice) {
	switch server := s.requestedServer(); {
	case s.server != "":
		return server, ChosenByFlag
	case server != "":
		return server, ChosenByVariable
	}
	if saved, err := s.loadLogins(); err == nil && saved.Current != "" {
		return saved.server(), ChosenByLogin
	}
	return defaultServer, ChosenByDefault
}

// Connect returns a client configured by flags, environment or saved logins.
func (s *Shell) Connect(context.Context) (*client.Client, error) {
	saved, err := s.loadLogins()
	if err != nil {
		return nil, err
	}
	server := cmp.Or(s.requestedServer(), saved.server(), defaultServer)
	if err := checkServer(server); err != nil {
		return nil, err
	}
	agent, waiting := client.WithUserAgent("crier/"+s.version), client.WithWaiting(s.reportWait)
	if token := cmp.Or(s.token, s.variable("CRIER_TOKEN")); token != "" {
		return client.New(server, token, agent, waiting), nil
	}
	l, ok := saved.forServer(server)
	if !ok && len(saved.Logins) > 0 { // a login is valid for its own server only
		return nil, &OtherServerError{requested: server, saved: saved.servers()}
	}
	if !ok {
		return nil, &noLoginError{server: server}
	}
	return client.New(server, "", agent, waiting, client.WithTokenSource(func(ctx context.Context) (string, error) {
		return s.freshToken(ctx, l.name())
	})), nil
}

// reportWait prints why the command waits.
func (s *Shell) reportWait(wait time.Duration, why error) {
	if client.IsKind(why, crier.KindTooManyRequests) {
		fmt.Fprintf(s.stderr, "Too many requests: the server asks to wait %s…\n", span(wait))
		return
	}
	fmt.Fprintf(s.stderr, "The server does not answer; trying again in %s…\n", span(wait))
}

// checkServer rejects addresses that cannot be an installation's.
func checkServer(server string) error {
	u, err := url.Parse(server)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return usagef("the server must be an address such as https://crier.example.com, got %q", server)
	}
	return nil
}

// inTeam connects and determines the team.
func (s *Shell) inTeam(ctx context.Context) (*client.Client, crier.ID, error) {
	c, err := s.Connect(ctx)
	if err != nil {
		return nil, "", err
	}
	given := s.team
	if s.org == "" { // a flag overrides the environment
		given = cmp.Or(given, s.variable("CRIER_TEAM"))
	}
	if given != "" {
		id, err := s.findTeam(ctx, c, given)
		return c, id, err
	}
	overview, err := c.AgentContext(ctx)
	if err != nil {
		return nil, "", err
	}
	if s.org != "" { // the first team of the given organization
		org, err := s.findOrganization(ctx, c, s.org)
		if err != nil {
			return nil, "", err
		}
		for _, t := range overview.Teams {
			if t.OrganizationID == org {
				return c, t.ID, nil
			}
		}
		return nil, "", &missingError{text: fmt.Sprintf("you have no team in the organization %s", s.org)}
	}
	if overview.DefaultTeamID == nil {
		return nil, "", errors.New("you have no team yet: create one with 'crier teams create NAME'")
	}
	return c, *overview.DefaultTeamID, nil
}

// inOrganization connects and determines the organization.
func (s *Shell) inOrganization(ctx context.Context) (*client.Client, crier.ID, error) {
	c, err := s.Connect(ctx)
	if err != nil {
		return nil, "", err
	}
	if s.org != "" {
		id, err := s.findOrganization(ctx, c, s.org)
		return c, id, err
	}
	overview, err := c.AgentContext(ctx)
	if err != nil {
		return nil, "", err
	}
	if given := cmp.Or(s.team, s.variable("CRIER_TEAM")); given != "" { // the organization of the given team
		team, err := s.findTeam(ctx, c, given)
		if err != nil {
			return nil, "", err
		}
		for _, t := range overview.Teams {
			if t.ID == team {
				return c, t.OrganizationID, nil
			}
		}
	}
	if overview.DefaultOrganizationID == nil {
		return nil, "", errors.New("you have no organization yet: create one with 'crier orgs create NAME'")
	}
	return c, *overview.DefaultOrganizationID, nil
}
