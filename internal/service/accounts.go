package service

import (
	"context"
	"encoding/json"
	"fmt"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

// Accounts are the rules of social accounts.
type Accounts struct {
	*core
	connections *Connections
}

// List returns all accounts of a team.
func (s *Accounts) List(ctx context.Context, scope TeamScope) (crier.SocialAccountList, error) {
	out := crier.SocialAccountList{Data: []crier.SocialAccount{}}
	if err := scope.check(); err != nil {
		return out, err
	}
	accounts, err := s.store.SocialAccounts(ctx, scope.team.ID)
	if err != nil {
		return out, err
	}
	out.Data, err = s.shownAccounts(ctx, s.store, accounts)
	return out, err
}

// Get returns one account.
func (s *Accounts) Get(ctx context.Context, scope TeamScope, id crier.ID) (crier.SocialAccount, error) {
	if err := scope.check(); err != nil {
		return crier.SocialAccount{}, err
	}
	a, err := s.store.SocialAccount(ctx, scope.team.ID, id)
	if err != nil {
		return crier.SocialAccount{}, err
	}
	return s.shownAccount(ctx, s.store, a)
}

// shownAccount is one account as callers see it.
func (c *core) shownAccount(ctx context.Context, r riskReader, a store.Account) (crier.SocialAccount, error) {
	shown, err := c.shownAccounts(ctx, r, []store.Account{a})
	if err != nil {
		return crier.SocialAccount{}, err
	}
	return shown[0], nil
}

// shownAccounts are accounts as callers see them: with what they can do, and what they have to fear.
func (c *core) shownAccounts(ctx context.Context, r riskReader, accounts []store.Account) ([]crier.SocialAccount, error) {
	shown := make([]crier.SocialAccount, len(accounts))
	for i, a := range accounts {
		var err error
		if shown[i], err = c.withCapabilities(a); err != nil {
			return nil, err
		}
	}
	return shown, c.addOutlook(ctx, r, accounts, shown)
}

// withCapabilities adds what the account's network and connection can do.
func (c *core) withCapabilities(a store.Account) (crier.SocialAccount, error) {
	out := a.SocialAccount
	out.Capabilities = json.RawMessage(`{}`)
	p, ok := c.providers.Get(string(a.Provider))
	if !ok {
		return out, nil
	}
	capabilities, err := json.Marshal(c.providers.Capabilities(p, networkAccount(a)))
	if err != nil {
		return out, fmt.Errorf("encode capabilities: %w", err)
	}
	out.Capabilities = capabilities
	return out, nil
}

// networkAccount is an account as its network's client sees it, without a token.
func networkAccount(a store.Account) provider.Account {
	account := provider.Account{
		ID: a.ID, ProviderAccountID: a.ProviderAccountID, Scopes: a.Scopes, Details: a.ProviderSettings,
	}
	if a.ProfileHandle != nil {
		account.Handle = *a.ProfileHandle
	}
	if a.AccountSubType != nil {
		account.SubType = *a.AccountSubType
	}
	return account
}

// Update switches an account off, or on again. An account whose connection has ended cannot be switched on: it has to be
// connected anew.
func (s *Accounts) Update(ctx context.Context, scope TeamScope, id crier.ID, in crier.SocialAccountUpdate) (crier.SocialAccount, error) {
	return s.change(ctx, scope, id, func(a *store.Account) error {
		wanted := crier.AccountStatus(in.Status)
		switch {
		case a.Status == wanted:
		case a.Status == crier.AccountConnected || a.Status == crier.AccountDisabled:
			a.Status = wanted
		default:
			return crier.Conflict("The account is %s and cannot be switched to %s: connect it again.", a.Status, wanted)
		}
		return nil
	})
}

// Disconnect ends a connection and forgets its token. The account and what was published stay; what is scheduled waits
// for a new connection as long as the team's publishLateMinutes allow.
func (s *Accounts) Disconnect(ctx context.Context, scope TeamScope, id crier.ID) (crier.SocialAccount, error) {
	var before store.Account
	out, err := s.change(ctx, scope, id, func(a *store.Account) error {
		if before = *a; a.Status == crier.AccountDisconnected {
			return nil
		}
		now := s.now()
		a.Status, a.DisconnectedAt = crier.AccountDisconnected, &now
		a.Token, a.TokenExpiresAt, a.RefreshExpiresAt = nil, nil, nil
		return nil
	})
	if err == nil {
		s.connections.revoke(ctx, before)
	}
	return out, err
}

func (s *Accounts) change(ctx context.Context, scope TeamScope, id crier.ID, apply func(*store.Account) error) (crier.SocialAccount, error) {
	if err := scope.check(); err != nil {
		return crier.SocialAccount{}, err
	}
	return write(ctx, s.core, func(tx *store.Tx) (crier.SocialAccount, error) {
		locked, err := tx.LockAccounts(ctx, scope.team.ID, []crier.ID{id})
		if err != nil {
			return crier.SocialAccount{}, err
		}
		a, ok := locked[id]
		if !ok {
			return crier.SocialAccount{}, crier.NotFound("There is no social account %s.", id)
		}
		if err := apply(&a); err != nil {
			return crier.SocialAccount{}, err
		}
		a.UpdatedAt = s.now()
		if err := tx.UpdateAccount(ctx, a); err != nil {
			return crier.SocialAccount{}, err
		}
		if a.Status == crier.AccountConnected && locked[id].Status != crier.AccountConnected {
			if err := s.wakeAccount(ctx, tx, id); err != nil {
				return crier.SocialAccount{}, err
			}
		}
		return s.shownAccount(ctx, tx, a)
	})
}

// wakeAccount has everything that waits for an account go on.
func (c *core) wakeAccount(ctx context.Context, tx *store.Tx, id crier.ID) error {
	woken, err := tx.WakeAccount(ctx, id, c.now())
	if err != nil {
		return err
	}
	return c.queue.Enqueue(ctx, tx, wakeUps(woken)...)
}

// NewAccount is an account to be connected to a team.
type NewAccount struct {
	Provider crier.Provider
	Sandbox  bool
	Account  provider.ConnectedAccount
}

// insertAccount writes a connected account, its token sealed.
func (c *core) insertAccount(ctx context.Context, tx *store.Tx, team crier.ID, in NewAccount) (store.Account, error) {
	now := c.now()
	details := in.Account.Details
	if len(details) == 0 {
		details = json.RawMessage(`{}`)
	}
	a := store.Account{SocialAccount: crier.SocialAccount{
		ID: crier.NewID(), TeamID: team, Provider: in.Provider, ProviderAccountID: in.Account.ProviderAccountID,
		DisplayName: in.Account.DisplayName, ProfileHandle: textOrNil(in.Account.Handle), ProfileImageURL: textOrNil(in.Account.ImageURL),
		AccountSubType: textOrNil(in.Account.SubType), Status: crier.AccountConnected, Scopes: []string{}, ProviderSettings: details,
		Sandbox: in.Sandbox, ConnectedAt: now, CreatedAt: now, UpdatedAt: now,
	}}
	if err := c.sealToken(&a, in.Account.Token); err != nil {
		return a, err
	}
	return a, tx.InsertAccount(ctx, a)
}

// Providers returns what the networks of this installation can do, as data.
func (s *Accounts) Providers(_ context.Context, scope CallerScope) (crier.ProviderList, error) {
	out := crier.ProviderList{Data: []json.RawMessage{}}
	if err := scope.check(); err != nil {
		return out, err
	}
	for _, p := range s.providers.All() {
		data, err := json.Marshal(p.Info())
		if err != nil {
			return out, fmt.Errorf("encode %s: %w", p.Info().Name, err)
		}
		out.Data = append(out.Data, data)
	}
	return out, nil
}
