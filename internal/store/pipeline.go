package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// pipeline is a PostgreSQL transaction that queues statements and sends them together with the next one. It begins with
// the first statement and is committed together with the last ones: a transaction of queued statements alone costs one
// round trip. If a statement fails, those after it do not run, including the commit.
type pipeline struct {
	conn  *pgx.Conn
	begun bool
	queue []queued
	touched
}

// queued is a statement of a batch, with the function that takes its result.
type queued struct {
	query string
	args  []any
	take  func(pgx.BatchResults) error
}

// enqueue queues a statement for the next batch. A wrong number of rows must fail on the server, because the commit may
// already be sent.
func (l *pipeline) enqueue(c check, query string, args []any) error {
	for i, arg := range args {
		value, ok := arg.(encoded)
		if !ok {
			continue
		}
		var err error
		if args[i], err = value.Value(); err != nil { // now: the value may change before the batch is sent
			return err
		}
	}
	if c.want >= 0 {
		query = failUnless(c.want, query)
	}
	l.queue = append(l.queue, queued{query, args, func(results pgx.BatchResults) error {
		tag, err := results.Exec()
		switch {
		case c.want < 0:
			return c.outcome(tag.RowsAffected(), err)
		case sqlState(err) == divisionByZero:
			return c.outcome(0, nil)
		}
		return c.outcome(c.want, err)
	}})
	return nil
}

// divisionByZero is the SQLSTATE with which statements of failUnless fail.
const divisionByZero = "22012"

// failUnless makes a statement fail unless it changes or finds a number of rows.
func failUnless(rows int64, query string) string {
	if !strings.HasPrefix(query, "SELECT") {
		query += " RETURNING 1"
	}
	return fmt.Sprintf("WITH done AS (%s) SELECT 1 / CASE WHEN count(*) = %d THEN 1 ELSE 0 END FROM done", query, rows)
}

// send sends the queue and more statements in one round trip.
func (l *pipeline) send(ctx context.Context, more ...queued) error {
	results, items := l.start(ctx, more)
	for _, item := range items {
		if err := item.take(results); err != nil {
			_ = results.Close() // it fails for the same reason
			return err
		}
	}
	return results.Close()
}

// start sends the queue and more statements and returns the statements whose results are to be taken.
func (l *pipeline) start(ctx context.Context, more []queued) (pgx.BatchResults, []queued) {
	items := append(l.queue, more...)
	l.queue = nil
	if !l.begun {
		items = append([]queued{{query: "begin", take: takeTag("BEGIN")}}, items...)
		l.begun = true
	}
	batch := &pgx.Batch{}
	for _, item := range items {
		l.note(item.query)
		batch.Queue(item.query, item.args...)
	}
	return l.conn.SendBatch(ctx, batch), items
}

// takeTag takes the result of a statement that must end with a tag: the commit of a failed transaction ends with
// ROLLBACK.
func takeTag(want string) func(pgx.BatchResults) error {
	return func(results pgx.BatchResults) error {
		tag, err := results.Exec()
		if err == nil && tag.String() != want {
			err = fmt.Errorf("the database says %s", tag)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", strings.ToLower(want), err)
		}
		return nil
	}
}

// commit sends the queue and ends the transaction.
func (l *pipeline) commit(ctx context.Context) error {
	if !l.begun && len(l.queue) == 0 {
		return nil
	}
	return l.send(ctx, queued{query: "commit", take: takeTag("COMMIT")})
}

// rollbackTimeout limits how long a rollback waits for the connection of a failed transaction.
const rollbackTimeout = 5 * time.Second

// rollback rolls the transaction back. If that fails, the connection is closed and the server rolls it back.
func (l *pipeline) rollback(ctx context.Context) {
	if !l.begun || l.conn.IsClosed() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
	defer cancel()
	if l.conn.PgConn().TxStatus() != 'I' {
		if _, err := l.conn.Exec(ctx, "rollback"); err == nil {
			return
		}
		_ = l.conn.Close(ctx)
	}
}

// ExecContext runs a statement after the queued ones.
func (l *pipeline) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	var changed driver.RowsAffected
	err := l.send(ctx, queued{query, args, func(results pgx.BatchResults) error {
		tag, err := results.Exec()
		changed = driver.RowsAffected(tag.RowsAffected())
		return err
	}})
	return changed, err
}

// QueryContext runs a query after the queued statements.
func (l *pipeline) QueryContext(ctx context.Context, query string, args ...any) (resultRows, error) {
	results, items := l.start(ctx, []queued{{query: query, args: args}})
	for _, item := range items[:len(items)-1] {
		if err := item.take(results); err != nil {
			_ = results.Close() // it fails for the same reason
			return nil, err
		}
	}
	found, err := results.Query()
	if err != nil {
		_ = results.Close()
		return nil, err
	}
	return &batchRows{Rows: found, batch: results}, nil
}

// QueryRowContext runs a query for one row after the queued statements.
func (l *pipeline) QueryRowContext(ctx context.Context, query string, args ...any) scanner {
	found, err := l.QueryContext(ctx, query, args...)
	return oneRow{found, err}
}

// Ask runs queries after the queued statements, in one round trip.
func (l *pipeline) Ask(ctx context.Context, questions ...question) error {
	return l.send(ctx, batchOf(questions)...)
}

// batchRows are the rows of a query in a batch; closing them closes the batch, if set.
type batchRows struct {
	pgx.Rows
	batch pgx.BatchResults
	err   error
}

// Next closes the batch after the last row, so that Err returns all errors.
func (r *batchRows) Next() bool {
	if r.Rows.Next() {
		return true
	}
	_ = r.Close()
	return false
}

// Err returns the error that ended the rows.
func (r *batchRows) Err() error {
	if err := r.Rows.Err(); err != nil {
		return err
	}
	return r.err
}

// Close closes the rows and the batch.
func (r *batchRows) Close() error {
	r.Rows.Close()
	if r.batch != nil {
		r.err, r.batch = r.batch.Close(), nil
	}
	return r.Err()
}

// oneRow is the only row of a query.
type oneRow struct {
	rows resultRows
	err  error
}

// Scan reads the row; it returns sql.ErrNoRows if there is none.
func (r oneRow) Scan(dest ...any) error {
	if r.err != nil {
		return r.err
	}
	if !r.rows.Next() {
		return errors.Join(r.rows.Close(), orNoRows(r.rows.Err()))
	}
	if err := r.rows.Scan(dest...); err != nil {
		_ = r.rows.Close()
		return err
	}
	return r.rows.Close()
}

func orNoRows(err error) error {
	if err == nil {
		return sql.ErrNoRows
	}
	return err
}
