package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	sqlite3 "modernc.org/sqlite/lib"
)

// compilingTestDB opens a database in a file.
func compilingTestDB(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := openCompiled(sqliteDSN(path, false), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// compilingTestConn returns a separate connection, and access to its cache.
func compilingTestConn(t *testing.T) (*sql.Conn, func(look func(c *compilingConn))) {
	t.Helper()
	conn, err := compilingTestDB(t, filepath.Join(t.TempDir(), "test.db")).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := conn.ExecContext(t.Context(), `CREATE TABLE rows (n integer PRIMARY KEY, word text)`); err != nil {
		t.Fatal(err)
	}
	for i, word := range []string{"one", "two", "three"} {
		if _, err := conn.ExecContext(t.Context(), `INSERT INTO rows VALUES ($1, $2)`, i+1, word); err != nil {
			t.Fatal(err)
		}
	}
	return conn, func(look func(c *compilingConn)) {
		t.Helper()
		if err := conn.Raw(func(c any) error { look(c.(*compilingConn)); return nil }); err != nil {
			t.Fatal(err)
		}
	}
}

func readWords(t *testing.T, conn *sql.Conn, query string, args ...any) (words []string, err error) {
	t.Helper()
	rows, err := conn.QueryContext(t.Context(), query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var word string
		if err := rows.Scan(&word); err != nil {
			return nil, err
		}
		words = append(words, word)
	}
	return words, rows.Err()
}

func TestStatementsAreCompiledOnce_sqlite(t *testing.T) {
	conn, inside := compilingTestConn(t)
	var first compiledStmt
	read := func(n int) (word string) {
		t.Helper()
		if err := conn.QueryRowContext(t.Context(), `SELECT word FROM rows WHERE n = $1`, n).Scan(&word); err != nil {
			t.Fatal(err)
		}
		return word
	}
	kept := func(c *compilingConn) *compiled {
		return c.byQuery[`SELECT word FROM rows WHERE n = $1`].Value.(*compiled)
	}
	if got := read(1); got != "one" {
		t.Errorf("first call: %q", got)
	}
	inside(func(c *compilingConn) { first = kept(c).stmt })
	if got := read(3); got != "three" {
		t.Errorf("second call: %q", got)
	}
	inside(func(c *compilingConn) {
		if kept(c).stmt != first {
			t.Error("the second call compiled the statement again")
		}
		if kept(c).busy {
			t.Error("the statement is still taken after its rows were closed")
		}
		if _, ok := c.byQuery[`CREATE TABLE rows (n integer PRIMARY KEY, word text)`]; ok {
			t.Error("a statement on the schema was kept")
		}
	})
}

// recompiled returns how often SQLite has recompiled a statement. The driver does not report it, so this reads its
// internals.
func recompiled(stmt compiledStmt) int64 {
	inside := reflect.ValueOf(stmt).Elem()
	status := reflect.ValueOf(sqlite3.Xsqlite3_stmt_status)
	tls := reflect.NewAt(status.Type().In(0).Elem(), inside.FieldByName("c").Elem().FieldByName("tls").UnsafePointer())
	handle := reflect.ValueOf(uintptr(inside.FieldByName("pstmt").Uint()))
	return status.Call([]reflect.Value{tls, handle, reflect.ValueOf(int32(sqlite3.SQLITE_STMTSTATUS_REPREPARE)),
		reflect.ValueOf(int32(0))})[0].Int()
}

// TestDifferentLimitsReuseTheStatement_sqlite binds limits in all ways that crier and the job engine use.
func TestDifferentLimitsReuseTheStatement_sqlite(t *testing.T) {
	for _, query := range []string{
		`SELECT word FROM rows WHERE n >= $1 ORDER BY n LIMIT $2`,
		`SELECT word FROM rows WHERE n >= ?1 ORDER BY n LIMIT ?2`,
		`SELECT word FROM rows WHERE n >= ? ORDER BY n LIMIT ?`,
		`UPDATE rows SET word = word WHERE n IN (SELECT n FROM rows WHERE n >= ?1 ORDER BY n
			limit ?2) RETURNING word`,
	} {
		conn, inside := compilingTestConn(t)
		for limit := range 3 {
			words, err := readWords(t, conn, query, 1, limit)
			if err != nil || len(words) != limit {
				t.Errorf("%s with a limit of %d: %q, %v", query, limit, words, err)
			}
		}
		inside(func(c *compilingConn) {
			if n := recompiled(c.byQuery[query].Value.(*compiled).stmt); n != 0 {
				t.Errorf("%s was compiled %d times again", query, n)
			}
		})
	}
}

// TestRowsOfTheSameQueryCanBeOpenConcurrently_sqlite reads rows of a query while others of it are open.
func TestRowsOfTheSameQueryCanBeOpenConcurrently_sqlite(t *testing.T) {
	conn, _ := compilingTestConn(t)
	const query = `SELECT n, word FROM rows WHERE n > $1 ORDER BY n`
	outer, err := conn.QueryContext(t.Context(), query, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := outer.Close(); err != nil {
			t.Error(err)
		}
	}()
	var got []string
	for outer.Next() {
		var n int
		var word, next string
		if err := outer.Scan(&n, &word); err != nil {
			t.Fatal(err)
		}
		if err := conn.QueryRowContext(t.Context(), query, n-1).Scan(&n, &next); err != nil {
			t.Fatal(err)
		}
		got = append(got, word+"="+next)
	}
	if err := outer.Err(); err != nil {
		t.Fatal(err)
	}
	if want := "two=two three=three"; strings.Join(got, " ") != want {
		t.Errorf("read %q, want %q", got, want)
	}
}

func TestStatementsFollowChangesOfTheSchema_sqlite(t *testing.T) {
	conn, _ := compilingTestConn(t)
	columns := func() []string {
		t.Helper()
		rows, err := conn.QueryContext(t.Context(), `SELECT * FROM rows WHERE n = 1`)
		if err != nil {
			t.Fatal(err)
		}
		names, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		return names
	}
	if got := columns(); len(got) != 2 {
		t.Errorf("columns: %v", got)
	}
	if _, err := conn.ExecContext(t.Context(), `ALTER TABLE rows ADD COLUMN length integer`); err != nil {
		t.Fatal(err)
	}
	if got := columns(); len(got) != 3 {
		t.Errorf("columns after the change: %v", got)
	}
}

func TestFailedStatementCanBeReused_sqlite(t *testing.T) {
	conn, _ := compilingTestConn(t)
	const insert = `INSERT INTO rows VALUES ($1, $2) RETURNING n`
	for range 3 {
		var n int
		if err := conn.QueryRowContext(t.Context(), insert, 1, "again").Scan(&n); err == nil {
			t.Error("a key was taken twice")
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := conn.QueryRowContext(ended, insert, 9, "ended").Scan(&n); err == nil {
			t.Error("a call whose context had ended was run")
		}
	}
	var n int
	if err := conn.QueryRowContext(t.Context(), insert, 4, "four").Scan(&n); err != nil || n != 4 {
		t.Errorf("insert: %d, %v", n, err)
	}
}

func TestStatementCacheIsBounded_sqlite(t *testing.T) {
	conn, inside := compilingTestConn(t)
	for i := range 2 * maxCompiled {
		var n int
		query := fmt.Sprintf(`SELECT %d + count(*) FROM rows`, i)
		if err := conn.QueryRowContext(t.Context(), query).Scan(&n); err != nil || n != i+3 {
			t.Fatalf("%s: %d, %v", query, n, err)
		}
	}
	inside(func(c *compilingConn) {
		if len(c.byQuery) != maxCompiled || c.recent.Len() != maxCompiled {
			t.Errorf("%d statements are kept, %d in order", len(c.byQuery), c.recent.Len())
		}
		if _, ok := c.byQuery[fmt.Sprintf(`SELECT %d + count(*) FROM rows`, 2*maxCompiled-1)]; !ok {
			t.Error("the last statement is not among those that are kept")
		}
	})
}

// TestInterruptedStatementCanBeReused_sqlite cancels the context of a query while SQLite runs it.
func TestInterruptedStatementCanBeReused_sqlite(t *testing.T) {
	conn, inside := compilingTestConn(t)
	// Each of the rows takes as long as it counts.
	const query = `SELECT (WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < $1 * r.n * r.n)
		SELECT max(x) FROM c) FROM rows r WHERE r.word <> $2 ORDER BY r.n`
	last := func(ctx context.Context, step int, each func()) (n int, err error) {
		rows, err := conn.QueryContext(ctx, query, step, "two")
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		for rows.Next() {
			if err := rows.Scan(&n); err != nil {
				return 0, err
			}
			each()
		}
		return n, rows.Err()
	}
	for range 3 {
		// It ends after some seconds: SQLite forgets an interrupt that comes just before it starts the query.
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		if _, err := last(ctx, 1_000_000, func() {}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a long query: %v", err)
		}
		cancel()
		ctx, cancel = context.WithCancel(t.Context())
		if _, err := last(ctx, 10, cancel); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("ended between two rows: %v", err)
		}
		cancel()
		if n, err := last(t.Context(), 10, func() {}); err != nil || n != 90 {
			t.Errorf("run again: %d, %v", n, err)
		}
		inside(func(c *compilingConn) {
			if kept, ok := c.byQuery[query]; !ok || kept.Value.(*compiled).busy {
				t.Error("the statement is not kept, or still taken")
			}
		})
	}
}

// TestCachedStatementsHoldNoArguments_sqlite writes and reads without reading to the end: the writes are committed, and
// neither the WAL nor the file is locked.
func TestCachedStatementsHoldNoArguments_sqlite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	one, other := compilingTestDB(t, path), compilingTestDB(t, path)
	one.SetMaxOpenConns(1)
	other.SetMaxOpenConns(1)
	run := func(db *sql.DB, query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	number := func(db *sql.DB, query string, args ...any) (n int) {
		t.Helper()
		if err := db.QueryRowContext(t.Context(), query, args...).Scan(&n); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return n
	}
	run(one, `CREATE TABLE rows (n integer PRIMARY KEY)`)
	for round := range 3 {
		from := 10 * round
		if n := number(one, `INSERT INTO rows (n) VALUES ($1), ($1 + 1), ($1 + 2) RETURNING n`, from); n != from {
			t.Errorf("inserted %d, want %d first", n, from)
		}
		if n := number(other, `SELECT n FROM rows ORDER BY n DESC`); n != from+2 {
			t.Errorf("another connection reads %d, want %d", n, from+2)
		}
		// The first column reports whether it was prevented from truncating the WAL.
		for _, db := range []*sql.DB{one, other} {
			var busy, log, moved int
			if err := db.QueryRowContext(t.Context(), `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &log,
				&moved); err != nil || busy != 0 || log != 0 {
				t.Errorf("checkpoint: busy %d, %d pages in the log, %v", busy, log, err)
			}
		}
		run(other, fmt.Sprintf(`ALTER TABLE rows ADD COLUMN more%d integer DEFAULT 7`, round))
		run(one, `UPDATE rows SET n = n WHERE n >= $1`, from)
		run(one, `VACUUM INTO $1`, fmt.Sprintf("%s.%d", path, round))
		run(other, `VACUUM`)
	}
	if n := number(one, `SELECT count(*) FROM rows`); n != 9 {
		t.Errorf("%d rows, want 9", n)
	}
}

// TestClosingRowsTwiceIsHarmless_sqlite closes rows again while their statement runs for another query.
func TestClosingRowsTwiceIsHarmless_sqlite(t *testing.T) {
	_, inside := compilingTestConn(t)
	inside(func(c *compilingConn) {
		query := func() driver.Rows {
			rows, err := c.QueryContext(t.Context(), `SELECT n FROM rows ORDER BY n`, nil)
			if err != nil {
				t.Fatal(err)
			}
			return rows
		}
		first := query()
		if err := first.Close(); err != nil {
			t.Error(err)
		}
		second, got := query(), make([]driver.Value, 1)
		for want := range int64(3) {
			if err := second.Next(got); err != nil || got[0] != want+1 {
				t.Errorf("read %v, %v, want %d", got[0], err, want+1)
			}
			if err := first.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := second.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestMoreOpenRowsThanCachedStatements_sqlite runs another statement while all cached ones are in use.
func TestMoreOpenRowsThanCachedStatements_sqlite(t *testing.T) {
	_, inside := compilingTestConn(t)
	inside(func(c *compilingConn) {
		var open []driver.Rows
		for i := range maxCompiled + 2 {
			rows, err := c.QueryContext(t.Context(), fmt.Sprintf(`SELECT n + %d FROM rows ORDER BY n`, i), nil)
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, rows)
		}
		for i, rows := range open {
			got := make([]driver.Value, 1)
			if err := rows.Next(got); err != nil || got[0] != int64(i+1) {
				t.Errorf("query %d: %v, %v", i, got[0], err)
			}
			if err := rows.Close(); err != nil {
				t.Error(err)
			}
		}
		if _, err := c.QueryContext(t.Context(), `SELECT 1 FROM rows WHERE n = 0`, nil); err != nil {
			t.Error(err)
		}
		if c.recent.Len() != maxCompiled {
			t.Errorf("%d statements are kept", c.recent.Len())
		}
	})
}
