package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// The database keeps archived in agreement with the status, whichever statement changes it.
func TestArchivedFollowsTheStatus(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		post := f.NewPost("a post")
		wrong := func(when string) {
			t.Helper()
			if n := f.Scan(`SELECT count(*) FROM posts WHERE archived <> (status = 'archived')`); n != 0 {
				t.Errorf("%s: archived contradicts the status", when)
			}
		}
		wrong("inserted")
		f.NewPost("archived from the start", func(p *store.Post) { p.Status = crier.PostArchived })
		wrong("inserted as archived")
		for _, status := range []crier.PostStatus{crier.PostArchived, crier.PostDraft, crier.PostApproved} {
			if _, err := f.Writer().ExecContext(ctx, `UPDATE posts SET status = $2 WHERE id = $1`, post.ID,
				status); err != nil {
				t.Fatal(err)
			}
			wrong(string(status))
		}
		if _, err := f.Writer().ExecContext(ctx, `UPDATE posts SET status = 'archived'`); err != nil {
			t.Fatal(err)
		}
		wrong("all at once")
	})
}

// The migration turns a generated column into one that a trigger sets. The values on disk stay.
func TestArchivedPostsStayArchivedInTheMigration_sqlite(t *testing.T) {
	t.Parallel()
	const before = 51
	s := empty.Fresh(t, store.SQLite).Open(t)
	ctx := context.Background()
	if err := s.MigrateTo(ctx, before); err != nil {
		t.Fatal(err)
	}
	f := storetest.NewFixture(t, s)
	for i := range 40 {
		f.NewPost(fmt.Sprint("post ", i), func(p *store.Post) {
			if i%3 == 0 {
				p.Status = crier.PostArchived
			}
		})
	}
	// By an index of the column and without one.
	rows := func() string {
		return fmt.Sprint(
			query(t, s, `SELECT id, archived, title_key, scheduled_at FROM posts NOT INDEXED ORDER BY id`),
			query(t, s, `SELECT id, archived FROM posts INDEXED BY posts_by_created
				WHERE team_id = $1 AND deleted_at IS NULL ORDER BY archived, created_at, id`, f.Team.ID))
	}
	was := rows()
	if _, err := s.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	if is := rows(); is != was || strings.Count(is, "true")+strings.Count(is, " 1") == 0 {
		t.Errorf("the posts differ:\n%s\n%s", was, is)
	}
	if sound := query(t, s, `PRAGMA integrity_check`); len(sound) != 1 || sound[0][0] != "ok" {
		t.Errorf("the database is damaged: %v", sound)
	}
	declared := query(t, s, `SELECT name, hidden FROM pragma_table_xinfo('posts') WHERE hidden <> 0`)
	if fmt.Sprint(declared) != "[[title_key 3]]" {
		t.Errorf("generated columns: %v", declared)
	}
}
