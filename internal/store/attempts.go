package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

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

// Beginning is the intention to make something public: the row becomes publishing and the attempt is written.
type Beginning struct {
	Publication Publication
	Owner       crier.ID
	Attempt     Attempt
	// Repeats is the attempt that this one takes the place of; it ends with it.
	Repeats *crier.ID
	// Begun is false when the row was moved, edited or cancelled meanwhile, or when the lease was lost: then nothing may be sent.
	Begun bool
}

// BeginAttempts commits intentions. Those of one call stand or fall together; it sets which of them began.
func (s *Store) BeginAttempts(ctx context.Context, wait LockWait, list []*Beginning) error {
	list = slices.SortedFunc(slices.Values(list), func(a, b *Beginning) int { return strings.Compare(string(a.Publication.ID), string(b.Publication.ID)) })
	return s.WithTx(ctx, func(tx *Tx) error {
		if err := tx.waitForLocks(ctx, wait); err != nil {
			return err
		}
		for _, b := range list {
			if err := tx.begin(ctx, b); err != nil {
				return err
			}
		}
		return nil
	})
}

func (tx *Tx) begin(ctx context.Context, b *Beginning) error {
	p, a := b.Publication, b.Attempt
	update := `UPDATE ` + p.table() + ` SET status = 'publishing', lease_until = $4, updated_at = $5
		WHERE id = $1 AND epoch = $2 AND lease_owner = $3 AND status IN ('scheduled', 'publishing')`
	args := []any{p.ID, p.Epoch, b.Owner, a.SettledAfter, a.StartedAt}
	begun := func(rows int64, err error) error {
		b.Begun = rows == 1
		return changed("begin")(rows, err)
	}
	if tx.late != nil && b.Repeats == nil { // PostgreSQL takes both in one statement, and many of those in one round trip
		return tx.later(ctx, begun, `WITH begun AS (`+update+` RETURNING id)
			INSERT INTO attempts (id, scheduled_post_id, action_id, operation, part, started_at, send_before, settled_after)
			SELECT $6, $7, $8, $9, $10, $5, $11, $4 FROM begun`,
			append(args, a.ID, a.ScheduledPostID, a.ActionID, a.Operation, a.Part, a.SendBefore)...)
	}
	res, err := tx.q.ExecContext(ctx, update, args...)
	if err != nil {
		return begun(0, err)
	}
	if err := begun(res.RowsAffected()); err != nil || !b.Begun {
		return err
	}
	if b.Repeats != nil {
		if err := tx.ResolveAttempt(ctx, *b.Repeats, "repeated", a.StartedAt); err != nil {
			return err
		}
	}
	return tx.InsertAttempt(ctx, a)
}

// WriteAttempt writes an attempt that is over. One that could make something public has its row already; if that was completed
// meanwhile, it is left alone.
func (tx *Tx) WriteAttempt(ctx context.Context, a Attempt) error {
	if a.SendBefore == nil {
		return tx.InsertAttempt(ctx, a)
	}
	return tx.later(ctx, changed("end attempt"), endAttempt, endOf(a)...)
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
	res, err := tx.q.ExecContext(ctx, endAttempt, endOf(a)...)
	if err != nil {
		return false, fmt.Errorf("end attempt: %w", err)
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

const endAttempt = `UPDATE attempts SET ended_at = $2, outcome = $3, error_code = $4, message = $5, next_step = $6,
	next_at = $7, exchanges = $8 WHERE id = $1 AND ended_at IS NULL`

func endOf(a Attempt) []any {
	return []any{a.ID, a.EndedAt, orNull(a.Outcome), orNull(a.ErrorCode), orNull(a.Message), orNull(a.NextStep), a.NextAt, exchangesOf(a)}
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
