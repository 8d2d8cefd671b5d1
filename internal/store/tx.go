package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"crier"
)

// Tx is a transaction. Nothing else may use the store inside it: on SQLite the pool would wait for itself.
type Tx struct {
	reads
	tx   *sql.Tx   // SQLite only
	pipe *pipeline // PostgreSQL only
	// newPosts were inserted by this transaction: only its own rows refer to them.
	newPosts map[crier.ID]bool
	// events are written when the transaction ends.
	events []NewEvent
	// credits are changes of available credits, which may cause events.
	credits map[crier.ID]creditChange
	// creditsLow is the threshold of available credits; see Config.
	creditsLow int64
	// wroteEvents is true if there are events to sequence.
	wroteEvents bool
	// crowded are teams whose changes may have to be merged.
	crowded []crier.ID
	// touched is what the transaction may have changed, for caches to drop after the commit.
	touched *touched
	// afterCommit are called after the commit.
	afterCommit []func()
}

// maxTxAttempts limits how often a transaction is attempted if it deadlocks.
const maxTxAttempts = 5

// WithTx runs fn in a transaction and commits it if fn returns nil. fn may run more than once, because PostgreSQL may
// abort a transaction to resolve a deadlock, so it must change nothing but tx and its own results.
func (s *Store) WithTx(ctx context.Context, fn func(tx *Tx) error) error {
	for attempt := 1; ; attempt++ {
		err := s.oneTx(ctx, fn)
		if err == nil || attempt == maxTxAttempts || !isDeadlock(err) {
			return err
		}
	}
}

func (s *Store) oneTx(ctx context.Context, fn func(tx *Tx) error) (err error) {
	if s.dialect == SQLite {
		return s.sqliteTx(ctx, fn)
	}
	conn, err := s.writer.Conn(ctx)
	if err != nil {
		return fmt.Errorf("get a connection: %w", err)
	}
	defer func() { err = errors.Join(err, ignoreDone(conn.Close())) }()
	return lend(conn, func(conn *pgx.Conn) error { return s.postgresTx(ctx, conn, fn) })
}

func (s *Store) sqliteTx(ctx context.Context, fn func(tx *Tx) error) error {
	sqlTx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() {
		if p := recover(); p != nil {
			_ = sqlTx.Rollback()
			panic(p)
		}
	}()
	q := watched{direct{sqlTx}, &touched{}}
	tx := &Tx{reads: reads{q, q, s.fragments}, tx: sqlTx, creditsLow: s.creditsLow, touched: q.touched}
	if err := tx.run(ctx, fn); err != nil {
		return errors.Join(err, ignoreDone(sqlTx.Rollback()))
	}
	if err := sqlTx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	s.committed(tx)
	return nil
}

// postgresTx sends the start of the transaction with its first statement and the end with its last ones.
func (s *Store) postgresTx(ctx context.Context, conn *pgx.Conn, fn func(tx *Tx) error) error {
	pipe := &pipeline{conn: conn}
	tx := &Tx{reads: reads{pipe, pipe, s.fragments}, pipe: pipe, creditsLow: s.creditsLow,
		touched: &pipe.touched}
	err := tx.run(ctx, fn)
	if err == nil {
		err = pipe.commit(ctx)
	}
	if err != nil {
		pipe.rollback(ctx)
		return err
	}
	s.committed(tx)
	return nil
}

func (tx *Tx) run(ctx context.Context, fn func(tx *Tx) error) error {
	if err := fn(tx); err != nil {
		return err
	}
	return tx.writeEvents(ctx)
}

// AfterCommit calls fn once the transaction is committed, before WithTx returns. fn must not wait for anything.
func (tx *Tx) AfterCommit(fn func()) { tx.afterCommit = append(tx.afterCommit, fn) }

// committed sends the signals that a committed transaction causes.
func (s *Store) committed(tx *Tx) {
	if tx.touched.credentials {
		s.credentialChanges.Add(1)
	}
	if tx.wroteEvents {
		s.tellOfEvents()
	}
	s.tellOfCrowded(tx.crowded)
	for _, fn := range tx.afterCommit {
		fn()
	}
}

// ignoreDone drops errors about a transaction or connection that ended with its context.
func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, driver.ErrBadConn) {
		return nil
	}
	return err
}

// SQL returns the underlying transaction, for the job engine on SQLite.
func (tx *Tx) SQL() *sql.Tx { return tx.tx }

// QueryRow runs a query of a test that has its own tables.
func (tx *Tx) QueryRow(ctx context.Context, query string, args ...any) interface{ Scan(dest ...any) error } {
	return tx.q.QueryRowContext(ctx, query, args...)
}

// Queue runs a statement of the job engine on PostgreSQL, together with the next statement or the end of the
// transaction.
func (tx *Tx) Queue(ctx context.Context, doing, query string, args ...any) error {
	return tx.queueExec(ctx, changed(doing), query, args...)
}

// check checks the result of a queued statement.
type check struct {
	// want is how many rows the statement must change or find; negative means any number.
	want int64
	// outcome is called with the number of rows.
	outcome func(rows int64, err error) error
}

// queueExec runs a statement whose result is not needed at once: immediately on SQLite; on PostgreSQL together with the
// next statement or the end of the transaction, so that it costs no round trip.
func (tx *Tx) queueExec(ctx context.Context, c check, query string, args ...any) error {
	if tx.pipe != nil {
		return tx.pipe.enqueue(c, query, args)
	}
	res, err := tx.q.ExecContext(ctx, query, args...)
	if err != nil {
		return c.outcome(0, err)
	}
	rows, err := res.RowsAffected()
	return c.outcome(rows, err)
}

// LockWait is how long a transaction waits for a row lock.
type LockWait string

const (
	// Patient waits until the other transaction ends or is aborted by the server.
	Patient LockWait = "0"
	// Impatient fails if a row is not free soon. It is for transactions that others wait for.
	Impatient LockWait = "200ms"
)

// waitForLocks limits the lock waits of the transaction. SQLite, with a single writer, has none.
func (tx *Tx) waitForLocks(ctx context.Context, wait LockWait) error {
	if tx.pipe == nil || wait == Patient {
		return nil
	}
	return tx.queueExec(ctx, changed("bound the waits for locks"), `SELECT set_config('lock_timeout', $1, true)`,
		string(wait))
}

// lend calls fn with the driver's connection behind a connection of the pool.
func lend(conn *sql.Conn, fn func(conn *pgx.Conn) error) error {
	return conn.Raw(func(driverConn any) error {
		own, ok := driverConn.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("the transaction's connection is a %T, not pgx", driverConn)
		}
		return fn(own.Conn())
	})
}
