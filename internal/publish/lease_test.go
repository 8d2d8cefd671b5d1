package publish

import (
	"context"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
)

// A lease is extended three times before it ends, so that one try may hang. Otherwise another node takes the
// publication over in the middle of its call.
func TestAnExtensionThatHangsIsRepeatedBeforeTheLeaseEnds(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		f := withNetwork(t, st, newTestNetwork())
		p := f.insert(t)
		f.Publisher.clock = time.Now
		tries := make(chan time.Time, 10)
		f.Publisher.checkpoint = func(_ crier.ID, step Step) {
			if step == StepExtended {
				tries <- time.Now()
			}
		}
		ctx, unlock := context.WithCancel(t.Context())
		locked := make(chan struct{})
		var lock sync.WaitGroup
		lock.Go(func() {
			_ = st.WithTx(t.Context(), func(tx *store.Tx) error {
				var id string
				err := tx.QueryRow(t.Context(), `UPDATE publications SET updated_at = updated_at WHERE id = $1
					RETURNING id`, p.ID).Scan(&id)
				if err != nil {
					t.Error(err)
				}
				close(locked)
				<-ctx.Done()
				return err
			})
		})
		<-locked
		const lease = 3 * minExtension
		ends := time.Now().Add(lease)
		w := &worker{pub: f.Publisher, owner: crier.NewID(), p: p}
		w.keepLease(t.Context(), lease)
		<-tries
		if second := <-tries; !second.Before(ends) {
			t.Errorf("the second try begins %v after the lease has ended", second.Sub(ends))
		}
		w.dropLease()
		unlock()
		lock.Wait()
	})
}

// A bug in a network's client must not keep a publication from all others for as long as the process lives.
func TestALeaseEndsAfterAPanic(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		n := newTestNetwork(answer{before: func() { panic("a bug") }})
		f := withNetwork(t, st, n)
		n.now, f.Publisher.clock = time.Now, time.Now
		f.Publisher.timings.Lease, f.Publisher.timings.CallLease = 2*time.Second, 2*time.Second
		now := crier.TimeOf(time.Now())
		p := f.insert(t, func(p *store.Publication) { p.ScheduledAt, p.WakeAt = now, &now })
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the call did not panic")
				}
			}()
			f.step(t, p.ID)
		}()
		for deadline := time.Now().Add(15 * time.Second); ; {
			until := f.read(t, p.ID).LeaseUntil
			if until == nil || until.Before(time.Now()) {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("the lease of a worker that has ended lasts until %v", until)
			}
			<-time.After(5 * time.Millisecond)
		}
	})
}
