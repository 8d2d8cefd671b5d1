package service

import (
	"context"
	"time"

	"crier/internal/store"
)

// persist does not give up a write while the database is away for a short time: what is to be written exists nowhere
// else.
func (c *core) persist(ctx context.Context, write func() error) error {
	deadline := c.clock().Add(persistFor)
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		err := write()
		if err == nil || !store.Unavailable(err) || c.clock().After(deadline) {
			return err
		}
		if err := c.sleepUntil(ctx, c.clock().Add(pause)); err != nil {
			return err
		}
	}
}

// sleepUntil waits for a time, never less.
func (c *core) sleepUntil(ctx context.Context, at time.Time) error {
	for {
		left := at.Sub(c.clock())
		if left <= 0 {
			return nil
		}
		timer := time.NewTimer(left)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
	}
}
