package access_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/access/accesstest"
	"crier/internal/auth"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

var databases = &storetest.Suite{}

func TestMain(m *testing.M) { os.Exit(databases.Run(m)) }

func newIdempotency(tb testing.TB, f *storetest.Fixture) *access.Idempotency {
	tb.Helper()
	keys, err := auth.NewKeyring("0123456789abcdef0123456789abcdef")
	if err != nil {
		tb.Fatal(err)
	}
	return access.NewIdempotency(f.Store, keys, func() time.Time { return f.Now.Time })
}

func TestRolesAndTeamsDecideAccess(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		role       crier.Role
		elsewhere  bool // limited to another team
		permission crier.Permission
		wantTeam   bool
		wantWhole  bool // in the organization
	}{
		{name: "an owner manages", role: crier.RoleOwner, permission: crier.ManageMembers, wantTeam: true,
			wantWhole: true},
		{name: "an editor writes", role: crier.RoleEditor, permission: crier.WritePosts, wantTeam: true,
			wantWhole: true},
		{name: "an editor does not manage members", role: crier.RoleEditor, permission: crier.ManageMembers},
		{name: "a viewer reads", role: crier.RoleViewer, permission: crier.Read, wantTeam: true, wantWhole: true},
		{name: "a viewer does not publish", role: crier.RoleViewer, permission: crier.PublishPosts},
		{name: "a member of another team reads nothing of this one", role: crier.RoleEditor, elsewhere: true,
			permission: crier.Read, wantWhole: true},
		{name: "an admin of one team does not manage all members", role: crier.RoleAdmin, elsewhere: true,
			permission: crier.ManageMembers},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
				var teams []crier.ID
				if c.elsewhere {
					teams = append(teams, f.NewTeam("Elsewhere").ID)
				}
				person := f.NewUser("somebody@acme.example")
				f.Join(store.UserPrincipal, person.ID, c.role, teams...)
				g := accesstest.SignIn(t, f, person)
				check := func(where string, err error, want bool) {
					if want && err != nil || !want && !crier.IsKind(err, crier.KindForbidden) {
						t.Errorf("in the %s: %v, want allowed: %v", where, err, want)
					}
				}
				_, err := g.Control.Team(t.Context(), g.Caller, f.Team.ID, c.permission)
				check("team", err, c.wantTeam)
				_, err = g.Control.Organization(t.Context(), g.Caller, f.Organization.ID, c.permission)
				check("organization", err, c.wantWhole)
			})
		})
	}
}

func TestStrangersAndWrongTokensGetNoScope(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, g := t.Context(), accesstest.SignIn(t, f, f.NewUser("stranger@example.com"))
		_, err := g.Control.Team(ctx, g.Caller, f.Team.ID, crier.Read)
		if !crier.IsKind(err, crier.KindForbidden) {
			t.Errorf("a stranger in a team: %v", err)
		}
		_, err = g.Control.Team(ctx, g.Caller, crier.NewID(), crier.Read)
		if !crier.IsKind(err, crier.KindNotFound) {
			t.Errorf("a team that is not there: %v", err)
		}
		for _, token := range []string{"", "not a key", auth.NewKeySecret(), auth.AccessPrefix + "unknown"} {
			if _, err := g.Control.Authenticate(ctx, token); !crier.IsKind(err, crier.KindUnauthorized) {
				t.Errorf("%.12q: %v", token, err)
			}
		}
		if _, err := g.Control.AuthenticateSession(ctx, "unknown"); !crier.IsKind(err, crier.KindUnauthorized) {
			t.Errorf("an unknown session: %v", err)
		}
	})
}

func TestZeroScopesAreRejected(t *testing.T) {
	t.Parallel()
	for _, err := range []error{access.TeamScope{}.Check(), access.OrgScope{}.Check(), access.CallerScope{}.Check()} {
		if !errors.Is(err, access.ErrNoScope) {
			t.Errorf("got %v", err)
		}
	}
}

// changes is the result of a write.
type changes struct {
	Number int `json:"number"`
}

func TestRepeatedRequestIsAppliedOnce(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		writes, caller := newIdempotency(t, f), accesstest.Owner(t, f).Caller
		request := access.IdempotentRequest{Key: "k", Fingerprint: []byte("one"), Status: 201}
		times := 0
		write := func(r access.IdempotentRequest) error {
			ctx := access.WithIdempotency(t.Context(), caller, r)
			_, err := access.Write(ctx, writes, func(*store.Tx) (changes, error) {
				times++
				return changes{Number: times}, nil
			})
			return err
		}
		if err := write(request); err != nil {
			t.Fatal(err)
		}
		var stored *access.StoredResponse
		if err := write(request); !errors.As(err, &stored) || string(stored.Body) != `{"number":1}` ||
			stored.Status != 201 || times != 1 {
			t.Errorf("the repeat: %v, %+v, %d writes", err, stored, times)
		}
		other := request
		other.Fingerprint = []byte("two")
		if err := write(other); !crier.IsKind(err, crier.KindConflict) {
			t.Errorf("another request with the same key: %v", err)
		}
		got, err := writes.Stored(t.Context(), caller, request)
		if err != nil || got == nil || string(got.Body) != `{"number":1}` {
			t.Errorf("stored is %+v, %v", got, err)
		}
		ctx := access.WithIdempotency(t.Context(), caller, request)
		if err := writes.ReplayOr(ctx, errors.New("gone")); !errors.As(err, &stored) {
			t.Errorf("instead of the error of a repeat: %v", err)
		}
		failed := errors.New("failed")
		request.Key = "unused"
		ctx = access.WithIdempotency(t.Context(), caller, request)
		if err := writes.ReplayOr(ctx, failed); !errors.Is(err, failed) {
			t.Errorf("the error of a first request: %v", err)
		}
	})
}

func TestFailedWriteLeavesItsKeyUnused(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		writes, caller := newIdempotency(t, f), accesstest.Owner(t, f).Caller
		request := access.IdempotentRequest{Key: "k", Fingerprint: []byte("one")}
		ctx, failed := access.WithIdempotency(t.Context(), caller, request), errors.New("failed")
		if _, err := access.Write(ctx, writes, func(*store.Tx) (int, error) {
			return 0, failed
		}); !errors.Is(err, failed) {
			t.Fatal(err)
		}
		if known, err := writes.Known(t.Context(), caller, request); err != nil || known {
			t.Errorf("known %v, %v", known, err)
		}
	})
}

func TestOneOfManyRepeatsAtOnceWrites(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		writes, caller := newIdempotency(t, f), accesstest.Owner(t, f).Caller
		ctx := access.WithIdempotency(t.Context(), caller,
			access.IdempotentRequest{Key: "k", Fingerprint: []byte("one")})
		var all sync.WaitGroup
		results := make([]error, 8)
		for i := range results {
			all.Go(func() {
				_, results[i] = access.Write(ctx, writes, func(*store.Tx) (int, error) { return 1, nil })
			})
		}
		all.Wait()
		wrote := 0
		for _, err := range results {
			if err == nil {
				wrote++
			} else if _, replayed := errors.AsType[*access.StoredResponse](err); !replayed {
				t.Error(err)
			}
		}
		if wrote != 1 {
			t.Errorf("%d wrote, want 1", wrote)
		}
	})
}

func TestWritesAreAuditedWithTheirCaller(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		writes, g := newIdempotency(t, f), accesstest.Owner(t, f)
		ctx := access.WithAction(t.Context(), g.Caller, access.Action{Operation: "updateTeam", Target: "/v1/teams/x",
			Body: []byte(`{"name":"Press","token":"hush"}`), RequestID: "r"})
		if _, err := g.Control.Team(ctx, g.Caller, f.Team.ID, crier.ManageTeams); err != nil {
			t.Fatal(err)
		}
		if _, err := access.Write(ctx, writes, func(*store.Tx) (int, error) { return 1, nil }); err != nil {
			t.Fatal(err)
		}
		rows, err := f.AuditLog(t.Context(), f.Organization.ID, store.AuditFilter{},
			store.PageQuery{Sort: "createdAt", Limit: 10})
		if err != nil || len(rows.Rows) != 1 {
			t.Fatalf("the log is %+v, %v", rows.Rows, err)
		}
		e := rows.Rows[0]
		if e.Action != "updateTeam" || e.PersonID != f.Owner.ID || e.TeamID == nil || *e.TeamID != f.Team.ID ||
			strings.Contains(string(e.Changes), "hush") {
			t.Errorf("the entry is %+v", e)
		}
	})
}

func TestPrincipalKeepsAccessUntilItsMembershipEnds(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		person := f.NewUser("leaver@acme.example")
		membership := f.Join(store.UserPrincipal, person.ID, crier.RoleAdmin)
		principal := accesstest.SignIn(t, f, person).Caller.Principal()
		may := func() (may bool) {
			f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
				may, err = principal.MayStill(ctx, tx, f.Team.ID, crier.ManageSocialAccounts, f.Now)
				return err
			})
			return may
		}
		if !may() {
			t.Error("an admin may not")
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			m, err := tx.LockMember(ctx, f.Organization.ID, membership)
			if err != nil {
				return err
			}
			return tx.RemoveMember(ctx, f.Organization.ID, m, f.Now)
		})
		if may() {
			t.Error("who was removed may still")
		}
	})
}
