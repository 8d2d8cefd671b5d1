package publish

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

// fence is how long after its start an attempt of the testNetwork network may still have an effect.
const fence = 55 * time.Second

func TestLostAnswers(t *testing.T) {
	t.Parallel()
	lostEffect, lostNothing := answer{err: unanswered, effect: true}, answer{err: unanswered}
	reading := provider.Strategy{Method: provider.ByReading, Absences: 2, Apart: 10 * time.Second}
	scarce := reading
	scarce.Scarce = true
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		for _, c := range []struct {
			name     string
			strategy provider.Strategy
			commits  []answer
			looks    []answer
			twoStep  bool
			parts    int
			want     crier.ScheduledPostStatus
			after    time.Duration // at most
			atLeast  time.Duration
			attempts []string
			public   int
		}{
			{name: "a sighting is proof at once", strategy: reading, commits: []answer{lostEffect},
				want: crier.Published, after: time.Second,
				attempts: []string{"publish published", "reconcile published"}, public: 1},
			{name: "a sighting in two readings", strategy: reading, commits: []answer{lostEffect}, twoStep: true,
				want: crier.Published, after: time.Second, public: 1,
				attempts: []string{"publish published", "reconcile published"}},
			{name: "a post that shows late", strategy: reading, commits: []answer{lostEffect},
				looks: []answer{{err: outage}, {err: outage}}, want: crier.Published, after: 8 * time.Second,
				attempts: []string{"publish published", "reconcile temporary", "reconcile temporary",
					"reconcile published"}, public: 1},
			{name: "a thread", strategy: reading, commits: []answer{{}, lostEffect}, parts: 3, want: crier.Published,
				after: time.Second, attempts: []string{"publish published", "publish published", "reconcile published",
					"publish published"}, public: 3},
			{name: "absence counts after the fence", strategy: reading, commits: []answer{lostNothing},
				want: crier.Published, atLeast: fence + 10*time.Second, after: fence + 11*time.Second,
				attempts: []string{"publish absent", "reconcile absent", "reconcile absent", "reconcile absent",
					"reconcile absent", "reconcile absent", "reconcile absent", "publish published"}, public: 1},
			{name: "one early look where reading is scarce", strategy: scarce, commits: []answer{lostNothing},
				want: crier.Published, atLeast: fence + 10*time.Second, after: fence + 11*time.Second,
				attempts: []string{"publish absent", "reconcile absent", "reconcile absent", "reconcile absent",
					"publish published"}, public: 1},
			{name: "a scarce sighting", strategy: scarce, commits: []answer{lostEffect}, want: crier.Published,
				after: 3 * time.Second, attempts: []string{"publish published", "reconcile published"}, public: 1},
			{name: "no way to find out", strategy: provider.Strategy{Method: provider.Impossible},
				commits: []answer{lostEffect}, want: crier.Unknown, atLeast: fence, after: fence + time.Second,
				attempts: []string{"publish unknown", "reconcile unclear"}, public: 1},
			{name: "a repetition is recognized", strategy: provider.Strategy{Method: provider.ByResending,
				NotAfter: 8 * time.Minute}, commits: []answer{lostEffect}, want: crier.Published, atLeast: fence,
				after: fence + time.Second, attempts: []string{"publish repeated", "resend published"}, public: 1},
			{name: "the window for repetitions closes", strategy: provider.Strategy{Method: provider.ByResending,
				NotAfter: 30 * time.Second}, commits: []answer{lostEffect}, want: crier.Unknown, atLeast: fence,
				after: fence + time.Second, attempts: []string{"publish unknown", "reconcile unclear"}, public: 1},
		} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				n := newTestNetwork(c.commits...)
				n.strategy, n.looks, n.twoStep, n.parts = c.strategy, c.looks, c.twoStep, max(1, c.parts)
				f := withNetwork(t, st, n)
				start := f.now()
				p := f.run(t, f.insert(t, f.costs(t, 5)).ID)
				if p.Status != c.want || len(n.public) != c.public {
					t.Errorf("%s, public %v", p.Status, n.public)
				}
				if took := f.now().Sub(start); took > c.after || took < c.atLeast {
					t.Errorf("it took %v, want %v to %v", took, c.atLeast, c.after)
				}
				if got := f.attempts(t, p); !slices.Equal(got, c.attempts) {
					t.Errorf("attempts %q", got)
				}
			})
		}
	})
}

// A repetition whose fence passes before it is sent says so, and the first call is in doubt as before.
func TestRepetitionThatWasNotSentIsRecordedAsSuch(t *testing.T) {
	t.Parallel()
	notSent := answer{err: provider.ErrNotSent}
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		for name, c := range map[string]struct {
			resends  []answer
			frozen   bool // the worker, before it makes the call
			closes   bool // the window for repetitions, before the next one
			want     crier.ScheduledPostStatus
			attempts []string
		}{
			"in the client": {resends: []answer{notSent, notSent}, want: crier.Published,
				attempts: []string{"publish repeated", "resend not_sent", "resend not_sent", "resend published"}},
			"before the call": {frozen: true, want: crier.Published,
				attempts: []string{"publish repeated", "resend not_sent", "resend published"}},
			"for the last time": {frozen: true, closes: true, want: crier.Unknown,
				attempts: []string{"publish unknown", "resend not_sent", "reconcile unclear"}},
		} {
			t.Run(name, func(t *testing.T) {
				n := newTestNetwork(answer{err: unanswered, effect: true})
				n.strategy = provider.Strategy{Method: provider.ByResending, NotAfter: 8 * time.Minute}
				if c.closes {
					n.strategy.NotAfter = fence + 20*time.Second
				}
				n.resends = c.resends
				f := withNetwork(t, st, n)
				p := f.insert(t)
				next := f.step(t, p.ID)
				f.sleep(next.Sub(f.now()))
				frozen := c.frozen
				f.Publisher.checkpoint = func(_ crier.ID, step Step) {
					if step == StepBegun && frozen {
						frozen = false
						f.sleep(31 * time.Second)
					}
				}
				if p = f.run(t, p.ID); p.Status != c.want || len(n.public) != 1 {
					t.Errorf("%s, public %v", p.Status, n.public)
				}
				if got := f.attempts(t, p); !slices.Equal(got, c.attempts) {
					t.Errorf("attempts %q", got)
				}
				list, err := st.Attempts(t.Context(), p.ID, 100)
				if err != nil || len(list) < 2 || !c.closes && list[1].Message != provider.ErrNotSent.Message ||
					list[1].EndedAt == nil {
					t.Errorf("%+v, %v", list, err)
				}
			})
		}
	})
}

// The other worker takes the row of one that is frozen, and repeats the call in its place.
func TestRepetitionOfAFrozenWorkerIsRecordedAsNotSent(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		n := newTestNetwork(answer{err: unanswered, effect: true})
		n.strategy = provider.Strategy{Method: provider.ByResending, NotAfter: 8 * time.Minute}
		f := withNetwork(t, st, n)
		p := f.insert(t)
		next := f.step(t, p.ID)
		f.sleep(next.Sub(f.now()))
		frozen := false
		f.Publisher.checkpoint = func(_ crier.ID, step Step) {
			if step == StepBegun && !frozen {
				frozen = true
				f.sleep(time.Minute)
				f.run(t, p.ID)
			}
		}
		f.step(t, p.ID)
		if p = f.read(t, p.ID); p.Status != crier.Published || len(n.public) != 1 || n.count("resend") != 1 {
			t.Errorf("%s, public %v after %v", p.Status, n.public, n.calls)
		}
		want := []string{"publish repeated", "resend not_sent", "resend published"}
		if got := f.attempts(t, p); !slices.Equal(got, want) {
			t.Errorf("attempts %q", got)
		}
	})
}

func TestDeadWorkerCallIsReconciledAtOnce(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		n := newTestNetwork()
		f := withNetwork(t, st, n)
		p := f.insert(t)
		f.crashInCall(t, p)
		n.show()
		if next := f.step(t, p.ID); next.Sub(f.now()) > 0 {
			t.Fatalf("the lease of a dead worker keeps others out for %v", next.Sub(f.now()))
		}
		f.sleep(15 * time.Second)
		if p = f.run(t, p.ID); p.Status != crier.Published || len(n.public) != 1 || n.count("commit post") != 0 {
			t.Errorf("%s after %v", p.Status, n.calls)
		}
	})
}

// crashInCall leaves a publication in the state of a worker that dies in its call.
func (f *fixture) crashInCall(tb testing.TB, p store.Publication) {
	tb.Helper()
	ctx, now := context.Background(), crier.TimeOf(f.now())
	w := &worker{pub: f.Publisher, owner: crier.NewID(), p: p, info: provider.Info{CommitTimeout: 20 * time.Second}}
	lease := &store.LeaseRequest{ID: p.ID, Owner: w.owner, Now: now, Until: crier.TimeOf(now.Add(time.Minute))}
	if err := f.Publisher.leases.do(ctx, write{lease: lease}); err != nil || !lease.Leased {
		tb.Fatal(lease.Leased, err)
	}
	started, err := w.startAttempt(ctx, &store.AttemptStart{Publication: p, Owner: w.owner,
		Attempt: w.newAttempt(opPublish), LeaseUntil: crier.TimeOf(now.Add(f.Publisher.timings.CallLease))})
	if err != nil || !started {
		tb.Fatal(started, err)
	}
}

func TestEarlyLookupsDoNotChangeProviderState(t *testing.T) {
	t.Parallel()
	n := newTestNetwork(answer{err: unanswered, effect: true})
	n.twoStep = true
	n.looks = []answer{{}, {err: outage}} // it finds something, and then nothing
	f := withNetwork(t, databases.Fresh(t, store.SQLite).Open(t), n)
	p := f.insert(t)
	f.step(t, p.ID)
	f.sleep(time.Second)
	f.step(t, p.ID)
	st, progress, err := f.Publisher.loadState(f.read(t, p.ID))
	if err != nil || st.Data["seen"] != "" || progress.EarlyLookups != 1 || progress.Absences != 0 {
		t.Errorf("%v, %+v, %v", st.Data, progress, err)
	}
}

func TestUnknownOutcomeIsResolvedByHand(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		for _, c := range []struct {
			outcome string
			parts   int
			want    crier.ScheduledPostStatus
			attempt string
			public  int
			spent   int64
		}{
			{"published", 1, crier.Published, "publish published", 0, 5},
			{"published", 2, crier.Published, "publish published", 1, 5},
			{"failed", 1, crier.Failed, "publish absent", 0, 0},
			{"retry", 1, crier.Published, "publish absent", 1, 5},
		} {
			t.Run(c.outcome, func(t *testing.T) {
				t.Parallel()
				n := newTestNetwork(answer{err: unanswered})
				n.strategy, n.parts = provider.Strategy{Method: provider.Impossible}, c.parts
				f := withNetwork(t, st, n)
				costs := []int64{5}
				if c.parts == 2 {
					costs = []int64{2, 3}
				}
				p := f.run(t, f.insert(t, f.costs(t, costs...)).ID)
				if _, reserved := f.credits(t); p.Status != crier.Unknown || reserved != 5 {
					t.Fatalf("%s, reserved %d", p.Status, reserved)
				}
				f.tx(t, func(ctx context.Context, tx *store.Tx) error {
					return f.Publisher.Resolve(ctx, tx, &p,
						crier.Resolution{Outcome: c.outcome, PlatformPostID: "seen"})
				})
				if p = f.run(t, p.ID); p.Status != c.want || p.Epoch != 1 || len(n.public) != c.public {
					t.Errorf("%s in epoch %d, public %v", p.Status, p.Epoch, n.public)
				}
				if got := f.attempts(t, p); got[0] != c.attempt {
					t.Errorf("attempts %q", got)
				}
				if balance, reserved := f.credits(t); balance != testCredits-c.spent || reserved != 0 {
					t.Errorf("balance %d, reserved %d", balance, reserved)
				}
			})
		}
	})
}

// The credits of an action stay reserved while its outcome is unknown, so a person must be able to end that.
func TestUnknownActionIsResolvedByHand(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		for outcome, c := range map[string]struct {
			want      crier.ScheduledPostStatus
			commentID string
			public    int
			spent     int64
		}{
			"published": {crier.Published, "seen", 1, 8},
			"failed":    {crier.Failed, "", 1, 5},
			"retry":     {crier.Published, "id1", 2, 8},
		} {
			t.Run(outcome, func(t *testing.T) {
				t.Parallel()
				n := newTestNetwork(answer{}, answer{err: unanswered})
				n.strategy = provider.Strategy{Method: provider.Impossible}
				f := withNetwork(t, st, n)
				p := f.run(t, f.insert(t, func(p *store.Publication) {
					p.Actions.FirstComment = &crier.Comment{Text: "thanks"}
					p.Actions.ActionCosts = map[string]int64{string(store.FirstComment): 3}
				}, f.costs(t, 5)).ID)
				action := f.run(t, f.actions(t, p)[0].ID)
				if _, reserved := f.credits(t); action.Status != crier.Unknown || reserved != 3 {
					t.Fatalf("%s, reserved %d", action.Status, reserved)
				}
				in := crier.Resolution{Outcome: outcome, PlatformPostID: c.commentID}
				if err := f.resolve(t, action.ID, in); err != nil {
					t.Fatal(err)
				}
				if action = f.run(t, action.ID); action.Status != c.want || len(n.public) != c.public {
					t.Errorf("it is %s, public %v", action.Status, n.public)
				}
				if p = f.read(t, p.ID); p.Status != crier.Published || p.Results.FirstCommentID != c.commentID {
					t.Errorf("the post is %s, with the comment %q", p.Status, p.Results.FirstCommentID)
				}
				if balance, reserved := f.credits(t); balance != testCredits-c.spent || reserved != 0 {
					t.Errorf("balance %d, reserved %d", balance, reserved)
				}
			})
		}
	})
}

func TestRetryByHand(t *testing.T) {
	t.Parallel()
	refused := answer{err: &provider.Error{Kind: provider.Rejected, Code: provider.CodeContentRejected, Message: "no"}}
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		f := withNetwork(t, st, newTestNetwork(refused, answer{}, refused))
		retry := func(p *store.Publication) error {
			ctx := context.Background()
			return st.WithTx(ctx, func(tx *store.Tx) error { return f.Publisher.Retry(ctx, tx, p) })
		}
		p := f.run(t, f.insert(t, f.costs(t, 700)).ID)
		if p.Status != crier.Failed {
			t.Fatal(p.Status)
		}
		replaced := func(by store.Publication, wantText string) {
			t.Helper()
			if err := retry(&p); !crier.IsKind(err, crier.KindConflict) ||
				!strings.Contains(err.Error(), string(by.ID)) || !strings.Contains(err.Error(), wantText) {
				t.Errorf("replaced by %s, which is %s: %v", by.ID, by.Status, err)
			}
		}
		other := f.insert(t, f.costs(t, 400), func(o *store.Publication) {
			o.CreatedAt = crier.TimeOf(p.CreatedAt.Add(-time.Hour))
		})
		replaced(other, "is scheduled")
		if got := f.run(t, other.ID); got.Status != crier.Published {
			t.Fatal(got.Status)
		}
		if err := retry(&p); !crier.IsKind(err, crier.KindPaymentRequired) {
			t.Errorf("without credits: %v", err)
		}
		newer := f.insert(t, f.costs(t, 100))
		if newer = f.run(t, newer.ID); newer.Status != crier.Failed {
			t.Fatal(newer.Status)
		}
		replaced(newer, "Retry that one instead")
		if err := retry(&newer); err != nil {
			t.Fatal(err)
		}
		if newer = f.run(t, newer.ID); newer.Status != crier.Published {
			t.Fatal(newer.Status)
		}
		replaced(newer, "allowRepublish: true")
		if err := retry(&other); !crier.IsKind(err, crier.KindConflict) {
			t.Errorf("what has not failed: %v", err)
		}
	})
}

func TestCanceledPublicationsReleaseTheirCredits(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		n := newTestNetwork()
		f := withNetwork(t, st, n)
		days := 1
		p := f.insert(t, func(p *store.Publication) { p.Actions.RecurrenceIntervalDays = &days }, f.costs(t, 5))
		f.jobs.take()
		f.tx(t, func(ctx context.Context, tx *store.Tx) error {
			list, err := tx.LockTeamPending(ctx, f.team)
			if err != nil || len(list) != 1 {
				t.Errorf("%d scheduled, %v", len(list), err)
			}
			return f.Publisher.Cancel(ctx, tx, list)
		})
		got := f.read(t, p.ID)
		_, reserved := f.credits(t)
		if got.Status != crier.Canceled || got.Epoch != 1 || got.WakeAt != nil || reserved != 0 ||
			len(f.jobs.take()) != 0 {
			t.Errorf("%s in epoch %d, wakes at %v, reserved %d", got.Status, got.Epoch, got.WakeAt, reserved)
		}
		if next := f.step(t, p.ID); !next.IsZero() || len(n.calls) > 0 {
			t.Errorf("%v after %v", next, n.calls)
		}
	})
}
