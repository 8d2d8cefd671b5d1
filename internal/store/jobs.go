package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// ReleaseRunningJobs returns the jobs that a dead process left running to the queue. Only SQLite needs it: a single
// process owns the file, so none of them can be running at start-up. On PostgreSQL the job engine rescues them.
func (s *Store) ReleaseRunningJobs(ctx context.Context) error {
	if s.dialect != SQLite {
		return nil
	}
	if _, err := s.writer.ExecContext(ctx,
		`UPDATE river_job SET state = 'available' WHERE state = 'running'`); err != nil {
		return fmt.Errorf("release running jobs: %w", err)
	}
	return nil
}

// jobsToPromote is the condition by which the job engine finds jobs that are due, on SQLite. Its index continues with
// queue and priority behind the state, so SQLite would read every waiting job. jobsToPromoteByQueue finds the same jobs
// at one place of the index for each queue and priority. An index as on PostgreSQL would be one more page of every
// schedule.
const (
	jobsToPromote = `state IN ('retryable', 'scheduled')
    AND scheduled_at <= coalesce(cast(?1 AS text), datetime('now', 'subsec'))`
	jobsToPromoteByQueue = `id IN (
        WITH RECURSIVE lanes (state, queue) AS (
            SELECT s.state, (SELECT min(queue) FROM river_job WHERE state = s.state)
            FROM (SELECT 'retryable' AS state UNION ALL SELECT 'scheduled') AS s
            UNION ALL SELECT l.state, (SELECT min(queue) FROM river_job WHERE state = l.state AND queue > l.queue)
            FROM lanes AS l WHERE l.queue IS NOT NULL)
        SELECT due.id FROM lanes
        CROSS JOIN (SELECT 1 AS priority UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4) AS p
        CROSS JOIN river_job AS due
        WHERE due.state = lanes.state AND due.queue = lanes.queue AND due.priority = p.priority
        AND due.scheduled_at <= coalesce(cast(?1 AS text), datetime('now', 'subsec')))`
)

// UnusedJobIndexes returns the names of the job engine's indexes of what jobs contain and of their kinds. Nothing
// searches for that. Every new job would write them, on PostgreSQL every change of a job's state. SQLite has the last
// one only.
func UnusedJobIndexes() []string {
	return []string{"river_job_args_index", "river_job_metadata_index", "river_job_kind"}
}

// IndexJobs creates the index by which PostgreSQL finds the jobs that are due soon, and drops the unused ones.
func (s *Store) IndexJobs(ctx context.Context) error {
	if s.dialect == Postgres {
		if err := s.indexDueJobs(ctx); err != nil {
			return err
		}
	}
	for _, name := range UnusedJobIndexes() {
		if err := s.dropIndex(ctx, name); err != nil {
			return fmt.Errorf("drop the index %s: %w", name, err)
		}
	}
	return nil
}

const (
	// dropWait is how long the start of a node waits for the lock of an index at a time. It stops those that use the
	// table behind it, so it gives way for dropPause.
	dropWait  = "100ms"
	dropPause = 200 * time.Millisecond
)

// dropIndex drops an index if it exists, while nodes of the previous version run.
func (s *Store) dropIndex(ctx context.Context, name string) error {
	drop := `DROP INDEX IF EXISTS ` + pgx.Identifier{name}.Sanitize()
	if s.dialect == SQLite {
		_, err := s.writer.ExecContext(ctx, drop)
		return err
	}
	for {
		err := s.WithTx(ctx, func(tx *Tx) error {
			var there bool
			err := tx.q.QueryRowContext(ctx, `SELECT to_regclass($1) IS NOT NULL`, name).Scan(&there)
			if err != nil || !there {
				return err
			}
			if err := tx.queueExec(ctx, changed("bound the wait"), `SELECT set_config('lock_timeout', $1, true)`,
				dropWait); err != nil {
				return err
			}
			_, err = tx.q.ExecContext(ctx, drop)
			return err
		})
		if sqlState(err) != lockNotAvailable {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(dropPause):
		}
	}
}

func (s *Store) indexDueJobs(ctx context.Context) error {
	return s.WithTx(ctx, func(tx *Tx) error {
		// Nodes that start at the same time take turns.
		if _, err := tx.q.ExecContext(ctx,
			`SELECT pg_advisory_xact_lock(hashtext('crier_jobs_to_promote'))`); err != nil {
			return fmt.Errorf("index jobs: %w", err)
		}
		var there bool
		err := tx.q.QueryRowContext(ctx, `SELECT to_regclass('crier_jobs_to_promote') IS NOT NULL`).Scan(&there)
		if err != nil || there {
			return err
		}
		_, err = tx.q.ExecContext(ctx,
			`CREATE INDEX crier_jobs_to_promote ON river_job (scheduled_at) WHERE state IN ('retryable', 'scheduled')`)
		if err != nil {
			return fmt.Errorf("index jobs: %w", err)
		}
		return nil
	})
}

// analyzeNewFrom is how many changed rows make the statistics of a new table worth their cost.
const analyzeNewFrom = 500

// AnalyzeNew makes PostgreSQL gather the statistics of tables that have grown and have none yet. PostgreSQL does so by
// itself about a minute after the first rows; until then its planner assumes that the tables are empty and scans a
// table instead of looking up a row. In that minute a new installation is tried, or a restored one starts.
func (s *Store) AnalyzeNew(ctx context.Context) error {
	if s.dialect != Postgres {
		return nil
	}
	rows, err := s.q.QueryContext(ctx, `SELECT relname FROM pg_stat_user_tables WHERE schemaname = current_schema()
		AND n_mod_since_analyze >= $1 AND last_analyze IS NULL AND last_autoanalyze IS NULL ORDER BY relname`,
		analyzeNewFrom)
	if err != nil {
		return fmt.Errorf("look for tables without statistics: %w", err)
	}
	tables, err := collect(rows, func(row scanner) (name string, err error) { return name, row.Scan(&name) })
	if err != nil {
		return fmt.Errorf("look for tables without statistics: %w", err)
	}
	for _, name := range tables {
		if _, err := s.q.ExecContext(ctx, `ANALYZE `+pgx.Identifier{name}.Sanitize()); err != nil {
			return fmt.Errorf("analyze %s: %w", name, err)
		}
	}
	return nil
}

// JobCounts counts the jobs that are waiting or running, by state, each up to a bound.
func (s *Store) JobCounts(ctx context.Context) (map[string]int64, error) {
	states := []string{"available", "running", "retryable"}
	counted := make([]string, len(states))
	for i, state := range states {
		counted[i] = `SELECT '` + state + `', count(*) FROM (SELECT 1 FROM river_job WHERE state = '` + state +
			`' LIMIT $1) AS j`
	}
	counts := map[string]int64{}
	err := s.q.Ask(ctx, newQuestion(strings.Join(counted, ` UNION ALL `), []any{maxCounted},
		func(row scanner) error {
			var state string
			var n int64
			err := row.Scan(&state, &n)
			counts[state] = n
			return err
		}))
	if err != nil {
		return nil, fmt.Errorf("count jobs: %w", err)
	}
	return counts, nil
}
