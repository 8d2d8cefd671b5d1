package social

import (
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/access/accesstest"
	"crier/internal/provider"
	"crier/internal/publish"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// TestOutlookTellsWhatWillKeepAnAccountFromPublishing: the first matching reason.
func TestOutlookTellsWhatWillKeepAnAccountFromPublishing(t *testing.T) {
	t.Parallel()
	registry, err := provider.NewRegistry(&consenting{})
	if err != nil {
		t.Fatal(err)
	}
	views := &Views{providers: registry}
	end := crier.TimeOf(time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC))
	later := crier.TimeOf(time.Date(2027, 1, 1, 9, 0, 0, 0, time.UTC))
	failed := publish.HealthAuthFailed
	for _, tc := range []struct {
		name   string
		change func(*store.Account)
		want   string
		from   time.Time
	}{
		{name: "nothing is known", change: func(*store.Account) {}},
		{name: "all was granted", change: func(a *store.Account) { a.Scopes = []string{"read", "write"} }},
		{name: "disabled", change: func(a *store.Account) { a.Status = crier.AccountDisabled },
			want: "The account is disabled."},
		{name: "to be connected again", change: func(a *store.Account) { a.Status = crier.AccountRefreshNeeded },
			want: "The account is refresh_needed."},
		{name: "a permission is missing",
			change: func(a *store.Account) { a.Scopes, a.TokenExpiresAt = []string{"read"}, &end },
			want: "Publishing needs permissions that were not granted: write. Connect the account again and " +
				"grant them."},
		{name: "a token that ends", change: func(a *store.Account) { a.TokenExpiresAt = &end }, from: end.Time,
			want: "The connection ends on Tue, 01 Dec 2026 09:00:00 UTC and cannot be renewed. " +
				"Connect the account again before."},
		{name: "a refresh token that ends",
			change: func(a *store.Account) { a.TokenExpiresAt, a.RefreshExpiresAt = &end, &later },
			from:   later.Time,
			want: "The connection ends on Fri, 01 Jan 2027 09:00:00 UTC and cannot be renewed. " +
				"Connect the account again before."},
		{name: "a renewal that failed", change: func(a *store.Account) {
			a.TokenExpiresAt, a.RefreshExpiresAt, a.AccountHealthIssue = &end, &later, &failed
		}, from: end.Time,
			want: "The connection ends on Tue, 01 Dec 2026 09:00:00 UTC and cannot be renewed. " +
				"Connect the account again before."},
		{name: "a network that is not here",
			change: func(a *store.Account) { a.Provider, a.TokenExpiresAt = "mastodon", &end }},
	} {
		a := store.Account{SocialAccount: crier.SocialAccount{
			Provider: crier.ProviderThreads, Status: crier.AccountConnected}}
		tc.change(&a)
		got, ok := views.Outlook(a)
		if ok != (tc.want != "") || got.Message != tc.want || !got.From.Equal(tc.from) {
			t.Errorf("%s: %+v, %t; want %q from %v", tc.name, got, ok, tc.want, tc.from)
		}
	}
}

func TestRisksAreAddedToWhatIsKnown(t *testing.T) {
	t.Parallel()
	outlook := Outlook{Message: "It ends."}
	text := func(s string) *string { return &s }
	connected := crier.TimeOf(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))
	for _, tc := range []struct {
		name           string
		account        crier.SocialAccount
		count          int64
		issue, message string
	}{
		{name: "one post", account: crier.SocialAccount{Status: crier.AccountConnected}, count: 1, issue: "auth_failed",
			message: "It ends. 1 scheduled post is at risk."},
		{name: "several", account: crier.SocialAccount{Status: crier.AccountConnected}, count: 7, issue: "auth_failed",
			message: "It ends. 7 scheduled posts are at risk."},
		{name: "switched off by hand", account: crier.SocialAccount{Status: crier.AccountDisabled}, count: 2},
		{name: "a known reason", account: crier.SocialAccount{Status: crier.AccountRefreshNeeded,
			AccountHealthIssue: text("auth_failed"), AccountHealthMessage: text("Expired.")}, count: 2,
			issue: "auth_failed", message: "Expired. 2 scheduled posts are at risk."},
		{name: "another illness", account: crier.SocialAccount{Status: crier.AccountConnected,
			AccountHealthIssue: text("rate_limited"), AccountHealthMessage: text("Slow.")}, count: 2,
			issue: "rate_limited", message: "Slow."},
	} {
		tc.account.ConnectedAt = connected
		before := tc.account.AccountHealthMessage
		addRisk(&tc.account, outlook, tc.count)
		if a := tc.account; a.PostsAtRisk != tc.count || crier.Text(a.AccountHealthIssue) != tc.issue ||
			crier.Text(a.AccountHealthMessage) != tc.message {
			t.Errorf("%s: %d posts, %q: %q", tc.name, a.PostsAtRisk, crier.Text(a.AccountHealthIssue),
				crier.Text(a.AccountHealthMessage))
		}
		if before != nil && strings.Contains(*before, "risk") {
			t.Errorf("%s: the message of somebody else was changed", tc.name)
		}
	}
}

// TestPostsAtRiskAreThoseBehindTheEnd: posts due before a connection ends are safe.
func TestPostsAtRiskAreThoseBehindTheEnd(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w := newWorld(t, f, &consenting{})
		end := f.After(24 * time.Hour)
		a := w.NewAccount(crier.ProviderThreads, func(a *store.Account) { a.TokenExpiresAt = &end })
		for _, at := range []time.Duration{time.Hour, 25 * time.Hour, 48 * time.Hour} {
			w.Schedule(w.NewPost("Owl"), func(p *store.Publication) {
				p.SocialAccountID, p.Provider, p.ScheduledAt = a.ID, a.Provider, f.After(at)
			})
		}
		scope := accesstest.Owner(t, f).Team(crier.Read)
		wantRisk(t, w, scope, a.ID, 2,
			"cannot be renewed. Connect the account again before. 2 scheduled posts are at risk.")
		list, err := w.Accounts.List(t.Context(), scope)
		i := slices.IndexFunc(list.Data, func(s crier.SocialAccount) bool { return s.ID == a.ID })
		if err != nil || i < 0 || list.Data[i].PostsAtRisk != 2 || !list.Data[i].ConnectionEndsAt.Equal(end.Time) {
			t.Errorf("the list has %+v, %v", list.Data, err)
		}
	})
}

func wantRisk(t *testing.T, w *world, scope access.TeamScope, id crier.ID, posts int64, message string) {
	t.Helper()
	got, err := w.Accounts.Get(t.Context(), scope, id)
	if err != nil || got.PostsAtRisk != posts || !strings.HasSuffix(crier.Text(got.AccountHealthMessage), message) ||
		got.AccountHealthSince == nil {
		t.Errorf("at risk are %d posts: %q, %v; want %d", got.PostsAtRisk, crier.Text(got.AccountHealthMessage),
			err, posts)
	}
}
