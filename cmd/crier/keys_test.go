package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crier/internal/auth"
)

// keyOf tells a made key: its id and its secret.
type keyOf struct{ id, secret string }

func (s *server) makeKey(tb testing.TB, by string, body object) keyOf {
	tb.Helper()
	if body["name"] == nil {
		body["name"] = "Key of a test"
	}
	got := s.as(tb, by, "POST", path("/v1/organizations/%s/api-keys", s.organization), body).want(tb, http.StatusCreated)
	return keyOf{id: got.text(tb, "id"), secret: got.text(tb, "secret")}
}

func (s *server) keysPath(id string, rest ...string) string {
	return path("/v1/organizations/%s/api-keys/%s", s.organization, strings.Join(append([]string{id}, rest...), "/"))
}

// wantAlive fails unless a secret opens the door, wantDead unless it does not.
func (s *server) wantAlive(t *testing.T, secret string) {
	t.Helper()
	s.as(t, secret, "GET", path("/v1/teams/%s", s.team), nil).want(t, http.StatusOK)
}

func (s *server) wantDead(t *testing.T, secret string) {
	t.Helper()
	s.as(t, secret, "GET", path("/v1/teams/%s", s.team), nil).wantError(t, http.StatusUnauthorized, "Unauthorized")
}

func TestANewKeyHasEveryField(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		keys := path("/v1/organizations/%s/api-keys", s.organization)
		got := s.do(t, "POST", keys, object{
			"name": " Deploy ", "role": "editor", "permissions": []string{"read", "write_posts"}, "teamIds": []any{s.team}, "expiresAt": "2099-01-01T01:00:00+01:00",
		}).want(t, http.StatusCreated)
		secret := got.text(t, "secret")
		for name, want := range map[string]any{
			"name": "Deploy", "role": "editor", "permissions": "[read write_posts]", "teamIds": "[" + string(s.team) + "]", "expiresAt": "2099-01-01T00:00:00.000Z",
			"lastUsedAt": nil, "organizationId": string(s.organization), "lastFour": secret[len(secret)-4:],
		} {
			if fmt.Sprint(got.get(t, name)) != fmt.Sprint(want) {
				t.Errorf("%s is %v, want %v", name, got.get(t, name), want)
			}
		}
		if !strings.HasPrefix(secret, "crier_") || len(secret) != len("crier_")+43+6 {
			t.Errorf("the secret has another form: %d characters", len(secret))
		}
		plain := s.do(t, "POST", keys, object{"name": "Plain", "role": "owner"}).want(t, http.StatusCreated)
		for _, name := range []string{"permissions", "teamIds", "expiresAt", "lastUsedAt"} {
			if plain.get(t, name) != nil {
				t.Errorf("%s of a plain key is %v", name, plain.get(t, name))
			}
		}
		list := s.do(t, "GET", keys, nil).want(t, http.StatusOK)
		if fmt.Sprint(list.get(t, "total")) != "3" || strings.Contains(string(list.body), "secret") {
			t.Errorf("the list of keys: %s", list.body)
		}
		if s.do(t, "GET", keys+"?sortBy=name&sortOrder=asc", nil).text(t, "data", 0, "name") != "Deploy" {
			t.Error("the list is not sorted by name")
		}
	})
}

func TestKeyRequests(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		keys, good := path("/v1/organizations/%s/api-keys", s.organization), object{"name": "Key", "role": "admin"}
		s.tryFields(t, "POST", keys, good, "name", http.StatusCreated, append(names("name"), field{"absent", absent{}, []string{"name"}}))
		role := []string{"role"}
		s.tryFields(t, "POST", keys, object{"name": "Key"}, "role", http.StatusCreated, []field{
			{"owner", "owner", nil}, {"admin", "admin", nil}, {"editor", "editor", nil}, {"viewer", "viewer", nil},
			{"absent", absent{}, role}, {"null", nil, role}, {"unknown", "root", role}, {"another case", "Owner", role}, {"number", 4, role},
		})
		at := func(i int) []string { return []string{fmt.Sprint("permissions.", i)} }
		all := []string{
			"manage_organization", "manage_members", "manage_api_keys", "manage_billing", "create_teams", "manage_teams", "delete_teams", "manage_social_accounts",
			"manage_slots", "manage_media", "write_posts", "approve_posts", "publish_posts", "delete_posts", "read", "read_analytics",
		}
		cases := []field{
			{"all", all, nil}, {"null", nil, nil}, {"absent", absent{}, nil}, {"none", []string{}, []string{"permissions"}}, {"unknown", []string{"read", "fly"}, at(1)},
			{"twice", []string{"read", "read"}, at(1)}, {"seventeen", append(all[:16:16], "read"), []string{"permissions", "permissions.16"}}, {"text", "read", []string{"permissions"}},
		}
		for _, p := range all {
			cases = append(cases, field{p, []string{p}, nil})
		}
		s.tryFields(t, "POST", keys, good, "permissions", http.StatusCreated, cases)
		s.tryFields(t, "POST", keys, object{"name": "Key", "role": "viewer"}, "permissions", http.StatusCreated, []field{
			{"what a viewer holds", []string{"read", "read_analytics"}, nil}, {"what a viewer does not hold", []string{"read", "write_posts", "delete_teams"}, []string{"permissions.1", "permissions.2"}},
		})
		s.tryFields(t, "POST", keys, object{"name": "Key", "role": "editor"}, "permissions", http.StatusCreated, []field{
			{"what an editor does not hold", []string{"write_posts", "approve_posts", "delete_teams", "create_teams"}, []string{"permissions.1", "permissions.2", "permissions.3"}},
		})
		s.tryFields(t, "POST", keys, good, "teamIds", http.StatusCreated, []field{
			{"one", []any{s.team}, nil}, {"null", nil, nil}, {"absent", absent{}, nil}, {"none", []string{}, []string{"teamIds"}}, {"unknown", []string{unknownID}, []string{"teamIds.0"}},
			{"no UUID", []string{"x"}, []string{"teamIds.0"}}, {"text", s.team, []string{"teamIds"}},
		})
		rotate := s.keysPath(s.makeKey(t, s.key, object{"role": "viewer"}).id, "rotate")
		grace := []string{"graceSeconds"}
		s.tryFields(t, "POST", rotate, nil, "graceSeconds", http.StatusOK, []field{
			{"none", 0, nil}, {"a day", 86400, nil}, {"absent", absent{}, nil}, {"more than a day", 86401, grace}, {"negative", -1, grace}, {"text", "60", grace}, {"null", nil, grace}, {"a fraction", 0.5, grace},
		})
		s.do(t, "POST", rotate, nil).want(t, http.StatusOK)
		s.do(t, "POST", rotate, object{"grace": 5}).wantIssues(t, "grace")
		s.do(t, "POST", rotate, "{").wantIssues(t, ".")
	})
}

func TestSecretsOfKeysAreNowhereToBeFound(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		made := s.makeKey(t, s.key, object{"role": "viewer"})
		rotated := s.do(t, "POST", s.keysPath(made.id, "rotate"), object{"graceSeconds": 60}, "Idempotency-Key", "rotation").want(t, http.StatusOK).text(t, "secret")
		secrets := []string{s.key, made.secret, rotated}
		for _, secret := range secrets {
			s.wantAlive(t, secret)
			s.as(t, secret[:len(secret)-1], "GET", "/v1/teams", nil).wantError(t, http.StatusUnauthorized, "Unauthorized")
			s.as(t, secret, "PATCH", "/v1/teams/"+unknownID, "{", "Idempotency-Key", "k").wantIssues(t, ".")
		}
		s.do(t, "GET", path("/v1/organizations/%s/api-keys", s.organization), nil)
		stored := s.dump(t)
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
		for _, secret := range secrets {
			body := strings.TrimPrefix(secret, "crier_")
			for where, text := range map[string]string{"the store": stored, "the log": s.log.String(), "the files": files(t, db)} {
				if strings.Contains(text, secret) || strings.Contains(text, body) || strings.Contains(text, hex.EncodeToString([]byte(body))) {
					t.Errorf("a secret is readable in %s", where)
				}
			}
			// What must be there: the hash, and the last four characters.
			sum := sha256.Sum256([]byte(secret))
			if !strings.Contains(stored, hex.EncodeToString(sum[:])) || !strings.Contains(stored, secret[len(secret)-4:]) {
				t.Error("the SHA-256 or the last four characters of a secret are not in the store")
			}
		}
	})
}

// dump is every row of every table as text, bytes in hexadecimal.
func (s *server) dump(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	for _, table := range s.tables(t) {
		rows, err := s.node.store.Reader().QueryContext(context.Background(), `SELECT * FROM `+table)
		if err != nil {
			t.Fatal(err)
		}
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
			for _, value := range values {
				if data, ok := value.([]byte); ok {
					value = hex.EncodeToString(data)
				}
				fmt.Fprintln(&out, value)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

// files is the content of the data directory: the database file, its journal, whatever else was left there.
func files(t *testing.T, db database) string {
	t.Helper()
	var out strings.Builder
	if db.DataDir == "" {
		return ""
	}
	entries, err := filepath.Glob(filepath.Join(db.DataDir, "*"))
	if err != nil || len(entries) == 0 {
		t.Fatalf("the data directory has %d files, %v", len(entries), err)
	}
	for _, name := range entries {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(data)
	}
	return out.String()
}

func TestTheSealedCopyOfASecretOpensWithTheInstanceKey(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		made := s.makeKey(t, s.key, object{"role": "viewer"})
		var sealed []byte
		err := s.node.store.Reader().QueryRowContext(context.Background(), `SELECT sealed FROM api_key_secrets WHERE hash = $1`, auth.Hash(made.secret)).Scan(&sealed)
		if err != nil {
			t.Fatal(err)
		}
		ring, err := auth.NewKeyring(testSecret)
		if err != nil {
			t.Fatal(err)
		}
		if opened, err := ring.Open(sealed, "API key "+made.id); err != nil || string(opened) != made.secret {
			t.Errorf("the sealed copy does not open: %v", err)
		}
	})
}

func TestKeysExpire(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &clock{}
		s := startServer(t, db, withRole("api"), withClock(c))
		key := s.makeKey(t, s.key, object{"role": "viewer", "expiresAt": c.Now().Add(time.Hour).UTC().Format(time.RFC3339)})
		s.wantAlive(t, key.secret)
		c.advance(59 * time.Minute)
		s.wantAlive(t, key.secret)
		c.advance(2 * time.Minute)
		s.wantDead(t, key.secret)
	})
}

func TestARevokedKeyEndsAtOnce(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		key := s.makeKey(t, s.key, object{"role": "admin"})
		second := s.do(t, "POST", s.keysPath(key.id, "rotate"), object{"graceSeconds": 3600}).want(t, http.StatusOK).text(t, "secret")
		s.wantAlive(t, key.secret)
		s.wantAlive(t, second)
		if got := s.do(t, "DELETE", s.keysPath(key.id), nil).want(t, http.StatusOK); string(got.body) != `{"deleted":true}` {
			t.Errorf("the answer is %s", got.body)
		}
		s.wantDead(t, key.secret)
		s.wantDead(t, second)
		s.do(t, "DELETE", s.keysPath(key.id), nil).wantError(t, http.StatusNotFound, "NotFound")
		s.do(t, "POST", s.keysPath(key.id, "rotate"), nil).wantError(t, http.StatusNotFound, "NotFound")
		if got := s.do(t, "GET", path("/v1/organizations/%s/api-keys", s.organization), nil); fmt.Sprint(got.get(t, "total")) != "1" {
			t.Errorf("a revoked key is listed: %s", got.body)
		}
		// A key may end itself.
		own := s.makeKey(t, s.key, object{"role": "admin"})
		s.as(t, own.secret, "DELETE", s.keysPath(own.id), nil).want(t, http.StatusOK)
		s.wantDead(t, own.secret)
	})
}

func TestRotation(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &clock{}
		s := startServer(t, db, withRole("api"), withClock(c))
		key := s.makeKey(t, s.key, object{"role": "viewer", "permissions": []string{"read"}, "teamIds": []any{s.team}})
		rotate := func(body any) string {
			t.Helper()
			got := s.do(t, "POST", s.keysPath(key.id, "rotate"), body).want(t, http.StatusOK)
			if got.text(t, "id") != key.id || fmt.Sprint(got.get(t, "permissions"), got.get(t, "teamIds")) != fmt.Sprintf("[read] [%s]", s.team) {
				t.Errorf("the rotation changed more than the secret: %s", got.body)
			}
			secret := got.text(t, "secret")
			if got.text(t, "lastFour") != secret[len(secret)-4:] {
				t.Errorf("lastFour is %s", got.text(t, "lastFour"))
			}
			return secret
		}
		second := rotate(nil) // without a body there is no grace
		s.wantDead(t, key.secret)
		s.wantAlive(t, second)
		third := rotate(object{"graceSeconds": 600})
		s.wantAlive(t, second)
		c.advance(9 * time.Minute)
		s.wantAlive(t, second)
		c.advance(2 * time.Minute)
		s.wantDead(t, second)
		s.wantAlive(t, third)
		// Who learns that a secret has leaked rotates without grace, and expects that nothing old works any more.
		fourth := rotate(object{"graceSeconds": 86400})
		fifth := rotate(object{"graceSeconds": 0})
		s.wantDead(t, third)
		s.wantDead(t, fourth)
		s.wantAlive(t, fifth)
		// A longer grace does not bring anything back, nor prolong what ends sooner.
		sixth := rotate(object{"graceSeconds": 60})
		seventh := rotate(object{"graceSeconds": 86400})
		s.wantAlive(t, fifth)
		c.advance(2 * time.Minute)
		s.wantDead(t, fifth)
		s.wantAlive(t, sixth)
		s.wantAlive(t, seventh)
	})
}

func TestAKeyCannotMakeAMightierOne(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		keys := path("/v1/organizations/%s/api-keys", s.organization)
		admin := s.makeKey(t, s.key, object{"role": "admin"})
		narrowed := s.makeKey(t, s.key, object{"role": "owner", "permissions": []string{"manage_api_keys", "read"}})
		try := func(by keyOf, body object, status int) {
			t.Helper()
			body["name"] = "Key"
			s.as(t, by.secret, "POST", keys, body).want(t, status)
		}
		try(admin, object{"role": "owner"}, http.StatusForbidden)
		try(admin, object{"role": "admin"}, http.StatusCreated)
		try(narrowed, object{"role": "owner"}, http.StatusForbidden) // un-narrowed
		try(narrowed, object{"role": "viewer"}, http.StatusForbidden)
		try(narrowed, object{"role": "owner", "permissions": []string{"read", "delete_teams"}}, http.StatusForbidden)
		try(narrowed, object{"role": "owner", "permissions": []string{"read", "manage_api_keys"}}, http.StatusCreated)
		// Rotation gives out a secret, so it is bound in the same way.
		owner := s.makeKey(t, s.key, object{"role": "owner"})
		s.as(t, admin.secret, "POST", s.keysPath(owner.id, "rotate"), nil).wantError(t, http.StatusForbidden, "Forbidden")
		s.as(t, narrowed.secret, "POST", s.keysPath(admin.id, "rotate"), nil).wantError(t, http.StatusForbidden, "Forbidden")
		s.wantAlive(t, owner.secret)
		s.wantAlive(t, admin.secret)
	})
}

func TestRotationDoesNotLendTheOrganizationsOfAnotherKey(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		founder, other := s.makeKey(t, s.key, object{"role": "admin"}), s.makeKey(t, s.key, object{"role": "admin"})
		elsewhere := s.as(t, founder.secret, "POST", "/v1/organizations", object{"name": "Elsewhere"}).want(t, http.StatusCreated).text(t, "id")
		s.as(t, other.secret, "GET", "/v1/organizations/"+elsewhere, nil).wantError(t, http.StatusForbidden, "Forbidden")
		s.as(t, other.secret, "POST", s.keysPath(founder.id, "rotate"), nil).wantError(t, http.StatusForbidden, "Forbidden")
		s.wantAlive(t, founder.secret)
		renewed := s.as(t, founder.secret, "POST", s.keysPath(founder.id, "rotate"), nil).want(t, http.StatusOK).text(t, "secret")
		s.as(t, renewed, "GET", "/v1/organizations/"+elsewhere, nil).want(t, http.StatusOK)
		s.as(t, other.secret, "DELETE", s.keysPath(founder.id), nil).want(t, http.StatusOK)
		s.wantDead(t, renewed)
	})
}

func TestAKeyNeverExceedsThePresentRightsOfItsCreator(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		second := s.do(t, "POST", "/v1/teams", object{"organizationId": s.organization, "name": "Second"}).want(t, http.StatusCreated).text(t, "id")
		team, organization := path("/v1/teams/%s", s.team), path("/v1/organizations/%s", s.organization)
		demote := func(role string, allTeams bool) {
			t.Helper()
			s.exec(t, `UPDATE memberships SET role = $1, all_teams = $2 WHERE principal_kind = 'user' AND organization_id = $3`, role, allTeams, s.organization)
		}
		s.do(t, "PATCH", organization, object{}).want(t, http.StatusOK)
		demote("editor", true)
		s.do(t, "PATCH", organization, object{}).wantError(t, http.StatusForbidden, "Forbidden")
		s.do(t, "POST", "/v1/organizations", object{"name": "Acme"}).wantError(t, http.StatusForbidden, "Forbidden")
		s.do(t, "PATCH", team, object{}).want(t, http.StatusOK)
		s.do(t, "DELETE", team, nil).wantError(t, http.StatusForbidden, "Forbidden")
		demote("viewer", true)
		s.do(t, "PATCH", team, object{}).wantError(t, http.StatusForbidden, "Forbidden")
		s.do(t, "GET", team, nil).want(t, http.StatusOK)
		demote("admin", true)
		s.do(t, "POST", path("/v1/organizations/%s/api-keys", s.organization), object{"name": "Key", "role": "owner"}).wantError(t, http.StatusForbidden, "Forbidden")
		// The person is narrowed to the second team, and with it all its keys.
		demote("owner", false)
		s.exec(t, `INSERT INTO membership_teams (membership_id, team_id) SELECT id, $1 FROM memberships WHERE principal_kind = 'user' AND organization_id = $2`, second, s.organization)
		s.do(t, "GET", team, nil).wantError(t, http.StatusForbidden, "Forbidden")
		s.do(t, "GET", "/v1/teams/"+second, nil).want(t, http.StatusOK)
		s.do(t, "PATCH", organization, object{}).wantError(t, http.StatusForbidden, "Forbidden")
		if got := s.do(t, "GET", "/v1/teams", nil).want(t, http.StatusOK); fmt.Sprint(got.get(t, "total")) != "1" || got.text(t, "data", 0, "id") != second {
			t.Errorf("the list of a narrowed person's key: %s", got.body)
		}
		// The person has left the organization.
		s.exec(t, `DELETE FROM memberships WHERE principal_kind = 'user' AND organization_id = $1`, s.organization)
		s.do(t, "GET", team, nil).wantError(t, http.StatusForbidden, "Forbidden")
		s.do(t, "GET", organization, nil).wantError(t, http.StatusForbidden, "Forbidden")
		for _, list := range []string{"/v1/organizations", "/v1/teams"} {
			if got := s.do(t, "GET", list, nil).want(t, http.StatusOK); fmt.Sprint(got.get(t, "data")) != "[]" {
				t.Errorf("%s shows what its person has left: %s", list, got.body)
			}
		}
	})
}

func TestTheLastUseOfAKeyIsNoted(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &clock{}
		s := startServer(t, db, withRole("api"), withClock(c))
		key := s.makeKey(t, s.key, object{"role": "viewer"})
		used := func() any {
			t.Helper()
			return s.do(t, "GET", path("/v1/organizations/%s/api-keys?sortOrder=desc", s.organization), nil).get(t, "data", 0, "lastUsedAt")
		}
		if used() != nil {
			t.Fatal("used before its first use")
		}
		s.wantAlive(t, key.secret)
		first := eventually(t, func() (any, bool) { at := used(); return at, at != nil })
		s.wantAlive(t, key.secret)
		c.advance(2 * time.Minute)
		s.wantAlive(t, key.secret)
		eventually(t, func() (any, bool) { at := used(); return at, at != first })
	})
}

// eventually asks again until something has happened in the background.
func eventually[T any](tb testing.TB, ask func() (T, bool)) T {
	tb.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		value, done := ask()
		if done {
			return value
		}
		select {
		case <-deadline:
			tb.Fatal("it has not happened within 20 s")
		case <-tick.C:
		}
	}
}
