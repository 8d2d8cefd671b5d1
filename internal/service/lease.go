package service

import (
	"context"
	"errors"
	"time"

	"crier"
)

// errLeaseLost ends the work on a publication that has moved on without its worker.
var errLeaseLost = errors.New("the publication has moved on")

// keepLease gives signs of life while a step takes long, such as an upload over a slow line. A process that dies or is
// frozen gives none, and its publications go to others. stop ends it.
func (w *publishing) keepLease(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	pause := w.timings.Lease / 3
	timer := time.AfterFunc(pause, func() {
		for ctx.Err() == nil {
			w.passed(StepExtended)
			if err := w.store.ExtendLease(ctx, w.p.Ref, w.owner, crier.TimeOf(w.clock().Add(w.timings.Lease))); err != nil && ctx.Err() == nil {
				w.log.WarnContext(ctx, "could not extend a lease", "publication", w.p.ID, "error", err)
			}
			_ = w.sleepUntil(ctx, w.clock().Add(pause)) // ends early when the step does
		}
	})
	return func() {
		cancel()
		timer.Stop()
	}
}

// letGo gives a publication back after an error of our own.
func (w *publishing) letGo(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), errorPause)
	defer cancel()
	_, err := w.rest(ctx, w.clock().Add(errorPause))
	return err
}

// rest gives the lease back until a time.
func (w *publishing) rest(ctx context.Context, until time.Time) (time.Time, error) {
	wake := crier.TimeOf(until)
	err := w.store.Rest(ctx, w.p.Ref, w.p.Epoch, w.owner, wake)
	w.passed(StepRested)
	return wake.Time, err
}

// save commits how far the network is; the lease is renewed with it.
func (w *publishing) save(ctx context.Context) error {
	if err := w.keepState(&w.p, w.state); err != nil {
		return err
	}
	defer w.passed(StepSaved)
	ok, err := w.store.SaveProgress(ctx, w.p, w.owner, crier.TimeOf(w.clock().Add(w.timings.Lease)))
	if err == nil && !ok {
		err = errLeaseLost
	}
	return err
}
