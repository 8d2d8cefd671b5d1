package service

import (
	"context"
	"testing"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/provider/tiktok"
	"crier/internal/provider/x"
	"crier/internal/store"
)

// newTeam makes a team with an account on each of the networks.
func (r *rules) newTeam(tb testing.TB, networks ...crier.Provider) (scope TeamScope, accounts []crier.ID) {
	tb.Helper()
	ctx := context.Background()
	tenant, err := r.Instance.Initialise(ctx, TenantRequest{Name: "Acme"})
	if err != nil {
		tb.Fatal(err)
	}
	caller, err := r.Access.Authenticate(ctx, tenant.APIKey)
	if err != nil {
		tb.Fatal(err)
	}
	if scope, err = r.Access.Team(ctx, caller, tenant.TeamID, crier.PublishPosts); err != nil {
		tb.Fatal(err)
	}
	at := crier.TimeOf(r.time)
	for _, network := range networks {
		id := crier.NewID()
		accounts = append(accounts, id)
		a := store.Account{SocialAccount: crier.SocialAccount{ID: id, TeamID: tenant.TeamID, Provider: network, ProviderAccountID: string(id),
			DisplayName: "Wanderer", ProviderSettings: []byte(`{}`), Status: crier.AccountConnected, ConnectedAt: at, CreatedAt: at, UpdatedAt: at}, ProfileAt: &at}
		if err := r.store.WithTx(ctx, func(tx *store.Tx) error { return tx.InsertAccount(ctx, a) }); err != nil {
			tb.Fatal(err)
		}
	}
	return scope, accounts
}

// Only networks whose accounts change from hour to hour are worth a question to the database before every post.
func TestPlanningOnANetworkThatIsNotAskedCostsNoQuery(t *testing.T) {
	t.Parallel()
	db := databases.Fresh(t, store.SQLite)
	st, err := store.Open(context.Background(), db.Config())
	if err != nil {
		t.Fatal(err)
	}
	r := newRules(t, st, testSecret)
	caller, now := provider.NewCaller(provider.CallerConfig{}), func() time.Time { return r.time }
	plain, err := x.New(x.Config{Caller: caller, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	asked, err := tiktok.New(tiktok.Config{Caller: caller, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	profiles := r.Schedules.profiles
	if profiles.providers, err = provider.NewRegistry(plain, asked); err != nil {
		t.Fatal(err)
	}
	scope, accounts := r.newTeam(t, "x", "tiktok")
	ctx := context.Background()
	if err := profiles.freshen(ctx, scope, accounts); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if err := profiles.freshen(ctx, scope, accounts[:1]); err != nil {
		t.Errorf("a post on X alone asks the database: %v", err)
	}
	if profiles.freshen(ctx, scope, accounts) == nil {
		t.Error("a post on TikTok does not ask the database")
	}
}
