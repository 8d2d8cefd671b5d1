package servertest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"crier/internal/store"
)

// Snapshot returns a fingerprint of everything in the store except the times at which keys were used and the job
// engine's own rows.
func (s *Server) Snapshot(t *testing.T) string {
	t.Helper()
	ctx := context.Background()
	sums := map[string]string{}
	for _, table := range s.tables(t) {
		columns := "*"
		switch table {
		case "event_log": // the last assigned position in the order
			continue
		case "events": // all but their position in the order, which is assigned after the commit
			columns = "id, organization_id, team_id, type, data, created_at"
		case "sessions": // all but when they were used
			columns = "id, user_id, browser, address, created_at, expires_at"
		case "api_keys":
			columns = "id, organization_id, created_by_id, name, permissions, organization_count, expires_at, " +
				"revoked_at, created_at, updated_at"
		}
		rows, err := s.Node.Store.Reader().QueryContext(ctx, `SELECT `+columns+` FROM `+table+` ORDER BY 1, 2`)
		if err != nil {
			t.Fatal(err)
		}
		hash := sha256.New()
		for rows.Next() {
			names, err := rows.Columns()
			if err != nil {
				t.Fatal(err)
			}
			values, targets := make([]any, len(names)), make([]any, len(names))
			for i := range values {
				targets[i] = &values[i]
			}
			if err := rows.Scan(targets...); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(hash, values...)
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
		sums[table] = hex.EncodeToString(hash.Sum(nil)[:8])
	}
	return fmt.Sprint(sums)
}

// tables returns the tables of crier's own rows.
func (s *Server) tables(t *testing.T) []string {
	t.Helper()
	query := `SELECT name FROM sqlite_master WHERE type = 'table'`
	if s.Node.Store.Dialect() == store.Postgres {
		query = `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`
	}
	rows, err := s.Node.Store.Reader().QueryContext(context.Background(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	found := map[string]bool{}
	for rows.Next() {
		var table string
		if err := rows.Scan(&table); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(table, "river_") && !strings.HasPrefix(table, "sqlite_") && table != "goose_db_version" {
			found[table] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// WantUnchanged fails the test if the store differs from a snapshot.
func (s *Server) WantUnchanged(t *testing.T, before string) {
	t.Helper()
	if after := s.Snapshot(t); after != before {
		t.Errorf("the store has changed:\n%s\n%s", before, after)
	}
}

// Dump returns every row of every table as text, bytes in hexadecimal.
func (s *Server) Dump(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	for _, table := range s.tables(t) {
		rows, err := s.Node.Store.Reader().QueryContext(context.Background(), `SELECT * FROM `+table)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			names, err := rows.Columns()
			if err != nil {
				t.Fatal(err)
			}
			values, targets := make([]any, len(names)), make([]any, len(names))
			for i := range values {
				targets[i] = &values[i]
			}
			if err := rows.Scan(targets...); err != nil {
				t.Fatal(err)
			}
			for _, value := range values {
				if data, ok := value.([]byte); ok {
					value = hex.EncodeToString(data)
				}
				fmt.Fprintln(&out, value)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}
