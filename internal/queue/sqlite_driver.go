package queue

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivertype"
)

// sqliteDriver is River's driver for SQLite, but it completes jobs with one statement for all. River's own runs one for
// each, while everything else waits for the single connection that writes.
type sqliteDriver struct{ *riversqlite.Driver }

// GetExecutor returns what River's completer sets the states of jobs with. Transactions that begin there are the
// embedded driver's.
func (d sqliteDriver) GetExecutor() riverdriver.Executor {
	return sqliteExecutor{Executor: d.Driver.GetExecutor(), driver: d.Driver}
}

type sqliteExecutor struct {
	riverdriver.Executor
	driver *riversqlite.Driver
}

// JobSetStateIfRunningMany sets the states of jobs that are running. Jobs that only become completed are updated by one
// statement; the embedded driver does all others in the same transaction, including those that are not running any
// more. params has each job once. The jobs are returned in any order, as from PostgreSQL.
func (e sqliteExecutor) JobSetStateIfRunningMany(ctx context.Context,
	params *riverdriver.JobSetStateIfRunningManyParams) ([]*rivertype.JobRow, error) {
	finalized := completions(params)
	if finalized == "" {
		return e.Executor.JobSetStateIfRunningMany(ctx, params)
	}
	tx, err := e.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // does nothing after the commit
	jobs, err := completeJobs(ctx, e.driver.UnwrapTx(tx), finalized, len(params.ID))
	if err != nil {
		return nil, fmt.Errorf("complete jobs: %w", err)
	}
	if len(jobs) < len(params.ID) {
		others, err := tx.JobSetStateIfRunningMany(ctx, without(params, jobs))
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, others...)
	}
	if err := tx.Commit(ctx); err != nil {
		return nil, fmt.Errorf("commit: %w", err)
	}
	return jobs, nil
}

// completions returns the jobs that only become completed: a JSON object of when, by their ids. It is empty if there
// are none. crier uses no schemas.
func completions(params *riverdriver.JobSetStateIfRunningManyParams) string {
	const perJob = len(`"1234567890":"",`) + len(riverTime)
	if params.Schema != "" {
		return ""
	}
	object := make([]byte, 0, perJob*len(params.ID))
	for i, id := range params.ID {
		if !onlyCompletes(params, i) {
			continue
		}
		object = strconv.AppendInt(append(object, `,"`...), id, 10)
		object = params.FinalizedAt[i].UTC().Round(time.Millisecond).AppendFormat(append(object, `":"`...), riverTime)
		object = append(object, '"')
	}
	if len(object) == 0 {
		return ""
	}
	object[0] = '{'
	return string(append(object, '}'))
}

// riverTime is how River's driver writes times, and compares them as texts.
const riverTime = "2006-01-02 15:04:05.000"

// completeRunning completes the running jobs of an object of completions. Unique jobs, which crier has none of, are
// left to River's driver. The limit and the plus make SQLite look up one job for each completion, even with statistics
// of a small table; it might read all completions for each job instead, or all jobs that are running.
const completeRunning = `UPDATE river_job SET state = 'completed', finalized_at = done.value
	FROM (SELECT key, value FROM json_each(?1) LIMIT -1) AS done
	WHERE river_job.id = CAST(done.key AS INTEGER) AND +state = 'running'
	AND unique_key IS NULL AND unique_states IS NULL
	RETURNING river_job.id, json(args), attempt, attempted_at, json(attempted_by), created_at, json(errors),
	finalized_at, kind, max_attempts, json(metadata), priority, queue, state, scheduled_at, json(tags)`

// completeJobs returns those that it has completed, of at most n.
func completeJobs(ctx context.Context, tx *sql.Tx, finalized string, n int) ([]*rivertype.JobRow, error) {
	rows, err := tx.QueryContext(ctx, completeRunning, finalized)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	jobs := make([]*rivertype.JobRow, 0, n)
	for rows.Next() {
		job, err := scanJob(rows)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, job)
	}
	return jobs, rows.Err()
}

// scanJob reads a row of completeRunning as River's driver would.
func scanJob(rows *sql.Rows) (*rivertype.JobRow, error) {
	job := &rivertype.JobRow{Errors: []rivertype.AttemptError{}}
	var attemptedBy, failures, tags sql.RawBytes
	if err := rows.Scan(&job.ID, &job.EncodedArgs, &job.Attempt, &job.AttemptedAt, &attemptedBy, &job.CreatedAt,
		&failures, &job.FinalizedAt, &job.Kind, &job.MaxAttempts, &job.Metadata, &job.Priority, &job.Queue, &job.State,
		&job.ScheduledAt, &tags); err != nil {
		return nil, err
	}
	return job, errors.Join(decode(attemptedBy, &job.AttemptedBy), decode(failures, &job.Errors),
		decode(tags, &job.Tags))
}

// decode decodes a JSON column; NULL leaves the value as it is.
func decode(column []byte, value any) error {
	if column == nil {
		return nil
	}
	return json.Unmarshal(column, value)
}
