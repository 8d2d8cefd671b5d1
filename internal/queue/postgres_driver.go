package queue

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"crier/internal/job"
)

// postgresDriver is River's driver for PostgreSQL, but it deletes the jobs of publications when they have succeeded,
// which River's own would do a day later. What became of a publication is in its attempts. A completed job would be a
// new version of its row, with new entries in all indexes.
type postgresDriver struct {
	*riverpgxv5.Driver
	pool *pgxpool.Pool
}

// GetExecutor returns what River's completer sets the states of jobs with. Transactions that begin there are the
// embedded driver's.
func (d postgresDriver) GetExecutor() riverdriver.Executor {
	return postgresExecutor{Executor: d.Driver.GetExecutor(), pool: d.pool}
}

type postgresExecutor struct {
	riverdriver.Executor
	pool *pgxpool.Pool
}

// deleteCompleted deletes those of some jobs that are running and a publication's.
const deleteCompleted = `DELETE FROM river_job WHERE id = ANY($1) AND state = 'running' AND kind = $2
	AND unique_key IS NULL RETURNING id`

// JobSetStateIfRunningMany sets the states of jobs that are running. The jobs of publications that only become
// completed are deleted; the embedded driver does all others. Both can be repeated: River passes over jobs that are
// gone. The deleted ones are returned without their contents, which only subscribers would read; crier has none.
func (e postgresExecutor) JobSetStateIfRunningMany(ctx context.Context,
	params *riverdriver.JobSetStateIfRunningManyParams) ([]*rivertype.JobRow, error) {
	jobs, err := e.deleteCompleted(ctx, params)
	if err != nil {
		return nil, fmt.Errorf("delete completed jobs: %w", err)
	}
	if len(jobs) == len(params.ID) {
		return jobs, nil
	}
	others, err := e.Executor.JobSetStateIfRunningMany(ctx, without(params, jobs))
	if err != nil {
		return nil, err
	}
	return append(jobs, others...), nil
}

func (e postgresExecutor) deleteCompleted(ctx context.Context,
	params *riverdriver.JobSetStateIfRunningManyParams) ([]*rivertype.JobRow, error) {
	if params.Schema != "" { // crier uses no schemas
		return nil, nil
	}
	ids := make([]int64, 0, len(params.ID))
	for i, id := range params.ID {
		if onlyCompletes(params, i) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	kind := job.Publish{}.Kind()
	rows, err := e.pool.Query(ctx, deleteCompleted, ids, kind)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	jobs := make([]*rivertype.JobRow, 0, len(ids))
	for rows.Next() {
		deleted := &rivertype.JobRow{Kind: kind, State: rivertype.JobStateCompleted}
		if err := rows.Scan(&deleted.ID); err != nil {
			return nil, err
		}
		jobs = append(jobs, deleted)
	}
	return jobs, rows.Err()
}
