package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"crier"
)

// Attempt is one thing that was tried with a network.
type Attempt struct {
	crier.Attempt
	ScheduledPostID crier.ID
	// SendBefore is the fence: a worker past it does not send. SettledAfter is when the outcome may be looked for.
	SendBefore   *crier.Time
	SettledAfter *crier.Time
}

// OutcomeUnknown is the outcome of an attempt whose answer did not come.
const OutcomeUnknown = "unknown"

// Unresolved is true for an attempt that may have made something public without anybody knowing.
func (a Attempt) Unresolved() bool { return a.EndedAt == nil || a.Outcome == OutcomeUnknown }

const attemptColumns = `a.id, a.scheduled_post_id, a.action_id, a.operation, a.part, a.started_at, a.send_before, a.settled_after,
	a.ended_at, a.outcome, a.error_code, a.message, a.next_step, a.next_at, a.exchanges`

func scanAttempt(row scanner) (Attempt, error) {
	var a Attempt
	var outcome, code, message, next sql.NullString
	var exchanges *[]crier.Exchange
	err := row.Scan(&a.ID, &a.ScheduledPostID, &a.ActionID, &a.Operation, &a.Part, &a.StartedAt, &a.SendBefore, &a.SettledAfter,
		&a.EndedAt, &outcome, &code, &message, &next, &a.NextAt, intoJSON(&exchanges))
	a.Outcome, a.ErrorCode, a.Message, a.NextStep = outcome.String, code.String, message.String, next.String
	a.Exchanges = []crier.Exchange{}
	if exchanges != nil {
		a.Exchanges = *exchanges
	}
	if a.EndedAt != nil {
		ms := a.EndedAt.Sub(a.StartedAt.Time).Milliseconds()
		a.DurationMillis = &ms
	}
	return a, err
}

// BeginAttempt commits the intention to make something public: the row becomes publishing and the attempt is written,
// in one transaction, together with the end of the attempt that it repeats, if any. ok is false when the row was moved,
// edited or cancelled meanwhile, or when the lease was lost: then nothing may be sent.
func (s *Store) BeginAttempt(ctx context.Context, p Publication, owner crier.ID, a Attempt, leaseUntil crier.Time, repeats *crier.ID) (ok bool, err error) {
	if s.dialect == Postgres && repeats == nil {
		return s.beginInOneStatement(ctx, p, owner, a, leaseUntil)
	}
	err = s.WithTx(ctx, func(tx *Tx) error {
		res, err := tx.q.ExecContext(ctx, beginPublication(p.Ref), p.ID, p.Epoch, owner, leaseUntil, a.StartedAt)
		if err != nil {
			return fmt.Errorf("begin: %w", err)
		}
		n, err := res.RowsAffected()
		if ok = n == 1; err != nil || !ok {
			return err
		}
		if repeats != nil {
			if err := tx.ResolveAttempt(ctx, *repeats, "repeated", a.StartedAt); err != nil {
				return err
			}
		}
		return tx.InsertAttempt(ctx, a)
	})
	return ok && err == nil, err
}

// beginPublication is the conditional change to publishing.
func beginPublication(ref Ref) string {
	return `UPDATE ` + ref.table() + ` SET status = 'publishing', lease_until = $4, updated_at = $5
		WHERE id = $1 AND epoch = $2 AND lease_owner = $3 AND status IN ('scheduled', 'publishing')`
}

// beginInOneStatement spares three round trips to the server in the second in which many posts are due. SQLite, which has
// none to spare, does not know such statements.
func (s *Store) beginInOneStatement(ctx context.Context, p Publication, owner crier.ID, a Attempt, leaseUntil crier.Time) (bool, error) {
	res, err := s.writer.ExecContext(ctx, `WITH begun AS (`+beginPublication(p.Ref)+` RETURNING id)
		INSERT INTO attempts (id, scheduled_post_id, action_id, operation, part, started_at, send_before, settled_after)
		SELECT $6, $7, $8, $9, $10, $5, $11, $12 FROM begun`,
		p.ID, p.Epoch, owner, leaseUntil, a.StartedAt, a.ID, a.ScheduledPostID, a.ActionID, a.Operation, a.Part, a.SendBefore, a.SettledAfter)
	if err != nil {
		return false, fmt.Errorf("begin: %w", err)
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// InsertAttempt writes an attempt, open or over.
func (tx *Tx) InsertAttempt(ctx context.Context, a Attempt) error {
	return tx.later(ctx, changed("insert attempt"), `INSERT INTO attempts (id, scheduled_post_id, action_id, operation, part, started_at, send_before,
		settled_after, ended_at, outcome, error_code, message, next_step, next_at, exchanges)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
		a.ID, a.ScheduledPostID, a.ActionID, a.Operation, a.Part, a.StartedAt, a.SendBefore, a.SettledAfter, a.EndedAt,
		orNull(a.Outcome), orNull(a.ErrorCode), orNull(a.Message), orNull(a.NextStep), a.NextAt, exchangesOf(a))
}

// EndAttempt completes an attempt with its result. One that was completed already is left alone; then ok is false.
func (tx *Tx) EndAttempt(ctx context.Context, a Attempt) (ok bool, err error) {
	res, err := tx.q.ExecContext(ctx, `UPDATE attempts SET ended_at = $2, outcome = $3, error_code = $4, message = $5, next_step = $6,
		next_at = $7, exchanges = $8 WHERE id = $1 AND ended_at IS NULL`,
		a.ID, a.EndedAt, orNull(a.Outcome), orNull(a.ErrorCode), orNull(a.Message), orNull(a.NextStep), a.NextAt, exchangesOf(a))
	if err != nil {
		return false, fmt.Errorf("end attempt: %w", err)
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func rawOrNull(raw json.RawMessage) any {
	if len(raw) == 0 {
		return nil
	}
	return string(raw)
}

func exchangesOf(a Attempt) any {
	if len(a.Exchanges) == 0 {
		return nil
	}
	return asJSON(&a.Exchanges)
}

// LastSend is the attempt of a publication that could have made something public and whose outcome is not known; without
// one, the last that could have; nil when there is none. The open one comes first whatever its time: the clocks of two
// nodes differ, and one clock may be set back.
func (r reads) LastSend(ctx context.Context, p Publication) (*Attempt, error) {
	action, args := `a.action_id IS NULL`, []any{p.ScheduledPostID}
	if p.Action {
		action, args = `a.action_id = $2`, append(args, p.ID)
	}
	a, err := scanAttempt(r.keyed.QueryRowContext(ctx, `SELECT `+attemptColumns+` FROM attempts a WHERE a.scheduled_post_id = $1 AND `+action+`
		AND a.operation IN ('publish', 'resend')
		ORDER BY CASE WHEN a.ended_at IS NULL OR a.outcome = '`+OutcomeUnknown+`' THEN 0 ELSE 1 END, a.started_at DESC, a.id DESC LIMIT 1`, args...))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the last attempt: %w", err)
	}
	return &a, nil
}

// Attempts reads what was tried for a scheduled post and its actions, the oldest first.
func (r reads) Attempts(ctx context.Context, scheduledPost crier.ID, limit int) ([]Attempt, error) {
	rows, err := r.q.QueryContext(ctx, `SELECT `+attemptColumns+` FROM attempts a WHERE a.scheduled_post_id = $1
		ORDER BY a.started_at, a.id LIMIT $2`, scheduledPost, limit)
	if err != nil {
		return nil, fmt.Errorf("list attempts: %w", err)
	}
	return collect(rows, scanAttempt)
}

// ResolveAttempt writes what became of an attempt whose result was missing or unknown.
func (tx *Tx) ResolveAttempt(ctx context.Context, id crier.ID, outcome string, at crier.Time) error {
	_, err := tx.q.ExecContext(ctx, `UPDATE attempts SET outcome = $2, ended_at = coalesce(ended_at, $3) WHERE id = $1`, id, outcome, at)
	if err != nil {
		return fmt.Errorf("resolve attempt: %w", err)
	}
	return nil
}

// DeleteAttempts reads what was tried to remove publications from their networks.
func (r reads) DeleteAttempts(ctx context.Context, scheduledPosts []crier.ID) ([]Attempt, error) {
	rows, err := r.q.QueryContext(ctx, `SELECT `+attemptColumns+` FROM attempts a WHERE a.operation = 'delete'
		AND a.scheduled_post_id IN (`+placeholders(1, len(scheduledPosts))+`) ORDER BY a.started_at, a.id`, anys(scheduledPosts)...)
	if err != nil {
		return nil, fmt.Errorf("read deletions: %w", err)
	}
	return collect(rows, scanAttempt)
}
