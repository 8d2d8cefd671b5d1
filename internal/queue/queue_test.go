package queue

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"crier"
	"crier/internal/auth"
	"crier/internal/job"
	"crier/internal/service"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// databases have the tables of crier and of the job engine.
var databases = &storetest.Suite{Prepare: func(ctx context.Context, cfg store.Config) error {
	s, err := store.Open(ctx, cfg)
	if err != nil {
		return err
	}
	_, err = s.Migrate(ctx)
	if err == nil {
		var q *Queue
		if q, err = New(Config{Store: s, Now: time.Now, Logger: slog.New(slog.DiscardHandler)}); err == nil {
			err = q.Migrate(ctx)
		}
	}
	return errors.Join(err, s.Close())
}}

// nodeVariable makes the test program run as a node on the database that it names, until it is killed.
const nodeVariable = "CRIER_TEST_QUEUE_NODE"

func TestMain(m *testing.M) {
	if address := os.Getenv(nodeVariable); address != "" {
		runNode(address)
	}
	os.Exit(databases.Run(m))
}

// probe is a test job. Its workers report to the test.
type probe struct {
	Number int       `json:"number"`
	Due    time.Time `json:"due"`
}

// Kind returns the job's kind.
func (probe) Kind() string { return "test.probe" }

type probeWorker struct {
	river.WorkerDefaults[probe]
	work func(ctx context.Context, p probe) error
}

// Work calls the test's function.
func (w *probeWorker) Work(ctx context.Context, job *river.Job[probe]) error {
	return w.work(ctx, job.Args)
}

// newQueue opens a queue that also runs probes.
func newQueue(tb testing.TB, db storetest.Database, work func(ctx context.Context, p probe) error) (*Queue,
	*store.Store) {
	tb.Helper()
	st := db.Open(tb)
	q, err := buildQueue(Config{Store: st}, work)
	if err != nil {
		tb.Fatal(err)
	}
	return q, st
}

func buildQueue(cfg Config, work func(ctx context.Context, p probe) error) (*Queue, error) {
	st, log := cfg.Store, slog.New(slog.DiscardHandler)
	cfg.Now, cfg.Logger = time.Now, log
	q, err := New(cfg)
	if err != nil {
		return nil, err
	}
	keys, err := auth.NewKeyring(auth.NewSecretKey())
	if err != nil {
		return nil, err
	}
	q.Register(service.New(service.Config{Store: st, Keys: keys, Queue: q, Now: time.Now, Logger: log}))
	river.AddWorker(q.workers, &probeWorker{work: work})
	return q, nil
}

// start runs jobs until the test ends.
func start(tb testing.TB, q *Queue) {
	tb.Helper()
	if err := q.Start(context.Background()); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := q.Stop(ctx); err != nil {
			tb.Error(err)
		}
	})
}

// count counts the probes in the job table.
func count(tb testing.TB, st *store.Store) int {
	tb.Helper()
	var n int
	if err := st.Reader().QueryRowContext(context.Background(),
		`SELECT count(*) FROM river_job WHERE kind = 'test.probe'`).Scan(&n); err != nil {
		tb.Fatal(err)
	}
	return n
}

// wait receives a value from a channel, or fails the test.
func wait[T any](tb testing.TB, c <-chan T, what string) T {
	tb.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(2 * time.Minute):
		tb.Fatal("waited in vain for " + what)
		panic("unreachable")
	}
}

// until polls until a condition holds, or fails the test.
func until(tb testing.TB, what string, happened func() bool) {
	tb.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(30 * time.Second); !happened(); <-tick.C {
		if time.Now().After(end) {
			tb.Fatal("waited 30 s for " + what)
		}
	}
}

var errUndo = errors.New("undo")

func TestJobExistsIfAndOnlyIfItsTransactionCommits(t *testing.T) {
	t.Parallel()
	databases.Each(t, func(t *testing.T, db storetest.Database) {
		ran := make(chan int, 100)
		q, st := newQueue(t, db, func(_ context.Context, p probe) error {
			ran <- p.Number
			return nil
		})
		start(t, q)
		ctx := context.Background()
		// insert writes a row and a job for it, then ends as the test says.
		insert := func(number int, end func() error) (crier.ID, error) {
			id := crier.NewID()
			return id, st.WithTx(ctx, func(tx *store.Tx) error {
				if err := tx.InsertUser(ctx, crier.User{ID: id, Name: "Row"}, crier.TimeOf(time.Now())); err != nil {
					return err
				}
				if err := q.Enqueue(ctx, tx, job.Job{Args: probe{Number: number}},
					job.Job{Args: probe{Number: number + 1}}); err != nil {
					return err
				}
				return end()
			})
		}
		undone, err := insert(10, func() error { return errUndo })
		if !errors.Is(err, errUndo) {
			t.Fatal(err)
		}
		func() {
			defer func() { _ = recover() }()
			_, _ = insert(20, func() error { panic("in the transaction") })
		}()
		if n := count(t, st); n != 0 {
			t.Errorf("%d jobs of undone transactions", n)
		}
		if _, err := st.User(ctx, undone); err == nil {
			t.Error("the row of an undone transaction is there")
		}
		kept, err := insert(30, func() error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		got := []int{wait(t, ran, "the first job"), wait(t, ran, "the second job")}
		slices.Sort(got)
		if !slices.Equal(got, []int{30, 31}) {
			t.Errorf("ran %v, want the two jobs of the transaction that was kept", got)
		}
		if _, err := st.User(ctx, kept); err != nil {
			t.Error(err)
		}
	})
}

func TestFailedStatementRollsBackJobs(t *testing.T) {
	t.Parallel()
	databases.Each(t, func(t *testing.T, db storetest.Database) {
		q, st := newQueue(t, db, func(context.Context, probe) error { return nil })
		ctx := context.Background()
		err := st.WithTx(ctx, func(tx *store.Tx) error {
			if err := q.Enqueue(ctx, tx, job.Job{Args: probe{}}); err != nil {
				return err
			}
			return tx.AddCredits(ctx, store.Booking{OrganizationID: crier.NewID(),
				CreditTransaction: crier.CreditTransaction{ID: crier.NewID(), Kind: "grant",
					CreatedAt: crier.TimeOf(time.Now())}})
		})
		if err == nil {
			t.Fatal("credits of an organization that does not exist were booked")
		}
		if n := count(t, st); n != 0 {
			t.Errorf("%d jobs of a failed transaction", n)
		}
	})
}

func TestTimedJobsStartOnTimeAndNeverEarly(t *testing.T) {
	t.Parallel()
	databases.Each(t, func(t *testing.T, db storetest.Database) {
		q := newTimed(t, db)
		start(t, q.Queue)
		q.ready(t)
		q.enqueue(t, 10, 200*time.Millisecond)
		for range 10 {
			// Both databases store times of jobs to the millisecond or finer.
			if late := wait(t, q.late, "a timed job"); late < -time.Millisecond || late > 8*time.Second {
				t.Errorf("a job started %v after its time", late)
			}
		}
	})
}

// timed is a queue whose probes report how late they start.
type timed struct {
	*Queue
	st   *store.Store
	late chan time.Duration
	warm chan struct{}
}

func newTimed(tb testing.TB, db storetest.Database) timed {
	tb.Helper()
	q := timed{late: make(chan time.Duration, 100), warm: make(chan struct{}, 1000)}
	q.Queue, q.st = newQueue(tb, db, func(_ context.Context, p probe) error {
		if p.Number < 0 {
			q.warm <- struct{}{}
			return nil
		}
		q.late <- time.Since(p.Due)
		return nil
	})
	return q
}

// ready waits until timed jobs run here: on a busy machine, that takes seconds from the start of a queue.
func (q timed) ready(tb testing.TB) {
	tb.Helper()
	for range 500 { // another node may take some, and fails them
		enqueue(tb, q.Queue, q.st, probe{Number: -1, Due: time.Now().Add(20 * time.Millisecond)})
		select {
		case <-q.warm:
			return
		case <-time.After(200 * time.Millisecond):
		}
	}
	tb.Fatal("no timed job has run")
}

// enqueue writes n probes at once, the first of which is due in a second.
func (q timed) enqueue(tb testing.TB, n int, step time.Duration) {
	tb.Helper()
	ctx, now := context.Background(), time.Now()
	err := q.st.WithTx(ctx, func(tx *store.Tx) error {
		for i := range n {
			due := now.Add(time.Second + time.Duration(i)*step)
			if err := q.Enqueue(ctx, tx, job.Job{Args: probe{Number: i, Due: due}, At: due}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
}

func TestStopLetsRunningJobsFinishAndStartsNoMore(t *testing.T) {
	t.Parallel()
	databases.Each(t, func(t *testing.T, db storetest.Database) {
		started, finish := make(chan int, 10), make(chan struct{})
		var finished sync.Map
		q, st := newQueue(t, db, func(ctx context.Context, p probe) error {
			started <- p.Number
			select {
			case <-finish:
			case <-ctx.Done():
				return ctx.Err()
			}
			finished.Store(p.Number, true)
			return nil
		})
		start(t, q)
		enqueue(t, q, st, probe{Number: 1})
		wait(t, started, "the job to begin")
		stopped := make(chan error, 1)
		go func() { stopped <- q.Stop(context.Background()) }()
		until(t, "the stop to begin", func() bool { return !q.Running() })
		<-time.After(300 * time.Millisecond) // River learns of the stop a moment later, and gives no signal
		enqueue(t, q, st, probe{Number: 2})
		select {
		case err := <-stopped:
			t.Fatalf("stopped while a job was running: %v", err)
		case <-time.After(300 * time.Millisecond):
		}
		close(finish)
		if err := wait(t, stopped, "the end"); err != nil {
			t.Fatal(err)
		}
		if _, ok := finished.Load(1); !ok {
			t.Error("the running job did not finish")
		}
		if _, ok := finished.Load(2); ok {
			t.Error("a job started after the stop")
		}
		// The other one waits for the next start.
		again, _ := newQueue(t, db, func(_ context.Context, p probe) error {
			started <- p.Number
			return nil
		})
		start(t, again)
		if n := wait(t, started, "the job that was left"); n != 2 {
			t.Errorf("job %d ran, want 2", n)
		}
	})
}

func TestStopCancelsJobsThatTakeTooLong(t *testing.T) {
	t.Parallel()
	databases.Each(t, func(t *testing.T, db storetest.Database) {
		started, cancelled := make(chan int, 1), make(chan error, 1)
		q, st := newQueue(t, db, func(ctx context.Context, p probe) error {
			started <- p.Number
			<-ctx.Done()
			cancelled <- ctx.Err()
			return ctx.Err()
		})
		start(t, q)
		enqueue(t, q, st, probe{Number: 1})
		wait(t, started, "the job to begin")
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		if err := q.Stop(ctx); err != nil {
			t.Error(err)
		}
		if err := wait(t, cancelled, "the job to be cancelled"); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

func enqueue(tb testing.TB, q *Queue, st *store.Store, p probe) {
	tb.Helper()
	ctx := context.Background()
	err := st.WithTx(ctx, func(tx *store.Tx) error { return q.Enqueue(ctx, tx, job.Job{Args: p, At: p.Due}) })
	if err != nil {
		tb.Fatal(err)
	}
}

// On SQLite a job that is marked as running when the process starts has no worker: its process has died.
func TestJobsOfADeadProcessRunAgain_sqlite(t *testing.T) {
	t.Parallel()
	ran := make(chan int, 1)
	q, st := newQueue(t, databases.Fresh(t, store.SQLite), func(_ context.Context, p probe) error {
		ran <- p.Number
		return nil
	})
	enqueue(t, q, st, probe{Number: 7})
	if _, err := st.Writer().ExecContext(context.Background(),
		`UPDATE river_job SET state = 'running', attempt = 1, attempted_at = scheduled_at`); err != nil {
		t.Fatal(err)
	}
	start(t, q)
	if n := wait(t, ran, "the job of the dead process"); n != 7 {
		t.Errorf("job %d ran", n)
	}
}

// The job pool must not cache plans: PostgreSQL would keep the plan for an empty table, and a burst of jobs would join
// quadratically.
func TestBurstOnAFreshlyEmptiedTable_postgres(t *testing.T) {
	t.Parallel()
	const jobs = 10_000
	var mu sync.Mutex
	ran, done, first := map[int]int{}, make(chan struct{}), make(chan int, 1)
	q, st := newQueue(t, databases.Fresh(t, store.Postgres), func(_ context.Context, p probe) error {
		if p.Number < 0 {
			first <- p.Number
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		if ran[p.Number]++; len(ran) == jobs && ran[p.Number] == 1 {
			close(done)
		}
		return nil
	})
	ctx := context.Background()
	var mode string
	if err := st.JobPool().QueryRow(ctx, `SHOW plan_cache_mode`).Scan(&mode); err != nil ||
		mode != "force_custom_plan" {
		t.Errorf("plan_cache_mode of the job pool is %q, %v", mode, err)
	}
	start(t, q)
	enqueue(t, q, st, probe{Number: -1}) // the statements are prepared now, while the table is empty
	wait(t, first, "the first job")
	if _, err := st.Writer().ExecContext(ctx, `TRUNCATE river_job`); err != nil {
		t.Fatal(err)
	}
	started := time.Now()
	err := st.WithTx(ctx, func(tx *store.Tx) error {
		many := make([]river.InsertManyParams, jobs)
		for i := range many {
			many[i] = river.InsertManyParams{Args: probe{Number: i},
				InsertOpts: &river.InsertOpts{Queue: publishQueue(crier.Providers()[0])}}
		}
		return q.engine.insert(ctx, tx, many)
	})
	if err != nil {
		t.Fatal(err)
	}
	inserted := time.Since(started)
	select {
	case <-done:
	case <-time.After(5 * time.Minute):
		t.Fatalf("%d of %d jobs ran within 5 minutes", len(ran), jobs)
	}
	t.Logf("%d jobs: inserted in %v, all run %v after that", jobs, inserted.Round(time.Millisecond),
		(time.Since(started) - inserted).Round(time.Millisecond))
	mu.Lock()
	defer mu.Unlock()
	for number, times := range ran {
		if times != 1 {
			t.Errorf("job %d ran %d times", number, times)
		}
	}
}

// With a million waiting jobs, reading all of them every two seconds would be most of a node's work.
func TestPromotionFindsDueJobsByAnIndex_postgres(t *testing.T) {
	t.Parallel()
	_, st := newQueue(t, databases.Fresh(t, store.Postgres), func(context.Context, probe) error { return nil })
	ctx := context.Background()
	for _, statement := range []string{
		`INSERT INTO river_job (args, kind, max_attempts, queue, state, scheduled_at)
			SELECT '{}', 'test.probe', 25, 'publish_x', 'scheduled', now() + interval '1 day' + i * interval '1 second'
			FROM generate_series(1, 50000) AS i`,
		`ANALYZE river_job`,
	} {
		if _, err := st.Writer().ExecContext(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := st.Writer().QueryContext(ctx, `EXPLAIN SELECT id FROM river_job
		WHERE state IN ('retryable', 'scheduled') AND priority >= 0
		AND queue IS NOT NULL AND scheduled_at <= $1 ORDER BY priority, scheduled_at, id LIMIT 10000 FOR UPDATE`, time.Now().Add(promoteAhead))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	plan := ""
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		plan += line + "\n"
	}
	if err := rows.Err(); err != nil || !strings.Contains(plan, "crier_jobs_to_promote") {
		t.Errorf("the plan uses another way: %v\n%s", err, plan)
	}
}

// Indexes that nothing reads are dropped by the first node of a version that does without them, while those of the
// version before go on working.
func TestUnusedIndexesOfJobsAreDroppedBesideRunningNodes_postgres(t *testing.T) {
	t.Parallel()
	q, st := newQueue(t, databases.Fresh(t, store.Postgres), func(context.Context, probe) error { return nil })
	ctx := t.Context()
	exec := func(statement string) {
		t.Helper()
		if _, err := st.Writer().ExecContext(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	exec(`CREATE INDEX river_job_args_index ON river_job USING gin (args)`)
	working, err := st.Writer().BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	const insert = `INSERT INTO river_job (args, kind, max_attempts) VALUES ('{}', 'test.probe', 25)`
	if _, err := working.ExecContext(ctx, insert); err != nil {
		t.Fatal(err)
	}
	migrated := make(chan error, 1)
	go func() { migrated <- q.Migrate(ctx) }()
	for range 10 { // the migration gives way
		exec(insert)
	}
	select {
	case err := <-migrated:
		t.Fatalf("migrated while a node uses the index: %v", err)
	default:
	}
	if err := working.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-migrated; err != nil {
		t.Fatal(err)
	}
	for _, name := range river.ReindexerIndexNamesDefault() {
		var there bool
		if err := st.Reader().QueryRowContext(ctx, `SELECT to_regclass($1) IS NOT NULL`, name).Scan(&there); err != nil {
			t.Fatal(err)
		}
		if there == slices.Contains(store.UnusedJobIndexes(), name) {
			t.Errorf("%s is there: %v", name, there)
		}
	}
}

func TestUnusedIndexesOfJobsAreDropped_sqlite(t *testing.T) {
	t.Parallel()
	_, st := newQueue(t, databases.Fresh(t, store.SQLite), func(context.Context, probe) error { return nil })
	for _, name := range store.UnusedJobIndexes() {
		var there bool
		if err := st.Reader().QueryRowContext(t.Context(), `SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = $1)`,
			name).Scan(&there); err != nil || there {
			t.Errorf("%s is there: %v, %v", name, there, err)
		}
	}
}

// When the leader of the job engine is killed, River promotes no scheduled jobs until its lease ends, some fifteen
// seconds later. Every node promotes them itself, so nothing is late.
func TestKilledLeaderDoesNotDelayJobs_postgres(t *testing.T) {
	t.Parallel()
	db := databases.Fresh(t, store.Postgres)
	leader := exec.Command(os.Args[0])
	leader.Env = append(os.Environ(), nodeVariable+"="+db.URL)
	if err := leader.Start(); err != nil {
		t.Fatal(err)
	}
	killed := sync.OnceFunc(func() {
		_ = leader.Process.Kill()
		_ = leader.Wait()
	})
	t.Cleanup(killed)
	q, ctx := newTimed(t, db), context.Background()
	leads := func() (id string) {
		_ = q.st.Reader().QueryRowContext(ctx, `SELECT leader_id FROM river_leader`).Scan(&id)
		return id
	}
	until(t, "the other node to lead", func() bool { return leads() != "" })
	first := leads()
	start(t, q.Queue)
	q.ready(t)
	killed()
	q.enqueue(t, 12, 250*time.Millisecond)
	worst := time.Duration(0)
	for range 12 {
		worst = max(worst, wait(t, q.late, "a job after the death of the leader"))
	}
	t.Logf("the latest job started %v late; the leader was still said to be the dead one: %v",
		worst.Round(time.Millisecond), leads() == first)
	if worst > 8*time.Second {
		t.Errorf("a job started %v late", worst)
	}
}

// runNode is the other node of TestAKilledLeaderDelaysNothing. It never ends by itself.
func runNode(address string) {
	ctx := context.Background()
	st, err := store.Open(ctx, store.Config{DatabaseURL: address})
	if err != nil {
		panic(err)
	}
	q, err := buildQueue(Config{Store: st}, func(context.Context, probe) error { return errors.New("not this node's") })
	if err != nil {
		panic(err)
	}
	if err := q.Start(ctx); err != nil {
		panic(err)
	}
	select {}
}
