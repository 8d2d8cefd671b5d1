package publish

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

// onceLeased calls fn when the next publication has been leased.
func (f *fixture) onceLeased(fn func()) {
	var once sync.Once
	f.Publisher.checkpoint = func(_ crier.ID, step Step) {
		if step == StepLeased {
			once.Do(fn)
		}
	}
}

func TestDrainBeginsNothing(t *testing.T) {
	t.Parallel()
	n := newTestNetwork()
	f := withNetwork(t, databases.Fresh(t, store.SQLite).Open(t), n)
	p := f.insert(t)
	f.onceLeased(func() { t.Error("it was leased") })
	f.Publisher.Drain()
	next := f.step(t, p.ID)
	got := f.read(t, p.ID)
	if !next.Equal(f.now()) || got.LeaseOwner != nil || !got.WakeAt.Equal(p.WakeAt.Time) || len(n.calls) > 0 {
		t.Errorf("back at %v, leased by %v, due at %v, %v", next, got.LeaseOwner, got.WakeAt, n.calls)
	}
}

func TestDrainLetsThePostWhoseSecondIsNearLeaveOnTime(t *testing.T) {
	t.Parallel()
	n := newTestNetwork()
	f := withNetwork(t, databases.Fresh(t, store.SQLite).Open(t), n)
	p := f.insert(t, func(p *store.Publication) { p.ScheduledAt = crier.TimeOf(f.now().Add(time.Millisecond)) })
	f.onceLeased(func() {
		f.Publisher.Drain()
		f.sleep(time.Millisecond)
	})
	if next := f.step(t, p.ID); !next.IsZero() || f.read(t, p.ID).Status != crier.Published || len(n.calls) != 1 {
		t.Errorf("back at %v, %s, %v", next, f.read(t, p.ID).Status, n.calls)
	}
}

// pausingNetwork wants a pause between the two calls that prepare a post.
type pausingNetwork struct {
	*testNetwork
	pause   time.Duration
	between func() // is called before the pause
	times   []time.Time
}

func (n *pausingNetwork) Prepare(_ context.Context, _ provider.Account, _ provider.Content,
	st provider.State) (provider.State, error) {
	n.times = append(n.times, time.Now())
	if st.ContainerID == "" {
		st.ContainerID, st.NextPollAfter = "container", n.now().Add(n.pause)
		n.between()
		return st, nil
	}
	st.Ready = true
	st.StopWaiting()
	return st, nil
}

func withPauses(t *testing.T, st *store.Store, pause time.Duration) (*fixture, *pausingNetwork) {
	t.Helper()
	n := &pausingNetwork{testNetwork: newTestNetwork(), pause: pause, between: func() {}}
	f := newFixture(t, st, n)
	n.now = f.now
	return f, n
}

// A worker waits itself for a network that wants a short pause when the post is due. The job engine would wake it up to
// a poll interval later.
func TestWorkerWaitsOutShortPausesOfAPostThatIsDue(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		const pause = 20 * time.Millisecond
		f, n := withPauses(t, st, pause)
		p := f.insert(t)
		next := f.step(t, p.ID)
		if status := f.read(t, p.ID).Status; !next.IsZero() || status != crier.Published {
			t.Errorf("back at %v, %s", next, status)
		}
		if len(n.times) != 2 || n.times[1].Sub(n.times[0]) < pause {
			t.Errorf("prepared at %v", n.times)
		}
	})
}

func TestWorkerReleasesAPostBeforeALongPauseOrLongBeforeItsTime(t *testing.T) {
	t.Parallel()
	st := databases.Fresh(t, store.SQLite).Open(t)
	for _, c := range []struct{ pause, early time.Duration }{
		{pause: settleLead + time.Second},
		{pause: time.Second, early: time.Minute},
	} {
		f, n := withPauses(t, st, c.pause)
		p := f.insert(t, func(p *store.Publication) { p.ScheduledAt = crier.TimeOf(f.now().Add(c.early)) })
		next := f.step(t, p.ID)
		if got := f.read(t, p.ID); !next.Equal(f.now().Add(c.pause)) || got.LeaseOwner != nil || len(n.times) != 1 {
			t.Errorf("%+v: back at %v, leased by %v, prepared at %v", c, next, got.LeaseOwner, n.times)
		}
	}
}

// The next node gets the publication at once and keeps to the pause.
func TestDrainEndsPausesAndTheNextNodeWaitsForTheRest(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		const pause = 200 * time.Millisecond
		f, n := withPauses(t, st, pause)
		p := f.insert(t)
		n.between = f.Publisher.Drain
		next := f.step(t, p.ID)
		if got := f.read(t, p.ID); !next.Equal(f.now()) || got.LeaseOwner != nil || !got.WakeAt.Equal(f.now()) ||
			len(n.times) != 1 {
			t.Errorf("back at %v, leased by %v, due at %v, prepared at %v", next, got.LeaseOwner, got.WakeAt, n.times)
		}
		f.Publisher.limiter = newAccountLimiter() // as on another node
		began := time.Now()
		if next := f.step(t, p.ID); !next.IsZero() || f.read(t, p.ID).Status != crier.Published {
			t.Errorf("back at %v, %s", next, f.read(t, p.ID).Status)
		}
		if len(n.times) != 2 || n.times[1].Sub(began) < pause || !slices.Equal(n.calls, []string{"commit post"}) {
			t.Errorf("prepared at %v, since %v, %v", n.times, began, n.calls)
		}
	})
}
