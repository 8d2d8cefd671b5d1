package publish

import (
	"context"
	"time"

	"crier"
	"crier/internal/store"
)

// persist retries a write while the database is briefly unavailable, because its content exists nowhere else. A try
// that failed may have been committed, so the write must be idempotent.
func persist(ctx context.Context, clock crier.Clock, patience time.Duration, write func() error) error {
	deadline := clock().Add(patience)
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		err := write()
		if err == nil || !store.Unavailable(err) || clock().After(deadline) {
			return err
		}
		if err := sleepUntil(ctx, clock, clock().Add(pause)); err != nil {
			return err
		}
	}
}

// pauseFor waits for some time.
func pauseFor(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// sleepUntil waits until at, never returning early.
func sleepUntil(ctx context.Context, clock crier.Clock, at time.Time) error {
	for {
		left := at.Sub(clock())
		if left <= 0 {
			return nil
		}
		if err := pauseFor(ctx, left); err != nil {
			return err
		}
	}
}
