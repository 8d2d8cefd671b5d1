package store_test

import (
	"context"
	"testing"
	"time"

	"crier/internal/store"
)

func TestNewTablesAreAnalyzedOnceTheyHaveGrown_postgres(t *testing.T) {
	t.Parallel()
	s := databases.Fresh(t, store.Postgres).Open(t)
	fillPlanned(t, s, "twitter", now(), 600)
	ctx := context.Background()
	analyzed := func(table string) (known bool) {
		t.Helper()
		if err := s.AnalyzeNew(ctx); err != nil {
			t.Fatal(err)
		}
		err := s.Reader().QueryRowContext(ctx,
			`SELECT last_analyze IS NOT NULL FROM pg_stat_user_tables WHERE relname = $1`, table).Scan(&known)
		if err != nil {
			t.Fatal(err)
		}
		return known
	}
	// PostgreSQL counts changed rows a moment after the commit.
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(2 * time.Minute); !analyzed("publications"); <-ticker.C {
		if time.Now().After(deadline) {
			t.Fatal("a table of 600 rows has no statistics")
		}
	}
	if analyzed("posts") {
		t.Error("an empty table is analyzed")
	}
}
