package store

import (
	"context"
	"errors"
	"maps"
	"slices"

	"crier"
)

// PlannedOnNetworkQuery is for tests of its query plan.
const PlannedOnNetworkQuery = plannedOnNetwork

// MigrateTo migrates the schema to an older version, for tests of later migrations.
func (s *Store) MigrateTo(ctx context.Context, version int64) error {
	provider, done, err := s.migrationProvider()
	if err != nil {
		return err
	}
	defer done()
	_, err = provider.UpTo(ctx, version)
	return err
}

// VitalsQueries returns the queries behind Vitals with their arguments, for tests of their query plans.
func VitalsQueries(now crier.Time) (queries []string, args [][]any) {
	for _, q := range vitalsQuestions(&Vitals{}, now) {
		queries, args = append(queries, q.query), append(args, q.args)
	}
	return queries, args
}

// SendEvents writes the events of a transaction before its end, for tests of what other transactions see.
func (tx *Tx) SendEvents(ctx context.Context) error {
	if err := tx.insertEvents(ctx); err != nil {
		return err
	}
	tx.events = nil
	var one int // which sends the queued statements
	return tx.q.QueryRowContext(ctx, `SELECT 1`).Scan(&one)
}

// SequencedUpTo returns the position from which a pass searches for events without a sequence.
func (s *Store) SequencedUpTo() int64 { return s.sequenced.current().all }

// TakeForSequenced marks all events up to a number of a database as sequenced.
func (s *Store) TakeForSequenced(database string, all int64) {
	s.sequenced.mu.Lock()
	defer s.sequenced.mu.Unlock()
	s.sequenced.place = eventPlace{database, all}
}

// ZeroJSON returns the texts that jsonOrZero does not decode.
func ZeroJSON() []string { return slices.Collect(maps.Keys(zeroJSON)) }

// ScanScheduledPostJSON scans the three JSON columns of a scheduled post from texts.
func ScanScheduledPostJSON(settings, results, state any) (crier.ScheduledPost, error) {
	var s scheduledPost
	err := errors.Join(jsonOrZero(&s.PlatformSettings).Scan(settings), jsonOrZero(&s.PublishResults).Scan(results),
		jsonOrZero(&s.ProviderPublishState).Scan(state))
	s.setDefaults()
	return s.ScheduledPost, err
}

// MarkAuditFromTheStart writes marks as a node does that has not seen those of others.
func (s *Store) MarkAuditFromTheStart(ctx context.Context, organization crier.ID, settled crier.Time) error {
	_, _, err := s.markAuditLog(ctx, &unmarkedLog{organization: organization, settled: settled})
	return err
}

// Reads are the queries of a store or a transaction.
type Reads = reads

// Recording returns the queries of the store; note is called with each before it runs.
func (s *Store) Recording(note func(query string, args []any)) Reads {
	r := s.reads
	r.q, r.keyed = recorder{r.q, note}, recorder{r.keyed, note}
	return r
}

type recorder struct {
	queryer
	note func(query string, args []any)
}

func (r recorder) QueryContext(ctx context.Context, query string, args ...any) (resultRows, error) {
	r.note(query, args)
	return r.queryer.QueryContext(ctx, query, args...)
}

func (r recorder) QueryRowContext(ctx context.Context, query string, args ...any) scanner {
	r.note(query, args)
	return r.queryer.QueryRowContext(ctx, query, args...)
}

func (r recorder) Ask(ctx context.Context, questions ...question) error {
	for _, q := range questions {
		r.note(q.query, q.args)
	}
	return r.queryer.Ask(ctx, questions...)
}

// BatchSize is the number of rows that one statement of a batch changes.
const BatchSize = batchSize
