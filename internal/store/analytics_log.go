package store

import (
	"context"
	"fmt"
	"slices"

	"crier"
)

// lastID is greater than every id.
const lastID crier.ID = "ffffffff-ffff-ffff-ffff-ffffffffffff"

// Uncounted holds the posts that were published according to the events after the last counted one.
type Uncounted struct {
	Publications []crier.ID
	// Counted has those that a node of an older version has counted, which did not plan their first readings.
	Counted map[crier.ID]bool
	// Events is the number of events read, Last the sequence up to which there are no others.
	Events int
	Last   int64
}

// PublishedSince reads the posts that are not counted yet. It locks the log: one node counts at a time.
func (tx *Tx) PublishedSince(ctx context.Context, limit int) (u Uncounted, err error) {
	u.Counted = map[crier.ID]bool{}
	var followed int64 // the last event that any node has counted
	err = tx.q.QueryRowContext(ctx, `SELECT l.planned_to, l.followed FROM analytics_log l WHERE l.id = 1`+tx.forUpdate).
		Scan(&u.Last, &followed)
	if err != nil {
		return u, fmt.Errorf("read how far events are counted: %w", err)
	}
	// The end of the log is read before the events, so that it cannot lie behind events that are not seen yet.
	present, err := tx.EventLog(ctx)
	if err != nil {
		return u, err
	}
	rows, err := tx.q.QueryContext(ctx, `SELECT e.sequence, CASE WHEN e.type = $3 THEN e.data END FROM events e
		WHERE e.sequence > $1 ORDER BY e.sequence LIMIT $2`, u.Last, limit, crier.ScheduledPostPublished)
	if err != nil {
		return u, fmt.Errorf("read events to count: %w", err)
	}
	type publishedEvent struct {
		Object struct {
			ID crier.ID `json:"id"`
		} `json:"object"`
	}
	list, err := collect(rows, func(row scanner) (event *publishedEvent, err error) {
		err = row.Scan(&u.Last, intoJSON(&event))
		if event != nil && u.Last <= followed {
			u.Counted[event.Object.ID] = true
		}
		return event, err
	})
	if err != nil {
		return u, fmt.Errorf("read events to count: %w", err)
	}
	if u.Events = len(list); u.Events < limit { // the last sequences may have no events, after a restore for example
		u.Last = max(u.Last, present.Last)
	}
	for _, event := range list {
		if event != nil {
			u.Publications = append(u.Publications, event.Object.ID)
		}
	}
	slices.Sort(u.Publications)
	u.Publications = slices.Compact(u.Publications)
	return u, nil
}

// EventsCounted records the last event whose post was counted and has its first reading planned. A node of an older
// version may have counted further.
func (tx *Tx) EventsCounted(ctx context.Context, last int64) error {
	return tx.queueExec(ctx, changed("note how far events are counted"), `UPDATE analytics_log SET planned_to = $1,
		followed = CASE WHEN followed < $1 THEN $1 ELSE followed END WHERE id = 1`, last)
}

// Behind is the backlog of counting.
type Behind struct {
	// Published is true if an uncounted event is about a published post.
	Published bool
	// Events is the number of events not read yet.
	Events int64
	// Publications is true if there may be uncounted publications from before analytics existed.
	Publications bool
}

// AnalyticsBehind returns the backlog of counting.
func (r reads) AnalyticsBehind(ctx context.Context) (b Behind, err error) {
	err = r.keyed.QueryRowContext(ctx, `SELECT
		EXISTS (SELECT 1 FROM events e WHERE e.sequence > l.planned_to AND e.type = $2), v.last - l.planned_to,
		l.backfilled <> $1 FROM analytics_log l JOIN `+r.eventLog+` v ON v.id = 1 WHERE l.id = 1`, lastID,
		crier.ScheduledPostPublished).Scan(&b.Published, &b.Events, &b.Publications)
	if err != nil {
		return b, fmt.Errorf("look for what is not counted: %w", err)
	}
	return b, nil
}

// PublishedBefore reads the next uncounted publications from before analytics existed; last is the argument of
// BackfillDone. It locks the log: one node counts at a time.
func (tx *Tx) PublishedBefore(ctx context.Context, limit int) (list []crier.ID, last crier.ID, err error) {
	err = tx.q.QueryRowContext(ctx, `SELECT l.backfilled FROM analytics_log l WHERE l.id = 1`+tx.forUpdate).Scan(&last)
	if err != nil {
		return nil, "", fmt.Errorf("read how far publications are counted: %w", err)
	}
	rows, err := tx.q.QueryContext(ctx, `SELECT p.id FROM publications p WHERE p.id > $1 ORDER BY p.id LIMIT $2`, last,
		limit)
	if err != nil {
		return nil, "", fmt.Errorf("read publications to count: %w", err)
	}
	if list, err = collect(rows, scanID); err != nil {
		return nil, "", fmt.Errorf("read publications to count: %w", err)
	}
	if len(list) < limit {
		return list, lastID, nil
	}
	return list, list[len(list)-1], nil
}

// BackfillDone records the last publication from before analytics existed that was counted.
func (tx *Tx) BackfillDone(ctx context.Context, last crier.ID) error {
	return tx.queueExec(ctx, changed("note how far publications are counted"),
		`UPDATE analytics_log SET backfilled = $1 WHERE id = 1`, last)
}

// ApplyReading updates the sums with a reading that is already stored.
func (tx *Tx) ApplyReading(ctx context.Context, s PublicationStats, reading Reading) (PublicationStats, error) {
	if err := tx.applyReading(ctx, s, reading); err != nil {
		return s, err
	}
	s.Numbers = reading.Numbers.or(s.Numbers)
	return s, nil
}

// SweepMetrics deletes a batch of readings older than a time and returns how many. The sums stay.
func (tx *Tx) SweepMetrics(ctx context.Context, before crier.Time) (int64, error) {
	res, err := tx.q.ExecContext(ctx, `DELETE FROM post_metrics WHERE (scheduled_post_id, taken_at) IN
		(SELECT m.scheduled_post_id, m.taken_at FROM post_metrics m WHERE m.taken_at < $1
		ORDER BY m.taken_at LIMIT $2)`,
		before, batchSize)
	if err != nil {
		return 0, fmt.Errorf("sweep readings: %w", err)
	}
	return res.RowsAffected()
}
