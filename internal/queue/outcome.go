package queue

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// metrics are the job metrics.
type metrics struct {
	jobs     *prometheus.HistogramVec
	late     *prometheus.HistogramVec
	attempts *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer) *metrics {
	m := &metrics{jobs: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "crier_job_duration_seconds", Help: "How long jobs ran, by kind and outcome.",
		Buckets: []float64{.005, .025, .1, .5, 1, 5, 15, 60},
	}, []string{"kind", "outcome"})}
	m.late = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "crier_publish_lateness_seconds",
		Help:    "How long after its time the call to the network left, by provider.",
		Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 15, 60, 300},
	}, []string{"provider"})
	m.attempts = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "crier_attempts_total", Help: "What was tried with networks, by provider, operation and outcome.",
	}, []string{"provider", "operation", "outcome"})
	if reg != nil {
		reg.MustRegister(m.jobs, m.late, m.attempts)
	}
	return m
}

func middlewares(q *Queue) []rivertype.Middleware {
	return []rivertype.Middleware{river.WorkerMiddlewareFunc(q.observe)}
}

// observe measures a job and writes one log line about it.
func (q *Queue) observe(ctx context.Context, job *rivertype.JobRow, work func(context.Context) error) error {
	start := q.now()
	err := work(ctx)
	took := q.now().Sub(start)
	outcome, level := "done", slog.LevelInfo
	switch _, waits := errors.AsType[*river.JobSnoozeError](err); {
	case waits:
		outcome = "waits"
	case err != nil:
		outcome, level = "failed", slog.LevelWarn
	}
	q.metrics.jobs.WithLabelValues(job.Kind, outcome).Observe(took.Seconds())
	attrs := []slog.Attr{
		slog.String("kind", job.Kind), slog.Int64("job", job.ID), slog.Int("attempt", job.Attempt),
		slog.String("outcome", outcome), slog.Duration("took", took.Round(time.Microsecond)),
	}
	if level > slog.LevelInfo {
		attrs = append(attrs, slog.Any("error", err))
	}
	q.log.LogAttrs(ctx, level, "job", attrs...)
	return err
}

// quieter drops River's log records below warnings, because observe logs each job, and its errors about work that was
// canceled at shutdown.
type quieter struct{ slog.Handler }

// Handle passes on records that are not about the shutdown.
func (h quieter) Handle(ctx context.Context, record slog.Record) error {
	if errors.Is(ctx.Err(), context.Canceled) && isCancellation(record) {
		return nil
	}
	return h.Handler.Handle(ctx, record)
}

// isCancellation reports whether the error of a record is a canceled context. River logs some errors as errors and
// most as text.
func isCancellation(record slog.Record) (cancelled bool) {
	record.Attrs(func(a slog.Attr) bool {
		if a.Key == "error" || a.Key == "err" {
			cancelled = strings.Contains(a.Value.String(), context.Canceled.Error())
		}
		return !cancelled
	})
	return cancelled
}

// Enabled lets warnings and errors through.
func (h quieter) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}

// WithAttrs keeps the filter.
func (h quieter) WithAttrs(attrs []slog.Attr) slog.Handler {
	return quieter{h.Handler.WithAttrs(attrs)}
}

// WithGroup keeps the filter.
func (h quieter) WithGroup(name string) slog.Handler { return quieter{h.Handler.WithGroup(name)} }
