package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier"
	"crier/internal/auth"
	"crier/internal/provider"
	"crier/internal/store"
)

// connectionLife is how long a consent may take.
const connectionLife = 20 * time.Minute

// Connections lead a person from crier to a network's consent page and back to a connected account.
type Connections struct {
	*core
	publicURL string
	sandbox   bool
}

func (s *Connections) callbackURL(network crier.Provider) string {
	return s.publicURL + "/oauth/" + string(network) + "/callback"
}

// Begin returns the address of the network's consent page.
func (s *Connections) Begin(ctx context.Context, scope TeamScope, in crier.ConnectRequest) (crier.ConnectResponse, error) {
	var none crier.ConnectResponse
	if err := scope.check(); err != nil {
		return none, err
	}
	p, connector, err := s.connector(in.Provider)
	if err != nil {
		return none, err
	}
	state, verifier := auth.NewLinkToken(), auth.NewLinkToken()
	address, err := connector.ConsentURL(provider.ConsentRequest{
		RedirectURL: s.callbackURL(in.Provider), State: state, Verifier: provider.Secret(verifier),
	})
	if errors.Is(err, provider.ErrNoCredentials) {
		name := strings.ToUpper(string(in.Provider))
		return none, crier.Conflict("This installation is not known to %s yet: its operator has to set CRIER_%s_CLIENT_ID and CRIER_%s_CLIENT_SECRET.",
			p.Info().DisplayName, name, name)
	}
	if err != nil {
		return none, fmt.Errorf("make the consent address: %w", err)
	}
	hash := auth.Hash(state)
	sealed, err := s.keys.Seal([]byte(verifier), connectionContext(hash))
	if err != nil {
		return none, err
	}
	return write(ctx, s.core, func(tx *store.Tx) (crier.ConnectResponse, error) {
		expires := crier.TimeOf(s.clock().Add(connectionLife))
		err := tx.InsertConnection(ctx, store.Connection{
			StateHash: hash, TeamID: scope.team.ID, Provider: in.Provider, Verifier: sealed, ReturnURL: (*string)(in.ReturnURL), ExpiresAt: expires,
			PrincipalKind: scope.caller.kind, PrincipalID: scope.caller.id, PersonID: scope.caller.person.ID,
		})
		return crier.ConnectResponse{AuthorizationURL: address, ExpiresAt: expires}, err
	})
}

func connectionContext(hash []byte) string { return fmt.Sprintf("connection %x", hash) }

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

// Callback is what a network's redirect brought.
type Callback struct {
	Provider crier.Provider
	State    string
	Code     string
	// Error is what the network says instead of a code, such as access_denied.
	Error string
}

// Outcome is what came of a consent: accounts to choose from, accounts that are connected, or an error for the person.
type Outcome struct {
	Provider crier.Provider
	// Network is its name for people.
	Network       string
	Choices       []Choice
	Connected     []crier.SocialAccount
	MissingScopes []string
	Failure       string
	returnURL     *string
}

// Choice is an account that a person may connect.
type Choice struct {
	ID     string
	Name   string
	Handle string
	Kind   string
}

// ReturnURL is where the person's browser goes, with the outcome in its query; empty when nobody asked for it.
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

// Complete takes the redirect of a network: it exchanges the code and connects the account, or offers several to choose
// from. A state works once.
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
		out.Failure = "the network did not give its consent: " + strings.TrimSpace(in.Error)
		return out, nil
	}
	token, accounts, err := s.exchange(ctx, connector, c, in)
	if err != nil {
		failure := provider.AsError(err)
		s.log.WarnContext(ctx, "connecting failed", "provider", in.Provider, "error", err)
		out.Failure, out.MissingScopes = failure.Message, ungranted(p.Info(), token.Scopes)
		return out, nil
	}
	out.MissingScopes = missingScopes(p.Info(), accounts)
	switch len(accounts) {
	case 0:
		out.Failure = "the consent gives access to no account that can publish"
		return out, nil
	case 1:
		out.Connected, err = s.connect(ctx, c, accounts)
		return out, err
	}
	for _, a := range accounts {
		out.Choices = append(out.Choices, Choice{ID: a.ProviderAccountID, Name: a.DisplayName, Handle: a.Handle, Kind: a.SubType})
	}
	return out, s.offer(ctx, c, accounts)
}

func (s *Connections) advance(ctx context.Context, network crier.Provider, state, from, to string) (c store.Connection, err error) {
	err = s.store.WithTx(ctx, func(tx *store.Tx) error {
		c, err = tx.AdvanceConnection(ctx, auth.Hash(state), network, from, to, s.now())
		return err
	})
	return c, err
}

// exchange turns the code into a token, and asks for which accounts that is.
func (s *Connections) exchange(ctx context.Context, connector provider.Connector, c store.Connection, in Callback) (provider.Token, []provider.ConnectedAccount, error) {
	verifier, err := s.keys.Open(c.Verifier, connectionContext(c.StateHash))
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

// missingScopes are the scopes that publishing needs and the person did not grant.
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

// offered is an account to choose, as it is sealed.
type offered struct {
	ProviderAccountID, DisplayName, Handle, ImageURL, SubType string
	Details                                                   json.RawMessage
	Token                                                     sealedToken
}

func (o offered) account() provider.ConnectedAccount {
	return provider.ConnectedAccount{
		ProviderAccountID: o.ProviderAccountID, DisplayName: o.DisplayName, Handle: o.Handle, ImageURL: o.ImageURL, SubType: o.SubType,
		Details: o.Details, Token: o.Token.token(),
	}
}

func (s *Connections) offer(ctx context.Context, c store.Connection, accounts []provider.ConnectedAccount) error {
	list := make([]offered, len(accounts))
	for i, a := range accounts {
		list[i] = offered{a.ProviderAccountID, a.DisplayName, a.Handle, a.ImageURL, a.SubType, a.Details, plainToken(a.Token)}
	}
	data, err := json.Marshal(list)
	if err != nil {
		return fmt.Errorf("encode the choices: %w", err)
	}
	sealed, err := s.keys.Seal(data, connectionContext(c.StateHash))
	if err != nil {
		return err
	}
	return s.store.WithTx(ctx, func(tx *store.Tx) error { return tx.OfferChoices(ctx, c.StateHash, sealed) })
}

// Choose connects the accounts that a person picked. A choice that cannot be taken leaves the others open.
func (s *Connections) Choose(ctx context.Context, network crier.Provider, state string, ids []string) (Outcome, error) {
	out := Outcome{Provider: network}
	p, _, err := s.connector(network)
	if err != nil {
		return out, err
	}
	if len(ids) == 0 {
		return out, crier.Invalid(crier.At("choose at least one account", "account"))
	}
	err = s.store.WithTx(ctx, func(tx *store.Tx) error {
		c, err := tx.AdvanceConnection(ctx, auth.Hash(state), network, "choosing", "done", s.now())
		if err != nil {
			return err
		}
		chosen, err := s.chosen(c, ids)
		if err != nil {
			return err
		}
		out.returnURL, out.MissingScopes = c.ReturnURL, missingScopes(p.Info(), chosen)
		out.Connected, err = s.connectAll(ctx, tx, c, chosen)
		return err
	})
	return out, err
}

// chosen are those of the offered accounts that have the ids.
func (s *Connections) chosen(c store.Connection, ids []string) ([]provider.ConnectedAccount, error) {
	data, err := s.keys.Open(c.Choices, connectionContext(c.StateHash))
	if err != nil {
		return nil, err
	}
	var list []offered
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("decode the choices: %w", err)
	}
	var chosen []provider.ConnectedAccount
	for _, o := range list {
		if slices.Contains(ids, o.ProviderAccountID) {
			chosen = append(chosen, o.account())
			ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == o.ProviderAccountID })
		}
	}
	if len(ids) > 0 {
		return nil, crier.Invalid(crier.At(ids[0]+" is not one of the accounts to choose from", "account"))
	}
	return chosen, nil
}

// connect writes the only account that a consent gave.
func (s *Connections) connect(ctx context.Context, c store.Connection, accounts []provider.ConnectedAccount) (connected []crier.SocialAccount, err error) {
	err = s.store.WithTx(ctx, func(tx *store.Tx) error {
		connected, err = s.connectAll(ctx, tx, c, accounts)
		return err
	})
	return connected, err
}

// connectAll writes accounts that a consent gave. One that the team had before keeps its id, and what waits for it goes
// out.
func (s *Connections) connectAll(ctx context.Context, tx *store.Tx, c store.Connection, accounts []provider.ConnectedAccount) ([]crier.SocialAccount, error) {
	var connected []crier.SocialAccount
	for _, a := range accounts {
		account, err := s.connectOne(ctx, tx, c, a)
		if err != nil {
			return nil, err
		}
		connected = append(connected, account.SocialAccount)
	}
	return connected, s.auditConnected(ctx, tx, c, connected)
}

// auditConnected tells the audit log which accounts were connected, for who began it.
func (s *Connections) auditConnected(ctx context.Context, tx *store.Tx, c store.Connection, connected []crier.SocialAccount) error {
	if c.PrincipalID == "" { // it was under way before that was noted
		return nil
	}
	changes := struct {
		Provider         crier.Provider `json:"provider"`
		SocialAccountIDs []crier.ID     `json:"socialAccountIds"`
	}{Provider: c.Provider}
	for _, a := range connected {
		changes.SocialAccountIDs = append(changes.SocialAccountIDs, a.ID)
	}
	body, err := json.Marshal(changes)
	if err != nil {
		return fmt.Errorf("encode what was connected: %w", err)
	}
	byCaller(ctx, Caller{kind: c.PrincipalKind, id: c.PrincipalID, person: crier.User{ID: c.PersonID}}, body)
	about(ctx, c.OrganizationID, &c.TeamID)
	return s.audit(ctx, tx, nil)
}

func (s *Connections) connectOne(ctx context.Context, tx *store.Tx, c store.Connection, a provider.ConnectedAccount) (store.Account, error) {
	known, err := tx.AccountByIdentity(ctx, c.TeamID, c.Provider, a.ProviderAccountID)
	if err != nil {
		return store.Account{}, err
	}
	if known == nil {
		return s.insertAccount(ctx, tx, c.TeamID, NewAccount{Provider: c.Provider, Sandbox: s.sandbox, Account: a})
	}
	now := s.now()
	known.DisplayName, known.ProfileHandle, known.ProfileImageURL = a.DisplayName, textOrNil(a.Handle), textOrNil(a.ImageURL)
	known.AccountSubType, known.Status, known.ConnectedAt, known.DisconnectedAt = textOrNil(a.SubType), crier.AccountConnected, now, nil
	known.AccountHealthIssue, known.AccountHealthMessage, known.AccountHealthSince = nil, nil, nil
	known.Sandbox, known.UpdatedAt = s.sandbox, now
	if len(a.Details) > 0 {
		known.ProviderSettings = a.Details
	}
	if err := s.sealToken(known, a.Token); err != nil {
		return *known, err
	}
	if err := tx.UpdateAccount(ctx, *known); err != nil {
		return *known, err
	}
	return *known, s.wakeAccount(ctx, tx, known.ID)
}

// revoke takes a token back at its network, as well as that goes: the account is disconnected here in any case.
func (s *Connections) revoke(ctx context.Context, a store.Account) {
	p, ok := s.providers.Get(string(a.Provider))
	if !ok || a.Token == nil {
		return
	}
	revoker := s.providers.Features(p).Revoker
	if revoker == nil {
		return
	}
	if err := s.revokeUnlessShared(ctx, revoker, a); err != nil && !errors.Is(err, context.Canceled) {
		s.log.WarnContext(ctx, "could not revoke a token", "account", a.ID, "provider", a.Provider, "error", err)
	}
}

// revokeUnlessShared leaves a token alone that another account needs. One consent may be for several accounts, and some
// networks end every token that they gave for the same account.
func (s *Connections) revokeUnlessShared(ctx context.Context, revoker provider.Revoker, a store.Account) error {
	account := networkAccount(a)
	var err error
	if account.Token, err = s.openToken(a); err != nil {
		return err
	}
	others, err := s.store.ConnectionsBeside(ctx, a)
	if err != nil {
		return err
	}
	for _, other := range others {
		token, err := s.openToken(other)
		if err != nil {
			return err
		}
		if other.ProviderAccountID == a.ProviderAccountID || token.SharesWith(account.Token) {
			return nil
		}
	}
	return revoker.Revoke(ctx, account)
}
