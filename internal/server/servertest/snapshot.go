package servertest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"crier/internal/store"
)

// Snapshot returns a fingerprint of everything in the store except the times at which keys were used and the job
// engine's own rows.
func (s *Server) Snapshot(t *testing.T) string {
	t.Helper()
	sums := map[string]string{}
	for _, table := range s.tables(t) {
		columns, from := "*", table
		switch table {
		case "list_changes": // background maintenance moves them to list_counts at any time
			continue
		case "list_counts":
			from = s.listCounts()
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
		var lines []string
		for _, values := range s.rows(t, `SELECT `+columns+` FROM `+from) {
			lines = append(lines, fmt.Sprintln(values...))
		}
		slices.Sort(lines)
		sum := sha256.Sum256([]byte(strings.Join(lines, "")))
		sums[table] = hex.EncodeToString(sum[:8])
	}
	return fmt.Sprint(sums)
}

// listCounts returns the rows of list_counts, with the changes that are not merged into them yet.
func (s *Server) listCounts() string {
	if s.Node.Store.Dialect() == store.SQLite {
		return "list_counts"
	}
	return `(SELECT team_id, list, value, sum(n) FROM (
			SELECT team_id, list, value, row_count AS n FROM list_counts
			UNION ALL SELECT team_id, list, value, change FROM list_changes) AS c
		GROUP BY team_id, list, value HAVING sum(n) <> 0) AS counts`
}

// tables returns the tables of crier's own rows.
func (s *Server) tables(t *testing.T) []string {
	t.Helper()
	query := `SELECT name FROM sqlite_master WHERE type = 'table'`
	if s.Node.Store.Dialect() == store.Postgres {
		query = `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`
	}
	var found []string
	for _, row := range s.rows(t, query) {
		table := fmt.Sprint(row[0])
		if !strings.HasPrefix(table, "river_") && !strings.HasPrefix(table, "sqlite_") && table != "goose_db_version" {
			found = append(found, table)
		}
	}
	slices.Sort(found)
	return found
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
		for _, values := range s.rows(t, `SELECT * FROM `+table) {
			for _, value := range values {
				if data, ok := value.([]byte); ok {
					value = hex.EncodeToString(data)
				}
				fmt.Fprintln(&out, value)
			}
		}
	}
	return out.String()
}

// rows returns the values of all rows of a query.
func (s *Server) rows(t *testing.T, query string) (all [][]any) {
	t.Helper()
	rows, err := s.Node.Store.Reader().QueryContext(context.Background(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
	}()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, targets := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			t.Fatal(err)
		}
		all = append(all, values)
	}
	return all
}
