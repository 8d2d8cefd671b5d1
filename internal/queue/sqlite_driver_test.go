package queue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivertype"

	"crier"
	"crier/internal/job"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// sqliteJobs is a SQLite database with jobs, and River's client for it.
type sqliteJobs struct {
	*store.Store
	client *river.Client[*sql.Tx]
}

func openSQLiteJobs(tb testing.TB, db storetest.Database) sqliteJobs {
	tb.Helper()
	q, st := newQueue(tb, db, func(context.Context, probe) error { return nil })
	return sqliteJobs{st, q.engine.(*riverEngine[*sql.Tx]).client}
}

// ours is the executor that River's completer gets, theirs the one of River's driver.
func (j sqliteJobs) ours() riverdriver.Executor   { return j.client.Driver().GetExecutor() }
func (j sqliteJobs) theirs() riverdriver.Executor { return riversqlite.New(j.Writer()).GetExecutor() }

// running inserts jobs and fetches them as River's producers do.
func (j sqliteJobs) running(tb testing.TB, jobs []river.InsertManyParams) []*rivertype.JobRow {
	tb.Helper()
	if _, err := j.client.InsertMany(tb.Context(), jobs); err != nil {
		tb.Fatal(err)
	}
	rows, err := j.theirs().JobGetAvailable(tb.Context(), &riverdriver.JobGetAvailableParams{ClientID: "node",
		MaxAttemptedBy: 10, MaxToLock: len(jobs), Queue: river.QueueDefault})
	if err != nil || len(rows) != len(jobs) {
		tb.Fatalf("fetched %d of %d jobs: %v", len(rows), len(jobs), err)
	}
	slices.SortFunc(rows, byID)
	return rows
}

func byID(a, b *rivertype.JobRow) int { return int(a.ID - b.ID) }

// table returns every column of every job as SQLite would write it in a statement, with its type.
func (j sqliteJobs) table(t *testing.T) (list []string) {
	t.Helper()
	var columns string
	if err := j.Writer().QueryRowContext(t.Context(), `SELECT group_concat('''' || name || ' '' || quote(' || name ||
		')', '|| char(10) ||') FROM pragma_table_info('river_job')`).Scan(&columns); err != nil {
		t.Fatal(err)
	}
	rows, err := j.Writer().QueryContext(t.Context(), `SELECT `+columns+` FROM river_job ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var row string
		if err := rows.Scan(&row); err != nil {
			t.Fatal(err)
		}
		list = append(list, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// transitions are all kinds of ends of a run, by name.
var transitions = map[string]func(id int64, at time.Time) *riverdriver.JobSetStateIfRunningParams{
	"completed": func(id int64, at time.Time) *riverdriver.JobSetStateIfRunningParams {
		return riverdriver.JobSetStateCompleted(id, at, nil)
	},
	"completed with metadata": func(id int64, at time.Time) *riverdriver.JobSetStateIfRunningParams {
		return riverdriver.JobSetStateCompleted(id, at, []byte(`{"output": {"b": [1, "ü"]}}`))
	},
	"snoozed": func(id int64, at time.Time) *riverdriver.JobSetStateIfRunningParams {
		return riverdriver.JobSetStateSnoozed(id, at.Add(time.Hour), 0, []byte(`{"snoozes": 1}`))
	},
	"snoozed briefly": func(id int64, at time.Time) *riverdriver.JobSetStateIfRunningParams {
		return riverdriver.JobSetStateSnoozedAvailable(id, at.Add(time.Second), 0, []byte(`{"snoozes": 2}`))
	},
	"failed": func(id int64, at time.Time) *riverdriver.JobSetStateIfRunningParams {
		return riverdriver.JobSetStateErrorRetryable(id, at.Add(time.Hour), failure, nil)
	},
	"failed briefly": func(id int64, at time.Time) *riverdriver.JobSetStateIfRunningParams {
		return riverdriver.JobSetStateErrorAvailable(id, at.Add(time.Second), failure, nil)
	},
	"discarded": func(id int64, at time.Time) *riverdriver.JobSetStateIfRunningParams {
		return riverdriver.JobSetStateDiscarded(id, at, failure, nil)
	},
	"canceled": func(id int64, at time.Time) *riverdriver.JobSetStateIfRunningParams {
		return riverdriver.JobSetStateCancelled(id, at, failure, nil)
	},
	"interrupted": func(id int64, at time.Time) *riverdriver.JobSetStateIfRunningParams {
		return riverdriver.JobSetStateInterrupted(id, at, 0, nil)
	},
}

var failure = []byte(`{"at": "2027-01-02T03:04:05.678901Z", "attempt": 1, "error": "no «answer»", "trace": ""}`)

// before are what may have happened to a job when its run ends, by name.
var before = map[string]string{
	"":                            ``,
	"of a job that failed before": `UPDATE river_job SET attempt = 2, errors = jsonb('[' || $2 || ']') WHERE id = $1`,
	"of a job that was canceled": `UPDATE river_job SET metadata = jsonb('{"cancel_attempted_at": "2027-01-02"}')
		WHERE id = $1`,
	"of a job that was released": `UPDATE river_job SET state = 'available' WHERE id = $1`,
	"of a job that was completed": `UPDATE river_job SET state = 'completed', finalized_at = '2027-01-01 00:00:00.000'
		WHERE id = $1`,
	"of a job that was deleted": `DELETE FROM river_job WHERE id = $1`,
}

// setStates combines the ends of runs into one call, as River's completer does.
func setStates(list ...*riverdriver.JobSetStateIfRunningParams) *riverdriver.JobSetStateIfRunningManyParams {
	now := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	many := &riverdriver.JobSetStateIfRunningManyParams{Now: &now}
	for _, one := range list {
		many.ID = append(many.ID, one.ID)
		many.Attempt = append(many.Attempt, one.Attempt)
		many.ErrData = append(many.ErrData, one.ErrData)
		many.FinalizedAt = append(many.FinalizedAt, one.FinalizedAt)
		many.MetadataDoMerge = append(many.MetadataDoMerge, one.MetadataDoMerge)
		many.MetadataUpdates = append(many.MetadataUpdates, one.MetadataUpdates)
		many.ScheduledAt = append(many.ScheduledAt, one.ScheduledAt)
		many.State = append(many.State, one.State)
	}
	return many
}

// completed completes jobs a few microseconds after each other.
func completed(jobs []*rivertype.JobRow) *riverdriver.JobSetStateIfRunningManyParams {
	list, at := make([]*riverdriver.JobSetStateIfRunningParams, len(jobs)), time.Now()
	for i, job := range jobs {
		list[i] = riverdriver.JobSetStateCompleted(job.ID, at.Add(time.Duration(i)*7*time.Microsecond), nil)
	}
	return setStates(list...)
}

// endedRuns fills a database with running jobs of all kinds and returns the ends of their runs.
func endedRuns(t *testing.T, jobs sqliteJobs) *riverdriver.JobSetStateIfRunningManyParams {
	t.Helper()
	kinds := []*river.InsertOpts{
		nil,
		{Tags: []string{"first", "second-tag"}, Metadata: []byte(`{"from": "test"}`), Priority: 3, MaxAttempts: 4},
		{UniqueOpts: river.UniqueOpts{ByArgs: true}},
		{UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{rivertype.JobStateAvailable,
			rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateScheduled}}},
	}
	var inserted []river.InsertManyParams
	for n := range len(kinds) * len(transitions) * len(before) * 2 {
		inserted = append(inserted, river.InsertManyParams{Args: probe{Number: n}, InsertOpts: kinds[n%len(kinds)]})
	}
	rows := jobs.running(t, inserted)
	east := time.FixedZone("east", 3*60*60)
	at := time.Date(2027, 1, 2, 1, 59, 59, 999_499_999, east) // rounded down, and the next one up
	var ends []*riverdriver.JobSetStateIfRunningParams
	for _, end := range transitions {
		for _, change := range before {
			for range 2 * len(kinds) {
				row := rows[len(ends)]
				if change != "" {
					args := []any{row.ID, string(failure)}[:strings.Count(change, "$")]
					if _, err := jobs.Writer().ExecContext(t.Context(), change, args...); err != nil {
						t.Fatal(err)
					}
				}
				ends = append(ends, end(row.ID, at.Add(time.Duration(len(ends))*time.Nanosecond)))
			}
		}
	}
	rand.Shuffle(len(ends), func(i, k int) { ends[i], ends[k] = ends[k], ends[i] })
	return setStates(ends...)
}

// All columns of all jobs are as River's driver would leave and return them.
func TestCompletingManyJobsAtOnceLeavesThemAsRiverDoes_sqlite(t *testing.T) {
	t.Parallel()
	jobs := openSQLiteJobs(t, databases.Fresh(t, store.SQLite))
	params := endedRuns(t, jobs)
	copied := storetest.Database{Dialect: store.SQLite, DataDir: t.TempDir()}
	if _, err := jobs.Writer().ExecContext(t.Context(), `VACUUM INTO $1`,
		filepath.Join(copied.DataDir, "crier.db")); err != nil {
		t.Fatal(err)
	}
	reference := openSQLiteJobs(t, copied)
	if diff := cmp.Diff(reference.table(t), jobs.table(t)); diff != "" {
		t.Fatal("the copy differs: " + diff)
	}
	want, err := reference.theirs().JobSetStateIfRunningMany(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	got, err := jobs.ours().JobSetStateIfRunningMany(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(want, byID)
	slices.SortFunc(got, byID)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("returned (-River, +crier): " + diff)
	}
	if diff := cmp.Diff(reference.table(t), jobs.table(t)); diff != "" {
		t.Error("left (-River, +crier): " + diff)
	}
}

// changes() is the number of rows of the last statement that changed any.
func TestManyJobsAreCompletedByOneStatement_sqlite(t *testing.T) {
	t.Parallel()
	const many = 200
	jobs := openSQLiteJobs(t, databases.Fresh(t, store.SQLite))
	for name, c := range map[string]struct {
		executor riverdriver.Executor
		want     int
	}{"crier": {jobs.ours(), many}, "River": {jobs.theirs(), 1}} {
		rows := jobs.running(t, slices.Repeat([]river.InsertManyParams{{Args: probe{}}}, many))
		done, err := c.executor.JobSetStateIfRunningMany(t.Context(), completed(rows))
		if err != nil || len(done) != many {
			t.Fatalf("%s completed %d of %d jobs: %v", name, len(done), many, err)
		}
		var changed int
		if err := jobs.Writer().QueryRowContext(t.Context(), `SELECT changes()`).Scan(&changed); err != nil {
			t.Fatal(err)
		}
		if changed != c.want {
			t.Errorf("the last statement of %s changed %d jobs, want %d", name, changed, c.want)
		}
	}
}

// Nobody analyzes SQLite's tables in crier, but an operator may, when there are few jobs.
func TestCompletionsLookUpTheirJobs_sqlite(t *testing.T) {
	t.Parallel()
	jobs := openSQLiteJobs(t, databases.Fresh(t, store.SQLite))
	for _, more := range []int{3, 30, 0} {
		rows, err := jobs.Writer().QueryContext(t.Context(), `EXPLAIN QUERY PLAN `+completeRunning, `{}`)
		if err != nil {
			t.Fatal(err)
		}
		var plan []string
		for rows.Next() {
			var id, parent, unused int
			var step string
			if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
				t.Fatal(err)
			}
			plan = append(plan, step)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
		if n := len(plan); n < 2 || plan[n-2] != "SCAN done" ||
			plan[n-1] != "SEARCH river_job USING INTEGER PRIMARY KEY (rowid=?)" {
			t.Errorf("the plan is %q", plan)
		}
		if more > 0 {
			jobs.running(t, slices.Repeat([]river.InsertManyParams{{Args: probe{}}}, more))
		}
		if _, err := jobs.Writer().ExecContext(t.Context(), `ANALYZE`); err != nil {
			t.Fatal(err)
		}
	}
}

// River tries a failed batch again, as a whole.
func TestJobsAreCompletedWithTheOthersOrNotAtAll_sqlite(t *testing.T) {
	t.Parallel()
	jobs := openSQLiteJobs(t, databases.Fresh(t, store.SQLite))
	rows := jobs.running(t, slices.Repeat([]river.InsertManyParams{{Args: probe{}}}, 3))
	was, at := jobs.table(t), time.Now()
	_, err := jobs.ours().JobSetStateIfRunningMany(t.Context(), setStates(
		riverdriver.JobSetStateCompleted(rows[0].ID, at, nil), riverdriver.JobSetStateCompleted(rows[1].ID, at, nil),
		riverdriver.JobSetStateErrorRetryable(rows[2].ID, at, []byte(`no JSON`), nil)))
	if err == nil {
		t.Error("no error of an error that is no JSON")
	}
	if diff := cmp.Diff(was, jobs.table(t)); diff != "" {
		t.Error("changed by a batch that failed: " + diff)
	}
}

// In a transaction of the caller, River's driver works as always.
func TestTransactionsOfTheJobDriverNestAndRollBack_sqlite(t *testing.T) {
	t.Parallel()
	jobs := openSQLiteJobs(t, databases.Fresh(t, store.SQLite))
	rows, driver := jobs.running(t, slices.Repeat([]river.InsertManyParams{{Args: probe{}}}, 2)), jobs.client.Driver()
	was := jobs.table(t)
	tx, err := driver.GetExecutor().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, executor := range []riverdriver.Executor{tx, driver.UnwrapExecutor(driver.UnwrapTx(tx))} {
		inner, err := executor.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if done, err := inner.JobSetStateIfRunningMany(t.Context(), completed(rows)); err != nil || len(done) != 2 {
			t.Errorf("completed %d of 2 jobs: %v", len(done), err)
		}
		if err := inner.Rollback(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(was, jobs.table(t)); diff != "" {
		t.Error("changed by transactions that were rolled back: " + diff)
	}
}

// What subscribers hear of a job is what is in its row.
func TestRiverReportsTheJobsThatItCompletes_sqlite(t *testing.T) {
	t.Parallel()
	const many = 300
	q, st := newQueue(t, databases.Fresh(t, store.SQLite), func(context.Context, probe) error { return nil })
	client := q.engine.(*riverEngine[*sql.Tx]).client
	events, unsubscribe := client.Subscribe(river.EventKindJobCompleted)
	defer unsubscribe()
	start(t, q)
	if err := st.WithTx(t.Context(), func(tx *store.Tx) error {
		return q.Enqueue(t.Context(), tx, slices.Repeat([]job.Job{{Args: probe{}}}, many)...)
	}); err != nil {
		t.Fatal(err)
	}
	for reported := 0; reported < many; {
		event := wait(t, events, "a job to be reported")
		if event.Job.Kind != (probe{}).Kind() {
			continue // River also runs crier's periodic jobs
		}
		reported++
		row, err := client.JobGet(t.Context(), event.Job.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(row, event.Job); diff != "" || row.State != rivertype.JobStateCompleted {
			t.Fatalf("reported of a %s job (-row, +report): %s", row.State, diff)
		}
	}
}

// BenchmarkCompletions ends the runs of a burst in batches of several sizes.
func BenchmarkCompletions(b *testing.B) {
	const burst = 10_000
	jobs := openSQLiteJobs(b, databases.Fresh(b, store.SQLite))
	args := job.Publish{ID: crier.NewID(), Epoch: 1, Provider: crier.ProviderX, SocialAccountID: crier.NewID()}
	rows := jobs.running(b, slices.Repeat([]river.InsertManyParams{{Args: args}}, burst))
	rand.Shuffle(len(rows), func(i, k int) { rows[i], rows[k] = rows[k], rows[i] }) // as from a map
	for _, size := range []int{100, 1000} {
		for name, executor := range map[string]riverdriver.Executor{"crier": jobs.ours(), "River": jobs.theirs()} {
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				for b.Loop() {
					for batch := range slices.Chunk(rows, size) {
						if done, err := executor.JobSetStateIfRunningMany(b.Context(), completed(batch)); err != nil ||
							len(done) != size {
							b.Fatalf("completed %d of %d jobs: %v", len(done), size, err)
						}
					}
					b.StopTimer()
					if _, err := jobs.Writer().ExecContext(b.Context(),
						`UPDATE river_job SET state = 'running', finalized_at = NULL`); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*burst), "µs/job")
			})
		}
	}
}
