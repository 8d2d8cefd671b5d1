package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// faultCase is a post that is published while its network fails.
type faultCase struct {
	name    string
	network string
	fault   object // of the sandbox's control API: operation, kind, …
	parts   []string
	comment string
	// The expected result.
	status   crier.ScheduledPostStatus
	code     string
	action   crier.ScheduledPostStatus // of the comment
	timeline []string
	outcomes string // operations and outcomes, separated by commas
	health   string
}

var faultCases = []faultCase{
	{
		name: "a rate limit passes", network: "x",
		fault:  object{"operation": "publish", "kind": "rate_limit", "retryAfterSeconds": 2},
		parts:  []string{"limited"},
		status: crier.Published, timeline: []string{"limited"}, outcomes: "publish rate_limited, publish published",
	},
	{
		name: "a rate limit of LinkedIn lasts", network: "linkedin",
		fault: object{"operation": "publish", "kind": "rate_limit"}, parts: []string{"limited"},
		status: crier.Scheduled, code: "rate_limited", outcomes: "publish rate_limited",
	},
	{
		name: "a rate limit beyond the time that the team allows", network: "x",
		fault: object{"operation": "publish", "kind": "rate_limit", "retryAfterSeconds": 7200},
		parts: []string{"far too late"}, status: crier.Missed, code: "rate_limited", outcomes: "publish missed",
	},
	{
		name: "an outage answers, and nobody knows what it did", network: "x",
		fault: object{"operation": "publish", "kind": "outage"}, parts: []string{"away"},
		status: crier.Published, timeline: []string{"away"},
		outcomes: "publish absent, reconcile absent, reconcile absent, publish published",
	},
	{
		name: "an outage of LinkedIn", network: "linkedin", fault: object{"operation": "publish", "kind": "outage"},
		parts:  []string{"away"},
		status: crier.Published, timeline: []string{"away"}, outcomes: "publish repeated, resend published",
	},
	{
		name: "an answer comes after the time-out", network: "x",
		fault: object{"operation": "publish", "kind": "slow",
			"delayMs": (servertest.FastTimings.CommitTimeout + 500*time.Millisecond).Milliseconds()},
		parts:  []string{"slow"},
		status: crier.Published, timeline: []string{"slow"}, outcomes: "publish published, reconcile published",
	},
	{
		name: "a slow answer", network: "x", fault: object{"operation": "publish", "kind": "slow", "delayMs": 300},
		parts:  []string{"patience"},
		status: crier.Published, timeline: []string{"patience"}, outcomes: "publish published",
	},
	{
		name: "a lost answer on X", network: "x", fault: object{"operation": "publish", "kind": "lost_response"},
		parts:  []string{"lost"},
		status: crier.Published, timeline: []string{"lost"}, outcomes: "publish published, reconcile published",
	},
	{
		name: "a lost answer to a member of LinkedIn", network: "linkedin",
		fault: object{"operation": "publish", "kind": "lost_response"}, parts: []string{"lost"},
		status: crier.Published, timeline: []string{"lost"}, outcomes: "publish repeated, resend published",
	},
	{
		name: "lost answers to a member of LinkedIn, twice", network: "linkedin",
		fault: object{"operation": "publish", "kind": "lost_response", "count": 2}, parts: []string{"lost twice"},
		status: crier.Published, timeline: []string{"lost twice"},
		outcomes: "publish repeated, resend repeated, resend published",
	},
	{
		name: "a lost answer to an organization of LinkedIn", network: "linkedin:organization",
		fault: object{"operation": "publish", "kind": "lost_response"}, parts: []string{"lost"},
		status: crier.Published, timeline: []string{"lost"}, outcomes: "publish published, reconcile published",
	},
	{
		name: "a lost answer to part 3 of a thread", network: "x",
		fault:  object{"operation": "publish", "kind": "lost_response", "skip": 2},
		parts:  []string{"one", "two", "three", "four"},
		status: crier.Published, timeline: []string{"one", "two", "three", "four"},
		outcomes: "publish published, publish published, publish published, reconcile published, publish published",
	},
	{
		name: "an outage at part 2 of a thread", network: "x",
		fault: object{"operation": "publish", "kind": "outage", "skip": 1}, parts: []string{"uno", "due", "tre"},
		status: crier.Published, timeline: []string{"uno", "due", "tre"},
		outcomes: "publish published, publish absent, reconcile absent, reconcile absent, publish published, publish " +
			"published",
	},
	{
		name: "part 2 of a thread is refused", network: "x",
		fault: object{"operation": "publish", "kind": "reject", "skip": 1}, parts: []string{"good", "bad"},
		status: crier.Failed, code: "content_rejected", timeline: []string{"good"},
		outcomes: "publish published, publish rejected",
	},
	{
		name: "a lost answer to the first comment", network: "x",
		fault: object{"operation": "publish", "kind": "lost_response", "skip": 1}, parts: []string{"post"},
		comment: "comment",
		status:  crier.Published, action: crier.Published, timeline: []string{"post", "comment"},
	},
	{
		name: "a lost answer to an organization's first comment", network: "linkedin:organization",
		fault: object{"operation": "comment", "kind": "lost_response"}, parts: []string{"post"}, comment: "comment",
		status: crier.Published, action: crier.Published, timeline: []string{"post", "comment"},
	},
	{
		name: "a lost answer to a member's first comment", network: "linkedin",
		fault: object{"operation": "comment", "kind": "lost_response"}, parts: []string{"post"}, comment: "comment",
		status: crier.Published, action: crier.Unknown, timeline: []string{"post", "comment"},
	},
	{
		name: "a token that has ended is renewed", network: "x",
		fault: object{"operation": "publish", "kind": "auth_expired"}, parts: []string{"fresh token"},
		status: crier.Published, timeline: []string{"fresh token"}, outcomes: "publish auth_expired, publish published",
	},
	{
		name: "a renewed token does not help", network: "x",
		fault: object{"operation": "publish", "kind": "auth_expired", "count": 2}, parts: []string{"no token"},
		status: crier.Scheduled, code: "auth_expired", outcomes: "publish auth_expired, publish auth_expired",
		health: "auth_failed",
	},
	{
		name: "a token that cannot be renewed", network: "linkedin",
		fault: object{"operation": "publish", "kind": "auth_expired"}, parts: []string{"no token"},
		status: crier.Scheduled, code: "auth_expired", outcomes: "publish auth_expired", health: "auth_failed",
	},
	{
		name: "refused for good", network: "x", fault: object{"operation": "publish", "kind": "reject"},
		parts:  []string{"bad"},
		status: crier.Failed, code: "content_rejected", outcomes: "publish rejected",
	},
	{
		name: "the account is restricted", network: "x", fault: object{"operation": "publish", "kind": "restricted"},
		parts:  []string{"suspended"},
		status: crier.Failed, code: "account_restricted", outcomes: "publish rejected", health: "verification_required",
	},
}

// All cases are started at once and checked one by one: most of their time is waiting. A call that is not made because
// the machine stood still until its fence had passed is an attempt too many, so the fence is far.
func TestEachPartIsPublishedOnceUnderEveryFault(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		timings := servertest.FastTimings
		timings.SendWindow = servertest.Pace(5 * time.Second)
		e := startEngine(t, db, servertest.WithTimings(timings))
		var networks []string
		for _, o := range faultCases {
			networks = append(networks, o.network)
		}
		c := e.NewCrew(t, 10_000, networks...)
		ids := make([]crier.ID, len(faultCases))
		for i, o := range faultCases {
			e.box.Fault(t, c.Accounts[i], o.fault["operation"].(string), o.fault["kind"].(string), o.fault)
			ids[i] = e.publishCase(t, c, o, c.Accounts[i])
		}
		for i, o := range faultCases {
			t.Run(o.name, func(t *testing.T) { e.check(t, c, o, c.Accounts[i], ids[i]) })
		}
		e.Balanced(t, c)
	})
}

// publishCase publishes the post of a case.
func (e *engine) publishCase(tb testing.TB, c crew, o faultCase, on servertest.Account) crier.ID {
	tb.Helper()
	more := object{}
	if o.comment != "" {
		more["firstComment"] = object{"text": o.comment}
	}
	var post string
	if len(o.parts) > 1 {
		post = e.NewThread(tb, c, o.parts...)
	} else {
		post = e.NewPost(tb, c, o.parts[0])
	}
	return e.PostOn(tb, c, post, on, more)
}

// check checks that a case ended as expected.
func (e *engine) check(t *testing.T, c crew, o faultCase, on servertest.Account, id crier.ID) {
	p := e.Await(t, c, id, o.status)
	if o.code != "" { // of a publication that waits: the code shows that it has been tried
		servertest.Until(t, func() bool {
			p = e.Publication(t, c, id)
			return p.ErrorCode == o.code &&
				p.Status == o.status
		},
			func() string { return "error code " + p.ErrorCode + ", want " + o.code + "\n" + e.History(t, c, id) })
	}
	if o.action != "" {
		e.AwaitAction(t, c, id, store.FirstComment, o.action)
	}
	if got := servertest.Texts(e.box.Timeline(t, on)); !slices.Equal(got, o.timeline) && len(got)+len(o.timeline) > 0 {
		t.Errorf("timeline %q, want %q\n%s", got, o.timeline, e.History(t, c, id))
	}
	if got := strings.Join(servertest.Outcomes(servertest.Decisive(e.Attempts(t, c, id))), ", "); o.outcomes != "" &&
		got != o.outcomes {
		t.Errorf("attempts: %s\n    want: %s", got, o.outcomes)
	}
	a := e.Call(t, c, "GET", path("social-accounts/%s", on.ID), nil).Want(t, http.StatusOK)
	health, _ := a.Get(t, "accountHealthIssue").(string)
	if o.code != "rate_limited" && health != o.health {
		t.Errorf("the account's health is %q, want %q", health, o.health)
	}
	if status := a.Text(t, "status"); (o.health == "auth_failed") != (status == "refresh_needed") {
		t.Errorf("the account is %s", status)
	}
}

func TestRateLimitIsRespectedUntilItsReset(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		x := e.Accounts[0]
		e.box.Fault(t, x, "publish", "rate_limit", object{"retryAfterSeconds": 3})
		start := time.Now()
		id := e.PostOn(t, e.crew, e.NewPost(t, e.crew, "later"), x, nil)
		servertest.Until(t, func() bool { return e.Publication(t, e.crew, id).ErrorCode == "rate_limited" },
			func() string { return "not limited" })
		a := e.Call(t, e.crew, "GET", path("social-accounts/%s", x.ID), nil)
		if a.Text(t, "accountHealthIssue") != "rate_limited" || a.Text(t, "status") != "connected" {
			t.Errorf("the account: %s", a.Body)
		}
		e.Await(t, e.crew, id, crier.Published)
		if took := time.Since(start); took < 2*time.Second { // the reset is in whole seconds
			t.Errorf("tried again after %s", took)
		}
		if a := e.Call(t, e.crew, "GET", path("social-accounts/%s", x.ID), nil); a.Get(t, "accountHealthIssue") != nil {
			t.Errorf("the account is still called unhealthy: %s", a.Body)
		}
	})
}

func TestTokenIsRefreshedBeforeExpiryAndSurvivesTransientErrors(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &servertest.Clock{}
		e := startEngine(t, db, servertest.WithClock(c))
		x := e.Accounts[0]
		expire := func(in time.Duration) {
			e.Exec(t, `UPDATE social_accounts SET token_expires_at = $2 WHERE id = $1`, x.ID,
				crier.TimeOf(time.Now().Add(in)))
		}
		// It expires soon and the network cannot refresh it now: the old one is still valid.
		e.box.Fault(t, x, "refresh", "outage", object{"count": 100})
		expire(2 * time.Minute)
		e.Await(t, e.crew, e.PostOn(t, e.crew, e.NewPost(t, e.crew, "still good"), x, nil), crier.Published)
		// It has expired: the post waits until the network can refresh it.
		expire(-time.Minute)
		id := e.PostOn(t, e.crew, e.NewPost(t, e.crew, "renewed"), x, nil)
		servertest.Until(t, func() bool { return e.Publication(t, e.crew, id).ErrorCode == "provider_unavailable" },
			func() string { return e.History(t, e.crew, id) })
		if a := e.Call(t, e.crew, "GET", path("social-accounts/%s", x.ID), nil); a.Text(t, "status") != "connected" {
			t.Errorf("a transient error made the account %s", a.Text(t, "status"))
		}
		e.box.ClearFaults(t)
		e.Await(t, e.crew, id, crier.Published)
		// The network refuses to refresh it: the account has to be reconnected, and the post waits for that.
		// It is scheduled before: maintenance may notice at once, and nothing is scheduled on such an account.
		r, _ := e.ScheduleIn(t, e.crew, e.NewPost(t, e.crew, "lost"), 10*time.Minute,
			crier.Targets{SocialAccountIDs: []crier.ID{x.ID}})
		id = r.Data[0].ScheduledPost.ID
		e.box.Fault(t, x, "refresh", "auth_expired", object{"count": 100})
		expire(-time.Minute)
		c.Advance(10 * time.Minute)
		servertest.Until(t, func() bool { return e.Publication(t, e.crew, id).ErrorCode == "auth_expired" },
			func() string { return e.History(t, e.crew, id) })
		if a := e.Call(t, e.crew, "GET", path("social-accounts/%s", x.ID), nil); a.Text(t,
			"status") != "refresh_needed" || a.Text(t, "accountHealthIssue") != "auth_failed" {
			t.Errorf("the account: %s", a.Body)
		}
		e.Balanced(t, e.crew)
	})
}

func TestPublicationWaitsForItsAccountUntilMissed(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &servertest.Clock{}
		e := startEngine(t, db, servertest.WithClock(c))
		x := e.Accounts[0]
		set := func(status string) {
			e.Call(t, e.crew, "PATCH", path("social-accounts/%s", x.ID), object{"status": status}).Want(t,
				http.StatusOK)
		}
		waits := func(text string) crier.ID {
			r, _ := e.ScheduleIn(t, e.crew, e.NewPost(t, e.crew, text), 10*time.Minute,
				crier.Targets{SocialAccountIDs: []crier.ID{x.ID}})
			set("disabled")
			c.Advance(10 * time.Minute)
			id := r.Data[0].ScheduledPost.ID
			servertest.Until(t, func() bool { return e.Publication(t, e.crew, id).ErrorCode == "account_disconnected" },
				func() string { return "does not wait" })
			return id
		}
		first := waits("waits")
		set("connected")
		e.Await(t, e.crew, first, crier.Published)
		second := waits("misses")
		c.Advance(61 * time.Minute)
		p := e.Await(t, e.crew, second, crier.Missed)
		if p.ErrorCode != "account_disconnected" {
			t.Errorf("missed with %s", p.ErrorCode)
		}
		e.Balanced(t, e.crew)
		set("connected")
		e.Call(t, e.crew, "POST", path("scheduled-posts/%s/retry", second), nil).Want(t, http.StatusOK)
		e.Await(t, e.crew, second, crier.Published)
		e.Call(t, e.crew, "POST", path("scheduled-posts/%s/retry", second), nil).WantError(t, http.StatusConflict,
			"Conflict")
		if got := servertest.Texts(e.box.Timeline(t, x)); !slices.Equal(got, []string{"waits", "misses"}) {
			t.Errorf("timeline %q", got)
		}
		e.Balanced(t, e.crew)
	})
}

func TestUnknownOutcomeIsResolvedByHand(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &servertest.Clock{}
		e := startEngine(t, db, servertest.WithClock(c))
		crew := e.NewCrew(t, 1000, "x", "x", "x")
		var ids []crier.ID
		for i, kind := range []string{"lost_response", "outage", "outage"} {
			on := crew.Accounts[i]
			e.box.Fault(t, on, "publish", kind, nil)
			e.box.Fault(t, on, "read", "outage", object{"count": 1000}) // the timeline cannot be read
			ids = append(ids, e.PostOn(t, crew, e.NewPost(t, crew, "what became of me?"), on, nil))
		}
		for _, id := range ids {
			servertest.Until(t, func() bool { return e.Publication(t, crew, id).ErrorCode == "outcome_unknown" },
				func() string { return e.History(t, crew, id) })
		}
		c.Advance(31 * time.Minute)
		for _, id := range ids {
			e.Await(t, crew, id, crier.Unknown)
			e.Call(t, crew, "POST", path("scheduled-posts/%s/retry", id), nil).WantError(t, http.StatusConflict,
				"Conflict")
		}
		if n := e.Number(t, `SELECT reserved_credits FROM organizations WHERE id = $1`, crew.Organization); n != 45 {
			t.Errorf("%d credits are reserved while the outcomes are unknown, want 45", n)
		}
		e.box.ClearFaults(t)
		there := e.box.Timeline(t, crew.Accounts[0])[0].PlatformPostID
		resolve := func(id crier.ID, body object) servertest.Response {
			return e.Call(t, crew, "POST", path("scheduled-posts/%s/resolve", id), body)
		}
		if got := resolve(ids[0], object{"outcome": "published", "platformPostId": there}).Want(t,
			http.StatusOK); got.Text(t, "status") != "published" || got.Text(t, "platformPostId") != there {
			t.Errorf("resolved: %s", got.Body)
		}
		resolve(ids[1], object{"outcome": "retry"}).Want(t, http.StatusOK)
		if got := resolve(ids[2], object{"outcome": "failed"}).Want(t, http.StatusOK); got.Text(t,
			"status") != "failed" {
			t.Errorf("resolved: %s", got.Body)
		}
		e.Await(t, crew, ids[1], crier.Published)
		resolve(ids[1], object{"outcome": "failed"}).WantError(t, http.StatusConflict, "Conflict")
		for i, want := range []int{1, 1, 0} {
			if got := e.box.Timeline(t, crew.Accounts[i]); len(got) != want {
				t.Errorf("timeline %d: %+v", i, got)
			}
		}
		if n := e.Number(t, `SELECT credits_balance FROM organizations WHERE id = $1`,
			crew.Organization); n != 1000-30 {
			t.Errorf("the balance is %d", n)
		}
		e.Balanced(t, crew)
	})
}
