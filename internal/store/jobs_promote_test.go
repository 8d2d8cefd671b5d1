package store

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
)

// TestPromotionReadsNoWaitingJobs_sqlite runs the job engine's own query: it must find the due jobs of every queue,
// state and priority, and its plan must not read those that are not due. It fails if a new version of the engine has
// another query.
func TestPromotionReadsNoWaitingJobs_sqlite(t *testing.T) {
	t.Parallel()
	db := compilingTestDB(t, filepath.Join(t.TempDir(), "jobs.db"))
	db.SetMaxOpenConns(1)
	engine := riversqlite.New(db)
	migrator, err := rivermigrate.New(engine, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := migrator.Migrate(t.Context(), rivermigrate.DirectionUp, nil); err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC().Truncate(time.Second)
	exec := func(statement string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), statement, args...); err != nil {
			t.Fatal(err)
		}
	}
	insert := func(queue, state string, priority, count int, at time.Time) {
		t.Helper()
		exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
			INSERT INTO river_job (args, kind, max_attempts, queue, state, priority, scheduled_at)
			SELECT jsonb('{}'), 'test', 25, $2, $3, $4, $5 FROM n`, count, queue, state, priority, at.Format(time.DateTime))
	}
	for _, queue := range []string{"default", "publish_x"} {
		for _, state := range []string{"retryable", "scheduled"} {
			insert(queue, state, 1, 500, now.Add(time.Hour))
			for priority := 1; priority <= 4; priority++ {
				insert(queue, state, priority, 1, now.Add(-time.Minute))
			}
		}
		insert(queue, "available", 1, 500, now.Add(-time.Hour))
	}
	promoted, err := engine.GetExecutor().JobSchedule(t.Context(), &riverdriver.JobScheduleParams{Max: 1000, Now: &now})
	if err != nil || len(promoted) != 16 {
		t.Fatalf("%d jobs were promoted, want 16: %v", len(promoted), err)
	}
	plan := planOfPromotion(t, db)
	if !strings.Contains(plan, "state=? AND queue=? AND priority=? AND scheduled_at<?") ||
		strings.Contains(plan, "SCAN river_job") || strings.Contains(plan, "SCAN due") {
		t.Errorf("waiting jobs are read:\n%s", plan)
	}
}

// planOfPromotion returns the query plan of the statement that the last promotion compiled.
func planOfPromotion(t *testing.T, db *sql.DB) string {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var queries []string
	if err := conn.Raw(func(c any) error {
		for query := range c.(*compilingConn).byQuery {
			if strings.Contains(query, "JobScheduleGetEligible") {
				queries = append(queries, query)
			}
		}
		return nil
	}); err != nil || len(queries) != 1 {
		t.Fatalf("%d statements: %v", len(queries), err)
	}
	rows, err := conn.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+queries[0], "2026-01-01 00:00:00", 10)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := collect(rows, func(row scanner) (step string, err error) {
		var id, parent, unused int
		return step, row.Scan(&id, &parent, &unused, &step)
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(steps, "\n")
}
