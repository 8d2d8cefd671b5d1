// Package queue runs background jobs on River, and enqueues jobs in the caller's transaction. It is the only package
// that depends on River. A job is only a wake-up; the state is in the rows it refers to.
package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"

	"crier/internal/analytics"
	"crier/internal/job"
	"crier/internal/publish"
	"crier/internal/service"
	"crier/internal/store"
	"crier/internal/webhook"
)

const (
	// jobTimeout bounds one run of a job; long waits are snoozes.
	jobTimeout = time.Minute
	// rescueAfter is when a job of a dead node is run again.
	rescueAfter = 3 * time.Minute
	// startTimeout bounds the start of the job engine, which takes milliseconds unless the database is overloaded.
	startTimeout = 2 * time.Minute
	// defaultWorkers is the number of workers of the default queue.
	defaultWorkers = 50
)

// Config holds the queue's dependencies.
type Config struct {
	Store   *store.Store
	Now     func() time.Time
	Logger  *slog.Logger
	Metrics prometheus.Registerer
	// Poll is how often a node looks for due publications and deliveries that it was not notified of; 0 means a second.
	// Only tests change it.
	Poll time.Duration
}

// Queue enqueues jobs and, once started, runs them.
type Queue struct {
	store   *store.Store
	engine  engine
	workers *river.Workers
	now     func() time.Time
	log     *slog.Logger
	metrics *metrics
	// publisher is set by Register.
	publisher  *publish.Publisher
	analytics  *analytics.Analytics
	dispatcher *webhook.Dispatcher
	newEvents  <-chan struct{}
	running    atomic.Bool
	// advanced counts the starts and ends of runs on publications of this node.
	advanced atomic.Int64
	waker    *waker
	loops    sync.WaitGroup
	stop     context.CancelFunc
}

// engine hides which database River works on.
type engine interface {
	migrate(ctx context.Context) error
	migrated(ctx context.Context) (bool, error)
	insert(ctx context.Context, tx *store.Tx, jobs []river.InsertManyParams) error
	promote(ctx context.Context, until time.Time) error
	notify(ctx context.Context, queues map[string]bool)
	notifyIn(ctx context.Context, tx *store.Tx, queues map[string]bool) error
	start(ctx context.Context) error
	drain(ctx context.Context, handBack func()) error
	abort(ctx context.Context) error
}

// New returns a queue. Jobs can be enqueued at once; Start starts running them.
func New(cfg Config) (*Queue, error) {
	q := &Queue{store: cfg.Store, workers: river.NewWorkers(), now: cfg.Now, log: cfg.Logger,
		metrics: newMetrics(cfg.Metrics)}
	config := q.riverConfig(cfg.Poll)
	var err error
	if cfg.Store.Dialect() == store.Postgres {
		pool := cfg.Store.JobPool()
		q.engine, err = newEngine(postgresDriver{riverpgxv5.New(pool), pool}, config, joinPostgres)
	} else {
		q.engine, err = newEngine(sqliteDriver{riversqlite.New(cfg.Store.Writer())}, config, joinSQLite)
	}
	if err != nil {
		return nil, fmt.Errorf("build the job engine: %w", err)
	}
	q.waker = &waker{notify: q.engine.notify}
	return q, nil
}

func (q *Queue) riverConfig(poll time.Duration) *river.Config {
	queues := urgentQueues(poll)
	queues[river.QueueDefault] = river.QueueConfig{MaxWorkers: defaultWorkers}
	queues[metricsQueue] = river.QueueConfig{MaxWorkers: metricsWorkers}
	queues[upkeepQueue] = river.QueueConfig{MaxWorkers: upkeepWorkers}
	queues[mediaQueue] = river.QueueConfig{MaxWorkers: mediaWorkers}
	return &river.Config{
		JobTimeout:           jobTimeout,
		RescueStuckJobsAfter: rescueAfter,
		Logger:               slog.New(quieter{q.log.Handler()}),
		Queues:               queues,
		Workers:              q.workers,
		PeriodicJobs:         periodicJobs(),
		ReindexerSchedule:    quietTime,
		ReindexerIndexNames: slices.DeleteFunc(river.ReindexerIndexNamesDefault(),
			func(name string) bool { return slices.Contains(store.UnusedJobIndexes(), name) }),
		Middleware: middlewares(q),
	}
}

// Register sets the services that jobs call. It must be called before Start.
func (q *Queue) Register(s *service.Services) {
	shares := newDefaultShares()
	river.AddWorker(q.workers, &purgeTeamWorker{upkeep: s.Upkeep, shares: shares})
	river.AddWorker(q.workers, &sweepWorker{upkeep: s.Upkeep, analytics: s.Analytics})
	river.AddWorker(q.workers, &resealWorker{upkeep: s.Upkeep})
	river.AddWorker(q.workers, &publishWorker{publisher: s.Publisher, now: q.now, advanced: &q.advanced})
	river.AddWorker(q.workers, &unpublishWorker{publisher: s.Publisher, shares: shares, now: q.now})
	readers := newGroupShares(metricsShare)
	river.AddWorker(q.workers, &snapshotWorker{analytics: s.Analytics, shares: readers})
	river.AddWorker(q.workers, &accountSnapshotWorker{analytics: s.Analytics, shares: readers})
	river.AddWorker(q.workers, &renewTokensWorker{tokens: s.Tokens})
	q.publisher, q.analytics = s.Publisher, s.Analytics
	river.AddWorker(q.workers, &mailInvitationWorker{invitations: s.Invitations, shares: shares})
	river.AddWorker(q.workers, &mailResetWorker{invitations: s.Invitations, shares: shares})
	river.AddWorker(q.workers, &enrichPostWorker{facets: s.Facets, shares: shares})
	river.AddWorker(q.workers, &retagPostsWorker{facets: s.Facets, shares: shares})
	river.AddWorker(q.workers, &processAssetWorker{assets: s.Assets, shares: newFairShares(mediaWorkers)})
	river.AddWorker(q.workers, &sweepAssetsWorker{assets: s.Assets})
	river.AddWorker(q.workers, &deliverWebhookWorker{dispatcher: s.Dispatcher})
	river.AddWorker(q.workers, &replayWebhookWorker{dispatcher: s.Dispatcher, shares: shares})
	river.AddWorker(q.workers, &mailWebhookDisabledWorker{dispatcher: s.Dispatcher, shares: shares})
	q.dispatcher, q.newEvents = s.Dispatcher, s.Events.Log().Watch()
}

// Enqueue inserts jobs in the transaction.
func (q *Queue) Enqueue(ctx context.Context, tx *store.Tx, jobs ...job.Job) error {
	if len(jobs) == 0 {
		return nil
	}
	params := make([]river.InsertManyParams, len(jobs))
	for i, job := range jobs {
		params[i] = river.InsertManyParams{Args: job.Args,
			InsertOpts: &river.InsertOpts{ScheduledAt: job.At, Queue: queueOf(job.Args)}}
	}
	if err := q.engine.insert(ctx, tx, params); err != nil {
		return fmt.Errorf("enqueue %s: %w", jobs[0].Args.Kind(), err)
	}
	return q.wake(ctx, tx, jobs)
}

// queueOf returns the queue of a job: publications have one per network, and jobs that decode files have their own, so
// that nothing else waits for them.
func queueOf(args job.Args) string {
	switch args := args.(type) {
	case job.Publish:
		return publishQueue(args.Provider)
	case job.DeliverWebhook:
		return webhookQueue
	case job.ProcessAsset:
		return mediaQueue
	case job.Snapshot, job.AccountSnapshot:
		return metricsQueue
	}
	return river.QueueDefault
}

// Migrate migrates River's tables.
func (q *Queue) Migrate(ctx context.Context) error {
	if err := q.engine.migrate(ctx); err != nil {
		return err
	}
	return q.store.IndexJobs(ctx)
}

// Migrated reports whether River's tables are up to date.
func (q *Queue) Migrated(ctx context.Context) (bool, error) { return q.engine.migrated(ctx) }

// Start starts running jobs.
func (q *Queue) Start(ctx context.Context) error {
	if err := errors.Join(q.store.ReleaseRunningJobs(ctx), q.store.ReleaseLeases(ctx)); err != nil {
		return err
	}
	if err := q.startEngine(ctx); err != nil {
		return fmt.Errorf("start the job engine: %w", err)
	}
	loops, stop := context.WithCancel(context.WithoutCancel(ctx))
	q.stop = stop
	q.loops.Go(func() { q.promoteLoop(loops) })
	q.loops.Go(func() { q.analyzeNewLoop(loops) })
	q.loops.Go(func() { q.overdueLoop(loops) })
	q.loops.Go(func() { q.webhookLoop(loops) })
	q.loops.Go(func() { q.analyticsLoop(loops) })
	q.running.Store(true)
	return nil
}

// startEngine starts River. When a LISTEN takes River longer than 5 seconds, its start fails, and then it waits forever
// for its own listener to stop: the node would neither serve nor end, and nobody would start it again.
func (q *Queue) startEngine(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	limit, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	started := make(chan error, 1)
	go func() { started <- q.engine.start(ctx) }()
	select {
	case err := <-started:
		return err
	case <-limit.Done():
	}
	go func() {
		if <-started == nil { // after all: nobody waits for its jobs
			_ = q.engine.abort(ctx)
		}
	}()
	return fmt.Errorf("it has not started within %v: is the database overloaded?", startTimeout)
}

// Running is true between Start and Stop.
func (q *Queue) Running() bool { return q.running.Load() }

// Stop lets running jobs finish, at most until ctx ends; then it cancels them. No new ones start.
func (q *Queue) Stop(ctx context.Context) error {
	if !q.running.Swap(false) {
		return nil
	}
	q.stop()
	q.loops.Wait()
	err := q.engine.drain(ctx, q.publisher.Drain)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		return q.engine.abort(grace)
	}
	return err
}

// riverEngine is River on one database. join adapts a running transaction to the driver's type.
type riverEngine[TTx any] struct {
	client   *river.Client[TTx]
	migrator *rivermigrate.Migrator[TTx]
	join     func(ctx context.Context, tx *store.Tx, fn func(TTx) error) error
}

func (e *riverEngine[TTx]) migrate(ctx context.Context) error {
	if _, err := e.migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("migrate the job engine: %w", err)
	}
	return nil
}

func (e *riverEngine[TTx]) migrated(ctx context.Context) (bool, error) {
	res, err := e.migrator.Validate(ctx, nil)
	if err != nil {
		return false, fmt.Errorf("check the migrations of the job engine: %w", err)
	}
	return res.OK, nil
}

func (e *riverEngine[TTx]) insert(ctx context.Context, tx *store.Tx, jobs []river.InsertManyParams) error {
	return e.join(ctx, tx, func(t TTx) error {
		_, err := e.client.InsertManyTx(ctx, t, jobs)
		return err
	})
}

func (e *riverEngine[TTx]) start(ctx context.Context) error { return e.client.Start(ctx) }
func (e *riverEngine[TTx]) abort(ctx context.Context) error { return e.client.StopAndCancel(ctx) }

var _ engine = (*riverEngine[pgx.Tx])(nil)
