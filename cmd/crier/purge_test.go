package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
)

// teamTables are all tables that say which team their rows belong to. Those below them are found by way of posts.
func (s postServer) teamTables(tb testing.TB) []string {
	tb.Helper()
	query := `SELECT table_name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'team_id'`
	if s.node.store.Dialect() == store.SQLite {
		query = `SELECT t.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' AND c.name = 'team_id'`
	}
	rows, err := s.node.store.Reader().QueryContext(context.Background(), query)
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

func TestADeletedTeamIsGoneForGoodAfterThirtyDays(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		var moved clock
		s := startPostServer(t, db, withClock(&moved))
		account, image, tag := s.account(t, crier.ProviderX), s.image(t, "owl"), s.tag(t, "t")
		id := s.post(t, object{"text": "one", "assetIds": []any{image}})
		s.patch(t, id, object{"text": "two"}).want(t, http.StatusOK)
		s.do(t, "PUT", s.posts(id, "tags"), object{"tagIds": []any{tag}}).want(t, http.StatusOK)
		s.schedule(t, publication{post: id, account: account, status: crier.Published, at: time.Now()})
		s.do(t, "DELETE", s.posts(s.post(t, object{"text": "deleted before"})), nil).want(t, http.StatusOK)
		for range 3 {
			s.post(t, object{"text": "more"})
		}
		s.do(t, "DELETE", path("/v1/teams/%s", s.team), nil).want(t, http.StatusOK)
		purge := func() {
			t.Helper()
			if err := s.node.services.Upkeep.PurgeTeam(context.Background(), s.team); err != nil {
				t.Fatal(err)
			}
		}
		purge()
		if n := s.number(t, `SELECT count(*) FROM posts`); n != 5 {
			t.Errorf("%d posts are left right after the deletion, want all 5", n)
		}
		moved.advance(31 * 24 * time.Hour)
		purge()
		tables := s.teamTables(t)
		if len(tables) < 10 {
			t.Errorf("only %v name their team", tables)
		}
		tables = slices.DeleteFunc(tables, func(name string) bool { return name == "audit_log" }) // it is the organization's
		for _, table := range append(tables, "payloads", "post_assets", "post_tags", "post_facets", "attempts", "post_metrics") {
			if n := s.number(t, fmt.Sprintf(`SELECT count(*) FROM %s`, table)); n != 0 {
				t.Errorf("%s still has %d rows", table, n)
			}
		}
		if n := s.number(t, `SELECT count(*) FROM teams WHERE id = $1`, string(s.team)); n != 0 {
			t.Error("the team is still there")
		}
	})
}
