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

// SQLite writes commits to a log and moves its pages to the database at checkpoints, by default in the commit that
// makes the log long, while all writers wait. crier checkpoints concurrently instead and leaves the rest to the commit:
// only a checkpoint without concurrent writes can restart the log, so the limit bounds the log's length. A page that
// many commits write is moved once, so under constant writes the log gets longer before it is moved; when writers
// pause, a shorter one is moved too, because readers search what has not been moved. Lengths are in pages, which have a
// quarter of the usual size.
//
// Before 3.51.3 (sqlite.org/wal.html, "WAL-reset bug"), SQLite could corrupt a database that one connection checkpoints
// while another one writes; a test checks the version.
const (
	checkpointFrom      = 16_000
	checkpointPauseFrom = 4000
	checkpointLimit     = 32_000
	checkpointPeriod    = 50 * time.Millisecond
	checkpointPause     = time.Second
)

// checkpointer moves the log to the database when commits have made it long.
type checkpointer struct {
	db        *sql.DB
	log       *slog.Logger
	committed <-chan struct{}
	cancel    context.CancelFunc
	stopped   chan struct{}
}

// startCheckpoints starts a checkpointer, which outlives ctx. committed has a buffer of one signal.
func startCheckpoints(ctx context.Context, db *sql.DB, committed <-chan struct{}, log *slog.Logger) *checkpointer {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c := &checkpointer{db: db, log: log, committed: committed, cancel: cancel, stopped: make(chan struct{})}
	go c.run(ctx)
	return c
}

// stop stops the checkpointer and waits for a running checkpoint.
func (c *checkpointer) stop() {
	c.cancel()
	<-c.stopped
}

func (c *checkpointer) run(ctx context.Context) {
	defer close(c.stopped)
	var paused <-chan time.Time
	for {
		from := checkpointFrom
		select {
		case <-ctx.Done():
			return
		case <-c.committed:
			paused = time.After(checkpointPause)
		case <-paused:
			from, paused = checkpointPauseFrom, nil
		}
		if err := c.checkpoint(ctx, from); err != nil && ctx.Err() == nil {
			c.log.Warn("could not move the log into the database; a later commit tries again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(checkpointPeriod):
		}
	}
}

// checkpoint moves the log to the database if at least from pages have not been moved. It does not wait for readers or
// writers: pages in use stay.
func (c *checkpointer) checkpoint(ctx context.Context, from int) error {
	var busy, written, moved int
	err := c.db.QueryRowContext(ctx, `PRAGMA wal_checkpoint(NOOP)`).Scan(&busy, &written, &moved)
	if err != nil || written-moved < from {
		return err
	}
	_, err = c.db.ExecContext(ctx, `PRAGMA wal_checkpoint(PASSIVE)`)
	return err
}

// emptyLog moves the whole log to the database, whose file is then complete. The store must not be in use otherwise;
// the checkpointer is stopped.
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

// signalingTx is a transaction that sends a signal when it has been committed.
type signalingTx struct {
	driver.Tx
	committed chan<- struct{}
}

// Commit commits the transaction.
func (t signalingTx) Commit() error {
	if err := t.Tx.Commit(); err != nil {
		return err
	}
	select {
	case t.committed <- struct{}{}:
	default: // a signal is already pending
	}
	return nil
}
