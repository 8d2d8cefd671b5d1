package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"
)

// question is a query that does not depend on others in its batch, with the function that reads its rows.
type question struct {
	query string
	args  []any
	read  func(scanner) error // called for every row
	// skip, if set, reports whether the answers of the previous questions make this one unnecessary. It is not called
	// if all questions are sent at once.
	skip func() bool
}

func newQuestion(query string, args []any, read func(scanner) error) question {
	return question{query: query, args: args, read: read}
}

// unless returns the question with skip set.
func (q question) unless(skip func() bool) question {
	q.skip = skip
	return q
}

// askEach asks one question after the other: on SQLite, a query is a function call.
func askEach(ctx context.Context, q queryer, questions []question) error {
	for _, a := range questions {
		if a.skip != nil && a.skip() {
			continue
		}
		found, err := q.QueryContext(ctx, a.query, a.args...)
		if err == nil {
			err = readAll(found, a.read)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// askNeeded asks those of several questions that are not skipped, if what decides that is already known.
func (r reads) askNeeded(ctx context.Context, questions []question) error {
	needed := slices.DeleteFunc(questions, func(q question) bool { return q.skip != nil && q.skip() })
	if len(needed) == 0 {
		return nil
	}
	return r.q.Ask(ctx, needed...)
}

// readAll calls read for every row and closes the rows.
func readAll(found resultRows, read func(scanner) error) error {
	for found.Next() {
		if err := read(found); err != nil {
			return errors.Join(err, found.Close())
		}
	}
	return errors.Join(found.Err(), found.Close())
}

// batchOf returns questions as statements of a batch.
func batchOf(questions []question) []queued {
	items := make([]queued, len(questions))
	for i, a := range questions {
		items[i] = queued{a.query, a.args, func(results pgx.BatchResults) error {
			found, err := results.Query()
			if err != nil {
				return err
			}
			return readAll(&batchRows{Rows: found}, a.read)
		}}
	}
	return items
}

// postgresPool is a pool of PostgreSQL connections.
type postgresPool struct {
	direct
	db *sql.DB
}

func pooled(db *sql.DB) postgresPool { return postgresPool{direct{db}, db} }

// maxAsks is how often questions are asked if their connection turns out to be closed.
const maxAsks = 3

// Ask runs queries in one round trip. A pool has connections that were closed since they were last used, by a server
// that was restarted, say; if nothing was read from one, another is used.
func (p postgresPool) Ask(ctx context.Context, questions ...question) error {
	answered := false
	questions = slices.Clone(questions)
	for i, q := range questions {
		questions[i].read = func(row scanner) error {
			answered = true
			return q.read(row)
		}
	}
	for attempt := 1; ; attempt++ {
		closed, err := p.askOnce(ctx, questions)
		if err == nil || !closed || answered || attempt == maxAsks || ctx.Err() != nil {
			return err
		}
	}
}

func (p postgresPool) askOnce(ctx context.Context, questions []question) (closed bool, err error) {
	if len(questions) == 1 {
		err := askEach(ctx, p.direct, questions)
		return connectionLost(err), err
	}
	conn, err := p.db.Conn(ctx)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, ignoreDone(conn.Close())) }()
	err = lend(conn, func(conn *pgx.Conn) error {
		read := &pipeline{conn: conn, begun: true} // reads need no transaction
		err := read.send(ctx, batchOf(questions)...)
		closed = conn.IsClosed()
		return err
	})
	return closed, err
}
