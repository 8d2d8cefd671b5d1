package publish

import (
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

// tooLong is a pause that outlasts all lookups, such as that of a monthly quota.
var tooLong = &provider.Error{Kind: provider.RateLimited, Code: provider.CodeQuotaExhausted,
	RetryAfter: 365 * 24 * time.Hour, Message: "come back next year"}

// A network may ask for a pause that is longer than its outcome is looked up: then a person decides.
func TestLongPausesDoNotKeepAnOutcomeOpen(t *testing.T) {
	t.Parallel()
	const text = "the network could not be asked whether the post was published: come back next year"
	for name, c := range map[string]struct {
		strategy provider.Strategy
		looks    []answer
		resends  []answer
		attempts []string
		after    time.Duration
	}{
		"reading": {provider.Strategy{Method: provider.ByReading, Absences: 2, Scarce: true},
			[]answer{{err: tooLong}, {err: tooLong}}, nil,
			[]string{"publish unknown", "reconcile rate_limited", "reconcile unclear"}, fence},
		"repeating": {provider.Strategy{Method: provider.ByResending, NotAfter: 8 * time.Minute},
			nil, []answer{{err: tooLong}}, []string{"publish repeated", "resend unknown", "reconcile unclear"}, fence},
		"a pause within the time": {provider.Strategy{Method: provider.ByReading, Absences: 2, Scarce: true},
			slices.Repeat([]answer{{err: &provider.Error{Kind: provider.RateLimited, Code: provider.CodeRateLimited,
				RetryAfter: 14 * time.Minute, Message: "come back next year"}}}, 4), nil,
			[]string{"publish unknown", "reconcile rate_limited", "reconcile rate_limited", "reconcile rate_limited",
				"reconcile unclear"}, fence + 28*time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachShared(t, func(t *testing.T, st *store.Store) {
				n := newTestNetwork(answer{err: unanswered, effect: true})
				n.strategy, n.looks, n.resends = c.strategy, c.looks, c.resends
				f := withNetwork(t, st, n)
				start := f.now()
				p := f.run(t, f.insert(t).ID)
				if p.Status != crier.Unknown || crier.Text(p.ErrorMessage) != text {
					t.Errorf("%s: %s", p.Status, crier.Text(p.ErrorMessage))
				}
				if got := f.attempts(t, p); !slices.Equal(got, c.attempts) {
					t.Errorf("attempts %q", got)
				}
				if took := f.now().Sub(start); took < c.after || took > c.after+time.Second {
					t.Errorf("it took %v, want %v", took, c.after)
				}
			})
		})
	}
}

// An outage that lasts as long as the lookups ends them when it is said to, not one long pause later.
func TestLookupsEndInTimeDuringAnOutage(t *testing.T) {
	t.Parallel()
	n := newTestNetwork(answer{err: unanswered})
	n.looks = slices.Repeat([]answer{{err: outage}}, 50)
	f := withNetwork(t, databases.Fresh(t, store.SQLite).Open(t), n)
	start := f.now()
	p := f.run(t, f.insert(t).ID)
	if took := f.now().Sub(start); p.Status != crier.Unknown || took != reconcileFor {
		t.Errorf("%s after %v", p.Status, took)
	}
}

func TestLongPauseDoesNotKeepAPostProcessing(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, st *store.Store) {
		polls := 0
		f := newFixture(t, st, &scripted{
			commit: func(st *provider.State) error { st.RequiresPolling = true; return nil },
			poll:   func(*provider.State) error { polls++; return tooLong },
		})
		start := f.now()
		p := f.run(t, f.insert(t).ID)
		if took := f.now().Sub(start); p.Status != crier.Unknown || polls != 1 || took < pollFor ||
			took > pollFor+time.Minute {
			t.Errorf("%s after %v, asked %d times", p.Status, took, polls)
		}
	})
}

func TestLongPauseDoesNotKeepAPostOfABackupOpen(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, st *store.Store) {
		n := newTestNetwork()
		n.looks = []answer{{err: tooLong}}
		f := withNetwork(t, st, n)
		r := f.restoredAt(time.Second)
		p := f.run(t, f.insert(t, fromBackup(r, -time.Minute)).ID)
		if took := f.now().Sub(r.ServedAt.Time); p.Status != crier.Unknown || took > restoredLookupTime+time.Minute {
			t.Errorf("%s after %v", p.Status, took)
		}
	})
}
