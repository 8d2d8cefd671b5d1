package publish

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// renewer is a network whose refreshes are scripted by the test.
type renewer struct {
	renewing
	token  provider.Token
	err    error
	before func()
}

func (s *renewer) Refresh(context.Context, provider.Account) (provider.Token, error) {
	if s.before != nil {
		s.before()
	}
	return s.token, s.err
}

// hold gives the fixture's account a token that expires after some time.
func (f *fixture) hold(tb testing.TB, t provider.Token, ends time.Duration) {
	tb.Helper()
	if ends != 0 {
		t.ExpiresAt = f.now().Add(ends)
	}
	if err := f.Tokens.Seal(&f.account, t); err != nil {
		tb.Fatal(err)
	}
	f.tx(tb, func(ctx context.Context, tx *store.Tx) error { return tx.UpdateAccount(ctx, f.account) })
}

// stored returns the fixture's account from the store.
func (f *fixture) stored(tb testing.TB) store.Account {
	tb.Helper()
	a, err := f.store.Account(tb.Context(), f.account.ID)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

func TestTokensAreSealedForTheirAccountAlone(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, st *store.Store) {
		f := newFixture(t, st, &renewing{})
		ends := f.now().Add(time.Hour)
		token := provider.Token{Access: "a", Refresh: "r", ExpiresAt: ends, RefreshExpiresAt: ends.Add(time.Hour),
			Scopes: []string{"read"}, Extra: map[string]provider.Secret{"page": "p"}}
		a := f.account
		if err := f.Tokens.Seal(&a, token); err != nil {
			t.Fatal(err)
		}
		got, err := f.Tokens.Open(a)
		if err != nil || got.Access.Reveal() != "a" || got.Refresh.Reveal() != "r" ||
			got.Extra["page"].Reveal() != "p" || !got.ExpiresAt.Equal(ends) ||
			!slices.Equal(got.Scopes, []string{"read"}) || !slices.Equal(a.Scopes, []string{"read"}) ||
			!a.TokenExpiresAt.Equal(ends) || !a.RefreshExpiresAt.Equal(ends.Add(time.Hour)) {
			t.Errorf("%+v, %v", got, err)
		}
		if err := f.Tokens.Seal(&a, provider.Token{Access: "b"}); err != nil || a.TokenExpiresAt != nil ||
			!slices.Equal(a.Scopes, []string{"read"}) {
			t.Errorf("a token without an end or scopes: %+v, %v", a, err)
		}
		other, garbage, none := a, a, a
		other.ID, garbage.Token, none.Token = crier.NewID(), []byte("garbage"), nil
		for name, account := range map[string]store.Account{"another account": other, "garbage": garbage} {
			if _, err := f.Tokens.Open(account); err == nil {
				t.Errorf("%s was opened", name)
			}
		}
		_, err = f.Tokens.Open(none)
		if failure := provider.AsError(err); failure == nil || failure.Code != provider.CodeAccountDisconnected ||
			failure.Kind != provider.AuthExpired {
			t.Errorf("without a token: %v", err)
		}
	})
}

func TestRenewalsEndInATokenOrSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	ended := &provider.Error{Kind: provider.AuthExpired, Code: provider.CodeAuthExpired,
		Message: "consent was withdrawn"}
	failing := HealthAuthFailed
	for name, c := range map[string]struct {
		ends   time.Duration // of the current token
		ill    bool
		err    error
		status crier.AccountStatus
		issue  string
		access string
	}{
		"renewed":                        {time.Minute, false, nil, crier.AccountConnected, "", "new"},
		"renewed after a failure":        {time.Minute, true, nil, crier.AccountConnected, "", "new"},
		"refused while it is good":       {time.Minute, false, ended, crier.AccountConnected, failing, "old"},
		"refused when it has ended":      {-time.Minute, false, ended, crier.AccountRefreshNeeded, failing, "old"},
		"a network that is out of order": {time.Minute, false, outage, crier.AccountConnected, "", "old"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachShared(t, func(t *testing.T, st *store.Store) {
				n := &renewer{err: c.err}
				f := newFixture(t, st, n)
				n.token = provider.Token{Access: "new", ExpiresAt: f.now().Add(time.Hour)}
				if c.ill {
					f.account.AccountHealthIssue = &failing
				}
				f.hold(t, provider.Token{Access: "old"}, c.ends)
				_, err := f.Tokens.Renew(t.Context(), f.account)
				if !errors.Is(err, c.err) {
					t.Errorf("%v, want %v", err, c.err)
				}
				a := f.stored(t)
				token, err := f.Tokens.Open(a)
				if err != nil || token.Access.Reveal() != c.access || a.Status != c.status ||
					crier.Text(a.AccountHealthIssue) != c.issue {
					t.Errorf("%s with the token %q and %q, %v",
						a.Status, token.Access.Reveal(), crier.Text(a.AccountHealthIssue), err)
				}
				owner := crier.NewID() // the claim was released, whatever the result
				ok, err := st.ClaimRefresh(t.Context(), a.ID, owner,
					crier.TimeOf(f.now()), crier.TimeOf(f.now().Add(time.Minute)))
				if err != nil || !ok {
					t.Errorf("the claim is kept: %v", err)
				}
			})
		})
	}
}

func TestARefusedRenewalThatCannotBeStoredIsLogged(t *testing.T) {
	t.Parallel()
	databases.Each(t, func(t *testing.T, db storetest.Database) {
		st, err := store.Open(t.Context(), db.Config())
		if err != nil {
			t.Fatal(err)
		}
		n := &renewer{err: outage, before: func() {
			if err := st.Close(); err != nil {
				t.Error(err)
			}
		}}
		f := newFixture(t, st, n)
		f.hold(t, provider.Token{Access: "a secret"}, time.Minute)
		var out bytes.Buffer
		f.Tokens.log = slog.New(slog.NewTextHandler(&out, nil))
		if _, err := f.Tokens.Renew(t.Context(), f.account); !errors.Is(err, outage) {
			t.Errorf("%v, want %v", err, outage)
		}
		if said := out.String(); !strings.Contains(said, "could not store") || !strings.Contains(said, "closed") ||
			!strings.Contains(said, string(f.account.ID)) || strings.Contains(said, "secret") {
			t.Errorf("the log says %q", said)
		}
	})
}

func TestARenewalDoesNotUndoWhatHappenedMeanwhile(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, st *store.Store) {
		n := &renewer{}
		f := newFixture(t, st, n)
		n.token = provider.Token{Access: "renewed", ExpiresAt: f.now().Add(time.Hour)}
		f.hold(t, provider.Token{Access: "old"}, time.Minute)
		before := f.account
		n.before = func() { f.hold(t, provider.Token{Access: "connected anew"}, 2*time.Hour) }
		if _, err := f.Tokens.Renew(t.Context(), before); err != nil {
			t.Fatal(err)
		}
		if token, err := f.Tokens.Open(f.stored(t)); err != nil || token.Access.Reveal() != "connected anew" {
			t.Errorf("the token is %q, %v", token.Access.Reveal(), err)
		}
		// A caller with the old token gets the newer one, without a call to the network.
		n.before = func() { t.Error("the network was asked again") }
		a, err := f.Tokens.Renew(t.Context(), before)
		if err != nil || !a.TokenExpiresAt.Equal(f.now().Add(2*time.Hour)) {
			t.Errorf("%+v, %v", a.TokenExpiresAt, err)
		}
	})
}

// A node is frozen in its call to the network for longer than its claim. Another one tries with the old token, which
// the network takes once; then the first one wakes up with the new token.
func TestARenewalOfAFrozenNodeKeepsTheAccountConnected(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, st *store.Store) {
		n := &renewer{}
		f := newFixture(t, st, n)
		f.hold(t, provider.Token{Access: "old", Refresh: "once"}, -time.Minute)
		n.before = func() {
			f.sleep(refreshClaim + time.Second)
			n.before, n.err = nil, &provider.Error{Kind: provider.AuthExpired, Code: provider.CodeAuthExpired,
				Message: "used already"}
			if _, err := f.Tokens.Renew(t.Context(), f.account); !errors.Is(err, n.err) {
				t.Errorf("the other node: %v", err)
			}
			if got := f.stored(t).Status; got != crier.AccountRefreshNeeded {
				t.Errorf("the account is %s", got)
			}
			n.token, n.err = provider.Token{Access: "new", Refresh: "next", ExpiresAt: f.now().Add(time.Hour)}, nil
		}
		if _, err := f.Tokens.Renew(t.Context(), f.account); err != nil {
			t.Fatal(err)
		}
		a := f.stored(t)
		if token, err := f.Tokens.Open(a); err != nil || token.Access.Reveal() != "new" ||
			a.Status != crier.AccountConnected || a.AccountHealthIssue != nil {
			t.Errorf("%s with the token %q and %q, %v", a.Status, token.Access.Reveal(),
				crier.Text(a.AccountHealthIssue), err)
		}
	})
}

func TestTokensAreRenewedWhenTheyAreNeededAndAboutToEnd(t *testing.T) {
	t.Parallel()
	ended := &provider.Error{Kind: provider.AuthExpired, Code: provider.CodeAuthExpired, Message: "no"}
	for name, c := range map[string]struct {
		ends   time.Duration
		err    error
		access string // empty means refused
	}{
		"good for long":             {refreshMargin + time.Second, nil, "old"},
		"without an end":            {0, ended, "old"},
		"about to end":              {refreshMargin - time.Second, nil, "new"},
		"about to end and refused":  {refreshMargin - time.Second, outage, "old"},
		"ended and refused":         {-time.Second, ended, ""},
		"ended and out of order":    {-time.Second, outage, ""},
		"ended and renewed at last": {-time.Second, nil, "new"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachShared(t, func(t *testing.T, st *store.Store) {
				n := &renewer{err: c.err}
				f := newFixture(t, st, n)
				n.token = provider.Token{Access: "new", ExpiresAt: f.now().Add(time.Hour)}
				f.hold(t, provider.Token{Access: "old"}, c.ends)
				got, err := f.Tokens.For(t.Context(), f.account)
				if c.access == "" {
					if !errors.Is(err, c.err) {
						t.Errorf("%v, want %v", err, c.err)
					}
					return
				}
				if err != nil || got.Token.Access.Reveal() != c.access || got.ID != f.account.ID {
					t.Errorf("%q, %v; want %q", got.Token.Access.Reveal(), err, c.access)
				}
			})
		})
	}
}

func TestNodesWaitForTheOneThatRenews(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, st *store.Store) {
		f := newFixture(t, st, &renewer{before: func() { t.Error("two nodes renew") }})
		f.hold(t, provider.Token{Access: "old"}, time.Minute)
		before := f.account
		now, until := crier.TimeOf(f.now()), crier.TimeOf(f.now().Add(refreshClaim))
		if ok, err := st.ClaimRefresh(t.Context(), before.ID, crier.NewID(), now, until); err != nil || !ok {
			t.Fatalf("%v, %v", ok, err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := f.Tokens.awaitRenewal(gone, before); !errors.Is(err, context.Canceled) {
			t.Errorf("a caller that went away: %v", err)
		}
		f.hold(t, provider.Token{Access: "theirs"}, time.Hour) // committed by the other node
		a, err := f.Tokens.Renew(t.Context(), before)
		if err != nil || !a.TokenExpiresAt.Equal(f.now().Add(time.Hour)) {
			t.Errorf("%v, %v", a.TokenExpiresAt, err)
		}
		before = f.account
		f.setAccount(t, crier.AccountRefreshNeeded) // the other node was refused
		_, err = f.Tokens.Renew(t.Context(), before)
		if failure := provider.AsError(err); failure == nil || failure.Kind != provider.AuthExpired ||
			failure.Message != "the account has to be connected again" {
			t.Errorf("%v", err)
		}
	})
}

// A node may give up a renewal, because the network is out of order or because the node died.
func TestNodesDoNotWaitForARenewalThatWasGivenUp(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, st *store.Store) {
		f := newFixture(t, st, &renewer{})
		f.hold(t, provider.Token{Access: "old"}, -time.Minute)
		owner, now := crier.NewID(), crier.TimeOf(f.now())
		for _, giveUp := range []func(){
			func() {
				f.tx(t, func(ctx context.Context, tx *store.Tx) error {
					return tx.ReleaseRefresh(ctx, f.account.ID, owner)
				})
			},
			func() { f.sleep(refreshClaim) },
		} {
			ok, err := st.ClaimRefresh(t.Context(), f.account.ID, owner, now, crier.TimeOf(now.Add(refreshClaim)))
			if err != nil || !ok {
				t.Fatalf("%v, %v", ok, err)
			}
			ended := make(chan error, 1)
			go func() {
				_, err := f.Tokens.awaitRenewal(t.Context(), f.account)
				ended <- err
			}()
			giveUp()
			select {
			case err := <-ended:
				if failure := provider.AsError(err); failure == nil || failure.Kind != provider.Temporary {
					t.Errorf("%v", err)
				}
			case <-time.After(refreshClaim / 2):
				t.Fatal("it waits for nobody")
			}
		}
	})
}

// Posts of the account would wait for a node that renews nothing.
func TestARenewalThatCannotBeginIsGivenUp(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, st *store.Store) {
		f := newFixture(t, st, &renewer{})
		f.hold(t, provider.Token{Access: "old"}, -time.Minute)
		damage := `UPDATE social_accounts SET scopes = '{}' WHERE id = $1`
		if _, err := st.Writer().ExecContext(t.Context(), damage, f.account.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Tokens.Renew(t.Context(), f.account); err == nil {
			t.Fatal("a damaged account is renewed")
		}
		claimed, err := st.RefreshClaimed(t.Context(), f.account.ID, crier.TimeOf(f.now()))
		if err != nil || claimed {
			t.Errorf("the renewal is claimed: %v, %v", claimed, err)
		}
	})
}

func TestATokenWithoutAnEndIsRenewedOnce(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, st *store.Store) {
		calls := 0
		f := newFixture(t, st, &renewer{token: provider.Token{Access: "new"}, before: func() { calls++ }})
		f.hold(t, provider.Token{Access: "old"}, 0)
		for range 3 { // publications whose calls were refused with the same token
			a, err := f.Tokens.Renew(t.Context(), f.account)
			if err != nil {
				t.Fatal(err)
			}
			if token, err := f.Tokens.Open(a); err != nil || token.Access.Reveal() != "new" {
				t.Errorf("%q, %v", token.Access.Reveal(), err)
			}
		}
		if calls != 1 {
			t.Errorf("it was renewed %d times", calls)
		}
		// while another node renews
		now, until := crier.TimeOf(f.now()), crier.TimeOf(f.now().Add(refreshClaim))
		if ok, err := st.ClaimRefresh(t.Context(), f.account.ID, crier.NewID(), now, until); err != nil || !ok {
			t.Fatalf("%v, %v", ok, err)
		}
		if a, err := f.Tokens.Renew(t.Context(), f.account); err != nil || bytes.Equal(a.Token, f.account.Token) {
			t.Errorf("a renewed token is not seen: %v", err)
		}
	})
}

func TestNetworksThatRenewNothingSayToConnectAgain(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, st *store.Store) {
		f := newFixture(t, st, newTestNetwork())
		f.hold(t, provider.Token{Access: "old"}, -time.Minute)
		_, err := f.Tokens.Renew(t.Context(), f.account)
		if failure := provider.AsError(err); failure == nil || failure.Kind != provider.AuthExpired ||
			f.stored(t).Status != crier.AccountRefreshNeeded {
			t.Errorf("%v, %s", err, f.stored(t).Status)
		}
	})
}

func TestPersistTriesAgainOnlyWhileTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	clock := crier.Clock(time.Now)
	away, refused := context.DeadlineExceeded, errors.New("refused") // a timeout is a network error
	for name, c := range map[string]struct {
		answers []error
		want    error
	}{
		"at once":        {[]error{nil}, nil},
		"after a moment": {[]error{away, nil}, nil},
		"refused":        {[]error{refused, nil}, refused},
	} {
		calls := 0
		err := persist(t.Context(), clock, time.Minute, func() error { calls++; return c.answers[calls-1] })
		want := slices.Index(c.answers, c.want) + 1
		if !errors.Is(err, c.want) || calls != want {
			t.Errorf("%s: %v after %d calls, want %d", name, err, calls, want)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := persist(gone, clock, time.Minute, func() error { return away }); !errors.Is(err, context.Canceled) {
		t.Errorf("a node that ends: %v", err)
	}
	if err := sleepUntil(gone, clock, time.Now().Add(-time.Second)); err != nil {
		t.Errorf("a time that has passed: %v", err)
	}
	if err := sleepUntil(gone, clock, time.Now().Add(time.Hour)); !errors.Is(err, context.Canceled) {
		t.Errorf("a sleep that is cut off: %v", err)
	}
}

func TestLikesAreCountedLessAndLessOftenUntilTheWindowEnds(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, st *store.Store) {
		f := newFixture(t, st, newTestNetwork())
		for name, c := range map[string]struct {
			age    time.Duration // of the trigger
			left   time.Duration // of its window; 0 for one without an end
			expect time.Duration
		}{
			"new":            {0, 24 * time.Hour, time.Minute},
			"an hour old":    {time.Hour, 24 * time.Hour, 30 * time.Minute},
			"very old":       {30 * 24 * time.Hour, 24 * time.Hour, longestLikePause},
			"without an end": {time.Hour, 0, 30 * time.Minute},
			"the last count": {10 * time.Hour, lastLikeCount + time.Second, time.Second},
			"behind the last": {10 * time.Hour, lastLikeCount - time.Millisecond,
				lastLikeCount - time.Millisecond + time.Second},
			"the window ended": {10 * time.Hour, -time.Minute, -time.Minute + time.Second},
		} {
			w := &worker{pub: f.Publisher, p: store.Publication{CreatedAt: crier.TimeOf(f.now().Add(-c.age))}}
			if c.left != 0 {
				end := crier.TimeOf(f.now().Add(c.left))
				w.p.ExpiresAt = &end
			}
			if got := w.nextLikeCount().Sub(f.now()); got != c.expect {
				t.Errorf("%s: after %s, want %s", name, got, c.expect)
			}
		}
	})
}

// A network may invalidate the old token with its answer: a new one that is not stored loses the account.
func TestARefreshedTokenIsStoredAlthoughTheOldOneWasSealedAgain(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, st *store.Store) {
		n := &renewer{}
		f := newFixture(t, st, n)
		n.token = provider.Token{Access: "new", ExpiresAt: f.now().Add(time.Hour)}
		f.hold(t, provider.Token{Access: "old"}, time.Minute)
		n.before = func() { f.hold(t, provider.Token{Access: "old"}, time.Minute) } // other bytes, the same token
		if _, err := f.Tokens.Renew(t.Context(), f.account); err != nil {
			t.Fatal(err)
		}
		if token, err := f.Tokens.Open(f.stored(t)); err != nil || token.Access.Reveal() != "new" {
			t.Errorf("the account has the token %q, %v", token.Access.Reveal(), err)
		}
		n.before = func() { f.hold(t, provider.Token{Access: "connected again"}, time.Minute) }
		if _, err := f.Tokens.Renew(t.Context(), f.stored(t)); err != nil {
			t.Fatal(err)
		}
		if token, err := f.Tokens.Open(f.stored(t)); err != nil || token.Access.Reveal() != "connected again" {
			t.Errorf("the account that was connected again has the token %q, %v", token.Access.Reveal(), err)
		}
	})
}

// A token that was sealed again is still the token that the network refused: taken for a new one, it would be refused
// once more, and the account would have to be connected again.
func TestATokenThatWasSealedAgainIsNotTakenForARenewedOne(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, st *store.Store) {
		f := newFixture(t, st, &renewer{token: provider.Token{Access: "new"}})
		f.hold(t, provider.Token{Access: "old"}, 0)
		refused := f.account
		f.hold(t, provider.Token{Access: "old"}, 0) // other bytes, the same token
		owner, now := crier.NewID(), crier.TimeOf(f.now())
		ok, err := st.ClaimRefresh(t.Context(), f.account.ID, owner, now, crier.TimeOf(now.Add(refreshClaim)))
		if err != nil || !ok {
			t.Fatalf("%v, %v", ok, err)
		}
		waiting, cancel := context.WithTimeout(t.Context(), renewalPause/2)
		defer cancel()
		if _, err := f.Tokens.Renew(waiting, refused); err == nil {
			t.Error("it is taken for what another node renewed")
		}
		f.tx(t, func(ctx context.Context, tx *store.Tx) error { return tx.ReleaseRefresh(ctx, f.account.ID, owner) })
		a, err := f.Tokens.Renew(t.Context(), refused)
		if err != nil {
			t.Fatal(err)
		}
		if token, err := f.Tokens.Open(a); err != nil || token.Access.Reveal() != "new" {
			t.Errorf("the account has the token %q, %v", token.Access.Reveal(), err)
		}
	})
}
