package queue

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/job"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// River drops the notification of a job that is inserted within 100 ms of another one, and its nodes poll each second.
func TestPublicationsInQuickSuccessionDoNotWaitForAPoll(t *testing.T) {
	t.Parallel()
	none := func(context.Context, probe) error { return nil }
	databases.Each(t, func(t *testing.T, db storetest.Database) {
		worker, st := newQueue(t, db, none)
		start(t, worker)
		api := worker
		if st.Dialect() == store.Postgres {
			api, st = newQueue(t, db, none) // another node, which runs no jobs
		}
		measureStarts(t, api, st)
	})
}

// measureStarts enqueues publications one after the other, and fails the test if they wait for a node to poll.
func measureStarts(t *testing.T, api *Queue, st *store.Store) {
	t.Helper()
	const rounds, publications = 9, 4
	publish := func() time.Duration {
		t.Helper()
		id, begun := crier.NewID(), time.Now()
		if err := st.WithTx(t.Context(), func(tx *store.Tx) error {
			return api.Enqueue(t.Context(), tx, job.Job{Args: job.Publish{ID: id, Provider: crier.ProviderX}})
		}); err != nil {
			t.Fatal(err)
		}
		for started := false; !started; <-time.After(time.Millisecond) {
			if err := st.Reader().QueryRowContext(t.Context(), `SELECT attempted_at IS NOT NULL FROM river_job
				WHERE args->>'id' = $1`, id).Scan(&started); err != nil {
				t.Fatal(err)
			}
		}
		return time.Since(begun)
	}
	publish()
	var waits []time.Duration
	for range rounds {
		longest := time.Duration(0)
		for range publications {
			longest = max(longest, publish())
		}
		waits = append(waits, longest)
	}
	slices.Sort(waits)
	t.Logf("the longest wait of %d jobs: %v", publications, waits)
	if median := waits[rounds/2]; median > 300*time.Millisecond {
		t.Errorf("jobs wait %v", median)
	}
}

func TestWakerSumsUpWhatIsDueWhileItPauses(t *testing.T) {
	t.Parallel()
	notified, proceed := make(chan map[string]bool), make(chan struct{})
	w := &waker{notify: func(_ context.Context, queues map[string]bool) {
		notified <- queues
		<-proceed
	}}
	w.wake(t.Context(), map[string]bool{"publish_x": true})
	if first := <-notified; !maps.Equal(first, map[string]bool{"publish_x": true}) {
		t.Errorf("notified of %v", first)
	}
	for _, queue := range []string{"publish_x", "publish_tiktok", "publish_x"} {
		w.wake(t.Context(), map[string]bool{queue: true})
	}
	close(proceed)
	if second := <-notified; !maps.Equal(second, map[string]bool{"publish_x": true, "publish_tiktok": true}) {
		t.Errorf("notified of %v", second)
	}
}
