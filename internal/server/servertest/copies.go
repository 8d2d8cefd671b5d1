package servertest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
)

// CopyPublication makes a post, schedules it as crier does, and copies it without going through crier: so many posts,
// all due on all the accounts at a time. There is a job for the first alone.
func (s *Server) CopyPublication(tb testing.TB, c Crew, on []Account, posts int, at time.Time) {
	tb.Helper()
	post := s.NewPost(tb, c, "one of many")
	r, _ := s.ScheduleIn(tb, c, post, 24*time.Hour, crier.Targets{SocialAccountIDs: []crier.ID{on[0].ID}})
	q := copyQueries[s.Node.Store.Dialect()]
	generated := []string{"title_key", "archived", "recurring", "live", "canceled"} // the database's own business
	s.Exec(tb, fmt.Sprintf(`INSERT INTO posts (%[1]s) SELECT %[2]s FROM posts p, %[3]s WHERE p.id = $1`,
		s.Columns(tb, "posts", nil, generated...), s.Columns(tb, "posts", map[string]string{"id": q.id}, generated...),
		q.series(posts)), post)
	for _, a := range on {
		changed := map[string]string{"id": q.id, "post_id": "c.copy", "social_account_id": "$3", "scheduled_at": "$4",
			"wake_at": "$4"}
		s.Exec(tb, fmt.Sprintf(`INSERT INTO publications (%[1]s) SELECT %[2]s FROM publications p CROSS
			JOIN (SELECT id AS copy FROM posts
			WHERE id <> $2 AND content_payload_id = (SELECT content_payload_id FROM posts WHERE id = $2)) AS c
			WHERE p.id = $1`,
			s.Columns(tb, "publications", nil, generated...),
			s.Columns(tb, "publications", changed, generated...)),
			r.Data[0].ScheduledPost.ID, post, a.ID, crier.TimeOf(at))
	}
	s.Exec(tb, `UPDATE organizations SET reserved_credits = (SELECT sum(p.reserved_credits) FROM publications p
		WHERE p.organization_id = organizations.id)
		WHERE id = $1`, c.Organization)
}

// CopyPublishJob copies the one waiting job of a publication, and has the database do the upkeep that it does by itself
// after a while.
func (s *Server) CopyPublishJob(tb testing.TB, count int) {
	tb.Helper()
	q := copyQueries[s.Node.Store.Dialect()]
	s.Exec(tb, fmt.Sprintf(`INSERT INTO river_job (%[1]s) SELECT %[2]s FROM river_job p, %[3]s
		WHERE p.kind = 'post.publish' AND p.state = 'scheduled'`,
		s.Columns(tb, "river_job", nil, "id"), s.Columns(tb, "river_job", map[string]string{}, "id"), q.series(count)))
	for _, statement := range q.upkeep {
		s.Exec(tb, statement)
	}
}

// copyQueries are the words in which the databases differ, and the upkeep that each does by itself after a while.
var copyQueries = map[store.Dialect]struct {
	id     string
	series func(n int) string
	upkeep []string
}{
	store.SQLite: {
		id: `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-8' ||
			substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`,
		series: func(n int) string {
			return fmt.Sprintf(`(WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < %d) SELECT i
				FROM s) AS s`, n)
		},
		upkeep: []string{`ANALYZE river_job`, `PRAGMA wal_checkpoint(TRUNCATE)`},
	},
	store.Postgres: {
		id:     `gen_random_uuid()`,
		series: func(n int) string { return fmt.Sprintf(`generate_series(1, %d) AS s(i)`, n) },
		upkeep: []string{`VACUUM ANALYZE posts`, `VACUUM ANALYZE publications`, `VACUUM ANALYZE river_job`,
			`CHECKPOINT`},
	},
}

// Columns lists the columns of a table, some of them replaced; nil for a list of names alone.
func (s *Server) Columns(tb testing.TB, table string, replaced map[string]string, without ...string) string {
	tb.Helper()
	rows, err := s.Node.Store.Reader().QueryContext(context.Background(), `SELECT * FROM `+table+` LIMIT 0`)
	if err != nil {
		tb.Fatal(err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		tb.Fatal(err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(without, name) })
	for i, name := range names {
		if value, ok := replaced[name]; ok {
			names[i] = value
		} else if replaced != nil {
			names[i] = "p." + name
		}
	}
	return strings.Join(names, ", ")
}
