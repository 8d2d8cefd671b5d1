package bench_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"

	"crier/internal/server/servertest"
	"crier/internal/store"
)

// rates are the jobs per second of the job engine without crier.
type rates struct {
	empty, working float64
}

// rawJob is a job of the benchmark.
type rawJob struct {
	Number int `json:"number"`
}

// Kind returns the job's kind.
func (rawJob) Kind() string { return "bench.raw" }

type rawWorker struct {
	river.WorkerDefaults[rawJob]
	work func(ctx context.Context, number int) error
	left atomic.Int64
	done chan struct{}
}

// Work runs the measured function and signals the last job.
func (w *rawWorker) Work(ctx context.Context, job *river.Job[rawJob]) error {
	if err := w.work(ctx, job.Args.Number); err != nil {
		return err
	}
	if w.left.Add(-1) == 0 {
		close(w.done)
	}
	return nil
}

// rawRates measures River on a separate database with the settings that crier uses.
func rawRates(b *testing.B, dialect store.Dialect, jobs int) rates {
	b.Helper()
	st := servertest.Databases.Fresh(b, dialect).Open(b)
	ctx := context.Background()
	if _, err := st.Writer().ExecContext(ctx,
		`CREATE TABLE bench_rows (number integer PRIMARY KEY, done integer NOT NULL)`); err != nil {
		b.Fatal(err)
	}
	answers := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"data":{"id":"1"}}`)
	}))
	b.Cleanup(answers.Close)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	working := func(ctx context.Context, number int) error {
		if _, err := st.Writer().ExecContext(ctx, `INSERT INTO bench_rows (number, done) VALUES ($1, 0)`,
			number); err != nil {
			return err
		}
		resp, err := client.Post(answers.URL, "application/json", strings.NewReader(`{"text":"hello"}`))
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		if closed := resp.Body.Close(); err != nil || closed != nil {
			return err
		}
		_, err = st.Writer().ExecContext(ctx, `UPDATE bench_rows SET done = 1 WHERE number = $1`, number)
		return err
	}
	empty := func(context.Context, int) error { return nil }
	if dialect == store.Postgres {
		driver := riverpgxv5.New(st.JobPool())
		return rates{rawRate[pgx.Tx](b, driver, jobs, empty), rawRate[pgx.Tx](b, driver, jobs, working)}
	}
	driver := riversqlite.New(st.Writer())
	return rates{rawRate(b, driver, jobs, empty), rawRate(b, driver, jobs, working)}
}

// rawRate runs jobs that are all enqueued at the start, and returns how many were done per second.
func rawRate[TTx any](b *testing.B, driver riverdriver.Driver[TTx], jobs int,
	work func(context.Context, int) error) float64 {
	b.Helper()
	ctx := context.Background()
	w := &rawWorker{work: work, done: make(chan struct{})}
	w.left.Store(int64(jobs))
	workers := river.NewWorkers()
	river.AddWorker(workers, w)
	client, err := river.NewClient(driver, &river.Config{
		Logger: slog.New(slog.DiscardHandler), Workers: workers, JobTimeout: time.Minute,
		Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 2000,
			FetchCooldown: 5 * time.Millisecond}},
	})
	if err != nil {
		b.Fatal(err)
	}
	many := make([]river.InsertManyParams, 0, 1000)
	for i := range jobs {
		if many = append(many, river.InsertManyParams{Args: rawJob{Number: i}}); len(many) == 1000 || i == jobs-1 {
			if _, err := client.InsertMany(ctx, many); err != nil {
				b.Fatal(err)
			}
			many = many[:0]
		}
	}
	start := time.Now()
	if err := client.Start(ctx); err != nil {
		b.Fatal(err)
	}
	<-w.done
	rate := float64(jobs) / time.Since(start).Seconds()
	if err := client.Stop(ctx); err != nil {
		b.Fatal(err)
	}
	return rate
}
