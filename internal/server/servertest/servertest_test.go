package servertest_test

import (
	"context"
	"maps"
	"net/http"
	"os"
	"testing"

	"crier/internal/server/servertest"
	"crier/internal/store"
)

func TestMain(m *testing.M) { os.Exit(servertest.Run(m)) }

func TestFreshServerAnswersItsFirstTenant(t *testing.T) {
	t.Parallel()
	servertest.EachDatabase(t, func(t *testing.T, db servertest.Database) {
		s := servertest.Start(t, db)
		s.Send(t, servertest.Request{Method: "GET", Path: "/healthz"}).Want(t, http.StatusOK)
		s.Send(t, servertest.Request{Method: "GET", Path: "/readyz"}).Want(t, http.StatusOK)
		got := s.Do(t, "GET", "/v1/agent/context", nil).Want(t, http.StatusOK)
		if got.Text(t, "defaultOrganizationId") != string(s.Organization) ||
			got.Text(t, "defaultTeamId") != string(s.Team) {
			t.Errorf("the defaults are not the first tenant's: %s", got.Body)
		}
		stranger := s.NewTenant(t, "Stranger")
		s.As(t, stranger.Key, "GET", servertest.Path("/v1/teams/%s", s.Team), nil).WantError(t, http.StatusForbidden,
			"Forbidden")
	})
}

func TestHarnessDetectsResponsesOutsideTheDocument(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	r := servertest.Request{Method: "GET", Path: servertest.Path("/v1/teams/%s", s.Team), Key: s.Key}
	good := s.Send(t, r).Want(t, http.StatusOK)
	spoil := map[string]func(team map[string]any){
		"a field is missing":   func(team map[string]any) { delete(team, "name") },
		"a type is wrong":      func(team map[string]any) { team["name"] = 7 },
		"null is not allowed":  func(team map[string]any) { team["createdAt"] = nil },
		"a format is wrong":    func(team map[string]any) { team["createdAt"] = "yesterday" },
		"a pattern is broken":  func(team map[string]any) { team["id"] = "42" },
		"a key is not known":   func(team map[string]any) { team["colour"] = "red" },
		"another status":       nil,
		"another content type": nil,
	}
	for name, change := range spoil {
		bad := good
		bad.Header = good.Header.Clone()
		switch {
		case change != nil:
			team := maps.Clone(good.JSON.(map[string]any))
			change(team)
			bad.JSON = team
		case name == "another status":
			bad.Status = http.StatusAccepted
		default:
			bad.Header.Set("Content-Type", "text/plain")
		}
		if s.OpenAPI(t).Check(r, bad) == nil {
			t.Errorf("%s: not noticed", name)
		}
	}
}

func TestSnapshotShowsRequestsAndNotMaintenance(t *testing.T) {
	t.Parallel()
	servertest.EachDatabase(t, func(t *testing.T, db servertest.Database) {
		s := servertest.Start(t, db, servertest.WithRole("api"))
		s.CreatePost(t, servertest.Object{"text": "A text"})
		before := s.Snapshot(t)
		if err := s.Node.Store.MergeListCounts(context.Background()); err != nil {
			t.Fatal(err)
		}
		s.WantUnchanged(t, before)
		s.CreatePost(t, servertest.Object{"text": "Another text"})
		if s.Snapshot(t) == before {
			t.Error("the snapshot does not show a new post")
		}
	})
}
