package service

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

const (
	// refreshMargin is how long before its end a token is renewed when something needs it.
	refreshMargin = 5 * time.Minute
	// refreshClaim is how long one node has the right to refresh a token.
	refreshClaim = 90 * time.Second
	// refreshAhead is how far ahead of its end a token is renewed without anything needing it.
	refreshAhead = 30 * time.Minute
	refreshBatch = 200
)

// Tokens keeps the accounts' tokens: sealed at rest, renewed in time, by one node at a time.
type Tokens struct{ *core }

// sealedToken is what is sealed of a token.
type sealedToken struct {
	Access           string            `json:"access"`
	Refresh          string            `json:"refresh,omitempty"`
	ExpiresAt        time.Time         `json:"expiresAt,omitzero"`
	RefreshExpiresAt time.Time         `json:"refreshExpiresAt,omitzero"`
	Scopes           []string          `json:"scopes,omitempty"`
	Extra            map[string]string `json:"extra,omitempty"`
}

func tokenContext(account crier.ID) string { return "token of account " + string(account) }

// sealToken puts a token into an account.
func (c *core) sealToken(a *store.Account, t provider.Token) error {
	data, err := json.Marshal(plainToken(t))
	if err != nil {
		return fmt.Errorf("encode the token: %w", err)
	}
	if a.Token, err = c.keys.Seal(data, tokenContext(a.ID)); err != nil {
		return err
	}
	a.TokenExpiresAt, a.RefreshExpiresAt = timeOrNil(t.ExpiresAt), timeOrNil(t.RefreshExpiresAt)
	if len(t.Scopes) > 0 {
		a.Scopes = t.Scopes
	}
	return nil
}

func timeOrNil(t time.Time) *crier.Time {
	if t.IsZero() {
		return nil
	}
	at := crier.TimeOf(t)
	return &at
}

// openToken takes the token out of an account.
func (c *core) openToken(a store.Account) (provider.Token, error) {
	if a.Token == nil {
		return provider.Token{}, &provider.Error{
			Kind: provider.AuthExpired, Code: provider.CodeAccountDisconnected, Scope: provider.ScopeAccount, Message: "the account is not connected",
		}
	}
	data, err := c.keys.Open(a.Token, tokenContext(a.ID))
	if err != nil {
		return provider.Token{}, err
	}
	var plain sealedToken
	if err := json.Unmarshal(data, &plain); err != nil {
		return provider.Token{}, fmt.Errorf("decode the token: %w", err)
	}
	return plain.token(), nil
}

// plainToken is a token as it is sealed.
func plainToken(t provider.Token) sealedToken {
	plain := sealedToken{
		Access: t.Access.Reveal(), Refresh: t.Refresh.Reveal(), ExpiresAt: t.ExpiresAt, RefreshExpiresAt: t.RefreshExpiresAt,
		Scopes: t.Scopes, Extra: map[string]string{},
	}
	for key, secret := range t.Extra {
		plain.Extra[key] = secret.Reveal()
	}
	return plain
}

func (plain sealedToken) token() provider.Token {
	t := provider.Token{
		Access: provider.Secret(plain.Access), Refresh: provider.Secret(plain.Refresh), ExpiresAt: plain.ExpiresAt,
		RefreshExpiresAt: plain.RefreshExpiresAt, Scopes: plain.Scopes, Extra: map[string]provider.Secret{},
	}
	for key, secret := range plain.Extra {
		t.Extra[key] = provider.Secret(secret)
	}
	return t
}

// For returns an account as its network's client needs it, with a token that is still good for a while.
func (s *Tokens) For(ctx context.Context, a store.Account) (provider.Account, error) {
	if a.TokenExpiresAt != nil && a.TokenExpiresAt.Sub(s.clock()) < refreshMargin {
		renewed, err := s.Renew(ctx, a)
		if err != nil && !stillGood(a, s.clock()) {
			return provider.Account{}, err
		}
		if err == nil {
			a = renewed
		}
	}
	account := networkAccount(a)
	var err error
	account.Token, err = s.openToken(a)
	return account, err
}

func stillGood(a store.Account, now time.Time) bool {
	return a.TokenExpiresAt == nil || a.TokenExpiresAt.After(now)
}

// Renew gets a new token for an account. Only one node at a time does; the others wait for its result. The new pair is
// committed before anybody uses it. An account whose consent has ended becomes refresh_needed; a transient error changes
// nothing.
func (s *Tokens) Renew(ctx context.Context, a store.Account) (store.Account, error) {
	p, ok := s.providers.Get(string(a.Provider))
	refresher := s.providers.Features(p).Refresher
	if !ok || refresher == nil {
		return a, &provider.Error{
			Kind: provider.AuthExpired, Code: provider.CodeAuthExpired, Scope: provider.ScopeAccount,
			Message: "the connection has ended and this network cannot renew it: connect the account again",
		}
	}
	owner := crier.NewID()
	claimed, err := s.store.ClaimRefresh(ctx, a.ID, owner, s.now(), crier.TimeOf(s.clock().Add(refreshClaim)))
	if err != nil {
		return a, err
	}
	if !claimed {
		return s.awaitRenewal(ctx, a)
	}
	current, err := s.store.Account(ctx, a.ID)
	if err != nil {
		return a, err
	}
	if newer(current, a) { // another node was faster
		return current, s.endRenewal(ctx, current, owner, nil)
	}
	account := networkAccount(current)
	if account.Token, err = s.openToken(current); err != nil {
		return a, err
	}
	token, refreshErr := refresher.Refresh(ctx, account)
	if refreshErr == nil {
		current.AccountHealthIssue, current.AccountHealthMessage, current.AccountHealthSince = nil, nil, nil
		refreshErr = s.sealToken(&current, token)
	}
	return current, s.endRenewal(context.WithoutCancel(ctx), current, owner, refreshErr)
}

func newer(current, known store.Account) bool {
	return current.TokenExpiresAt != nil && known.TokenExpiresAt != nil && current.TokenExpiresAt.After(known.TokenExpiresAt.Time)
}

// endRenewal commits what came of a refresh.
func (s *Tokens) endRenewal(ctx context.Context, a store.Account, owner crier.ID, refreshErr error) error {
	if refreshErr != nil {
		if failure := provider.AsError(refreshErr); failure.Kind == provider.AuthExpired {
			s.log.WarnContext(ctx, "account has to be connected again", "account", a.ID, "provider", a.Provider, "reason", failure.Message)
			markUnhealthy(&a, crier.AccountRefreshNeeded, healthAuthFailed, failure.Message, s.now())
		}
	}
	a.UpdatedAt = s.now()
	err := s.store.WithTx(ctx, func(tx *store.Tx) error {
		if err := tx.UpdateAccount(ctx, a); err != nil {
			return err
		}
		return tx.ReleaseRefresh(ctx, a.ID, owner)
	})
	if refreshErr != nil {
		return refreshErr
	}
	return err
}

// awaitRenewal waits until the node that refreshes is done.
func (s *Tokens) awaitRenewal(ctx context.Context, a store.Account) (store.Account, error) {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.NewTimer(refreshClaim)
	defer deadline.Stop()
	for {
		current, err := s.store.Account(ctx, a.ID)
		if err != nil {
			return a, err
		}
		if newer(current, a) {
			return current, nil
		}
		if current.Status != crier.AccountConnected {
			return current, &provider.Error{
				Kind: provider.AuthExpired, Code: provider.CodeAuthExpired, Scope: provider.ScopeAccount, Message: "the account has to be connected again",
			}
		}
		select {
		case <-ctx.Done():
			return a, ctx.Err()
		case <-deadline.C:
			return a, &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable, Message: "the token is being renewed elsewhere"}
		case <-ticker.C:
		}
	}
}

// RenewExpiring renews tokens ahead of their end. It is a job: it takes no scope.
func (s *Tokens) RenewExpiring(ctx context.Context) error {
	ids, err := s.store.ExpiringAccounts(ctx, crier.TimeOf(s.clock().Add(refreshAhead)), refreshBatch)
	if err != nil {
		return err
	}
	for _, id := range ids {
		a, err := s.store.Account(ctx, id)
		if err != nil {
			return err
		}
		p, ok := s.providers.Get(string(a.Provider))
		if !ok || s.providers.Features(p).Refresher == nil {
			continue
		}
		if _, err := s.Renew(ctx, a); err != nil {
			s.log.WarnContext(ctx, "could not renew a token", "account", a.ID, "provider", a.Provider, "error", err)
		}
	}
	return nil
}

// The health issues of the contract.
const (
	healthVerification = "verification_required"
	healthAuthFailed   = "auth_failed"
	healthRateLimited  = "rate_limited"
)

func markUnhealthy(a *store.Account, status crier.AccountStatus, issue, message string, now crier.Time) {
	if a.Status == crier.AccountConnected {
		a.Status = status
	}
	if a.AccountHealthIssue == nil || *a.AccountHealthIssue != issue {
		a.AccountHealthSince = &now
	}
	a.AccountHealthIssue, a.AccountHealthMessage = &issue, &message
}
