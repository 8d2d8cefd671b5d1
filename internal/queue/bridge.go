package queue

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivermigrate"

	"crier/internal/store"
)

func newEngine[TTx any](driver riverdriver.Driver[TTx], config *river.Config, join func(context.Context, *store.Tx, func(TTx) error) error) (engine, error) {
	client, err := river.NewClient(driver, config)
	if err != nil {
		return nil, err
	}
	migrator, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: config.Logger})
	if err != nil {
		return nil, err
	}
	return &riverEngine[TTx]{client: client, migrator: migrator, join: join}, nil
}

// joinSQLite hands over the transaction itself.
func joinSQLite(_ context.Context, tx *store.Tx, fn func(*sql.Tx) error) error { return fn(tx.SQL()) }

// joinPostgres lends River the connection of a database/sql transaction as a pgx one. database/sql stays the owner: it
// commits and rolls back.
func joinPostgres(ctx context.Context, tx *store.Tx, fn func(pgx.Tx) error) error {
	return tx.Lend(ctx, func(conn *pgx.Conn) error { return fn(borrowed{conn}) })
}

// borrowed is a pgx.Tx over a connection whose transaction belongs to someone else.
type borrowed struct{ conn *pgx.Conn }

var errBorrowed = errors.New("the transaction belongs to database/sql")

// Begin is a part of the transaction that cannot be undone alone: whoever cannot enqueue a job undoes everything.
func (b borrowed) Begin(context.Context) (pgx.Tx, error) { return part{b}, nil }
func (borrowed) Commit(context.Context) error            { return errBorrowed }
func (borrowed) Rollback(context.Context) error          { return errBorrowed }
func (b borrowed) Conn() *pgx.Conn                       { return b.conn }

func (b borrowed) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (int64, error) {
	return b.conn.CopyFrom(ctx, table, columns, rows)
}

func (b borrowed) SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults {
	return b.conn.SendBatch(ctx, batch)
}

func (borrowed) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }

func (b borrowed) Prepare(ctx context.Context, name, query string) (*pgconn.StatementDescription, error) {
	return b.conn.Prepare(ctx, name, query)
}

func (b borrowed) Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error) {
	return b.conn.Exec(ctx, query, args...)
}

func (b borrowed) Query(ctx context.Context, query string, args ...any) (pgx.Rows, error) {
	return b.conn.Query(ctx, query, args...)
}

func (b borrowed) QueryRow(ctx context.Context, query string, args ...any) pgx.Row {
	return b.conn.QueryRow(ctx, query, args...)
}

// part is a part of a borrowed transaction, which stands or falls with the whole.
type part struct{ borrowed }

// Commit leaves it to the whole.
func (part) Commit(context.Context) error { return nil }

// Rollback leaves it to the whole.
func (part) Rollback(context.Context) error { return nil }
