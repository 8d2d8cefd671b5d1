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

// Attempt is one attempted operation on a network.
type Attempt struct {
	crier.Attempt
	ScheduledPostID crier.ID
	// SendBefore is the fence: a worker must not send after it. From SettledAfter on, the outcome may be reconciled.
	SendBefore   *crier.Time
	SettledAfter *crier.Time
	// end is the row of endAttempts, if it was encoded before.
	end encodedRow
}

// OutcomeUnknown is the outcome of an attempt that got no response.
const OutcomeUnknown = "unknown"

// Unresolved reports whether the attempt may have published something without a recorded result.
func (a Attempt) Unresolved() bool { return a.EndedAt == nil || a.Outcome == OutcomeUnknown }

const attemptColumns = `a.id, a.scheduled_post_id, a.action_id, a.operation, a.part, a.started_at, a.send_before,
	a.settled_after,
	a.ended_at, a.outcome, a.error_code, a.message, a.next_step, a.next_at, a.exchanges`

func scanAttempt(row scanner) (Attempt, error) {
	var a Attempt
	var outcome, code, message, next sql.NullString
	var exchanges *[]crier.Exchange
	err := row.Scan(&a.ID, &a.ScheduledPostID, &a.ActionID, &a.Operation, &a.Part, &a.StartedAt, &a.SendBefore,
		&a.SettledAfter,
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

// AttemptStart is the intention to publish: the publication becomes publishing and its attempt is inserted.
type AttemptStart struct {
	Publication Publication
	Owner       crier.ID
	Attempt     Attempt
	// LeaseUntil is when the lease ends unless it is extended.
	LeaseUntil crier.Time
	// Repeats is the attempt that this one replaces; it is ended in the same transaction.
	Repeats *crier.ID
	// Event is written in the same transaction; nil for none.
	Event *NewEvent
	// Begun is set by BeginAttempts. It is false if the publication was moved, edited or canceled meanwhile, or the
	// lease was lost: nothing may be sent then.
	Begun bool

	// begin and open are the rows of markBegun and insertOpen, if they were encoded before.
	begin, open encodedRow
}

// Encode encodes what BeginAttempts writes. Nothing may be changed afterwards. It is optional.
func (b *AttemptStart) Encode() error {
	var err, failed error
	b.begin, err = b.beginRow()
	b.open, failed = b.openRow()
	if b.Event != nil {
		return errors.Join(err, failed, b.Event.Encode())
	}
	return errors.Join(err, failed)
}

// BeginAttempts writes intentions and sets Begun of each.
func (tx *Tx) BeginAttempts(ctx context.Context, wait LockWait, list ...*AttemptStart) error {
	list = slices.SortedFunc(slices.Values(list), func(a, b *AttemptStart) int {
		return strings.Compare(string(a.Publication.ID), string(b.Publication.ID))
	})
	if err := tx.waitForLocks(ctx, wait); err != nil {
		return err
	}
	if err := tx.shareStarts(ctx, list); err != nil {
		return err
	}
	for _, round := range splitUnique(list, startedID) {
		if err := tx.begin(ctx, round); err != nil {
			return err
		}
	}
	return nil
}

func startedID(b *AttemptStart) crier.ID { return b.Publication.ID }

// startsLock is the key of an advisory lock of PostgreSQL: whoever starts calls of an account shares it, whoever ends
// them has it alone. It is none of the account's row, which every start would have to write.
const startsLock = `hashtextextended('starts of calls of ' || v.key, 0)`

// shareStarts locks the starts of the accounts' calls until the transaction ends. The locks are taken in their order,
// or transactions could wait for each other. What the transaction reads next is as new as the lock.
func (tx *Tx) shareStarts(ctx context.Context, list []*AttemptStart) error {
	if tx.forUpdate == "" {
		return nil // SQLite: the transaction holds the write lock already
	}
	ids := make([]crier.ID, len(list))
	for i, b := range list {
		ids[i] = b.Publication.SocialAccountID
	}
	return tx.queueExec(ctx, changed("share the starts of calls"), `SELECT pg_advisory_xact_lock_shared(l.key) FROM (
		SELECT DISTINCT `+startsLock+` AS key FROM `+tx.jsonRows(`key uuid`)+` ORDER BY key) AS l`, keys(ids))
}

// HoldStarts waits for the calls of an account that are about to start, and keeps others from starting until the
// transaction ends: those see what it writes. It must be the first lock of the transaction.
func (tx *Tx) HoldStarts(ctx context.Context, account crier.ID) error {
	if tx.forUpdate == "" {
		return nil // SQLite: the transaction holds the write lock already
	}
	return tx.queueExec(ctx, changed("hold the starts of calls"), `SELECT pg_advisory_xact_lock(`+startsLock+`)
		FROM `+tx.jsonRows(`key uuid`), keys([]crier.ID{account}))
}

// begin starts attempts, at most one per publication.
func (tx *Tx) begin(ctx context.Context, list []*AttemptStart) error {
	var open encodedRows
	if err := tx.markBegun(ctx, list); err != nil {
		return err
	}
	for _, b := range list {
		if !b.Begun {
			continue
		}
		if b.Event != nil {
			tx.RecordEvents(*b.Event)
		}
		if b.Repeats != nil {
			if err := tx.ResolveAttempt(ctx, *b.Repeats, "repeated", b.Attempt.StartedAt); err != nil {
				return err
			}
		}
		row, err := b.openRow()
		if err != nil {
			return err
		}
		open = append(open, row)
	}
	return tx.insertOpen(ctx, open)
}

// beginRow is an input row of markBegun.
type beginRow struct {
	Key   crier.ID `json:"key"`
	Was   string   `json:"was"`
	Epoch int64    `json:"epoch"`
	Owner crier.ID `json:"owner"`
	Until jsonTime `json:"until"`
	Now   jsonTime `json:"now"`
}

// markBegun sets publications to publishing. The account is looked at once more: the worker has read it seconds ago,
// and an account that a person has disabled since then must not publish. Nobody disables it before the transaction
// ends; see shareStarts.
func (tx *Tx) markBegun(ctx context.Context, list []*AttemptStart) error {
	rows := make(encodedRows, len(list))
	for i, b := range list {
		var err error
		if rows[i], err = b.beginRow(); err != nil {
			return err
		}
	}
	var begun map[crier.ID]bool
	err := tx.inBulk(ctx, func() (err error) {
		begun, err = tx.returned(ctx, `UPDATE publications AS p SET status = 'publishing', lease_until = v.until,
			updated_at = v.now
			FROM `+tx.jsonRows(beginColumns)+`
			WHERE p.id = v.key AND p.epoch = v.epoch AND p.lease_owner = v.owner AND p.status = v.was
			AND p.status IN ('scheduled', 'publishing')
			AND EXISTS (SELECT 1 FROM social_accounts a WHERE a.id = p.social_account_id AND a.status = 'connected')
			RETURNING id`, rows)
		return err
	})
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	counts := countChanges{}
	for _, b := range list {
		if b.Begun = begun[b.Publication.ID]; b.Begun {
			counts.move(b.Publication, b.Publication.Status, crier.Publishing)
		}
	}
	return tx.addCounts(ctx, counts)
}

const beginColumns = `key uuid, was text, epoch bigint, owner uuid, until timestamptz, now timestamptz`

func (b *AttemptStart) beginRow() (encodedRow, error) {
	return encodeRow(b.begin, beginRow{Key: b.Publication.ID, Was: string(b.Publication.Status),
		Epoch: b.Publication.Epoch, Owner: b.Owner, Until: jsonTime(b.LeaseUntil), Now: jsonTime(b.Attempt.StartedAt)})
}

// openRow is an input row of insertOpen.
type openRow struct {
	Key           crier.ID  `json:"key"`
	ScheduledPost crier.ID  `json:"post"`
	Action        *crier.ID `json:"action"`
	Operation     string    `json:"operation"`
	Part          int       `json:"part"`
	StartedAt     jsonTime  `json:"started"`
	SendBefore    *jsonTime `json:"send_before"`
	SettledAfter  *jsonTime `json:"settled_after"`
}

func (b *AttemptStart) openRow() (encodedRow, error) {
	a := b.Attempt
	return encodeRow(b.open, openRow{Key: a.ID, ScheduledPost: a.ScheduledPostID, Action: a.ActionID,
		Operation: a.Operation, Part: a.Part, StartedAt: jsonTime(a.StartedAt), SendBefore: (*jsonTime)(a.SendBefore),
		SettledAfter: (*jsonTime)(a.SettledAfter)})
}

// insertOpen inserts attempts that have started and not ended.
func (tx *Tx) insertOpen(ctx context.Context, rows encodedRows) error {
	if len(rows) == 0 {
		return nil
	}
	return tx.queueExec(ctx, changed("insert attempts"), `INSERT INTO attempts (id, scheduled_post_id, action_id,
		operation,
		part, started_at, send_before, settled_after)
		SELECT v.key, v.post, v.action, v.operation, v.part, v.started, v.send_before, v.settled_after
		FROM `+tx.jsonRows(`key uuid, post uuid, action uuid,
		operation text, part integer, started timestamptz, send_before timestamptz,
		settled_after timestamptz`), rows)
}

// WriteAttempts writes ended attempts. An attempt that could publish something already has a row, which is completed
// unless it already was.
func (tx *Tx) WriteAttempts(ctx context.Context, list ...Attempt) error {
	var rows encodedRows
	for _, a := range list {
		if a.SendBefore == nil {
			if err := tx.InsertAttempt(ctx, a); err != nil {
				return err
			}
			continue
		}
		row, err := a.endRow()
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil
	}
	return tx.queueExec(ctx, changed("end attempts"), tx.endAttempts(), rows)
}

// InsertAttempt inserts an attempt, ended or not.
func (tx *Tx) InsertAttempt(ctx context.Context, a Attempt) error {
	return tx.queueExec(ctx, changed("insert attempt"), `INSERT INTO attempts (id, scheduled_post_id, action_id,
		operation,
		part, started_at, send_before,
		settled_after, ended_at, outcome, error_code, message, next_step, next_at, exchanges)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) ON CONFLICT (id) DO NOTHING`,
		a.ID, a.ScheduledPostID, a.ActionID, a.Operation, a.Part, a.StartedAt, a.SendBefore, a.SettledAfter, a.EndedAt,
		orNull(a.Outcome), orNull(a.ErrorCode), orNull(a.Message), orNull(a.NextStep), a.NextAt, exchangesOf(a))
}

// EndAttempt completes an attempt with its result. ok is false if it was already completed.
func (tx *Tx) EndAttempt(ctx context.Context, a Attempt) (ok bool, err error) {
	row, err := a.endRow()
	if err != nil {
		return false, err
	}
	res, err := tx.q.ExecContext(ctx, tx.endAttempts(), encodedRows{row})
	if err != nil {
		return false, fmt.Errorf("end attempt: %w", err)
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// endRow is an input row of endAttempts.
type endRow struct {
	Key       crier.ID         `json:"key"`
	EndedAt   *jsonTime        `json:"ended"`
	Outcome   jsonText         `json:"outcome"`
	ErrorCode jsonText         `json:"code"`
	Message   jsonText         `json:"message"`
	NextStep  jsonText         `json:"next_step"`
	NextAt    *jsonTime        `json:"next_at"`
	Exchanges []crier.Exchange `json:"exchanges"`
}

func (a Attempt) endRow() (encodedRow, error) {
	row := endRow{
		Key: a.ID, EndedAt: (*jsonTime)(a.EndedAt), Outcome: jsonText(a.Outcome), ErrorCode: jsonText(a.ErrorCode),
		Message: jsonText(a.Message), NextStep: jsonText(a.NextStep), NextAt: (*jsonTime)(a.NextAt),
	}
	if len(a.Exchanges) > 0 {
		row.Exchanges = a.Exchanges
	}
	return encodeRow(a.end, row)
}

func (tx *Tx) endAttempts() string {
	return `UPDATE attempts AS a SET ended_at = v.ended, outcome = v.outcome, error_code = v.code, message = v.message,
		next_step = v.next_step,
		next_at = v.next_at, exchanges = v.exchanges
		FROM ` + tx.jsonRows(`key uuid, ended timestamptz, outcome text, code text, message text,
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

// LastSend returns the sending attempt of a publication whose outcome is unknown, or else the latest sending attempt;
// nil if there is none. The unresolved one comes first whatever its time, because the clocks of two nodes differ and a
// clock may be set back.
func (r reads) LastSend(ctx context.Context, p Publication) (*Attempt, error) {
	action, args := `a.action_id IS NULL`, []any{p.ScheduledPostID}
	if p.IsAction() {
		action, args = `a.action_id = $2`, append(args, p.ID)
	}
	a, err := scanAttempt(r.keyed.QueryRowContext(ctx, `SELECT `+attemptColumns+` FROM attempts a
		WHERE a.scheduled_post_id = $1 AND `+action+`
		AND a.operation IN ('publish', 'resend')
		ORDER BY CASE WHEN a.ended_at IS NULL
		OR a.outcome = '`+OutcomeUnknown+`' THEN 0 ELSE 1 END, a.started_at DESC, a.id DESC LIMIT 1`, args...))
	return orNil(a, err, "read the last attempt")
}

// Attempts reads the attempts of a scheduled post and its actions, oldest first.
func (r reads) Attempts(ctx context.Context, scheduledPost crier.ID, limit int) ([]Attempt, error) {
	rows, err := r.q.QueryContext(ctx, `SELECT `+attemptColumns+` FROM attempts a WHERE a.scheduled_post_id = $1
		ORDER BY a.started_at, a.id LIMIT $2`, scheduledPost, limit)
	if err != nil {
		return nil, fmt.Errorf("list attempts: %w", err)
	}
	return collect(rows, scanAttempt)
}

// ResolveAttempt writes the outcome of an unresolved attempt.
func (tx *Tx) ResolveAttempt(ctx context.Context, id crier.ID, outcome string, at crier.Time) error {
	_, err := tx.q.ExecContext(ctx, `UPDATE attempts SET outcome = $2, ended_at = coalesce(ended_at, $3) WHERE id = $1`,
		id, outcome, at)
	if err != nil {
		return fmt.Errorf("resolve attempt: %w", err)
	}
	return nil
}

// DeleteAttempts reads the attempts to delete publications from their networks.
func (r reads) DeleteAttempts(ctx context.Context, scheduledPosts []crier.ID) ([]Attempt, error) {
	rows, err := r.q.QueryContext(ctx, `SELECT `+attemptColumns+` FROM attempts a WHERE a.operation = 'delete'
		AND a.scheduled_post_id IN (`+placeholders(1, len(scheduledPosts))+`) ORDER BY a.started_at, a.id`,
		anys(scheduledPosts)...)
	if err != nil {
		return nil, fmt.Errorf("read deletions: %w", err)
	}
	return collect(rows, scanAttempt)
}
