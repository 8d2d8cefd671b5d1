package queue

import (
	"cmp"
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivermigrate"

	"crier/internal/store"
)

func newEngine[TTx any](driver riverdriver.Driver[TTx], config *river.Config,
	join func(context.Context, *store.Tx, func(TTx) error) error) (engine, error) {
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

// joinSQLite passes the transaction itself.
func joinSQLite(_ context.Context, tx *store.Tx, fn func(*sql.Tx) error) error { return fn(tx.SQL()) }

// joinPostgres pipelines River's statements with the other statements of the transaction, without waiting for their
// results.
func joinPostgres(_ context.Context, tx *store.Tx, fn func(pgx.Tx) error) error {
	return fn(borrowed{tx})
}

// borrowed is a pgx.Tx over the caller's transaction. It can insert jobs and notify of them.
type borrowed struct{ tx *store.Tx }

var errBorrowed = errors.New("the transaction belongs to the store")

// Begin returns a part of the transaction that cannot be rolled back alone: failing to enqueue a job rolls back
// everything.
func (b borrowed) Begin(context.Context) (pgx.Tx, error) { return part{b}, nil }
func (borrowed) Commit(context.Context) error            { return errBorrowed }
func (borrowed) Rollback(context.Context) error          { return errBorrowed }
func (borrowed) Conn() *pgx.Conn                         { return nil }

func (borrowed) CopyFrom(context.Context, pgx.Identifier, []string, pgx.CopyFromSource) (int64, error) {
	return 0, errBorrowed
}

func (borrowed) SendBatch(context.Context, *pgx.Batch) pgx.BatchResults { return nil }
func (borrowed) LargeObjects() pgx.LargeObjects                         { return pgx.LargeObjects{} }

func (borrowed) Prepare(context.Context, string, string) (*pgconn.StatementDescription, error) {
	return nil, errBorrowed
}

// Exec queues a statement.
func (b borrowed) Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error) {
	return pgconn.CommandTag{}, b.tx.Queue(ctx, "enqueue", query, args...)
}

// Query queues a statement whose rows are not read.
func (b borrowed) Query(ctx context.Context, query string, args ...any) (pgx.Rows, error) {
	return noRows{}, b.tx.Queue(ctx, "enqueue", query, args...)
}

// QueryRow is not needed to insert jobs.
func (borrowed) QueryRow(context.Context, string, ...any) pgx.Row { return noRows{errBorrowed} }

// noRows is an empty result.
type noRows struct{ err error }

func (noRows) Close()                                       {}
func (r noRows) Err() error                                 { return r.err }
func (noRows) CommandTag() pgconn.CommandTag                { return pgconn.CommandTag{} }
func (noRows) FieldDescriptions() []pgconn.FieldDescription { return nil }
func (noRows) Next() bool                                   { return false }
func (r noRows) Scan(...any) error                          { return cmp.Or(r.err, pgx.ErrNoRows) }
func (noRows) Values() ([]any, error)                       { return nil, pgx.ErrNoRows }
func (noRows) RawValues() [][]byte                          { return nil }
func (noRows) Conn() *pgx.Conn                              { return nil }
func (noRows) TypeMap() *pgtype.Map                         { return nil }

// part is a nested transaction that commits or rolls back with the outer one.
type part struct{ borrowed }

// Commit leaves it to the outer transaction.
func (part) Commit(context.Context) error { return nil }

// Rollback leaves it to the outer transaction.
func (part) Rollback(context.Context) error { return nil }
