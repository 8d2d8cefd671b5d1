package analytics_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"crier"
	"crier/internal/analytics"
	"crier/internal/job"
	"crier/internal/provider"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// days returns the stored days of an account.
func (w *world) days(t *testing.T, account crier.ID) []store.AccountDay {
	t.Helper()
	list, err := w.AccountDays(t.Context(), store.AnalyticsFilter{TeamID: w.Team.ID, To: 1 << 40,
		SocialAccountIDs: []crier.ID{account}})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestPlanAccountsPlansEachDueReadingOnce(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w := newWorld(t, f)
		sandbox := w.connected(t, crier.ProviderX, func(a *store.Account) { a.Sandbox = true })
		w.connected(t, crier.ProviderX, func(a *store.Account) { a.Status = crier.AccountDisconnected })
		plan := func() map[crier.ID]job.Job {
			more, err := w.PlanAccounts(t.Context())
			if err != nil || more {
				t.Fatalf("planning: more %t, %v", more, err)
			}
			jobs := map[crier.ID]job.Job{}
			for _, j := range w.queue.take() {
				args, _ := j.Args.(job.AccountSnapshot)
				jobs[args.SocialAccountID] = j
			}
			return jobs
		}
		first := plan()
		want := job.AccountSnapshot{SocialAccountID: w.Fixture.Account.ID, Provider: crier.ProviderX, TeamID: w.Team.ID,
			Before: w.After(12 * time.Hour)}
		if j := first[w.Fixture.Account.ID]; j.Args != want || !j.At.Equal(w.now) {
			t.Errorf("a new account is read at %s: %+v, want at once: %+v", j.At, j.Args, want)
		}
		if _, ok := first[sandbox.ID]; !ok || len(first) != 4 { // the fixture's first account is connected, too
			t.Errorf("%d accounts are read, want those that are connected: %v", len(first), first)
		}
		if again := plan(); len(again) != 0 {
			t.Errorf("%d accounts are read again at once", len(again))
		}
		w.now = w.now.Add(time.Minute)
		if next := plan(); len(next) != 1 || next[sandbox.ID].Args == nil {
			t.Errorf("after a minute %d accounts are read, want the young one of the sandbox", len(next))
		}
	})
}

func TestAccountSnapshotKeepsTotalsUnderTodayAndFlowsUnderYesterday(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w := newWorld(t, f)
		zone := "America/New_York"
		w.Team.Timezone = &zone
		w.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.UpdateTeam(ctx, w.Team) })
		w.now = time.Date(2026, 11, 2, 3, 0, 0, 0, time.UTC) // still 1 November in New York, the day of 25 hours
		w.network.account = provider.AccountMetrics{Followers: number(10), Following: number(2), Posts: number(3),
			Impressions: number(100), Reach: number(50), Engagements: number(7)}
		snapshot := job.AccountSnapshot{SocialAccountID: w.Fixture.Account.ID, Before: crier.TimeOf(w.now)}
		if err := w.AccountSnapshot(t.Context(), snapshot); err != nil {
			t.Fatal(err)
		}
		period := [2]time.Time{time.Date(2026, 10, 31, 4, 0, 0, 0, time.UTC), time.Date(2026, 11, 1, 4, 0, 0, 0,
			time.UTC)}
		if w.network.period != period {
			t.Errorf("the network was asked about %v, want yesterday %v", w.network.period, period)
		}
		today := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC).Unix() / 86400
		days := w.days(t, w.Fixture.Account.ID)
		if len(days) != 2 || days[0].Day != today-1 || days[0].Followers != nil || *days[0].Views != 100 ||
			*days[0].Reach != 50 || *days[0].Engagements != 7 {
			t.Fatalf("the day before has %+v", days)
		}
		if d := days[1]; d.Day != today || *d.Followers != 10 || *d.Following != 2 || *d.Posts != 3 || d.Views != nil {
			t.Errorf("today has %+v", d)
		}
		w.network.account = provider.AccountMetrics{Followers: number(12)}
		if err := w.AccountSnapshot(t.Context(), snapshot); err != nil {
			t.Fatal(err)
		}
		days = w.days(t, w.Fixture.Account.ID)
		if len(days) != 2 || *days[0].Views != 100 || *days[1].Followers != 12 || *days[1].Posts != 3 {
			t.Errorf("a reading that tells less takes away what was known: %+v", days)
		}
	})
}

func TestAccountSnapshotTellsPeopleWhatKeepsItFromReading(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w := newWorld(t, f)
		id := w.Fixture.Account.ID
		read := func() error {
			return w.AccountSnapshot(t.Context(), job.AccountSnapshot{SocialAccountID: id, Before: w.After(time.Hour)})
		}
		w.network.denied = true
		if err := read(); err != nil || w.network.calls != 0 || w.hint(t,
			id) != "The connection does not allow reading "+
			"the account's metrics. Connect the account again and grant the permission for "+
			"insights, if its kind has any." {
			t.Errorf("without the ability: %q, %v, %d calls", w.hint(t, id), err, w.network.calls)
		}
		w.network.denied = false
		w.network.err = &provider.Error{Kind: provider.Rejected, Code: provider.CodePermissionMissing,
			Message: "no scope"}
		if err := read(); err != nil || w.hint(t, id) != "The network refuses to report metrics: no scope" {
			t.Errorf("without the permission: %q, %v", w.hint(t, id), err)
		}
		w.network.err = nil
		if err := read(); err != nil || w.hint(t, id) != "" {
			t.Errorf("after a good reading the hint is %q, %v", w.hint(t, id), err)
		}
		for after, want := range map[time.Duration]time.Duration{0: 10 * time.Minute, time.Minute: 10 * time.Minute,
			time.Hour: time.Hour} {
			w.network.err = &provider.Error{Kind: provider.RateLimited, Code: provider.CodeRateLimited,
				Message:    "slow down",
				RetryAfter: after}
			if later, ok := errors.AsType[*analytics.Later](read()); !ok || later.After != want {
				t.Errorf("a limit of %s: read again %+v, want in %s", after, later, want)
			}
		}
		w.network.err = errors.New("broken")
		if err := read(); err != nil {
			t.Errorf("what trying again does not mend is an error: %v", err)
		}
	})
}

func TestAccountSnapshotLeavesAloneWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w := newWorld(t, f)
		gone := w.connected(t, crier.ProviderX, func(a *store.Account) { a.Status = crier.AccountDisconnected })
		unknown := w.connected(t, crier.ProviderYouTube)
		late := w.After(-time.Second)
		for name, args := range map[string]job.AccountSnapshot{
			"no account":                             {SocialAccountID: crier.NewID(), Before: w.After(time.Hour)},
			"a disconnected account":                 {SocialAccountID: gone.ID, Before: w.After(time.Hour)},
			"an account of no network":               {SocialAccountID: unknown.ID, Before: w.After(time.Hour)},
			"an account of a network without a word": {SocialAccountID: w.silent.ID, Before: w.After(time.Hour)},
			"a reading whose time is over":           {SocialAccountID: w.Fixture.Account.ID, Before: late},
		} {
			if err := w.AccountSnapshot(t.Context(), args); err != nil || w.network.calls != 0 {
				t.Errorf("%s: %v, %d calls", name, err, w.network.calls)
			}
		}
		w.network.costs = []provider.Cost{{Key: provider.CostAccountMetrics, Credits: 7}}
		args := job.AccountSnapshot{SocialAccountID: w.Fixture.Account.ID, Before: w.After(time.Hour)}
		if err := w.AccountSnapshot(t.Context(), args); err != nil || w.network.calls != 0 {
			t.Errorf("a reading that nobody wants to pay for: %v, %d calls", err, w.network.calls)
		}
		w.pays(10)
		if err := w.AccountSnapshot(t.Context(), args); err != nil || w.network.calls != 1 || w.balance(t) != 3 {
			t.Errorf("a bought reading: %v, %d calls, %d credits left", err, w.network.calls, w.balance(t))
		}
	})
}
