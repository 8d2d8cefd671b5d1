package store_test

import (
	"context"
	"maps"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

func vitals(t *testing.T, f *storetest.Fixture) store.Vitals {
	t.Helper()
	v, err := f.Vitals(context.Background(), f.Now.Time)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestVitalsOfAnIdleInstallationAreZero(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		f.Schedule(f.NewPost("future"), func(p *store.Publication) {
			p.ScheduledAt = f.After(time.Hour)
			p.WakeAt = &p.ScheduledAt
		})
		v := vitals(t, f)
		if len(v.Due) != 0 || len(v.OldestDue) != 0 || !v.ReadySince.IsZero() || len(v.Unhealthy) != 0 ||
			v.FailingWebhooks != 0 || v.DeadWebhooks != 0 {
			t.Errorf("%+v", v)
		}
	})
}

func TestVitalsFindTheOldestPostThatCanGoOut(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		due := func(network crier.Provider, scheduled, wake time.Duration) store.Publication {
			account := f.Account
			if network != account.Provider {
				account = f.NewAccount(network)
			}
			return f.Schedule(f.NewPost("a post"), func(p *store.Publication) {
				at := f.After(wake)
				p.SocialAccountID, p.Provider, p.ScheduledAt, p.WakeAt = account.ID, network, f.After(scheduled), &at
			})
		}
		due("x", -time.Minute, -2*time.Second)
		due("x", -time.Hour, time.Minute) // is retried later: due, but no work for a worker
		f.Lease(crier.NewID(), due("x", -time.Minute, -time.Minute))
		due("threads", -time.Second, -time.Second)
		for _, code := range []string{"auth_expired", "permission_missing"} { // until the account is reconnected
			waits := due("x", -48*time.Hour, time.Hour)
			mustExec(t, f.Store, `UPDATE publications SET error_code = $2 WHERE id = $1`, waits.ID, code)
		}
		unknown := due("x", -72*time.Hour, 0)
		mustExec(t, f.Store, `UPDATE publications SET status = 'unknown', wake_at = NULL WHERE id = $1`, unknown.ID)
		published := due("x", -96*time.Hour, 0)
		mustExec(t, f.Store, `UPDATE publications SET status = 'published', wake_at = NULL WHERE id = $1`, published.ID)
		v := vitals(t, f)
		if want := map[crier.Provider]int64{"x": 2, "threads": 1}; !maps.Equal(v.Due, want) {
			t.Errorf("due are %v, want %v", v.Due, want)
		}
		if got := v.OldestDue; len(got) != 2 || !got["x"].Equal(f.After(-time.Hour).Time) ||
			!got["threads"].Equal(f.After(-time.Second).Time) {
			t.Errorf("the oldest are of %v", got)
		}
		if !v.ReadySince.Equal(f.After(-2 * time.Second).Time) {
			t.Errorf("ready since %s", v.ReadySince)
		}
	})
}

func TestVitalsCountUnhealthyAccountsAndFailingWebhooks(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		for _, c := range []struct {
			network crier.Provider
			status  crier.AccountStatus
			issue   string
		}{
			{"x", crier.AccountRefreshNeeded, "auth_failed"}, {"x", crier.AccountConnected, "auth_failed"},
			{"x", crier.AccountConnected, "rate_limited"}, {"threads", crier.AccountConnected, "verification_required"},
			{"x", crier.AccountDisconnected, "auth_failed"}, {"x", crier.AccountDisabled, "auth_failed"},
		} {
			a := f.NewAccount(c.network, func(a *store.Account) { a.Status = c.status })
			mustExec(t, f.Store, `UPDATE social_accounts SET health_issue = $2 WHERE id = $1`, a.ID, c.issue)
		}
		hook := func(status crier.WebhookStatus, failing bool) {
			w := store.Webhook{Webhook: crier.Webhook{ID: crier.NewID(), OrganizationID: f.Organization.ID,
				URL: "https://example.com", Types: []string{}, Status: status, CreatedAt: f.Now}, Secret: []byte("s")}
			f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertWebhook(ctx, w) })
			if failing {
				mustExec(t, f.Store, `UPDATE webhooks SET failing_since = $2 WHERE id = $1`, w.ID, f.Now)
			}
		}
		hook(crier.WebhookEnabledStatus, false)
		hook(crier.WebhookEnabledStatus, true)
		hook(crier.WebhookDisabledStatus, false) // by a user
		hook(crier.WebhookDisabledStatus, true)
		hook(crier.WebhookDisabledStatus, true)
		v := vitals(t, f)
		want := map[store.UnhealthyAccounts]int64{{Provider: "x", Issue: "auth_failed"}: 2,
			{Provider: "x", Issue: "rate_limited"}: 1, {Provider: "threads", Issue: "verification_required"}: 1}
		if !maps.Equal(v.Unhealthy, want) {
			t.Errorf("unhealthy are %v, want %v", v.Unhealthy, want)
		}
		if v.FailingWebhooks != 1 || v.DeadWebhooks != 2 {
			t.Errorf("%d webhooks fail and %d are dead", v.FailingWebhooks, v.DeadWebhooks)
		}
	})
}

// Very many posts are planned and many need attention: neither are scanned.
func TestVitalsUseIndexes(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, s *store.Store) {
		noon := crier.TimeOf(time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC))
		fillPlanned(t, s, "x", crier.TimeOf(noon.Add(time.Hour)), 5_000)
		mustExec(t, s, words[s.Dialect()].analyze)
		queries, args := store.VitalsQueries(noon)
		for i, index := range []string{"publications_to_wake", "publications_planned", "publications_to_wake",
			"social_accounts_unhealthy", "webhooks_failing"} {
			if i > 2 && s.Dialect() == store.Postgres {
				continue // scans empty tables
			}
			p := plan(t, s, queries[i], args[i]...)
			if !strings.Contains(p, index) || strings.Contains(p, "SCAN p\n") ||
				strings.Contains(p, "Seq Scan on pub") {
				t.Errorf("the plan does not use %s:\n%s", index, p)
			}
		}
	})
}
