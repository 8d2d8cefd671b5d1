package service

import (
	"context"

	"crier"
	"crier/internal/store"
)

// Upkeep is the work that nobody asks for. Its methods are for jobs: they take no scope and have no route.
type Upkeep struct{ *core }

// PurgeTeam removes a team that was deleted long enough ago, in small transactions. One that is interrupted goes on where
// it stopped.
func (s *Upkeep) PurgeTeam(ctx context.Context, id crier.ID) error {
	before := crier.TimeOf(s.now().Add(-teamsKept + purgeSlack))
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

// purgeSlack lets a purge succeed that starts a moment before the thirty days are over.
const purgeSlack = teamsKept / 720

// Sweep removes kept answers, consents, sessions, tokens and counts that have outlived their time, in small transactions.
func (s *Upkeep) Sweep(ctx context.Context) error {
	for {
		var removed int64
		err := s.store.WithTx(ctx, func(tx *store.Tx) (err error) {
			if err := tx.SweepConnections(ctx, s.now()); err != nil {
				return err
			}
			if err := tx.SweepSignIns(ctx, s.now()); err != nil {
				return err
			}
			if err := tx.SweepQuotas(ctx, crier.TimeOf(s.clock().Add(-quotasKept))); err != nil {
				return err
			}
			removed, err = tx.SweepAnswers(ctx, s.now())
			return err
		})
		if err != nil || removed == 0 {
			return err
		}
	}
}
