package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/internal/store"
)

// cancelAfter cancels a context at the end of a query.
type cancelAfter struct {
	queries int
	cancel  context.CancelFunc
}

func (*cancelAfter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

func (c *cancelAfter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {
	if c.queries--; c.queries == 0 {
		c.cancel()
	}
}

// Otherwise the next migration of the same process would wait for the lock for an hour. Migration 13 has no
// transaction, whose end would close the connection.
func TestInterruptedMigrationUnlocks_postgres(t *testing.T) {
	t.Parallel()
	ctx, tracer := t.Context(), &cancelAfter{}
	cfg := empty.Fresh(t, store.Postgres).Config()
	cfg.Tracer = tracer
	s, err := store.Open(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := s.MigrateTo(ctx, beforePublications); err != nil {
		t.Fatal(err)
	}
	for queries := range 12 {
		interrupted, cancel := context.WithCancel(ctx)
		tracer.queries, tracer.cancel = queries+1, cancel
		_, err := s.Migrate(interrupted)
		cancel()
		if err == nil {
			t.Fatalf("%d queries are all of a migration", queries)
		}
		for patience := time.After(time.Minute); ; { // the server notices the end of a connection a little later
			locks := query(t, s, `SELECT count(*) FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database
				WHERE l.locktype = 'advisory' AND d.datname = current_database()`)
			if locks[0][0] == "0" {
				break
			}
			select {
			case <-patience:
				t.Fatalf("interrupted after %d queries, it keeps its lock", queries+1)
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
}
