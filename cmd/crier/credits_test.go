package main

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/service"
	"crier/internal/store"
)

// booksAgree fails unless, at this moment, the sums of every organization's ledger are what the organization has, and what is
// reserved is what its publications hold. One statement sees one moment.
func (e *engine) booksAgree(tb testing.TB) {
	tb.Helper()
	n := e.number(tb, `SELECT count(*) FROM organizations o WHERE
		o.credits_balance <> (SELECT coalesce(sum(t.amount), 0) FROM credit_transactions t WHERE t.organization_id = o.id)
		OR o.reserved_credits <> (SELECT coalesce(sum(t.reserved_amount), 0) FROM credit_transactions t WHERE t.organization_id = o.id)
		OR o.reserved_credits <> (SELECT coalesce(sum(p.reserved_credits), 0) FROM scheduled_posts p WHERE p.organization_id = o.id)
			+ (SELECT coalesce(sum(a.reserved_credits), 0) FROM post_actions a WHERE a.organization_id = o.id)`)
	if n != 0 {
		tb.Errorf("the books of %d organizations do not agree", n)
	}
}

// Posts are published, refused, moved, edited, cancelled and deleted all at once, on nodes that share a database.
func TestTheLedgerSumsUpToTheBalanceAtEveryMoment(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		nodes := e.withAnother(t, db)
		c := e.newCrew(t, 100_000, "x", "x", "x")
		e.box.fault(t, c.accounts[0], "publish", "reject", object{"count": 6})
		e.box.fault(t, c.accounts[1], "publish", "lost_response", object{"count": 6})
		posts := make([]string, 24)
		for i := range posts {
			posts[i] = e.newThread(t, c, fmt.Sprintf("one of %d", i), fmt.Sprintf("two of %d", i))
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			atOnce(len(posts), func(i int) { nodes[i%len(nodes)].spend(t, c, posts[i], i) })
		}()
		t.Cleanup(func() { <-ended })
		looks := 0
		until(t, func() bool {
			looks++
			e.booksAgree(t)
			select {
			case <-ended:
				return t.Failed() || e.number(t, `SELECT count(*) FROM scheduled_posts WHERE status IN ('publishing', 'processing')
					OR status = 'scheduled' AND scheduled_at < $1`, crier.TimeOf(time.Now().Add(30*time.Second))) == 0
			default:
				return false
			}
		}, func() string { return "the posts are never done" })
		t.Logf("the books were looked at %d times", looks)
		if db.Dialect == store.Postgres { // each costs people a second, and some in a row are an error
			if n := e.number(t, `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`); n != 0 {
				t.Errorf("there were %d deadlocks", n)
			}
		}
		e.balanced(t, c)
		captured := -e.number(t, `SELECT sum(amount) FROM credit_transactions WHERE organization_id = $1 AND kind = 'capture'`, c.organization)
		if public := e.number(t, `SELECT sum(captured_credits) FROM scheduled_posts WHERE organization_id = $1`, c.organization); captured != public || captured == 0 {
			t.Errorf("%d credits were paid for what cost %d", captured, public)
		}
	})
}

// spend does with a post what people do, which reserves, captures and releases credits.
func (e *engine) spend(t *testing.T, c crew, post string, i int) {
	do := func(method, address string, body any) {
		if got, err := e.tryCall(c, method, "posts/"+post+address, body, nil); err != nil || got.status != http.StatusOK {
			t.Errorf("%s %s: %d %s, %v", method, address, got.status, got.body, err)
		}
	}
	if i%2 == 0 {
		do("POST", "/post-now", object{"socialAccountIds": c.ids(), "waitSeconds": 0})
		return
	}
	do("POST", "/schedule", object{"socialAccountIds": c.ids(), "scheduledAt": soon(time.Hour)})
	do("POST", "/schedule", object{"socialAccountIds": c.ids()[:2], "scheduledAt": soon(2 * time.Hour)})
	do("PATCH", "", object{"postInput": object{"kind": "atomic", "text": fmt.Sprintf("instead of %d", i), "attachments": []object{}}})
	switch i % 3 {
	case 0:
		do("POST", "/move-to-draft", nil)
	case 1:
		do("DELETE", "", nil)
	}
}

// A worker sleeps behind its call. Another one finds out that the first part of the thread is public, and it is paid for; then
// the first wakes up, before the second has gone on, and has the same to tell.
func TestAPartThatTwoWorkersTellOfIsPaidForOnce(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		called, found, told := newGate(t, service.StepSent, 1), newGate(t, service.StepSettled, 1), newGate(t, service.StepSettled, 2)
		e := startEngine(t, db, withGates(called, found, told))
		x := e.accounts[0]
		id := e.now(t, e.crew, e.newThread(t, e.crew, "one", "two"), x, nil)
		called.await(t)
		found.await(t)
		called.let()
		told.await(t)
		told.let()
		found.let()
		e.await(t, e.crew, id, crier.Published)
		if got := texts(e.box.timeline(t, x)); !slices.Equal(got, []string{"one", "two"}) {
			t.Errorf("timeline %q\n%s", got, e.history(t, e.crew, id))
		}
		paid := e.number(t, `SELECT -sum(amount) FROM credit_transactions WHERE scheduled_post_id = $1 AND kind = 'capture'`, id)
		if want := e.number(t, `SELECT captured_credits FROM scheduled_posts WHERE id = $1`, id); paid != want {
			t.Errorf("%d credits were paid for parts that cost %d", paid, want)
		}
		e.balanced(t, e.crew)
	})
}
