package publish

import (
	"context"
	"errors"
	"time"

	"crier"
	"crier/internal/store"
)

// errLeaseLost ends the work on a publication that was changed or taken over meanwhile.
var errLeaseLost = errors.New("the publication was changed or taken over")

// lease requests a lease. While the database is briefly unavailable, it is not known whether the last request took it:
// the same worker asks again, because it would keep all others out. After that time, such a lease has expired.
func (s *Publisher) lease(ctx context.Context, request *store.LeaseRequest) error {
	err := persist(ctx, s.clock, s.timings.Lease, func() error {
		request.Now = s.clock.Now()
		request.Until = crier.TimeOf(request.Now.Add(s.timings.Lease))
		if err := s.leases.do(ctx, write{lease: request}); err != nil || !request.Leased {
			return err
		}
		return s.leased.do(ctx, request)
	})
	if err != nil && request.Leased {
		return errors.Join(err, s.releaseAfterError(ctx, request.ID, request.Epoch, request.Owner))
	}
	return err
}

// keepLease extends the lease periodically during a long step, such as an upload over a slow connection. A process that
// dies or freezes stops extending it, and other workers take over. It ends when dropLease or the next keepLease is
// called.
func (w *worker) keepLease(ctx context.Context, lease time.Duration) {
	w.dropLease()
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	timer := time.AfterFunc(lease/3, func() {
		for ctx.Err() == nil {
			w.passed(StepExtended)
			next := w.pub.clock().Add(lease / 3) // a try that hangs ends by then
			if err := w.extendLease(ctx, lease); err != nil && ctx.Err() == nil {
				w.pub.log.WarnContext(ctx, "could not extend a lease", "publication", w.p.ID, "error", err)
			}
			_ = sleepUntil(ctx, w.pub.clock, next) // ends early when the step does
		}
	})
	w.stopLease = func() {
		cancel()
		timer.Stop()
	}
}

// extendLease extends the lease. It gives up in time to try again, over another connection, before the lease ends.
func (w *worker) extendLease(ctx context.Context, lease time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, max(lease/3, minExtension))
	defer cancel()
	return w.pub.store.ExtendLease(ctx, w.p.ID, w.owner, crier.TimeOf(w.pub.clock().Add(lease)))
}

// dropLease stops extending the lease.
func (w *worker) dropLease() {
	if w.stopLease != nil {
		w.stopLease()
	}
}

// releaseAfterError releases a publication after an internal error.
func (s *Publisher) releaseAfterError(ctx context.Context, id crier.ID, epoch int64, owner crier.ID) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), errorPause)
	defer cancel()
	return s.store.ReleaseLease(ctx, id, epoch, owner, crier.TimeOf(s.clock().Add(errorPause)))
}

// releaseUntil releases the lease and reschedules the publication.
func (w *worker) releaseUntil(ctx context.Context, until time.Time) (time.Time, error) {
	wake := crier.TimeOf(until)
	err := w.pub.store.ReleaseLease(ctx, w.p.ID, w.p.Epoch, w.owner, wake)
	w.passed(StepReleased)
	return wake.Time, err
}
