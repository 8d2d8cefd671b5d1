package publish

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"crier"
	"crier/internal/auth"
	"crier/internal/events"
	"crier/internal/provider"
	"crier/internal/store"
)

const (
	// refreshMargin is how long before expiry a token is refreshed when it is needed.
	refreshMargin = 5 * time.Minute
	// refreshClaim is how long one node has the right to refresh a token.
	refreshClaim = 90 * time.Second
	// renewalWrite bounds one try to write a new token, renewalWrites all of them: they end before the claim does, also
	// after a call that took DefaultTimeout.
	renewalWrite, renewalWrites = 10 * time.Second, 45 * time.Second
	// renewalPause and maxRenewalPause bound the pauses of those who wait for the node that renews.
	renewalPause, maxRenewalPause = 100 * time.Millisecond, 2 * time.Second
	// refreshAhead is how long before expiry an unused token is refreshed.
	refreshAhead = 30 * time.Minute
	// neededAhead is how long before a scheduled post its token is refreshed if it would expire by then.
	neededAhead  = time.Hour
	refreshBatch = 200
	// refreshWorkers is how many tokens of one network are refreshed concurrently.
	refreshWorkers = 4
)

// Tokens manages the accounts' tokens: sealed at rest, refreshed before they expire, by one node at a time.
type Tokens struct {
	store     *store.Store
	keys      *auth.Keyring
	providers *provider.Registry
	clock     crier.Clock
	log       *slog.Logger
	// writeTimeout is renewalWrite, less in tests.
	writeTimeout time.Duration
}

// PlainToken is the plaintext encoding of a token.
type PlainToken struct {
	Access           string            `json:"access"`
	Refresh          string            `json:"refresh,omitempty"`
	ExpiresAt        time.Time         `json:"expiresAt,omitzero"`
	RefreshExpiresAt time.Time         `json:"refreshExpiresAt,omitzero"`
	Scopes           []string          `json:"scopes,omitempty"`
	Extra            map[string]string `json:"extra,omitempty"`
}

// TokenContext is what the token of an account is sealed for.
func TokenContext(account crier.ID) string { return "token of account " + string(account) }

// Seal stores a token in an account, encrypted.
func (s *Tokens) Seal(a *store.Account, t provider.Token) error {
	data, err := json.Marshal(PlainTokenOf(t))
	if err != nil {
		return fmt.Errorf("encode the token: %w", err)
	}
	if a.Token, err = s.keys.Seal(data, TokenContext(a.ID)); err != nil {
		return err
	}
	a.TokenExpiresAt, a.RefreshExpiresAt = crier.TimeOrNil(t.ExpiresAt), crier.TimeOrNil(t.RefreshExpiresAt)
	if len(t.Scopes) > 0 {
		a.Scopes = t.Scopes
	}
	return nil
}

// Open decrypts the token of an account.
func (s *Tokens) Open(a store.Account) (provider.Token, error) {
	if a.Token == nil {
		return provider.Token{}, &provider.Error{
			Kind: provider.AuthExpired, Code: provider.CodeAccountDisconnected, Scope: provider.ScopeAccount,
			Message: "the account is not connected",
		}
	}
	data, err := s.keys.Open(a.Token, TokenContext(a.ID))
	if err != nil {
		return provider.Token{}, err
	}
	var plain PlainToken
	if err := json.Unmarshal(data, &plain); err != nil {
		return provider.Token{}, fmt.Errorf("decode the token: %w", err)
	}
	return plain.Token(), nil
}

// PlainTokenOf returns the plaintext encoding of a token.
func PlainTokenOf(t provider.Token) PlainToken {
	plain := PlainToken{
		Access: t.Access.Reveal(), Refresh: t.Refresh.Reveal(), ExpiresAt: t.ExpiresAt,
		RefreshExpiresAt: t.RefreshExpiresAt,
		Scopes:           t.Scopes, Extra: map[string]string{},
	}
	for key, secret := range t.Extra {
		plain.Extra[key] = secret.Reveal()
	}
	return plain
}

// Token returns the token with its secrets.
func (plain PlainToken) Token() provider.Token {
	t := provider.Token{
		Access: provider.Secret(plain.Access), Refresh: provider.Secret(plain.Refresh), ExpiresAt: plain.ExpiresAt,
		RefreshExpiresAt: plain.RefreshExpiresAt, Scopes: plain.Scopes, Extra: map[string]provider.Secret{},
	}
	for key, secret := range plain.Extra {
		t.Extra[key] = provider.Secret(secret)
	}
	return t
}

// For returns an account for its network's client, with a token that does not expire soon.
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
	return s.opened(a)
}

// Unrenewed returns an account for its network's client with the token that it has. It is for callers that cannot wait
// for a renewal, which takes its time to the end.
func (s *Tokens) Unrenewed(a store.Account) (provider.Account, error) {
	if !stillGood(a, s.clock()) {
		return provider.Account{}, &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "the token has expired and is not renewed yet"}
	}
	return s.opened(a)
}

func (s *Tokens) opened(a store.Account) (account provider.Account, err error) {
	account = NetworkAccount(a)
	account.Token, err = s.Open(a)
	return account, err
}

// Call calls an account's network, and retries once with a refreshed token when the first is rejected.
func (s *Tokens) Call(ctx context.Context, a store.Account, call func(provider.Account) error) error {
	client, err := s.For(ctx, a)
	if err != nil {
		return err
	}
	err = call(client)
	if failure := provider.AsError(err); failure == nil || failure.Code != provider.CodeAuthExpired {
		return err
	}
	renewed, err := s.Renew(ctx, a)
	if err != nil {
		return err
	}
	if client, err = s.For(ctx, renewed); err != nil {
		return err
	}
	return call(client)
}

func stillGood(a store.Account, now time.Time) bool {
	return a.TokenExpiresAt == nil || a.TokenExpiresAt.After(now)
}

// Renew refreshes the token of an account. Only one node at a time does; the others wait for its result. The new pair
// is committed before it is used. An account whose consent has ended becomes refresh_needed; a transient error changes
// nothing.
func (s *Tokens) Renew(ctx context.Context, a store.Account) (store.Account, error) {
	p, ok := s.providers.Get(string(a.Provider))
	refresher := s.providers.Features(p).Refresher
	if !ok || refresher == nil {
		refresher = noRefresher{}
	}
	owner := crier.NewID()
	claimed, err := s.store.ClaimRefresh(ctx, a.ID, owner, s.clock.Now(), crier.TimeOf(s.clock().Add(refreshClaim)))
	if err != nil {
		return a, err
	}
	if !claimed {
		return s.awaitRenewal(ctx, a)
	}
	// From here on nothing is canceled: a new token that is not stored loses the account.
	ctx = context.WithoutCancel(ctx)
	current, err := s.claimed(ctx, a.ID, owner)
	if err != nil {
		return a, err
	}
	return s.renewClaimed(ctx, a, current, owner, refresher)
}

// claimed reads an account whose refresh was claimed. If it cannot be read, the claim ends: others wait for it.
func (s *Tokens) claimed(ctx context.Context, account, owner crier.ID) (store.Account, error) {
	reading, cancel := context.WithTimeout(ctx, s.writeTimeout)
	defer cancel()
	current, err := s.store.Account(reading, account)
	if err == nil {
		return current, nil
	}
	releasing, cancel := context.WithTimeout(ctx, s.writeTimeout)
	defer cancel()
	return current, errors.Join(err, s.store.WithTx(releasing, func(tx *store.Tx) error {
		return tx.ReleaseRefresh(releasing, account, owner)
	}))
}

// noRefresher is the refresher of networks that cannot refresh tokens.
type noRefresher struct{}

// Refresh always fails.
func (noRefresher) Refresh(context.Context, provider.Account) (provider.Token, error) {
	return provider.Token{}, &provider.Error{
		Kind: provider.AuthExpired, Code: provider.CodeAuthExpired, Scope: provider.ScopeAccount,
		Message: "the connection has ended and this network cannot renew it: connect the account again",
	}
}

// renewClaimed calls the network and commits its answer.
func (s *Tokens) renewClaimed(ctx context.Context, known, current store.Account, owner crier.ID,
	refresher provider.Refresher) (store.Account, error) {
	renewal := renewal{before: current}
	if !s.renewed(current, known) { // otherwise another node was faster
		account := NetworkAccount(current)
		if account.Token, renewal.err = s.Open(current); renewal.err == nil {
			var token provider.Token
			token, renewal.err = refresher.Refresh(ctx, account)
			renewal.token = &token
		}
	}
	err := persist(ctx, s.clock, renewalWrites, func() error {
		ctx, cancel := context.WithTimeout(ctx, s.writeTimeout)
		defer cancel()
		return s.store.WithTx(ctx, func(tx *store.Tx) (err error) {
			current, err = s.endRenewal(ctx, tx, renewal, owner)
			return err
		})
	})
	if renewal.err == nil {
		return current, err
	}
	if err != nil { // callers only learn what the network said
		s.log.WarnContext(ctx, "could not store that a renewal failed", "account", known.ID, "provider", known.Provider,
			"error", err)
	}
	return current, renewal.err
}

// renewed reports whether the token has been replaced. It compares the tokens themselves: some networks give them no
// expiry.
func (s *Tokens) renewed(current, known store.Account) bool {
	return current.Token != nil && !s.sameToken(current, known)
}

// renewal is the result of refreshing a token.
type renewal struct {
	before store.Account // as it was before the refresh
	token  *provider.Token
	err    error
}

// endRenewal writes the result, unless the account was disconnected or reconnected meanwhile.
func (s *Tokens) endRenewal(ctx context.Context, tx *store.Tx, r renewal, owner crier.ID) (store.Account, error) {
	locked, err := tx.LockAccounts(ctx, r.before.TeamID, []crier.ID{r.before.ID})
	if err != nil {
		return r.before, err
	}
	a, ok := locked[r.before.ID]
	if ok && s.sameToken(a, r.before) {
		changed, err := s.enterRenewal(ctx, &a, r)
		if err == nil && changed {
			err = s.write(ctx, tx, locked[r.before.ID], a)
		}
		if err != nil {
			return a, err
		}
	}
	return a, tx.ReleaseRefresh(ctx, r.before.ID, owner)
}

// sameToken reports whether an account has the token that it had before. Maintenance may have sealed it with another
// key meanwhile.
func (s *Tokens) sameToken(now, before store.Account) bool {
	if bytes.Equal(now.Token, before.Token) {
		return true
	}
	if now.Token == nil || before.Token == nil {
		return false
	}
	context := TokenContext(before.ID)
	current, err := s.keys.Open(now.Token, context)
	if err != nil {
		return false
	}
	known, err := s.keys.Open(before.Token, context)
	return err == nil && bytes.Equal(current, known)
}

// write writes an account and records its events.
func (s *Tokens) write(ctx context.Context, tx *store.Tx, before, after store.Account) error {
	if err := tx.UpdateAccount(ctx, after); err != nil {
		return err
	}
	facts, err := accountFacts(s.providers, before, after)
	if err != nil {
		return err
	}
	return events.Record(tx, after.UpdatedAt, facts...)
}

// enterRenewal applies the result to the account, and reports whether there is something to write.
func (s *Tokens) enterRenewal(ctx context.Context, a *store.Account, r renewal) (changed bool, err error) {
	a.UpdatedAt = s.clock.Now()
	switch failure := provider.AsError(r.err); {
	case failure != nil && failure.Kind == provider.AuthExpired:
		s.log.WarnContext(ctx, "account has to be connected again", "account", a.ID, "provider", a.Provider, "reason",
			failure.Message)
		status := crier.AccountRefreshNeeded
		if a.TokenExpiresAt != nil && stillGood(*a, s.clock()) { // it can publish until then, with a warning
			status = crier.AccountConnected
		}
		markUnhealthy(a, status, HealthAuthFailed, failure.Message, s.clock.Now())
		return true, nil
	case failure != nil || r.token == nil:
		return false, nil //nolint:nilerr // a transient failure changes nothing
	}
	if HasAuthFailed(*a) {
		a.AccountHealthIssue, a.AccountHealthMessage, a.AccountHealthSince = nil, nil, nil
		if a.Status == crier.AccountRefreshNeeded && r.before.Status == crier.AccountConnected {
			// Another node has used the old token meanwhile, after this one was frozen in its call.
			a.Status = crier.AccountConnected
		}
	}
	return true, s.Seal(a, *r.token)
}

// awaitRenewal waits for the node that is refreshing the token. Many publications of one account may wait, so they ask
// less and less often.
func (s *Tokens) awaitRenewal(ctx context.Context, a store.Account) (store.Account, error) {
	deadline := s.clock().Add(refreshClaim)
	for pause := renewalPause; ; pause = min(2*pause, maxRenewalPause) {
		// The claim is read first: it is released together with the change of the token.
		claimed, err := s.store.RefreshClaimed(ctx, a.ID, s.clock.Now())
		if err != nil {
			return a, err
		}
		current, err := s.store.Account(ctx, a.ID)
		switch {
		case err != nil:
			return a, err
		case s.renewed(current, a):
			return current, nil
		case current.Status != crier.AccountConnected || HasAuthFailed(current) && !HasAuthFailed(a):
			return current, &provider.Error{
				Kind: provider.AuthExpired, Code: provider.CodeAuthExpired, Scope: provider.ScopeAccount,
				Message: "the account has to be connected again",
			}
		case !claimed:
			return a, &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
				Message: "the token could not be renewed"}
		case s.clock().After(deadline):
			return a, &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
				Message: "the token is being renewed elsewhere"}
		}
		if err := pauseFor(ctx, pause); err != nil {
			return a, err
		}
	}
}

// RenewExpiring refreshes tokens before they expire, and before the next post that needs them. It is called by a job
// and takes no scope. Networks do not wait for each other, and accounts are interleaved by team, so that a team with
// many accounts or hanging refreshes does not delay others.
func (s *Tokens) RenewExpiring(ctx context.Context) error {
	var networks errgroup.Group
	for _, p := range s.providers.All() {
		networks.Go(func() error { return s.renewNetwork(ctx, p) })
	}
	return networks.Wait()
}

func (s *Tokens) renewNetwork(ctx context.Context, p provider.Provider) error {
	ids, err := s.expiring(ctx, p.Info())
	if err != nil {
		return err
	}
	renews := s.providers.Features(p).Refresher != nil
	var accounts errgroup.Group
	accounts.SetLimit(refreshWorkers)
	for _, id := range ids {
		accounts.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return s.renewAhead(ctx, id, renews)
		})
	}
	return accounts.Wait()
}

// expiring returns the accounts on a network whose token should be refreshed now, those that a post needs first.
func (s *Tokens) expiring(ctx context.Context, info provider.Info) ([]crier.ID, error) {
	now, network := s.clock.Now(), crier.Provider(info.Name)
	in := func(d time.Duration) crier.Time { return crier.TimeOf(now.Add(d)) }
	ids, err := s.store.NeededAccounts(ctx, network, now, in(neededAhead), in(neededAhead+refreshMargin), refreshBatch)
	if err != nil {
		return nil, err
	}
	expiring, err := s.store.ExpiringAccounts(ctx, network, now, in(max(refreshAhead, info.RenewAhead)), refreshBatch)
	if err != nil {
		return nil, err
	}
	for _, id := range expiring {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// renewAhead refreshes one token. A token that cannot be refreshed is reported when it has expired; a failure is
// retried later.
func (s *Tokens) renewAhead(ctx context.Context, id crier.ID, renews bool) error {
	a, err := s.store.Account(ctx, id)
	if err != nil {
		return err
	}
	if !renews && stillGood(a, s.clock()) {
		return nil
	}
	if _, err := s.Renew(ctx, a); err != nil {
		s.log.WarnContext(ctx, "could not renew a token", "account", a.ID, "provider", a.Provider, "error", err)
	}
	return nil
}
