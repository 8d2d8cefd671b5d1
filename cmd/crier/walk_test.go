package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/api"
	"crier/internal/store"
)

// The tests of this file walk the whole route table, so that a new route is tested from its first day: nobody comes in
// without a token, a stranger gets nothing, and a key does what its role, permissions and teams allow.

// callerRoutes need a known caller and no permission of a role: what they show is the caller's own.
var callerRoutes = []string{"GET /v1/agent/context", "GET /v1/organizations", "POST /v1/organizations", "GET /v1/teams"}

// catalogues tell every caller the same, and nothing about anybody.
var catalogues = []string{"GET /v1/permissions", "GET /v1/providers"}

// openRoutes need no token: health, pages for people (which ask for a session where they show anything), what leads to a
// token, and addresses that carry a secret of their own.
var openRoutes = []string{
	"GET /healthz", "GET /readyz", "GET /", "GET /docs",
	"GET /setup", "POST /setup", "GET /setup/done", "GET /sign-in", "POST /sign-in", "POST /sign-out", "GET /account", "POST /account/password",
	"GET /reset-password", "POST /reset-password",
	"GET /invitation", "POST /invitation", "GET /device", "POST /device",
	"POST /v1/auth/device", "POST /v1/auth/token", "POST /v1/auth/revoke",
	"GET /oauth/{provider}/callback", "POST /oauth/{provider}/choose",
	"GET /media/{assetId}/{variant}", "HEAD /media/{assetId}/{variant}",
}

// readers change something with a right to read: a dry run, and leaving an organization oneself.
var readers = []string{"POST /v1/teams/{teamId}/posts/{postId}/validate", "DELETE /v1/organizations/{organizationId}/members/{memberId}"}

// bodies are for routes whose rules go beyond the schema of their body; all others get the least that the schema allows.
var bodies = map[string]object{
	// What any caller that may make keys, or invite people, may give away.
	"POST /v1/organizations/{organizationId}/members":  {"email": "ada@example.com", "role": "viewer"},
	"POST /v1/teams/{teamId}/assets/import":            {"url": "http://127.0.0.1/"},
	"POST /v1/organizations/{organizationId}/api-keys": {"name": "Key", "role": "admin", "permissions": []string{"manage_api_keys"}},
	"POST /v1/teams/{teamId}/posts/{postId}/schedule":  {"socialAccountIds": []string{unknownID}, "scheduledAt": time.Now().Add(time.Hour).UTC().Format(time.RFC3339)},
	"POST /v1/teams/{teamId}/posts/{postId}/validate":  {"socialAccountIds": []string{unknownID}, "scheduledAt": time.Now().Add(time.Hour).UTC().Format(time.RFC3339)},
}

// streams are for routes whose body is not JSON.
var streams = map[string]request{
	"POST /v1/teams/{teamId}/assets":                   {body: "--x--\r\n", header: map[string]string{"Content-Type": "multipart/form-data; boundary=x"}},
	"PUT /v1/teams/{teamId}/assets/uploads/{uploadId}": {body: "x", header: map[string]string{"Content-Range": "bytes 0-0/1"}},
	"PUT /v1/teams/{teamId}/uploads/{uploadId}":        {body: "x", header: map[string]string{"Content-Range": "bytes 0-0/1"}},
}

// queries are for routes that need some.
var queries = map[string]string{
	"GET /v1/teams/{teamId}/calendar": "?from=2026-11-01T00:00:00Z&to=2026-11-30T00:00:00Z",
}

// walked keeps the route table: it is the same for all servers, and costly to make.
var walked struct {
	sync.Once
	routes []api.Route
}

// table is the route table of the program.
func (s *server) table() []api.Route {
	walked.Do(func() {
		door := api.New(api.Config{Services: s.node.services, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
		walked.routes = door.Routes()
	})
	return slices.Clone(walked.routes)
}

// described are the routes of the table that need a token.
func (s *server) described() []api.Route {
	return slices.DeleteFunc(s.table(), func(r api.Route) bool { return r.Open })
}

func name(r api.Route) string { return r.Method + " " + r.Path }

func TestEveryRouteNeedsATokenAndAPermission(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, p := range crier.Permissions() {
		known[string(p)] = true
	}
	s := startServer(t, databases.Fresh(t, store.SQLite), withRole("api"))
	for _, r := range s.table() {
		switch {
		case r.Open && !slices.Contains(openRoutes, name(r)):
			t.Errorf("%s needs no token, and no test says that it should not", name(r))
		case !r.Open && r.Permission == "" && !slices.Contains(callerRoutes, name(r)) && !slices.Contains(catalogues, name(r)):
			t.Errorf("%s needs no permission, and no test says that it should not", name(r))
		case r.Permission != "" && !known[r.Permission]:
			t.Errorf("%s needs the permission %q, which is not in the catalogue", name(r), r.Permission)
		case r.Method != "GET" && (r.Permission == "read" || r.Permission == "read_analytics") && !slices.Contains(readers, name(r)):
			t.Errorf("%s changes something and needs the permission %s only", name(r), r.Permission)
		}
	}
}

// of makes a request to a route about the things of a tenant. Things below a team or an organization are unknown ones.
func (s *server) of(tb testing.TB, r api.Route, victim tenant) request {
	tb.Helper()
	address := strings.NewReplacer("{teamId}", string(victim.team), "{organizationId}", string(victim.organization)).Replace(r.Path)
	for strings.Contains(address, "{") {
		before, rest, _ := strings.Cut(address, "{")
		_, after, _ := strings.Cut(rest, "}")
		address = before + unknownID + after
	}
	out := request{method: r.Method, path: address + queries[name(r)]}
	if body, ok := bodies[name(r)]; ok {
		out.body = body
		return out
	}
	if stream, ok := streams[name(r)]; ok {
		out.body, out.header = stream.body, maps.Clone(stream.header)
		return out
	}
	if schema, ok := walk(s.openAPI(tb).root, []any{"paths", r.Path, strings.ToLower(r.Method), "requestBody", "content", "application/json", "schema"}); ok {
		out.body = s.openAPI(tb).least(schema, victim)
	}
	return out
}

// least is the smallest value that a schema allows, about the things of a tenant.
func (d *document) least(schema any, about tenant) any {
	s, _ := schema.(map[string]any)
	if ref, ok := s["$ref"].(string); ok {
		target, _ := walk(d.root, []any{"components", "schemas", strings.TrimPrefix(ref, "#/components/schemas/")})
		return d.least(target, about)
	}
	if values, ok := s["enum"].([]any); ok {
		return values[0]
	}
	switch kind, _ := kindOf(s); kind {
	case "object":
		value := object{}
		required, _ := s["required"].([]any)
		for _, field := range required {
			property, _ := walk(s, []any{"properties", field})
			value[field.(string)] = d.least(property, about)
			if field == "organizationId" {
				value["organizationId"] = about.organization
			}
		}
		return value
	case "array":
		if s["minItems"] != nil {
			return []any{d.least(s["items"], about)}
		}
		return []any{}
	case "boolean":
		return false
	case "integer", "number":
		if s["minimum"] != nil {
			return s["minimum"]
		}
		return 1
	}
	switch s["format"] {
	case "uuid":
		return unknownID
	case "email":
		return "ada@example.com"
	case "date-time":
		return time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	}
	return "text"
}

func TestNobodyComesInWithoutAToken(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		before := s.snapshot(t)
		for _, r := range s.described() {
			for _, token := range []string{"", "garbage", s.key + "0", s.key[:len(s.key)-1] + "!", strings.ToUpper(s.key)} {
				call := s.of(t, r, s.tenant)
				call.key = token
				if got := s.send(t, call); got.status != http.StatusUnauthorized || got.tag() != "Unauthorized" {
					t.Errorf("%s with the token %q: %d %s", name(r), token, got.status, got.body)
				}
			}
		}
		s.wantUnchanged(t, before)
	})
}

func TestAStrangerGetsNothingAndChangesNothing(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		stranger := s.newTenant(t, "Stranger")
		before := s.snapshot(t)
		for _, r := range s.described() {
			if name(r) == "POST /v1/organizations" {
				continue // makes the stranger's own
			}
			call := s.of(t, r, s.tenant)
			call.key = stranger.key
			if call.header == nil {
				call.header = map[string]string{}
			}
			call.header["Idempotency-Key"] = strings.ReplaceAll(name(r), " ", "")
			got := s.send(t, call)
			if r.Permission == "" {
				got.want(t, http.StatusOK)
				for _, secret := range []string{string(s.organization), string(s.team), "First organization"} {
					if strings.Contains(string(got.body), secret) {
						t.Errorf("%s shows a stranger %s", name(r), secret)
					}
				}
				continue
			}
			if got.status != http.StatusForbidden || got.tag() != "Forbidden" {
				t.Errorf("%s: a stranger gets %d %s (if the body is not valid: add one to bodies)", name(r), got.status, got.body)
			}
		}
		s.wantUnchanged(t, before)
	})
}

func TestARoleMayDoWhatItHoldsAndNothingElse(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		for _, role := range []crier.Role{crier.RoleViewer, crier.RoleEditor, crier.RoleAdmin, crier.RoleOwner} {
			key := s.newKey(t, object{"role": role})
			s.walkAs(t, string(role), key, func(r api.Route) bool {
				if name(r) == "POST /v1/organizations" {
					return role == crier.RoleAdmin || role == crier.RoleOwner
				}
				return r.Permission == "" || role.Can(crier.Permission(r.Permission))
			})
		}
	})
}

func TestAKeyNarrowedToAPermissionMayDoThatAndNothingElse(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		for _, p := range crier.Permissions() {
			key := s.newKey(t, object{"role": "owner", "permissions": []crier.Permission{p}})
			s.walkAs(t, "only "+string(p), key, func(r api.Route) bool {
				if r.Permission == "" {
					return name(r) == "GET /v1/agent/context" || slices.Contains(catalogues, name(r)) || p == crier.Read && r.Method == "GET"
				}
				return r.Permission == string(p)
			})
		}
	})
}

// walkAs calls every route with a key. Where the key may not, the answer is a 403 and nothing changes; where it may, on
// a team of its own each time, it is anything but a refusal.
func (s *server) walkAs(t *testing.T, who, key string, may func(api.Route) bool) {
	t.Helper()
	before := s.snapshot(t)
	for _, r := range s.described() {
		if may(r) {
			continue
		}
		call := s.of(t, r, s.tenant)
		call.key = key
		if got := s.send(t, call); got.status != http.StatusForbidden || got.tag() != "Forbidden" {
			t.Errorf("%s: %s is answered with %d %s", who, name(r), got.status, got.body)
		}
	}
	s.wantUnchanged(t, before)
	for _, r := range s.described() {
		if !may(r) {
			continue
		}
		fresh := s.do(t, "POST", "/v1/teams", object{"organizationId": s.organization, "name": "Walked"}).want(t, http.StatusCreated).text(t, "id")
		call := s.of(t, r, tenant{organization: s.organization, team: crier.ID(fresh)})
		call.key = key
		if got := s.send(t, call); got.status == http.StatusForbidden || got.status == http.StatusUnauthorized {
			t.Errorf("%s: %s is refused: %d %s", who, name(r), got.status, got.body)
		}
	}
}

func TestAKeyNarrowedToATeamReachesThatTeamOnly(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		inside := s.do(t, "POST", "/v1/teams", object{"organizationId": s.organization, "name": "Inside"}).want(t, http.StatusCreated).text(t, "id")
		key := s.newKey(t, object{"role": "owner", "teamIds": []string{inside}})
		before := s.snapshot(t)
		for _, r := range s.described() {
			call := s.of(t, r, s.tenant) // the first team, which is outside
			call.key = key
			switch {
			case name(r) == "POST /v1/organizations", strings.Contains(r.Path, "{teamId}"):
				if got := s.send(t, call); got.status != http.StatusForbidden {
					t.Errorf("%s: outside its team the key gets %d %s", name(r), got.status, got.body)
				}
			case r.Permission != "" && r.Permission != "read":
				if got := s.send(t, call); got.status != http.StatusForbidden {
					t.Errorf("%s: in the whole organization the key gets %d %s", name(r), got.status, got.body)
				}
			}
		}
		members := path("/v1/organizations/%s/members", s.organization)
		owner := s.do(t, "GET", members, nil).want(t, http.StatusOK).text(t, "data", 0, "id")
		s.as(t, key, "DELETE", members+"/"+owner, nil).wantError(t, http.StatusForbidden, "Forbidden")
		s.wantUnchanged(t, before)
		for _, list := range []string{"/v1/teams", path("/v1/teams?organizationId=%s", s.organization)} {
			got := s.as(t, key, "GET", list, nil).want(t, http.StatusOK)
			if fmt.Sprint(got.get(t, "total")) != "1" || got.text(t, "data", 0, "id") != inside {
				t.Errorf("%s shows a key of one team: %s", list, got.body)
			}
		}
		overview := s.as(t, key, "GET", "/v1/agent/context", nil).want(t, http.StatusOK)
		if fmt.Sprint(overview.get(t, "credential", "teamIds")) != "["+inside+"]" || overview.text(t, "defaultTeamId") != inside {
			t.Errorf("the overview of a key of one team: %s", overview.body)
		}
		s.as(t, key, "PATCH", "/v1/teams/"+inside, object{"name": "Still inside"}).want(t, http.StatusOK)
		s.as(t, key, "DELETE", "/v1/teams/"+inside, nil).want(t, http.StatusOK)
		if got := s.as(t, key, "GET", "/v1/teams", nil).want(t, http.StatusOK); fmt.Sprint(got.get(t, "total")) != "0" {
			t.Errorf("a key whose only team is gone sees %s", got.body)
		}
	})
}

// snapshot is a fingerprint of everything in the store but the notes of when keys were used and the job engine's own rows.
func (s *server) snapshot(t *testing.T) string {
	t.Helper()
	ctx := context.Background()
	sums := map[string]string{}
	for _, table := range s.tables(t) {
		columns := "*"
		if table == "api_keys" {
			columns = "id, organization_id, created_by_id, name, permissions, organization_count, expires_at, revoked_at, created_at, updated_at"
		}
		rows, err := s.node.store.Reader().QueryContext(ctx, `SELECT `+columns+` FROM `+table+` ORDER BY 1, 2`)
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

// tables are those that crier's own rows live in.
func (s *server) tables(t *testing.T) []string {
	t.Helper()
	query := `SELECT name FROM sqlite_master WHERE type = 'table'`
	if s.node.store.Dialect() == store.Postgres {
		query = `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`
	}
	rows, err := s.node.store.Reader().QueryContext(context.Background(), query)
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

func (s *server) wantUnchanged(t *testing.T, before string) {
	t.Helper()
	if after := s.snapshot(t); after != before {
		t.Errorf("the store has changed:\n%s\n%s", before, after)
	}
}
