package publish

import (
	"context"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
)

func TestSweepWaitsLongerOnABusyNode(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		f, ctx := newFixture(t, st), context.Background()
		f.insert(t)
		for _, c := range []struct {
			name   string
			atWork int
			late   time.Duration
			leased bool // once, by a worker that died
			woken  int
		}{
			{name: "soon after its time", late: 4 * time.Second},
			{name: "late", late: 6 * time.Second, woken: 1},
			{name: "late on a node with some at work", atWork: busyThreshold - 1, late: 6 * time.Second, woken: 1},
			{name: "late on a busy node", atWork: busyThreshold, late: 6 * time.Second},
			{name: "late on a busy node, and its worker died", atWork: busyThreshold, late: 6 * time.Second,
				leased: true, woken: 1},
			{name: "almost too late on a busy node", atWork: busyThreshold, late: 29 * time.Second},
			{name: "too late on a busy node", atWork: busyThreshold, late: 31 * time.Second, woken: 1},
		} {
			var lease *crier.Time
			if c.leased {
				lease = crier.TimeOrNil(f.time.Add(-time.Second))
			}
			if _, err := st.Writer().ExecContext(ctx, `UPDATE publications SET wake_at = $1, lease_until = $2`,
				crier.TimeOf(f.time.Add(-c.late)), lease); err != nil {
				t.Fatal(err)
			}
			f.Publisher.limiter = limiterWith(c.atWork)
			err := f.Publisher.WakeOverdue(ctx)
			if woken := len(f.jobs.take()); err != nil || woken != c.woken {
				t.Errorf("%s: woken %d times, want %d (%v)", c.name, woken, c.woken, err)
			}
		}
	})
}

// limiterWith returns a limiter with some calls running, on as many accounts as needed.
func limiterWith(atWork int) *accountLimiter {
	l := newAccountLimiter()
	for on := crier.NewID(); atWork > 0; {
		if !l.admit(on) {
			on = crier.NewID()
			continue
		}
		atWork--
	}
	return l
}
