package social

import (
	"context"
	"errors"
	"slices"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/publish"
	"crier/internal/store"
)

// revoke revokes a token at its network if possible: the account is disconnected here in any case.
func (s *Connections) revoke(ctx context.Context, a store.Account) {
	p, ok := s.providers.Get(string(a.Provider))
	if !ok || a.Token == nil {
		return
	}
	revoker := s.providers.Features(p).Revoker
	if revoker == nil {
		return
	}
	account := publish.NetworkAccount(a)
	var err error
	if account.Token, err = s.engine.Tokens.Open(a); err == nil {
		err = s.revokeUnlessShared(ctx, revoker, a, account)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		s.log.WarnContext(ctx, "could not revoke a token", "account", a.ID, "provider", a.Provider, "error", err)
	}
}

// revokeTimeout is how long a person who declined waits for the network at most.
const revokeTimeout = 3 * time.Second

// revokeOffered revokes the tokens of a declined consent at their network if possible.
func (s *Connections) revokeOffered(ctx context.Context, c store.Connection) {
	p, ok := s.providers.Get(string(c.Provider))
	revoker := s.providers.Features(p).Revoker
	if !ok || revoker == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), revokeTimeout)
	defer cancel()
	list, err := s.offered(c)
	var revoked []provider.Token
	for _, o := range list {
		token := o.Token.Token()
		if slices.ContainsFunc(revoked, token.SharesWith) {
			continue
		}
		var unknown store.Account // it was never written
		unknown.ID, unknown.TeamID, unknown.Provider = crier.NewID(), c.TeamID, c.Provider
		unknown.ProviderAccountID = o.ProviderAccountID
		err = errors.Join(err, s.revokeUnlessShared(ctx, revoker, unknown, provider.Account{
			ProviderAccountID: o.ProviderAccountID, Handle: o.Handle, SubType: o.SubType, Details: o.Details,
			Scopes: token.Scopes, Token: token}))
		revoked = append(revoked, token)
	}
	if err != nil {
		s.log.WarnContext(ctx, "could not revoke a token that was declined", "provider", c.Provider, "error", err)
	}
}

// revokeUnlessShared does not revoke a token that another account needs. One consent may cover several accounts, and
// some networks revoke every token that they issued for the same account.
func (s *Connections) revokeUnlessShared(ctx context.Context, revoker provider.Revoker, a store.Account,
	account provider.Account) error {
	others, err := s.store.ConnectionsBeside(ctx, a)
	if err != nil {
		return err
	}
	for _, other := range others {
		token, err := s.engine.Tokens.Open(other)
		if err != nil {
			return err
		}
		if other.ProviderAccountID == a.ProviderAccountID || token.SharesWith(account.Token) {
			return nil
		}
	}
	return revoker.Revoke(ctx, account)
}
