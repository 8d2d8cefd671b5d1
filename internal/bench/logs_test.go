package bench_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"crier"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// BenchmarkLogs compares an organization with a thousand events and a thousand entries of its audit log with one that
// has a million of each: the start, the middle, and the results of a filter. The metric large/small is the ratio of the
// medians; the limit is 1.3.
func BenchmarkLogs(b *testing.B) {
	bothDatabases(b, func(b *testing.B, s *testServer) {
		few := s.NewTenant(b, "A thousand")
		small := s.fillLogs(b, few, smallTeam)
		many := s.NewTenant(b, "A million")
		large := s.fillLogs(b, many, largeTeam)
		if s.Node.Store.Dialect() == store.Postgres {
			s.Exec(b, `VACUUM ANALYZE events`)
			s.Exec(b, `VACUUM ANALYZE audit_log`)
			s.Exec(b, `VACUUM ANALYZE audit_counts`)
		}
		for _, name := range []string{"events", "events from the middle", "events of a type", "events of a team",
			"audit log", "audit log before the middle", "audit log of an action", "audit log of a frequent action",
			"audit log of a principal", "audit log of a frequent action in a range"} {
			b.Run(name, func(b *testing.B) {
				read := func(of servertest.Tenant, path string) {
					if err := get(s.Client, s.URL+path, of.Key); err != nil {
						b.Fatal(err)
					}
				}
				s.hasRows(b, few, small[name])
				s.hasRows(b, many, large[name])
				compare(b, func() { read(few, small[name]) }, func() { read(many, large[name]) })
			})
		}
	})
}

// hasRows fails the benchmark when a page is empty: one of rare events need not be full.
func (s *testServer) hasRows(b *testing.B, of servertest.Tenant, path string) {
	b.Helper()
	var page struct{ Data []struct{ ID crier.ID } }
	s.As(b, of.Key, "GET", path, nil).Want(b, http.StatusOK).Into(b, &page)
	if len(page.Data) == 0 {
		b.Fatalf("%s: %d rows", path, len(page.Data))
	}
}

// logStart is when the first row of a log was written; each follows a second later.
var logStart = time.Now().Add(-20 * 24 * time.Hour).UTC().Truncate(time.Second)

// fillLogs writes rows into the logs of an organization, directly in the database, and returns addresses of pages. Rows
// that filters find are spread evenly.
func (s *testServer) fillLogs(tb testing.TB, of servertest.Tenant, rows int) map[string]string {
	tb.Helper()
	uuid := ""
	numbers, id, at := `(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $2) SELECT i,
		lower(hex(randomblob(16))) AS h FROM n)`, `substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-7' || substr(h, 14, 3) ||
		'-8' || substr(h, 18, 3) || '-' || substr(h, 21, 12)`, `strftime('%Y-%m-%d %H:%M:%S+00:00', $4 + i, 'unixepoch')`
	if s.Node.Store.Dialect() == store.Postgres {
		numbers, id, at = `generate_series(1, $2::int) AS i`, `gen_random_uuid()`, `to_timestamp($4::bigint + i)`
		uuid = "::uuid"
	}
	rare := fmt.Sprintf(`i %% (CAST($2 AS integer) / %d) = 0`, matching)
	log, err := s.Node.Store.EventLog(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	before, principal := log.Last, crier.NewID()
	s.Exec(tb, `INSERT INTO events (id, `+map[store.Dialect]string{store.SQLite: `written, `}[s.Node.Store.Dialect()]+
		`sequence, organization_id, team_id, type, data, created_at) SELECT `+id+`, `+
		map[store.Dialect]string{store.SQLite: `$3 + i, `}[s.Node.Store.Dialect()]+`$3 + i, $1,
		CASE WHEN `+rare+` THEN $5`+uuid+` ELSE $6`+uuid+` END,
		CASE WHEN `+rare+` THEN 'member.joined' ELSE 'post.updated' END, '{"object":{}}', `+at+` FROM `+numbers,
		of.Organization, rows, before, logStart.Unix(), of.Team, crier.NewID())
	s.Exec(tb, `UPDATE event_log SET last = $1`, before+int64(rows))
	s.Exec(tb, `INSERT INTO audit_log (id, organization_id, principal_kind, principal_id, person_id, action, target,
		request_id, created_at) SELECT `+id+`, $1, 'user', $3, $3, CASE WHEN `+rare+` THEN 'createTeam' ELSE 'updatePost'
		END, '', '', `+at+` FROM `+numbers, of.Organization, rows, principal, logStart.Unix())
	s.countLogs(tb)
	var middle crier.ID
	if err := s.Node.Store.Reader().QueryRowContext(tb.Context(), `SELECT id FROM events WHERE sequence = $1`,
		before+int64(rows)/2).Scan(&middle); err != nil {
		tb.Fatal(err)
	}
	events := servertest.Path("/v1/organizations/%s/events", of.Organization) + "?limit=25"
	audit := servertest.Path("/v1/organizations/%s/audit-log", of.Organization) + "?limit=25"
	second := func(i int) string { return logStart.Add(time.Duration(i) * time.Second).Format(time.RFC3339) }
	return map[string]string{"events": events, "events from the middle": events + "&after=" + string(middle),
		"events of a type": events + "&types=member.joined",
		"events of a team": events + "&teamId=" + string(of.Team), "audit log": audit,
		"audit log before the middle":    audit + "&to=" + second(rows/2),
		"audit log of an action":         audit + "&action=createTeam",
		"audit log of a frequent action": audit + "&action=updatePost",
		"audit log of a principal":       audit + "&principalId=" + string(principal),
		"audit log of a frequent action in a range": audit + "&action=updatePost&from=" + second(rows/5) + "&to=" +
			second(rows*4/5)}
}

// countLogs counts the audit logs, as maintenance does.
func (s *testServer) countLogs(tb testing.TB) {
	tb.Helper()
	if s.Node.Store.Dialect() == store.Postgres {
		s.Exec(tb, `ANALYZE audit_log`) // as the database does by itself
	}
	for _, step := range []func() (more bool, err error){
		func() (bool, error) { return s.Node.Store.SumAudit(tb.Context(), crier.TimeOf(time.Now())) },
		func() (bool, error) { return s.Node.Store.MarkAudit(tb.Context()) },
	} {
		for more := true; more; {
			var err error
			if more, err = step(); err != nil {
				tb.Fatal(err)
			}
		}
	}
}
