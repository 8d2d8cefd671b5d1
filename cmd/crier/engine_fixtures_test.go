package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/sandbox"
	"crier/internal/service"
	"crier/internal/store"
)

// hurried are timings for tests that cannot wait for the usual ones. The order of things is the same.
var hurried = service.Timings{
	SendWindow: pace(time.Second), CommitTimeout: pace(2 * time.Second), SettleSlack: 200 * time.Millisecond, LookPause: 300 * time.Millisecond,
	Lease: pace(4 * time.Second), RetryPause: 200 * time.Millisecond, AccountPause: 300 * time.Millisecond, LikePause: 300 * time.Millisecond,
}

// pace is a time that work must be done in: more of it under the race detector, which slows everything down.
func pace(d time.Duration) time.Duration {
	if raceDetector {
		return 3 * d
	}
	return d
}

// withTimings has a server wait less than usual.
func withTimings(t service.Timings) option { return func(a *app) { a.timings = t } }

// engine is a server that publishes to a sandbox, and its tenant.
type engine struct {
	*server
	box *box
	crew
}

// crew is a tenant with connected accounts.
type crew struct {
	tenant
	accounts []account
}

// account is an account of a team: here, and on its network.
type account struct {
	id      crier.ID
	network string
	remote  string
}

// startEngine starts a node and a sandbox, and a tenant with one account on each network.
func startEngine(tb testing.TB, db database, options ...option) *engine {
	tb.Helper()
	return startEngineOn(tb, db, startBox(tb), options...)
}

// startEngineOn is startEngine with a sandbox that is there already.
func startEngineOn(tb testing.TB, db database, b *box, options ...option) *engine {
	tb.Helper()
	e := &engine{box: b}
	e.server = startServer(tb, db, append([]option{withBox(e.box), withTimings(hurried)}, options...)...)
	e.crew = e.newCrew(tb, 100_000, "x", "linkedin")
	return e
}

// join starts a further node on the same database and sandbox.
func (e *engine) join(tb testing.TB, db database, options ...option) *engine {
	tb.Helper()
	other := &engine{box: e.box, crew: e.crew}
	other.server = startServer(tb, db, append([]option{withBox(e.box), withTimings(hurried)}, options...)...)
	return other
}

// newCrew makes a tenant with one account for each name of a network. A name may say how the account is connected, as
// in linkedin:community.
func (e *engine) newCrew(tb testing.TB, credits int64, networks ...string) crew {
	tb.Helper()
	var c crew
	seeds := func(team crier.ID) ([]service.NewAccount, error) {
		var list []service.NewAccount
		for i, network := range networks {
			handle := fmt.Sprintf("a%s_%d", team[len(team)-8:], i)
			if network == "linkedin:community" {
				network, handle = "linkedin", "community:"+handle
			}
			if network == "tiktok:private" {
				network, handle = "tiktok", "private_"+handle
			}
			if network == "linkedin:organization" {
				network, handle = "linkedin", "organization:"+handle
			}
			seed, err := sandbox.SeedAccount(network, handle)
			if err != nil {
				return nil, err
			}
			list = append(list, e.app.newAccount(seed))
		}
		return list, nil
	}
	made, err := e.node.services.Instance.CreateTenant(context.Background(), service.TenantRequest{Name: "A crew", Credits: credits, Accounts: seeds})
	if err != nil {
		tb.Fatal(err)
	}
	c.tenant = tenant{key: made.APIKey, organization: made.OrganizationID, team: made.TeamID}
	for _, a := range made.Accounts {
		c.accounts = append(c.accounts, account{id: a.ID, network: string(a.Provider), remote: a.ProviderAccountID})
	}
	return c
}

// ids are the ids of all accounts.
func (c crew) ids() []crier.ID {
	var ids []crier.ID
	for _, a := range c.accounts {
		ids = append(ids, a.id)
	}
	return ids
}

// call calls the interface for a crew.
func (e *engine) call(tb testing.TB, c crew, method, address string, body any, headers ...string) response {
	tb.Helper()
	return e.as(tb, c.key, method, path("/v1/teams/%s/", c.team)+address, body, headers...)
}

// newPost makes a post and returns its id.
func (e *engine) newPost(tb testing.TB, c crew, text string) string {
	tb.Helper()
	return e.call(tb, c, "POST", "posts", object{"text": text}).want(tb, http.StatusCreated).text(tb, "id")
}

// newThread makes a thread and returns its id.
func (e *engine) newThread(tb testing.TB, c crew, texts ...string) string {
	tb.Helper()
	parts := []object{}
	for _, text := range texts {
		parts = append(parts, object{"kind": "atomic", "text": text, "attachments": []object{}})
	}
	return e.call(tb, c, "POST", "posts", object{"postInput": object{"kind": "thread", "posts": parts}}).want(tb, http.StatusCreated).text(tb, "id")
}

// result is the answer of schedule and post-now.
type result struct {
	Data    []resultEntry
	Outcome crier.ScheduleOutcome
}

type resultEntry struct {
	SocialAccountID crier.ID
	ScheduledPost   *crier.ScheduledPost
	Error           *crier.EntryError
	Warnings        []crier.Issue
}

// postNow publishes at once, without waiting for the networks unless more says so.
func (e *engine) postNow(tb testing.TB, c crew, post string, accounts []crier.ID, more object) result {
	tb.Helper()
	body := object{"socialAccountIds": accounts, "waitSeconds": 0}
	maps.Copy(body, more)
	var r result
	e.call(tb, c, "POST", "posts/"+post+"/post-now", body).want(tb, http.StatusOK).into(tb, &r)
	return r
}

// now publishes a post on one account at once and returns the id of the scheduled post. The network may have refused it
// by the time of the answer; crier may not.
func (e *engine) now(tb testing.TB, c crew, post string, on account, more object) crier.ID {
	tb.Helper()
	r := e.postNow(tb, c, post, []crier.ID{on.id}, more)
	if r.Data[0].ScheduledPost == nil {
		tb.Fatalf("refused: %+v", r.Data[0].Error)
	}
	return r.Data[0].ScheduledPost.ID
}

// scheduleIn schedules through the rules, which leave the 60 seconds of lead to the door: tests need not wait so long.
func (e *engine) scheduleIn(tb testing.TB, c crew, post string, lead time.Duration, t crier.Targets) (crier.ScheduleResult, time.Time) {
	tb.Helper()
	at := crier.TimeOf(e.app.now().Add(lead).Truncate(time.Millisecond))
	r, err := e.node.services.Schedules.Schedule(context.Background(), e.scope(tb, c), crier.ID(post), crier.ScheduleRequest{Targets: t, ScheduledAt: &at})
	if err != nil {
		tb.Fatal(err)
	}
	return r, at.Time
}

// scope is the right of a crew to publish.
func (e *engine) scope(tb testing.TB, c crew) service.TeamScope {
	tb.Helper()
	ctx := context.Background()
	caller, err := e.node.services.Access.Authenticate(ctx, c.key)
	if err != nil {
		tb.Fatal(err)
	}
	scope, err := e.node.services.Access.Team(ctx, caller, c.team, crier.PublishPosts)
	if err != nil {
		tb.Fatal(err)
	}
	return scope
}

// publication reads a scheduled post.
func (e *engine) publication(tb testing.TB, c crew, id crier.ID) crier.ScheduledPost {
	tb.Helper()
	var p crier.ScheduledPost
	e.call(tb, c, "GET", path("scheduled-posts/%s", id), nil).want(tb, http.StatusOK).into(tb, &p)
	return p
}

// patience is how long tests wait for what should happen soon, on a machine with much else to do.
const patience = 2 * time.Minute

// await waits until a scheduled post is in one of the states.
func (e *engine) await(tb testing.TB, c crew, id crier.ID, states ...crier.ScheduledPostStatus) crier.ScheduledPost {
	tb.Helper()
	var p crier.ScheduledPost
	until(tb, func() bool {
		p = e.publication(tb, c, id)
		return slices.Contains(states, p.Status)
	}, func() string {
		return fmt.Sprintf("%s is %s (%s: %s), not %v\n%s", id, p.Status, p.ErrorCode, p.ErrorMessage, states, e.history(tb, c, id))
	})
	return p
}

// awaitAction waits until an action of a scheduled post is in a state.
func (e *engine) awaitAction(tb testing.TB, c crew, id crier.ID, kind store.PublicationKind, state crier.ScheduledPostStatus) {
	tb.Helper()
	until(tb, func() bool {
		return e.number(tb, `SELECT count(*) FROM post_actions WHERE scheduled_post_id = $1 AND kind = $2 AND status = $3`, id, string(kind), string(state)) == 1
	}, func() string { return fmt.Sprintf("the %s is not %s\n%s", kind, state, e.history(tb, c, id)) })
}

// history is what was tried for a scheduled post, for people who read failures.
func (e *engine) history(tb testing.TB, c crew, id crier.ID) string {
	tb.Helper()
	text := ""
	for _, a := range e.attempts(tb, c, id) {
		text += fmt.Sprintf("  %s %s part %d: %s %s %s → %s\n", a.StartedAt, a.Operation, a.Part, a.Outcome, a.ErrorCode, a.Message, a.NextStep)
	}
	return text
}

// attempts reads what was tried for a scheduled post.
func (e *engine) attempts(tb testing.TB, c crew, id crier.ID) []crier.Attempt {
	tb.Helper()
	var list crier.AttemptList
	e.call(tb, c, "GET", path("scheduled-posts/%s/attempts", id), nil).want(tb, http.StatusOK).into(tb, &list)
	return list.Data
}

// outcomes are the operations and outcomes of attempts, in order.
func outcomes(attempts []crier.Attempt) []string {
	list := []string{}
	for _, a := range attempts {
		list = append(list, a.Operation+" "+a.Outcome)
	}
	return list
}

// until waits until a condition holds.
func until(tb testing.TB, condition func() bool, problem func() string) {
	tb.Helper()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(patience); !condition(); <-ticker.C {
		if time.Now().After(deadline) {
			tb.Fatal(problem())
		}
	}
}

// balanced fails unless the sums of the ledger are what the organization shows, and what is reserved is what the rows
// say is reserved.
func (e *engine) balanced(tb testing.TB, c crew) {
	tb.Helper()
	var credits crier.Credits
	e.as(tb, c.key, "GET", path("/v1/organizations/%s/credits", c.organization), nil).want(tb, http.StatusOK).into(tb, &credits)
	balance := e.number(tb, `SELECT coalesce(sum(amount), 0) FROM credit_transactions WHERE organization_id = $1`, c.organization)
	reserved := e.number(tb, `SELECT coalesce(sum(reserved_amount), 0) FROM credit_transactions WHERE organization_id = $1`, c.organization)
	held := e.number(tb, `SELECT (SELECT coalesce(sum(reserved_credits), 0) FROM scheduled_posts WHERE organization_id = $1)
		+ (SELECT coalesce(sum(reserved_credits), 0) FROM post_actions WHERE organization_id = $1)`, c.organization)
	if credits.CreditsBalance != balance || credits.ReservedCredits != reserved || held != reserved {
		tb.Errorf("balance %d, reserved %d; the ledger sums to %d and %d, the publications hold %d",
			credits.CreditsBalance, credits.ReservedCredits, balance, reserved, held)
	}
}
