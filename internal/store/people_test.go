package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

func TestSessionsEndAndAreSwept(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		for _, token := range []string{"one", "two", "three"} {
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				return tx.InsertSession(ctx, store.Session{ID: crier.NewID(), Hash: []byte(token), User: f.Owner,
					Browser: "Firefox", CreatedAt: f.Now, ExpiresAt: f.After(time.Hour)})
			})
		}
		user := func(token string, at crier.Time) *crier.User {
			s, err := f.SessionByToken(ctx, []byte(token), at)
			if err != nil {
				t.Fatal(err)
			}
			if s == nil {
				return nil
			}
			return &s.User
		}
		if u := user("one", f.Now); u == nil || u.ID != f.Owner.ID {
			t.Errorf("the session is %+v's", u)
		}
		if u := user("one", f.After(time.Hour)); u != nil {
			t.Error("an expired session lets in")
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.EndSession(ctx, []byte("one")) })
		if user("one", f.Now) != nil || user("two", f.Now) == nil {
			t.Error("the end of one session did not end that one alone")
		}
		list, err := f.SessionsOf(ctx, f.Owner.ID, f.Now)
		if err != nil || len(list) != 2 {
			t.Errorf("sessions %+v, %v", list, err)
		}
		for who, want := range map[crier.ID]bool{crier.NewID(): false, f.Owner.ID: true} {
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				ok, err := tx.EndSessionOf(ctx, who, list[0].ID, f.Now)
				if ok != want {
					t.Errorf("ended: %v", ok)
				}
				return err
			})
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.EndSessions(ctx, f.Owner.ID, f.Now) })
		if user("two", f.Now) != nil || user("three", f.Now) != nil {
			t.Error("sessions outlive the end of all")
		}
	})
}

func TestFailedSignInsAreCountedAndForgotten(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		const email = "owner@acme.example"
		until := f.After(time.Minute)
		failures := func() (n int, blocked crier.Time) {
			f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
				n, blocked, err = tx.LockSignIns(ctx, email)
				return err
			})
			return n, blocked
		}
		note := func(n int) {
			f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.NoteSignIn(ctx, email, n, until) })
		}
		note(3)
		if n, blocked := failures(); n != 3 || !blocked.Equal(until.Time) {
			t.Errorf("%d failures, blocked until %v", n, blocked)
		}
		note(0)
		if n, _ := failures(); n != 0 {
			t.Errorf("%d failures after a success", n)
		}
		note(2)
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.SweepSignIns(ctx, f.After(48*time.Hour)) })
		if n, _ := failures(); n != 0 {
			t.Errorf("%d failures after two days", n)
		}
	})
}

func TestPasswordsAndSetupLinks(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, link := context.Background(), []byte("link")
		if there, err := f.HasUsers(ctx); err != nil || !there {
			t.Errorf("users: %v, %v", there, err)
		}
		if s, err := f.UserByEmail(ctx, "owner@acme.example"); err != nil || s != nil {
			t.Errorf("somebody without a password can sign in: %+v, %v", s, err)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.InsertSetupLink(ctx, link, f.Owner.ID, f.After(time.Hour))
		})
		use := func(email crier.Email, at crier.Time) error {
			return f.TryTx(func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.UseSetupLink(ctx, link, email, "Olga", "hash", at)
				return err
			})
		}
		f.NewUser("taken@acme.example")
		if err := use("olga@acme.example", f.After(time.Hour)); kindOf(err) != crier.KindNotFound {
			t.Errorf("an expired link: %v", err)
		}
		if err := use("taken@acme.example", f.Now); kindOf(err) != crier.KindConflict {
			t.Errorf("an address in use: %v", err)
		}
		if user, err := f.SetupLinkUser(ctx, link, f.Now); err != nil || user != f.Owner.ID {
			t.Errorf("the link is %v's, %v", user, err)
		}
		if err := use("olga@acme.example", f.Now); err != nil {
			t.Fatal(err)
		}
		if err := use("olga@acme.example", f.Now); kindOf(err) != crier.KindNotFound {
			t.Errorf("a used link: %v", err)
		}
		s, err := f.UserByEmail(ctx, "olga@acme.example")
		if err != nil || s == nil || s.PasswordHash != "hash" || s.User.ID != f.Owner.ID {
			t.Errorf("%+v, %v", s, err)
		}
		for _, c := range []struct {
			before string
			want   bool
		}{{"other", false}, {"hash", true}, {"hash", false}} {
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				ok, err := tx.ReplacePassword(ctx, f.Owner.ID, c.before, "new", f.Now)
				if ok != c.want {
					t.Errorf("replaced %s: %v", c.before, ok)
				}
				return err
			})
		}
		second := f.NewUser("second@acme.example")
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.SetPassword(ctx, second.ID, "2@acme.example", "Two", "hash2", f.Now)
		})
		if s, err := f.UserByID(ctx, second.ID); err != nil || s == nil || s.PasswordHash != "hash2" {
			t.Errorf("%+v, %v", s, err)
		}
		if u, err := f.User(ctx, second.ID); err != nil || u.Name != "Two" {
			t.Errorf("%+v, %v", u, err)
		}
	})
}

func TestDeviceLoginIsDecidedOnce(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		login := store.DeviceLogin{DeviceHash: []byte("device"), UserCode: "ABCD-EFGH", ClientName: "shell",
			Interval: 5, ExpiresAt: f.After(10 * time.Minute)}
		insert := func(d store.DeviceLogin) error {
			return f.TryTx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertDeviceLogin(ctx, d) })
		}
		if err := insert(login); err != nil {
			t.Fatal(err)
		}
		twin := login
		twin.DeviceHash = []byte("another")
		if err := insert(twin); !errors.Is(err, store.ErrCodeTaken) {
			t.Errorf("a second login with the code: %v", err)
		}
		if d, err := f.DeviceLogin(ctx, login.UserCode, f.After(10*time.Minute)); err != nil || d != nil {
			t.Errorf("an expired login: %+v, %v", d, err)
		}
		for i, want := range []bool{true, false} {
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				ok, err := tx.DecideDeviceLogin(ctx, login.UserCode, "approved", f.Owner.ID, f.Now)
				if ok != want {
					t.Errorf("decision %d: %v", i, ok)
				}
				return err
			})
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			d, err := tx.LockDeviceLogin(ctx, login.DeviceHash)
			if err != nil || d == nil || d.Status != "approved" || *d.UserID != f.Owner.ID {
				t.Errorf("%+v, %v", d, err)
				return err
			}
			d.Status, d.PolledAt, d.Interval = "used", &f.Now, 10
			return tx.UpdateDeviceLogin(ctx, *d)
		})
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			if d, err := tx.LockDeviceLogin(ctx, []byte("none")); err != nil || d != nil {
				t.Errorf("an unknown device: %+v, %v", d, err)
			}
			return nil
		})
	})
}

func TestTokensEndWithTheirFamily(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, family := context.Background(), crier.NewID()
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			if err := tx.InsertTokenFamily(ctx, store.TokenFamily{ID: family, UserID: f.Owner.ID, Name: "shell",
				CreatedAt: f.Now}); err != nil {
				return err
			}
			return tx.InsertTokens(ctx, family, []byte("access"), f.After(time.Hour), []byte("refresh"),
				f.After(24*time.Hour))
		})
		refresh := func(at crier.Time) (token *store.RefreshToken) {
			f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
				token, err = tx.LockRefreshToken(ctx, []byte("refresh"), at)
				return err
			})
			return token
		}
		if b, err := f.AccessToken(ctx, []byte("access"), f.Now); err != nil || b.Person.ID != f.Owner.ID ||
			b.Name != "shell" {
			t.Errorf("%+v, %v", b, err)
		}
		if _, err := f.AccessToken(ctx, []byte("access"), f.After(time.Hour)); kindOf(err) != crier.KindUnauthorized {
			t.Errorf("an expired token: %v", err)
		}
		for _, token := range []string{"access", "refresh"} {
			if id, err := f.FamilyOfToken(ctx, []byte(token)); err != nil || id != family {
				t.Errorf("%s is of %v, %v", token, id, err)
			}
		}
		if got := refresh(f.After(24 * time.Hour)); !got.Expired || got.Used || got.Revoked {
			t.Errorf("an expired refresh token: %+v", got)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.UseRefreshToken(ctx, []byte("refresh"), f.Now)
		})
		if got := refresh(f.Now); !got.Used {
			t.Errorf("a used refresh token: %+v", got)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.RevokeFamily(ctx, family, f.Now) })
		if _, err := f.AccessToken(ctx, []byte("access"), f.Now); kindOf(err) != crier.KindUnauthorized {
			t.Errorf("a revoked token: %v", err)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.SweepSignIns(ctx, f.After(25*time.Hour)) })
		if n := f.Scan(`SELECT count(*) FROM token_families`); n != 0 || refresh(f.Now) != nil {
			t.Errorf("%d families after the sweep", n)
		}
	})
}

func TestInvitationGrantsNoMoreThanItsInviterHas(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		admin := f.NewUser("admin@acme.example")
		membership := f.Join(store.UserPrincipal, admin.ID, crier.RoleAdmin)
		invite := func(by crier.ID, email crier.Email, role crier.Role) store.Invitation {
			i := store.Invitation{TokenHash: []byte(email), OrganizationID: f.Organization.ID, InvitedByID: by}
			i.ID, i.Email, i.Role, i.CreatedAt, i.ExpiresAt = crier.NewID(), email, role, f.Now, f.After(time.Hour)
			i.TeamIDs = []crier.ID{f.Team.ID}
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				if err := tx.ReplaceInvitations(ctx, f.Organization.ID, email, f.Now); err != nil {
					return err
				}
				return tx.InsertInvitation(ctx, i)
			})
			return i
		}
		open := func(i store.Invitation) bool {
			_, err := f.OpenInvitationByID(ctx, i.ID, f.Now)
			if err != nil && kindOf(err) != crier.KindNotFound {
				t.Error(err)
			}
			return err == nil
		}
		first := invite(admin.ID, "new@acme.example", crier.RoleEditor)
		byHash, err := f.OpenInvitation(ctx, []byte("new@acme.example"), f.Now)
		if err != nil || byHash.ID != first.ID || byHash.OrganizationName != "Acme" || len(byHash.TeamIDs) != 1 {
			t.Errorf("%+v, %v", byHash, err)
		}
		mustExec(t, f.Store, `UPDATE invitations SET token_hash = $1`, []byte("other"))
		second := invite(admin.ID, "new@acme.example", crier.RoleViewer)
		if open(first) || !open(second) || open(invite(admin.ID, "boss@acme.example", crier.RoleOwner)) {
			t.Error("replaced ones are open, or new ones are not, or an admin made an owner")
		}
		if _, err := f.OpenInvitationByID(ctx, second.ID, f.After(time.Hour)); kindOf(err) != crier.KindNotFound {
			t.Errorf("an expired one: %v", err)
		}
		withdrawn := invite(f.Owner.ID, "w@acme.example", crier.RoleEditor)
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.WithdrawInvitation(ctx, f.Organization.ID, withdrawn.ID, f.Now)
		})
		if open(withdrawn) {
			t.Error("a withdrawn one is open")
		}
		accept := func() error {
			return f.TryTx(func(ctx context.Context, tx *store.Tx) error {
				return tx.AcceptInvitation(ctx, second.ID, f.Now)
			})
		}
		if err := errors.Join(accept()); err != nil || open(second) || accept() == nil {
			t.Errorf("accepted once: %v", err)
		}
		third := invite(admin.ID, "third@acme.example", crier.RoleEditor)
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			m, err := tx.LockMember(ctx, f.Organization.ID, membership)
			if err != nil {
				return err
			}
			m.Role = crier.RoleEditor
			return tx.UpdateMember(ctx, m)
		})
		if open(third) {
			t.Error("the invitation of somebody who was demoted is open")
		}
	})
}

func TestKeysRotateExpireAndFollowTheirMembership(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		key, admin := f.NewKey("ci", f.Team.ID), f.NewUser("admin@acme.example")
		find := func(secret string, at crier.Time) bool {
			k, err := f.KeyBySecret(ctx, []byte(secret), at)
			if err != nil && kindOf(err) != crier.KindUnauthorized {
				t.Error(err)
			}
			return err == nil && k.ID == key.ID && k.Person.ID == f.Owner.ID
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			if err := tx.SetKeyRotated(ctx, key.ID, f.Now); err != nil {
				return err
			}
			return tx.InsertSecret(ctx, store.KeySecret{Hash: []byte("new"), KeyID: key.ID, Sealed: []byte{1},
				LastFour: "5678", CreatedAt: f.Now, IssuedByID: admin.ID}, f.After(time.Hour))
		})
		if !find("new", f.Now) || !find("secret ci", f.Now) || find("secret ci", f.After(time.Hour)) ||
			find("x", f.Now) {
			t.Error("the grace of the rotation is not kept")
		}
		for _, at := range []crier.Time{f.After(time.Minute), f.Now} { // never back
			if err := f.CredentialUsed(ctx, "api_key", key.ID, at); err != nil {
				t.Fatal(err)
			}
		}
		got, err := f.Key(ctx, f.Organization.ID, key.ID)
		if err != nil || got.LastFour != "5678" || !got.LastUsedAt.Equal(f.After(time.Minute).Time) ||
			len(got.TeamIDs) != 1 {
			t.Errorf("%+v, %v", got, err)
		}
		teams, err := f.NarrowedTeams(ctx, key.ID)
		all, err2 := f.NarrowedTeams(ctx, f.Owner.ID)
		if err != nil || err2 != nil || len(teams) != 1 || all != nil {
			t.Errorf("teams %v and %v; %v, %v", teams, all, err, err2)
		}
		within, err := f.KeyStaysWithin(ctx, key.ID, f.Owner.ID, f.Owner.ID)
		outside, err2 := f.KeyStaysWithin(ctx, key.ID, crier.NewID(), f.Owner.ID)
		if err != nil || err2 != nil || !within || outside {
			t.Errorf("within %v, outside %v; %v, %v", within, outside, err, err2)
		}
		endSecretsOf := func(person crier.ID) {
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				return tx.EndSecretsIssuedBy(ctx, f.Organization.ID, person, []crier.Role{crier.RoleEditor}, f.Now)
			})
		}
		endSecretsOf(f.Owner.ID)
		if !find("new", f.Now) || !find("secret ci", f.Now) {
			t.Error("the secrets of one's own key end, and those that somebody else issued")
		}
		endSecretsOf(admin.ID)
		if find("new", f.Now) || !find("secret ci", f.Now) {
			t.Error("a secret outlives the rights of its issuer, or takes another one along")
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.RevokeKey(ctx, f.Organization.ID, key.ID, f.Now)
		})
		if _, err := f.Key(ctx, f.Organization.ID, key.ID); kindOf(err) != crier.KindNotFound {
			t.Errorf("a revoked key: %v", err)
		}
	})
}

func TestAccessFollowsMemberships(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		other := f.NewTeam("Sales")
		key := f.NewKey("ci", f.Team.ID)
		for name, c := range map[string]struct {
			team   crier.ID
			inTeam bool
		}{"its team": {f.Team.ID, true}, "another team": {other.ID, false}} {
			team, access, err := f.TeamAccess(ctx, c.team, key.ID, f.Owner.ID)
			if err != nil || team.ID != c.team || access.Own.InTeam != c.inTeam || access.Own.AllTeams ||
				!access.Behind.AllTeams || access.Behind.Role != crier.RoleOwner {
				t.Errorf("%s: %+v, %+v, %v", name, access.Own, access.Behind, err)
			}
		}
		if _, _, err := f.TeamAccess(ctx, crier.NewID(), key.ID, f.Owner.ID); kindOf(err) != crier.KindNotFound {
			t.Errorf("an unknown team: %v", err)
		}
		_, access, err := f.OrganizationAccess(ctx, f.Organization.ID, crier.NewID(), f.Owner.ID)
		if err != nil || access.Own != nil || access.Behind == nil {
			t.Errorf("a stranger: %+v, %v", access, err)
		}
		may, err := f.MayCreateOrganizations(ctx, f.Owner.ID, f.Owner.ID)
		mayNot, err2 := f.MayCreateOrganizations(ctx, key.ID, f.Owner.ID)
		if err != nil || err2 != nil || !may || mayNot {
			t.Errorf("owner %v, key %v; %v, %v", may, mayNot, err, err2)
		}
		reaches, err := f.Reaches(ctx, key.ID, f.Owner.ID, "")
		if err != nil || len(reaches) != 1 || len(reaches[0].Limits) != 1 {
			t.Fatalf("%+v, %v", reaches, err)
		}
		n, err := f.TeamCount(ctx, key.ID, f.Owner.ID, "", reaches)
		page, err2 := f.Teams(ctx, key.ID, f.Owner.ID, reaches, store.PageQuery{Sort: "name", Limit: 9})
		if err != nil || err2 != nil || n != 1 || len(page.Rows) != 1 || page.Rows[0].ID != f.Team.ID {
			t.Errorf("%d teams, %+v; %v, %v", n, page.Rows, err, err2)
		}
		in, err := f.TeamsIn(ctx, f.Organization.ID, []crier.ID{f.Team.ID, crier.NewID()})
		if err != nil || len(in) != 1 {
			t.Errorf("%v, %v", in, err)
		}
	})
}

func TestRemovingAMemberRemovesTheirKeys(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		key := f.NewKey("ci")
		second := f.NewUser("second@acme.example")
		f.Join(store.UserPrincipal, second.ID, crier.RoleAdmin)
		page, err := f.Members(ctx, f.Organization.ID, store.PageQuery{Sort: "createdAt", Limit: 9})
		if err != nil || len(page.Rows) != 2 {
			t.Fatalf("%+v, %v", page.Rows, err)
		}
		owner := page.Rows[0]
		if owner.UserID != f.Owner.ID {
			owner = page.Rows[1]
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			if _, err := tx.LockOrganization(ctx, f.Organization.ID); err != nil {
				return err
			}
			others, err := tx.OtherAdmins(ctx, f.Organization.ID, owner.ID)
			if others != 1 {
				t.Errorf("%d other admins", others)
			}
			return errors.Join(err, tx.RemoveMember(ctx, f.Organization.ID, owner, f.Now))
		})
		if _, err := f.KeyBySecret(ctx, []byte("secret ci"), f.Now); kindOf(err) != crier.KindUnauthorized {
			t.Errorf("the key %s lets in: %v", key.ID, err)
		}
		is, err := f.IsMember(ctx, f.Organization.ID, f.Owner.ID)
		has, err2 := f.HasMemberWith(ctx, f.Organization.ID, "second@acme.example")
		n, err3 := f.MemberCount(ctx, f.Organization.ID)
		if err := errors.Join(err, err2, err3); err != nil || is || !has || n != 1 {
			t.Errorf("member: %v, has the other: %v, %d members, %v", is, has, n, err)
		}
	})
}

func TestTeamsAndOrganizationsAreChanged(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		zone := "Europe/Berlin"
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			team, err := tx.LockTeam(ctx, f.Team.ID)
			if err != nil {
				return err
			}
			team.Name, team.Timezone, team.RequireApproval = "Renamed", &zone, true
			if err := tx.UpdateTeam(ctx, team); err != nil {
				return err
			}
			o, err := tx.LockOrganization(ctx, f.Organization.ID)
			if err != nil {
				return err
			}
			o.Name, o.UpdatedAt = "Beta", f.After(time.Minute)
			return tx.UpdateOrganization(ctx, o)
		})
		o, err := f.Store.Organization(ctx, f.Organization.ID)
		page, err2 := f.Organizations(ctx, f.Owner.ID, f.Owner.ID, store.PageQuery{Sort: "name", Limit: 1})
		if err != nil || err2 != nil || o.Name != "Beta" || page.Rows[0].Name != "Beta" {
			t.Errorf("%+v, %+v; %v, %v", o, page.Rows, err, err2)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.DeleteTeam(ctx, f.Team, f.Now) })
		err = f.TryTx(func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.LockTeam(ctx, f.Team.ID)
			return err
		})
		if kindOf(err) != crier.KindNotFound {
			t.Errorf("a deleted team: %v", err)
		}
		fingerprint := func() string {
			s, err := f.KeyFingerprint(ctx)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		if fingerprint() != "" {
			t.Error("a new store has a fingerprint")
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(tx.LockInstance(ctx), tx.SetKeyFingerprint(ctx, "abc", f.Now))
		})
		if fingerprint() != "abc" {
			t.Error("the fingerprint is lost")
		}
	})
}
