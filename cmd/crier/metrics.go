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
}

func newJobCollector(s *store.Store) *jobCollector {
	return &jobCollector{store: s, desc: prometheus.NewDesc("crier_jobs", "Jobs that wait or run, by state.", []string{"state"}, nil)}
}

// Describe names the measurement.
func (c *jobCollector) Describe(ch chan<- *prometheus.Desc) { ch <- c.desc }

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
}
