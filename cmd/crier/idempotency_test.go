package main

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
	"crier/internal/store"
)

const idempotencyKey = "Idempotency-Key"

// wantReplay fails unless an answer is the kept one again.
func (r response) wantReplay(tb testing.TB, first response) {
	tb.Helper()
	if r.header.Get("Idempotency-Replayed") != "true" || r.status != first.status || !bytes.Equal(r.body, first.body) {
		tb.Errorf("not a replay of %d %s:\n%d %s (Idempotency-Replayed: %q)", first.status, first.body, r.status, r.body, r.header.Get("Idempotency-Replayed"))
	}
}

func TestARepeatedRequestHasOneEffectAndOneAnswer(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db)
		// A key of every length and character that is allowed.
		keys := []string{"a", strings.Repeat("k", 255), `!"#$%&'()*+,-./0123456789:;<=>?@[\]^_{|}~`, string(crier.NewID())}
		for _, key := range keys {
			before := s.number(t, `SELECT count(*) FROM teams`)
			body := object{"organizationId": s.organization, "name": "Once"}
			first := s.do(t, "POST", "/v1/teams", body, idempotencyKey, key).want(t, http.StatusCreated)
			if first.header.Get("Idempotency-Replayed") != "" {
				t.Error("the first answer says that it is a replay")
			}
			for range 3 {
				s.do(t, "POST", "/v1/teams", body, idempotencyKey, key).wantReplay(t, first)
			}
			if n := s.number(t, `SELECT count(*) FROM teams`); n != before+1 {
				t.Errorf("%d teams were made", n-before)
			}
		}
		// A change and a deletion: the repeat of a late PATCH does not undo a newer one, a repeated DELETE replays.
		address := path("/v1/teams/%s", s.team)
		first := s.do(t, "PATCH", address, object{"name": "First"}, idempotencyKey, "patch").want(t, http.StatusOK)
		s.do(t, "PATCH", address, object{"name": "Second"}).want(t, http.StatusOK)
		s.do(t, "PATCH", address, object{"name": "First"}, idempotencyKey, "patch").wantReplay(t, first)
		if got := s.do(t, "GET", address, nil); got.text(t, "name") != "Second" {
			t.Errorf("a repeat had an effect: %s", got.body)
		}
		gone := s.do(t, "DELETE", address, nil, idempotencyKey, "delete").want(t, http.StatusOK)
		for range 3 {
			s.do(t, "DELETE", address, nil, idempotencyKey, "delete").wantReplay(t, gone)
		}
		s.do(t, "DELETE", address, nil).wantError(t, http.StatusNotFound, "NotFound")
		if n := s.number(t, `SELECT count(*) FROM river_job WHERE kind = 'team.purge'`); n != 1 {
			t.Errorf("%d jobs to purge one team", n)
		}
	})
}

func TestAKeyBelongsToOneRequestOfOneCaller(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		other := s.makeKey(t, s.key, object{"role": "owner"})
		body := `{"organizationId":"` + string(s.organization) + `","name":"Once"}`
		first := s.do(t, "POST", "/v1/teams", body, idempotencyKey, "k").want(t, http.StatusCreated)
		for rule, r := range map[string]request{
			"another body":   {method: "POST", path: "/v1/teams", body: strings.Replace(body, "Once", "Twice", 1)},
			"white space":    {method: "POST", path: "/v1/teams", body: body + " "},
			"a query":        {method: "POST", path: "/v1/teams?x=1", body: body},
			"another path":   {method: "PATCH", path: path("/v1/teams/%s", s.team), body: body},
			"another method": {method: "DELETE", path: path("/v1/teams/%s", s.team)},
			"a broken body":  {method: "POST", path: "/v1/teams", body: "{"}, // the key is looked up before the form is checked
			"a missing team": {method: "DELETE", path: "/v1/teams/" + unknownID},
		} {
			r.key, r.header = s.key, map[string]string{idempotencyKey: "k"}
			if got := s.send(t, r); got.status != http.StatusConflict || got.tag() != "Conflict" {
				t.Errorf("%s: the same key is answered with %d %s", rule, got.status, got.body)
			}
		}
		s.do(t, "POST", "/v1/teams", body, idempotencyKey, "k").wantReplay(t, first)
		again := s.as(t, other.secret, "POST", "/v1/teams", body, idempotencyKey, "k").want(t, http.StatusCreated)
		if again.text(t, "id") == first.text(t, "id") {
			t.Error("another caller got the answer of the first")
		}
		if got := s.do(t, "GET", "/v1/teams", nil, idempotencyKey, "k"); got.header.Get("Idempotency-Replayed") != "" {
			t.Error("a read was replayed")
		}
	})
}

func TestIdempotencyKeysHaveAForm(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		before := s.snapshot(t)
		for _, bad := range []string{"", " ", "a b", strings.Repeat("k", 256), "ключ", "tab\tbed", "é"} {
			s.do(t, "POST", "/v1/organizations", object{"name": "Acme"}, idempotencyKey, bad).wantIssues(t, idempotencyKey)
			s.do(t, "DELETE", path("/v1/teams/%s", s.team), nil, idempotencyKey, bad).wantIssues(t, idempotencyKey)
		}
		line := s.raw(t, []byte("DELETE "+path("/v1/teams/%s", s.team)+" HTTP/1.1\r\nHost: crier.test\r\nAuthorization: Bearer "+s.key+
			"\r\nIdempotency-Key: a\r\nIdempotency-Key: b\r\nConnection: close\r\n\r\n"), false)
		if line != "HTTP/1.1 400 Bad Request" {
			t.Errorf("two keys at once: %q", line)
		}
		s.wantUnchanged(t, before)
	})
}

func TestOnlySuccessesAreKept(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		address := path("/v1/organizations/%s", s.organization)
		recharge := object{"autoRechargeEnabled": true, "autoRechargeThreshold": 1, "autoRechargeAmount": 1}
		s.do(t, "PATCH", address, recharge, idempotencyKey, "409").wantError(t, http.StatusConflict, "Conflict")
		s.do(t, "PATCH", address, object{"autoRechargeEnabled": true}, idempotencyKey, "400").wantIssues(t, "autoRechargeThreshold", "autoRechargeAmount")
		s.do(t, "DELETE", "/v1/teams/"+unknownID, nil, idempotencyKey, "404").wantError(t, http.StatusNotFound, "NotFound")
		if n := s.number(t, `SELECT count(*) FROM idempotency_keys`); n != 0 {
			t.Errorf("%d failures were kept", n)
		}
		s.exec(t, `UPDATE organizations SET payment_method_id = 'pm_1' WHERE id = $1`, s.organization)
		if got := s.do(t, "PATCH", address, recharge, idempotencyKey, "409").want(t, http.StatusOK); got.header.Get("Idempotency-Replayed") != "" {
			t.Error("a failure was replayed")
		}
		// A key whose first request failed is free for another request.
		s.do(t, "PATCH", address, object{"name": "Free"}, idempotencyKey, "400").want(t, http.StatusOK)
	})
}

func TestAKeptAnswerComesBeforeAllOtherChecks(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &clock{}
		s := startServer(t, db, withRole("api"), withClock(c))
		// The form would be refused by now: the key would expire in the past.
		key := object{"name": "Key", "role": "viewer", "expiresAt": c.Now().Add(time.Minute).UTC().Format(time.RFC3339)}
		keys := path("/v1/organizations/%s/api-keys", s.organization)
		s.do(t, "POST", keys, key, idempotencyKey, "form").want(t, http.StatusCreated)
		c.advance(time.Hour)
		if got := s.do(t, "POST", keys, key, idempotencyKey, "form").want(t, http.StatusCreated); got.header.Get("Idempotency-Replayed") != "true" {
			t.Error("not replayed")
		}
		s.do(t, "POST", keys, key, idempotencyKey, "fresh").wantIssues(t, "expiresAt")
		// The permission is gone by now.
		first := s.do(t, "PATCH", path("/v1/teams/%s", s.team), object{"name": "Mine"}, idempotencyKey, "permission").want(t, http.StatusOK)
		s.exec(t, `UPDATE memberships SET role = 'viewer' WHERE principal_kind = 'user'`)
		s.do(t, "PATCH", path("/v1/teams/%s", s.team), object{"name": "Mine"}, idempotencyKey, "permission").wantReplay(t, first)
		// The token comes first all the same.
		s.exec(t, `UPDATE api_keys SET revoked_at = created_at`)
		s.do(t, "PATCH", path("/v1/teams/%s", s.team), object{"name": "Mine"}, idempotencyKey, "permission").wantError(t, http.StatusUnauthorized, "Unauthorized")
	})
}

func TestKeptAnswersAreSealedAndHaveNoOneTimeSecrets(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		keys := path("/v1/organizations/%s/api-keys", s.organization)
		first := s.do(t, "POST", keys, object{"name": "Telltale name", "role": "viewer"}, idempotencyKey, "k").want(t, http.StatusCreated)
		again := s.do(t, "POST", keys, object{"name": "Telltale name", "role": "viewer"}, idempotencyKey, "k").want(t, http.StatusCreated)
		if again.has("secret") || again.text(t, "id") != first.text(t, "id") || again.header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("the replay of a new key: %s", again.body)
		}
		rotate := s.keysPath(first.text(t, "id"), "rotate")
		s.do(t, "POST", rotate, nil, idempotencyKey, "r").want(t, http.StatusOK)
		if s.do(t, "POST", rotate, nil, idempotencyKey, "r").want(t, http.StatusOK).has("secret") {
			t.Error("the replay of a rotation has the secret")
		}
		var body []byte
		err := s.node.store.Reader().QueryRowContext(context.Background(), `SELECT body FROM idempotency_keys WHERE key = 'k'`).Scan(&body)
		if err != nil || len(body) == 0 {
			t.Fatalf("the kept answer: %d bytes, %v", len(body), err)
		}
		for _, readable := range []string{"Telltale", "lastFour", "crier_", first.text(t, "id")} {
			if bytes.Contains(body, []byte(readable)) {
				t.Errorf("the kept answer shows %q", readable)
			}
		}
	})
}

func TestAKeptAnswerLastsADay(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &clock{}
		s := startServer(t, db, withRole("api"), withClock(c))
		body := object{"organizationId": s.organization, "name": "Daily"}
		first := s.do(t, "POST", "/v1/teams", body, idempotencyKey, "k").want(t, http.StatusCreated)
		c.advance(24*time.Hour - time.Minute)
		s.do(t, "POST", "/v1/teams", body, idempotencyKey, "k").wantReplay(t, first)
		c.advance(2 * time.Minute)
		second := s.do(t, "POST", "/v1/teams", body, idempotencyKey, "k").want(t, http.StatusCreated)
		if second.text(t, "id") == first.text(t, "id") || second.header.Get("Idempotency-Replayed") != "" {
			t.Errorf("replayed after more than a day: %s", second.body)
		}
		s.do(t, "POST", "/v1/teams", body, idempotencyKey, "k").wantReplay(t, second) // and again for a day
		c.advance(25 * time.Hour)
		s.do(t, "POST", "/v1/teams", object{"organizationId": s.organization, "name": "Other"}, idempotencyKey, "k").want(t, http.StatusCreated)
		c.advance(25 * time.Hour)
		if err := s.node.services.Upkeep.Sweep(context.Background()); err != nil {
			t.Fatal(err)
		}
		if n := s.number(t, `SELECT count(*) FROM idempotency_keys`); n != 0 {
			t.Errorf("the sweep left %d answers that have outlived their time", n)
		}
	})
}

// answers calls a request many times at once, in turn on several servers.
func answers(t *testing.T, servers []*server, times int, r request) []response {
	t.Helper()
	got, errs := make([]response, times), make([]error, times)
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	for i := range times {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-start
			got[i], errs[i] = servers[i%len(servers)].roundTrip(r)
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

func TestAHundredRepeatsAtOnceHaveOneEffectAndOneAnswer(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		servers := []*server{startServer(t, db, withRole("api"))}
		if db.Dialect == store.Postgres {
			servers = append(servers, startServer(t, db, withRole("api"))) // a second node on the same database
		}
		s := servers[0]
		second := s.do(t, "POST", "/v1/teams", object{"organizationId": s.organization, "name": "Second"}).want(t, http.StatusCreated).text(t, "id")
		effects := func() string {
			return fmt.Sprint(s.number(t, `SELECT count(*) FROM organizations`), s.number(t, `SELECT count(*) FROM teams WHERE deleted_at IS NULL`),
				s.number(t, `SELECT team_count FROM organizations WHERE id = $1`, s.organization), s.number(t, `SELECT count(*) FROM river_job`),
				s.number(t, `SELECT count(*) FROM api_keys`))
		}
		for _, c := range []struct {
			rule    string
			request request
			effects string // organizations, teams, counter, jobs, keys
		}{
			{"create", request{method: "POST", path: "/v1/teams", body: object{"organizationId": s.organization, "name": "Once"}}, "1 3 3 0 1"},
			{"found", request{method: "POST", path: "/v1/organizations", body: object{"name": "Once"}}, "2 4 3 0 1"},
			{"change", request{method: "PATCH", path: path("/v1/teams/%s", s.team), body: object{"name": "Changed"}}, "2 4 3 0 1"},
			{"delete", request{method: "DELETE", path: "/v1/teams/" + second}, "2 3 2 1 1"},
			{"make a key", request{method: "POST", path: path("/v1/organizations/%s/api-keys", s.organization), body: object{"name": "Once", "role": "viewer"}}, "2 3 2 1 2"},
		} {
			c.request.key, c.request.header = s.key, map[string]string{idempotencyKey: "burst-" + c.rule[:4]}
			first, replayed := response{}, 0
			for _, got := range answers(t, servers, 100, c.request) {
				if got.status/100 != 2 {
					t.Fatalf("%s: %d %s", c.rule, got.status, got.body)
				}
				if got.header.Get("Idempotency-Replayed") == "true" {
					replayed++
				} else {
					first = got
				}
			}
			if replayed != 99 {
				t.Errorf("%s: %d of 100 answers are replays, want 99", c.rule, replayed)
			}
			again := s.send(t, c.request)
			if first.has("secret") {
				again.want(t, first.status)
			} else {
				again.wantReplay(t, first)
			}
			if got := effects(); got != c.effects {
				t.Errorf("%s: organizations, teams, counter, jobs and keys are %s, want %s", c.rule, got, c.effects)
			}
		}
	})
}

func TestManyDifferentRequestsAtOnceAllCount(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		var all sync.WaitGroup
		for i := range 60 {
			all.Go(func() {
				r := request{method: "POST", path: "/v1/teams", body: object{"organizationId": s.organization, "name": "Team"}, key: s.key}
				if i%3 == 0 {
					r = request{method: "PATCH", path: path("/v1/organizations/%s", s.organization), body: object{"name": fmt.Sprint("Name ", i)}, key: s.key}
				}
				if got, err := s.roundTrip(r); err != nil || got.status/100 != 2 {
					t.Errorf("request %d: %d %v %s", i, got.status, err, got.body)
				}
			})
		}
		all.Wait()
		if n := s.number(t, `SELECT team_count FROM organizations WHERE id = $1`, s.organization); n != 41 {
			t.Errorf("the counter is %d, want 41", n)
		}
		if got := s.do(t, "GET", "/v1/teams?limit=100", nil); fmt.Sprint(got.get(t, "total")) != "41" || len(got.get(t, "data").([]any)) != 41 {
			t.Errorf("the list has %v and %d entries", got.get(t, "total"), len(got.get(t, "data").([]any)))
		}
	})
}
