package service

import (
	"context"
	"log/slog"
	"time"

	"crier"
	"crier/internal/store"
)

// settlement is what a step changes in one transaction.
type settlement struct {
	change  func(*store.Publication)
	attempt *store.Attempt
	// outcome, code, message, next and nextAt complete the attempt.
	outcome, code, message, next string
	nextAt                       *time.Time
	// capture spends the credits of parts that have become public.
	capture bool
	// account writes the account's health with it.
	account bool
	// ends is true when the publication is over: what is still reserved is released, and a series goes on.
	ends bool
	more func(ctx context.Context, tx *store.Tx, p *store.Publication) error
}

// settle commits the result of a step. It does not give up while the database is away for a short time, because the
// result of a call that has been made exists nowhere else.
func (w *publishing) settle(ctx context.Context, s settlement) (time.Time, error) {
	ctx = context.WithoutCancel(ctx)
	var next time.Time
	err := w.persist(ctx, func() error {
		if written, err := w.settleSimply(ctx, s); written || err != nil {
			return err
		}
		return w.store.WithTx(ctx, func(tx *store.Tx) (err error) {
			next, err = w.settleTx(ctx, tx, s)
			return err
		})
	})
	w.passed(StepSettled)
	w.report(ctx, s, err)
	return next, err
}

func (w *publishing) settleTx(ctx context.Context, tx *store.Tx, s settlement) (time.Time, error) {
	if err := tx.LockPost(ctx, w.p.PostID); err != nil {
		return time.Time{}, err
	}
	if s.account {
		if err := w.writeHealth(ctx, tx); err != nil {
			return time.Time{}, err
		}
	}
	p, captured, released, err := w.after(s)
	if err != nil {
		return time.Time{}, err
	}
	ok, err := w.write(ctx, tx, p, s)
	if err != nil || !ok {
		return time.Time{}, err
	}
	return w.follow(ctx, tx, p, s, captured, released)
}

// after is the row as the step leaves it, with the credits that it spends and hands back.
func (w *publishing) after(s settlement) (p store.Publication, captured, released int64, err error) {
	p = w.p
	if err := w.keepState(&p, w.state); err != nil {
		return p, 0, 0, err
	}
	s.change(&p)
	if s.capture {
		captured = owed(p, w.state)
	}
	p.Reserved, p.Captured = p.Reserved-captured, p.Captured+captured
	if s.ends {
		released = p.Reserved - handedOn(p)
		p.Reserved, p.WakeAt = 0, nil
	}
	return p, captured, released, nil
}

// follow writes what comes after the row itself and books credits. It books last: the organization's row is locked from
// then on, and all its publications that end in the same second wait for it.
func (w *publishing) follow(ctx context.Context, tx *store.Tx, p store.Publication, s settlement, captured, released int64) (time.Time, error) {
	for _, fn := range w.pending {
		if err := fn(ctx, tx); err != nil {
			return time.Time{}, err
		}
	}
	if s.more != nil {
		if err := s.more(ctx, tx, &p); err != nil {
			return time.Time{}, err
		}
	}
	if s.ends && !p.Action {
		if err := w.recur(ctx, tx, p); err != nil {
			return time.Time{}, err
		}
	}
	if !p.Action {
		if err := tx.RefreshPosts(ctx, p.PostID); err != nil {
			return time.Time{}, err
		}
	}
	if err := w.capture(ctx, tx, p.OrganizationID, captured, p.ScheduledPostID); err != nil {
		return time.Time{}, err
	}
	if err := w.reserve(ctx, tx, p.OrganizationID, -released, &p.ScheduledPostID); err != nil {
		return time.Time{}, err
	}
	if p.WakeAt == nil {
		return time.Time{}, nil
	}
	return p.WakeAt.Time, nil
}

// write commits row and attempt. A row that has meanwhile been taken from a worker whose call succeeded is still told
// the result, if nobody has decided otherwise: that knowledge exists nowhere else. What another worker has found out, or
// this one has told in a commit whose answer was lost, is not told again, because it is paid for.
func (w *publishing) write(ctx context.Context, tx *store.Tx, p store.Publication, s settlement) (bool, error) {
	row := &store.Settled{Publication: p, Owner: w.owner}
	if err := tx.Settle(ctx, w.now(), store.Patient, row); err != nil {
		return false, err
	}
	if row.Written || !s.succeeded() {
		if s.attempt == nil {
			return row.Written, nil
		}
		return row.Written, tx.WriteAttempts(ctx, w.ended(s))
	}
	open, err := tx.EndAttempt(ctx, w.ended(s))
	if err != nil {
		return false, err
	}
	current, err := tx.LockPublication(ctx, p.Ref)
	if err != nil {
		return false, err
	}
	last, err := tx.LastSend(ctx, current)
	missing := current.Status == crier.Unknown || current.Status == crier.Publishing && open
	if err != nil || last == nil || last.ID != s.attempt.ID || current.Epoch != p.Epoch || !missing {
		return false, err
	}
	return true, tx.Overwrite(ctx, p, w.now())
}

// succeeded is true when a call of this worker made something public.
func (s settlement) succeeded() bool {
	return s.attempt != nil && s.attempt.SendBefore != nil && (s.outcome == outcomePublished || s.outcome == outcomeAccepted)
}

// ended is the attempt with its result.
func (w *publishing) ended(s settlement) store.Attempt {
	now, a := w.now(), *s.attempt
	a.EndedAt, a.Outcome, a.ErrorCode, a.Message, a.NextStep = &now, s.outcome, s.code, s.message, s.next
	if s.nextAt != nil {
		a.NextAt = timeOrNil(*s.nextAt)
	}
	a.Exchanges = w.exchanges
	return a
}

// report leaves one log line and one measurement per attempt.
func (w *publishing) report(ctx context.Context, s settlement, err error) {
	if s.attempt == nil {
		return
	}
	w.observer.Attempt(w.p.Provider, s.attempt.Operation, s.outcome)
	attrs := []slog.Attr{
		slog.String("scheduled_post", string(w.p.ScheduledPostID)), slog.String("kind", string(w.p.Kind)),
		slog.String("provider", string(w.p.Provider)), slog.String("account", string(w.p.SocialAccountID)),
		slog.String("operation", s.attempt.Operation), slog.Int("part", s.attempt.Part), slog.String("outcome", s.outcome),
		slog.Duration("took", w.clock().Sub(s.attempt.StartedAt.Time).Round(time.Microsecond)),
	}
	if s.code != "" {
		attrs = append(attrs, slog.String("code", s.code), slog.String("message", s.message), slog.String("next", s.next))
	}
	level := slog.LevelInfo
	if err != nil {
		level = slog.LevelError
		attrs = append(attrs, slog.Any("error", err))
	}
	w.log.LogAttrs(ctx, level, "attempt", attrs...)
}

// writeHealth writes what was learnt about the account, over what others may have written meanwhile.
func (w *publishing) writeHealth(ctx context.Context, tx *store.Tx) error {
	locked, err := tx.LockAccounts(ctx, w.p.TeamID, []crier.ID{w.account.ID})
	if err != nil {
		return err
	}
	a, ok := locked[w.account.ID]
	if !ok {
		return nil
	}
	if a.Status == crier.AccountConnected {
		a.Status = w.account.Status
	}
	a.AccountHealthIssue, a.AccountHealthMessage, a.AccountHealthSince = w.account.AccountHealthIssue, w.account.AccountHealthMessage, w.account.AccountHealthSince
	a.UpdatedAt = w.now()
	return tx.UpdateAccount(ctx, a)
}
