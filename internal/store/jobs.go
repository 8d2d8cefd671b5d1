package store

import (
	"context"
	"fmt"
)

// ReleaseRunningJobs hands jobs that a dead process left running back to the queue. Only SQLite needs it: one process
// works on its file, so what runs before the start cannot be anybody's. On PostgreSQL the engine rescues them.
func (s *Store) ReleaseRunningJobs(ctx context.Context) error {
	if s.dialect != SQLite {
		return nil
	}
	if _, err := s.writer.ExecContext(ctx, `UPDATE river_job SET state = 'available' WHERE state = 'running'`); err != nil {
		return fmt.Errorf("release running jobs: %w", err)
	}
	return nil
}

// IndexJobs lets PostgreSQL find the jobs that are due soon without reading all that wait. SQLite finds them by an index of
// the job engine's own, once it has statistics.
func (s *Store) IndexJobs(ctx context.Context) error {
	if s.dialect != Postgres {
		return nil
	}
	return s.WithTx(ctx, func(tx *Tx) error {
		// Nodes that start at the same time take turns.
		if _, err := tx.q.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtext('crier_jobs_to_promote'))`); err != nil {
			return fmt.Errorf("index jobs: %w", err)
		}
		var there bool
		err := tx.q.QueryRowContext(ctx, `SELECT to_regclass('crier_jobs_to_promote') IS NOT NULL`).Scan(&there)
		if err != nil || there {
			return err
		}
		_, err = tx.q.ExecContext(ctx, `CREATE INDEX crier_jobs_to_promote ON river_job (scheduled_at) WHERE state IN ('retryable', 'scheduled')`)
		if err != nil {
			return fmt.Errorf("index jobs: %w", err)
		}
		return nil
	})
}

// analyzeFrom is the size of the job table from which statistics are worth their cost.
const analyzeFrom = 10_000

// AnalyzeJobs refreshes SQLite's planner statistics of the job table once it is large.
func (s *Store) AnalyzeJobs(ctx context.Context) error {
	if s.dialect != SQLite {
		return nil
	}
	var n int
	err := s.q.QueryRowContext(ctx, `SELECT count(*) FROM (SELECT 1 FROM river_job LIMIT $1) AS some`, analyzeFrom).Scan(&n)
	if err != nil {
		return fmt.Errorf("count jobs: %w", err)
	}
	if n < analyzeFrom {
		return nil
	}
	if _, err := s.writer.ExecContext(ctx, `ANALYZE river_job`); err != nil {
		return fmt.Errorf("analyze jobs: %w", err)
	}
	return nil
}

// JobCounts is how many jobs wait or run now, by state.
func (s *Store) JobCounts(ctx context.Context) (map[string]int64, error) {
	rows, err := s.q.QueryContext(ctx, `SELECT state, count(*) FROM river_job WHERE state IN ('available', 'running', 'retryable') GROUP BY state`)
	if err != nil {
		return nil, fmt.Errorf("count jobs: %w", err)
	}
	defer rows.Close()
	counts := map[string]int64{"available": 0, "running": 0, "retryable": 0}
	for rows.Next() {
		var state string
		var n int64
		if err := rows.Scan(&state, &n); err != nil {
			return nil, fmt.Errorf("count jobs: %w", err)
		}
		counts[state] = n
	}
	return counts, rows.Err()
}
