package access_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/access/accesstest"
	"crier/internal/auth"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// A key acts for itself and for its creator; both decide what it may do and what the log records.
func TestScopesTellWhoAndWhereTheyWereGivenFor(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		g, ctx := newFixture(f), t.Context()
		k, secret := g.newKey(func(*crier.APIKey) {})
		key, err := g.Authenticate(ctx, secret)
		if err != nil {
			t.Fatal(err)
		}
		person := accesstest.Owner(t, f).Caller
		if key.Kind() != store.KeyPrincipal || key.ID() != k.ID || key.Person().ID != f.Owner.ID ||
			key.Credential().Name != "CI" || len(key.Principals()) != 2 ||
			key.Principals()[1].PrincipalID != f.Owner.ID {
			t.Errorf("the key is %+v with %+v", key, key.Principals())
		}
		if person.Kind() != store.UserPrincipal || len(person.Principals()) != 1 ||
			person.Credential().Kind != crier.CredentialSession {
			t.Errorf("the person is %+v", person)
		}
		scope, err := g.Organization(ctx, key, f.Organization.ID, crier.Read)
		if err != nil || scope.Organization().ID != f.Organization.ID || scope.Caller().ID() != k.ID ||
			scope.Access().Own.Role != crier.RoleEditor || scope.Access().Behind.Role != crier.RoleOwner ||
			scope.Check() != nil {
			t.Errorf("the scope is %+v, %v", scope, err)
		}
		if _, err := g.Person(key); !crier.IsKind(err, crier.KindForbidden) ||
			err.Error() != "This needs a person's own login, not an API key." {
			t.Errorf("a key acts on its maker's account: %v", err)
		}
		own, err := g.Person(person)
		if err != nil || own.Caller().ID() != f.Owner.ID || own.Check() != nil || own.MayRead() != nil {
			t.Errorf("a person: %+v, %v", own, err)
		}
		if g.Caller(key).Caller().ID() != k.ID || g.Caller(key).Check() != nil {
			t.Error("the scope of a caller is another's")
		}
		_, narrow := g.newKey(func(k *crier.APIKey) { k.Permissions = []crier.Permission{crier.WritePosts} })
		writer, err := g.Authenticate(ctx, narrow)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Caller(writer).MayRead(); !crier.IsKind(err, crier.KindForbidden) {
			t.Errorf("a key that may not read lists across organizations: %v", err)
		}
	})
}

func TestPrincipalMayNotInATeamThatIsGone(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		g := newFixture(f)
		k, secret := g.newKey(func(*crier.APIKey) {})
		key, err := g.Authenticate(t.Context(), secret)
		if err != nil {
			t.Fatal(err)
		}
		may := func(p access.Principal, team crier.ID) (may bool) {
			t.Helper()
			f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
				may, err = p.MayStill(ctx, tx, team, crier.WritePosts, f.Now)
				return err
			})
			return may
		}
		other := f.NewTeam("Other")
		if !may(key.Principal(), f.Team.ID) || !may(key.Principal(), other.ID) {
			t.Error("a key of all teams may not write")
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.DeleteTeam(ctx, other, f.Now) })
		if may(key.Principal(), other.ID) || may(key.Principal(), crier.NewID()) {
			t.Error("it may in a team that was deleted")
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.RevokeKey(ctx, f.Organization.ID, k.ID, f.Now)
		})
		if may(key.Principal(), f.Team.ID) {
			t.Error("a revoked key may still")
		}
		if id := f.NewUser("stranger@acme.example").ID; may(access.Principal{Kind: store.UserPrincipal, ID: id,
			PersonID: id}, f.Team.ID) {
			t.Error("a stranger may")
		}
	})
}

// entries returns the audit log of an organization, newest first.
func entries(t *testing.T, f *storetest.Fixture, organization crier.ID) []crier.AuditEntry {
	t.Helper()
	page, err := f.AuditLog(t.Context(), organization, store.AuditFilter{},
		store.PageQuery{Sort: "createdAt", Desc: true, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	return page.Rows
}

func TestAuditTellsWhoAskedAlsoWithoutAToken(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		writes := newIdempotency(t, f)
		write := func(ctx context.Context, result crier.Team) {
			t.Helper()
			if _, err := access.Write(ctx, writes, func(*store.Tx) (crier.Team, error) {
				return result,
					nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		action := access.Action{Operation: "teams.create", Target: "/v1/teams", Body: []byte(`{"name":"x","token":"y"}`),
			RequestID: "r1", Creates: true}
		created := crier.Team{ID: crier.NewID()}
		ctx := access.WithAction(t.Context(), access.Caller{}, action)
		access.AuditPerson(ctx, f.Owner)
		access.AuditIn(ctx, f.Organization.ID, nil)
		write(ctx, created)
		list := entries(t, f, f.Organization.ID)
		if len(list) != 1 || list[0].PersonID != f.Owner.ID || list[0].PrincipalKind != "user" ||
			list[0].Action != "teams.create" || list[0].Target != "/v1/teams" || list[0].RequestID != "r1" ||
			list[0].CreatedID == nil || *list[0].CreatedID != created.ID || list[0].TeamID != nil {
			t.Fatalf("the log is %+v", list)
		}
		var recorded map[string]string
		err := json.Unmarshal(list[0].Changes, &recorded)
		if err != nil || recorded["name"] != "x" || recorded["token"] != "…" {
			t.Errorf("the changes are %s, %v", list[0].Changes, err)
		}
		principal := access.Principal{Kind: store.KeyPrincipal, ID: crier.NewID(), PersonID: f.Owner.ID}
		ctx = access.WithAction(t.Context(), access.Caller{}, access.Action{Operation: "accounts.connect"})
		access.AuditPrincipal(ctx, principal, []byte(`{"n":1}`))
		access.AuditIn(ctx, f.Organization.ID, &f.Team.ID)
		write(ctx, created)
		for _, e := range entries(t, f, f.Organization.ID) {
			if e.Action == "accounts.connect" && (e.PrincipalID != principal.ID || e.PersonID != f.Owner.ID ||
				e.TeamID == nil || *e.TeamID != f.Team.ID || e.CreatedID != nil) {
				t.Errorf("what goes on for a key is logged as %+v", e)
			}
		}
		access.AuditPerson(t.Context(), f.Owner) // without an action there is nothing to record
		access.AuditPrincipal(t.Context(), principal, nil)
		write(t.Context(), created)
		write(access.WithAction(t.Context(), access.Caller{}, action), created) // in no organization
		if n := f.Scan(`SELECT count(*) FROM audit_log`); n != 2 {
			t.Errorf("%d entries, want 2", n)
		}
	})
}

func TestAuditOfANewOrganizationIsInItsOwnLog(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		writes, o := newIdempotency(t, f), f.NewOrganization("New")
		ctx := access.WithAction(t.Context(), accesstest.Owner(t, f).Caller,
			access.Action{Operation: "organizations.create", Creates: true})
		if _, err := access.Write(ctx, writes, func(*store.Tx) (crier.Organization, error) {
			return o,
				nil
		}); err != nil {
			t.Fatal(err)
		}
		if list := entries(t, f, o.ID); len(list) != 1 || list[0].CreatedID == nil || *list[0].CreatedID != o.ID {
			t.Errorf("the log of the new organization is %+v", list)
		}
		if list := entries(t, f, f.Organization.ID); len(list) != 0 {
			t.Errorf("another organization's log is %+v", list)
		}
	})
}

// The first request decides what a key means; a repeat must get exactly the same response, or an error.
func TestRepeatsOfAnotherBodyOrOfSomebodyWhoLeftAreRefused(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		writes := newIdempotency(t, f)
		person := f.NewUser("leaver@acme.example")
		membership := f.Join(store.UserPrincipal, person.ID, crier.RoleAdmin)
		caller := accesstest.SignIn(t, f, person).Caller
		request := access.IdempotentRequest{Key: "k", Fingerprint: []byte("path"), Status: 201, Partial: true}
		failed := errors.New("failed")
		partial := access.WithIdempotency(t.Context(), caller, request)
		if err := writes.ReplayOr(partial, failed); !errors.Is(err, failed) {
			t.Errorf("before the body has arrived: %v", err)
		}
		in := func(body string) context.Context {
			ctx := access.WithAction(access.WithBody(partial, []byte(body)), caller, access.Action{Operation: "x"})
			access.AuditIn(ctx, f.Organization.ID, nil)
			return ctx
		}
		if _, err := access.Write(in("one"), writes, func(*store.Tx) (changes, error) {
			return changes{Number: 1}, nil
		}); err != nil {
			t.Fatal(err)
		}
		const used = "This Idempotency-Key was used for another request within the last 24 hours. Use a new key " +
			"for a new request."
		if err := writes.ReplayOr(in("two"), failed); !crier.IsKind(err, crier.KindConflict) || err.Error() != used {
			t.Errorf("another body: %v", err)
		}
		if stored, ok := errors.AsType[*access.StoredResponse](writes.ReplayOr(in("one"), failed)); !ok ||
			stored.Status != 201 || string(stored.Body) != `{"number":1}` {
			t.Errorf("the same body: %+v", stored)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			m, err := tx.LockMember(ctx, f.Organization.ID, membership)
			if err != nil {
				return err
			}
			return tx.RemoveMember(ctx, f.Organization.ID, m, f.Now)
		})
		if err := writes.ReplayOr(in("one"), failed); !crier.IsKind(err, crier.KindForbidden) {
			t.Errorf("somebody who left is told the answer: %v", err)
		}
		if err := writes.ReplayOr(t.Context(), failed); !errors.Is(err, failed) {
			t.Errorf("without a key: %v", err)
		}
	})
}

func TestAnAnswerOfAnotherInstallationsKeyIsAnError(t *testing.T) {
	t.Parallel()
	f := storetest.NewFixture(t, databases.Fresh(t, store.SQLite).Open(t))
	caller := accesstest.Owner(t, f).Caller
	request := access.IdempotentRequest{Key: "k", Fingerprint: []byte("one"), Status: 200}
	ctx := access.WithIdempotency(t.Context(), caller, request)
	if _, err := access.Write(ctx, newIdempotency(t, f), func(*store.Tx) (changes, error) {
		return changes{}, nil
	}); err != nil {
		t.Fatal(err)
	}
	keys, err := auth.NewKeyring(auth.NewSecretKey())
	if err != nil {
		t.Fatal(err)
	}
	writes := access.NewIdempotency(f.Store, keys, func() time.Time { return f.Now.Time })
	if _, err := writes.Stored(t.Context(), caller, request); err == nil || crier.IsKind(err, crier.KindConflict) {
		t.Errorf("an answer that cannot be opened: %v", err)
	}
	if _, err := access.Write(ctx, writes, func(*store.Tx) (changes, error) {
		t.Error("a request that was answered runs again")
		return changes{}, nil
	}); err == nil {
		t.Error("a repeat whose answer cannot be opened succeeds")
	}
	if stored, err := writes.Stored(t.Context(), caller, access.IdempotentRequest{Key: "new"}); stored != nil ||
		err != nil {
		t.Errorf("a new key has %+v, %v", stored, err)
	}
}

func TestWriteTellsASlotThatWasTakenMeanwhile(t *testing.T) {
	t.Parallel()
	f := storetest.NewFixture(t, databases.Fresh(t, store.SQLite).Open(t))
	_, err := access.Write(t.Context(), newIdempotency(t, f), func(*store.Tx) (changes, error) {
		return changes{}, store.ErrTaken
	})
	if !crier.IsKind(err, crier.KindConflict) ||
		err.Error() != "Another request has just scheduled this post, or taken this slot. Try again." {
		t.Errorf("a taken slot: %v", err)
	}
}
