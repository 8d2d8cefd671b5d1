package main

import (
	"maps"
	"net/http"
	"testing"

	"crier/internal/store"
)

func TestAFreshServerAnswersItsFirstTenant(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db)
		s.send(t, request{method: "GET", path: "/healthz"}).want(t, http.StatusOK)
		s.send(t, request{method: "GET", path: "/readyz"}).want(t, http.StatusOK)
		got := s.do(t, "GET", "/v1/agent/context", nil).want(t, http.StatusOK)
		if got.text(t, "defaultOrganizationId") != string(s.organization) || got.text(t, "defaultTeamId") != string(s.team) {
			t.Errorf("the defaults are not the first tenant's: %s", got.body)
		}
		stranger := s.newTenant(t, "Stranger")
		s.as(t, stranger.key, "GET", path("/v1/teams/%s", s.team), nil).wantError(t, http.StatusForbidden, "Forbidden")
	})
}

func TestTheHarnessSeesAnswersThatTheDocumentDoesNotAllow(t *testing.T) {
	t.Parallel()
	s := startServer(t, databases.Fresh(t, store.SQLite), withRole("api"))
	r := request{method: "GET", path: path("/v1/teams/%s", s.team), key: s.key}
	good := s.send(t, r).want(t, http.StatusOK)
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
		bad.header = good.header.Clone()
		switch {
		case change != nil:
			team := maps.Clone(good.json.(map[string]any))
			change(team)
			bad.json = team
		case name == "another status":
			bad.status = http.StatusAccepted
		default:
			bad.header.Set("Content-Type", "text/plain")
		}
		if s.openAPI(t).check(r, bad) == nil {
			t.Errorf("%s: not noticed", name)
		}
	}
}
