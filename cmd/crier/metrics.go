package main

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/internal/store"
)

// jobCollector counts waiting and running jobs when somebody asks.
type jobCollector struct {
	store *store.Store
	desc  *prometheus.Desc
	due   *prometheus.Desc
}

func newJobCollector(s *store.Store) *jobCollector {
	return &jobCollector{
		store: s,
		desc:  prometheus.NewDesc("crier_jobs", "Jobs that wait or run, by state.", []string{"state"}, nil),
		due:   prometheus.NewDesc("crier_publications_due", "Publications whose time has come and that are not done, by provider.", []string{"provider"}, nil),
	}
}

// Describe names the measurement.
func (c *jobCollector) Describe(ch chan<- *prometheus.Desc) { ch <- c.desc; ch <- c.due }

// Collect asks the database; when it is away there is nothing to tell.
func (c *jobCollector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	counts, err := c.store.JobCounts(ctx)
	if err != nil {
		ch <- prometheus.NewInvalidMetric(c.desc, err)
		return
	}
	for state, n := range counts {
		ch <- prometheus.MustNewConstMetric(c.desc, prometheus.GaugeValue, float64(n), state)
	}
	due, err := c.store.DueCounts(ctx, time.Now())
	if err != nil {
		ch <- prometheus.NewInvalidMetric(c.due, err)
		return
	}
	for network, n := range due {
		ch <- prometheus.MustNewConstMetric(c.due, prometheus.GaugeValue, float64(n), network)
	}
}
