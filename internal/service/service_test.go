package service

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/auth"
	"crier/internal/job"
	"crier/internal/pagination"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

var databases = &storetest.Suite{}

func TestMain(m *testing.M) { os.Exit(databases.Run(m)) }

const testSecret = "0123456789abcdef0123456789abcdef"

// noJobs discards jobs.
type noJobs struct{}

func (noJobs) Enqueue(context.Context, *store.Tx, ...job.Job) error { return nil }

// rules are the services over a store, at a time that the test sets.
type rules struct {
	*Services
	store *store.Store
	time  time.Time
}

func newRules(tb testing.TB, st *store.Store, secret string) *rules {
	tb.Helper()
	return newRulesWith(tb, st, secret, func(*Config) {})
}

func newRulesWith(tb testing.TB, st *store.Store, secret string, change func(*Config)) *rules {
	tb.Helper()
	keys, err := auth.NewKeyring(secret)
	if err != nil {
		tb.Fatal(err)
	}
	r := &rules{store: st, time: time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)}
	cfg := Config{Store: st, Keys: keys, Queue: noJobs{}, Now: func() time.Time { return r.time },
		Logger: slog.New(slog.DiscardHandler), PasswordMemory: 64}
	change(&cfg)
	r.Services = New(cfg)
	return r
}

func instant(tb testing.TB, text string) crier.Time {
	tb.Helper()
	t, err := crier.ParseTime(text)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func TestBillingPeriodEndsAMonthLaterOnTheSameDay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ start, now, end string }{
		{"2026-11-15T09:00:00Z", "2026-11-15T09:00:00Z", "2026-12-15T09:00:00Z"},
		{"2026-11-15T09:00:00Z", "2026-12-15T08:59:59Z", "2026-12-15T09:00:00Z"},
		{"2026-11-15T09:00:00Z", "2026-12-15T09:00:00Z", "2027-01-15T09:00:00Z"},
		{"2026-01-31T00:00:00Z", "2026-01-31T00:00:00Z", "2026-02-28T00:00:00Z"},
		{"2026-01-31T00:00:00Z", "2026-02-28T00:00:00Z", "2026-03-31T00:00:00Z"},
		{"2028-01-31T00:00:00Z", "2028-02-15T00:00:00Z", "2028-02-29T00:00:00Z"},
		{"2026-01-30T23:59:59.999Z", "2026-04-30T23:59:59.998Z", "2026-04-30T23:59:59.999Z"},
		{"2026-12-31T12:00:00Z", "2027-01-01T00:00:00Z", "2027-01-31T12:00:00Z"},
		{"2020-02-29T12:00:00Z", "2026-11-15T00:00:00Z", "2026-11-29T12:00:00Z"},
		{"2026-11-15T09:00:00Z", "2026-01-01T00:00:00Z", "2026-12-15T09:00:00Z"}, // a clock that was set back
	} {
		if got := periodEnd(instant(t, c.start), instant(t, c.now)); got != instant(t, c.end) {
			t.Errorf("a plan from %s on has its period end at %s on %s, want %s", c.start, got, c.now, c.end)
		}
	}
}

// initialise creates the first organization and returns the scope of its key for the team.
func (r *rules) initialise(t *testing.T, to crier.Permission) access.TeamScope {
	t.Helper()
	ctx := context.Background()
	tenant, err := r.Instance.Initialise(ctx, TenantRequest{Name: "Acme"})
	if err != nil {
		t.Fatal(err)
	}
	caller, err := r.Access.Authenticate(ctx, tenant.APIKey)
	if err != nil {
		t.Fatal(err)
	}
	scope, err := r.Access.Team(ctx, caller, tenant.TeamID, to)
	if err != nil {
		t.Fatal(err)
	}
	return scope
}

func TestDeletedTeamIsPurgedAfterThirtyDays(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		r, ctx := newRules(t, st, testSecret), context.Background()
		scope := r.initialise(t, crier.DeleteTeams)
		teams := func() (n int) {
			if err := st.Reader().QueryRowContext(ctx, `SELECT count(*) FROM teams`).Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		purge := func() {
			if err := r.Upkeep.PurgeTeam(ctx, scope.Team().ID); err != nil {
				t.Fatal(err)
			}
		}
		purge() // a team that is not deleted is left alone
		if _, err := r.Teams.Delete(ctx, scope); err != nil {
			t.Fatal(err)
		}
		r.time = r.time.Add(29 * 24 * time.Hour)
		purge()
		if teams() != 1 {
			t.Error("the team was purged after 29 days")
		}
		r.time = r.time.Add(24*time.Hour + time.Second)
		purge()
		purge() // a job may run twice
		if teams() != 0 {
			t.Error("the team is still there after 30 days")
		}
	})
}

func TestOneOfManyNodesInitializesTheStore(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		r, ctx := newRules(t, st, testSecret), context.Background()
		var all sync.WaitGroup
		results := make([]error, 10)
		for i := range results {
			all.Go(func() { _, results[i] = r.Instance.Initialise(ctx, TenantRequest{Name: "Acme"}) })
		}
		all.Wait()
		made := 0
		for _, err := range results {
			switch {
			case err == nil:
				made++
			case !errors.Is(err, ErrInUse):
				t.Error(err)
			}
		}
		if made != 1 {
			t.Errorf("%d nodes initialised the store", made)
		}
	})
}

func TestStoreRejectsAnotherSecretKey(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		ctx := context.Background()
		const other, third = "ffffffffffffffffffffffffffffffff", "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"
		bind := func(secrets string) error { return newRules(t, st, secrets).Instance.BindKey(ctx) }
		for _, step := range []struct {
			secrets string
			good    bool
		}{
			{testSecret, true}, {testSecret, true}, {other, false}, {other + "," + third, false},
			{testSecret + "," + other, true}, {other + "," + testSecret, true},
			{testSecret, false}, {other, true},
		} {
			if err := bind(step.secrets); (err == nil) != step.good {
				t.Errorf("%.4s… of %d: %v", step.secrets, len(step.secrets), err)
			}
		}
	})
}

func TestRulesRefuseAnEmptyScope(t *testing.T) {
	t.Parallel()
	r, ctx := newRules(t, databases.Fresh(t, store.SQLite).Open(t), testSecret), context.Background()
	for name, call := range map[string]func() error{
		"organizations list": func() error {
			_, err := r.Organizations.List(ctx, access.CallerScope{},
				pagination.Query{})
			return err
		},
		"organizations make": func() error {
			_, err := r.Organizations.Create(ctx, access.CallerScope{}, crier.OrganizationCreate{})
			return err
		},
		"organization read": func() error { _, err := r.Organizations.Get(ctx, access.OrgScope{}); return err },
		"organization change": func() error {
			_, err := r.Organizations.Update(ctx, access.OrgScope{}, crier.OrganizationUpdate{})
			return err
		},
		"teams list": func() error {
			_, err := r.Teams.List(ctx, access.CallerScope{}, "",
				pagination.Query{})
			return err
		},
		"team make": func() error {
			_, err := r.Teams.Create(ctx, access.OrgScope{},
				crier.TeamCreate{})
			return err
		},
		"team read": func() error { _, err := r.Teams.Get(ctx, access.TeamScope{}); return err },
		"team change": func() error {
			_, err := r.Teams.Update(ctx, access.TeamScope{},
				crier.TeamUpdate{})
			return err
		},
		"team delete": func() error { _, err := r.Teams.Delete(ctx, access.TeamScope{}); return err },
		"keys list":   func() error { _, err := r.Keys.List(ctx, access.OrgScope{}, pagination.Query{}); return err },
		"key make": func() error {
			_, err := r.Keys.Create(ctx, access.OrgScope{},
				crier.APIKeyCreate{})
			return err
		},
		"key revoke": func() error { _, err := r.Keys.Revoke(ctx, access.OrgScope{}, crier.NewID()); return err },
		"key rotate": func() error {
			_, err := r.Keys.Rotate(ctx, access.OrgScope{}, crier.NewID(), crier.APIKeyRotate{})
			return err
		},
		"context": func() error { _, err := r.Contexts.Get(ctx, access.CallerScope{}); return err },
	} {
		if err := call(); !errors.Is(err, access.ErrNoScope) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
