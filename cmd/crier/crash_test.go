package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/publish"
	"crier/internal/server"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// workerFreezer stops workers between two steps, as if their process had been killed, and lets them continue long
// after, as if the process had been suspended.
type workerFreezer struct {
	mu sync.Mutex
	// at is the step, from 1, at which the worker of a scheduled post stops; 0 is none. Workers wait until it is set.
	at      map[crier.ID]int
	planned *sync.Cond
	steps   map[crier.ID][]publish.Step
	frozen  map[crier.ID]bool
	thaw    chan struct{}
}

func newFreezer() *workerFreezer {
	f := &workerFreezer{at: map[crier.ID]int{}, steps: map[crier.ID][]publish.Step{}, frozen: map[crier.ID]bool{},
		thaw: make(chan struct{})}
	f.planned = sync.NewCond(&f.mu)
	return f
}

// withFreezer makes the server call the freezer at every step.
func withFreezer(f *workerFreezer) servertest.Option {
	return func(a *server.Config) { a.Checkpoint = f.pass }
}

// pass is called at every step.
func (f *workerFreezer) pass(id crier.ID, step publish.Step) {
	if f.stops(id, step) {
		<-f.thaw
	}
}

func (f *workerFreezer) stops(id crier.ID, step publish.Step) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, planned := f.at[id]; !planned && !f.thawed(); _, planned = f.at[id] {
		f.planned.Wait()
	}
	if step == publish.StepExtended { // a dead worker sends no heartbeat
		return f.frozen[id]
	}
	f.steps[id] = append(f.steps[id], step)
	if f.at[id] == 0 || len(f.steps[id]) != f.at[id] || f.frozen[id] {
		return false
	}
	f.frozen[id] = true
	return true
}

func (f *workerFreezer) plan(id crier.ID, step int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at[id] = step
	f.planned.Broadcast()
}

func (f *workerFreezer) seen(id crier.ID) []publish.Step {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.steps[id])
}

func (f *workerFreezer) stopped(id crier.ID) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.frozen[id]
}

// crashCase is one way to publish a post.
type crashCase struct {
	name, network string
	parts         []string
	file          string        // one of uploadedFiles; empty is none
	lead          time.Duration // time to prepare it; zero is none
	comment       string
	fault         object // of the sandbox's control API; nil is none
	timeline      []string
	// calls are the calls that publish something, by operation.
	calls map[string]int
	// preparing limits the stops to the steps before the first of these calls.
	preparing bool
}

// lostAnswer makes the first publishing call succeed without a response.
var lostAnswer = object{"operation": "publish", "kind": "lost_response"}

// once are the calls of a case with one post; onceEach those of one with a post and its comment, where that has a
// separate operation.
var once, onceEach = map[string]int{"publish": 1}, map[string]int{"publish": 1, "comment": 1}

// crashCases cover all kinds of steps: those of every network, and those after a lost response on each.
var crashCases = []crashCase{
	{name: "a thread with a comment", network: "x", parts: []string{"one", "two"}, comment: "comment",
		timeline: []string{"one", "two", "comment"}, calls: map[string]int{"publish": 3}},
	{name: "a lost answer, found again", network: "x", parts: []string{"lost"}, file: "picture",
		lead: servertest.Pace(6 * time.Second), fault: lostAnswer, timeline: []string{"lost"}, calls: once},
	{name: "a lost answer, sent again", network: "linkedin", parts: []string{"lost"}, fault: lostAnswer,
		timeline: []string{"lost"}, calls: map[string]int{"publish": 2}},
	{name: "an outage, tried again", network: "x", parts: []string{"away"},
		fault: object{"operation": "publish", "kind": "outage"}, timeline: []string{"away"},
		calls: map[string]int{"publish": 2}},
	{name: "a film in chunks", network: "tiktok", parts: []string{"film"}, file: "film in chunks",
		timeline: []string{"film"}, calls: once, preparing: true},
	{name: "a film that is followed", network: "tiktok", parts: []string{"film"}, file: "film",
		lead: servertest.Pace(6 * time.Second), fault: lostAnswer, timeline: []string{"film"}, calls: once},
	{name: "a film in pieces", network: "youtube", parts: []string{"film"}, file: "film in pieces", comment: "comment",
		fault: lostAnswer, timeline: []string{"film\n\nfilm", "comment"}, calls: onceEach},
	{name: "a container", network: "instagram", parts: []string{"picture"}, file: "picture", comment: "comment",
		fault: lostAnswer, timeline: []string{"picture", "comment"}, calls: onceEach},
	{name: "a container with a lost answer", network: "threads", parts: []string{"picture"}, file: "picture",
		fault: lostAnswer, timeline: []string{"picture"}, calls: once},
	{name: "containers of post and comment", network: "threads", parts: []string{"text"}, comment: "comment",
		timeline: []string{"text", "comment"}, calls: map[string]int{"publish": 2}},
	{name: "a film that is uploaded first", network: "facebook", parts: []string{"film"}, file: "film",
		comment: "comment", fault: lostAnswer, timeline: []string{"film", "comment"}, calls: onceEach},
}

func TestWorkerCrashOrPauseBetweenAnyTwoSteps(t *testing.T) {
	t.Parallel()
	servertest.Databases.EachInTurn(t, func(t *testing.T, db database) {
		f := newFreezer()
		e := startEngine(t, db, withFreezer(f), servertest.WithReachableMedia(t))
		t.Cleanup(f.release)
		// Run each case undisturbed first, to learn its steps; then once for each step.
		var undisturbed, stops []stop
		for i := range crashCases {
			undisturbed = append(undisturbed, stop{testCase: i})
		}
		scouts, scouted := e.travel(t, f, undisturbed)
		for i, id := range scouted {
			e.arrive(t, scouts, crashCases[i], i, id)
			stops = append(stops, stopsOn(i, f.seen(id))...)
		}
		crew, ids := e.travel(t, f, stops)
		var spared []stop
		for i, id := range ids {
			e.arrive(t, crew, crashCases[stops[i].testCase], i, id)
			if !f.stopped(id) {
				spared = append(spared, stops[i])
				stops[i].resends = false // its call was not in doubt
			}
		}
		if len(spared) > len(stops)/10 { // a case in which something took longer has fewer waits
			t.Errorf("no worker stopped at %+v", spared)
		}
		// The suspended workers continue; nothing changes.
		f.release()
		servertest.Until(t, func() bool { return e.Number(t, `SELECT count(*) FROM river_job WHERE state = 'running'`) == 0 },
			func() string { return "jobs do not end" })
		for i, id := range ids {
			e.arrive(t, crew, crashCases[stops[i].testCase], i, id)
		}
		e.Balanced(t, crew)
		// Networks reject some duplicates by themselves. Crier must not depend on that.
		cut, history := map[call]int{}, map[call]string{}
		e.calls(t, scouts, undisturbed, scouted, cut, history)
		e.calls(t, crew, stops, ids, cut, history)
		for which, want := range tally(append(undisturbed, stops...)) {
			if got := e.box.Calls(t, which.network, which.operation); got < want || got > want+cut[which] {
				t.Errorf("%s was called %d times for %s, want %d, and %d for lack of time; not stopped: %+v\n%s",
					which.network, got, which.operation, want, cut[which], spared, history[which])
			}
		}
	})
}

// stop is a case and the step, from 1, at which its worker stops; 0 is none.
type stop struct {
	testCase, step int
	// resends is true when the worker stops after a call that is repeated to learn its outcome.
	resends bool
}

// stopsOn returns all stops of a case with the given steps.
func stopsOn(i int, steps []publish.Step) (stops []stop) {
	sent := 0
	for n, step := range steps {
		if step == publish.StepBegun && crashCases[i].preparing {
			break
		}
		if step == publish.StepSent {
			sent++
		}
		resends := crashCases[i].network == "linkedin" && step == publish.StepSent && sent == 2
		stops = append(stops, stop{testCase: i, step: n + 1, resends: resends})
	}
	return stops
}

// calls reads the attempts: how many calls a slow machine adds, and the history of publications that took more calls
// than expected. Added calls are those that ended at their fence, which may have started to be sent, and resends with
// an unknown outcome: the next resend is the only way to learn it.
func (e *engine) calls(tb testing.TB, c crew, stops []stop, ids []crier.ID, cut map[call]int, history map[call]string) {
	tb.Helper()
	for i, id := range ids {
		o, calls := crashCases[stops[i].testCase], map[call]int{}
		for _, a := range e.Attempts(tb, c, id) {
			if a.Operation == "resend" && a.ErrorCode == "outcome_unknown" {
				cut[call{o.network, "publish"}]++
			}
			for _, exchange := range a.Exchanges {
				calls[call{o.network, exchange.Operation}]++
				if strings.Contains(exchange.Error, provider.ErrNotSent.Message) {
					cut[call{o.network, exchange.Operation}]++
				}
			}
		}
		for which, count := range calls {
			if want, counts := o.calls[which.operation]; counts && count > want {
				history[which] += fmt.Sprintf("%s, %+v:\n%s", o.name, stops[i], e.History(tb, c, id))
			}
		}
	}
}

// call is an operation of a network.
type call struct{ network, operation string }

// tally returns how often networks should have been called for the stops, by network and operation.
func tally(stops []stop) map[call]int {
	calls := map[call]int{}
	for _, s := range stops {
		o := crashCases[s.testCase]
		for operation, count := range o.calls {
			calls[call{o.network, operation}] += count
		}
		if s.resends {
			calls[call{o.network, "publish"}]++
		}
	}
	return calls
}

func (f *workerFreezer) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.thawed() {
		close(f.thaw)
	}
	f.planned.Broadcast()
}

// thawed reports whether the suspended workers have been released.
func (f *workerFreezer) thawed() bool {
	select {
	case <-f.thaw:
		return true
	default:
		return false
	}
}

// travel publishes a post for each stop, each on a separate account.
func (e *engine) travel(tb testing.TB, f *workerFreezer, stops []stop) (crew, []crier.ID) {
	tb.Helper()
	var networks []string
	for _, s := range stops {
		networks = append(networks, crashCases[s.testCase].network)
	}
	c := e.NewCrew(tb, 1_000_000, networks...)
	uploadedFiles := e.uploadFiles(tb, c)
	ids := make([]crier.ID, len(c.Accounts))
	for i, on := range c.Accounts {
		o := crashCases[stops[i].testCase]
		if o.fault != nil {
			e.box.Fault(tb, on, o.fault["operation"].(string), o.fault["kind"].(string), o.fault)
		}
		targets := crier.Targets{SocialAccountIDs: []crier.ID{on.ID},
			PlatformSettings: map[string]json.RawMessage{"tiktokPrivacyLevel": json.RawMessage(`"PUBLIC_TO_EVERYONE"`)}}
		if o.comment != "" {
			targets.FirstComment = crier.Some(crier.Comment{Text: o.comment})
		}
		post := e.newThreadOrPost(tb, c, uploadedFiles, o)
		r, _ := e.ScheduleIn(tb, c, post, o.lead, targets)
		ids[i] = r.Data[0].ScheduledPost.ID
		f.plan(ids[i], stops[i].step)
	}
	return c, ids
}

// newThreadOrPost creates the thread or post of a case.
func (e *engine) newThreadOrPost(tb testing.TB, c crew, s uploadedFiles, o crashCase) string {
	tb.Helper()
	if len(o.parts) > 1 {
		return e.NewThread(tb, c, o.parts...)
	}
	assets := []string{}
	if o.file != "" {
		assets = append(assets, s[o.file])
	}
	return e.Call(tb, c, "POST", "posts", object{"text": o.parts[0], "assetIds": assets}).Want(tb,
		http.StatusCreated).Text(tb, "id")
}

// arrive fails the test unless everything of a case is public, once.
func (e *engine) arrive(tb testing.TB, c crew, o crashCase, i int, id crier.ID) {
	tb.Helper()
	e.Await(tb, c, id, crier.Published)
	if o.comment != "" {
		e.AwaitAction(tb, c, id, store.FirstComment, crier.Published)
	}
	if got := servertest.Texts(e.box.Timeline(tb, c.Accounts[i])); !slices.Equal(got, o.timeline) {
		tb.Errorf("%s: timeline %q, want %q\n%s", o.name, got, o.timeline, e.History(tb, c, id))
	}
	if open := strings.Join(servertest.Outcomes(e.Attempts(tb, c, id)), ", "); strings.Contains(open, "unknown") {
		tb.Errorf("%s: an attempt is still open: %s", o.name, open)
	}
}
