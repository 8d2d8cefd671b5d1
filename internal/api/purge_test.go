package api_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// teamTables returns all tables with a team column. Those below them are found through posts.
func (s postServer) teamTables(tb testing.TB) []string {
	tb.Helper()
	query := `SELECT table_name FROM information_schema.columns WHERE table_schema = 'public'
		AND column_name = 'team_id'`
	if s.Node.Store.Dialect() == store.SQLite {
		query = `SELECT t.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table'
			AND c.name = 'team_id'`
	}
	rows, err := s.Node.Store.Reader().QueryContext(context.Background(), query)
	if err != nil {
		tb.Fatal(err)
	}
	defer rows.Close()
	var tables []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			tb.Fatal(err)
		}
		tables = append(tables, name)
	}
	if err := rows.Err(); err != nil {
		tb.Fatal(err)
	}
	return tables
}

func TestDeletedTeamIsPurgedAfterThirtyDays(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		var moved servertest.Clock
		s := startPostServer(t, db, servertest.WithClock(&moved))
		account, image, tag := s.InsertAccount(t, crier.ProviderX), s.InsertImage(t, "owl"), s.NewTag(t, "t")
		id := s.NewPostID(t, object{"text": "one", "assetIds": []any{image}})
		s.PatchPost(t, id, object{"text": "two"}).Want(t, http.StatusOK)
		s.Do(t, "PUT", s.PostsPath(id, "tags"), object{"tagIds": []any{tag}}).Want(t, http.StatusOK)
		s.InsertPublications(t, servertest.PublicationRow{Post: id, Account: account, Status: crier.Published,
			At: time.Now()})
		s.Do(t, "DELETE", s.PostsPath(s.NewPostID(t, object{"text": "deleted before"})), nil).Want(t, http.StatusOK)
		for range 3 {
			s.NewPostID(t, object{"text": "more"})
		}
		s.Do(t, "DELETE", path("/v1/teams/%s", s.Team), nil).Want(t, http.StatusOK)
		purge := func() {
			t.Helper()
			if err := s.Node.Services.Upkeep.PurgeTeam(context.Background(), s.Team); err != nil {
				t.Fatal(err)
			}
		}
		purge()
		if n := s.Number(t, `SELECT count(*) FROM posts`); n != 5 {
			t.Errorf("%d posts are left right after the deletion, want all 5", n)
		}
		moved.Advance(31 * 24 * time.Hour)
		purge()
		tables := s.teamTables(t)
		if len(tables) < 10 {
			t.Errorf("only %v name their team", tables)
		}
		// These belong to the organization, as do the events without a team.
		tables = slices.DeleteFunc(tables, func(name string) bool { return name == "audit_log" || name == "events" })
		if n := s.Number(t, `SELECT count(*) FROM events WHERE team_id IS NOT NULL`); n != 0 {
			t.Errorf("%d events of the team are left", n)
		}
		for _, table := range append(tables, "payloads", "post_assets", "post_tags", "post_facets", "attempts",
			"post_metrics") {
			if n := s.Number(t, fmt.Sprintf(`SELECT count(*) FROM %s`, table)); n != 0 {
				t.Errorf("%s still has %d rows", table, n)
			}
		}
		if n := s.Number(t, `SELECT count(*) FROM teams WHERE id = $1`, string(s.Team)); n != 0 {
			t.Error("the team is still there")
		}
	})
}
