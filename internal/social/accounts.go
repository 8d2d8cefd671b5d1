package social

import (
	"context"
	"encoding/json"
	"fmt"

	"crier"
	"crier/internal/access"
	"crier/internal/events"
	"crier/internal/provider"
	"crier/internal/publish"
	"crier/internal/store"
)

// Accounts implements social accounts.
type Accounts struct {
	store       *store.Store
	writes      *access.Idempotency
	providers   *provider.Registry
	engine      *publish.Engine
	views       *Views
	clock       crier.Clock
	connections *Connections
}

// List returns all accounts of a team.
func (s *Accounts) List(ctx context.Context, scope access.TeamScope) (crier.SocialAccountList, error) {
	out := crier.SocialAccountList{Data: []crier.SocialAccount{}}
	if err := scope.Check(); err != nil {
		return out, err
	}
	accounts, err := s.store.SocialAccounts(ctx, scope.Team().ID)
	if err != nil {
		return out, err
	}
	out.Data, err = s.views.shownList(ctx, s.store, accounts)
	return out, err
}

// Get returns one account.
func (s *Accounts) Get(ctx context.Context, scope access.TeamScope, id crier.ID) (crier.SocialAccount, error) {
	if err := scope.Check(); err != nil {
		return crier.SocialAccount{}, err
	}
	a, err := s.store.SocialAccount(ctx, scope.Team().ID, id)
	if err != nil {
		return crier.SocialAccount{}, err
	}
	return s.views.shown(ctx, s.store, a)
}

// Views converts accounts for the API, with their capabilities and what will prevent publishing.
type Views struct {
	providers *provider.Registry
	clock     crier.Clock
}

// shown returns one account as the API shows it.
func (s *Views) shown(ctx context.Context, r riskReader, a store.Account) (crier.SocialAccount, error) {
	shown, err := s.shownList(ctx, r, []store.Account{a})
	if err != nil {
		return crier.SocialAccount{}, err
	}
	return shown[0], nil
}

// shownList returns accounts as the API shows them, with their capabilities and risks.
func (s *Views) shownList(ctx context.Context, r riskReader,
	accounts []store.Account) ([]crier.SocialAccount, error) {
	shown := make([]crier.SocialAccount, len(accounts))
	for i, a := range accounts {
		var err error
		if shown[i], err = s.withCapabilities(a); err != nil {
			return nil, err
		}
	}
	return shown, s.addOutlook(ctx, r, accounts, shown)
}

// withCapabilities adds the capabilities of the account.
func (s *Views) withCapabilities(a store.Account) (crier.SocialAccount, error) {
	return publish.ShownAccount(s.providers, a)
}

// record records the event of a changed account, if the change is relevant to others.
func (s *Views) record(tx *store.Tx, before *store.Account, after store.Account) error {
	shown, err := s.withCapabilities(after)
	if err != nil {
		return err
	}
	if before == nil {
		return events.Record(tx, s.clock.Now(), events.Fact{Type: crier.AccountConnectedEvent, TeamID: &after.TeamID,
			Object: shown})
	}
	was, err := s.withCapabilities(*before)
	if err != nil {
		return err
	}
	return events.Record(tx, s.clock.Now(), events.AccountFacts(was, shown)...)
}

// Update disables or enables an account. An account whose connection has ended cannot be enabled: it has to be
// reconnected.
func (s *Accounts) Update(ctx context.Context, scope access.TeamScope, id crier.ID,
	in crier.SocialAccountUpdate) (crier.SocialAccount, error) {
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

// Disconnect ends a connection and deletes its token. The account and its publications stay; scheduled posts wait for a
// new connection as long as the team's publishLateMinutes allow.
func (s *Accounts) Disconnect(ctx context.Context, scope access.TeamScope, id crier.ID) (crier.SocialAccount, error) {
	var before store.Account
	out, err := s.change(ctx, scope, id, func(a *store.Account) error {
		if before = *a; a.Status == crier.AccountDisconnected {
			return nil
		}
		now := s.clock.Now()
		a.Status, a.DisconnectedAt = crier.AccountDisconnected, &now
		a.Token, a.TokenExpiresAt, a.RefreshExpiresAt = nil, nil, nil
		return nil
	})
	if err == nil {
		s.connections.revoke(ctx, before)
	}
	return out, err
}

func (s *Accounts) change(ctx context.Context, scope access.TeamScope, id crier.ID,
	apply func(*store.Account) error) (crier.SocialAccount, error) {
	if err := scope.Check(); err != nil {
		return crier.SocialAccount{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.SocialAccount, error) {
		if err := tx.HoldStarts(ctx, id); err != nil { // an account that is said to be disabled starts no calls
			return crier.SocialAccount{}, err
		}
		locked, err := tx.LockAccounts(ctx, scope.Team().ID, []crier.ID{id})
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
		a.UpdatedAt = s.clock.Now()
		if err := tx.UpdateAccount(ctx, a); err != nil {
			return crier.SocialAccount{}, err
		}
		before := locked[id]
		if err := s.views.record(tx, &before, a); err != nil {
			return crier.SocialAccount{}, err
		}
		if a.Status == crier.AccountConnected && locked[id].Status != crier.AccountConnected {
			if err := s.connections.wakeAccount(ctx, tx, id); err != nil {
				return crier.SocialAccount{}, err
			}
		}
		return s.views.shown(ctx, tx, a)
	})
}

// wakeAccount wakes everything that waits for an account.
func (s *Connections) wakeAccount(ctx context.Context, tx *store.Tx, id crier.ID) error {
	woken, err := tx.WakeAccount(ctx, id, s.clock.Now())
	if err != nil {
		return err
	}
	return s.queue.Enqueue(ctx, tx, publish.WakeJobs(woken)...)
}

// NewAccount is an account to connect to a team.
type NewAccount struct {
	Provider crier.Provider
	Sandbox  bool
	Account  provider.ConnectedAccount
}

// Insert writes a connected account with its sealed token.
func (s *Connections) Insert(ctx context.Context, tx *store.Tx, team crier.ID, in NewAccount) (store.Account,
	error) {
	now := s.clock.Now()
	details := in.Account.Details
	if len(details) == 0 {
		details = json.RawMessage(`{}`)
	}
	a := store.Account{SocialAccount: crier.SocialAccount{
		ID: crier.NewID(), TeamID: team, Provider: in.Provider, ProviderAccountID: in.Account.ProviderAccountID,
		DisplayName: in.Account.DisplayName, ProfileHandle: crier.TextOrNil(in.Account.Handle),
		ProfileImageURL: crier.TextOrNil(in.Account.ImageURL),
		AccountSubType:  crier.TextOrNil(in.Account.SubType), Status: crier.AccountConnected, Scopes: []string{},
		ProviderSettings: details,
		Sandbox:          in.Sandbox, ConnectedAt: now, CreatedAt: now, UpdatedAt: now,
	}}
	if err := s.engine.Tokens.Seal(&a, in.Account.Token); err != nil {
		return a, err
	}
	if err := tx.InsertAccount(ctx, a); err != nil {
		return a, err
	}
	return a, s.views.record(tx, nil, a)
}

// Providers returns the abilities and limits of this installation's networks.
func (s *Accounts) Providers(_ context.Context, scope access.CallerScope) (crier.ProviderList, error) {
	out := crier.ProviderList{Data: []crier.JSON[crier.ProviderInfo]{}}
	if err := scope.Check(); err != nil {
		return out, err
	}
	for _, p := range s.providers.All() {
		data, err := json.Marshal(p.Info())
		if err != nil {
			return out, fmt.Errorf("encode %s: %w", p.Info().Name, err)
		}
		out.Data = append(out.Data, crier.RawJSON[crier.ProviderInfo](data))
	}
	return out, nil
}
