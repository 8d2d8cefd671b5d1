package main

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// newKey makes a key of the server's first tenant and returns its secret.
func (s *server) newKey(tb testing.TB, body object) string {
	tb.Helper()
	if body["name"] == nil {
		body["name"] = "Key of a test"
	}
	return s.do(tb, "POST", path("/v1/organizations/%s/api-keys", s.organization), body).want(tb, http.StatusCreated).text(tb, "secret")
}

func TestWhoAreYouComesBeforeEverythingElse(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		wrong := strings.Replace(s.key, s.key[10:12], "zz", 1)
		for rule, header := range map[string]string{
			"nothing": "", "no scheme": s.key, "another scheme": "Basic " + s.key, "no token": "Bearer", "an empty token": "Bearer ",
			"garbage": "Bearer garbage", "a JWT": "Bearer eyJhbGciOiJub25lIn0.e30.", "a typo": "Bearer " + wrong, "too long": "Bearer " + s.key + "0",
			"too short": "Bearer " + s.key[:len(s.key)-1], "a megabyte less than the limit of headers": "Bearer " + strings.Repeat("a", 50_000),
			"a secret that was never given out": "Bearer crier_0000000000000000000000000000000000000000000" + "0000000", "SQL": "Bearer ' OR 1=1 --",
		} {
			for _, r := range []request{
				{method: "GET", path: "/v1/teams/no-uuid"}, {method: "PATCH", path: "/v1/teams/" + unknownID, body: "not JSON"}, {method: "DELETE", path: path("/v1/teams/%s", s.team)},
			} {
				r.header = map[string]string{"Idempotency-Key": "k", "Authorization": header}
				got := s.send(t, r).wantError(t, http.StatusUnauthorized, "Unauthorized")
				if got.header.Get("WWW-Authenticate") != `Bearer realm="crier"` {
					t.Errorf("%s: WWW-Authenticate is %q", rule, got.header.Get("WWW-Authenticate"))
				}
			}
		}
		for _, scheme := range []string{"Bearer", "bearer", "BEARER"} {
			s.send(t, request{method: "GET", path: "/v1/teams", header: map[string]string{"Authorization": scheme + " " + s.key}}).want(t, http.StatusOK)
		}
		s.do(t, "GET", path("/v1/teams/%s", s.team), nil).want(t, http.StatusOK)
	})
}

func TestWhatTheRequestTellsComesBeforeWhatIsStored(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		stranger := s.newTenant(t, "Stranger")
		viewer := s.newKey(t, object{"role": "viewer"})
		keys := path("/v1/organizations/%s/api-keys", s.organization)
		bad := object{"name": "a"}
		// 400 for what the request alone tells, then 404 and 403, then 400 for what needs stored data, then 409.
		s.do(t, "PATCH", "/v1/teams/"+unknownID, bad).wantIssues(t, "name")
		s.do(t, "PATCH", path("/v1/teams/%s", stranger.team), bad).wantIssues(t, "name")
		s.as(t, viewer, "PATCH", path("/v1/teams/%s", s.team), bad).wantIssues(t, "name")
		s.do(t, "PATCH", "/v1/teams/"+unknownID, object{}).wantError(t, http.StatusNotFound, "NotFound")
		s.do(t, "PATCH", path("/v1/teams/%s", stranger.team), object{}).wantError(t, http.StatusForbidden, "Forbidden")
		s.as(t, viewer, "PATCH", path("/v1/teams/%s", s.team), object{}).wantError(t, http.StatusForbidden, "Forbidden")
		unknownTeam := object{"name": "Key", "role": "viewer", "teamIds": []string{unknownID}}
		s.as(t, viewer, "POST", keys, unknownTeam).wantError(t, http.StatusForbidden, "Forbidden")
		s.do(t, "POST", keys, unknownTeam).wantIssues(t, "teamIds.0")
		foreignTeam := object{"name": "Key", "role": "viewer", "teamIds": []any{s.team, stranger.team}}
		s.do(t, "POST", keys, foreignTeam).wantIssues(t, "teamIds.1")
		recharge := object{"autoRechargeEnabled": true, "autoRechargeThreshold": 1, "autoRechargeAmount": 1}
		s.as(t, stranger.key, "PATCH", path("/v1/organizations/%s", s.organization), recharge).wantError(t, http.StatusForbidden, "Forbidden")
		s.as(t, viewer, "PATCH", path("/v1/organizations/%s", s.organization), recharge).wantError(t, http.StatusForbidden, "Forbidden")
		s.do(t, "PATCH", path("/v1/organizations/%s", s.organization), recharge).wantError(t, http.StatusConflict, "Conflict")
	})
}

func TestForbiddenAgainstNotFound(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		stranger := s.newTenant(t, "Stranger")
		for _, r := range []request{
			{method: "GET", path: "/v1/teams/%s"}, {method: "PATCH", path: "/v1/teams/%s", body: object{}}, {method: "DELETE", path: "/v1/teams/%s"},
			{method: "GET", path: "/v1/organizations/%s"}, {method: "PATCH", path: "/v1/organizations/%s", body: object{}},
			{method: "GET", path: "/v1/organizations/%s/api-keys"}, {method: "GET", path: "/v1/teams?organizationId=%s"},
			{method: "POST", path: "/v1/organizations/%s/api-keys", body: object{"name": "Key", "role": "viewer"}},
		} {
			id := s.team
			if strings.Contains(r.path, "organization") {
				id = s.organization
			}
			s.as(t, stranger.key, r.method, path(r.path, id), r.body).wantError(t, http.StatusForbidden, "Forbidden")
			s.as(t, stranger.key, r.method, path(r.path, unknownID), r.body).wantError(t, http.StatusNotFound, "NotFound")
		}
		// A key that exists, but not under the organization in the path, is not found.
		foreign := s.as(t, stranger.key, "GET", path("/v1/organizations/%s/api-keys", stranger.organization), nil).text(t, "data", 0, "id")
		s.do(t, "DELETE", path("/v1/organizations/%s/api-keys/%s", s.organization, foreign), nil).wantError(t, http.StatusNotFound, "NotFound")
		s.do(t, "POST", path("/v1/organizations/%s/api-keys/%s/rotate", s.organization, foreign), nil).wantError(t, http.StatusNotFound, "NotFound")
		s.as(t, stranger.key, "GET", "/v1/teams", nil).want(t, http.StatusOK)
	})
}

func TestRateLimits(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &clock{}
		s := startServer(t, db, withRole("api"), withClock(c), withRateLimit(5))
		stranger := s.newTenant(t, "Stranger")
		team := object{"organizationId": s.organization, "name": "Team"}
		first := s.do(t, "POST", "/v1/teams", team, "Idempotency-Key", "k").want(t, http.StatusCreated)
		if got := first.header.Get("RateLimit-Policy"); got != `"default";q=5;w=60` {
			t.Errorf("RateLimit-Policy is %q", got)
		}
		if got := first.header.Get("RateLimit"); got != `"default";r=4;t=12` {
			t.Errorf("RateLimit is %q", got)
		}
		for range 4 { // what is refused counts too
			s.do(t, "GET", "/v1/teams/no-uuid", nil).wantIssues(t, "teamId")
		}
		// 429 comes before the kept answer, the form of the request and the access.
		for _, r := range []request{
			{method: "POST", path: "/v1/teams", body: team, header: map[string]string{"Idempotency-Key": "k"}},
			{method: "PATCH", path: "/v1/teams/no-uuid", body: "not JSON"}, {method: "GET", path: path("/v1/teams/%s", stranger.team)},
		} {
			r.key = s.key
			got := s.send(t, r).wantError(t, http.StatusTooManyRequests, "TooManyRequests")
			wait, err := strconv.Atoi(got.header.Get("Retry-After"))
			if err != nil || wait < 1 || wait > 12 {
				t.Errorf("Retry-After is %q", got.header.Get("Retry-After"))
			}
			if !strings.HasPrefix(got.header.Get("RateLimit"), `"default";r=0;t=`) {
				t.Errorf("RateLimit is %q", got.header.Get("RateLimit"))
			}
		}
		// 401 comes before 429, other tokens are not touched, and what needs no token has no limit.
		s.as(t, "garbage", "GET", "/v1/teams", nil).wantError(t, http.StatusUnauthorized, "Unauthorized")
		s.as(t, stranger.key, "GET", "/v1/teams", nil).want(t, http.StatusOK)
		for range 20 {
			s.send(t, request{method: "GET", path: "/healthz"}).want(t, http.StatusOK)
		}
		c.advance(12 * time.Second)
		s.do(t, "GET", "/v1/teams", nil).want(t, http.StatusOK)
		s.do(t, "GET", "/v1/teams", nil).wantError(t, http.StatusTooManyRequests, "TooManyRequests")
		c.advance(time.Minute)
		for range 5 {
			s.do(t, "GET", "/v1/teams", nil).want(t, http.StatusOK)
		}
		s.do(t, "GET", "/v1/teams", nil).wantError(t, http.StatusTooManyRequests, "TooManyRequests")
		unlimited := startServer(t, db, withRole("api"))
		for i := range 20 {
			got := unlimited.as(t, s.key, "GET", "/v1/teams", nil).want(t, http.StatusOK)
			if got.header.Get("RateLimit") != "" {
				t.Fatal(fmt.Sprint("request ", i, ": a limit that is switched off is told: ", got.header))
			}
		}
	})
}
