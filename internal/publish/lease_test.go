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
