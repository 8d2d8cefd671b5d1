package store

import (
	"context"
	"fmt"
	"slices"

	"crier"
)

// DeliveryCount is the number of posts of a network with a final status.
type DeliveryCount struct {
	Provider crier.Provider
	Status   crier.ScheduledPostStatus
	Count    int64
}

// DeliveryCounts counts the posts that were due in a time range, by network and status, without canceled ones.
func (r reads) DeliveryCounts(ctx context.Context, f AnalyticsFilter, from, to crier.Time) ([]DeliveryCount, error) {
	f.PostTypes = nil
	where, args := f.where("s")
	args = append([]any{f.TeamID, from, to}, args...)
	of := func(class string) string { // a status is of one class
		return `SELECT s.provider, s.status, count(*) FROM publications s
			WHERE s.team_id = ? AND s.kind = 'post' AND ` + class + ` AND s.scheduled_at >= ?
			AND s.scheduled_at < ?` + where + ` GROUP BY s.provider, s.status`
	}
	rows, err := r.q.QueryContext(ctx, bind(of(classLive)+` UNION ALL `+of(classEnded)+` ORDER BY 1, 2`, 0),
		slices.Concat(args, args)...)
	if err != nil {
		return nil, fmt.Errorf("count deliveries: %w", err)
	}
	list, err := collect(rows, func(row scanner) (c DeliveryCount, err error) {
		return c, row.Scan(&c.Provider, &c.Status, &c.Count)
	})
	if err != nil {
		return nil, fmt.Errorf("count deliveries: %w", err)
	}
	return list, nil
}

// Lateness is how late the posts of a network were published, in milliseconds.
type Lateness struct {
	Provider crier.Provider
	Count    int64
	// Percentiles are the requested percentiles, in the order of the request.
	Percentiles []int64
}

// Latenesses reads how late the posts that were due in a time range were published: per network, and for all networks
// together under the empty name, if there are any. Percentile k is the smallest lateness that at least k of 100 posts
// do not exceed.
func (r reads) Latenesses(ctx context.Context, f AnalyticsFilter, from, to crier.Time,
	percentiles []int) ([]Lateness, error) {
	where, args := f.where("s")
	condition := ` FROM publication_stats s WHERE s.team_id = ? AND s.due_at >= ? AND s.due_at < ?
		AND s.late_ms IS NOT NULL` + where
	args = append([]any{f.TeamID, from, to}, args...)
	rows, err := r.q.QueryContext(ctx, bind(`SELECT s.provider, count(*)`+condition+`
		GROUP BY s.provider ORDER BY s.provider`, 0), args...)
	if err != nil {
		return nil, fmt.Errorf("count latenesses: %w", err)
	}
	list, err := collect(rows, func(row scanner) (l Lateness, err error) { return l, row.Scan(&l.Provider, &l.Count) })
	if err != nil {
		return nil, fmt.Errorf("count latenesses: %w", err)
	}
	var all Lateness
	for _, l := range list {
		all.Count += l.Count
	}
	if all.Count > 0 {
		list = append(list, all)
	}
	for i := range list {
		l := &list[i]
		of, values := condition, args
		if l.Provider != "" {
			of, values = of+" AND s.provider = ?", append(slices.Clip(args), l.Provider)
		}
		for _, k := range percentiles {
			rank := (l.Count*int64(k) + 99) / 100
			var late int64
			err := r.q.QueryRowContext(ctx, bind(`SELECT s.late_ms`+of+` ORDER BY s.late_ms LIMIT 1 OFFSET ?`, 0),
				append(slices.Clip(values), rank-1)...).Scan(&late)
			if err != nil {
				return nil, fmt.Errorf("read a percentile of lateness: %w", err)
			}
			l.Percentiles = append(l.Percentiles, late)
		}
	}
	return list, nil
}
