package main

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier"
)

// health is what an account says about itself.
type health struct {
	Status                                   string
	AccountHealthIssue, AccountHealthMessage string
	AccountHealthSince, ConnectionEndsAt     *crier.Time
	PostsAtRisk                              int
}

func (e *engine) health(tb testing.TB, c crew, a account) health {
	tb.Helper()
	var h health
	e.call(tb, c, "GET", path("social-accounts/%s", a.id), nil).want(tb, http.StatusOK).into(tb, &h)
	return h
}

// renew does what the job does that keeps tokens alive.
func (e *engine) renew(tb testing.TB) {
	tb.Helper()
	if err := e.node.services.Tokens.RenewExpiring(context.Background()); err != nil {
		tb.Fatal(err)
	}
}

// setTime sets a time of an account behind the server's back.
func (e *engine) setTime(tb testing.TB, a account, column string, at time.Time) {
	tb.Helper()
	e.exec(tb, `UPDATE social_accounts SET `+column+` = $2 WHERE id = $1`, a.id, crier.TimeOf(at))
}

// tokenEnds is when the token of an account ends.
func (e *engine) tokenEnds(tb testing.TB, a account) time.Time {
	tb.Helper()
	known, err := e.node.store.Account(context.Background(), a.id)
	if err != nil || known.TokenExpiresAt == nil {
		tb.Fatalf("the token of %s: %v", a.network, err)
	}
	return known.TokenExpiresAt.Time
}

// plan schedules posts on one account, some days ahead.
func (e *engine) plan(tb testing.TB, c crew, on account, days ...int) {
	tb.Helper()
	for _, d := range days {
		e.scheduleIn(tb, c, e.newPost(tb, c, "For later"), time.Duration(d)*24*time.Hour, crier.Targets{SocialAccountIDs: []crier.ID{on.id}})
	}
}

func TestAnAccountSaysThatItWillFailBeforeItsPostsDo(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		c := e.newCrew(t, 100_000, "x", "linkedin", "threads")
		x, linkedin, threads := c.accounts[0], c.accounts[1], c.accounts[2]
		now := e.app.now()
		e.setTime(t, x, "refresh_expires_at", now.Add(10*24*time.Hour))
		e.setTime(t, linkedin, "token_expires_at", now.Add(10*24*time.Hour))
		for _, a := range c.accounts {
			if h := e.health(t, c, a); h.PostsAtRisk != 0 || h.AccountHealthIssue != "" {
				t.Errorf("%s without posts: %+v", a.network, h)
			}
			e.plan(t, c, a, 5, 12, 14)
		}
		for _, a := range []account{x, linkedin} {
			if h := e.health(t, c, a); h.PostsAtRisk != 2 || h.AccountHealthIssue != "auth_failed" || h.Status != "connected" || h.ConnectionEndsAt == nil ||
				!strings.Contains(h.AccountHealthMessage, "cannot be renewed") || !strings.Contains(h.AccountHealthMessage, "2 scheduled posts are at risk") {
				t.Errorf("%s, whose connection ends: %+v", a.network, h)
			}
		}
		if h := e.health(t, c, threads); h.PostsAtRisk != 0 || h.AccountHealthIssue != "" || h.ConnectionEndsAt != nil {
			t.Errorf("threads, whose token renews itself: %+v", h)
		}
		post := e.newPost(t, c, "Another")
		for days, warned := range map[int]bool{5: false, 12: true} {
			if got := e.warnings(t, c, post, x, now.Add(time.Duration(days)*24*time.Hour)); strings.Contains(got, "cannot be renewed") != warned {
				t.Errorf("validating for a time in %d days warns %q", days, got)
			}
		}
		e.exec(t, `UPDATE social_accounts SET scopes = '["threads_basic"]' WHERE id = $1`, threads.id)
		if h := e.health(t, c, threads); h.PostsAtRisk != 3 || !strings.Contains(h.AccountHealthMessage, "threads_content_publish") {
			t.Errorf("threads without a permission: %+v", h)
		}
		e.setTime(t, x, "refresh_expires_at", now.Add(100*24*time.Hour))
		if h := e.health(t, c, x); h.PostsAtRisk != 0 || h.AccountHealthIssue != "" {
			t.Errorf("x, connected for longer: %+v", h)
		}
	})
}

func TestTokensAreRenewedAheadOfThePostThatNeedsThem(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		c := e.newCrew(t, 100_000, "x", "x", "threads")
		busy, idle, threads := c.accounts[0], c.accounts[1], c.accounts[2]
		now := e.app.now()
		for _, a := range []account{busy, idle} {
			e.setTime(t, a, "token_expires_at", now.Add(50*time.Minute))
		}
		e.scheduleIn(t, c, e.newPost(t, c, "Soon"), 55*time.Minute, crier.Targets{SocialAccountIDs: []crier.ID{busy.id}})
		e.renew(t)
		if ends := e.tokenEnds(t, busy); ends.Before(now.Add(time.Hour)) {
			t.Errorf("the token that a post needs ends at %s", ends)
		}
		if ends := e.tokenEnds(t, idle); ends.After(now.Add(time.Hour)) {
			t.Errorf("the token that nothing needs was renewed to %s", ends)
		}
		e.setTime(t, threads, "token_expires_at", now.Add(10*24*time.Hour))
		e.box.fault(t, threads, "refresh", "outage", object{"count": 100}) // the server renews by itself as well
		e.renew(t)
		if h := e.health(t, c, threads); h.Status != "connected" || h.AccountHealthIssue != "" {
			t.Errorf("an outage while renewing: %+v", h)
		}
	})
}

func TestARenewalThatIsRefusedIsSaidWhileTheTokenLasts(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		c := e.newCrew(t, 100_000, "x")
		x, now := c.accounts[0], e.app.now()
		e.plan(t, c, x, 1)
		e.setTime(t, x, "token_expires_at", now.Add(20*time.Minute))
		e.box.fault(t, x, "refresh", "auth_expired", object{"count": 100})
		e.renew(t)
		h := e.health(t, c, x)
		if h.Status != "connected" || h.AccountHealthIssue != "auth_failed" || h.AccountHealthSince == nil || h.PostsAtRisk != 1 ||
			!strings.Contains(h.AccountHealthMessage, "1 scheduled post is at risk") {
			t.Errorf("refused while the token is good: %+v", h)
		}
		published := e.await(t, c, e.now(t, c, e.newPost(t, c, "While it lasts"), x, nil), crier.Published)
		if published.PlatformPostID == "" {
			t.Error("a good token was not used")
		}
		e.setTime(t, x, "token_expires_at", now.Add(-time.Minute))
		e.renew(t)
		if h := e.health(t, c, x); h.Status != "refresh_needed" || h.AccountHealthIssue != "auth_failed" || h.PostsAtRisk != 1 {
			t.Errorf("refused, and the token has ended: %+v", h)
		}
	})
}
