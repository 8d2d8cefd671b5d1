// Package storetest gives tests fresh databases of both kinds. It is for tests only and makes no claims about what is
// in the databases: who uses it says how they are prepared.
//
// PostgreSQL is found through CRIER_TEST_POSTGRES_URL, the address of a superuser. A run that misses it fails: a suite
// that skips a database looks green and proves nothing. CRIER_TEST_SQLITE_ONLY=1 skips PostgreSQL on purpose.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"crier"
	"crier/internal/store"
)

// The environment that tests read.
const (
	urlVariable        = "CRIER_TEST_POSTGRES_URL"
	sqliteOnlyVariable = "CRIER_TEST_SQLITE_ONLY"
)

// Database is a database that belongs to one test.
type Database struct {
	Dialect store.Dialect
	// URL is the address of a PostgreSQL database; DataDir is the directory of a SQLite one. The other is empty.
	URL, DataDir string
}

// Config opens the database.
func (d Database) Config() store.Config { return store.Config{DatabaseURL: d.URL, DataDir: d.DataDir} }

// Open opens the database until the test ends.
func (d Database) Open(tb testing.TB) *store.Store {
	tb.Helper()
	s, err := store.Open(context.Background(), d.Config())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// Suite makes databases that were all prepared in the same way. The preparation runs once per kind of database; each
// test gets a copy of the result.
type Suite struct {
	// Prepare fills a new database; nil migrates it and nothing else.
	Prepare func(ctx context.Context, cfg store.Config) error

	sqlite, postgres template
}

// template is a prepared database to copy.
type template struct {
	once sync.Once
	db   Database
	err  error
}

// Each runs a test on a fresh database of each kind, as the parallel subtests sqlite and postgres.
func (s *Suite) Each(t *testing.T, test func(t *testing.T, db Database)) {
	t.Helper()
	for _, dialect := range []store.Dialect{store.SQLite, store.Postgres} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			test(t, s.Fresh(t, dialect))
		})
	}
}

// EachStore is Each with the database opened.
func (s *Suite) EachStore(t *testing.T, test func(t *testing.T, st *store.Store)) {
	t.Helper()
	s.Each(t, func(t *testing.T, db Database) {
		t.Helper()
		test(t, db.Open(t))
	})
}

// Fresh makes a database that lives as long as the test.
func (s *Suite) Fresh(tb testing.TB, dialect store.Dialect) Database {
	tb.Helper()
	if dialect == store.Postgres {
		return s.freshPostgres(tb)
	}
	return s.freshSQLite(tb)
}

// Run runs the tests of a package and removes what the suite has made. It is the body of TestMain.
func (s *Suite) Run(m *testing.M) int {
	code := m.Run()
	if err := s.Remove(); err != nil {
		fmt.Fprintln(os.Stderr, "storetest:", err)
		return max(code, 1)
	}
	return code
}

// Remove removes what the suite has made. Run does it; a second suite of a package needs it.
func (s *Suite) Remove() error {
	var err error
	if s.sqlite.db.DataDir != "" {
		err = os.RemoveAll(s.sqlite.db.DataDir)
	}
	if s.postgres.db.URL != "" {
		err = errors.Join(err, administer(`DROP DATABASE IF EXISTS `+databaseName(s.postgres.db.URL)+` WITH (FORCE)`))
	}
	return err
}

func (s *Suite) prepare(cfg store.Config) error {
	ctx := context.Background()
	if s.Prepare != nil {
		return s.Prepare(ctx, cfg)
	}
	st, err := store.Open(ctx, cfg)
	if err != nil {
		return err
	}
	_, err = st.Migrate(ctx)
	return errors.Join(err, st.Close())
}

func (s *Suite) freshSQLite(tb testing.TB) Database {
	tb.Helper()
	t := &s.sqlite
	t.once.Do(func() {
		t.db.Dialect = store.SQLite
		if t.db.DataDir, t.err = os.MkdirTemp("", "crier-test-template"); t.err == nil { //nolint:usetesting // shared by all tests of the process
			t.err = s.prepare(t.db.Config())
		}
	})
	if t.err != nil {
		tb.Fatalf("prepare a SQLite database: %v", t.err)
	}
	db := Database{Dialect: store.SQLite, DataDir: filepath.Join(tb.TempDir(), "crier-data")}
	if err := os.CopyFS(db.DataDir, os.DirFS(t.db.DataDir)); err != nil {
		tb.Fatalf("copy the prepared SQLite database: %v", err)
	}
	return db
}

func (s *Suite) freshPostgres(tb testing.TB) Database {
	tb.Helper()
	if os.Getenv(urlVariable) == "" {
		if os.Getenv(sqliteOnlyVariable) == "1" {
			tb.Skipf("%s is set", sqliteOnlyVariable)
		}
		tb.Fatalf("%s is not set: run this with scripts/with-postgres.sh, or set %s=1 to leave PostgreSQL out", urlVariable, sqliteOnlyVariable)
	}
	t := &s.postgres
	t.once.Do(func() {
		t.db.Dialect = store.Postgres
		if t.db.URL, t.err = createDatabase(""); t.err == nil {
			t.err = s.prepare(t.db.Config())
		}
	})
	if t.err != nil {
		tb.Fatalf("prepare a PostgreSQL database: %v", t.err)
	}
	address, err := createDatabase(" TEMPLATE " + databaseName(t.db.URL))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := administer(`DROP DATABASE IF EXISTS ` + databaseName(address) + ` WITH (FORCE)`); err != nil {
			tb.Error(err)
		}
	})
	return Database{Dialect: store.Postgres, URL: address}
}

// createDatabase makes a database with a new name and returns its address.
func createDatabase(options string) (string, error) {
	name := "crier_test_" + strings.ReplaceAll(string(crier.NewID()), "-", "")
	if err := administer(`CREATE DATABASE ` + name + options); err != nil {
		return "", err
	}
	address, err := url.Parse(os.Getenv(urlVariable))
	if err != nil {
		return "", fmt.Errorf("%s is not an address: %w", urlVariable, err)
	}
	address.Path = "/" + name
	return address.String(), nil
}

func databaseName(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(u.Path, "/")
}

// administer runs one statement as the superuser.
func administer(statement string) error {
	ctx := context.Background()
	admin, err := store.Open(ctx, store.Config{DatabaseURL: os.Getenv(urlVariable), MaxConnections: 1})
	if err != nil {
		return fmt.Errorf("reach PostgreSQL through %s: %w", urlVariable, err)
	}
	if _, err = admin.Writer().ExecContext(ctx, statement); err != nil {
		err = fmt.Errorf("%.60s: %w", statement, err)
	}
	return errors.Join(err, admin.Close())
}
