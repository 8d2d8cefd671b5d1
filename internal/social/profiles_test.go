package social

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/access/accesstest"
	"crier/internal/provider"
	"crier/internal/provider/tiktok"
	"crier/internal/provider/x"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// Only networks whose accounts change from hour to hour are worth a database query before every post.
func TestFreshenReadsOnlyRequestedNetworks(t *testing.T) {
	t.Parallel()
	st, err := store.Open(t.Context(), databases.Fresh(t, store.SQLite).Config())
	if err != nil {
		t.Fatal(err)
	}
	f := storetest.NewFixture(t, st)
	caller, now := provider.NewCaller(provider.CallerConfig{}), func() time.Time { return f.Now.Time }
	plain, err := x.New(x.Config{Caller: caller, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	network, err := tiktok.New(tiktok.Config{Caller: caller, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	profiles := newWorld(t, f, plain, network).Profiles
	onTikTok := f.NewAccount(crier.ProviderTikTok, func(a *store.Account) { a.ProfileAt = &f.Now })
	scope, accounts := accesstest.Owner(t, f).Team(crier.PublishPosts), []crier.ID{f.Account.ID, onTikTok.ID}
	if err := profiles.Refresh(t.Context(), scope, accounts); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if err := profiles.Refresh(t.Context(), scope, accounts[:1]); err != nil {
		t.Errorf("a post on X alone asks the database: %v", err)
	}
	if profiles.Refresh(t.Context(), scope, accounts) == nil {
		t.Error("a post on TikTok does not ask the database")
	}
}

// hangingNetwork answers when it has been asked for a number of profiles at the same time.
type hangingNetwork struct {
	consenting
	answersAt int64
	asked     atomic.Int64
	renewals  atomic.Int64
	crowded   chan struct{}
}

func (n *hangingNetwork) Info() provider.Info {
	info := n.consenting.Info()
	info.Abilities.Refresh, info.ProfileLife = true, time.Hour
	return info
}

func (n *hangingNetwork) Profile(ctx context.Context, a provider.Account) (provider.ConnectedAccount, error) {
	if n.asked.Add(1) == n.answersAt {
		close(n.crowded)
	}
	select {
	case <-ctx.Done():
		return provider.ConnectedAccount{}, ctx.Err()
	case <-n.crowded:
		return provider.ConnectedAccount{ProviderAccountID: a.ProviderAccountID, DisplayName: "New"}, nil
	}
}

func (n *hangingNetwork) Refresh(context.Context, provider.Account) (provider.Token, error) {
	n.renewals.Add(1)
	return provider.Token{Access: "new"}, nil
}

// eachHanging runs a test with accounts on such a network.
func eachHanging(t *testing.T, answersAt int64, accounts int,
	test func(t *testing.T, w *world, n *hangingNetwork, scope access.TeamScope, ids []crier.ID)) {
	t.Helper()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		n := &hangingNetwork{answersAt: answersAt, crowded: make(chan struct{})}
		w := newWorld(t, f, n)
		var ids []crier.ID
		for i := range accounts {
			ids = append(ids, w.connect(fmt.Sprint(i)).ID)
		}
		test(t, w, n, accesstest.Owner(t, f).Team(crier.PublishPosts), ids)
	})
}

// A request may name a hundred accounts, and ends after a minute.
func TestAHangingNetworkDelaysSchedulingByOneTimeoutOnly(t *testing.T) {
	t.Parallel()
	eachHanging(t, 1_000, 3*profileReaders, func(t *testing.T, w *world, n *hangingNetwork, scope access.TeamScope,
		ids []crier.ID) {
		w.Profiles.timeout = 300 * time.Millisecond
		if err := w.Profiles.Refresh(t.Context(), scope, ids); err != nil {
			t.Error(err)
		}
		if asked := n.asked.Load(); asked > profileReaders {
			t.Errorf("the network was asked %d times", asked)
		}
		if err := w.Profiles.Refresh(t.Context(), scope, ids); err != nil || n.asked.Load() <= profileReaders {
			t.Errorf("the others are not asked by the next request: %v, asked %d times", err, n.asked.Load())
		}
	})
}

func TestProfilesAreReadConcurrently(t *testing.T) {
	t.Parallel()
	eachHanging(t, profileReaders, 2*profileReaders, func(t *testing.T, w *world, _ *hangingNetwork,
		scope access.TeamScope, ids []crier.ID) {
		w.Profiles.timeout = time.Minute
		if err := w.Profiles.Refresh(t.Context(), scope, ids); err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			if a, err := w.SocialAccount(t.Context(), w.Team.ID, id); err != nil || a.DisplayName != "New" {
				t.Errorf("%q, %v", a.DisplayName, err)
			}
		}
	})
}

// A renewal is not canceled with the request, so it could take much longer.
func TestReadingAProfileRenewsNoToken(t *testing.T) {
	t.Parallel()
	eachHanging(t, 1, 1, func(t *testing.T, w *world, n *hangingNetwork, scope access.TeamScope, ids []crier.ID) {
		for ends, want := range map[time.Duration]int64{-time.Second: 0, time.Minute: 1} {
			n.asked.Store(0)
			w.Now = w.After(profilePause)
			w.Tx(func(ctx context.Context, tx *store.Tx) error {
				a, err := tx.Account(ctx, ids[0])
				if err != nil {
					return err
				}
				at := w.After(ends)
				a.TokenExpiresAt, a.ProfileAt = &at, nil
				return tx.UpdateAccount(ctx, a)
			})
			if err := w.Profiles.Refresh(t.Context(), scope, ids); err != nil || n.renewals.Load() != 0 ||
				n.asked.Load() != want {
				t.Errorf("%s before the end: %v, renewed %d times, asked %d times", ends, err, n.renewals.Load(),
					n.asked.Load())
			}
		}
	})
}
