package api_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"crier/internal/server/servertest"
)

func TestAuthenticationComesFirst(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		wrong := strings.Replace(s.Key, s.Key[10:12], "zz", 1)
		for rule, header := range map[string]string{
			"nothing": "", "no scheme": s.Key, "another scheme": "Basic " + s.Key, "no token": "Bearer",
			"an empty token": "Bearer ",
			"garbage":        "Bearer garbage", "a JWT": "Bearer eyJhbGciOiJub25lIn0.e30.", "a typo": "Bearer " + wrong,
			"too long":  "Bearer " + s.Key + "0",
			"too short": "Bearer " + s.Key[:len(s.Key)-1], "a megabyte less than the limit of headers": "Bearer " +
				strings.Repeat("a", 50_000),
			"a secret that was never given out": "Bearer crier_0000000000000000000000000000000000000000000" + "0000000",
			"SQL":                               "Bearer ' OR 1=1 --",
		} {
			for _, r := range []servertest.Request{
				{Method: "GET", Path: "/v1/teams/no-uuid"},
				{Method: "PATCH", Path: "/v1/teams/" + unknownID, Body: "not JSON"},
				{Method: "DELETE", Path: path("/v1/teams/%s", s.Team)},
			} {
				r.Header = map[string]string{"Idempotency-Key": "k", "Authorization": header}
				got := s.Send(t, r).WantError(t, http.StatusUnauthorized, "Unauthorized")
				if got.Header.Get("WWW-Authenticate") != `Bearer realm="crier"` {
					t.Errorf("%s: WWW-Authenticate is %q", rule, got.Header.Get("WWW-Authenticate"))
				}
			}
		}
		for _, scheme := range []string{"Bearer", "bearer", "BEARER"} {
			s.Send(t, servertest.Request{Method: "GET", Path: "/v1/teams",
				Header: map[string]string{"Authorization": scheme + " " + s.Key}}).Want(t, http.StatusOK)
		}
		s.Do(t, "GET", path("/v1/teams/%s", s.Team), nil).Want(t, http.StatusOK)
	})
}

func TestRequestErrorsComeBeforeStateErrors(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		stranger := s.NewTenant(t, "Stranger")
		viewer := s.NewKey(t, object{"role": "viewer"})
		keys := path("/v1/organizations/%s/api-keys", s.Organization)
		bad := object{"name": "a"}
		// 400 for errors in the request alone, then 404 and 403, then 400 for errors that need stored data, then 409.
		s.Do(t, "PATCH", "/v1/teams/"+unknownID, bad).WantIssues(t, "name")
		s.Do(t, "PATCH", path("/v1/teams/%s", stranger.Team), bad).WantIssues(t, "name")
		s.As(t, viewer, "PATCH", path("/v1/teams/%s", s.Team), bad).WantIssues(t, "name")
		s.Do(t, "PATCH", "/v1/teams/"+unknownID, object{}).WantError(t, http.StatusNotFound, "NotFound")
		s.Do(t, "PATCH", path("/v1/teams/%s", stranger.Team), object{}).WantError(t, http.StatusForbidden, "Forbidden")
		s.As(t, viewer, "PATCH", path("/v1/teams/%s", s.Team), object{}).WantError(t, http.StatusForbidden, "Forbidden")
		unknownTeam := object{"name": "Key", "role": "viewer", "teamIds": []string{unknownID}}
		s.As(t, viewer, "POST", keys, unknownTeam).WantError(t, http.StatusForbidden, "Forbidden")
		s.Do(t, "POST", keys, unknownTeam).WantIssues(t, "teamIds.0")
		foreignTeam := object{"name": "Key", "role": "viewer", "teamIds": []any{s.Team, stranger.Team}}
		s.Do(t, "POST", keys, foreignTeam).WantIssues(t, "teamIds.1")
		recharge := object{"autoRechargeEnabled": true, "autoRechargeThreshold": 1, "autoRechargeAmount": 1}
		s.As(t, stranger.Key, "PATCH", path("/v1/organizations/%s", s.Organization), recharge).WantError(t,
			http.StatusForbidden, "Forbidden")
		s.As(t, viewer, "PATCH", path("/v1/organizations/%s", s.Organization), recharge).WantError(t,
			http.StatusForbidden, "Forbidden")
		s.Do(t, "PATCH", path("/v1/organizations/%s", s.Organization), recharge).WantError(t, http.StatusConflict,
			"Conflict")
	})
}

func TestForbiddenVersusNotFound(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		stranger := s.NewTenant(t, "Stranger")
		for _, r := range []servertest.Request{
			{Method: "GET", Path: "/v1/teams/%s"}, {Method: "PATCH", Path: "/v1/teams/%s", Body: object{}},
			{Method: "DELETE", Path: "/v1/teams/%s"},
			{Method: "GET", Path: "/v1/organizations/%s"},
			{Method: "PATCH", Path: "/v1/organizations/%s", Body: object{}},
			{Method: "GET", Path: "/v1/organizations/%s/api-keys"},
			{Method: "GET", Path: "/v1/teams?organizationId=%s"},
			{Method: "POST", Path: "/v1/organizations/%s/api-keys", Body: object{"name": "Key", "role": "viewer"}},
		} {
			id := s.Team
			if strings.Contains(r.Path, "organization") {
				id = s.Organization
			}
			s.As(t, stranger.Key, r.Method, path(r.Path, id), r.Body).WantError(t, http.StatusForbidden, "Forbidden")
			s.As(t, stranger.Key, r.Method, path(r.Path, unknownID), r.Body).WantError(t, http.StatusNotFound,
				"NotFound")
		}
		// A key that exists, but not under the organization in the path, is not found.
		foreign := s.As(t, stranger.Key, "GET", path("/v1/organizations/%s/api-keys", stranger.Organization),
			nil).Text(t, "data", 0, "id")
		s.Do(t, "DELETE", path("/v1/organizations/%s/api-keys/%s", s.Organization, foreign), nil).WantError(t,
			http.StatusNotFound, "NotFound")
		s.Do(t, "POST", path("/v1/organizations/%s/api-keys/%s/rotate", s.Organization, foreign), nil).WantError(t,
			http.StatusNotFound, "NotFound")
		s.As(t, stranger.Key, "GET", "/v1/teams", nil).Want(t, http.StatusOK)
	})
}

func TestRateLimits(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &servertest.Clock{}
		s := startServer(t, db, withRole("api"), servertest.WithClock(c), servertest.WithRateLimit(5))
		stranger := s.NewTenant(t, "Stranger")
		team := object{"organizationId": s.Organization, "name": "Team"}
		first := s.Do(t, "POST", "/v1/teams", team, "Idempotency-Key", "k").Want(t, http.StatusCreated)
		if got := first.Header.Get("RateLimit-Policy"); got != `"default";q=5;w=60` {
			t.Errorf("RateLimit-Policy is %q", got)
		}
		if got := first.Header.Get("RateLimit"); got != `"default";r=4;t=12` {
			t.Errorf("RateLimit is %q", got)
		}
		for range 4 { // refused requests count too
			s.Do(t, "GET", "/v1/teams/no-uuid", nil).WantIssues(t, "teamId")
		}
		// 429 comes before the stored response, the validation of the request and the access check.
		for _, r := range []servertest.Request{
			{Method: "POST", Path: "/v1/teams", Body: team, Header: map[string]string{"Idempotency-Key": "k"}},
			{Method: "PATCH", Path: "/v1/teams/no-uuid", Body: "not JSON"},
			{Method: "GET", Path: path("/v1/teams/%s", stranger.Team)},
		} {
			r.Key = s.Key
			got := s.Send(t, r).WantError(t, http.StatusTooManyRequests, "TooManyRequests")
			wait, err := strconv.Atoi(got.Header.Get("Retry-After"))
			if err != nil || wait < 1 || wait > 12 {
				t.Errorf("Retry-After is %q", got.Header.Get("Retry-After"))
			}
			if !strings.HasPrefix(got.Header.Get("RateLimit"), `"default";r=0;t=`) {
				t.Errorf("RateLimit is %q", got.Header.Get("RateLimit"))
			}
		}
		// 401 comes before 429, other tokens are not affected, and routes without a token have no limit.
		s.As(t, "garbage", "GET", "/v1/teams", nil).WantError(t, http.StatusUnauthorized, "Unauthorized")
		s.As(t, stranger.Key, "GET", "/v1/teams", nil).Want(t, http.StatusOK)
		for range 20 {
			s.Send(t, servertest.Request{Method: "GET", Path: "/healthz"}).Want(t, http.StatusOK)
		}
		c.Advance(12 * time.Second)
		s.Do(t, "GET", "/v1/teams", nil).Want(t, http.StatusOK)
		s.Do(t, "GET", "/v1/teams", nil).WantError(t, http.StatusTooManyRequests, "TooManyRequests")
		c.Advance(time.Minute)
		for range 5 {
			s.Do(t, "GET", "/v1/teams", nil).Want(t, http.StatusOK)
		}
		s.Do(t, "GET", "/v1/teams", nil).WantError(t, http.StatusTooManyRequests, "TooManyRequests")
		unlimited := startServer(t, db, withRole("api"))
		for i := range 20 {
			got := unlimited.As(t, s.Key, "GET", "/v1/teams", nil).Want(t, http.StatusOK)
			if got.Header.Get("RateLimit") != "" {
				t.Fatal(fmt.Sprint("request ", i, ": a limit that is switched off is told: ", got.Header))
			}
		}
	})
}
