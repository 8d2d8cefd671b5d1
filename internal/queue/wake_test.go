package queue

import (
	"context"
	"maps"
	"testing"
	"time"

	"crier"
	"crier/internal/job"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// River drops the notification of a job that is inserted within 100 ms of another one. Nodes poll each second; in this
// test they do not.
func TestUrgentJobsInQuickSuccessionDoNotWaitForAPoll(t *testing.T) {
	t.Parallel()
	none := func(context.Context, probe) error { return nil }
	databases.Each(t, func(t *testing.T, db storetest.Database) {
		st := db.Open(t)
		worker, err := buildQueue(Config{Store: st, Poll: time.Hour}, none)
		if err != nil {
			t.Fatal(err)
		}
		start(t, worker)
		api := worker
		if st.Dialect() == store.Postgres {
			api, st = newQueue(t, db, none) // another node, which runs no jobs
		}
		for name, args := range map[string]func(id crier.ID) job.Args{
			"publication": func(id crier.ID) job.Args { return job.Publish{ID: id, Provider: crier.ProviderX} },
			"delivery":    func(id crier.ID) job.Args { return job.DeliverWebhook{DeliveryID: id} },
		} {
			enqueue := func() crier.ID {
				t.Helper()
				id := crier.NewID()
				if err := st.WithTx(t.Context(), func(tx *store.Tx) error {
					return api.Enqueue(t.Context(), tx, job.Job{Args: args(id)})
				}); err != nil {
					t.Fatal(err)
				}
				return id
			}
			for listens := false; !listens; {
				listens = startsWithin(t, st, enqueue(), time.Second)
			}
			for range 12 {
				if !startsWithin(t, st, enqueue(), time.Minute) {
					t.Fatalf("a %s waits for a poll", name)
				}
			}
		}
	})
}

// startsWithin reports whether the job of a publication or delivery starts within a time.
func startsWithin(t *testing.T, st *store.Store, id crier.ID, limit time.Duration) bool {
	t.Helper()
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); <-time.After(time.Millisecond) {
		var started bool
		if err := st.Reader().QueryRowContext(t.Context(), `SELECT attempted_at IS NOT NULL FROM river_job
			WHERE args->>'id' = $1 OR args->>'deliveryId' = $1`, id).Scan(&started); err != nil {
			t.Fatal(err)
		}
		if started {
			return true
		}
	}
	return false
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
