package main

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/publish"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// Posts are published, refused, moved, edited, canceled and deleted concurrently, on nodes that share a database.
func TestLedgerAlwaysAddsUpToTheBalance(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		nodes := e.withAnother(t, db)
		c := e.NewCrew(t, 100_000, "x", "x", "x")
		e.box.Fault(t, c.Accounts[0], "publish", "reject", object{"count": 6})
		e.box.Fault(t, c.Accounts[1], "publish", "lost_response", object{"count": 6})
		posts := make([]string, 24)
		for i := range posts {
			posts[i] = e.NewThread(t, c, fmt.Sprintf("one of %d", i), fmt.Sprintf("two of %d", i))
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			servertest.AtOnce(len(posts), func(i int) { nodes[i%len(nodes)].spend(t, c, posts[i], i) })
		}()
		t.Cleanup(func() { <-ended })
		looks := 0
		servertest.Until(t, func() bool {
			looks++
			e.BooksAgree(t)
			select {
			case <-ended:
				return t.Failed() || e.Number(t, `SELECT count(*) FROM publications
					WHERE status IN ('publishing', 'processing')
					OR status = 'scheduled' AND scheduled_at < $1`, crier.TimeOf(time.Now().Add(30*time.Second))) == 0
			default:
				return false
			}
		}, func() string { return "the posts are never done" })
		t.Logf("the books were looked at %d times", looks)
		if db.Dialect == store.Postgres { // each delays requests by a second, and several in a row are an error
			if n := e.Number(t, `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`); n != 0 {
				t.Errorf("there were %d deadlocks", n)
			}
		}
		e.Balanced(t, c)
		captured := -e.Number(t,
			`SELECT sum(amount) FROM credit_transactions WHERE organization_id = $1 AND kind = 'capture'`,
			c.Organization)
		if public := e.Number(t, `SELECT sum(captured_credits) FROM publications WHERE organization_id = $1`,
			c.Organization); captured != public || captured == 0 {
			t.Errorf("%d credits were paid for what cost %d", captured, public)
		}
	})
}

// spend runs operations on a post that reserve, capture and release credits.
func (e *engine) spend(t *testing.T, c crew, post string, i int) {
	do := func(method, address string, body any) {
		if got, err := e.tryCall(c, method, "posts/"+post+address, body, nil); err != nil ||
			got.Status != http.StatusOK {
			t.Errorf("%s %s: %d %s, %v", method, address, got.Status, got.Body, err)
		}
	}
	if i%2 == 0 {
		do("POST", "/post-now", object{"socialAccountIds": c.IDs(), "waitSeconds": 0})
		return
	}
	do("POST", "/schedule", object{"socialAccountIds": c.IDs(), "scheduledAt": servertest.Soon(time.Hour)})
	do("POST", "/schedule", object{"socialAccountIds": c.IDs()[:2], "scheduledAt": servertest.Soon(2 * time.Hour)})
	do("PATCH", "", object{"postInput": object{"kind": "atomic", "text": fmt.Sprintf("instead of %d", i),
		"attachments": []object{}}})
	switch i % 3 {
	case 0:
		do("POST", "/move-to-draft", nil)
	case 1:
		do("DELETE", "", nil)
	}
}

// A worker is suspended after its call. Another one finds that the first part of the thread is public, and bills it;
// then the first resumes, before the second has continued, and reports the same.
func TestPartReportedByTwoWorkersIsBilledOnce(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		called := servertest.NewGate(t, publish.StepSent, 1)
		found := servertest.NewGate(t, publish.StepSettled, 1)
		settled := servertest.NewGate(t, publish.StepSettled, 2)
		e := startEngine(t, db, servertest.WithGates(called, found, settled))
		x := e.Accounts[0]
		id := e.PostOn(t, e.crew, e.NewThread(t, e.crew, "one", "two"), x, nil)
		called.Await(t)
		found.Await(t)
		called.Open()
		settled.Await(t)
		settled.Open()
		found.Open()
		e.Await(t, e.crew, id, crier.Published)
		if got := servertest.Texts(e.box.Timeline(t, x)); !slices.Equal(got, []string{"one", "two"}) {
			t.Errorf("timeline %q\n%s", got, e.History(t, e.crew, id))
		}
		paid := e.Number(t, `SELECT -sum(amount) FROM credit_transactions WHERE scheduled_post_id = $1
			AND kind = 'capture'`, id)
		if want := e.Number(t, `SELECT captured_credits FROM publications WHERE id = $1`, id); paid != want {
			t.Errorf("%d credits were paid for parts that cost %d", paid, want)
		}
		e.Balanced(t, e.crew)
	})
}
