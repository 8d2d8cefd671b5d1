package social

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/auth"
	"crier/internal/events"
	"crier/internal/job"
	"crier/internal/provider"
	"crier/internal/publish"
	"crier/internal/store"
)

// connectionLife is how long a consent may take.
const connectionLife = 20 * time.Minute

// Connections implements connecting accounts: from the network's consent page to a connected account.
type Connections struct {
	store     *store.Store
	writes    *access.Idempotency
	keys      *auth.Keyring
	providers *provider.Registry
	engine    *publish.Engine
	queue     job.Queue
	views     *Views
	clock     crier.Clock
	log       *slog.Logger
	publicURL string
	sandbox   bool
}

func (s *Connections) callbackURL(network crier.Provider) string {
	return s.publicURL + "/oauth/" + string(network) + "/callback"
}

// Start returns the URL of the network's consent page.
func (s *Connections) Start(ctx context.Context, scope access.TeamScope,
	in crier.ConnectRequest) (crier.ConnectResponse,
	error) {
	var none crier.ConnectResponse
	if err := scope.Check(); err != nil {
		return none, err
	}
	p, connector, err := s.connector(in.Provider)
	if err != nil {
		return none, err
	}
	if err := s.mayReturn(ctx, scope.Team().OrganizationID, in.ReturnURL); err != nil {
		return none, err
	}
	state, verifier := auth.NewLinkToken(), auth.NewLinkToken()
	address, err := connector.ConsentURL(provider.ConsentRequest{
		RedirectURL: s.callbackURL(in.Provider), State: state, Verifier: provider.Secret(verifier),
	})
	if errors.Is(err, provider.ErrNoCredentials) {
		name := strings.ToUpper(string(in.Provider))
		return none, crier.Conflict("This installation has no app at %s yet: its operator has to set "+
			"CRIER_%s_CLIENT_ID and CRIER_%s_CLIENT_SECRET.",
			p.Info().DisplayName, name, name)
	}
	if err != nil {
		return none, fmt.Errorf("make the consent address: %w", err)
	}
	hash := auth.Hash(state)
	sealed, err := s.keys.Seal([]byte(verifier), ConnectionContext(hash))
	if err != nil {
		return none, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.ConnectResponse, error) {
		expires := crier.TimeOf(s.clock().Add(connectionLife))
		err := tx.InsertConnection(ctx, store.Connection{
			StateHash: hash, TeamID: scope.Team().ID, Provider: in.Provider, Verifier: sealed,
			ReturnURL: (*string)(in.ReturnURL), ExpiresAt: expires,
			PrincipalKind: scope.Caller().Kind(), PrincipalID: scope.Caller().ID(),
			PersonID: scope.Caller().Person().ID,
		})
		return crier.ConnectResponse{ConnectionID: connectionID(scope.Team().ID, hash), AuthorizationURL: address,
			ExpiresAt: expires}, err
	})
}

// mayReturn rejects URLs that a browser must not be redirected to: a person who follows a consent URL trusts crier, not
// the site that it ends at.
func (s *Connections) mayReturn(ctx context.Context, organization crier.ID, to *crier.WebURL) error {
	if to == nil {
		return nil
	}
	u, err := url.Parse(string(*to))
	if err != nil {
		return crier.Invalid(crier.At("must be an address", "returnUrl"))
	}
	origin := crier.OriginOf(u)
	if origin == crier.Origin(s.publicURL).Canonical() {
		return nil
	}
	if !crier.Protected(u) {
		return crier.Invalid(crier.At("must be an https address, or http on this machine", "returnUrl"))
	}
	o, err := s.store.Organization(ctx, organization)
	if err != nil || len(o.ReturnOrigins) == 0 || slices.Contains(o.ReturnOrigins, origin) {
		return err
	}
	return crier.Invalid(crier.At(fmt.Sprintf("leads to %s, which is neither crier's own address nor one of the "+
		"organization's returnOrigins", origin), "returnUrl"))
}

// destination returns the host of a URL that is not crier's own.
func (s *Connections) destination(address *string) string {
	if address == nil {
		return ""
	}
	u, err := url.Parse(*address)
	if err != nil || crier.OriginOf(u) == crier.Origin(s.publicURL).Canonical() {
		return ""
	}
	return u.Host
}

// ConnectionContext is what the secrets of a connection in progress are sealed for.
func ConnectionContext(hash []byte) string { return fmt.Sprintf("connection %x", hash) }

// connectionID returns the id of a connection for the caller who started it. It reveals nothing about the state.
func connectionID(team crier.ID, hash []byte) crier.ID {
	return crier.DerivedID(team, ConnectionContext(hash))
}

func (s *Connections) connector(network crier.Provider) (provider.Provider, provider.Connector, error) {
	p, ok := s.providers.Get(string(network))
	if !ok {
		return nil, nil, crier.Conflict("This installation has no client for %s.", network)
	}
	connector := s.providers.Features(p).Connector
	if connector == nil {
		return nil, nil, crier.Conflict("Accounts of %s cannot be connected by consent.", network)
	}
	return p, connector, nil
}

// Callback holds the parameters of a network's redirect.
type Callback struct {
	Provider crier.Provider
	State    string
	Code     string
	// Error is the network's error instead of a code, such as access_denied.
	Error string
	// Person is the person signed in in the redirected browser; empty if nobody is.
	Person crier.ID
}

// Outcome is the outcome of a consent: accounts to choose from, connected accounts, or an error for the person.
type Outcome struct {
	Provider crier.Provider
	// Network is its display name.
	Network string
	// Organization and Team are the names of the owners of the accounts, shown to the person who confirms.
	Organization, Team string
	// Destination is the site that the browser is redirected to afterwards; empty for crier itself.
	Destination string
	Choices     []Choice
	// State is the token of the confirmation. Only the browser that returned from the network gets it.
	State         string
	Connected     []crier.SocialAccount
	MissingScopes []string
	Failure       string
	returnURL     *string
}

// Choice is an account that a person can connect.
type Choice struct {
	ID     string
	Name   string
	Handle string
	Kind   string
}

// ReturnURL returns the URL to redirect the browser to, with the outcome in its query; empty if none was requested.
func (o Outcome) ReturnURL() string {
	if o.returnURL == nil {
		return ""
	}
	u, err := url.Parse(*o.returnURL)
	if err != nil {
		return ""
	}
	q := u.Query()
	ids := make([]string, len(o.Connected))
	for i, a := range o.Connected {
		ids[i] = string(a.ID)
	}
	if o.Failure != "" {
		q.Set("error", o.Failure)
	} else {
		q.Set("socialAccountIds", strings.Join(ids, ","))
	}
	if len(o.MissingScopes) > 0 {
		q.Set("missingScopes", strings.Join(o.MissingScopes, ","))
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// Complete handles the redirect of a network and exchanges the code. The only account of a consent is connected at once
// if the person who started the connection is the one in the browser. Everybody else is shown which team would get the
// accounts, and confirms or declines: the URL of a consent page can be sent to anybody. A state works once.
func (s *Connections) Complete(ctx context.Context, in Callback) (Outcome, error) {
	out := Outcome{Provider: in.Provider}
	p, connector, err := s.connector(in.Provider)
	if err != nil {
		return out, err
	}
	out.Network = p.Info().DisplayName
	c, err := s.advance(ctx, in.Provider, in.State, "waiting", "exchanging")
	if err != nil {
		return out, err
	}
	out.returnURL = c.ReturnURL
	if in.Error != "" || in.Code == "" {
		refused := isRefusal(in.Error)
		out.Failure = "the network did not give its consent: " + strings.TrimSpace(in.Error)
		if refused {
			out.Failure = fmt.Sprintf("the consent was refused at %s (%s)", out.Network, strings.TrimSpace(in.Error))
		}
		return out, s.fail(ctx, c, out.Failure, refused)
	}
	token, accounts, err := s.exchange(ctx, connector, c, in)
	if err != nil {
		failure := provider.AsError(err)
		s.log.WarnContext(ctx, "connecting failed", "provider", in.Provider, "error", err)
		out.Failure, out.MissingScopes = failure.Message, ungranted(p.Info(), token.Scopes)
		return out, s.fail(ctx, c, out.Failure, false)
	}
	out.MissingScopes = missingScopes(p.Info(), accounts)
	switch {
	case len(accounts) == 0:
		out.Failure = "the consent gives access to no account that can publish"
		return out, s.fail(ctx, c, out.Failure, false)
	case len(accounts) == 1 && wasStartedBy(c, in.Person):
		out.Connected, err = s.connect(ctx, c, accounts)
	default:
		err = s.offer(ctx, c, accounts, &out)
	}
	if errors.Is(err, errStarterMayNot) {
		err = errors.Join(err, s.fail(ctx, c, errStarterMayNot.Message, false))
	}
	return out, err
}

// isRefusal reports whether a network's error means that the person declined.
func isRefusal(reason string) bool {
	return slices.Contains([]string{"access_denied", "user_cancelled_login", "user_cancelled_authorize"},
		strings.TrimSpace(reason))
}

// fail ends a connection that failed, and notifies its waiting caller.
func (s *Connections) fail(ctx context.Context, c store.Connection, message string, refused bool) error {
	return s.store.WithTx(ctx, func(tx *store.Tx) error {
		if err := tx.DeleteConnection(ctx, c.StateHash); err != nil {
			return err
		}
		return s.recordFailure(tx, c, connectionID(c.TeamID, c.StateHash), message, refused)
	})
}

func (s *Connections) recordFailure(tx *store.Tx, c store.Connection, id crier.ID, message string,
	refused bool) error {
	return events.Record(tx, s.clock.Now(), events.Fact{Type: crier.ConnectionFailedEvent, TeamID: &c.TeamID,
		Object: crier.FailedConnection{ID: id, Provider: c.Provider, Refused: refused, Message: message}})
}

// wasStartedBy reports whether a person started a connection. A connection started by a key counts for no person, not
// even its creator, because other people and programs hold the key.
func wasStartedBy(c store.Connection, person crier.ID) bool {
	return person != "" && c.PrincipalKind == store.UserPrincipal && c.PrincipalID == person
}

func (s *Connections) advance(ctx context.Context, network crier.Provider, state, from, to string) (c store.Connection,
	err error) {
	err = s.store.WithTx(ctx, func(tx *store.Tx) error {
		c, err = tx.AdvanceConnection(ctx, auth.Hash(state), network, from, to, s.clock.Now())
		return err
	})
	return c, err
}

// exchange exchanges the code for a token and lists its accounts.
func (s *Connections) exchange(ctx context.Context, connector provider.Connector, c store.Connection,
	in Callback) (provider.Token, []provider.ConnectedAccount, error) {
	verifier, err := s.keys.Open(c.Verifier, ConnectionContext(c.StateHash))
	if err != nil {
		return provider.Token{}, nil, err
	}
	token, err := connector.Exchange(ctx, provider.CodeExchange{
		Code: provider.Secret(in.Code), RedirectURL: s.callbackURL(in.Provider), Verifier: provider.Secret(verifier),
	})
	if err != nil {
		return token, nil, err
	}
	accounts, err := connector.Accounts(ctx, token)
	for i := range accounts {
		if accounts[i].Token.Access == "" {
			accounts[i].Token = token
		}
	}
	return token, accounts, err
}

// missingScopes returns the scopes that publishing needs and the person did not grant.
func missingScopes(info provider.Info, accounts []provider.ConnectedAccount) []string {
	var missing []string
	for _, a := range accounts {
		for _, scope := range ungranted(info, a.Token.Scopes) {
			if !slices.Contains(missing, scope) {
				missing = append(missing, scope)
			}
		}
	}
	return missing
}
