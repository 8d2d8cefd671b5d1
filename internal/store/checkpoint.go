package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// SQLite writes commits to a log and moves its pages into the database at checkpoints, by default in the commit that
// makes the log long, while all writers wait. crier does it beside them, and leaves the rest to the commit: only a
// checkpoint while nobody writes can begin the log anew, so the limit bounds the log's length. All in pages, which are
// of a quarter of the usual size.
//
// Before 3.51.3 (sqlite.org/wal.html, "WAL-reset bug"), SQLite could damage a database that is checkpointed by one
// connection while another one writes; a test holds the version.
const (
	checkpointFrom   = 4000
	checkpointLimit  = 16_000
	checkpointPeriod = 50 * time.Millisecond
)

// checkpointer moves the log into the database when commits have made it long.
type checkpointer struct {
	db        *sql.DB
	log       *slog.Logger
	committed <-chan struct{}
	cancel    context.CancelFunc
	stopped   chan struct{}
}

// startCheckpoints starts a checkpointer, which outlives ctx. committed has room for one sign.
func startCheckpoints(ctx context.Context, db *sql.DB, committed <-chan struct{}, log *slog.Logger) *checkpointer {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c := &checkpointer{db: db, log: log, committed: committed, cancel: cancel, stopped: make(chan struct{})}
	go c.run(ctx)
	return c
}

// stop returns when no checkpoint runs and none will.
func (c *checkpointer) stop() {
	c.cancel()
	<-c.stopped
}

func (c *checkpointer) run(ctx context.Context) {
	defer close(c.stopped)
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.committed:
		}
		if err := c.checkpoint(ctx); err != nil && ctx.Err() == nil {
			c.log.Warn("could not move the log into the database; a later commit tries again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(checkpointPeriod):
		}
	}
}

// checkpoint moves what is in the log if that is much. It waits for nobody: what others read or write stays.
func (c *checkpointer) checkpoint(ctx context.Context) error {
	var busy, written, moved int
	err := c.db.QueryRowContext(ctx, `PRAGMA wal_checkpoint(NOOP)`).Scan(&busy, &written, &moved)
	if err != nil || written-moved < checkpointFrom {
		return err
	}
	_, err = c.db.ExecContext(ctx, `PRAGMA wal_checkpoint(PASSIVE)`)
	return err
}

// emptyLog moves all of the log into the database, which is then whole in its one file. It is for a store that nobody
// else uses; checkpoints end.
func (s *Store) emptyLog(ctx context.Context) error {
	s.checkpoints.stop()
	var busy, written, moved int
	err := s.writer.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &written, &moved)
	if err == nil && busy != 0 {
		err = errors.New("somebody else uses the database")
	}
	if err != nil {
		return fmt.Errorf("move the log into the database: %w", err)
	}
	return nil
}

// tellingTx is a transaction that gives a sign when it was committed.
type tellingTx struct {
	driver.Tx
	committed chan<- struct{}
}

// Commit commits the transaction.
func (t tellingTx) Commit() error {
	err := t.Tx.Commit()
	select {
	case t.committed <- struct{}{}:
	default: // a sign is there already
	}
	return err
}
