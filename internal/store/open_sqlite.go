package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"

	"modernc.org/sqlite"
	sqlitelib "modernc.org/sqlite/lib"
)

// sqliteFile is the name of the embedded database in the data directory.
const sqliteFile = "crier.db"

func openSQLite(ctx context.Context, cfg Config) (*Store, error) {
	if err := os.MkdirAll(cfg.DataDir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	path := filepath.Join(cfg.DataDir, sqliteFile)
	commits := make(chan struct{}, 1)
	writer, err := openCompiled(sqliteDSN(path, false), commits)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	// The single writer connection, shared with the job engine, is handed out first come, first served. Two would
	// starve each other.
	writer.SetMaxOpenConns(1)
	reader, err := openCompiled(sqliteDSN(path, true), nil)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s for reading: %w", path, err), writer.Close())
	}
	readers := max(4, runtime.NumCPU())
	reader.SetMaxOpenConns(readers)
	reader.SetMaxIdleConns(readers)
	// The writer creates the file and switches it to WAL, which a read-only connection cannot do.
	if err := writer.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w%s", path, err, damageHint(err)), writer.Close(), reader.Close())
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("protect %s: %w", path, err), writer.Close(), reader.Close())
	}
	rows := direct{reader}
	return &Store{reads: reads{rows, rows, sqliteFragments}, dialect: SQLite, writer: writer, reader: reader,
		commits: commits}, nil
}

// sqlitePageSize is the page size of new SQLite databases. A commit writes every page that it touches to the log, and
// index entries are small: pages of a quarter of the usual size write less than half as much.
const sqlitePageSize = 1024

// cacheKiB returns the size of a connection's page cache. A list of a large team reads more than the default of 2 MiB.
// The writer's cache is as small as large batches allow: to balance a tree, SQLite numbers a page temporarily as one
// behind the first GiB, and the commit after that searches the whole cache for pages to drop. Below one GiB, a cache of
// 16 MiB made this an eighth of a draft's processor time.
func cacheKiB(readOnly bool) int {
	if readOnly {
		return 16 << 10
	}
	return 6 << 10
}

// damageHint says what to do about a database file that SQLite cannot read.
func damageHint(err error) string {
	lite, ok := errors.AsType[*sqlite.Error](err)
	if !ok || lite.Code() != sqlitelib.SQLITE_CORRUPT && lite.Code() != sqlitelib.SQLITE_NOTADB {
		return ""
	}
	return ": the file is damaged; keep it, and restore a backup into another directory with crier restore"
}

// sqliteDSN sets WAL with synchronous=FULL, so that an acknowledged write survives a power failure.
func sqliteDSN(path string, readOnly bool) string {
	v := url.Values{}
	v.Add("_pragma", "busy_timeout(5000)")
	if !readOnly { // applies to a new database, before its first page
		v.Add("_pragma", fmt.Sprintf("page_size(%d)", sqlitePageSize))
	}
	v.Set("_journal_mode", "WAL") // after the pragmas
	v.Add("_pragma", "synchronous(FULL)")
	v.Add("_pragma", "foreign_keys(1)")
	v.Add("_pragma", fmt.Sprintf("wal_autocheckpoint(%d)", checkpointLimit))
	v.Add("_pragma", fmt.Sprintf("cache_size(-%d)", cacheKiB(readOnly)))
	// ANALYZE reads this many rows of each index, however many there are, and takes no samples: with samples, SQLite
	// plans by the bound values and recompiles the statement for every call.
	v.Add("_pragma", "analysis_limit(1000)")
	v.Set("_time_format", "sqlite")
	v.Set("_timezone", "UTC")
	if readOnly {
		v.Add("_pragma", "query_only(1)")
	} else {
		v.Set("_txlock", "immediate")
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + v.Encode()
}
