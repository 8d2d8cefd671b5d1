package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"

	"crier"
)

// NewEvent is an event to be written in the same transaction as the change it reports.
type NewEvent struct {
	ID   crier.ID
	Type crier.EventType
	// OrganizationID may be empty for an event of a team.
	OrganizationID crier.ID
	TeamID         *crier.ID
	// Data is JSON.
	Data      []byte
	CreatedAt crier.Time
	// row is the row of insertEvents, if it was encoded before.
	row encodedRow
}

// Encode encodes the row of the event. Nothing may be changed afterwards. It is optional.
func (e *NewEvent) Encode() (err error) {
	e.row, err = e.eventRow()
	return err
}

// Event is a written event.
type Event struct {
	crier.Event
	// Data is JSON.
	Data []byte
}

// RecordEvents writes events when the transaction ends, in order and in one statement.
func (tx *Tx) RecordEvents(events ...NewEvent) { tx.events = append(tx.events, events...) }

// eventRow is an input row of insertEvents, without its number.
type eventRow struct {
	Key          crier.ID        `json:"key"`
	Organization jsonText        `json:"organization"`
	Team         *crier.ID       `json:"team"`
	Type         crier.EventType `json:"kind"`
	Data         string          `json:"body"`
	CreatedAt    jsonTime        `json:"created"`
}

const eventRowColumns = `key uuid, n bigint, organization uuid, team uuid, kind text, body text, created timestamptz`

// writeEvents writes the recorded events and those of credit changes. It runs last: the changed rows are locked by
// then, so events of one row are written in commit order.
func (tx *Tx) writeEvents(ctx context.Context) error {
	if err := tx.insertEvents(ctx); err != nil {
		return err
	}
	return tx.writeCreditEvents(ctx)
}

func (tx *Tx) insertEvents(ctx context.Context) error {
	if len(tx.events) == 0 {
		return nil
	}
	tx.wroteEvents = true
	rows := numberedRows{make(encodedRows, len(tx.events))}
	for i := range tx.events {
		var err error
		if rows.encodedRows[i], err = tx.events[i].eventRow(); err != nil {
			return err
		}
	}
	const organization = `coalesce(v.organization, (SELECT t.organization_id FROM teams t WHERE t.id = v.team))`
	if tx.pipe != nil {
		return tx.queueExec(ctx, changed("write events"), `INSERT INTO events (id, organization_id, team_id, type, data,
			created_at) SELECT v.key, `+organization+`, v.team, v.kind, v.body, v.created
			FROM `+tx.jsonRows(eventRowColumns)+` WHERE `+hasID+` ORDER BY v.n`, rows)
	}
	return tx.queueExec(ctx, changed("write events"), `INSERT INTO events (id, written, sequence, organization_id,
		team_id, type, data, created_at) SELECT v.key, l.last + v.n, l.last + v.n, `+organization+`, v.team, v.kind,
		v.body, v.created FROM `+tx.jsonRows(eventRowColumns)+` JOIN `+tx.eventLog+` l ON l.id = 1`, rows)
}

func (e *NewEvent) eventRow() (encodedRow, error) {
	return encodeRow(e.row, eventRow{Key: e.ID, Organization: jsonText(e.OrganizationID), Team: e.TeamID, Type: e.Type,
		Data: string(e.Data), CreatedAt: jsonTime(e.CreatedAt)})
}

// EventsWritten receives after a commit of this process that wrote events. Several commits may share one signal.
func (s *Store) EventsWritten() <-chan struct{} { return s.eventsWritten }

func (s *Store) tellOfEvents() {
	select {
	case s.eventsWritten <- struct{}{}:
	default: // a signal is already pending
	}
}

// eventBatch limits how many events one transaction sequences.
const eventBatch = 2000

// SequenceEvents assigns sequences to events that were committed without one and returns how many. Only one transaction
// at a time does so across all nodes: its sequences are greater than all earlier ones and become visible as a whole, so
// no reader can miss an event. On SQLite, with one writer, there is nothing to do.
func (s *Store) SequenceEvents(ctx context.Context) (assigned int64, err error) {
	if s.dialect == SQLite {
		return 0, nil
	}
	defer func() {
		if err != nil {
			s.sequenced.forget()
		}
	}()
	var waiting bool
	place := s.sequenced.current()
	err = s.keyed.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM events WHERE sequence IS NULL AND `+
		behindPlace(1)+`)`, place.database, place.all).Scan(&waiting)
	if err != nil || !waiting {
		return 0, err
	}
	var pass sequencing
	err = s.WithTx(ctx, func(tx *Tx) error {
		pass, err = tx.sequenceEvents(ctx, s.sequenced.current())
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("put events in order: %w", err)
	}
	s.sequenced.passed(pass)
	return pass.assigned, nil
}

// sequencing is one pass over the events without a sequence.
type sequencing struct {
	database string
	assigned int64
	// drawn is an upper bound of the numbers that were drawn for events before the pass.
	drawn int64
	// oldest is the oldest transaction that was running when the pass read the events. id is the transaction of the
	// pass, younger than every one that has drawn a number up to drawn.
	oldest, id int64
}

func (tx *Tx) sequenceEvents(ctx context.Context, from eventPlace) (p sequencing, err error) {
	// Three statements, in this order. The transaction gets its id from the second one at the earliest, so after the
	// first. The third one must see everything that was committed while the second one waited.
	var last int64
	if err := tx.q.Ask(ctx,
		newQuestion(`SELECT last_value FROM events_written_seq`, nil, func(row scanner) error {
			return row.Scan(&p.drawn)
		}),
		newQuestion(`SELECT last FROM event_log WHERE id = 1 FOR UPDATE`, nil, func(row scanner) error {
			return row.Scan(&last)
		})); err != nil {
		return p, err
	}
	// Events that a purge deletes meanwhile get no sequence but are counted: the events after them have theirs.
	if err := tx.q.QueryRowContext(ctx, `WITH next AS (SELECT place, row_number() OVER (ORDER BY written) AS n FROM
				(SELECT ctid AS place, written FROM events WHERE sequence IS NULL AND `+behindPlace(3)+`
					ORDER BY written LIMIT $2) AS found),
			sequenced AS (UPDATE events AS e SET sequence = $1 + next.n FROM next WHERE e.ctid = next.place)
		SELECT (SELECT count(*) FROM next), `+thisDatabase+`,
			CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint),
			CAST(CAST(pg_current_xact_id() AS text) AS bigint)`, last, eventBatch, from.database,
		from.all).Scan(&p.assigned, &p.database, &p.oldest, &p.id); err != nil || p.assigned == 0 {
		return p, err
	}
	if err := tx.queueExec(ctx, changed("count events"), `UPDATE event_log SET last = last + $1 WHERE id = 1`,
		p.assigned); err != nil {
		return p, err
	}
	// Not in the transactions that write the events: PostgreSQL serializes the commits of transactions that notify.
	return p, tx.queueExec(ctx, changed("tell of events"), `SELECT pg_notify('crier_events', '')`)
}

// hasID is true and assigns the PostgreSQL transaction its id. Statements that write events include it, because the id
// must exist before the numbers of the events are drawn; see sequencedEvents.
const hasID = `pg_current_xact_id() IS NOT NULL`

// thisDatabase identifies a database: the same address may lead to a standby that took over without the last
// transactions, or to a database restored from a backup, which draw the same numbers again.
const thisDatabase = `(CAST(CAST(CAST('events' AS regclass) AS oid) AS text) || ' ' ||
	CAST(extract(epoch FROM pg_postmaster_start_time()) AS text))`

// behindPlace returns the condition for events after a place, whose database and number are the arguments from the nth
// on. In another database the place has no meaning.
func behindPlace(n int) string {
	return fmt.Sprintf(`written > CASE WHEN %s = $%d THEN CAST($%d AS bigint) ELSE 0 END`, thisDatabase, n, n+1)
}

// eventPlace is a number up to which all events of a database have a sequence.
type eventPlace struct {
	database string
	all      int64
}

// sequencedEvents tracks up to which number every event has a sequence, so that a pass need not skip the index entries
// of events sequenced since the last vacuum of the table. A transaction has its id before it draws numbers for its
// events. So numbers drawn before a pass got its own id belong to older transactions, and once all of these have ended,
// a pass that sees everything leaves nothing behind. The end of a pass's snapshot cannot replace its id: running
// transactions may be younger.
type sequencedEvents struct {
	mu    sync.Mutex
	place eventPlace
	// drawn is the number to which the place can move once the transactions before id have ended; 0 if there is none.
	drawn, id int64
}

func (e *sequencedEvents) current() eventPlace {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.place
}

// forget resets the place.
func (e *sequencedEvents) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.place, e.drawn = eventPlace{}, 0
}

// passed updates the place after a committed pass.
func (e *sequencedEvents) passed(p sequencing) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if p.database != e.place.database {
		e.place, e.drawn = eventPlace{database: p.database}, 0
	}
	if e.drawn > 0 && p.oldest >= e.id && p.assigned < eventBatch {
		e.place.all, e.drawn = max(e.place.all, e.drawn), 0
	}
	if e.drawn == 0 && p.drawn > e.place.all {
		e.drawn, e.id = p.drawn, p.id
	}
}

// ListenForEvents calls fn whenever any node has sequenced events, until ctx or the connection ends. It calls ready
// once it is listening. SQLite has no other nodes.
func (s *Store) ListenForEvents(ctx context.Context, ready, fn func()) error {
	if s.jobs == nil {
		<-ctx.Done()
		return ctx.Err()
	}
	conn, err := pgx.ConnectConfig(ctx, s.jobs.Config().ConnConfig)
	if err != nil {
		return fmt.Errorf("listen for events: %w", redact(err))
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, `LISTEN crier_events`); err != nil {
		return fmt.Errorf("listen for events: %w", err)
	}
	ready()
	for {
		if _, err := conn.WaitForNotification(ctx); err != nil {
			return fmt.Errorf("listen for events: %w", err)
		}
		fn()
	}
}

// EventLog is the range of the event log.
type EventLog struct {
	// Last is the newest sequence, Swept the newest that was deleted.
	Last, Swept int64
}

// EventLog returns the range of the event log.
func (r reads) EventLog(ctx context.Context) (l EventLog, err error) {
	err = r.keyed.QueryRowContext(ctx, `SELECT last, swept FROM `+r.eventLog+` l WHERE id = 1`).Scan(&l.Last, &l.Swept)
	if err != nil {
		return l, fmt.Errorf("read the event log: %w", err)
	}
	return l, nil
}

const eventColumns = `e.id, e.sequence, e.type, e.organization_id, e.team_id, e.created_at, e.data`

func scanEvent(row scanner) (e Event, err error) {
	var data string
	err = row.Scan(&e.ID, &e.Sequence, &e.Type, &e.OrganizationID, &e.TeamID, &e.CreatedAt, &data)
	e.Data = []byte(data)
	return e, err
}

// EventsAfter reads the events of all organizations after a sequence, in order.
func (r reads) EventsAfter(ctx context.Context, sequence int64, limit int) ([]Event, error) {
	rows, err := r.keyed.QueryContext(ctx, `SELECT `+eventColumns+` FROM events e WHERE e.sequence > $1
		ORDER BY e.sequence LIMIT $2`, sequence, limit)
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	return collect(rows, scanEvent)
}

// EventFilter selects events of an organization. Empty fields do not filter.
type EventFilter struct {
	Types  []crier.EventType
	TeamID crier.ID
	// TeamIDs selects events of teams; nil selects all, including those of the organization itself.
	TeamIDs []crier.ID
	// From and To limit when events happened: [From, To).
	From, To *crier.Time
	// Until is the last sequence to read; 0 reads to the end.
	Until int64
	// Webhook leaves out the test events of all other webhooks.
	Webhook crier.ID
}

// where returns the condition of a filter, with ? for its parameters.
func (f EventFilter) where(organization crier.ID, after int64) (string, []any) {
	of := "e.organization_id = ?"
	if f.TeamID != "" { // the index of the team has fewer
		of = hide(of, "e.organization_id")
	}
	where, args := []string{of, "e.sequence > ?"}, []any{organization, after}
	and := func(condition string, values ...any) {
		where, args = append(where, condition), append(args, values...)
	}
	if f.Until > 0 {
		and("e.sequence <= ?", f.Until)
	}
	if len(f.Types) > 0 {
		and("e.type IN ("+marks(len(f.Types))+")", anys(f.Types)...)
	}
	if f.TeamID != "" {
		and("e.team_id = ?", f.TeamID)
	}
	if len(f.TeamIDs) > 0 {
		and("e.team_id IN ("+marks(len(f.TeamIDs))+")", anys(f.TeamIDs)...)
	}
	if f.Webhook != "" { // the data of a test has no other id
		and("(e.type <> ? OR e.data LIKE ?)", crier.WebhookTest, `%"`+string(f.Webhook)+`"%`)
	}
	if f.From != nil {
		and("e.created_at >= ?", *f.From)
	}
	if f.To != nil {
		and("e.created_at < ?", *f.To)
	}
	return strings.Join(where, " AND "), args
}

// OrganizationEvents reads the events of an organization after a sequence, in order. A team's are read from its part of
// their index. Otherwise each type is read from its own part of an index, and no more than limit of it.
func (r reads) OrganizationEvents(ctx context.Context, organization crier.ID, after int64, f EventFilter,
	limit int) ([]Event, error) {
	var parts []string
	var args []any
	for _, one := range f.split() {
		where, more := one.where(organization, after)
		from := "events e"
		switch {
		case one.TeamID != "":
			from += r.indexed("events_by_team")
		case len(one.Types) == 1:
			from += r.indexed("events_by_type")
		}
		parts = append(parts, bind("SELECT "+eventColumns+" FROM "+from+" WHERE "+where+" ORDER BY e.sequence LIMIT ?",
			len(args)))
		args = append(append(args, more...), limit)
	}
	query := parts[0]
	if len(parts) > 1 {
		for i, part := range parts {
			parts[i] = fmt.Sprintf("SELECT * FROM (%s) AS type%d", part, i)
		}
		args = append(args, limit)
		query = fmt.Sprintf("SELECT * FROM (%s) AS found ORDER BY sequence LIMIT $%d",
			strings.Join(parts, " UNION ALL "), len(args))
	}
	rows, err := r.q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	return collect(rows, scanEvent)
}

// split returns the filters that are read from one part of an index each.
func (f EventFilter) split() []EventFilter {
	if len(f.Types) < 2 || f.TeamID != "" {
		return []EventFilter{f}
	}
	var list []EventFilter
	for _, t := range slices.Compact(slices.Sorted(slices.Values(f.Types))) {
		one := f
		one.Types = []crier.EventType{t}
		list = append(list, one)
	}
	return list
}

// TeamEventsUntil returns the sequence of the nth event of a team after a sequence; ok is false if there are fewer. It
// is an index-only query.
func (r reads) TeamEventsUntil(ctx context.Context, team crier.ID, after int64, n int) (sequence int64, ok bool,
	err error) {
	var found int
	err = r.q.QueryRowContext(ctx, `SELECT count(*), coalesce(max(x.sequence), 0) FROM (SELECT e.sequence
		FROM events e`+r.indexed("events_by_team")+` WHERE e.team_id = $1 AND e.sequence > $2
		ORDER BY e.sequence LIMIT $3) x`, team, after, n).Scan(&found, &sequence)
	if err != nil {
		return 0, false, fmt.Errorf("look for the end of a piece of the events: %w", err)
	}
	return sequence, found == n, nil
}

// CountEvents counts the events of an organization.
func (r reads) CountEvents(ctx context.Context, organization crier.ID, f EventFilter) (n int64, err error) {
	where, args := f.where(organization, 0)
	err = r.q.QueryRowContext(ctx, bind(`SELECT count(*) FROM events e WHERE `+where, 0), args...).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count events: %w", err)
	}
	return n, nil
}

// EventSequence returns the sequence of an event of an organization; ok is false if the event does not exist.
func (r reads) EventSequence(ctx context.Context, organization, id crier.ID) (sequence int64, ok bool, err error) {
	err = r.keyed.QueryRowContext(ctx,
		`SELECT e.sequence FROM events e WHERE e.id = $1 AND e.organization_id = $2 AND e.sequence IS NOT NULL`, id,
		organization).Scan(&sequence)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("find an event: %w", err)
	}
	return sequence, true, nil
}

// SweepEvents deletes the oldest events while they are older than a time and returns how many. It stops at the first
// younger one: the log has no gaps.
func (tx *Tx) SweepEvents(ctx context.Context, before crier.Time) (int64, error) {
	rows, err := tx.q.QueryContext(ctx, `SELECT e.sequence, e.created_at FROM events e WHERE e.sequence > 0
		ORDER BY e.sequence LIMIT $1`, sweepBatch)
	if err != nil {
		return 0, fmt.Errorf("look for old events: %w", err)
	}
	oldest, err := collect(rows, func(row scanner) (e Event, err error) {
		return e, row.Scan(&e.Sequence, &e.CreatedAt)
	})
	if err != nil {
		return 0, fmt.Errorf("look for old events: %w", err)
	}
	var last int64
	for _, e := range oldest {
		if !e.CreatedAt.Before(before.Time) {
			break
		}
		last = e.Sequence
	}
	if last == 0 {
		return 0, nil
	}
	return tx.removeEvents(ctx, last)
}

func (tx *Tx) removeEvents(ctx context.Context, upTo int64) (int64, error) {
	res, err := tx.q.ExecContext(ctx, `DELETE FROM events WHERE sequence <= $1`, upTo)
	if err != nil {
		return 0, fmt.Errorf("sweep events: %w", err)
	}
	if _, err := tx.q.ExecContext(ctx, `UPDATE event_log SET swept = $1 WHERE id = 1`, upTo); err != nil {
		return 0, fmt.Errorf("sweep events: %w", err)
	}
	return res.RowsAffected()
}
