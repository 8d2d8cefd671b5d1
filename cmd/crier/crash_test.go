package main

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/service"
	"crier/internal/store"
)

// freezer stops workers between two steps, as the death of their process would, and lets them go on long after, as a
// process that was frozen would.
type freezer struct {
	mu sync.Mutex
	// at is the step, from 1, at which the worker of a scheduled post stops; 0 is none.
	at     map[crier.ID]int
	steps  map[crier.ID][]service.Step
	frozen map[crier.ID]bool
	thaw   chan struct{}
}

func newFreezer() *freezer {
	return &freezer{at: map[crier.ID]int{}, steps: map[crier.ID][]service.Step{}, frozen: map[crier.ID]bool{}, thaw: make(chan struct{})}
}

// withFreezer has the freezer see every step.
func withFreezer(f *freezer) option { return func(a *app) { a.checkpoint = f.pass } }

// pass is the checkpoint.
func (f *freezer) pass(id crier.ID, step service.Step) {
	if f.stops(id, step) {
		<-f.thaw
	}
}

func (f *freezer) stops(id crier.ID, step service.Step) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if step == service.StepExtended { // a dead worker gives no sign of life
		return f.frozen[id]
	}
	f.steps[id] = append(f.steps[id], step)
	if f.at[id] == 0 || len(f.steps[id]) != f.at[id] || f.frozen[id] {
		return false
	}
	f.frozen[id] = true
	return true
}

func (f *freezer) plan(id crier.ID, step int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at[id] = step
}

func (f *freezer) seen(id crier.ID) []service.Step {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.steps[id])
}

func (f *freezer) stopped(id crier.ID) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.frozen[id]
}

// journeys are ways to publication with all kinds of steps on them, and how many calls that publish each takes.
var journeys = []ordeal{
	{name: "a thread with a comment", network: "x", parts: []string{"one", "two"}, comment: "comment", timeline: []string{"one", "two", "comment"}, calls: 3},
	{name: "a lost answer, found again", network: "x", parts: []string{"lost"}, fault: object{"operation": "publish", "kind": "lost_response"}, timeline: []string{"lost"}, calls: 1},
	{name: "a lost answer, sent again", network: "linkedin", parts: []string{"lost"}, fault: object{"operation": "publish", "kind": "lost_response"}, timeline: []string{"lost"}, calls: 2},
	{name: "an outage, tried again", network: "x", parts: []string{"away"}, fault: object{"operation": "publish", "kind": "outage"}, timeline: []string{"away"}, calls: 2},
}

func TestAWorkerMayDieOrSleepBetweenAnyTwoSteps(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		f := newFreezer()
		e := startEngine(t, db, withFreezer(f))
		t.Cleanup(f.release)
		calls := map[string]int{}
		// Undisturbed first, to learn the steps of each journey; then once for each step of each.
		var undisturbed, stops []stop
		for i, o := range journeys {
			undisturbed = append(undisturbed, stop{journey: i})
			calls[o.network] += o.calls
		}
		crew, ids := e.travel(t, f, undisturbed)
		for i, id := range ids {
			e.arrive(t, crew, journeys[i], i, id)
			sent := 0
			for n, step := range f.seen(id) {
				stops = append(stops, stop{journey: i, step: n + 1})
				calls[journeys[i].network] += journeys[i].calls
				if step == service.StepSent {
					sent++
				}
				if journeys[i].network == "linkedin" && step == service.StepSent && sent == 2 {
					calls["linkedin"]++ // the repetition whose worker died is repeated itself
				}
			}
		}
		crew, ids = e.travel(t, f, stops)
		for i, id := range ids {
			e.arrive(t, crew, journeys[stops[i].journey], i, id)
			if !f.stopped(id) {
				t.Errorf("%+v: no worker stopped: %v", stops[i], f.seen(id))
			}
		}
		// The sleepers wake up and go on; nothing changes.
		f.release()
		until(t, func() bool { return e.number(t, `SELECT count(*) FROM river_job WHERE state = 'running'`) == 0 }, func() string { return "jobs do not end" })
		for i, id := range ids {
			e.arrive(t, crew, journeys[stops[i].journey], i, id)
		}
		e.balanced(t, crew)
		// Networks refuse some repetitions by themselves. Nothing was left to that.
		for network, want := range calls {
			if got := e.box.calls(t, network, "publish"); got != want {
				t.Errorf("%s was called %d times to publish, want %d", network, got, want)
			}
		}
	})
}

// stop is a journey and the step of it, from 1, at which its worker stops; 0 is none.
type stop struct{ journey, step int }

func (f *freezer) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case <-f.thaw:
	default:
		close(f.thaw)
	}
}

// travel sends posts on journeys, each on an account of its own.
func (e *engine) travel(tb testing.TB, f *freezer, stops []stop) (crew, []crier.ID) {
	tb.Helper()
	var networks []string
	for _, s := range stops {
		networks = append(networks, journeys[s.journey].network)
	}
	c := e.newCrew(tb, 1_000_000, networks...)
	ids := make([]crier.ID, len(c.accounts))
	for i, on := range c.accounts {
		o := journeys[stops[i].journey]
		if o.fault != nil {
			e.box.fault(tb, on, o.fault["operation"].(string), o.fault["kind"].(string), o.fault)
		}
		targets := crier.Targets{SocialAccountIDs: []crier.ID{on.id}}
		if o.comment != "" {
			targets.FirstComment = crier.Some(crier.Comment{Text: o.comment})
		}
		post := e.newThreadOrPost(tb, c, o.parts)
		r, _ := e.scheduleIn(tb, c, post, pace(4*time.Second), targets) // time enough to plan the stop
		ids[i] = r.Data[0].ScheduledPost.ID
		f.plan(ids[i], stops[i].step)
	}
	return c, ids
}

func (e *engine) newThreadOrPost(tb testing.TB, c crew, parts []string) string {
	tb.Helper()
	if len(parts) > 1 {
		return e.newThread(tb, c, parts...)
	}
	return e.newPost(tb, c, parts[0])
}

// arrive fails unless everything of a journey is public, once.
func (e *engine) arrive(tb testing.TB, c crew, o ordeal, i int, id crier.ID) {
	tb.Helper()
	e.await(tb, c, id, crier.Published)
	if o.comment != "" {
		e.awaitAction(tb, c, id, store.FirstComment, crier.Published)
	}
	if got := texts(e.box.timeline(tb, c.accounts[i])); !slices.Equal(got, o.timeline) {
		tb.Errorf("%s: timeline %q, want %q\n%s", o.name, got, o.timeline, e.history(tb, c, id))
	}
	if open := strings.Join(outcomes(e.attempts(tb, c, id)), ", "); strings.Contains(open, "unknown") {
		tb.Errorf("%s: an attempt is still open: %s", o.name, open)
	}
}
