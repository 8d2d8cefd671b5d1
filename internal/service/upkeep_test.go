package service

import (
	"context"
	"testing"

	"crier"
	"crier/internal/store"
)

// A step of the sweep that fails every time does not keep the others from removing what has expired.
func TestSweepGoesOnAfterAStepThatFails(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		r, ctx := newRules(t, st, testSecret), context.Background()
		exec := func(query string, args ...any) {
			t.Helper()
			if _, err := st.Writer().ExecContext(ctx, query, args...); err != nil {
				t.Fatalf("%s: %v", query, err)
			}
		}
		old := crier.TimeOf(r.time.AddDate(-1, 0, 0))
		expired := map[string]func(){
			"quotas": func() {
				exec(`INSERT INTO quotas (subject, name, uses, updated_at) VALUES ('s', 'n', '[]', $1)`, old)
			},
			"sign_in_failures": func() {
				exec(`INSERT INTO sign_in_failures (email, failures, blocked_to) VALUES ('e', 1, $1)`, old)
			},
			"idempotency_keys": func() {
				exec(`INSERT INTO idempotency_keys (principal_id, key, fingerprint, status, expires_at)
					VALUES ($2, 'k', $3, 200, $1)`, old, crier.NewID(), []byte("f"))
			},
		}
		for _, broken := range []string{"webhook_deliveries", "audit_log", "connections", "sign_in_failures", "quotas",
			"idempotency_keys", "audit_counts"} {
			exec(`ALTER TABLE ` + broken + ` RENAME TO elsewhere`)
			for table, insert := range expired {
				if table != broken {
					insert()
				}
			}
			if err := r.Upkeep.Sweep(ctx); err == nil {
				t.Errorf("without %s the sweep reports no error", broken)
			}
			exec(`ALTER TABLE elsewhere RENAME TO ` + broken)
			for table := range expired {
				var left int
				err := st.Reader().QueryRowContext(ctx, `SELECT count(*) FROM `+table).Scan(&left)
				if err != nil || left > 0 {
					t.Errorf("without %s, %s still has %d expired rows, %v", broken, table, left, err)
				}
				exec(`DELETE FROM ` + table)
			}
		}
		if err := r.Upkeep.Sweep(ctx); err != nil {
			t.Errorf("with all tables: %v", err)
		}
	})
}
