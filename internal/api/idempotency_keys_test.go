package api_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

const idempotencyKey = "Idempotency-Key"

func TestRepeatedRequestHasOneEffectAndOneResponse(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db)
		// Keys of every allowed length and character.
		keys := []string{"a", strings.Repeat("k", 255), `!"#$%&'()*+,-./0123456789:;<=>?@[\]^_{|}~`,
			string(crier.NewID())}
		for _, key := range keys {
			before := s.Number(t, `SELECT count(*) FROM teams`)
			body := object{"organizationId": s.Organization, "name": "Once"}
			first := s.Do(t, "POST", "/v1/teams", body, idempotencyKey, key).Want(t, http.StatusCreated)
			if first.Header.Get("Idempotency-Replayed") != "" {
				t.Error("the first answer says that it is a replay")
			}
			for range 3 {
				s.Do(t, "POST", "/v1/teams", body, idempotencyKey, key).WantReplay(t, first)
			}
			if n := s.Number(t, `SELECT count(*) FROM teams`); n != before+1 {
				t.Errorf("%d teams were made", n-before)
			}
		}
		// A change and a deletion: the repeat of a late PATCH does not undo a newer one, a repeated DELETE replays.
		address := path("/v1/teams/%s", s.Team)
		first := s.Do(t, "PATCH", address, object{"name": "First"}, idempotencyKey, "patch").Want(t, http.StatusOK)
		s.Do(t, "PATCH", address, object{"name": "Second"}).Want(t, http.StatusOK)
		s.Do(t, "PATCH", address, object{"name": "First"}, idempotencyKey, "patch").WantReplay(t, first)
		if got := s.Do(t, "GET", address, nil); got.Text(t, "name") != "Second" {
			t.Errorf("a repeat had an effect: %s", got.Body)
		}
		gone := s.Do(t, "DELETE", address, nil, idempotencyKey, "delete").Want(t, http.StatusOK)
		for range 3 {
			s.Do(t, "DELETE", address, nil, idempotencyKey, "delete").WantReplay(t, gone)
		}
		s.Do(t, "DELETE", address, nil).WantError(t, http.StatusNotFound, "NotFound")
		if n := s.Number(t, `SELECT count(*) FROM river_job WHERE kind = 'team.purge'`); n != 1 {
			t.Errorf("%d jobs to purge one team", n)
		}
	})
}

func TestIdempotencyKeyBelongsToOneRequestAndCaller(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		other := s.CreateKey(t, s.Key, object{"role": "owner"})
		body := `{"organizationId":"` + string(s.Organization) + `","name":"Once"}`
		first := s.Do(t, "POST", "/v1/teams", body, idempotencyKey, "k").Want(t, http.StatusCreated)
		for rule, r := range map[string]servertest.Request{
			"another body":   {Method: "POST", Path: "/v1/teams", Body: strings.Replace(body, "Once", "Twice", 1)},
			"white space":    {Method: "POST", Path: "/v1/teams", Body: body + " "},
			"a query":        {Method: "POST", Path: "/v1/teams?x=1", Body: body},
			"another path":   {Method: "PATCH", Path: path("/v1/teams/%s", s.Team), Body: body},
			"another method": {Method: "DELETE", Path: path("/v1/teams/%s", s.Team)},
			// the key is looked up before the body is validated
			"a broken body":  {Method: "POST", Path: "/v1/teams", Body: "{"},
			"a missing team": {Method: "DELETE", Path: "/v1/teams/" + unknownID},
		} {
			r.Key, r.Header = s.Key, map[string]string{idempotencyKey: "k"}
			if got := s.Send(t, r); got.Status != http.StatusConflict || got.Tag() != "Conflict" {
				t.Errorf("%s: the same key is answered with %d %s", rule, got.Status, got.Body)
			}
		}
		s.Do(t, "POST", "/v1/teams", body, idempotencyKey, "k").WantReplay(t, first)
		again := s.As(t, other.Secret, "POST", "/v1/teams", body, idempotencyKey, "k").Want(t, http.StatusCreated)
		if again.Text(t, "id") == first.Text(t, "id") {
			t.Error("another caller got the answer of the first")
		}
		if got := s.Do(t, "GET", "/v1/teams", nil, idempotencyKey, "k"); got.Header.Get("Idempotency-Replayed") != "" {
			t.Error("a read was replayed")
		}
	})
}

func TestIdempotencyKeyFormat(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		before := s.Snapshot(t)
		for _, bad := range []string{"", " ", "a b", strings.Repeat("k", 256), "ключ", "tab\tbed", "é"} {
			s.Do(t, "POST", "/v1/organizations", object{"name": "Acme"}, idempotencyKey, bad).WantIssues(t,
				idempotencyKey)
			s.Do(t, "DELETE", path("/v1/teams/%s", s.Team), nil, idempotencyKey, bad).WantIssues(t, idempotencyKey)
		}
		line := s.raw(t, []byte("DELETE "+path("/v1/teams/%s",
			s.Team)+" HTTP/1.1\r\nHost: crier.test\r\nAuthorization: Bearer "+s.Key+
			"\r\nIdempotency-Key: a\r\nIdempotency-Key: b\r\nConnection: close\r\n\r\n"), false)
		if line != "HTTP/1.1 400 Bad Request" {
			t.Errorf("two keys at once: %q", line)
		}
		s.WantUnchanged(t, before)
	})
}

func TestOnlySuccessfulResponsesAreStored(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		address := path("/v1/organizations/%s", s.Organization)
		recharge := object{"autoRechargeEnabled": true, "autoRechargeThreshold": 1, "autoRechargeAmount": 1}
		s.Do(t, "PATCH", address, recharge, idempotencyKey, "409").WantError(t, http.StatusConflict, "Conflict")
		s.Do(t, "PATCH", address, object{"autoRechargeEnabled": true}, idempotencyKey, "400").WantIssues(t,
			"autoRechargeThreshold", "autoRechargeAmount")
		s.Do(t, "DELETE", "/v1/teams/"+unknownID, nil, idempotencyKey, "404").WantError(t, http.StatusNotFound,
			"NotFound")
		if n := s.Number(t, `SELECT count(*) FROM idempotency_keys`); n != 0 {
			t.Errorf("%d failures were kept", n)
		}
		s.Exec(t, `UPDATE organizations SET payment_method_id = 'pm_1' WHERE id = $1`, s.Organization)
		if got := s.Do(t, "PATCH", address, recharge, idempotencyKey, "409").Want(t,
			http.StatusOK); got.Header.Get("Idempotency-Replayed") != "" {
			t.Error("a failure was replayed")
		}
		// A key whose first request failed is free for another request.
		s.Do(t, "PATCH", address, object{"name": "Free"}, idempotencyKey, "400").Want(t, http.StatusOK)
	})
}

func TestStoredResponseComesBeforeOtherChecks(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &servertest.Clock{}
		s := startServer(t, db, withRole("api"), servertest.WithClock(c))
		// The body would be invalid by now: the key would expire in the past.
		key := object{"name": "Key", "role": "viewer", "expiresAt": c.Now().Add(time.Minute).UTC().Format(time.RFC3339)}
		keys := path("/v1/organizations/%s/api-keys", s.Organization)
		s.Do(t, "POST", keys, key, idempotencyKey, "form").Want(t, http.StatusCreated)
		c.Advance(time.Hour)
		if got := s.Do(t, "POST", keys, key, idempotencyKey, "form").Want(t,
			http.StatusCreated); got.Header.Get("Idempotency-Replayed") != "true" {
			t.Error("not replayed")
		}
		s.Do(t, "POST", keys, key, idempotencyKey, "fresh").WantIssues(t, "expiresAt")
		// The permission is gone by now.
		first := s.Do(t, "PATCH", path("/v1/teams/%s", s.Team), object{"name": "Mine"}, idempotencyKey,
			"permission").Want(t, http.StatusOK)
		s.Exec(t, `UPDATE memberships SET role = 'viewer' WHERE principal_kind = 'user'`)
		s.Do(t, "PATCH", path("/v1/teams/%s", s.Team), object{"name": "Mine"}, idempotencyKey,
			"permission").WantReplay(t, first)
		// The token is checked first all the same.
		s.Exec(t, `UPDATE api_keys SET revoked_at = created_at`)
		c.Advance(2 * time.Second) // another node's change is known after a second
		s.Do(t, "PATCH", path("/v1/teams/%s", s.Team), object{"name": "Mine"}, idempotencyKey,
			"permission").WantError(t, http.StatusUnauthorized, "Unauthorized")
	})
}

func TestStoredResponsesAreSealedWithoutSecrets(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		keys := path("/v1/organizations/%s/api-keys", s.Organization)
		first := s.Do(t, "POST", keys, object{"name": "Telltale name", "role": "viewer"}, idempotencyKey, "k").Want(t,
			http.StatusCreated)
		again := s.Do(t, "POST", keys, object{"name": "Telltale name", "role": "viewer"}, idempotencyKey, "k").Want(t,
			http.StatusCreated)
		if again.Has("secret") || again.Text(t, "id") != first.Text(t, "id") ||
			again.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("the replay of a new key: %s", again.Body)
		}
		rotate := s.keysPath(first.Text(t, "id"), "rotate")
		s.Do(t, "POST", rotate, nil, idempotencyKey, "r").Want(t, http.StatusOK)
		if s.Do(t, "POST", rotate, nil, idempotencyKey, "r").Want(t, http.StatusOK).Has("secret") {
			t.Error("the replay of a rotation has the secret")
		}
		var body []byte
		err := s.Node.Store.Reader().QueryRowContext(context.Background(),
			`SELECT body FROM idempotency_keys WHERE key = 'k'`).Scan(&body)
		if err != nil || len(body) == 0 {
			t.Fatalf("the kept answer: %d bytes, %v", len(body), err)
		}
		for _, readable := range []string{"Telltale", "lastFour", "crier_", first.Text(t, "id")} {
			if bytes.Contains(body, []byte(readable)) {
				t.Errorf("the kept answer shows %q", readable)
			}
		}
	})
}

func TestStoredResponseExpiresAfterADay(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &servertest.Clock{}
		s := startServer(t, db, withRole("api"), servertest.WithClock(c))
		body := object{"organizationId": s.Organization, "name": "Daily"}
		first := s.Do(t, "POST", "/v1/teams", body, idempotencyKey, "k").Want(t, http.StatusCreated)
		c.Advance(24*time.Hour - time.Minute)
		s.Do(t, "POST", "/v1/teams", body, idempotencyKey, "k").WantReplay(t, first)
		c.Advance(2 * time.Minute)
		second := s.Do(t, "POST", "/v1/teams", body, idempotencyKey, "k").Want(t, http.StatusCreated)
		if second.Text(t, "id") == first.Text(t, "id") || second.Header.Get("Idempotency-Replayed") != "" {
			t.Errorf("replayed after more than a day: %s", second.Body)
		}
		s.Do(t, "POST", "/v1/teams", body, idempotencyKey, "k").WantReplay(t, second) // and again for a day
		c.Advance(25 * time.Hour)
		s.Do(t, "POST", "/v1/teams", object{"organizationId": s.Organization, "name": "Other"}, idempotencyKey,
			"k").Want(t, http.StatusCreated)
		c.Advance(25 * time.Hour)
		if err := s.Node.Services.Upkeep.Sweep(context.Background()); err != nil {
			t.Fatal(err)
		}
		if n := s.Number(t, `SELECT count(*) FROM idempotency_keys`); n != 0 {
			t.Errorf("the sweep left %d answers that have outlived their time", n)
		}
	})
}

// answers sends a request many times concurrently, in turn to several servers.
func answers(t *testing.T, servers []*testServer, times int, r servertest.Request) []servertest.Response {
	t.Helper()
	got, errs := make([]servertest.Response, times), make([]error, times)
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	for i := range times {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-start
			got[i], errs[i] = servers[i%len(servers)].RoundTrip(r)
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	return got
}

func TestHundredRepeatsAtOnceHaveOneEffectAndOneResponse(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		servers := []*testServer{startServer(t, db, withRole("api"))}
		if db.Dialect == store.Postgres {
			servers = append(servers, startServer(t, db, withRole("api"))) // a second node on the same database
		}
		s := servers[0]
		second := s.Do(t, "POST", "/v1/teams", object{"organizationId": s.Organization, "name": "Second"}).Want(t,
			http.StatusCreated).Text(t, "id")
		effects := func() string {
			return fmt.Sprint(s.Number(t, `SELECT count(*) FROM organizations`),
				s.Number(t, `SELECT count(*) FROM teams WHERE deleted_at IS NULL`),
				s.Number(t, `SELECT team_count FROM organizations WHERE id = $1`, s.Organization),
				s.Number(t, `SELECT count(*) FROM river_job`),
				s.Number(t, `SELECT count(*) FROM api_keys`))
		}
		for _, c := range []struct {
			rule    string
			request servertest.Request
			effects string // organizations, teams, counter, jobs, keys
		}{
			{"create", servertest.Request{Method: "POST", Path: "/v1/teams",
				Body: object{"organizationId": s.Organization, "name": "Once"}}, "1 3 3 0 1"},
			{"found", servertest.Request{Method: "POST", Path: "/v1/organizations", Body: object{"name": "Once"}},
				"2 4 3 0 1"},
			{"change", servertest.Request{Method: "PATCH", Path: path("/v1/teams/%s", s.Team),
				Body: object{"name": "Changed"}},
				"2 4 3 0 1"},
			{"delete", servertest.Request{Method: "DELETE", Path: "/v1/teams/" + second}, "2 3 2 1 1"},
			{"make a key", servertest.Request{Method: "POST",
				Path: path("/v1/organizations/%s/api-keys", s.Organization),
				Body: object{"name": "Once", "role": "viewer"}}, "2 3 2 1 2"},
		} {
			c.request.Key, c.request.Header = s.Key, map[string]string{idempotencyKey: "burst-" + c.rule[:4]}
			first, replayed := servertest.Response{}, 0
			for _, got := range answers(t, servers, 100, c.request) {
				if got.Status/100 != 2 {
					t.Fatalf("%s: %d %s", c.rule, got.Status, got.Body)
				}
				if got.Header.Get("Idempotency-Replayed") == "true" {
					replayed++
				} else {
					first = got
				}
			}
			if replayed != 99 {
				t.Errorf("%s: %d of 100 answers are replays, want 99", c.rule, replayed)
			}
			again := s.Send(t, c.request)
			if first.Has("secret") {
				again.Want(t, first.Status)
			} else {
				again.WantReplay(t, first)
			}
			if got := effects(); got != c.effects {
				t.Errorf("%s: organizations, teams, counter, jobs and keys are %s, want %s", c.rule, got, c.effects)
			}
		}
	})
}

func TestManyDifferentRequestsAtOnceAllApply(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		var all sync.WaitGroup
		for i := range 60 {
			all.Go(func() {
				r := servertest.Request{Method: "POST", Path: "/v1/teams",
					Body: object{"organizationId": s.Organization, "name": "Team"}, Key: s.Key}
				if i%3 == 0 {
					r = servertest.Request{Method: "PATCH", Path: path("/v1/organizations/%s", s.Organization),
						Body: object{"name": fmt.Sprint("Name ", i)}, Key: s.Key}
				}
				if got, err := s.RoundTrip(r); err != nil || got.Status/100 != 2 {
					t.Errorf("request %d: %d %v %s", i, got.Status, err, got.Body)
				}
			})
		}
		all.Wait()
		if n := s.Number(t, `SELECT team_count FROM organizations WHERE id = $1`, s.Organization); n != 41 {
			t.Errorf("the counter is %d, want 41", n)
		}
		if got := s.Do(t, "GET", "/v1/teams?limit=100", nil); fmt.Sprint(got.Get(t, "total")) != "41" ||
			len(got.Get(t, "data").([]any)) != 41 {
			t.Errorf("the list has %v and %d entries", got.Get(t, "total"), len(got.Get(t, "data").([]any)))
		}
	})
}
