package store_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"crier/internal/store"
)

// During a failover, connections may reach a server that does not take writes yet: it is away, and the pools do not
// keep these connections once it has taken over.
func TestWritesToAStandbyAreRepeatedOnceItTakesOver_postgres(t *testing.T) {
	t.Parallel()
	db := databases.Fresh(t, store.Postgres)
	admin, err := pgx.Connect(t.Context(), db.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(context.Background())
	alter := func(what string) {
		if _, err := admin.Exec(t.Context(), `ALTER DATABASE `+pgx.Identifier{admin.Config().Database}.Sanitize()+
			what); err != nil {
			t.Fatal(err)
		}
	}
	alter(` SET default_transaction_read_only = on`)
	s := db.Open(t)
	write := func() error {
		return s.WithTx(t.Context(), func(tx *store.Tx) error { return insertUser(t.Context(), tx) })
	}
	jobsReadOnly := func() (readOnly string) {
		if err := s.JobPool().QueryRow(t.Context(), `SHOW default_transaction_read_only`).Scan(&readOnly); err != nil {
			t.Fatal(err)
		}
		return readOnly
	}
	direct := func() error {
		_, err := s.Writer().ExecContext(t.Context(), `UPDATE users SET name = name`)
		return err
	}
	for name, fn := range map[string]func() error{"a transaction": write, "a statement": direct} {
		if err := fn(); !store.Unavailable(err) {
			t.Errorf("%s: %v, want a database that is away", name, err)
		}
	}
	if got := jobsReadOnly(); got != "on" {
		t.Fatalf("the job engine's connection is read-only: %s", got)
	}
	alter(` RESET default_transaction_read_only`)
	for name, fn := range map[string]func() error{"a transaction": write, "a statement": direct} {
		if err := fn(); err != nil {
			t.Errorf("%s after the failover: %v", name, err)
		}
	}
	if got := jobsReadOnly(); got != "off" {
		t.Error("the job engine keeps a connection that only reads")
	}
}
