package publish

import (
	"context"
	"log/slog"
	"time"

	"crier"
	"crier/internal/job"
	"crier/internal/ledger"
	"crier/internal/store"
)

// settle commits the settlement of the worker's verdict. It retries while the database is briefly unavailable, because
// the result of a call exists nowhere else.
func (w *worker) settle(ctx context.Context, v verdict) (time.Time, error) {
	ctx = context.WithoutCancel(ctx)
	v.now, v.likePause = w.pub.clock.Now(), w.pub.timings.LikePause
	if v.attempt != nil {
		v.attempt.Exchanges = w.exchanges
	}
	p := w.p
	if err := w.pub.encodeState(&p, w.state, w.progress); err != nil {
		return time.Time{}, err
	}
	s, err := outcome(p, w.state, v)
	if err != nil {
		return time.Time{}, err
	}
	s.Owner, s.before.State = w.owner, w.p.State
	if err := s.encode(v.now); err != nil {
		return time.Time{}, err
	}
	err = persist(ctx, w.pub.clock, persistFor,
		func() error { return w.pub.settlements.do(ctx, write{settlement: s}) })
	w.passed(StepSettled)
	w.pub.report(ctx, w.p, v, err)
	if err != nil || !s.Written || s.Publication.WakeAt == nil {
		return time.Time{}, err
	}
	return s.Publication.WakeAt.Time, nil
}

// writeSettlements writes settlements in the caller's transaction.
func (s *Publisher) writeSettlements(ctx context.Context, tx *store.Tx, wait store.LockWait,
	list ...*settlement) error {
	now := s.clock.Now()
	for _, one := range list {
		if err := one.encode(now); err != nil {
			return err
		}
	}
	return s.writeEncoded(ctx, tx, wait, now, list...)
}

// writeEncoded is the one place where verdicts are written: those of one worker, of a batch, and of a person. It books
// credits last, because that locks the organizations' rows.
func (s *Publisher) writeEncoded(ctx context.Context, tx *store.Tx, wait store.LockWait, now crier.Time,
	list ...*settlement) error {
	rows := make([]*store.Settlement, len(list))
	for i, one := range list {
		rows[i] = &one.Settlement
	}
	if err := tx.WriteSettlements(ctx, now, wait, rows...); err != nil {
		return err
	}
	var jobs []job.Job
	var bookings []store.Booking
	for _, one := range list {
		if !one.Written {
			continue
		}
		jobs, bookings = append(jobs, one.jobs...), append(bookings, one.bookings...)
		if err := one.record(tx, s.providers, now); err != nil {
			return err
		}
		if next := one.Next; next != nil && next.Written {
			p := next.Publication
			jobs = append(jobs, WakeJob(p, now.Time))
			bookings = append(bookings, ledger.Reserved(ledger.Charge{Organization: p.OrganizationID,
				Publication: &p.ID, Amount: p.Reserved, At: now})...)
		}
	}
	if err := s.queue.Enqueue(ctx, tx, jobs...); err != nil {
		return err
	}
	return tx.AddCredits(ctx, bookings...)
}

// report writes one log line and one measurement per attempt.
func (s *Publisher) report(ctx context.Context, p store.Publication, v verdict, err error) {
	if v.attempt == nil {
		return
	}
	s.observer.Attempt(p.Provider, v.attempt.Operation, v.outcome)
	attrs := []slog.Attr{
		slog.String("scheduled_post", string(p.ScheduledPostID)), slog.String("kind", string(p.Kind)),
		slog.String("provider", string(p.Provider)), slog.String("account", string(p.SocialAccountID)),
		slog.String("operation", v.attempt.Operation), slog.Int("part", v.attempt.Part),
		slog.String("outcome", v.outcome),
		slog.Duration("took", s.clock().Sub(v.attempt.StartedAt.Time).Round(time.Microsecond)),
	}
	if v.code != "" {
		attrs = append(attrs, slog.String("code", v.code), slog.String("message", v.message),
			slog.String("next", v.next))
	}
	level := slog.LevelInfo
	if err != nil {
		level = slog.LevelError
		attrs = append(attrs, slog.Any("error", err))
	}
	s.log.LogAttrs(ctx, level, "attempt", attrs...)
}

// unhealthy sets the account's health issue with the next settlement.
func (w *worker) unhealthy(status crier.AccountStatus, issue, message string) *store.AccountHealth {
	markUnhealthy(&w.account, status, issue, message, w.pub.clock.Now())
	return w.health()
}

// health returns what the worker knows about its account.
func (w *worker) health() *store.AccountHealth {
	a := w.account
	return &store.AccountHealth{AccountID: a.ID, TeamID: w.p.TeamID, ConnectedAt: a.ConnectedAt, Status: a.Status,
		Issue: a.AccountHealthIssue, Message: a.AccountHealthMessage, Since: a.AccountHealthSince}
}
