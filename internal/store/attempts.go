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
		for _, round := range once(list, begunRef) {
			if err := tx.begin(ctx, round); err != nil {
				return err
			}
		}
		return nil
	})
}

func begunRef(b *Beginning) Ref { return b.Publication.Ref }

// begin commits intentions, no two of them for one publication.
func (tx *Tx) begin(ctx context.Context, list []*Beginning) error {
	var open []Attempt
	for _, action := range []bool{false, true} {
		if err := tx.markBegun(ctx, action, ofKind(list, action, begunRef)); err != nil {
			return err
		}
	}
	for _, b := range list {
		if !b.Begun {
			continue
		}
		if b.Repeats != nil {
			if err := tx.ResolveAttempt(ctx, *b.Repeats, "repeated", b.Attempt.StartedAt); err != nil {
				return err
			}
		}
		open = append(open, b.Attempt)
	}
	return tx.insertOpen(ctx, open)
}

// beginRow is a row of the statement that begins.
type beginRow struct {
	Key   crier.ID   `json:"key"`
	Epoch int64      `json:"epoch"`
	Owner crier.ID   `json:"owner"`
	Until *givenTime `json:"until"`
	Now   givenTime  `json:"now"`
}

// markBegun notes on publications of one kind that they have begun.
func (tx *Tx) markBegun(ctx context.Context, action bool, list []*Beginning) error {
	if len(list) == 0 {
		return nil
	}
	rows := make([]beginRow, len(list))
	for i, b := range list {
		rows[i] = beginRow{b.Publication.ID, b.Publication.Epoch, b.Owner, (*givenTime)(b.Attempt.SettledAfter), givenTime(b.Attempt.StartedAt)}
	}
	begun, err := tx.returned(ctx, `UPDATE `+Ref{Action: action}.table()+` AS p SET status = 'publishing', lease_until = v.until, updated_at = v.now
		FROM `+tx.given(`key uuid, epoch bigint, owner uuid, until timestamptz, now timestamptz`)+`
		WHERE p.id = v.key AND p.epoch = v.epoch AND p.lease_owner = v.owner AND p.status IN ('scheduled', 'publishing') RETURNING id`, asJSON(&rows))
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	for _, b := range list {
		b.Begun = slices.Contains(begun, b.Publication.ID)
	}
	return nil
}

// openRow is a row of the statement that writes attempts that have begun.
type openRow struct {
	Key           crier.ID   `json:"key"`
	ScheduledPost crier.ID   `json:"post"`
	Action        *crier.ID  `json:"action"`
	Operation     string     `json:"operation"`
	Part          int        `json:"part"`
	StartedAt     givenTime  `json:"started"`
	SendBefore    *givenTime `json:"send_before"`
	SettledAfter  *givenTime `json:"settled_after"`
}

// insertOpen writes attempts that have begun.
func (tx *Tx) insertOpen(ctx context.Context, list []Attempt) error {
	if len(list) == 0 {
		return nil
	}
	rows := make([]openRow, len(list))
	for i, a := range list {
		rows[i] = openRow{
			a.ID, a.ScheduledPostID, a.ActionID, a.Operation, a.Part, givenTime(a.StartedAt), (*givenTime)(a.SendBefore), (*givenTime)(a.SettledAfter),
		}
	}
	return tx.later(ctx, changed("insert attempts"), `INSERT INTO attempts (id, scheduled_post_id, action_id, operation, part, started_at, send_before, settled_after)
		SELECT v.key, v.post, v.action, v.operation, v.part, v.started, v.send_before, v.settled_after FROM `+tx.given(`key uuid, post uuid, action uuid,
		operation text, part integer, started timestamptz, send_before timestamptz, settled_after timestamptz`), asJSON(&rows))
}

// WriteAttempts writes attempts that are over. One that could make something public has its row already; if that was completed
// meanwhile, it is left alone.
func (tx *Tx) WriteAttempts(ctx context.Context, list ...Attempt) error {
	var rows []endRow
	for _, a := range list {
		if a.SendBefore == nil {
			if err := tx.InsertAttempt(ctx, a); err != nil {
				return err
			}
			continue
		}
		rows = append(rows, endOf(a))
	}
	if len(rows) == 0 {
		return nil
	}
	return tx.later(ctx, changed("end attempts"), tx.endAttempts(), asJSON(&rows))
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
	rows := []endRow{endOf(a)}
	res, err := tx.q.ExecContext(ctx, tx.endAttempts(), asJSON(&rows))
	if err != nil {
		return false, fmt.Errorf("end attempt: %w", err)
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// endRow is a row of the statement that completes attempts.
type endRow struct {
	Key       crier.ID         `json:"key"`
	EndedAt   *givenTime       `json:"ended"`
	Outcome   givenText        `json:"outcome"`
	ErrorCode givenText        `json:"code"`
	Message   givenText        `json:"message"`
	NextStep  givenText        `json:"next_step"`
	NextAt    *givenTime       `json:"next_at"`
	Exchanges []crier.Exchange `json:"exchanges"`
}

func endOf(a Attempt) endRow {
	row := endRow{
		a.ID, (*givenTime)(a.EndedAt), givenText(a.Outcome), givenText(a.ErrorCode), givenText(a.Message), givenText(a.NextStep), (*givenTime)(a.NextAt), nil,
	}
	if len(a.Exchanges) > 0 {
		row.Exchanges = a.Exchanges
	}
	return row
}

func (tx *Tx) endAttempts() string {
	return `UPDATE attempts AS a SET ended_at = v.ended, outcome = v.outcome, error_code = v.code, message = v.message, next_step = v.next_step,
		next_at = v.next_at, exchanges = v.exchanges FROM ` + tx.given(`key uuid, ended timestamptz, outcome text, code text, message text,
		next_step text, next_at timestamptz, exchanges jsonb`) + ` WHERE a.id = v.key AND a.ended_at IS NULL`
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
