package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// contradictions counts publications whose live or canceled contradicts the status.
const contradictions = `SELECT count(*) FROM publications
	WHERE live <> (status IN ('scheduled', 'publishing', 'processing', 'unknown')) OR canceled <> (status = 'canceled')`

// contradictingProblems counts publications that are problems and not in the table of problems, or the other way round.
const contradictingProblems = `SELECT count(*) FROM publications p
	LEFT JOIN publication_problems x ON x.publication_id = p.id
	WHERE (p.status IN ('failed', 'missed', 'unknown')) <> (x.publication_id IS NOT NULL) OR x.status <> p.status
	OR x.post_id <> p.post_id OR x.scheduled_post_id <> coalesce(p.parent_id, p.id)`

// The database keeps live and canceled in agreement with the status, whichever statement changes it.
func TestLiveFollowsTheStatus(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, post := context.Background(), f.NewPost("a post")
		wrong := func(when string) {
			t.Helper()
			if n := f.Scan(contradictions); n != 0 {
				t.Errorf("%s: %d publications contradict their status", when, n)
			}
		}
		for _, status := range crier.ScheduledPostStatuses() {
			p := f.Schedule(f.NewPost("inserted as "+string(status)), func(p *store.Publication) { p.Status = status })
			wrong("inserted as " + string(status))
			f.Follow(p, store.FirstComment, func(p *store.Publication) { p.Status = status })
			wrong("an action inserted as " + string(status))
		}
		p := f.Schedule(post)
		for _, from := range crier.ScheduledPostStatuses() {
			for _, to := range crier.ScheduledPostStatuses() {
				for _, status := range []crier.ScheduledPostStatus{from, to} {
					if _, err := f.Writer().ExecContext(ctx, `UPDATE publications SET status = $2 WHERE id = $1`, p.ID,
						status); err != nil {
						t.Fatal(err)
					}
				}
				wrong(fmt.Sprintf("%s after %s", to, from))
			}
		}
		if _, err := f.Writer().ExecContext(ctx, `UPDATE publications SET status = 'canceled'`); err != nil {
			t.Fatal(err)
		}
		wrong("all at once")
	})
}

// A settlement writes every column that it may change. Publishing a post is the only one that never moves it.
func TestSettlementsMoveAPublication(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		owner, moved := crier.NewID(), f.After(time.Hour)
		for _, status := range crier.ScheduledPostStatuses() {
			for kind, p := range map[string]store.Publication{
				"post":   f.Schedule(f.NewPost("a post")),
				"action": f.Follow(f.Schedule(f.NewPost("with a comment")), store.FirstComment),
			} {
				settle(t, f.Store, f.Now, settlement(f.Lease(owner, p)[0], owner, func(p *store.Publication) {
					p.Status, p.ScheduledAt = status, moved
				}))
				got := f.Read(p.ID)
				if got.Status != status || got.ScheduledAt == moved == (kind == "post" && status == crier.Published) {
					t.Errorf("%s, %s: %s at %s", kind, status, got.Status, got.ScheduledAt)
				}
			}
		}
		if n := f.Scan(contradictions); n != 0 {
			t.Errorf("%d publications contradict their status", n)
		}
	})
}

// The migration turns generated columns into ones that triggers set.
func TestPublicationsStayLiveInTheMigration_sqlite(t *testing.T) {
	t.Parallel()
	const before = 54
	s := empty.Fresh(t, store.SQLite).Open(t)
	ctx := context.Background()
	if err := s.MigrateTo(ctx, before); err != nil {
		t.Fatal(err)
	}
	f := storetest.NewFixture(t, s)
	for i, status := range crier.ScheduledPostStatuses() {
		post := f.NewPost(fmt.Sprint("post ", i))
		if _, err := f.Writer().ExecContext(ctx, `INSERT INTO publications (id, team_id, organization_id, post_id,
			social_account_id, provider, status, scheduled_at, timezone, payload_id, epoch, platform_settings, actions,
			state, results, created_at, updated_at)
			VALUES ($1, $2, $3, $4, $5, 'x', $6, $7, 'UTC', $8, 0, '{}', '{}', '{}', '{}', $7, $7)`, crier.NewID(),
			f.Team.ID, f.Organization.ID, post.ID, f.Account.ID, status, f.Now, post.ContentPayloadID); err != nil {
			t.Fatal(err)
		}
	}
	// By an index of each column and without one.
	rows := func() string {
		return fmt.Sprint(
			query(t, s, `SELECT id, live, canceled FROM publications NOT INDEXED ORDER BY id`),
			query(t, s, `SELECT id FROM publications INDEXED BY publications_canceled
				WHERE team_id = $1 AND kind = 'post' AND canceled ORDER BY id`, f.Team.ID),
			query(t, s, `SELECT id FROM publications INDEXED BY publications_planned
				WHERE provider = 'x' AND kind = 'post' AND live ORDER BY id`))
	}
	was := rows()
	if _, err := s.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	if is := rows(); is != was {
		t.Errorf("the publications differ:\n%s\n%s", was, is)
	}
	if n := f.Scan(contradictions); n != 0 {
		t.Errorf("%d publications contradict their status", n)
	}
	if sound := query(t, s, `PRAGMA integrity_check`); len(sound) != 1 || sound[0][0] != "ok" {
		t.Errorf("the database is damaged: %v", sound)
	}
}

// SQLite's version 57 planned the first readings of posts that were not counted yet when it counted them.
func TestUncountedPostsGetTheirReadingsAfterTheMigration_sqlite(t *testing.T) {
	t.Parallel()
	const before = 57
	s := empty.Fresh(t, store.SQLite).Open(t)
	ctx := context.Background()
	if err := s.MigrateTo(ctx, before); err != nil {
		t.Fatal(err)
	}
	f := storetest.NewFixture(t, s)
	ids := make([]crier.ID, 3)
	for i := range ids {
		ids[i] = crier.NewID()
		post := f.NewPost(fmt.Sprint("post ", i))
		mustExec(t, s, `INSERT INTO publications (id, team_id, organization_id, post_id, social_account_id, provider,
			status, scheduled_at, timezone, payload_id, platform_settings, actions, state, results, created_at,
			updated_at) VALUES ($1, $2, $3, $4, $5, 'x', 'published', $6, 'UTC', $7, '{}', '{}', '{}', '{}', $6, $6)`,
			ids[i], f.Team.ID, f.Organization.ID, post.ID, f.Account.ID, f.Now, post.ContentPayloadID)
		mustExec(t, s, `INSERT INTO events (id, written, sequence, organization_id, type, data, created_at)
			VALUES ($1, 0, $2, $3, 'scheduled_post.published', $4, $5)`, crier.NewID(), i+1, f.Organization.ID,
			fmt.Sprintf(`{"object":{"id":"%s"}}`, ids[i]), f.Now)
	}
	mustExec(t, s, `UPDATE analytics_log SET followed = 1, planned = 2`)
	if _, err := s.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	if rows := query(t, s, `SELECT id FROM publications WHERE reading_follows`); len(rows) != 1 ||
		rows[0][0] != string(ids[2]) {
		t.Errorf("the readings of %v follow, want only %s", rows, ids[2])
	}
	if n := f.Scan(`SELECT planned_to FROM analytics_log`); n != 1 {
		t.Errorf("events are counted from %d on", n)
	}
}
