package analytics

import (
	"context"
	"fmt"
	"time"

	"crier"
	"crier/internal/job"
	"crier/internal/publish"
	"crier/internal/store"
)

const (
	// followBatch is the number of events per transaction, backfillBatch that of publications. While one is written on
	// SQLite, a post that is due waits.
	followBatch   = 400
	backfillBatch = 200
	// maxBacklog is the number of irrelevant events after which the position is saved.
	maxBacklog = 5000
)

// Follow counts posts that were published since the last call, and a batch of those published before analytics existed;
// more is true if there are further ones. Any number of nodes may call it: one counts at a time, and each post once.
func (s *Analytics) Follow(ctx context.Context) (more bool, err error) {
	behind, err := s.store.AnalyticsBehind(ctx)
	if err != nil {
		return false, err
	}
	if behind.Published || behind.Events > maxBacklog {
		if more, err = s.followEvents(ctx); err != nil {
			return false, err
		}
	}
	if !behind.Publications {
		return more, nil
	}
	return true, s.backfill(ctx)
}

func (s *Analytics) followEvents(ctx context.Context) (more bool, err error) {
	err = s.store.WithTx(ctx, func(tx *store.Tx) error {
		found, err := tx.PublishedSince(ctx, followBatch)
		if err != nil {
			return err
		}
		more = found.Events == followBatch
		list, err := tx.Countables(ctx, found.Publications)
		if err != nil {
			return err
		}
		fresh, err := s.count(ctx, tx, list)
		if err != nil {
			return err
		}
		if err := s.planFirst(ctx, tx, list, fresh, found.Counted); err != nil {
			return err
		}
		return tx.EventsCounted(ctx, found.Last)
	})
	return more, err
}

// count counts publications, and returns those that were not counted before.
func (s *Analytics) count(ctx context.Context, tx *store.Tx, list []store.Countable) ([]store.Countable, error) {
	if len(list) == 0 {
		return nil, nil
	}
	byID, rows := map[crier.ID]store.Countable{}, make([]store.PublicationStats, len(list))
	for i, c := range list {
		location, err := zoneOf(c)
		if err != nil {
			return nil, err
		}
		c.Stats.PublishedDay = dayOf(c.Stats.PublishedAt, location)
		rows[i], byID[c.Stats.PublicationID] = c.Stats, c
	}
	ids, err := tx.CountPublications(ctx, rows)
	fresh := make([]store.Countable, len(ids))
	for i, id := range ids {
		fresh[i] = byID[id]
	}
	return fresh, err
}

func zoneOf(c store.Countable) (*time.Location, error) {
	location, err := crier.Zone(teamZone(&c.Zone)).Location()
	if err != nil {
		return nil, fmt.Errorf("load the zone of team %s: %w", c.Stats.TeamID, err)
	}
	return location, nil
}

// planFirst plans the first readings of posts that have just been counted, here or by a node of an older version, and
// the early ones of posts on the sandbox. A post whose event occurs again was counted and planned before.
func (s *Analytics) planFirst(ctx context.Context, tx *store.Tx, list, fresh []store.Countable,
	counted map[crier.ID]bool) error {
	var readings, early []job.Job
	isFresh := map[crier.ID]bool{}
	for _, c := range fresh {
		isFresh[c.Stats.PublicationID] = true
		if next, ok := earlySnapshot(c.Stats, 1); ok && c.Sandbox {
			early = append(early, next)
		}
	}
	for _, c := range list {
		if id := c.Stats.PublicationID; !c.ReadingFollows || !isFresh[id] && !counted[id] {
			continue
		}
		if first, ok := publish.SnapshotJob(store.Publication{ID: c.Stats.PublicationID, TeamID: c.Stats.TeamID,
			Provider: c.Stats.Provider, PublishedAt: &c.Stats.PublishedAt}, 0); ok {
			readings = append(readings, first)
		}
	}
	return s.queue.Enqueue(ctx, tx, append(readings, early...)...)
}

// backfill counts a batch of publications from before analytics existed, with their stored readings.
func (s *Analytics) backfill(ctx context.Context) error {
	return s.store.WithTx(ctx, func(tx *store.Tx) error {
		ids, last, err := tx.PublishedBefore(ctx, backfillBatch)
		if err != nil {
			return err
		}
		list, err := tx.Countables(ctx, ids)
		if err != nil {
			return err
		}
		fresh, err := s.count(ctx, tx, list)
		if err != nil {
			return err
		}
		ids = ids[:0]
		for _, c := range fresh {
			ids = append(ids, c.Stats.PublicationID)
		}
		readings, err := tx.RawReadings(ctx, ids)
		if err != nil {
			return err
		}
		for _, c := range fresh {
			if err := s.apply(ctx, tx, c, readings[c.Stats.PublicationID]); err != nil {
				return err
			}
		}
		return tx.BackfillDone(ctx, last)
	})
}

// apply adds stored readings to the sums.
func (s *Analytics) apply(ctx context.Context, tx *store.Tx, c store.Countable, readings []store.Reading) error {
	location, err := zoneOf(c)
	if err != nil {
		return err
	}
	stats := c.Stats
	stats.PublishedDay = dayOf(stats.PublishedAt, location)
	for _, reading := range readings {
		reading.Day = dayOf(reading.At, location)
		if stats, err = tx.ApplyReading(ctx, stats, reading); err != nil {
			return err
		}
	}
	return nil
}

// Sweep removes expired readings, in small transactions. The daily sums are kept.
func (s *Analytics) Sweep(ctx context.Context) error {
	for {
		var removed int64
		err := s.store.WithTx(ctx, func(tx *store.Tx) (err error) {
			removed, err = tx.SweepMetrics(ctx, crier.TimeOf(s.clock().Add(-s.kept)))
			return err
		})
		if err != nil || removed == 0 {
			return err
		}
	}
}
