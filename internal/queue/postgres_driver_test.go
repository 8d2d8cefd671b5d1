package queue

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	"crier"
	"crier/internal/job"
	"crier/internal/store"
)

// The jobs of publications that have succeeded are deleted. All others are left as River leaves them.
func TestCompletedJobsOfPublicationsAreDeleted_postgres(t *testing.T) {
	t.Parallel()
	q, st := newQueue(t, databases.Fresh(t, store.Postgres), func(context.Context, probe) error { return nil })
	client := q.engine.(*riverEngine[pgx.Tx]).client
	publish := job.Publish{ID: crier.NewID(), Epoch: 1, Provider: crier.ProviderX, SocialAccountID: crier.NewID()}
	many := slices.Concat(slices.Repeat([]river.InsertManyParams{{Args: publish}}, 7),
		slices.Repeat([]river.InsertManyParams{{Args: probe{}}}, 2))
	if _, err := client.InsertMany(t.Context(), many); err != nil {
		t.Fatal(err)
	}
	executor := client.Driver().GetExecutor()
	rows, err := executor.JobGetAvailable(t.Context(), &riverdriver.JobGetAvailableParams{ClientID: "node",
		MaxAttemptedBy: 10, MaxToLock: len(many), Queue: river.QueueDefault})
	if err != nil || len(rows) != len(many) {
		t.Fatalf("fetched %d of %d jobs: %v", len(rows), len(many), err)
	}
	slices.SortFunc(rows, byID)
	if _, err := st.Writer().ExecContext(t.Context(), `UPDATE river_job SET state = 'available' WHERE id = $1`,
		rows[5].ID); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Writer().ExecContext(t.Context(), `DELETE FROM river_job WHERE id = $1`, rows[6].ID); err != nil {
		t.Fatal(err)
	}
	at := time.Now()
	ends := setStates(
		riverdriver.JobSetStateCompleted(rows[0].ID, at, nil), riverdriver.JobSetStateCompleted(rows[1].ID, at, nil),
		riverdriver.JobSetStateCompleted(rows[2].ID, at, []byte(`{"output": 1}`)),
		riverdriver.JobSetStateErrorRetryable(rows[3].ID, at.Add(time.Hour), failure, nil),
		riverdriver.JobSetStateSnoozed(rows[4].ID, at.Add(time.Hour), 0, []byte(`{"snoozes": 1}`)),
		riverdriver.JobSetStateCompleted(rows[5].ID, at, nil), riverdriver.JobSetStateCompleted(rows[6].ID, at, nil),
		riverdriver.JobSetStateCompleted(rows[7].ID, at, nil), riverdriver.JobSetStateCompleted(rows[8].ID, at, nil))
	want := map[int64]rivertype.JobState{
		rows[2].ID: rivertype.JobStateCompleted, rows[3].ID: rivertype.JobStateRetryable,
		rows[4].ID: rivertype.JobStateScheduled, rows[5].ID: rivertype.JobStateAvailable,
		rows[7].ID: rivertype.JobStateCompleted, rows[8].ID: rivertype.JobStateCompleted,
	}
	returned := maps.Clone(want)
	returned[rows[0].ID], returned[rows[1].ID] = rivertype.JobStateCompleted, rivertype.JobStateCompleted
	for _, repeated := range []bool{false, true} { // as after an answer that was lost
		done, err := executor.JobSetStateIfRunningMany(t.Context(), ends)
		if err != nil {
			t.Fatal(err)
		}
		got := map[int64]rivertype.JobState{}
		for _, one := range done {
			got[one.ID] = one.State
		}
		if diff := cmp.Diff(returned, got); diff != "" {
			t.Errorf("returned (repeated: %v, -want +got): %s", repeated, diff)
		}
		left, err := client.JobList(t.Context(), river.NewJobListParams().First(100))
		if err != nil {
			t.Fatal(err)
		}
		got = map[int64]rivertype.JobState{}
		for _, one := range left.Jobs {
			got[one.ID] = one.State
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("left (repeated: %v, -want +got): %s", repeated, diff)
		}
		returned = want // the deleted ones are passed over
	}
}

// Jobs of publications that do not exist have nothing to do.
func TestRiverDeletesTheJobsOfPublications_postgres(t *testing.T) {
	t.Parallel()
	q, st := newQueue(t, databases.Fresh(t, store.Postgres), func(context.Context, probe) error { return nil })
	start(t, q)
	left := func() (n int) {
		if err := st.Reader().QueryRowContext(t.Context(),
			`SELECT count(*) FROM river_job WHERE kind = 'post.publish'`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	later := time.Now().Add(time.Hour)
	if err := st.WithTx(t.Context(), func(tx *store.Tx) error {
		jobs := []job.Job{{Args: job.Publish{ID: crier.NewID(), Provider: crier.ProviderX}, At: later}}
		for range 20 {
			jobs = append(jobs, job.Job{Args: job.Publish{ID: crier.NewID(), Provider: crier.ProviderX}})
		}
		return q.Enqueue(t.Context(), tx, jobs...)
	}); err != nil {
		t.Fatal(err)
	}
	until(t, "the jobs to be deleted", func() bool { return left() == 1 })
}
