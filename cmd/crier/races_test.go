package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
)

// atOnce runs n functions at the same time and waits for them.
func atOnce(n int, fn func(i int)) {
	start := make(chan struct{})
	var running sync.WaitGroup
	for i := range n {
		running.Go(func() {
			<-start
			fn(i)
		})
	}
	close(start)
	running.Wait()
}

// withAnother is this node and, where the database can be shared, another one.
func (e *engine) withAnother(t *testing.T, db database) []*engine {
	t.Helper()
	if db.Dialect != store.Postgres {
		return []*engine{e}
	}
	return []*engine{e, e.join(t, db)}
}

// tryCall calls the interface for a crew from any goroutine.
func (e *engine) tryCall(c crew, method, address string, body any, headers map[string]string) (response, error) {
	return e.roundTrip(request{method: method, path: path("/v1/teams/%s/", c.team) + address, body: body, key: c.key, header: headers})
}

// lateChange is something a person does to a post in the last moment.
type lateChange struct {
	name    string
	method  string
	address func(post string) string
	body    any
	// leaves is what may be public when the change was accepted.
	leaves []string
}

var lateChanges = []lateChange{
	{"edit", "PATCH", func(post string) string { return "posts/" + post }, object{"text": "after"}, []string{"after"}},
	{"move to draft", "POST", func(post string) string { return "posts/" + post + "/move-to-draft" }, nil, nil},
	{"delete", "DELETE", func(post string) string { return "posts/" + post }, nil, nil},
}

func TestAChangeInTheLastSecondHoldsOrIsRefused(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		const each = 8
		c := e.newCrew(t, 100_000, slices.Repeat([]string{"x"}, each*len(lateChanges))...)
		posts := make([]string, len(c.accounts))
		for i := range posts {
			posts[i] = e.newPost(t, c, "before")
		}
		ids := make([]crier.ID, len(posts))
		var at time.Time
		lead := pace(4 * time.Second)
		began := time.Now()
		for i, on := range c.accounts { // all for the same second
			r, due := e.scheduleIn(t, c, posts[i], lead-time.Since(began), crier.Targets{SocialAccountIDs: []crier.ID{on.id}})
			ids[i], at = r.Data[0].ScheduledPost.ID, due
		}
		statuses, answered := make([]int, len(posts)), make([]time.Time, len(posts))
		atOnce(len(posts), func(i int) {
			before := time.Duration(rand.Int64N(int64(time.Second))) - 100*time.Millisecond // to a tenth of a second after it
			<-time.After(time.Until(at.Add(-before)))
			change := lateChanges[i%len(lateChanges)]
			if got, err := e.tryCall(c, change.method, change.address(posts[i]), change.body, nil); err == nil {
				statuses[i], answered[i] = got.status, time.Now()
			}
		})
		for i, id := range ids {
			change, want := lateChanges[i%len(lateChanges)], []string{"before"}
			switch statuses[i] {
			case http.StatusOK:
				want = change.leaves
			case http.StatusConflict:
			default:
				t.Errorf("%s: status %d", change.name, statuses[i])
			}
			p := e.await(t, c, id, crier.Published, crier.Canceled)
			got := texts(e.box.timeline(t, c.accounts[i]))
			if p.Status == crier.Published && e.over(t, c, id).Before(answered[i]) && change.name != "move to draft" && !slices.Equal(got, want) {
				want = []string{"before"} // the change came after the publication
			}
			if !slices.Equal(got, want) && len(got)+len(want) > 0 {
				t.Errorf("%s was answered with %d; the timeline is %q and the state %s\n%s", change.name, statuses[i], got, p.Status, e.history(t, c, id))
			}
		}
		e.balanced(t, c)
	})
}

// over is when the first attempt of a publication had ended.
func (e *engine) over(tb testing.TB, c crew, id crier.ID) time.Time {
	tb.Helper()
	return e.attempts(tb, c, id)[0].EndedAt.Time
}

func TestAChangeDuringTheCallIsRefused(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		c := e.newCrew(t, 1000, slices.Repeat([]string{"x"}, len(lateChanges))...)
		for i, change := range lateChanges {
			on := c.accounts[i]
			e.box.fault(t, on, "publish", "slow", object{"delayMs": 1500})
			post := e.newPost(t, c, "before")
			id := e.now(t, c, post, on, nil)
			e.await(t, c, id, crier.Publishing)
			e.call(t, c, change.method, change.address(post), change.body).wantError(t, http.StatusConflict, "Conflict")
			e.await(t, c, id, crier.Published)
			if got := texts(e.box.timeline(t, on)); !slices.Equal(got, []string{"before"}) {
				t.Errorf("%s: timeline %q", change.name, got)
			}
		}
	})
}

func TestTheSameRequestSentManyTimesAtOncePublishesOnce(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		nodes := e.withAnother(t, db)
		for _, key := range []string{"", "a key"} {
			c := e.newCrew(t, 1000, "x", "linkedin")
			post := e.newPost(t, c, "once, with key "+key)
			headers := map[string]string{}
			if key != "" {
				headers["Idempotency-Key"] = string(crier.NewID())
			}
			body := object{"socialAccountIds": c.ids(), "waitSeconds": 30}
			answers := make([]response, 12)
			atOnce(len(answers), func(i int) {
				answers[i], _ = nodes[i%len(nodes)].tryCall(c, "POST", "posts/"+post+"/post-now", body, headers)
			})
			for i, a := range answers {
				r := a.result(t)
				for _, entry := range r.Data {
					if entry.Error != nil && entry.Error.Code != "already_publishing" && entry.Error.Code != "already_published" {
						t.Errorf("answer %d: %+v", i, entry.Error)
					}
					if key != "" && (entry.ScheduledPost == nil || entry.ScheduledPost.ID != answers[0].result(t).Data[0].ScheduledPost.ID && entry.ScheduledPost.ID != answers[0].result(t).Data[1].ScheduledPost.ID) {
						t.Errorf("answer %d is not that of the first request: %s", i, a.body)
					}
				}
			}
			for _, on := range c.accounts {
				if got := e.box.timeline(t, on); len(got) != 1 {
					t.Errorf("timeline of %s: %q", on.network, texts(got))
				}
			}
			e.balanced(t, c)
		}
	})
}

func TestScheduleSentManyTimesAtOnceLeavesOnePublication(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		c := e.newCrew(t, 30, "x", "x") // enough for one publication on each account
		post := e.newPost(t, c, "one at a time")
		answers := make([]response, 16)
		atOnce(len(answers), func(i int) {
			body := object{"socialAccountIds": c.ids(), "scheduledAt": soon(time.Duration(i) * time.Minute)}
			answers[i], _ = e.tryCall(c, "POST", "posts/"+post+"/schedule", body, nil)
		})
		for _, a := range answers {
			if r := a.result(t); r.Outcome.Kind != "none_failed" {
				t.Errorf("answer %s", a.body)
			}
		}
		if n := e.number(t, `SELECT count(*) FROM scheduled_posts WHERE post_id = $1`, post); n != 2 {
			t.Errorf("there are %d publications", n)
		}
		e.balanced(t, c)
	})
}

func TestNoTwoRequestsTakeTheSameSlot(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db, withRole("api"))
		nodes := []*engine{e}
		if db.Dialect == store.Postgres {
			nodes = append(nodes, e.join(t, db, withRole("api")))
		}
		const requests = 200
		c := e.newCrew(t, 1_000_000, "x", "linkedin")
		posts := make([]string, requests)
		for i := range posts {
			posts[i] = e.newPost(t, c, fmt.Sprintf("post %d", i))
		}
		answers := make([]response, requests)
		atOnce(requests, func(i int) {
			accounts := c.ids()[:1+i%2] // every other one wants both accounts at the same time
			answers[i], _ = nodes[i%len(nodes)].tryCall(c, "POST", "posts/"+posts[i]+"/schedule", object{"socialAccountIds": accounts, "useNextSlot": true}, nil)
		})
		taken := map[string]int{}
		for i, a := range answers {
			r := a.result(t)
			at := r.Data[0].ScheduledPost.ScheduledAt.String()
			if other, ok := taken[at]; ok {
				t.Errorf("requests %d and %d have both got %s", i, other, at)
			}
			taken[at] = i
		}
		if len(taken) != requests {
			t.Errorf("%d different instants", len(taken))
		}
		e.balanced(t, c)
	})
}

func TestUsedUpSlotsAreAConflict(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db, withRole("api"))
		c := e.newCrew(t, 100_000, "x")
		e.call(t, c, "POST", "scheduling-slots", object{"hour": 12, "minute": 0, "daysOfWeek": []int{3}}).want(t, http.StatusCreated)
		const requests = 20 // a week has one slot, and 90 days have twelve or thirteen
		posts := make([]string, requests)
		for i := range posts {
			posts[i] = e.newPost(t, c, fmt.Sprintf("post %d", i))
		}
		answers := make([]response, requests)
		atOnce(requests, func(i int) {
			answers[i], _ = e.tryCall(c, "POST", "posts/"+posts[i]+"/schedule", object{"socialAccountIds": c.ids(), "useNextSlot": true}, nil)
		})
		got := 0
		for _, a := range answers {
			switch a.status {
			case http.StatusOK:
				got++
			default:
				a.wantError(t, http.StatusConflict, "Conflict")
			}
		}
		if got != 12 && got != 13 {
			t.Errorf("%d requests have got a slot", got)
		}
		e.balanced(t, c)
	})
}
