package social

import (
	"testing"
	"time"

	"crier"
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
