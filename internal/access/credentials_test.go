package access_test

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/access/accesstest"
	"crier/internal/auth"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// fixture is the access control of a fixture at a time set by the test.
type fixture struct {
	*access.Control
	f   *storetest.Fixture
	now time.Time
}

func newFixture(f *storetest.Fixture) *fixture {
	g := &fixture{f: f, now: f.Now.Time}
	g.Control = access.New(f.Store, func() time.Time { return g.now }, slog.New(slog.DiscardHandler))
	return g
}

// newKey inserts an API key of the owner and returns its secret.
func (g *fixture) newKey(change func(*crier.APIKey)) (crier.APIKey, string) {
	f, secret := g.f, auth.NewKeySecret()
	k := crier.APIKey{ID: crier.NewID(), OrganizationID: f.Organization.ID, Name: "CI", Role: crier.RoleEditor,
		CreatedByID: &f.Owner.ID, CreatedAt: f.Now, UpdatedAt: f.Now}
	change(&k)
	f.Tx(func(ctx context.Context, tx *store.Tx) error {
		if err := tx.InsertKey(ctx, k); err != nil {
			return err
		}
		return tx.InsertSecret(ctx, store.KeySecret{Hash: auth.Hash(secret), KeyID: k.ID, Sealed: []byte{1},
			LastFour: secret[len(secret)-4:], CreatedAt: f.Now, IssuedByID: f.Owner.ID}, f.Now)
	})
	f.Join(store.KeyPrincipal, k.ID, k.Role, k.TeamIDs...)
	return k, secret
}

func TestRestrictedKeyPermissions(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		g, ctx, other := newFixture(f), t.Context(), f.NewTeam("Other").ID
		for name, c := range map[string]struct {
			permissions []crier.Permission
			teams       []crier.ID
			here, there bool // may write in the team, in the other one
			read        bool // may read lists across organizations
		}{
			"not at all":             {nil, nil, true, true, true},
			"to a team":              {nil, []crier.ID{f.Team.ID}, true, false, true},
			"to reading":             {[]crier.Permission{crier.Read}, nil, false, false, true},
			"to writing alone":       {[]crier.Permission{crier.WritePosts}, nil, true, true, false},
			"beyond what it may be":  {[]crier.Permission{crier.ManageMembers}, nil, false, false, false},
			"to writing in one team": {[]crier.Permission{crier.WritePosts}, []crier.ID{other}, false, true, false},
		} {
			k, secret := g.newKey(func(k *crier.APIKey) { k.Permissions, k.TeamIDs = c.permissions, c.teams })
			caller, err := g.Authenticate(ctx, secret)
			if err != nil {
				t.Fatal(err)
			}
			for team, want := range map[crier.ID]bool{f.Team.ID: c.here, other: c.there} {
				if _, err := g.Team(ctx, caller, team, crier.WritePosts); (err == nil) != want ||
					err != nil && !crier.IsKind(err, crier.KindForbidden) {
					t.Errorf("narrowed %s: %v", name, err)
				}
			}
			if err := g.Caller(caller).MayRead(); (err == nil) != c.read {
				t.Errorf("narrowed %s: reading is %v", name, err)
			}
			if _, err := g.Organization(ctx, caller, f.Organization.ID, crier.ManageMembers); err == nil {
				t.Errorf("narrowed %s: an editor's key manages members", name)
			}
			if _, err := g.Person(caller); !crier.IsKind(err, crier.KindForbidden) {
				t.Errorf("a key is a person: %v", err)
			}
			if caller.ID() != k.ID || caller.Person().ID != f.Owner.ID ||
				caller.Credential().Kind != crier.CredentialKey {
				t.Errorf("the caller is %s of %s", caller.ID(), caller.Person().ID)
			}
		}
	})
}

func TestCachedCredentialExpiresOnTime(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		g, ctx := newFixture(f), t.Context()
		ends := f.After(500 * time.Millisecond) // within the time for which callers are cached
		_, secret := g.newKey(func(k *crier.APIKey) { k.ExpiresAt = &ends })
		family, token := crier.NewID(), auth.NewBearerToken(auth.AccessPrefix)
		resource := "https://crier.example/mcp"
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			if err := tx.InsertTokenFamily(ctx, store.TokenFamily{ID: family, UserID: f.Owner.ID, Name: "Laptop",
				CreatedAt: f.Now, Resource: &resource}); err != nil {
				return err
			}
			return tx.InsertTokens(ctx, family, auth.Hash(token), ends, []byte("refresh"), ends)
		})
		session := auth.NewLinkToken()
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.InsertSession(ctx, store.Session{ID: crier.NewID(), Hash: auth.Hash(session), User: f.Owner,
				CreatedAt: f.Now, ExpiresAt: ends})
		})
		bearer, err := g.Authenticate(ctx, token)
		if err != nil || bearer.Resource() != resource || bearer.ID() != f.Owner.ID || bearer.CredentialID() != family {
			t.Errorf("the token is %+v, %v", bearer, err)
		}
		for name, enter := range map[string]func() error{
			"a key":     func() error { _, err := g.Authenticate(ctx, secret); return err },
			"a token":   func() error { _, err := g.Authenticate(ctx, token); return err },
			"a session": func() error { _, err := g.AuthenticateSession(ctx, session); return err },
		} {
			g.now = ends.Add(-time.Microsecond)
			if err := enter(); err != nil {
				t.Errorf("%s ends early: %v", name, err)
			}
			g.now = ends.Time
			if err := enter(); !crier.IsKind(err, crier.KindUnauthorized) {
				t.Errorf("%s works after its end: %v", name, err)
			}
			g.now = f.Now.Time
		}
	})
}

func TestPrincipalCanBeAuthorizedLater(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		g, ctx := newFixture(f), t.Context()
		k, secret := g.newKey(func(*crier.APIKey) {})
		caller, err := g.Authenticate(ctx, secret)
		if err != nil {
			t.Fatal(err)
		}
		p := caller.Principal()
		scope, err := g.TeamOf(ctx, p, f.Team.ID, crier.WritePosts)
		if err != nil || scope.Team().ID != f.Team.ID || scope.Caller().ID() != k.ID || !scope.Can(crier.Read) ||
			scope.Can(crier.ManageMembers) {
			t.Fatalf("the scope is %+v, %v", scope, err)
		}
		if _, err := g.TeamOf(ctx, p, f.Team.ID, crier.ManageMembers); !crier.IsKind(err, crier.KindForbidden) {
			t.Errorf("it may more than before: %v", err)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.RevokeKey(ctx, f.Organization.ID, k.ID, f.Now)
		})
		if _, err := g.TeamOf(ctx, p, f.Team.ID, crier.WritePosts); !crier.IsKind(err, crier.KindForbidden) {
			t.Errorf("a revoked key goes on: %v", err)
		}
	})
}

// secretResponse is a response with a one-time secret.
type secretResponse struct {
	ID     string `json:"id"`
	Secret string `json:"secret,omitempty"`
}

func (s secretResponse) WithoutSecret() any { return secretResponse{ID: s.ID} }

func TestResponseIsStoredForADayWithoutSecrets(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		keys, err := auth.NewKeyring("0123456789abcdef0123456789abcdef")
		if err != nil {
			t.Fatal(err)
		}
		now := f.Now.Time
		writes := access.NewIdempotency(f.Store, keys, func() time.Time { return now })
		owner := accesstest.Owner(t, f).Caller
		other := accesstest.SignIn(t, f, f.NewUser("other@acme.example")).Caller
		request := access.IdempotentRequest{Key: "k", Fingerprint: []byte("one"), Status: 201}
		write := func(caller access.Caller) (secretResponse, error) {
			return access.Write(access.WithIdempotency(t.Context(), caller, request), writes,
				func(*store.Tx) (secretResponse, error) { return secretResponse{ID: "1", Secret: "hush"}, nil })
		}
		if response, err := write(owner); err != nil || response.Secret != "hush" {
			t.Fatalf("made %+v, %v", response, err)
		}
		_, err = write(owner)
		replayed, ok := errors.AsType[*access.StoredResponse](err)
		if !ok || string(replayed.Body) != `{"id":"1"}` || replayed.Error() == "" {
			t.Errorf("the repeat gets %s, %v", replayed.Body, err)
		}
		if response, err := write(other); err != nil || response.Secret == "" { // a key is scoped to its caller
			t.Errorf("another caller with the same key: %+v, %v", response, err)
		}
		now = now.Add(24*time.Hour - time.Microsecond)
		if known, err := writes.Known(t.Context(), owner, request); err != nil || !known {
			t.Errorf("within a day it is known: %v, %v", known, err)
		}
		now = now.Add(time.Microsecond)
		if known, err := writes.Known(t.Context(), owner, request); err != nil || known {
			t.Errorf("after a day it is known: %v, %v", known, err)
		}
		if response, err := write(owner); err != nil || response.Secret == "" {
			t.Errorf("after a day the key is not free: %+v, %v", response, err)
		}
	})
}

func TestRequestBodyIsPartOfItsFingerprint(t *testing.T) {
	t.Parallel()
	r := access.IdempotentRequest{Key: "k", Fingerprint: []byte("path"), Partial: true}
	one, two, again := r.WithBody([]byte("one")), r.WithBody([]byte("two")), r.WithBody([]byte("one"))
	if one.Partial || string(one.Fingerprint) == string(two.Fingerprint) ||
		string(one.Fingerprint) != string(again.Fingerprint) || string(r.Fingerprint) != "path" || !r.Partial {
		t.Errorf("the fingerprints are %x, %x and %x", one.Fingerprint, two.Fingerprint, again.Fingerprint)
	}
	elsewhere := access.IdempotentRequest{Key: "k", Fingerprint: []byte("other path"),
		Partial: true}.WithBody([]byte("one"))
	if string(elsewhere.Fingerprint) == string(one.Fingerprint) {
		t.Error("two requests with one body are one")
	}
	if ctx := access.WithBody(t.Context(), []byte("one")); ctx != t.Context() {
		t.Error("a request without a key has one")
	}
}

func TestCredentialUseIsRecordedOncePerMinute(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		g := newFixture(f)
		k, secret := g.newKey(func(*crier.APIKey) {})
		enter := func() {
			t.Helper()
			if _, err := g.Authenticate(t.Context(), secret); err != nil {
				t.Fatal(err)
			}
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { g.RecordUses(ctx); close(ended) }()
		defer func() { stop(); <-ended }()
		used := func(want crier.Time) {
			t.Helper()
			for {
				var at *crier.Time
				if err := f.Reader().QueryRowContext(t.Context(), `SELECT last_used_at FROM api_keys WHERE id = $1`,
					k.ID).Scan(&at); err != nil {
					t.Fatal(err)
				}
				if at != nil && *at == want {
					return
				}
				if at != nil && at.After(want.Time) {
					t.Fatalf("the use is noted at %s, want %s", at, want)
				}
				runtime.Gosched() // to the goroutine that records it
			}
		}
		enter()
		used(f.Now)
		g.now = g.now.Add(59 * time.Second)
		enter() // too soon: the next use is recorded in the next minute
		g.now = g.now.Add(time.Second)
		enter()
		used(f.After(time.Minute))
	})
}

func TestInvalidTokenIsNotEchoed(t *testing.T) {
	t.Parallel()
	f := storetest.NewFixture(t, databases.Fresh(t, store.SQLite).Open(t))
	g := newFixture(f)
	for _, token := range []string{auth.KeyPrefix, auth.NewKeySecret() + "x", "Bearer x", strings.Repeat("x", 10_000)} {
		_, err := g.Authenticate(t.Context(), token)
		if !crier.IsKind(err, crier.KindUnauthorized) || len(token) > 8 && strings.Contains(err.Error(), token) {
			t.Errorf("%.12q: %v", token, err)
		}
	}
}
