package api_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/internal/auth"
	"crier/internal/server/servertest"
)

func (s *testServer) keysPath(id string, rest ...string) string {
	return path("/v1/organizations/%s/api-keys/%s", s.Organization, strings.Join(append([]string{id}, rest...), "/"))
}

// wantAlive fails the test unless a secret is accepted, wantDead unless it is rejected.
func (s *testServer) wantAlive(t *testing.T, secret string) {
	t.Helper()
	s.As(t, secret, "GET", path("/v1/teams/%s", s.Team), nil).Want(t, http.StatusOK)
}

func (s *testServer) wantDead(t *testing.T, secret string) {
	t.Helper()
	s.As(t, secret, "GET", path("/v1/teams/%s", s.Team), nil).WantError(t, http.StatusUnauthorized, "Unauthorized")
}

func TestNewKeyHasEveryField(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		keys := path("/v1/organizations/%s/api-keys", s.Organization)
		got := s.Do(t, "POST", keys, object{
			"name": " Deploy ", "role": "editor", "permissions": []string{"read", "write_posts"},
			"teamIds": []any{s.Team}, "expiresAt": "2099-01-01T01:00:00+01:00",
		}).Want(t, http.StatusCreated)
		secret := got.Text(t, "secret")
		for name, want := range map[string]any{
			"name": "Deploy", "role": "editor", "permissions": "[read write_posts]", "teamIds": "[" + string(s.Team) +
				"]", "expiresAt": "2099-01-01T00:00:00.000Z",
			"lastUsedAt": nil, "organizationId": string(s.Organization), "lastFour": secret[len(secret)-4:],
		} {
			if fmt.Sprint(got.Get(t, name)) != fmt.Sprint(want) {
				t.Errorf("%s is %v, want %v", name, got.Get(t, name), want)
			}
		}
		if !strings.HasPrefix(secret, "crier_") || len(secret) != len("crier_")+43+6 {
			t.Errorf("the secret has another form: %d characters", len(secret))
		}
		plain := s.Do(t, "POST", keys, object{"name": "Plain", "role": "owner"}).Want(t, http.StatusCreated)
		for _, name := range []string{"permissions", "teamIds", "expiresAt", "lastUsedAt"} {
			if plain.Get(t, name) != nil {
				t.Errorf("%s of a plain key is %v", name, plain.Get(t, name))
			}
		}
		list := s.Do(t, "GET", keys, nil).Want(t, http.StatusOK)
		if fmt.Sprint(list.Get(t, "total")) != "3" || strings.Contains(string(list.Body), "secret") {
			t.Errorf("the list of keys: %s", list.Body)
		}
		if s.Do(t, "GET", keys+"?sortBy=name&sortOrder=asc", nil).Text(t, "data", 0, "name") != "Deploy" {
			t.Error("the list is not sorted by name")
		}
	})
}

func TestKeyRequests(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		keys, good := path("/v1/organizations/%s/api-keys", s.Organization), object{"name": "Key", "role": "admin"}
		s.tryFields(t, "POST", keys, good, "name", http.StatusCreated,
			append(names("name"), field{"absent", absent{}, []string{"name"}}))
		role := []string{"role"}
		s.tryFields(t, "POST", keys, object{"name": "Key"}, "role", http.StatusCreated, []field{
			{"owner", "owner", nil}, {"admin", "admin", nil}, {"editor", "editor", nil}, {"viewer", "viewer", nil},
			{"absent", absent{}, role}, {"null", nil, role}, {"unknown", "root", role}, {"another case", "Owner", role},
			{"number", 4, role},
		})
		at := func(i int) []string { return []string{fmt.Sprint("permissions.", i)} }
		all := []string{
			"manage_organization", "manage_members", "manage_api_keys", "manage_billing", "create_teams",
			"manage_webhooks", "manage_teams", "delete_teams", "manage_social_accounts",
			"manage_slots", "manage_media", "write_posts", "approve_posts", "publish_posts", "delete_posts", "read",
			"read_analytics", "read_live_analytics",
		}
		cases := []field{
			{"all", all, nil}, {"null", nil, nil}, {"absent", absent{}, nil},
			{"none", []string{}, []string{"permissions"}}, {"unknown", []string{"read", "fly"}, at(1)},
			{"twice", []string{"read", "read"}, at(1)},
			{"one too many", append(slices.Clip(all), "read"),
				[]string{"permissions", fmt.Sprintf("permissions.%d", len(all))}},
			{"text", "read", []string{"permissions"}},
		}
		for _, p := range all {
			cases = append(cases, field{p, []string{p}, nil})
		}
		s.tryFields(t, "POST", keys, good, "permissions", http.StatusCreated, cases)
		s.tryFields(t, "POST", keys, object{"name": "Key", "role": "viewer"}, "permissions", http.StatusCreated,
			[]field{
				{"what a viewer holds", []string{"read", "read_analytics"}, nil},
				{"what a viewer does not hold", []string{"read", "write_posts", "delete_teams"},
					[]string{"permissions.1", "permissions.2"}},
			})
		s.tryFields(t, "POST", keys, object{"name": "Key", "role": "editor"}, "permissions", http.StatusCreated,
			[]field{
				{"what an editor does not hold", []string{"write_posts", "approve_posts", "delete_teams",
					"create_teams"},
					[]string{"permissions.1", "permissions.2", "permissions.3"}},
			})
		s.tryFields(t, "POST", keys, good, "teamIds", http.StatusCreated, []field{
			{"one", []any{s.Team}, nil}, {"null", nil, nil}, {"absent", absent{}, nil},
			{"none", []string{}, []string{"teamIds"}}, {"unknown", []string{unknownID}, []string{"teamIds.0"}},
			{"no UUID", []string{"x"}, []string{"teamIds.0"}}, {"text", s.Team, []string{"teamIds"}},
		})
		rotate := s.keysPath(s.CreateKey(t, s.Key, object{"role": "viewer"}).ID, "rotate")
		grace := []string{"graceSeconds"}
		s.tryFields(t, "POST", rotate, nil, "graceSeconds", http.StatusOK, []field{
			{"none", 0, nil}, {"a day", 86400, nil}, {"absent", absent{}, nil}, {"more than a day", 86401, grace},
			{"negative", -1, grace}, {"text", "60", grace}, {"null", nil, grace}, {"a fraction", 0.5, grace},
		})
		s.Do(t, "POST", rotate, nil).Want(t, http.StatusOK)
		s.Do(t, "POST", rotate, object{"grace": 5}).WantIssues(t, "grace")
		s.Do(t, "POST", rotate, "{").WantIssues(t, ".")
	})
}

func TestKeySecretsAreNotStored(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		key := s.CreateKey(t, s.Key, object{"role": "viewer"})
		rotated := s.Do(t, "POST", s.keysPath(key.ID, "rotate"), object{"graceSeconds": 60}, "Idempotency-Key",
			"rotation").Want(t, http.StatusOK).Text(t, "secret")
		secrets := []string{s.Key, key.Secret, rotated}
		for _, secret := range secrets {
			s.wantAlive(t, secret)
			s.As(t, secret[:len(secret)-1], "GET", "/v1/teams", nil).WantError(t, http.StatusUnauthorized,
				"Unauthorized")
			s.As(t, secret, "PATCH", "/v1/teams/"+unknownID, "{", "Idempotency-Key", "k").WantIssues(t, ".")
		}
		s.Do(t, "GET", path("/v1/organizations/%s/api-keys", s.Organization), nil)
		stored := s.Dump(t)
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
		for _, secret := range secrets {
			body := strings.TrimPrefix(secret, "crier_")
			for where, text := range map[string]string{"the store": stored, "the log": s.Log.String(),
				"the files": files(t, db)} {
				if strings.Contains(text, secret) || strings.Contains(text, body) ||
					strings.Contains(text, hex.EncodeToString([]byte(body))) {
					t.Errorf("a secret is readable in %s", where)
				}
			}
			// What must be stored: the hash, and the last four characters.
			sum := sha256.Sum256([]byte(secret))
			if !strings.Contains(stored, hex.EncodeToString(sum[:])) ||
				!strings.Contains(stored, secret[len(secret)-4:]) {
				t.Error("the SHA-256 or the last four characters of a secret are not in the store")
			}
		}
	})
}

// files returns the content of the data directory: the database file, its journal, and any other files.
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

func TestSealedCopyOfASecretOpensWithTheInstanceKey(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		key := s.CreateKey(t, s.Key, object{"role": "viewer"})
		var sealed []byte
		err := s.Node.Store.Reader().QueryRowContext(context.Background(),
			`SELECT sealed FROM api_key_secrets WHERE hash = $1`, auth.Hash(key.Secret)).Scan(&sealed)
		if err != nil {
			t.Fatal(err)
		}
		ring, err := auth.NewKeyring(servertest.Secret)
		if err != nil {
			t.Fatal(err)
		}
		if opened, err := ring.Open(sealed, "API key "+key.ID); err != nil || string(opened) != key.Secret {
			t.Errorf("the sealed copy does not open: %v", err)
		}
	})
}

func TestKeysExpire(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &servertest.Clock{}
		s := startServer(t, db, withRole("api"), servertest.WithClock(c))
		key := s.CreateKey(t, s.Key, object{"role": "viewer",
			"expiresAt": c.Now().Add(time.Hour).UTC().Format(time.RFC3339)})
		s.wantAlive(t, key.Secret)
		c.Advance(59 * time.Minute)
		s.wantAlive(t, key.Secret)
		c.Advance(2 * time.Minute)
		s.wantDead(t, key.Secret)
	})
}

func TestRevokedKeyEndsAtOnce(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		key := s.CreateKey(t, s.Key, object{"role": "admin"})
		second := s.Do(t, "POST", s.keysPath(key.ID, "rotate"), object{"graceSeconds": 3600}).Want(t,
			http.StatusOK).Text(t, "secret")
		s.wantAlive(t, key.Secret)
		s.wantAlive(t, second)
		if got := s.Do(t, "DELETE", s.keysPath(key.ID), nil).Want(t,
			http.StatusOK); string(got.Body) != `{"deleted":true}` {
			t.Errorf("the answer is %s", got.Body)
		}
		s.wantDead(t, key.Secret)
		s.wantDead(t, second)
		s.Do(t, "DELETE", s.keysPath(key.ID), nil).WantError(t, http.StatusNotFound, "NotFound")
		s.Do(t, "POST", s.keysPath(key.ID, "rotate"), nil).WantError(t, http.StatusNotFound, "NotFound")
		if got := s.Do(t, "GET", path("/v1/organizations/%s/api-keys", s.Organization),
			nil); fmt.Sprint(got.Get(t, "total")) != "1" {
			t.Errorf("a revoked key is listed: %s", got.Body)
		}
		// A key may revoke itself.
		own := s.CreateKey(t, s.Key, object{"role": "admin"})
		s.As(t, own.Secret, "DELETE", s.keysPath(own.ID), nil).Want(t, http.StatusOK)
		s.wantDead(t, own.Secret)
	})
}

func TestRotation(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &servertest.Clock{}
		s := startServer(t, db, withRole("api"), servertest.WithClock(c))
		key := s.CreateKey(t, s.Key,
			object{"role": "viewer", "permissions": []string{"read"}, "teamIds": []any{s.Team}})
		rotate := func(body any) string {
			t.Helper()
			got := s.Do(t, "POST", s.keysPath(key.ID, "rotate"), body).Want(t, http.StatusOK)
			if got.Text(t, "id") != key.ID || fmt.Sprint(got.Get(t, "permissions"),
				got.Get(t, "teamIds")) != fmt.Sprintf("[read] [%s]", s.Team) {
				t.Errorf("the rotation changed more than the secret: %s", got.Body)
			}
			secret := got.Text(t, "secret")
			if got.Text(t, "lastFour") != secret[len(secret)-4:] {
				t.Errorf("lastFour is %s", got.Text(t, "lastFour"))
			}
			return secret
		}
		second := rotate(nil) // without a body there is no grace period
		s.wantDead(t, key.Secret)
		s.wantAlive(t, second)
		third := rotate(object{"graceSeconds": 600})
		s.wantAlive(t, second)
		c.Advance(9 * time.Minute)
		s.wantAlive(t, second)
		c.Advance(2 * time.Minute)
		s.wantDead(t, second)
		s.wantAlive(t, third)
		// A rotation without grace period, after a secret has leaked, ends all old secrets.
		fourth := rotate(object{"graceSeconds": 86400})
		fifth := rotate(object{"graceSeconds": 0})
		s.wantDead(t, third)
		s.wantDead(t, fourth)
		s.wantAlive(t, fifth)
		// A longer grace period revives nothing, and extends nothing that ends sooner.
		sixth := rotate(object{"graceSeconds": 60})
		seventh := rotate(object{"graceSeconds": 86400})
		s.wantAlive(t, fifth)
		c.Advance(2 * time.Minute)
		s.wantDead(t, fifth)
		s.wantAlive(t, sixth)
		s.wantAlive(t, seventh)
	})
}

func TestKeyCannotCreateAMorePowerfulOne(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		keys := path("/v1/organizations/%s/api-keys", s.Organization)
		admin := s.CreateKey(t, s.Key, object{"role": "admin"})
		narrowed := s.CreateKey(t, s.Key, object{"role": "owner", "permissions": []string{"manage_api_keys", "read"}})
		try := func(by servertest.CreatedKey, body object, status int) {
			t.Helper()
			body["name"] = "Key"
			s.As(t, by.Secret, "POST", keys, body).Want(t, status)
		}
		try(admin, object{"role": "owner"}, http.StatusForbidden)
		try(admin, object{"role": "admin"}, http.StatusCreated)
		try(narrowed, object{"role": "owner"}, http.StatusForbidden) // not limited to teams
		try(narrowed, object{"role": "viewer"}, http.StatusForbidden)
		try(narrowed, object{"role": "owner", "permissions": []string{"read", "delete_teams"}}, http.StatusForbidden)
		try(narrowed, object{"role": "owner", "permissions": []string{"read", "manage_api_keys"}}, http.StatusCreated)
		// Rotation returns a secret, so it has the same limits.
		owner := s.CreateKey(t, s.Key, object{"role": "owner"})
		s.As(t, admin.Secret, "POST", s.keysPath(owner.ID, "rotate"), nil).WantError(t, http.StatusForbidden,
			"Forbidden")
		s.As(t, narrowed.Secret, "POST", s.keysPath(admin.ID, "rotate"), nil).WantError(t, http.StatusForbidden,
			"Forbidden")
		s.wantAlive(t, owner.Secret)
		s.wantAlive(t, admin.Secret)
	})
}

func TestRotationDoesNotGrantOrganizationsOfAnotherKey(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		founder, other := s.CreateKey(t, s.Key, object{"role": "admin"}), s.CreateKey(t, s.Key, object{"role": "admin"})
		elsewhere := s.As(t, founder.Secret, "POST", "/v1/organizations", object{"name": "Elsewhere"}).Want(t,
			http.StatusCreated).Text(t, "id")
		s.As(t, other.Secret, "GET", "/v1/organizations/"+elsewhere, nil).WantError(t, http.StatusForbidden,
			"Forbidden")
		s.As(t, other.Secret, "POST", s.keysPath(founder.ID, "rotate"), nil).WantError(t, http.StatusForbidden,
			"Forbidden")
		s.wantAlive(t, founder.Secret)
		renewed := s.As(t, founder.Secret, "POST", s.keysPath(founder.ID, "rotate"), nil).Want(t, http.StatusOK).Text(t,
			"secret")
		s.As(t, renewed, "GET", "/v1/organizations/"+elsewhere, nil).Want(t, http.StatusOK)
		s.As(t, other.Secret, "DELETE", s.keysPath(founder.ID), nil).Want(t, http.StatusOK)
		s.wantDead(t, renewed)
	})
}

func TestKeyNeverExceedsItsCreatorsCurrentRights(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		second := s.Do(t, "POST", "/v1/teams", object{"organizationId": s.Organization, "name": "Second"}).Want(t,
			http.StatusCreated).Text(t, "id")
		team, organization := path("/v1/teams/%s", s.Team), path("/v1/organizations/%s", s.Organization)
		demote := func(role string, allTeams bool) {
			t.Helper()
			s.Exec(t, `UPDATE memberships SET role = $1, all_teams = $2 WHERE principal_kind = 'user'
				AND organization_id = $3`, role, allTeams, s.Organization)
		}
		s.Do(t, "PATCH", organization, object{}).Want(t, http.StatusOK)
		demote("editor", true)
		s.Do(t, "PATCH", organization, object{}).WantError(t, http.StatusForbidden, "Forbidden")
		s.Do(t, "POST", "/v1/organizations", object{"name": "Acme"}).WantError(t, http.StatusForbidden, "Forbidden")
		s.Do(t, "PATCH", team, object{}).Want(t, http.StatusOK)
		s.Do(t, "DELETE", team, nil).WantError(t, http.StatusForbidden, "Forbidden")
		demote("viewer", true)
		s.Do(t, "PATCH", team, object{}).WantError(t, http.StatusForbidden, "Forbidden")
		s.Do(t, "GET", team, nil).Want(t, http.StatusOK)
		demote("admin", true)
		s.Do(t, "POST", path("/v1/organizations/%s/api-keys", s.Organization),
			object{"name": "Key", "role": "owner"}).WantError(t, http.StatusForbidden, "Forbidden")
		// The user is limited to the second team, and so are all of the user's keys.
		demote("owner", false)
		s.Exec(t, `INSERT INTO membership_teams (membership_id, team_id) SELECT id, $1 FROM memberships
			WHERE principal_kind = 'user' AND organization_id = $2`, second, s.Organization)
		s.Do(t, "GET", team, nil).WantError(t, http.StatusForbidden, "Forbidden")
		s.Do(t, "GET", "/v1/teams/"+second, nil).Want(t, http.StatusOK)
		s.Do(t, "PATCH", organization, object{}).WantError(t, http.StatusForbidden, "Forbidden")
		if got := s.Do(t, "GET", "/v1/teams", nil).Want(t, http.StatusOK); fmt.Sprint(got.Get(t, "total")) != "1" ||
			got.Text(t, "data", 0, "id") != second {
			t.Errorf("the list of a narrowed person's key: %s", got.Body)
		}
		// The user has left the organization.
		s.Exec(t, `DELETE FROM memberships WHERE principal_kind = 'user' AND organization_id = $1`, s.Organization)
		s.Do(t, "GET", team, nil).WantError(t, http.StatusForbidden, "Forbidden")
		s.Do(t, "GET", organization, nil).WantError(t, http.StatusForbidden, "Forbidden")
		for _, list := range []string{"/v1/organizations", "/v1/teams"} {
			if got := s.Do(t, "GET", list, nil).Want(t, http.StatusOK); fmt.Sprint(got.Get(t, "data")) != "[]" {
				t.Errorf("%s shows what its person has left: %s", list, got.Body)
			}
		}
	})
}

func TestLastUseOfAKeyIsRecorded(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &servertest.Clock{}
		s := startServer(t, db, withRole("api"), servertest.WithClock(c))
		key := s.CreateKey(t, s.Key, object{"role": "viewer"})
		used := func() any {
			t.Helper()
			return s.Do(t, "GET", path("/v1/organizations/%s/api-keys?sortOrder=desc", s.Organization), nil).Get(t,
				"data", 0, "lastUsedAt")
		}
		if used() != nil {
			t.Fatal("used before its first use")
		}
		s.wantAlive(t, key.Secret)
		first := servertest.Eventually(t, func() (any, bool) { at := used(); return at, at != nil })
		s.wantAlive(t, key.Secret)
		c.Advance(2 * time.Minute)
		s.wantAlive(t, key.Secret)
		servertest.Eventually(t, func() (any, bool) { at := used(); return at, at != first })
	})
}
