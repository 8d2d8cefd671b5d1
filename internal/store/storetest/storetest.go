// Package storetest provides tests with fresh databases of both kinds, prepared by the test package, and with fixtures.
//
// CRIER_TEST_POSTGRES_URL is the URL of a superuser. A run without it fails: a suite that skips a database passes and
// proves nothing. CRIER_TEST_SQLITE_ONLY=1 skips PostgreSQL on purpose.
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

// Environment variables of tests.
const (
	urlVariable        = "CRIER_TEST_POSTGRES_URL"
	sqliteOnlyVariable = "CRIER_TEST_SQLITE_ONLY"
)

// Database is a database that belongs to one test.
type Database struct {
	Dialect store.Dialect
	// URL is set for PostgreSQL, DataDir for SQLite.
	URL, DataDir string
}

// Config returns the configuration that opens the database.
func (d Database) Config() store.Config { return store.Config{DatabaseURL: d.URL, DataDir: d.DataDir} }

// Open opens the database and closes it when the test ends.
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

// Suite creates databases that are all prepared in the same way. Prepare runs once per kind of database; each test gets
// a copy of the result.
type Suite struct {
	// Prepare prepares an empty database; nil only migrates it.
	Prepare func(ctx context.Context, cfg store.Config) error

	sqlite, postgres template
	// shared are the databases of EachShared.
	shared [2]sharedStore
}

// sharedStore is a database that tests share.
type sharedStore struct {
	once sync.Once
	open *store.Store
	drop func() error
	err  error
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

// EachInTurn is Each for a test that takes long and mostly waits: it runs on one database after the other, in the
// test's own turn. Subtests of Each start only after all earlier tests have started, so the run would end up waiting
// for such a test.
func (s *Suite) EachInTurn(t *testing.T, test func(t *testing.T, db Database)) {
	t.Helper()
	for _, dialect := range []store.Dialect{store.SQLite, store.Postgres} {
		t.Run(string(dialect), func(t *testing.T) { test(t, s.Fresh(t, dialect)) })
	}
}

// EachStore is Each with an open store.
func (s *Suite) EachStore(t *testing.T, test func(t *testing.T, st *store.Store)) {
	t.Helper()
	s.Each(t, func(t *testing.T, db Database) {
		t.Helper()
		test(t, db.Open(t))
	})
}

// EachShared is EachFixture for tests that access only their own organization: they share one database of each kind,
// which saves creating one, and run in it concurrently. Run closes it.
func (s *Suite) EachShared(t *testing.T, test func(t *testing.T, f *Fixture)) {
	t.Helper()
	for i, dialect := range []store.Dialect{store.SQLite, store.Postgres} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			Need(t, dialect)
			test(t, newFixture(t, s.sharedStore(t, i, dialect), "owner-"+crier.Email(crier.NewID())+"@acme.example"))
		})
	}
}

func (s *Suite) sharedStore(tb testing.TB, i int, dialect store.Dialect) *store.Store {
	tb.Helper()
	shared := &s.shared[i]
	shared.once.Do(func() {
		var db Database
		if db, shared.drop, shared.err = s.Make(dialect); shared.err == nil {
			shared.open, shared.err = store.Open(context.Background(), db.Config())
		}
	})
	if shared.err != nil {
		tb.Fatal(shared.err)
	}
	return shared.open
}

// Fresh creates a database that is dropped when the test ends.
func (s *Suite) Fresh(tb testing.TB, dialect store.Dialect) Database {
	tb.Helper()
	Need(tb, dialect)
	db, drop, err := s.Make(dialect)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := drop(); err != nil {
			tb.Error(err)
		}
	})
	return db
}

// Need fails the test if a kind of database is not available, or skips it if that is requested.
func Need(tb testing.TB, dialect store.Dialect) {
	tb.Helper()
	if dialect != store.Postgres || os.Getenv(urlVariable) != "" {
		return
	}
	if os.Getenv(sqliteOnlyVariable) == "1" {
		tb.Skipf("%s is set", sqliteOnlyVariable)
	}
	tb.Fatalf("%s is not set: run this with scripts/with-postgres.sh, or set %s=1 to leave PostgreSQL out",
		urlVariable, sqliteOnlyVariable)
}

// Make creates a database for more than one test. The caller drops it.
func (s *Suite) Make(dialect store.Dialect) (db Database, drop func() error, err error) {
	if dialect == store.Postgres {
		return s.makePostgres()
	}
	return s.makeSQLite()
}

// Run runs the tests of a package and removes the templates. It is the body of TestMain.
func (s *Suite) Run(m *testing.M) int {
	code := m.Run()
	if err := s.Remove(); err != nil {
		fmt.Fprintln(os.Stderr, "storetest:", err)
		return max(code, 1)
	}
	return code
}

// Remove removes the templates and the shared databases. Run calls it; for a second suite of a package, the caller
// must.
func (s *Suite) Remove() error {
	var err error
	for i := range s.shared {
		if shared := &s.shared[i]; shared.open != nil {
			err = errors.Join(err, shared.open.Close())
		}
		if drop := s.shared[i].drop; drop != nil {
			err = errors.Join(err, drop())
		}
	}
	if s.sqlite.db.DataDir != "" {
		err = errors.Join(err, os.RemoveAll(s.sqlite.db.DataDir))
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

func (s *Suite) makeSQLite() (db Database, drop func() error, err error) {
	t := &s.sqlite
	t.once.Do(func() {
		t.db.Dialect = store.SQLite
		if t.db.DataDir, t.err = os.MkdirTemp("", "crier-test-template"); t.err == nil {
			t.err = s.prepare(t.db.Config())
		}
	})
	if t.err != nil {
		return Database{}, nil, fmt.Errorf("prepare a SQLite database: %w", t.err)
	}
	dir, err := os.MkdirTemp("", "crier-test-data")
	if err != nil {
		return Database{}, nil, err
	}
	db = Database{Dialect: store.SQLite, DataDir: filepath.Join(dir, "crier-data")}
	if err := os.CopyFS(db.DataDir, os.DirFS(t.db.DataDir)); err != nil {
		return Database{}, nil, errors.Join(fmt.Errorf("copy the prepared SQLite database: %w", err), os.RemoveAll(dir))
	}
	return db, func() error { return os.RemoveAll(dir) }, nil
}

func (s *Suite) makePostgres() (db Database, drop func() error, err error) {
	t := &s.postgres
	t.once.Do(func() {
		t.db.Dialect = store.Postgres
		if t.db.URL, t.err = createDatabase(""); t.err == nil {
			t.err = s.prepare(t.db.Config())
		}
	})
	if t.err != nil {
		return Database{}, nil, fmt.Errorf("prepare a PostgreSQL database: %w", t.err)
	}
	options, err := copying(databaseName(t.db.URL))
	if err != nil {
		return Database{}, nil, err
	}
	address, err := createDatabase(options)
	if err != nil {
		return Database{}, nil, err
	}
	return Database{Dialect: store.Postgres, URL: address}, func() error {
		return administer(`DROP DATABASE IF EXISTS ` + databaseName(address) + ` WITH (FORCE)`)
	}, nil
}

// createDatabase creates a database with a new name and returns its URL.
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

// administrator is the superuser's store. It stays open, because databases are created and dropped all the time.
var administrator = sync.OnceValues(func() (*store.Store, error) {
	admin, err := store.Open(context.Background(), store.Config{DatabaseURL: os.Getenv(urlVariable), MaxConnections: 2})
	if err != nil {
		return nil, fmt.Errorf("reach PostgreSQL through %s: %w", urlVariable, err)
	}
	return admin, nil
})

// administer runs one statement as the superuser.
func administer(statement string) error {
	admin, err := administrator()
	if err != nil {
		return err
	}
	if _, err = admin.Writer().ExecContext(context.Background(), statement); err != nil {
		return fmt.Errorf("%.60s: %w", statement, err)
	}
	return nil
}

// copying returns the options of a database that is a copy of another. Since version 15, PostgreSQL logs every page of
// a copy, which takes twice as long as copying the files.
func copying(name string) (string, error) {
	admin, err := administrator()
	if err != nil {
		return "", err
	}
	var hasStrategies bool
	err = admin.Writer().QueryRowContext(context.Background(),
		`SELECT current_setting('server_version_num')::int >= 150000`).Scan(&hasStrategies)
	if err != nil {
		return "", fmt.Errorf("ask PostgreSQL for its version: %w", err)
	}
	options := " TEMPLATE " + name
	if hasStrategies {
		options += " STRATEGY file_copy"
	}
	return options, nil
}
