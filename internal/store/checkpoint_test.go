package store

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"crier"
)

// checkpointTestStore returns a store with a test table.
func checkpointTestStore(t *testing.T) (*Store, string) {
	t.Helper()
	dir := t.TempDir()
	s, err := Open(t.Context(), Config{DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := s.writer.ExecContext(t.Context(),
		`CREATE TABLE rows (n integer PRIMARY KEY, word text, filling blob)`); err != nil {
		t.Fatal(err)
	}
	return s, dir
}

// fill adds a row of the given number of pages in a transaction.
func fill(t *testing.T, s *Store, pages int) {
	t.Helper()
	err := s.WithTx(t.Context(), func(tx *Tx) error {
		_, err := tx.q.ExecContext(t.Context(), `INSERT INTO rows (filling) VALUES (zeroblob($1))`, pages*sqlitePageSize)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// logOf returns how many pages are in the WAL, and how many of them have been checkpointed.
func logOf(t *testing.T, db *sql.DB) (written, moved int) {
	t.Helper()
	var busy int
	if err := db.QueryRowContext(t.Context(), `PRAGMA wal_checkpoint(NOOP)`).Scan(&busy, &written, &moved); err != nil {
		t.Fatal(err)
	}
	return written, moved
}

// TestLongWALIsCheckpointedWithoutACommit_sqlite makes the WAL long, but not so long that a commit checkpoints it.
func TestLongWALIsCheckpointedWithoutACommit_sqlite(t *testing.T) {
	t.Parallel()
	s, _ := checkpointTestStore(t)
	fill(t, s, checkpointPauseFrom/2)
	<-time.After(checkpointPause + 4*checkpointPeriod)
	if written, moved := logOf(t, s.reader); written < checkpointPauseFrom/2 || moved != 0 {
		t.Fatalf("a short log: %d pages, %d of them moved", written, moved)
	}
	stop := commitConstantly(t, s)
	fill(t, s, checkpointPauseFrom)
	<-time.After(checkpointPause + 4*checkpointPeriod)
	written, moved := logOf(t, s.reader)
	if paused := stop(); written < checkpointPauseFrom || moved != 0 && paused < checkpointPause {
		t.Fatalf("under constant writes, at most %s apart: %d pages, %d of them moved", paused, written, moved)
	}
	awaitMoved(t, s, checkpointPauseFrom)
	stop = commitConstantly(t, s)
	fill(t, s, checkpointFrom)
	awaitMoved(t, s, checkpointFrom)
	stop()
}

// commitConstantly commits small changes until stop is called, which returns the longest time between two commits.
func commitConstantly(t *testing.T, s *Store) (stop func() time.Duration) {
	t.Helper()
	end, ended := make(chan struct{}), make(chan struct{})
	var longest time.Duration
	go func() {
		defer close(ended)
		for last := time.Now(); ; last = time.Now() {
			select {
			case <-end:
				return
			case <-time.After(checkpointPause / 10):
				if err := s.WithTx(t.Context(), func(tx *Tx) error {
					_, err := tx.q.ExecContext(t.Context(), `INSERT INTO rows (n) VALUES (-1)
						ON CONFLICT (n) DO UPDATE SET word = 'changed'`)
					return err
				}); err != nil {
					t.Error(err)
					return
				}
			}
			longest = max(longest, time.Since(last))
		}
	}()
	return func() time.Duration { close(end); <-ended; return longest }
}

// awaitMoved waits until pages have been moved, too few for a commit to do it.
func awaitMoved(t *testing.T, s *Store, pages int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; <-time.After(checkpointPeriod) {
		written, moved := logOf(t, s.reader)
		switch {
		case written >= checkpointLimit:
			t.Fatalf("%d pages are in the log: a commit would have moved them", written)
		case moved >= pages:
			return
		case time.Now().After(deadline):
			t.Fatalf("%d of %d pages were moved", moved, written)
		}
	}
}

// TestWALStaysShortUnderConstantWrites_sqlite writes without a pause: only a commit can restart the WAL. A commit that
// finds a running checkpoint leaves that to a later one, so the length is bounded only without the checkpointer, whose
// speed is the machine's.
func TestWALStaysShortUnderConstantWrites_sqlite(t *testing.T) {
	s, dir := checkpointTestStore(t)
	const pages = 500
	rows := 0
	write := func() (written int) {
		fill(t, s, pages)
		rows++
		written, _ = logOf(t, s.reader)
		return written
	}
	for range 4 * checkpointLimit / pages {
		write()
	}
	for deadline := time.Now().Add(20 * time.Second); ; {
		written := write()
		if written < checkpointLimit {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("beside the checkpointer, the log has %d pages", written)
		}
	}
	s.checkpoints.stop()
	longest := 0
	for range 4 * checkpointLimit / pages {
		longest = max(longest, write())
	}
	if longest > checkpointLimit+2*pages {
		t.Errorf("without the checkpointer, the log had %d pages", longest)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(t.Context(), Config{DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	var found int
	if err := again.q.QueryRowContext(t.Context(), `SELECT count(*) FROM rows WHERE length(filling) = $1`,
		pages*sqlitePageSize).Scan(&found); err != nil || found != rows {
		t.Errorf("%d rows after the store was opened again, want %d: %v", found, rows, err)
	}
}

// TestTruncatedWALLeavesOneFile_sqlite reads the database file alone.
func TestTruncatedWALLeavesOneFile_sqlite(t *testing.T) {
	s, dir := checkpointTestStore(t)
	fill(t, s, 1)
	if err := s.emptyLog(t.Context()); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(dir, sqliteFile))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "alone.db")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	alone := compilingTestDB(t, file)
	var found int
	if err := alone.QueryRowContext(t.Context(), `SELECT count(*) FROM rows`).Scan(&found); err != nil || found != 1 {
		t.Errorf("%d rows in the file, %v", found, err)
	}
}

// TestStatisticsHaveNoSamples_sqlite proves that ANALYZE takes none: with samples, SQLite would compile statements for
// every call.
func TestStatisticsHaveNoSamples_sqlite(t *testing.T) {
	s, _ := checkpointTestStore(t)
	if _, err := s.writer.ExecContext(t.Context(), `CREATE INDEX words ON rows (word)`); err != nil {
		t.Fatal(err)
	}
	for range 50 {
		if _, err := s.writer.ExecContext(t.Context(), `INSERT INTO rows (word) VALUES ($1)`,
			crier.NewID()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.writer.ExecContext(t.Context(), `ANALYZE rows`); err != nil {
		t.Fatal(err)
	}
	for table, want := range map[string]bool{"sqlite_stat1": true, "sqlite_stat4": false} {
		var n int
		if err := s.q.QueryRowContext(t.Context(), `SELECT count(*) FROM `+table).Scan(&n); err != nil || (n > 0) != want {
			t.Errorf("%s has %d rows, %v", table, n, err)
		}
	}
}

// TestSQLiteCheckpointsDuringWrites_sqlite requires the SQLite version that fixed them.
func TestSQLiteCheckpointsDuringWrites_sqlite(t *testing.T) {
	s, _ := checkpointTestStore(t)
	var version string
	if err := s.q.QueryRowContext(t.Context(), `SELECT sqlite_version()`).Scan(&version); err != nil {
		t.Fatal(err)
	}
	var major, minor, patch int
	if _, err := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch); err != nil {
		t.Fatal(err)
	}
	if oldest := []int{3, 51, 3}; slices.Compare([]int{major, minor, patch}, oldest) < 0 {
		t.Errorf("SQLite %s may damage a database that is checkpointed beside a writer; %v is the first that does not",
			version, oldest)
	}
}

// failingTx is a transaction whose commit may fail.
type failingTx struct {
	driver.Tx
	err error
}

func (t failingTx) Commit() error { return t.err }

func TestOnlySuccessfulCommitsAreSignaled(t *testing.T) {
	t.Parallel()
	committed := make(chan struct{}, 1)
	failure := errors.New("the disk is full")
	err := signalingTx{failingTx{err: failure}, committed}.Commit()
	if !errors.Is(err, failure) || len(committed) != 0 {
		t.Errorf("a failed commit returns %v and sends %d signals", err, len(committed))
	}
	for range 2 { // the second does not wait for the first signal to be read
		if err := (signalingTx{failingTx{}, committed}).Commit(); err != nil || len(committed) != 1 {
			t.Errorf("a commit returns %v and sends %d signals", err, len(committed))
		}
	}
}
