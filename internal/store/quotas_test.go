package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
)

// words holds the SQL that differs between the databases.
var words = map[store.Dialect]struct{ loosen, id, explain, analyze string }{
	store.SQLite: {`PRAGMA foreign_keys = OFF`, `hex(randomblob(16))`, `EXPLAIN QUERY PLAN `, `PRAGMA optimize`},
	store.Postgres: {`ALTER TABLE publications DISABLE TRIGGER ALL`, `gen_random_uuid()`, `EXPLAIN `,
		`ANALYZE publications`},
}

func mustExec(tb testing.TB, s *store.Store, statement string, args ...any) {
	tb.Helper()
	if _, err := s.Writer().ExecContext(context.Background(), statement, args...); err != nil {
		tb.Fatalf("%s: %v", statement, err)
	}
}

// fillPlanned schedules posts on a network, all at one time. They have no owner: only the table is read.
func fillPlanned(tb testing.TB, s *store.Store, network crier.Provider, at crier.Time, posts int) {
	tb.Helper()
	id := words[s.Dialect()].id
	mustExec(tb, s, words[s.Dialect()].loosen)
	mustExec(tb, s, fmt.Sprintf(`INSERT INTO publications (id, team_id, organization_id, post_id, social_account_id,
		provider, status, scheduled_at,
		timezone, payload_id, platform_settings, actions, state, results, wake_at, created_at, updated_at)
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %[2]d)
		SELECT %[1]s, %[1]s, %[1]s, %[1]s, %[1]s, '%[3]s', 'scheduled', $1, 'UTC', %[1]s, '{}', '{}', '{}', '{}', $1,
		$1, $1 FROM n`,
		id, posts, network), at)
}

// plan returns the query plan of a query.
func plan(tb testing.TB, s *store.Store, query string, args ...any) string {
	tb.Helper()
	rows, err := s.Reader().QueryContext(context.Background(), words[s.Dialect()].explain+query, args...)
	if err != nil {
		tb.Fatal(err)
	}
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var line string
		var number any // SQLite has three before the line
		into := []any{&number, &number, &number, &line}
		if s.Dialect() == store.Postgres {
			into = []any{&line}
		}
		if err := rows.Scan(into...); err != nil {
			tb.Fatal(err)
		}
		lines = append(lines, line)
	}
	if err := rows.Err(); err != nil {
		tb.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

// A video is planned on a network with a daily limit, beside very many posts on other networks: these are not read.
func TestPlannedCountReadsOnlyItsNetwork(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, s *store.Store) {
		ctx, noon := context.Background(), crier.TimeOf(time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC))
		day := store.Span{From: crier.TimeOf(noon.Add(-12 * time.Hour)), To: crier.TimeOf(noon.Add(12 * time.Hour))}
		fillPlanned(t, s, "x", noon, 5_000)
		fillPlanned(t, s, "youtube", noon, 3)
		fillPlanned(t, s, "youtube", day.To, 1) // the next day
		mustExec(t, s, words[s.Dialect()].analyze)
		for most, want := range map[int64]int64{101: 3, 2: 2} {
			use := &store.PlannedUse{Network: "youtube", Most: most, Span: day}
			if err := s.PlannedUses(ctx, []*store.PlannedUse{use}); err != nil || use.Planned != want {
				t.Errorf("%d are planned, up to %d: %v; want %d", use.Planned, most, err, want)
			}
		}
		if p := plan(t, s, store.PlannedOnNetworkQuery, "youtube", day.From, day.To, 101); !strings.Contains(p,
			"publications_planned") {
			t.Errorf("the plan uses another way:\n%s", p)
		}
	})
}
