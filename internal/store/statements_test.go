package store

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// compilingTestConn is a connection of its own, and what it keeps.
func compilingTestConn(t *testing.T) (*sql.Conn, func(look func(c *compilingConn))) {
	t.Helper()
	db, err := openCompiled(sqliteDSN(filepath.Join(t.TempDir(), "test.db"), false))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
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

// TestRowsOfTheSameQueryAreReadBesideEachOther_sqlite reads rows of a query while others of it are open.
func TestRowsOfTheSameQueryAreReadBesideEachOther_sqlite(t *testing.T) {
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

func TestAStatementThatFailedCanBeRunAgain_sqlite(t *testing.T) {
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

func TestGeneratedStatementsDoNotFillTheMemory_sqlite(t *testing.T) {
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
