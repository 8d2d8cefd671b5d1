package store

import (
	"context"

	"crier"
)

// PlannedOnNetworkQuery is for tests that look how a database goes about it.
const PlannedOnNetworkQuery = plannedOnNetwork

// MigrateTo brings the schema to an older version, for tests of what comes after it.
func (s *Store) MigrateTo(ctx context.Context, version int64) error {
	provider, done, err := s.migrationProvider()
	if err != nil {
		return err
	}
	defer done()
	_, err = provider.UpTo(ctx, version)
	return err
}

// VitalsQueries returns the queries behind Vitals with their arguments, for tests that look how a database goes about
// them.
func VitalsQueries(now crier.Time) (queries []string, args [][]any) {
	for _, q := range vitalsQuestions(&Vitals{}, now) {
		queries, args = append(queries, q.query), append(args, q.args)
	}
	return queries, args
}

// SendEvents writes the events of a transaction before its end, for tests of what others see meanwhile.
func (tx *Tx) SendEvents(ctx context.Context) error {
	if err := tx.insertEvents(ctx); err != nil {
		return err
	}
	tx.events = nil
	var one int // which sends what is queued
	return tx.q.QueryRowContext(ctx, `SELECT 1`).Scan(&one)
}

// SequencedUpTo returns where a pass over the events without a sequence begins to look.
func (s *Store) SequencedUpTo() int64 { return s.sequenced.current().all }

// TakeForSequenced has all events up to a number of a database be taken for put in order.
func (s *Store) TakeForSequenced(database string, all int64) {
	s.sequenced.mu.Lock()
	defer s.sequenced.mu.Unlock()
	s.sequenced.place = eventPlace{database, all}
}
