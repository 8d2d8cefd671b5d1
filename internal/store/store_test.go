package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

var (
	databases = &storetest.Suite{}
	// empty are databases without a schema.
	empty = &storetest.Suite{Prepare: func(context.Context, store.Config) error { return nil }}
)

func TestMain(m *testing.M) {
	code := databases.Run(m)
	if err := empty.Remove(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

func now() crier.Time { return crier.TimeOf(time.Now()) }

// kindOf returns the kind of a crier error, empty for others.
func kindOf(err error) crier.Kind {
	if told, ok := errors.AsType[*crier.Error](err); ok {
		return told.Kind
	}
	return ""
}

// users counts the rows that the tests of transactions write.
func users(tb testing.TB, s *store.Store) int {
	tb.Helper()
	var n int
	if err := s.Reader().QueryRowContext(context.Background(), `SELECT count(*) FROM users`).Scan(&n); err != nil {
		tb.Fatal(err)
	}
	return n
}

func insertUser(ctx context.Context, tx *store.Tx) error {
	return tx.InsertUser(ctx, crier.User{ID: crier.NewID(), Name: "User"}, now())
}

var errUndo = errors.New("undo")

func TestTransactionIsAtomic(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		two := func(end func() error) error {
			return s.WithTx(ctx, func(tx *store.Tx) error {
				if err := errors.Join(insertUser(ctx, tx), insertUser(ctx, tx)); err != nil {
					return err
				}
				return end()
			})
		}
		if err := two(func() error { return errUndo }); !errors.Is(err, errUndo) || users(t, s) != 0 {
			t.Errorf("an error: %v, %d rows", err, users(t, s))
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic was swallowed")
				}
			}()
			_ = two(func() error { panic("in the transaction") })
		}()
		if n := users(t, s); n != 0 {
			t.Errorf("a panic left %d rows", n)
		}
		cancelled, cancel := context.WithCancel(ctx)
		err := s.WithTx(cancelled, func(tx *store.Tx) error {
			if err := insertUser(cancelled, tx); err != nil {
				return err
			}
			cancel()
			return insertUser(cancelled, tx)
		})
		if !errors.Is(err, context.Canceled) || users(t, s) != 0 {
			t.Errorf("a caller that went away: %v, %d rows", err, users(t, s))
		}
		if err := two(func() error { return nil }); err != nil || users(t, s) != 2 {
			t.Errorf("a success: %v, %d rows", err, users(t, s))
		}
		if in := s.Writer().Stats().InUse; in != 0 {
			t.Errorf("%d connections were not given back", in)
		}
	})
}

func TestTransactionsAtOnceAreIsolated(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		o := crier.Organization{ID: crier.NewID(), Name: "Acme", SubscriptionStatus: "none", SubscriptionPlan: "free",
			SubscriptionStartedAt: now(), CreatedAt: now(), UpdatedAt: now()}
		if err := s.WithTx(ctx, func(tx *store.Tx) error {
			return tx.InsertOrganization(ctx,
				store.Organization{Organization: o})
		}); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				err := s.WithTx(ctx, func(tx *store.Tx) error {
					return tx.AddCredits(ctx, store.Booking{OrganizationID: o.ID,
						CreditTransaction: crier.CreditTransaction{ID: crier.NewID(), Kind: "grant", Amount: 7,
							CreatedAt: now()}})
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		got, err := s.Organization(ctx, o.ID)
		if err != nil || got.CreditsBalance != 350 {
			t.Errorf("the balance is %d, want 350, %v", got.CreditsBalance, err)
		}
	})
}

// Two transactions that lock two rows in opposite order cannot both continue: one is restarted and succeeds.
func TestDeadlockIsRetried_postgres(t *testing.T) {
	t.Parallel()
	s := databases.Fresh(t, store.Postgres).Open(t)
	ctx := context.Background()
	var ids []crier.ID
	for range 2 {
		o := crier.Organization{ID: crier.NewID(), Name: "Acme", SubscriptionStatus: "none", SubscriptionPlan: "free",
			SubscriptionStartedAt: now(), CreatedAt: now(), UpdatedAt: now()}
		if err := s.WithTx(ctx, func(tx *store.Tx) error {
			return tx.InsertOrganization(ctx,
				store.Organization{Organization: o})
		}); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, o.ID)
	}
	var all, bothHoldOne sync.WaitGroup
	bothHoldOne.Add(2)
	for i := range 2 {
		once := sync.OnceFunc(func() {
			bothHoldOne.Done()
			bothHoldOne.Wait()
		})
		all.Go(func() {
			err := s.WithTx(ctx, func(tx *store.Tx) error {
				if _, err := tx.LockOrganization(ctx, ids[i]); err != nil {
					return err
				}
				once()
				_, err := tx.LockOrganization(ctx, ids[1-i])
				return err
			})
			if err != nil {
				t.Errorf("transaction %d: %v", i, err)
			}
		})
	}
	all.Wait()
}

func TestAcknowledgedWriteIsOnTheDisk_sqlite(t *testing.T) {
	t.Parallel()
	s := databases.Fresh(t, store.SQLite).Open(t)
	ctx := context.Background()
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1",
		"busy_timeout": "5000", "query_only": "0"} {
		var got string
		if err := s.Writer().QueryRowContext(ctx, `PRAGMA `+pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s of the writer is %q, want %q, %v", pragma, got, want, err)
		}
	}
	if most := s.Writer().Stats().MaxOpenConnections; most != 1 {
		t.Errorf("there may be %d writers, want 1", most)
	}
	if _, err := s.Reader().ExecContext(ctx, `DELETE FROM users`); err == nil {
		t.Error("a reader can write")
	}
}

func TestReadersDoNotSeeUncommittedChanges(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		err := s.WithTx(ctx, func(tx *store.Tx) error {
			if err := insertUser(ctx, tx); err != nil {
				return err
			}
			if n := users(t, s); n != 0 {
				t.Errorf("a reader sees %d rows that are not committed", n)
			}
			return nil
		})
		if err != nil || users(t, s) != 1 {
			t.Errorf("%v, %d rows after the commit", err, users(t, s))
		}
	})
}

func TestUnavailable(t *testing.T) {
	t.Parallel()
	for _, err := range []error{nil, errUndo, io.EOF, crier.NotFound("no team"), context.Canceled} {
		if store.Unavailable(err) {
			t.Errorf("%v is taken for a database that is away", err)
		}
	}
	if !store.Unavailable(fmt.Errorf("read team: %w", io.ErrUnexpectedEOF)) {
		t.Error("a cut connection is not taken for a database that is away")
	}
	_, err := store.Open(context.Background(),
		store.Config{DatabaseURL: "postgres://crier:hunter2@127.0.0.1:1/crier?sslmode=disable&connect_timeout=2"})
	if err == nil || !store.Unavailable(err) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("nobody listens there: %v", err)
	}
	if _, err := store.Open(context.Background(),
		store.Config{DatabaseURL: "postgres://crier:hunter2@[::1/crier"}); err == nil ||
		strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a broken address: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(context.Background(), store.Config{DataDir: filepath.Join(file, "data")}); err == nil {
		t.Error("a data directory below a file was opened")
	}
}

func TestNodesThatStartAtOnceMigrateOnce(t *testing.T) {
	t.Parallel()
	empty.Each(t, func(t *testing.T, db storetest.Database) {
		ctx := context.Background()
		nodes := []*store.Store{db.Open(t)}
		if db.Dialect == store.Postgres { // on SQLite there is one node
			nodes = append(nodes, db.Open(t), db.Open(t))
		}
		if current, err := nodes[0].Migrated(ctx); err != nil || current {
			t.Errorf("an empty database is said to be current: %v, %v", current, err)
		}
		applied := make([][]string, len(nodes))
		var all sync.WaitGroup
		for i, node := range nodes {
			all.Go(func() {
				var err error
				if applied[i], err = node.Migrate(ctx); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		together := slices.Concat(applied...)
		files, err := filepath.Glob("migrations/" + string(db.Dialect) + "/*.sql")
		if err != nil || len(together) != len(files) {
			t.Errorf("applied %v, want each of %d once, %v", together, len(files), err)
		}
		if current, err := nodes[0].Migrated(ctx); err != nil || !current {
			t.Errorf("after the migration: %v, %v", current, err)
		}
	})
}

func TestADamagedFileIsToldFromOtherProblems(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := []byte(strings.Repeat("no database ", 1000))
	if err := os.WriteFile(filepath.Join(dir, "crier.db"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), store.Config{DataDir: dir}); err == nil ||
		!strings.Contains(err.Error(), "the file is damaged; keep it") {
		t.Errorf("a file that is no database: %v", err)
	}
	dir = t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "crier.db"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), store.Config{DataDir: dir}); err == nil ||
		strings.Contains(err.Error(), "damaged") {
		t.Errorf("a directory in the place of the file: %v", err)
	}
}
