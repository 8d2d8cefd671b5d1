package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/server/servertest"
)

// health is the reported health of an account.
type health struct {
	Status                                   string
	AccountHealthIssue, AccountHealthMessage string
	AccountHealthSince, ConnectionEndsAt     *crier.Time
	PostsAtRisk                              int
}

func (e *engine) health(tb testing.TB, c crew, a servertest.Account) health {
	tb.Helper()
	var h health
	e.Call(tb, c, "GET", path("social-accounts/%s", a.ID), nil).Want(tb, http.StatusOK).Into(tb, &h)
	return h
}

// renew runs the job that refreshes tokens. It skips those that the server is refreshing by itself.
func (e *engine) renew(tb testing.TB) {
	tb.Helper()
	if err := e.Node.Services.Tokens.RenewExpiring(context.Background()); err != nil {
		tb.Fatal(err)
	}
}

// unhealthy waits until an account has an issue.
func (e *engine) unhealthy(tb testing.TB, c crew, a servertest.Account) (h health) {
	tb.Helper()
	servertest.Until(tb, func() bool { h = e.health(tb, c, a); return h.AccountHealthIssue != "" },
		func() string { return fmt.Sprintf("nothing ails the account: %+v", h) })
	return h
}

// setTime sets a time of an account directly in the store.
func (e *engine) setTime(tb testing.TB, a servertest.Account, column string, at time.Time) {
	tb.Helper()
	e.Exec(tb, `UPDATE social_accounts SET `+column+` = $2 WHERE id = $1`, a.ID, crier.TimeOf(at))
}

// tokenEnds returns when the token of an account expires.
func (e *engine) tokenEnds(tb testing.TB, a servertest.Account) time.Time {
	tb.Helper()
	known, err := e.Node.Store.Account(context.Background(), a.ID)
	if err != nil || known.TokenExpiresAt == nil {
		tb.Fatalf("the token of %s: %v", a.Network, err)
	}
	return known.TokenExpiresAt.Time
}

// plan schedules posts on one account, some days ahead.
func (e *engine) plan(tb testing.TB, c crew, on servertest.Account, days ...int) {
	tb.Helper()
	for _, d := range days {
		e.ScheduleIn(tb, c, e.NewPost(tb, c, "For later"), time.Duration(d)*24*time.Hour,
			crier.Targets{SocialAccountIDs: []crier.ID{on.ID}})
	}
}

func TestAccountWarnsBeforeItsPostsFail(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, e *engine) {
		c := e.NewCrew(t, 100_000, "x", "linkedin", "threads")
		x, linkedin, threads := c.Accounts[0], c.Accounts[1], c.Accounts[2]
		now := e.Config.Now()
		e.setTime(t, x, "refresh_expires_at", now.Add(10*24*time.Hour))
		e.setTime(t, linkedin, "token_expires_at", now.Add(10*24*time.Hour))
		for _, a := range c.Accounts {
			if h := e.health(t, c, a); h.PostsAtRisk != 0 || h.AccountHealthIssue != "" {
				t.Errorf("%s without posts: %+v", a.Network, h)
			}
			e.plan(t, c, a, 5, 12, 14)
		}
		for _, a := range []servertest.Account{x, linkedin} {
			if h := e.health(t, c, a); h.PostsAtRisk != 2 || h.AccountHealthIssue != "auth_failed" ||
				h.Status != "connected" || h.ConnectionEndsAt == nil ||
				!strings.Contains(h.AccountHealthMessage, "cannot be renewed") ||
				!strings.Contains(h.AccountHealthMessage, "2 scheduled posts are at risk") {
				t.Errorf("%s, whose connection ends: %+v", a.Network, h)
			}
		}
		if h := e.health(t, c, threads); h.PostsAtRisk != 0 || h.AccountHealthIssue != "" || h.ConnectionEndsAt != nil {
			t.Errorf("threads, whose token renews itself: %+v", h)
		}
		post := e.NewPost(t, c, "Another")
		for days, warned := range map[int]bool{5: false, 12: true} {
			if got := e.Warnings(t, c, post, x, now.Add(time.Duration(days)*24*time.Hour)); strings.Contains(got,
				"cannot be renewed") != warned {
				t.Errorf("validating for a time in %d days warns %q", days, got)
			}
		}
		e.Exec(t, `UPDATE social_accounts SET scopes = '["threads_basic"]' WHERE id = $1`, threads.ID)
		if h := e.health(t, c, threads); h.PostsAtRisk != 3 ||
			!strings.Contains(h.AccountHealthMessage, "threads_content_publish") {
			t.Errorf("threads without a permission: %+v", h)
		}
		e.setTime(t, x, "refresh_expires_at", now.Add(100*24*time.Hour))
		if h := e.health(t, c, x); h.PostsAtRisk != 0 || h.AccountHealthIssue != "" {
			t.Errorf("x, connected for longer: %+v", h)
		}
	})
}

func TestTokensAreRefreshedAheadOfTheirPosts(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		c := e.NewCrew(t, 100_000, "x", "x", "threads")
		busy, idle, threads := c.Accounts[0], c.Accounts[1], c.Accounts[2]
		now := e.Config.Now()
		for _, a := range []servertest.Account{busy, idle} {
			e.setTime(t, a, "token_expires_at", now.Add(50*time.Minute))
		}
		e.ScheduleIn(t, c, e.NewPost(t, c, "Soon"), 55*time.Minute,
			crier.Targets{SocialAccountIDs: []crier.ID{busy.ID}})
		e.renew(t)
		servertest.Until(t, func() bool { return e.tokenEnds(t, busy).After(now.Add(time.Hour)) },
			func() string { return fmt.Sprintf("the token that a post needs ends at %s", e.tokenEnds(t, busy)) })
		if ends := e.tokenEnds(t, idle); ends.After(now.Add(time.Hour)) {
			t.Errorf("the token that nothing needs was renewed to %s", ends)
		}
		e.setTime(t, threads, "token_expires_at", now.Add(10*24*time.Hour))
		e.box.Fault(t, threads, "refresh", "outage", object{"count": 100}) // the server refreshes by itself as well
		e.renew(t)
		if h := e.health(t, c, threads); h.Status != "connected" || h.AccountHealthIssue != "" {
			t.Errorf("an outage while renewing: %+v", h)
		}
	})
}

func TestRejectedRefreshIsReportedWhileTheTokenIsValid(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		c := e.NewCrew(t, 100_000, "x")
		x, now := c.Accounts[0], e.Config.Now()
		e.plan(t, c, x, 1)
		e.setTime(t, x, "token_expires_at", now.Add(20*time.Minute))
		e.box.Fault(t, x, "refresh", "auth_expired", object{"count": 100})
		e.renew(t)
		h := e.unhealthy(t, c, x)
		if h.Status != "connected" || h.AccountHealthIssue != "auth_failed" || h.AccountHealthSince == nil ||
			h.PostsAtRisk != 1 ||
			!strings.Contains(h.AccountHealthMessage, "1 scheduled post is at risk") {
			t.Errorf("refused while the token is good: %+v", h)
		}
		published := e.Await(t, c, e.PostOn(t, c, e.NewPost(t, c, "While it lasts"), x, nil), crier.Published)
		if published.PlatformPostID == "" {
			t.Error("a good token was not used")
		}
		e.setTime(t, x, "token_expires_at", now.Add(-time.Minute))
		e.renew(t)
		servertest.Until(t, func() bool { return e.health(t, c, x).Status == "refresh_needed" },
			func() string { return fmt.Sprintf("the token has ended: %+v", e.health(t, c, x)) })
		if h := e.health(t, c, x); h.AccountHealthIssue != "auth_failed" || h.PostsAtRisk != 1 {
			t.Errorf("refused, and the token has ended: %+v", h)
		}
	})
}
