package service

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"crier"
	"crier/internal/auth"
	"crier/internal/publish"
	"crier/internal/store"
)

// Upkeep is background maintenance. Its methods are called by jobs: they take no scope and have no route.
type Upkeep struct {
	store      *store.Store
	keys       *auth.Keyring
	clock      crier.Clock
	log        *slog.Logger
	instance   *Instance
	engine     *publish.Engine
	eventsKept time.Duration
}

// PurgeTeam removes a team that was deleted long enough ago, in small transactions. One that is interrupted goes on
// where it stopped.
func (s *Upkeep) PurgeTeam(ctx context.Context, id crier.ID) error {
	before := crier.TimeOf(s.clock.Now().Add(-teamsKept + purgeSlack))
	if err := s.cancelAbandoned(ctx, id, before); err != nil {
		return err
	}
	for more := true; more; {
		err := s.store.WithTx(ctx, func(tx *store.Tx) (err error) {
			more, err = tx.PurgeTeam(ctx, id, before)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// cancelAbandoned ends what became unknown after its team was deleted: credits are reserved for it.
func (s *Upkeep) cancelAbandoned(ctx context.Context, team crier.ID, deletedBefore crier.Time) error {
	return s.store.WithTx(ctx, func(tx *store.Tx) error {
		gone, err := tx.TeamDeletedBefore(ctx, team, deletedBefore)
		if err != nil || !gone {
			return err
		}
		list, err := tx.LockTeamPending(ctx, team)
		if err != nil || len(list) == 0 {
			return err
		}
		return s.engine.Publisher.Cancel(ctx, tx, list)
	})
}

// purgeSlack lets a purge succeed that starts a moment before the thirty days are over.
const purgeSlack = teamsKept / 720

// SweepEvents removes expired events, in small transactions.
func (s *Upkeep) SweepEvents(ctx context.Context) error {
	for {
		var removed int64
		err := s.store.WithTx(ctx, func(tx *store.Tx) (err error) {
			removed, err = tx.SweepEvents(ctx, crier.TimeOf(s.clock().Add(-s.eventsKept)))
			if err != nil {
				return err
			}
			deliveries, err := tx.SweepDeliveries(ctx)
			removed += deliveries
			return err
		})
		if err != nil || removed == 0 {
			return err
		}
	}
}

// mergeCountsEvery is how often the changes of counts are merged: totals add up those that are not.
const mergeCountsEvery = 5 * time.Second

// MergeChanges brings what was written of posts lately into the indexes that they are found by, whenever a team has
// enough of it, and the changes of counts into the counts, until ctx ends. Nobody waits for it: whoever reads looks at
// both.
func (s *Upkeep) MergeChanges(ctx context.Context, failed func(error)) {
	counts := time.NewTicker(mergeCountsEvery)
	defer counts.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-counts.C:
			if err := s.store.MergeListCounts(ctx); err != nil && ctx.Err() == nil {
				failed(err)
			}
		case team := <-s.store.CrowdedTeams():
			if err := s.store.MergeCrowded(ctx, team); err != nil && ctx.Err() == nil {
				failed(err)
			}
		}
	}
}

// auditSettled is how long ago an entry of the audit log must be to be counted for good: longer than any transaction is
// open, and than the clocks of nodes differ.
const auditSettled = 10 * time.Minute

// Sweep counts the audit log, and removes expired events, stored responses, consents, sessions, tokens, counters and
// previous secrets of webhooks, in small transactions. A step that fails does not keep the others from being done.
func (s *Upkeep) Sweep(ctx context.Context) error {
	now := s.clock.Now()
	one := func(fn func(tx *store.Tx) error) func() error {
		return func() error { return s.store.WithTx(ctx, fn) }
	}
	var failed error
	for _, step := range []func() error{
		func() error { return s.SweepEvents(ctx) },
		func() error { return s.store.AddWordChanges(ctx) },
		func() error { return s.sumAudit(ctx) },
		one(func(tx *store.Tx) error { return tx.SweepConnections(ctx, now) }),
		one(func(tx *store.Tx) error { return tx.SweepSignIns(ctx, now) }),
		one(func(tx *store.Tx) error { return tx.SweepOldSecrets(ctx, now) }),
		one(func(tx *store.Tx) error { return tx.SweepQuotas(ctx, crier.TimeOf(now.Add(-publish.QuotaRetention))) }),
		func() error { return s.sweepResponses(ctx) },
		func() error {
			_, err := s.store.MarkAudit(ctx) // what is left, an older version's entries, is for the next times
			return err
		},
	} {
		if ctx.Err() != nil { // the node is stopping
			return errors.Join(failed, ctx.Err())
		}
		failed = errors.Join(failed, step())
	}
	return failed
}

func (s *Upkeep) sumAudit(ctx context.Context) error {
	for {
		more, err := s.store.SumAudit(ctx, crier.TimeOf(s.clock().Add(-auditSettled)))
		if err != nil || !more {
			return err
		}
	}
}

func (s *Upkeep) sweepResponses(ctx context.Context) error {
	for {
		var removed int64
		err := s.store.WithTx(ctx, func(tx *store.Tx) (err error) {
			removed, err = tx.SweepResponses(ctx, s.clock.Now())
			return err
		})
		if err != nil || removed == 0 {
			return err
		}
	}
}
