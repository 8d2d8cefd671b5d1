package server

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier"
	"crier/internal/store"
)

const (
	// vitalsTTL is how long numbers from the database are cached, however many clients ask.
	vitalsTTL = 5 * time.Second
	// vitalsTimeout bounds the database query.
	vitalsTimeout = 5 * time.Second
)

var (
	databaseDesc = prometheus.NewDesc("crier_database_up",
		"1 if the database has answered; 0 if it has not, and then what is counted there is missing.", nil, nil)
	jobsDesc = prometheus.NewDesc("crier_jobs", "Jobs that wait or run, by state, counted up to 10,000.",
		[]string{"state"}, nil)
	dueDesc = prometheus.NewDesc("crier_publications_due",
		"Posts whose time has come and that are not done, by provider, counted up to 10,000.", []string{"provider"},
		nil)
	oldestDesc = prometheus.NewDesc("crier_publications_oldest_due_seconds",
		"How long ago the oldest post was due that is not done and does not wait for its account, by provider.",
		[]string{"provider"}, nil)
	readyDesc = prometheus.NewDesc("crier_publications_ready_seconds",
		"How long the publication that has waited longest for a worker has been ready.", nil, nil)
	unhealthyDesc = prometheus.NewDesc("crier_accounts_unhealthy",
		"Connected accounts with a problem, by provider and issue, counted up to 10,000.",
		[]string{"provider", "issue"}, nil)
	failingDesc = prometheus.NewDesc("crier_webhooks_failing",
		"Webhooks whose last deliveries have failed: those that are retried, and the dead, which were switched off.",
		[]string{"state"}, nil)
)

// vitalsCollector collects metrics from the database on each scrape.
type vitalsCollector struct {
	store *store.Store
	now   func() time.Time
	log   *slog.Logger

	mu     sync.Mutex
	readAt time.Time
	cached []prometheus.Metric
}

func newVitalsCollector(s *store.Store, now func() time.Time, log *slog.Logger) *vitalsCollector {
	return &vitalsCollector{store: s, now: now, log: log}
}

// Describe sends the descriptions of the metrics.
func (c *vitalsCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{databaseDesc, jobsDesc, dueDesc, oldestDesc, readyDesc, unhealthyDesc,
		failingDesc} {
		ch <- desc
	}
}

// Collect sends the metrics. When the database is unavailable it reports that, and the scrape still returns all other
// metrics.
func (c *vitalsCollector) Collect(ch chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	if age := now.Sub(c.readAt); c.cached == nil || age < 0 || age >= vitalsTTL {
		ctx, cancel := context.WithTimeout(context.Background(), vitalsTimeout)
		defer cancel()
		list, err := c.read(ctx, now)
		if err != nil {
			c.log.Warn("metrics: the database does not respond", "error", err)
			ch <- prometheus.MustNewConstMetric(databaseDesc, prometheus.GaugeValue, 0)
			return
		}
		c.readAt, c.cached = now, list
	}
	for _, m := range c.cached {
		ch <- m
	}
}

func (c *vitalsCollector) read(ctx context.Context, now time.Time) ([]prometheus.Metric, error) {
	jobs, err := c.store.JobCounts(ctx)
	if err != nil {
		return nil, err
	}
	v, err := c.store.Vitals(ctx, now)
	if err != nil {
		return nil, err
	}
	var list []prometheus.Metric
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		list = append(list, prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...))
	}
	gauge(databaseDesc, 1)
	for state, n := range jobs {
		gauge(jobsDesc, float64(n), state)
	}
	for _, network := range crier.Providers() {
		gauge(dueDesc, float64(v.Due[network]), string(network))
		gauge(oldestDesc, secondsSince(v.OldestDue[network], now), string(network))
	}
	gauge(readyDesc, secondsSince(v.ReadySince, now))
	for group, n := range v.Unhealthy {
		gauge(unhealthyDesc, float64(n), string(group.Provider), group.Issue)
	}
	gauge(failingDesc, float64(v.FailingWebhooks), "retrying")
	gauge(failingDesc, float64(v.DeadWebhooks), "dead")
	return list, nil
}

// secondsSince returns 0 for the zero time.
func secondsSince(at crier.Time, now time.Time) float64 {
	if at.IsZero() {
		return 0
	}
	return max(0, crier.TimeOf(now).Sub(at.Time).Seconds()) // the precision of the database
}
