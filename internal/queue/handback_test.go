package queue

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"crier/internal/store"
	"crier/internal/store/storetest"
)

// Other nodes hear of the jobs that a stopping node hands back: otherwise a post that is due would wait for their next
// poll.
func TestStopNotifiesOtherNodesOfJobsThatAreDue_postgres(t *testing.T) {
	t.Parallel()
	storetest.Need(t, store.Postgres)
	const ready, later = "probes_ready", "probes_later"
	ctx, st := t.Context(), databases.Fresh(t, store.Postgres).Open(t)
	begun, handBack := make(chan int, 2), make(chan struct{})
	workers := river.NewWorkers()
	river.AddWorker(workers, &probeWorker{work: func(_ context.Context, p probe) error {
		begun <- p.Number
		<-handBack
		return river.JobSnooze(time.Duration(p.Number) * time.Hour)
	}})
	one := river.QueueConfig{MaxWorkers: 1}
	config := &river.Config{Workers: workers, Queues: map[string]river.QueueConfig{ready: one, later: one},
		Logger: slog.New(slog.DiscardHandler)}
	e, err := newEngine(riverpgxv5.New(st.JobPool()), config, joinPostgres)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.start(ctx); err != nil {
		t.Fatal(err)
	}
	if err := st.WithTx(ctx, func(tx *store.Tx) error {
		return e.insert(ctx, tx, []river.InsertManyParams{
			{Args: probe{Number: 0}, InsertOpts: &river.InsertOpts{Queue: ready}},
			{Args: probe{Number: 1}, InsertOpts: &river.InsertOpts{Queue: later}},
		})
	}); err != nil {
		t.Fatal(err)
	}
	wait(t, begun, "the first job")
	wait(t, begun, "the second job")
	heard := listen(t, st)
	if err := e.drain(ctx, func() { close(handBack) }); err != nil {
		t.Fatal(err)
	}
	if got := heard(); len(got) != 1 || got[0] != `{"queue": "`+ready+`"}` {
		t.Errorf("other nodes heard %q", got)
	}
}

// listen listens as River's nodes do. The function that it returns tells what was heard so far.
func listen(t *testing.T, st *store.Store) (heard func() []string) {
	t.Helper()
	ctx := t.Context()
	conn, err := st.JobPool().Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Release)
	if _, err := conn.Exec(ctx, `LISTEN "public.`+insertTopic+`"`); err != nil {
		t.Fatal(err)
	}
	return func() (list []string) {
		t.Helper()
		const end = "end"
		if _, err := st.JobPool().Exec(ctx, `SELECT pg_notify($1, $2)`, "public."+insertTopic, end); err != nil {
			t.Fatal(err)
		}
		for {
			n, err := conn.Conn().WaitForNotification(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if n.Payload == end {
				return list
			}
			list = append(list, n.Payload)
		}
	}
}
