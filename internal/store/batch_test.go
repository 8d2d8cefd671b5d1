package store_test

import (
	"testing"

	"crier/internal/store"
	"crier/internal/store/storetest"
)

// A server that was restarted leaves closed connections in the pool. Reads, of one question and of several, use others.
func TestReadsSurviveClosedConnections_postgres(t *testing.T) {
	t.Parallel()
	db := databases.Fresh(t, store.Postgres)
	f, admin := storetest.NewFixture(t, db.Open(t)), db.Open(t)
	reads := map[string]func() error{
		"one question": func() error {
			ahead := &store.Lookahead{TeamID: f.Team.ID}
			return f.LookAhead(t.Context(), store.KeyCredential, []byte("hash"), f.Now, ahead)
		},
		"several questions": func() error {
			ahead := &store.Lookahead{TeamID: f.Team.ID, IdempotencyKey: "key"}
			return f.LookAhead(t.Context(), store.KeyCredential, []byte("hash"), f.Now, ahead)
		},
	}
	for name, read := range reads {
		for range 5 {
			if err := read(); err != nil {
				t.Fatal(err)
			}
			if rows := query(t, admin, `SELECT pg_terminate_backend(a.pid, 5000) FROM pg_stat_activity a
				WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
				AND a.state = 'idle'`); len(rows) == 0 {
				t.Fatal("no connection was open")
			}
			if err := read(); err != nil {
				t.Errorf("%s after the connections were closed: %v", name, err)
			}
		}
	}
}
