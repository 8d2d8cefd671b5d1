package service

import (
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/access/accesstest"
	"crier/internal/pagination"
	"crier/internal/provider"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// office is the services over a fixture whose owner has signed in.
type office struct {
	*rules
	f *storetest.Fixture
	accesstest.Guest
}

func eachOffice(t *testing.T, test func(t *testing.T, o office)) {
	t.Helper()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		networks, err := provider.NewRegistry()
		if err != nil {
			t.Fatal(err)
		}
		r := newRulesWith(t, f.Store, testSecret, func(cfg *Config) { cfg.Providers = networks })
		r.time = f.Now.Time
		test(t, office{rules: r, f: f, Guest: accesstest.Owner(t, f)})
	})
}

// as returns the office of a user with a role in the organization, limited to some teams or not.
func (o office) as(tb testing.TB, role crier.Role, teams ...crier.ID) office {
	tb.Helper()
	person := o.f.NewUser(crier.Email(string(role) + "-" + string(crier.NewID()) + "@acme.example"))
	o.f.Join(store.UserPrincipal, person.ID, role, teams...)
	o.Guest = accesstest.SignIn(tb, o.f, person)
	return o
}

var first = pagination.Oldest(50)

func TestOrganizationRules(t *testing.T) {
	t.Parallel()
	eachOffice(t, func(t *testing.T, o office) {
		ctx, me := t.Context(), o.Control.Caller(o.Caller)
		made, err := o.Organizations.Create(ctx, me, crier.OrganizationCreate{Name: " Second "})
		if err != nil || made.Name != "Second" {
			t.Fatalf("created %+v, %v", made, err)
		}
		page, err := o.Organizations.List(ctx, me, first)
		if err != nil || len(page.Data) != 2 || page.Total != 2 {
			t.Fatalf("lists %+v, %v", page, err)
		}
		scope := o.Organization(crier.ManageOrganization)
		changed, err := o.Organizations.Update(ctx, scope, crier.OrganizationUpdate{
			Name: crier.Some(crier.Name("Acme Ltd")), BillingEmail: crier.Some(crier.Email("bills@acme.example"))})
		if err != nil || changed.Name != "Acme Ltd" || crier.Text(changed.BillingEmail) != "bills@acme.example" {
			t.Errorf("changed to %+v, %v", changed, err)
		}
		changed, err = o.Organizations.Update(ctx, scope, crier.OrganizationUpdate{ReturnOrigins: crier.Some(
			[]crier.Origin{"https://App.example:443", "https://app.example"})})
		if err != nil || !slices.Equal(changed.ReturnOrigins, []crier.Origin{"https://app.example"}) {
			t.Errorf("browsers may return to %v, %v", changed.ReturnOrigins, err)
		}
		_, err = o.Organizations.Update(ctx, scope, crier.OrganizationUpdate{AutoRechargeEnabled: crier.Some(true)})
		if err == nil {
			t.Error("automatic recharging was switched on without a payment method")
		}
		context, err := o.Contexts.Get(ctx, me)
		if err != nil || len(context.Organizations) != 2 || context.Organizations[0].Role != crier.RoleOwner ||
			!slices.Contains(context.Organizations[0].Permissions, crier.ManageMembers) ||
			context.User.ID != o.f.Owner.ID {
			t.Errorf("the caller's context is %+v, %v", context, err)
		}
		if _, err := o.Credits.Get(ctx, o.Organization(crier.Read)); err != nil {
			t.Error(err)
		}
	})
}

func TestTeamRules(t *testing.T) {
	t.Parallel()
	eachOffice(t, func(t *testing.T, o office) {
		ctx := t.Context()
		zone := crier.Zone("Europe/Berlin")
		made, err := o.Teams.Create(ctx, o.Organization(crier.CreateTeams),
			crier.TeamCreate{OrganizationID: o.f.Organization.ID, Name: "Sales", Timezone: &zone})
		if err != nil {
			t.Fatal(err)
		}
		page, err := o.Teams.List(ctx, o.Control.Caller(o.Caller), o.f.Organization.ID, first)
		if err != nil || page.Total != 2 {
			t.Fatalf("lists %+v, %v", page, err)
		}
		narrowed := o.as(t, crier.RoleEditor, made.ID)
		page, err = o.Teams.List(ctx, o.Control.Caller(narrowed.Caller), "", first)
		if err != nil || len(page.Data) != 1 || page.Data[0].ID != made.ID {
			t.Errorf("a member of one team sees %+v, %v", page.Data, err)
		}
		_, err = o.Control.Team(ctx, narrowed.Caller, o.f.Team.ID, crier.Read)
		wantKind(t, err, crier.KindForbidden)
		changed, err := o.Teams.Update(ctx, o.Team(crier.ManageTeams), crier.TeamUpdate{
			Name: crier.Some(crier.Name("Press")), RequireApproval: crier.Some(true),
			Timezone: crier.Some(zone), PublishLateMinutes: crier.Some(5)})
		if err != nil || changed.Name != "Press" || !changed.RequireApproval || changed.PublishLateMinutes != 5 {
			t.Errorf("changed to %+v, %v", changed, err)
		}
	})
}

func TestKeysNeverExceedTheirCreator(t *testing.T) {
	t.Parallel()
	eachOffice(t, func(t *testing.T, o office) {
		ctx := t.Context()
		admin := o.as(t, crier.RoleAdmin)
		_, err := o.Keys.Create(ctx, admin.Organization(crier.ManageAPIKeys),
			crier.APIKeyCreate{Name: "Root", Role: crier.RoleOwner})
		wantKind(t, err, crier.KindForbidden)
		_, err = o.Keys.Create(ctx, o.Organization(crier.ManageAPIKeys),
			crier.APIKeyCreate{Name: "Lost", Role: crier.RoleEditor, TeamIDs: []crier.ID{crier.NewID()}})
		wantKind(t, err, crier.KindInvalid)
		key, err := o.Keys.Create(ctx, o.Organization(crier.ManageAPIKeys), crier.APIKeyCreate{Name: "Reader",
			Role: crier.RoleEditor, Permissions: []crier.Permission{crier.Read}, TeamIDs: []crier.ID{o.f.Team.ID}})
		if err != nil {
			t.Fatal(err)
		}
		caller, err := o.Access.Authenticate(ctx, key.Secret)
		if err != nil {
			t.Fatal(err)
		}
		_, err = o.Access.Team(ctx, caller, o.f.Team.ID, crier.PublishPosts)
		wantKind(t, err, crier.KindForbidden)
		if _, err := o.Access.Team(ctx, caller, o.f.Team.ID, crier.Read); err != nil {
			t.Errorf("the key may not read: %v", err)
		}
	})
}

func TestRotatedKeyHasAGracePeriodAndARevokedOneNone(t *testing.T) {
	t.Parallel()
	eachOffice(t, func(t *testing.T, o office) {
		ctx, scope := t.Context(), o.Organization(crier.ManageAPIKeys)
		old, err := o.Keys.Create(ctx, scope, crier.APIKeyCreate{Name: "Robot", Role: crier.RoleEditor})
		if err != nil {
			t.Fatal(err)
		}
		renewed, err := o.Keys.Rotate(ctx, scope, old.ID, crier.APIKeyRotate{GraceSeconds: 60})
		if err != nil || renewed.Secret == old.Secret {
			t.Fatalf("rotated to %v, %v", renewed.Secret == old.Secret, err)
		}
		for _, secret := range []string{old.Secret, renewed.Secret} {
			if _, err := o.Access.Authenticate(ctx, secret); err != nil {
				t.Errorf("within the grace: %v", err)
			}
		}
		o.time = o.time.Add(2 * time.Minute)
		_, err = o.Access.Authenticate(ctx, old.Secret)
		wantKind(t, err, crier.KindUnauthorized)
		page, err := o.Keys.List(ctx, scope, first)
		if err != nil || page.Total != 1 {
			t.Errorf("lists %+v, %v", page, err)
		}
		if _, err := o.Keys.Revoke(ctx, scope, old.ID); err != nil {
			t.Fatal(err)
		}
		_, err = o.Access.Authenticate(ctx, renewed.Secret)
		wantKind(t, err, crier.KindUnauthorized)
		_, err = o.Keys.Rotate(ctx, scope, old.ID, crier.APIKeyRotate{})
		wantKind(t, err, crier.KindNotFound)
	})
}

// memberOf returns the membership of a caller.
func (o office) memberOf(tb testing.TB, of office) crier.Member {
	tb.Helper()
	page, err := o.Members.List(tb.Context(), o.Organization(crier.Read), first)
	if err != nil {
		tb.Fatal(err)
	}
	i := slices.IndexFunc(page.Data, func(m crier.Member) bool { return m.UserID == of.Caller.ID() })
	if i < 0 {
		tb.Fatalf("no member %s", of.Caller.ID())
	}
	return page.Data[i]
}

func TestMemberRules(t *testing.T) {
	t.Parallel()
	eachOffice(t, func(t *testing.T, o office) {
		ctx := t.Context()
		admin, editor := o.as(t, crier.RoleAdmin), o.as(t, crier.RoleEditor)
		byOwner, byAdmin := o.Organization(crier.ManageMembers), admin.Organization(crier.ManageMembers)
		owner, helper := o.memberOf(t, o), o.memberOf(t, editor)
		_, err := o.Members.Update(ctx, byAdmin, owner.ID, crier.MemberUpdate{Role: crier.Some(crier.RoleEditor)})
		wantKind(t, err, crier.KindForbidden) // only owners change owners
		_, err = o.Members.Update(ctx, byAdmin, helper.ID, crier.MemberUpdate{Role: crier.Some(crier.RoleOwner)})
		wantKind(t, err, crier.KindForbidden)
		_, err = o.Members.Update(ctx, byOwner, helper.ID,
			crier.MemberUpdate{TeamIDs: crier.Some([]crier.ID{crier.NewID()})})
		wantKind(t, err, crier.KindInvalid)
		_, err = o.Members.Update(ctx, byOwner, crier.NewID(), crier.MemberUpdate{Role: crier.Some(crier.RoleEditor)})
		wantKind(t, err, crier.KindNotFound)
		changed, err := o.Members.Update(ctx, byAdmin, helper.ID, crier.MemberUpdate{Role: crier.Some(crier.RoleAdmin),
			TeamIDs: crier.Some([]crier.ID{o.f.Team.ID})})
		if err != nil || changed.Role != crier.RoleAdmin || !slices.Equal(changed.TeamIDs, []crier.ID{o.f.Team.ID}) {
			t.Errorf("changed to %+v, %v", changed, err)
		}
		if _, err := o.Members.Remove(ctx, byAdmin, helper.ID); err != nil {
			t.Error(err)
		}
		_, err = o.Control.Organization(ctx, editor.Caller, o.f.Organization.ID, crier.Read)
		wantKind(t, err, crier.KindForbidden)
	})
}

func TestInvitationRules(t *testing.T) {
	t.Parallel()
	eachOffice(t, func(t *testing.T, o office) {
		ctx, scope := t.Context(), o.Organization(crier.ManageMembers)
		_, err := o.Invitations.Create(ctx, scope, crier.MemberInvite{Email: *o.f.Owner.Email, Role: crier.RoleEditor})
		wantKind(t, err, crier.KindConflict)
		_, err = o.Invitations.Create(ctx, o.as(t, crier.RoleAdmin).Organization(crier.ManageMembers),
			crier.MemberInvite{Email: "boss@acme.example", Role: crier.RoleOwner})
		wantKind(t, err, crier.KindForbidden)
		_, err = o.Invitations.Create(ctx, scope, crier.MemberInvite{Email: "new@acme.example", Role: crier.RoleEditor,
			TeamIDs: []crier.ID{crier.NewID()}})
		wantKind(t, err, crier.KindInvalid)
		made, err := o.Invitations.Create(ctx, scope, crier.MemberInvite{Email: "new@acme.example",
			Role: crier.RoleEditor, TeamIDs: []crier.ID{o.f.Team.ID}})
		if err != nil {
			t.Fatal(err)
		}
		page, err := o.Invitations.List(ctx, scope, first)
		if err != nil || page.Total != 1 || page.Data[0].ID != made.ID {
			t.Errorf("lists %+v, %v", page, err)
		}
		token := o.Invitations.token(made)
		view, err := o.Invitations.View(ctx, token)
		if err != nil || view.Email != made.Email {
			t.Errorf("shows %+v, %v", view, err)
		}
		session, err := o.Invitations.Accept(ctx, token, "Newcomer", ownersPassword, Browser{Address: "192.0.2.9"})
		if err != nil {
			t.Fatal(err)
		}
		user, err := o.People.User(ctx, session.Token)
		if err != nil || user == nil || user.Email == nil || *user.Email != made.Email {
			t.Errorf("the newcomer is %+v, %v", user, err)
		}
		_, err = o.Invitations.Accept(ctx, token, "Newcomer", ownersPassword, Browser{})
		if err == nil {
			t.Error("an invitation was accepted twice")
		}
	})
}

func TestWithdrawnInvitationCannotBeAccepted(t *testing.T) {
	t.Parallel()
	eachOffice(t, func(t *testing.T, o office) {
		ctx, scope := t.Context(), o.Organization(crier.ManageMembers)
		made, err := o.Invitations.Create(ctx, scope, crier.MemberInvite{Email: "new@acme.example",
			Role: crier.RoleEditor})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := o.Invitations.Withdraw(ctx, scope, made.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := o.Invitations.View(ctx, o.Invitations.token(made)); err == nil {
			t.Error("a withdrawn invitation is shown")
		}
		if _, err := o.Invitations.Accept(ctx, o.Invitations.token(made), "Newcomer", ownersPassword,
			Browser{}); err == nil {
			t.Error("a withdrawn invitation was accepted")
		}
	})
}

func TestDeviceGetsTokensAfterApproval(t *testing.T) {
	t.Parallel()
	eachOffice(t, func(t *testing.T, o office) {
		ctx := t.Context()
		code, err := o.Devices.Start(ctx, "laptop")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := o.Devices.Redeem(ctx, code.DeviceCode); err == nil {
			t.Error("tokens were given before anybody agreed")
		}
		if err := o.Devices.Decide(ctx, o.f.Owner.ID, code.UserCode, true); err != nil {
			t.Fatal(err)
		}
		o.time = o.time.Add(time.Minute)
		tokens, err := o.Devices.Redeem(ctx, code.DeviceCode)
		if err != nil {
			t.Fatal(err)
		}
		caller, err := o.Access.Authenticate(ctx, tokens.AccessToken)
		if err != nil || caller.ID() != o.f.Owner.ID {
			t.Errorf("the token belongs to %s, %v", caller.ID(), err)
		}
		again, err := o.Devices.Refresh(ctx, tokens.RefreshToken, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := o.Devices.Revoke(ctx, again.RefreshToken); err != nil {
			t.Fatal(err)
		}
		_, err = o.Access.Authenticate(ctx, again.AccessToken)
		wantKind(t, err, crier.KindUnauthorized)
	})
}
