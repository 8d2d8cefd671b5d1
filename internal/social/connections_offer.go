package social

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"crier"
	"crier/internal/auth"
	"crier/internal/provider"
	"crier/internal/publish"
	"crier/internal/store"
)

// offered is a sealed account to choose.
type offered struct {
	ProviderAccountID, DisplayName, Handle, ImageURL, SubType string
	Details                                                   json.RawMessage
	Token                                                     publish.PlainToken
	// Connection is the id of the connection, whose state has changed meanwhile.
	Connection crier.ID
}

func (o offered) account() provider.ConnectedAccount {
	return provider.ConnectedAccount{
		ProviderAccountID: o.ProviderAccountID, DisplayName: o.DisplayName, Handle: o.Handle, ImageURL: o.ImageURL,
		SubType: o.SubType,
		Details: o.Details, Token: o.Token.Token(),
	}
}

// offer stores the accounts of a consent for a choice, and returns who would get them.
func (s *Connections) offer(ctx context.Context, c store.Connection, accounts []provider.ConnectedAccount,
	out *Outcome) error {
	list := make([]offered, len(accounts))
	for i, a := range accounts {
		out.Choices = append(out.Choices, Choice{ID: a.ProviderAccountID, Name: a.DisplayName, Handle: a.Handle,
			Kind: a.SubType})
		list[i] = offered{a.ProviderAccountID, a.DisplayName, a.Handle, a.ImageURL, a.SubType, a.Details,
			publish.PlainTokenOf(a.Token), connectionID(c.TeamID, c.StateHash)}
	}
	data, err := json.Marshal(list)
	if err != nil {
		return fmt.Errorf("encode the choices: %w", err)
	}
	out.State = auth.NewLinkToken()
	hash := auth.Hash(out.State)
	sealed, err := s.keys.Seal(data, ConnectionContext(hash))
	if err != nil {
		return err
	}
	return s.store.WithTx(ctx, func(tx *store.Tx) error {
		if err := s.starterMay(ctx, tx, c); err != nil {
			return err
		}
		team, err := tx.Team(ctx, c.TeamID)
		if err != nil {
			return err
		}
		organization, err := tx.Organization(ctx, c.OrganizationID)
		if err != nil {
			return err
		}
		out.Team, out.Organization = team.Name, organization.Name
		out.Destination = s.destination(c.ReturnURL)
		return tx.OfferChoices(ctx, c.StateHash, hash, sealed)
	})
}

// Choose connects the accounts that a person picked. A choice that fails leaves the others open.
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
		c, err := tx.AdvanceConnection(ctx, auth.Hash(state), network, "choosing", "done", s.clock.Now())
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
	if errors.Is(err, errStarterMayNot) {
		_, ended := s.endChoice(ctx, network, state, errStarterMayNot.Message, false)
		err = errors.Join(err, ended)
	}
	return out, err
}

// Decline ends a connection that the person in the browser declines.
func (s *Connections) Decline(ctx context.Context, network crier.Provider, state string) (Outcome, error) {
	const failure = "the connection was declined (access_denied)"
	c, err := s.endChoice(ctx, network, state, failure, true)
	return Outcome{Provider: network, Failure: failure, returnURL: c.ReturnURL}, err
}

// endChoice ends a connection at the choice of accounts: its tokens are deleted, and revoked at the network if
// possible.
func (s *Connections) endChoice(ctx context.Context, network crier.Provider, state, failure string,
	refused bool) (c store.Connection, err error) {
	err = s.store.WithTx(ctx, func(tx *store.Tx) (err error) {
		c, err = tx.AdvanceConnection(ctx, auth.Hash(state), network, "choosing", "done", s.clock.Now())
		if err != nil {
			return err
		}
		if err := tx.DeleteConnection(ctx, c.StateHash); err != nil {
			return err
		}
		list, err := s.offered(c)
		if err != nil || len(list) == 0 || list[0].Connection == "" { // started by a version that did not store it
			return err
		}
		return s.recordFailure(tx, c, list[0].Connection, failure, refused)
	})
	if err == nil {
		s.revokeOffered(ctx, c)
	}
	return c, err
}

// offered returns the accounts that a connection stores for a choice.
func (s *Connections) offered(c store.Connection) ([]offered, error) {
	data, err := s.keys.Open(c.Choices, ConnectionContext(c.StateHash))
	if err != nil {
		return nil, err
	}
	var list []offered
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("decode the choices: %w", err)
	}
	return list, nil
}

// chosen returns the offered accounts with the ids.
func (s *Connections) chosen(c store.Connection, ids []string) ([]provider.ConnectedAccount, error) {
	list, err := s.offered(c)
	if err != nil {
		return nil, err
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
