package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// withAnother returns this node and, where the database can be shared, another one.
func (e *engine) withAnother(t *testing.T, db database) []*engine {
	t.Helper()
	if db.Dialect != store.Postgres {
		return []*engine{e}
	}
	return []*engine{e, e.join(t, db)}
}

// tryCall calls the API as a crew from any goroutine.
func (e *engine) tryCall(c crew, method, address string, body any, headers map[string]string) (servertest.Response,
	error) {
	return e.RoundTrip(servertest.Request{Method: method, Path: path("/v1/teams/%s/", c.Team) + address, Body: body,
		Key:    c.Key,
		Header: headers})
}

// lateChange is a change of a post at the last moment.
type lateChange struct {
	name    string
	method  string
	address func(post string) string
	body    any
	// leaves is the texts that may be public when the change was accepted.
	leaves []string
}

var lateChanges = []lateChange{
	{"edit", "PATCH", func(post string) string { return "posts/" + post }, object{"text": "after"}, []string{"after"}},
	{"move to draft", "POST", func(post string) string { return "posts/" + post + "/move-to-draft" }, nil, nil},
	{"delete", "DELETE", func(post string) string { return "posts/" + post }, nil, nil},
}

func TestChangeInTheLastSecondAppliesOrIsRejected(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		const each = 8
		c := e.NewCrew(t, 100_000, slices.Repeat([]string{"x"}, each*len(lateChanges))...)
		posts := make([]string, len(c.Accounts))
		for i := range posts {
			posts[i] = e.NewPost(t, c, "before")
		}
		ids := make([]crier.ID, len(posts))
		var at time.Time
		lead := servertest.Pace(4 * time.Second)
		start := time.Now()
		for i, on := range c.Accounts { // all for the same second
			r, due := e.ScheduleIn(t, c, posts[i], lead-time.Since(start),
				crier.Targets{SocialAccountIDs: []crier.ID{on.ID}})
			ids[i], at = r.Data[0].ScheduledPost.ID, due
		}
		statuses, answered := make([]int, len(posts)), make([]time.Time, len(posts))
		servertest.AtOnce(len(posts), func(i int) {
			// to a tenth of a second after it
			before := time.Duration(rand.Int64N(int64(time.Second))) - 100*time.Millisecond
			<-time.After(time.Until(at.Add(-before)))
			change := lateChanges[i%len(lateChanges)]
			if got, err := e.tryCall(c, change.method, change.address(posts[i]), change.body, nil); err == nil {
				statuses[i], answered[i] = got.Status, time.Now()
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
			p := e.Await(t, c, id, crier.Published, crier.Canceled)
			got := servertest.Texts(e.box.Timeline(t, c.Accounts[i]))
			if p.Status == crier.Published && e.over(t, c, id).Before(answered[i]) && change.name != "move to draft" &&
				!slices.Equal(got, want) {
				want = []string{"before"} // the change came after the publication
			}
			if !slices.Equal(got, want) && len(got)+len(want) > 0 {
				t.Errorf("%s was answered with %d; the timeline is %q and the state %s\n%s", change.name, statuses[i],
					got, p.Status, e.History(t, c, id))
			}
		}
		e.Balanced(t, c)
	})
}

// over returns when the first attempt of a publication ended.
func (e *engine) over(tb testing.TB, c crew, id crier.ID) time.Time {
	tb.Helper()
	return e.Attempts(tb, c, id)[0].EndedAt.Time
}

func TestChangeDuringTheCallIsRejected(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		c := e.NewCrew(t, 1000, slices.Repeat([]string{"x"}, len(lateChanges))...)
		for i, change := range lateChanges {
			on := c.Accounts[i]
			delay := servertest.Pace(1500 * time.Millisecond)
			e.box.Fault(t, on, "publish", "slow", object{"delayMs": delay.Milliseconds()})
			post := e.NewPost(t, c, "before")
			id := e.PostOn(t, c, post, on, nil)
			e.Await(t, c, id, crier.Publishing)
			e.Call(t, c, change.method, change.address(post), change.body).WantError(t, http.StatusConflict, "Conflict")
			e.Await(t, c, id, crier.Published)
			if got := servertest.Texts(e.box.Timeline(t, on)); !slices.Equal(got, []string{"before"}) {
				t.Errorf("%s: timeline %q", change.name, got)
			}
		}
	})
}

func TestSameRequestSentManyTimesAtOncePublishesOnce(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		nodes := e.withAnother(t, db)
		for _, key := range []string{"", "a key"} {
			c := e.NewCrew(t, 1000, "x", "linkedin")
			post := e.NewPost(t, c, "once, with key "+key)
			headers := map[string]string{}
			if key != "" {
				headers["Idempotency-Key"] = string(crier.NewID())
			}
			body := object{"socialAccountIds": c.IDs(), "waitSeconds": 30}
			answers := make([]servertest.Response, 12)
			servertest.AtOnce(len(answers), func(i int) {
				answers[i], _ = nodes[i%len(nodes)].tryCall(c, "POST", "posts/"+post+"/post-now", body, headers)
			})
			for i, a := range answers {
				r := a.Result(t)
				for _, entry := range r.Data {
					if entry.Error != nil && entry.Error.Code != "already_publishing" &&
						entry.Error.Code != "already_published" {
						t.Errorf("answer %d: %+v", i, entry.Error)
					}
					if key != "" && (entry.ScheduledPost == nil ||
						entry.ScheduledPost.ID != answers[0].Result(t).Data[0].ScheduledPost.ID &&
							entry.ScheduledPost.ID != answers[0].Result(t).Data[1].ScheduledPost.ID) {
						t.Errorf("answer %d is not that of the first request: %s", i, a.Body)
					}
				}
			}
			for _, on := range c.Accounts {
				if got := e.box.Timeline(t, on); len(got) != 1 {
					t.Errorf("timeline of %s: %q", on.Network, servertest.Texts(got))
				}
			}
			e.Balanced(t, c)
		}
	})
}

func TestScheduleSentManyTimesAtOnceLeavesOnePublication(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		c := e.NewCrew(t, 30, "x", "x") // enough for one publication on each account
		post := e.NewPost(t, c, "one at a time")
		answers := make([]servertest.Response, 16)
		servertest.AtOnce(len(answers), func(i int) {
			body := object{"socialAccountIds": c.IDs(), "scheduledAt": servertest.Soon(time.Duration(i) * time.Minute)}
			answers[i], _ = e.tryCall(c, "POST", "posts/"+post+"/schedule", body, nil)
		})
		for _, a := range answers {
			if r := a.Result(t); r.Outcome.Kind != "none_failed" {
				t.Errorf("answer %s", a.Body)
			}
		}
		if n := e.Number(t, `SELECT count(*) FROM publications WHERE post_id = $1 AND kind = 'post'`, post); n != 2 {
			t.Errorf("there are %d publications", n)
		}
		e.Balanced(t, c)
	})
}

func TestNoTwoRequestsTakeTheSameSlot(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db, servertest.WithRole("api"))
		nodes := []*engine{e}
		if db.Dialect == store.Postgres {
			nodes = append(nodes, e.join(t, db, servertest.WithRole("api")))
		}
		const requests = 200
		c := e.NewCrew(t, 1_000_000, "x", "linkedin")
		posts := make([]string, requests)
		for i := range posts {
			posts[i] = e.NewPost(t, c, fmt.Sprintf("post %d", i))
		}
		answers := make([]servertest.Response, requests)
		servertest.AtOnce(requests, func(i int) {
			accounts := c.IDs()[:1+i%2] // every other one wants both accounts at the same time
			answers[i], _ = nodes[i%len(nodes)].tryCall(c, "POST", "posts/"+posts[i]+"/schedule",
				object{"socialAccountIds": accounts, "useNextSlot": true}, nil)
		})
		taken := map[string]int{}
		for i, a := range answers {
			r := a.Result(t)
			at := r.Data[0].ScheduledPost.ScheduledAt.String()
			if other, ok := taken[at]; ok {
				t.Errorf("requests %d and %d have both got %s", i, other, at)
			}
			taken[at] = i
		}
		if len(taken) != requests {
			t.Errorf("%d different instants", len(taken))
		}
		e.Balanced(t, c)
	})
}

func TestExhaustedSlotsAreAConflict(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db, servertest.WithRole("api"))
		c := e.NewCrew(t, 100_000, "x")
		e.Call(t, c, "POST", "scheduling-slots", object{"hour": 12, "minute": 0, "daysOfWeek": []int{3}}).Want(t,
			http.StatusCreated)
		const requests = 20 // a week has one slot, and 90 days have twelve or thirteen
		posts := make([]string, requests)
		for i := range posts {
			posts[i] = e.NewPost(t, c, fmt.Sprintf("post %d", i))
		}
		answers := make([]servertest.Response, requests)
		servertest.AtOnce(requests, func(i int) {
			answers[i], _ = e.tryCall(c, "POST", "posts/"+posts[i]+"/schedule",
				object{"socialAccountIds": c.IDs(), "useNextSlot": true}, nil)
		})
		got := 0
		for _, a := range answers {
			switch a.Status {
			case http.StatusOK:
				got++
			default:
				a.WantError(t, http.StatusConflict, "Conflict")
			}
		}
		if got != 12 && got != 13 {
			t.Errorf("%d requests have got a slot", got)
		}
		e.Balanced(t, c)
	})
}
