package api_test

import (
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
	"crier/internal/media/mediatest"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// The tests in this file walk the whole route table, so that a new route is tested from the start: no access without a
// token, nothing for strangers, and a key does what its role, permissions and teams allow.

// callerRoutes need an authenticated caller and no permission of a role: they return the caller's own data.
var callerRoutes = []string{"GET /v1/agent/context", "GET /v1/organizations", "POST /v1/organizations", "GET /v1/teams"}

// catalogues return the same to every caller, and nothing about tenants.
var catalogues = []string{"GET /v1/permissions", "GET /v1/providers"}

// openRoutes need no token: health, pages for users (which require a session where they show data), routes that lead to
// a token, and addresses that contain a secret.
var openRoutes = []string{
	"GET /healthz", "GET /readyz", "GET /", "GET /docs", "GET /v1/instance",
	"GET /.well-known/security.txt",
	"GET /app", "GET /app/*", "GET /app/assets/*",
	"GET /setup", "POST /setup", "GET /setup/done", "GET /sign-in", "POST /sign-in", "POST /sign-out", "GET /account",
	"POST /account/password",
	"GET /reset-password", "POST /reset-password", "GET /mail-link", "POST /mail-link",
	"GET /invitation", "POST /invitation", "GET /device", "POST /device",
	"POST /v1/auth/device", "POST /v1/auth/token", "POST /v1/auth/revoke",
	"GET /.well-known/oauth-protected-resource", "GET /.well-known/oauth-protected-resource/mcp",
	"GET /.well-known/oauth-authorization-server", "GET /oauth/authorize", "POST /oauth/authorize",
	"POST /v1/auth/register",
	"GET /oauth/{provider}/callback", "POST /oauth/{provider}/choose",
	"PUT /media/uploads/{address}", "GET /media/{assetId}/{variant}", "HEAD /media/{assetId}/{variant}",
}

// readers are changes that need only permission to read: a dry run, and leaving an organization oneself.
var readers = []string{"POST /v1/teams/{teamId}/posts/{postId}/validate", "POST /v1/teams/{teamId}/posts/validate",
	"DELETE /v1/organizations/{organizationId}/members/{memberId}"}

// bodies are for routes with rules beyond the schema of their body; all others get the smallest value that the schema
// allows.
var bodies = map[string]object{
	// The rights that any caller with permission to create keys, or to invite, may grant.
	"POST /v1/organizations/{organizationId}/members":  {"email": "ada@example.com", "role": "viewer"},
	"POST /v1/teams/{teamId}/assets/import":            {"url": "http://127.0.0.1/"},
	"POST /v1/organizations/{organizationId}/webhooks": {"url": "https://example.com/hook", "types": []string{"*"}},
	"POST /v1/organizations/{organizationId}/webhooks/{id}/replay": {"from": "2026-01-01T00:00:00Z",
		"to": "2026-01-02T00:00:00Z"},
	"POST /v1/organizations/{organizationId}/api-keys": {"name": "Key", "role": "admin",
		"permissions": []string{"manage_api_keys"}},
	"POST /v1/teams/{teamId}/posts/{postId}/schedule": {"socialAccountIds": []string{unknownID},
		"scheduledAt": time.Now().Add(time.Hour).UTC().Format(time.RFC3339)},
	"POST /v1/teams/{teamId}/posts/{postId}/validate": {"socialAccountIds": []string{unknownID},
		"scheduledAt": time.Now().Add(time.Hour).UTC().Format(time.RFC3339)},
}

// streams are for routes whose body is not JSON.
var streams = map[string]servertest.Request{
	"POST /v1/teams/{teamId}/assets": {Body: "--x--\r\n",
		Header: map[string]string{"Content-Type": "multipart/form-data; boundary=x"}},
	"PUT /v1/teams/{teamId}/assets/uploads/{uploadId}": {Body: "x",
		Header: map[string]string{"Content-Range": "bytes 0-0/1"}},
	"PUT /v1/teams/{teamId}/uploads/{uploadId}": {Body: "x",
		Header: map[string]string{"Content-Range": "bytes 0-0/1"}},
}

// queries are for routes with required query parameters.
var queries = map[string]string{
	"GET /v1/teams/{teamId}/calendar":                  "?from=2026-11-01T00:00:00Z&to=2026-11-30T00:00:00Z",
	"GET /v1/teams/{teamId}/scheduling-slots/calendar": "?from=2026-11-01T00:00:00Z&to=2026-11-30T00:00:00Z",
}

// walked caches the route table: it is the same for all servers, and expensive to build.
var walked struct {
	sync.Once
	routes []api.Route
}

// table returns the route table of the program.
func (s *testServer) table() []api.Route {
	walked.Do(func() {
		server := api.New(api.Config{Services: s.Node.Services, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
		walked.routes = server.Routes()
	})
	return slices.Clone(walked.routes)
}

// described returns the routes of the table that need a token.
func (s *testServer) described() []api.Route {
	return slices.DeleteFunc(s.table(), func(r api.Route) bool { return r.Open })
}

func name(r api.Route) string { return r.Method + " " + r.Path }

func TestEveryRouteNeedsATokenAndAPermission(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, p := range crier.Permissions() {
		known[string(p)] = true
	}
	s := sharedServer(t)
	for _, r := range s.table() {
		switch {
		case r.Open && !slices.Contains(openRoutes, name(r)):
			t.Errorf("%s needs no token, and no test says that it should not", name(r))
		case !r.Open && r.Permission == "" && !r.Person && !slices.Contains(callerRoutes, name(r)) &&
			!slices.Contains(catalogues, name(r)):
			t.Errorf("%s needs no permission, and no test says that it should not", name(r))
		case r.Permission != "" && !known[r.Permission]:
			t.Errorf("%s needs the permission %q, which is not in the catalogue", name(r), r.Permission)
		case r.Method != "GET" && strings.HasPrefix(r.Permission, "read") &&
			!slices.Contains(readers, name(r)):
			t.Errorf("%s changes something and needs the permission %s only", name(r), r.Permission)
		}
	}
}

// of builds a request to a route with the ids of a tenant. Ids of objects below a team or an organization are unknown.
func (s *testServer) of(tb testing.TB, r api.Route, victim servertest.Tenant) servertest.Request {
	tb.Helper()
	address := strings.NewReplacer("{teamId}", string(victim.Team), "{organizationId}",
		string(victim.Organization)).Replace(r.Path)
	for strings.Contains(address, "{") {
		before, rest, _ := strings.Cut(address, "{")
		_, after, _ := strings.Cut(rest, "}")
		address = before + unknownID + after
	}
	out := servertest.Request{Method: r.Method, Path: address + queries[name(r)]}
	if body, ok := bodies[name(r)]; ok {
		out.Body = body
		return out
	}
	if stream, ok := streams[name(r)]; ok {
		out.Body, out.Header = stream.Body, maps.Clone(stream.Header)
		return out
	}
	if schema, ok := servertest.Walk(s.OpenAPI(tb).Root,
		[]any{"paths", r.Path, strings.ToLower(r.Method), "requestBody", "content", "application/json", "schema"}); ok {
		out.Body = s.document(tb).least(schema, victim)
	}
	return out
}

// least returns the smallest value that a schema allows, with the ids of a tenant.
func (d *document) least(schema any, about servertest.Tenant) any {
	s, _ := schema.(map[string]any)
	if ref, ok := s["$ref"].(string); ok {
		target, _ := servertest.Walk(d.Root, []any{"components", "schemas",
			strings.TrimPrefix(ref, "#/components/schemas/")})
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
			property, _ := servertest.Walk(s, []any{"properties", field})
			value[field.(string)] = d.least(property, about)
			if field == "organizationId" {
				value["organizationId"] = about.Organization
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

func TestRequestsWithoutATokenAreRejected(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		before := s.Snapshot(t)
		for _, r := range s.described() {
			for _, token := range []string{"", "garbage", s.Key + "0", s.Key[:len(s.Key)-1] + "!",
				strings.ToUpper(s.Key)} {
				call := s.of(t, r, s.Tenant)
				call.Key = token
				if got := s.Send(t, call); got.Status != http.StatusUnauthorized || got.Tag() != "Unauthorized" {
					t.Errorf("%s with the token %q: %d %s", name(r), token, got.Status, got.Body)
				}
			}
		}
		s.WantUnchanged(t, before)
	})
}

func TestStrangerCanNeitherReadNorChange(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		options := []servertest.Option{withRole("api")}
		if db.Dialect == store.Postgres { // as in installations with several nodes
			options = append(options, withS3(mediatest.StartS3(t)))
		}
		s := startServer(t, db, options...)
		stranger := s.NewFounder(t, "stranger@example.com")
		session := s.NewBrowser(t).SignIn(t, stranger.Email).Session(t)
		before := s.Snapshot(t)
		s.walkAsStranger(t, stranger.Key, nil)
		s.walkAsStranger(t, "", map[string]string{"Cookie": session.Name + "=" + session.Value,
			"Sec-Fetch-Site": "same-origin"})
		s.WantUnchanged(t, before)
	})
}

// walkAsStranger calls every route with the ids of a tenant that the caller does not belong to.
func (s *testServer) walkAsStranger(t *testing.T, key string, headers map[string]string) {
	t.Helper()
	for _, r := range s.described() {
		if name(r) == "POST /v1/organizations" {
			continue // creates the stranger's own
		}
		call := s.of(t, r, s.Tenant)
		call.Key = key
		if call.Header == nil {
			call.Header = map[string]string{}
		}
		maps.Copy(call.Header, headers)
		call.Header["Idempotency-Key"] = strings.ReplaceAll(name(r), " ", "")
		got := s.Send(t, call)
		switch {
		case r.Person && headers != nil: // a user's own sessions
			s.wantNothingOf(t, r, got)
		case r.Permission == "" && !r.Person:
			s.wantNothingOf(t, r, got.Want(t, http.StatusOK))
		case got.Status != http.StatusForbidden || got.Tag() != "Forbidden":
			t.Errorf("%s: a stranger gets %d %s (if the body is not valid: add one to bodies)", name(r), got.Status,
				got.Body)
		}
	}
}

// wantNothingOf fails the test if a response reveals anything of the first tenant.
func (s *testServer) wantNothingOf(t *testing.T, r api.Route, got servertest.Response) {
	t.Helper()
	for _, secret := range []string{string(s.Organization), string(s.Team), "First organization"} {
		if strings.Contains(string(got.Body), secret) {
			t.Errorf("%s shows a stranger %s", name(r), secret)
		}
	}
}

func TestRolesAllowOnlyTheirPermissions(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		for _, role := range []crier.Role{crier.RoleViewer, crier.RoleEditor, crier.RoleAdmin, crier.RoleOwner} {
			key := s.NewKey(t, object{"role": role})
			s.walkAs(t, string(role), key, func(r api.Route) bool {
				if name(r) == "POST /v1/organizations" {
					return role == crier.RoleAdmin || role == crier.RoleOwner
				}
				return r.Permission == "" && !r.Person || role.Can(crier.Permission(r.Permission))
			})
		}
	})
}

func TestKeyRestrictedToAPermission(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		for _, p := range crier.Permissions() {
			key := s.NewKey(t, object{"role": "owner", "permissions": []crier.Permission{p}})
			s.walkAs(t, "only "+string(p), key, func(r api.Route) bool {
				if r.Permission == "" {
					return !r.Person && (name(r) == "GET /v1/agent/context" || slices.Contains(catalogues, name(r)) ||
						p == crier.Read && r.Method == "GET")
				}
				return r.Permission == string(p)
			})
		}
	})
}

// walkAs calls every route with a key. Where the key lacks permission, the response is a 403 and nothing changes; where
// it has it, on a new team each time, it is anything but a refusal.
func (s *testServer) walkAs(t *testing.T, who, key string, may func(api.Route) bool) {
	t.Helper()
	before := s.Snapshot(t)
	for _, r := range s.described() {
		if may(r) {
			continue
		}
		call := s.of(t, r, s.Tenant)
		call.Key = key
		if got := s.Send(t, call); got.Status != http.StatusForbidden || got.Tag() != "Forbidden" {
			t.Errorf("%s: %s is answered with %d %s", who, name(r), got.Status, got.Body)
		}
	}
	s.WantUnchanged(t, before)
	for _, r := range s.described() {
		if !may(r) {
			continue
		}
		fresh := s.Do(t, "POST", "/v1/teams", object{"organizationId": s.Organization, "name": "Walked"}).Want(t,
			http.StatusCreated).Text(t, "id")
		call := s.of(t, r, servertest.Tenant{Organization: s.Organization, Team: crier.ID(fresh)})
		call.Key = key
		if strings.HasSuffix(r.Path, "/events/stream") { // which would not end
			call.Path += "?types=none"
		}
		if got := s.Send(t, call); got.Status == http.StatusForbidden || got.Status == http.StatusUnauthorized {
			t.Errorf("%s: %s is refused: %d %s", who, name(r), got.Status, got.Body)
		}
	}
}

func TestKeyRestrictedToATeam(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		inside := s.Do(t, "POST", "/v1/teams", object{"organizationId": s.Organization, "name": "Inside"}).Want(t,
			http.StatusCreated).Text(t, "id")
		key := s.NewKey(t, object{"role": "owner", "teamIds": []string{inside}})
		before := s.Snapshot(t)
		for _, r := range s.described() {
			call := s.of(t, r, s.Tenant) // the first team, which is outside
			call.Key = key
			switch {
			case name(r) == "POST /v1/organizations", strings.Contains(r.Path, "{teamId}"):
				if got := s.Send(t, call); got.Status != http.StatusForbidden {
					t.Errorf("%s: outside its team the key gets %d %s", name(r), got.Status, got.Body)
				}
			case r.Permission != "" && r.Permission != "read":
				if got := s.Send(t, call); got.Status != http.StatusForbidden {
					t.Errorf("%s: in the whole organization the key gets %d %s", name(r), got.Status, got.Body)
				}
			}
		}
		members := path("/v1/organizations/%s/members", s.Organization)
		owner := s.Do(t, "GET", members, nil).Want(t, http.StatusOK).Text(t, "data", 0, "id")
		s.As(t, key, "DELETE", members+"/"+owner, nil).WantError(t, http.StatusForbidden, "Forbidden")
		s.WantUnchanged(t, before)
		for _, list := range []string{"/v1/teams", path("/v1/teams?organizationId=%s", s.Organization)} {
			got := s.As(t, key, "GET", list, nil).Want(t, http.StatusOK)
			if fmt.Sprint(got.Get(t, "total")) != "1" || got.Text(t, "data", 0, "id") != inside {
				t.Errorf("%s shows a key of one team: %s", list, got.Body)
			}
		}
		overview := s.As(t, key, "GET", "/v1/agent/context", nil).Want(t, http.StatusOK)
		if fmt.Sprint(overview.Get(t, "credential", "teamIds")) != "["+inside+"]" ||
			overview.Text(t, "defaultTeamId") != inside {
			t.Errorf("the overview of a key of one team: %s", overview.Body)
		}
		s.As(t, key, "PATCH", "/v1/teams/"+inside, object{"name": "Still inside"}).Want(t, http.StatusOK)
		s.As(t, key, "DELETE", "/v1/teams/"+inside, nil).Want(t, http.StatusOK)
		if got := s.As(t, key, "GET", "/v1/teams", nil).Want(t, http.StatusOK); fmt.Sprint(got.Get(t, "total")) != "0" {
			t.Errorf("a key whose only team is gone sees %s", got.Body)
		}
	})
}

// document is the OpenAPI document, to build requests from.
type document struct{ *servertest.Document }

func (s *testServer) document(tb testing.TB) *document {
	tb.Helper()
	return &document{s.OpenAPI(tb)}
}
