package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// Tx is one transaction. Inside it nothing else may touch the store: on SQLite the pool would wait for itself.
type Tx struct {
	reads
	tx   *sql.Tx
	late *lateStatements // PostgreSQL only
}

// maxTxAttempts bounds how often a transaction is begun anew after a deadlock.
const maxTxAttempts = 5

// WithTx runs fn in a transaction and commits it when fn returns nil. fn may run more than once (PostgreSQL may end a
// transaction to resolve a deadlock), so it must touch nothing but tx and its own results.
func (s *Store) WithTx(ctx context.Context, fn func(tx *Tx) error) error {
	for attempt := 1; ; attempt++ {
		err := s.oneTx(ctx, fn)
		if err == nil || attempt == maxTxAttempts || !isDeadlock(err) {
			return err
		}
	}
}

func (s *Store) oneTx(ctx context.Context, fn func(tx *Tx) error) (err error) {
	conn, err := s.writer.Conn(ctx)
	if err != nil {
		return fmt.Errorf("get a connection: %w", err)
	}
	defer func() { err = errors.Join(err, ignoreDone(conn.Close())) }()
	sqlTx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() {
		if p := recover(); p != nil {
			_ = sqlTx.Rollback()
			panic(p)
		}
	}()
	tx := s.newTx(sqlTx, conn)
	if err := tx.run(ctx, fn); err != nil {
		return errors.Join(err, ignoreDone(sqlTx.Rollback()))
	}
	if err := sqlTx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

func (s *Store) newTx(sqlTx *sql.Tx, conn *sql.Conn) *Tx {
	if s.dialect == SQLite {
		return &Tx{reads: reads{direct{sqlTx}, direct{sqlTx}, s.fragments}, tx: sqlTx}
	}
	late := &lateStatements{tx: sqlTx, conn: conn}
	return &Tx{reads: reads{late, late, s.fragments}, tx: sqlTx, late: late}
}

func (tx *Tx) run(ctx context.Context, fn func(tx *Tx) error) error {
	if err := fn(tx); err != nil {
		return err
	}
	return tx.flush(ctx)
}

// flush runs what was kept for later.
func (tx *Tx) flush(ctx context.Context) error {
	if tx.late == nil {
		return nil
	}
	return tx.late.flush(ctx)
}

// ignoreDone hides the complaint about a transaction or connection that is over already, because its context ended.
func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, driver.ErrBadConn) {
		return nil
	}
	return err
}

// SQL is the transaction itself, for the job engine on SQLite.
func (tx *Tx) SQL() *sql.Tx { return tx.tx }

// Lend lends the connection of this transaction to fn, for the job engine on PostgreSQL.
func (tx *Tx) Lend(ctx context.Context, fn func(conn *pgx.Conn) error) error {
	if err := tx.flush(ctx); err != nil {
		return err
	}
	return lend(tx.late.conn, fn)
}

// later runs a statement whose result nobody waits for: at once on SQLite; on PostgreSQL together with the next statement, or
// with the end of the transaction, so that it costs no round trip. check judges how many rows it changed.
func (tx *Tx) later(ctx context.Context, check func(rows int64, err error) error, query string, args ...any) error {
	if tx.late != nil {
		tx.late.queue = append(tx.late.queue, lateStatement{query, args, check})
		return nil
	}
	res, err := tx.q.ExecContext(ctx, query, args...)
	if err != nil {
		return check(0, err)
	}
	return check(res.RowsAffected())
}

// LockWait is how long a transaction waits for a row that another has locked.
type LockWait string

const (
	// Patient waits until the other one ends, or is ended by the server.
	Patient LockWait = "0"
	// Impatient fails when a row is not free soon, for transactions that others wait for.
	Impatient LockWait = "200ms"
)

// waitForLocks bounds the waits of the transaction. SQLite, with one writer at a time, has none.
func (tx *Tx) waitForLocks(ctx context.Context, wait LockWait) error {
	if tx.late == nil || wait == Patient {
		return nil
	}
	return tx.later(ctx, changed("bound the waits for locks"), `SELECT set_config('lock_timeout', $1, true)`, string(wait))
}

// lateStatements is a transaction of PostgreSQL that keeps statements back until others follow.
type lateStatements struct {
	tx    *sql.Tx
	conn  *sql.Conn
	queue []lateStatement
}

type lateStatement struct {
	query string
	args  []any
	check func(rows int64, err error) error
}

// flush sends what was kept back, in its order and in one round trip.
func (l *lateStatements) flush(ctx context.Context) error {
	if len(l.queue) == 0 {
		return nil
	}
	queue := l.queue
	l.queue = nil
	return lend(l.conn, func(conn *pgx.Conn) error {
		batch := &pgx.Batch{}
		for _, s := range queue {
			batch.Queue(s.query, s.args...)
		}
		results := conn.SendBatch(ctx, batch)
		for _, s := range queue {
			tag, err := results.Exec()
			if err := s.check(tag.RowsAffected(), err); err != nil {
				return errors.Join(err, results.Close())
			}
		}
		return results.Close()
	})
}

// ExecContext changes rows, after what was kept back.
func (l *lateStatements) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if len(l.queue) == 0 {
		return l.tx.ExecContext(ctx, query, args...)
	}
	var changed driver.RowsAffected
	l.queue = append(l.queue, lateStatement{query, args, func(rows int64, err error) error {
		changed = driver.RowsAffected(rows)
		return err
	}})
	err := l.flush(ctx)
	return changed, err
}

// QueryContext reads rows, after what was kept back.
func (l *lateStatements) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := l.flush(ctx); err != nil {
		return nil, err
	}
	return l.tx.QueryContext(ctx, query, args...)
}

// QueryRowContext reads one row, after what was kept back.
func (l *lateStatements) QueryRowContext(ctx context.Context, query string, args ...any) scanner {
	if err := l.flush(ctx); err != nil {
		return failedRow{err}
	}
	return l.tx.QueryRowContext(ctx, query, args...)
}

// failedRow is a row that could not be read.
type failedRow struct{ err error }

func (r failedRow) Scan(...any) error { return r.err }

// lend lends the driver's connection behind a connection of the pool.
func lend(conn *sql.Conn, fn func(conn *pgx.Conn) error) error {
	return conn.Raw(func(driverConn any) error {
		own, ok := driverConn.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("the transaction's connection is a %T, not pgx", driverConn)
		}
		return fn(own.Conn())
	})
}
