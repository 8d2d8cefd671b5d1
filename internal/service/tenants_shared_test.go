package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
)

// wantError fails the test unless an error has exactly this kind and text.
func wantError(t *testing.T, err error, kind crier.Kind, text string) {
	t.Helper()
	var refused *crier.Error
	if !errors.As(err, &refused) || refused.Kind != kind || err.Error() != text {
		t.Errorf("got %v, want the %s %q", err, kind, text)
	}
}

func TestCreditsShowBalanceCostsAndLedger(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, o office, _ *outbox) {
		ctx := t.Context()
		balance, err := o.Instance.GrantCredits(ctx, o.f.Organization.ID, 500)
		if err != nil || balance != 500 {
			t.Fatalf("the balance is %d, %v", balance, err)
		}
		p := o.f.Schedule(o.f.NewPost("x"))
		o.f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.AddCredits(ctx, store.Booking{OrganizationID: o.f.Organization.ID,
				CreditTransaction: crier.CreditTransaction{ID: crier.NewID(), Kind: "reserve", ReservedAmount: 30,
					ScheduledPostID: &p.ID, CreatedAt: o.f.After(time.Minute)}})
		})
		got, err := o.Credits.Get(ctx, o.Organization(crier.Read))
		if err != nil || got.CreditsBalance != 500 || got.ReservedCredits != 30 || got.AvailableCredits != 470 {
			t.Errorf("%+v, %v", got, err)
		}
		if !slices.ContainsFunc(got.Costs, func(c crier.CreditCost) bool {
			return c.Provider == crier.ProviderX && c.Operation != "" && c.Credits > 0 && c.Description != ""
		}) {
			t.Errorf("a post on X costs nothing: %+v", got.Costs)
		}
		for name, c := range map[string]struct {
			filter CreditFilter
			want   int
		}{"all": {CreditFilter{}, 2}, "a kind": {CreditFilter{Kind: "grant"}, 1},
			"a post":         {CreditFilter{ScheduledPostID: p.ID}, 1},
			"a foreign post": {CreditFilter{ScheduledPostID: crier.NewID()}, 0}} {
			page, err := o.Credits.Transactions(ctx, o.Organization(crier.Read), c.filter, first)
			if err != nil || len(page.Data) != c.want || page.Total != int64(c.want) {
				t.Errorf("%s: %+v, %v", name, page, err)
			}
		}
		_, err = o.Instance.GrantCredits(ctx, crier.NewID(), 1)
		wantKind(t, err, crier.KindNotFound)
	})
}

func TestTheAuditLogIsListedByOrganization(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, o office, _ *outbox) {
		ctx := t.Context()
		o.f.Tx(func(ctx context.Context, tx *store.Tx) error {
			for i, action := range []string{"createPost", "deletePost"} {
				if err := tx.InsertAudit(ctx, crier.AuditEntry{ID: crier.NewID(), OrganizationID: o.f.Organization.ID,
					PrincipalKind: "user", PrincipalID: o.f.Owner.ID, PersonID: o.f.Owner.ID, Action: action,
					Target: "/posts", RequestID: "r",
					CreatedAt: o.f.After(time.Duration(i) * time.Minute)}); err != nil {
					return err
				}
			}
			return nil
		})
		scope := o.Organization(crier.ManageOrganization)
		page, err := o.AuditLog.List(ctx, scope, AuditFilter{}, first)
		if err != nil || len(page.Data) != 2 || page.Total != 2 || page.Data[0].Action != "createPost" {
			t.Errorf("%+v, %v", page, err)
		}
		page, err = o.AuditLog.List(ctx, scope, AuditFilter{Action: "deletePost"}, first)
		if err != nil || len(page.Data) != 1 || page.Total != 1 {
			t.Errorf("filtered %+v, %v", page, err)
		}
	})
}

func TestInvitationsAreMailedWhileTheyAreOpen(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, o office, out *outbox) {
		ctx, scope := t.Context(), o.Organization(crier.ManageMembers)
		email := "New-" + crier.Email(o.f.Team.ID) + "@acme.example"
		made, err := o.Invitations.Create(ctx, scope, crier.MemberInvite{Email: email, Role: crier.RoleEditor})
		if err != nil || made.InviteURL != "" || made.Email != crier.Email(strings.ToLower(string(email))) {
			t.Fatalf("%+v, %v", made, err)
		}
		if kinds := out.kinds(); !slices.Equal(kinds, []string{"invitation.mail"}) || !o.Invitations.CanMail() {
			t.Errorf("jobs %q", kinds)
		}
		if err := o.Invitations.Mail(ctx, made.ID); err != nil || len(out.mails) != 1 {
			t.Fatalf("%d mails, %v", len(out.mails), err)
		}
		_, token, found := strings.Cut(out.mails[0].text, "https://crier.example/invitation?token=")
		token, _, _ = strings.Cut(token, "\n")
		if !found || out.mails[0].to != made.Email || out.mails[0].subject != "Join Acme on crier" {
			t.Errorf("mailed %+v", out.mails[0])
		}
		view, err := o.Invitations.View(ctx, token)
		if err != nil || view != (InvitationView{"Acme", made.Email, crier.RoleEditor}) {
			t.Errorf("shown as %+v, %v", view, err)
		}
		if _, err := o.Invitations.View(ctx, token+"x"); !crier.IsKind(err, crier.KindNotFound) {
			t.Errorf("another token: %v", err)
		}
		page, err := o.Invitations.List(ctx, scope, first)
		if err != nil || len(page.Data) != 1 || page.Total != 1 || page.Data[0].InviteURL != "" {
			t.Errorf("lists %+v, %v", page, err)
		}
		if _, err := o.Invitations.Withdraw(ctx, scope, made.ID); err != nil {
			t.Fatal(err)
		}
		if err := o.Invitations.Mail(ctx, made.ID); err != nil || len(out.mails) != 1 {
			t.Errorf("a withdrawn invitation was mailed: %v", err)
		}
		if err := o.Invitations.Mail(ctx, crier.NewID()); err != nil {
			t.Errorf("an unknown one: %v", err)
		}
		_, err = o.Invitations.Create(ctx, scope, crier.MemberInvite{Email: *o.f.Owner.Email, Role: crier.RoleEditor})
		wantError(t, err, crier.KindConflict, "Somebody with this e-mail address is a member already.")
		_, err = o.Invitations.Create(ctx, scope, crier.MemberInvite{Email: email, Role: crier.RoleEditor,
			TeamIDs: []crier.ID{o.f.Team.ID, crier.NewID()}})
		wantIssueAt(t, err, "teamIds.1")
	})
}

func TestLinksAreMailedToAnAddressOnceInAWhile(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, o office, out *outbox) {
		ctx, scope := t.Context(), o.Organization(crier.ManageMembers)
		email := "new-" + crier.Email(o.f.Team.ID) + "@acme.example"
		if _, err := o.Invitations.Create(ctx, scope,
			crier.MemberInvite{Email: email, Role: crier.RoleViewer}); err != nil {
			t.Fatal(err)
		}
		out.kinds()
		ask := func(email crier.Email) []string {
			if err := o.Invitations.MailLinks(ctx, email); err != nil {
				t.Fatal(err)
			}
			return out.kinds()
		}
		if kinds := ask(" " + crier.Email(strings.ToUpper(string(email))) + " "); !slices.Equal(kinds,
			[]string{"invitation.mail"}) {
			t.Errorf("jobs %q", kinds)
		}
		if kinds := ask(email); kinds != nil {
			t.Errorf("at once again: jobs %q", kinds)
		}
		if kinds := ask("nobody-" + email); kinds != nil {
			t.Errorf("of an unknown address: jobs %q", kinds)
		}
		o.time = o.time.Add(linksPause)
		if kinds := ask(email); !slices.Equal(kinds, []string{"invitation.mail"}) {
			t.Errorf("after a pause: jobs %q", kinds)
		}
		wantIssueAt(t, o.Invitations.MailLinks(ctx, "not an address"), "email")
		o.f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.SetPassword(ctx, o.f.Owner.ID, *o.f.Owner.Email, "Ada", "hash", o.f.Now)
		})
		if kinds := ask(*o.f.Owner.Email); !slices.Equal(kinds, []string{"password.mail"}) {
			t.Errorf("of somebody with an account: jobs %q", kinds)
		}
		if err := o.Invitations.MailReset(ctx, o.f.Owner.ID); err != nil || len(out.mails) != 1 ||
			out.mails[0].subject != "Choose a new password for crier" ||
			!strings.Contains(out.mails[0].text, "https://crier.example/reset-password?token="+string(o.f.Owner.ID)) {
			t.Errorf("mailed %+v, %v", out.mails, err)
		}
		if err := o.Invitations.MailReset(ctx, crier.NewID()); err != nil || len(out.mails) != 1 {
			t.Errorf("to somebody who is gone: %v", err)
		}
	})
}

func TestWithoutAMailServerLinksAreInTheAnswer(t *testing.T) {
	t.Parallel()
	eachSharedWith(t, func(*Config, *outbox) {}, func(t *testing.T, o office, out *outbox) {
		ctx, scope := t.Context(), o.Organization(crier.ManageMembers)
		made, err := o.Invitations.Create(ctx, scope, crier.MemberInvite{Role: crier.RoleEditor,
			Email: "new-" + crier.Email(o.f.Team.ID) + "@acme.example"})
		if err != nil || !strings.HasPrefix(made.InviteURL, "https://crier.example/invitation?token="+string(made.ID)+".") {
			t.Fatalf("%+v, %v", made, err)
		}
		if o.Invitations.CanMail() || out.kinds() != nil {
			t.Error("mail is sent without a server")
		}
		wantError(t, o.Invitations.MailLinks(ctx, made.Email), crier.KindConflict,
			"This installation sends no mail. Ask whoever invited you or runs it for the link.")
		if err := o.Invitations.Mail(ctx, made.ID); !errors.Is(err, errNoMailer) {
			t.Errorf("%v", err)
		}
	})
}

// memberOf returns the membership of a user.
func memberOf(t *testing.T, o office, person crier.ID) crier.Member {
	t.Helper()
	page, err := o.Members.List(t.Context(), o.Organization(crier.Read), first)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range page.Data {
		if m.UserID == person {
			return m
		}
	}
	t.Fatalf("%s is not among %+v", person, page.Data)
	return crier.Member{}
}

func TestMembersAreChangedWithinTheRightsOfTheCaller(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, o office, _ *outbox) {
		ctx, owner := t.Context(), memberOf(t, o, o.f.Owner.ID)
		role := func(r crier.Role) crier.MemberUpdate { return crier.MemberUpdate{Role: crier.Some(r)} }
		_, err := o.Members.Update(ctx, o.Organization(crier.ManageMembers), owner.ID, role(crier.RoleEditor))
		wantError(t, err, crier.KindConflict, "An organization keeps at least one owner or admin of all its teams.")
		_, err = o.Members.Update(ctx, o.Organization(crier.ManageMembers), owner.ID,
			crier.MemberUpdate{TeamIDs: crier.Some([]crier.ID{o.f.Team.ID})})
		wantKind(t, err, crier.KindConflict)
		admin, editor := o.as(t, crier.RoleAdmin), o.as(t, crier.RoleEditor)
		_, err = o.Members.Update(ctx, admin.Organization(crier.ManageMembers), owner.ID, role(crier.RoleEditor))
		wantError(t, err, crier.KindForbidden, "Only an owner may change or remove an owner.")
		other := memberOf(t, o, editor.Caller.Person().ID)
		_, err = o.Members.Update(ctx, admin.Organization(crier.ManageMembers), other.ID, role(crier.RoleOwner))
		wantError(t, err, crier.KindForbidden, "Nobody can give a role above their own.")
		_, err = o.Members.Update(ctx, admin.Organization(crier.ManageMembers), crier.NewID(), role(crier.RoleViewer))
		wantKind(t, err, crier.KindNotFound)
		_, err = o.Members.Update(ctx, admin.Organization(crier.ManageMembers), other.ID,
			crier.MemberUpdate{TeamIDs: crier.Some([]crier.ID{crier.NewID()})})
		wantIssueAt(t, err, "teamIds.0")
		changed, err := o.Members.Update(ctx, admin.Organization(crier.ManageMembers), other.ID, crier.MemberUpdate{
			Role: crier.Some(crier.RoleViewer), TeamIDs: crier.Some([]crier.ID{o.f.Team.ID})})
		if err != nil || changed.Role != crier.RoleViewer || len(changed.TeamIDs) != 1 {
			t.Errorf("%+v, %v", changed, err)
		}
		changed, err = o.Members.Update(ctx, admin.Organization(crier.ManageMembers), other.ID,
			crier.MemberUpdate{TeamIDs: crier.Null[[]crier.ID]()})
		if err != nil || changed.TeamIDs != nil || changed.Role != crier.RoleViewer {
			t.Errorf("of all teams: %+v, %v", changed, err)
		}
		demoted, err := o.Members.Update(ctx, o.Organization(crier.ManageMembers), owner.ID, role(crier.RoleAdmin))
		if err != nil || demoted.Role != crier.RoleAdmin {
			t.Errorf("with another admin beside: %+v, %v", demoted, err)
		}
	})
}

func TestMembersLeaveAndAreRemoved(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, o office, _ *outbox) {
		ctx, owner := t.Context(), memberOf(t, o, o.f.Owner.ID)
		_, err := o.Members.Remove(ctx, o.Organization(crier.Read), owner.ID)
		wantKind(t, err, crier.KindConflict)
		editor, viewer := o.as(t, crier.RoleEditor), o.as(t, crier.RoleViewer)
		one, two := memberOf(t, o, editor.Caller.Person().ID), memberOf(t, o, viewer.Caller.Person().ID)
		_, err = o.Members.Remove(ctx, editor.Organization(crier.Read), two.ID)
		wantKind(t, err, crier.KindForbidden)
		narrowed := o.as(t, crier.RoleAdmin, o.f.Team.ID)
		_, err = o.Members.Remove(ctx, narrowed.Organization(crier.Read), two.ID)
		wantError(t, err, crier.KindForbidden, "This needs the permission manage_members in the whole "+
			"organization; the caller is narrowed to some teams.")
		for name, c := range map[string]struct {
			by office
			id crier.ID
		}{"themselves": {editor, one.ID}, "somebody else": {o, two.ID}} {
			if got, err := o.Members.Remove(ctx, c.by.Organization(crier.Read), c.id); err != nil || !got.Deleted {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
		}
		_, err = o.Members.Remove(ctx, o.Organization(crier.ManageMembers), two.ID)
		wantKind(t, err, crier.KindNotFound)
		if _, err := o.Control.Organization(ctx, editor.Caller, o.f.Organization.ID, crier.Read); err == nil {
			t.Error("who has left is let in")
		}
	})
}

func TestSecretsBeyondAMemberFollowFromRoleAndTeams(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		member crier.Member
		want   []crier.Role
	}{
		{crier.Member{Role: crier.RoleViewer}, crier.Roles()},
		{crier.Member{Role: crier.RoleEditor}, crier.Roles()},
		{crier.Member{Role: crier.RoleAdmin, TeamIDs: []crier.ID{"t"}}, crier.Roles()},
		{crier.Member{Role: crier.RoleAdmin}, []crier.Role{crier.RoleOwner}},
		{crier.Member{Role: crier.RoleOwner}, nil},
	} {
		if got := beyond(c.member); !slices.Equal(got, c.want) && len(got)+len(c.want) > 0 {
			t.Errorf("%s in %v: %v, want %v", c.member.Role, c.member.TeamIDs, got, c.want)
		}
	}
}

func TestWebhookRules(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, o office, _ *outbox) {
		ctx, scope := t.Context(), o.Organization(crier.ManageWebhooks)
		made, err := o.Webhooks.Create(ctx, scope, crier.WebhookCreate{URL: "https://example.com/hook",
			Types: []string{"*"}, TeamIDs: []crier.ID{o.f.Team.ID}})
		if err != nil || !strings.HasPrefix(made.Secret, "whsec_") || made.Status != crier.WebhookEnabledStatus {
			t.Fatalf("%+v, %v", made, err)
		}
		_, err = o.Webhooks.Create(ctx, scope, crier.WebhookCreate{URL: "https://example.com", Types: []string{"*"},
			TeamIDs: []crier.ID{crier.NewID()}})
		wantIssueAt(t, err, "teamIds.0")
		update := func(in crier.WebhookUpdate) crier.Webhook {
			w, err := o.Webhooks.Update(ctx, scope, made.ID, in)
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
		w := update(crier.WebhookUpdate{URL: crier.Some("https://example.com/2"), Types: crier.Some([]string{"post.created"}),
			Description: crier.Some("CI"), TeamIDs: crier.Null[[]crier.ID]()})
		if w.URL != "https://example.com/2" || !slices.Equal(w.Types, []string{"post.created"}) || w.TeamIDs != nil ||
			crier.Text(w.Description) != "CI" || w.DisabledReason != nil {
			t.Errorf("changed to %+v", w)
		}
		w = update(crier.WebhookUpdate{Status: crier.Some(crier.WebhookDisabledStatus),
			Description: crier.Null[string]()})
		if crier.Text(w.DisabledReason) != "A person switched it off." || w.Description != nil {
			t.Errorf("switched off: %+v", w)
		}
		off := "The webhook is disabled. Switch it on first: PATCH it with {\"status\": \"enabled\"}."
		_, err = o.Webhooks.Test(ctx, scope, made.ID)
		wantError(t, err, crier.KindConflict, off)
		_, err = o.Webhooks.Replay(ctx, scope, made.ID, crier.WebhookReplay{})
		wantError(t, err, crier.KindConflict, off)
		_, err = o.Webhooks.Redeliver(ctx, scope, made.ID, crier.NewID())
		wantError(t, err, crier.KindConflict, off)
		if w = update(crier.WebhookUpdate{Status: crier.Some(crier.WebhookEnabledStatus)}); w.DisabledReason != nil {
			t.Errorf("switched on: %+v", w)
		}
		_, err = o.Webhooks.Redeliver(ctx, scope, made.ID, crier.NewID())
		wantKind(t, err, crier.KindNotFound)
		page, err := o.Webhooks.List(ctx, scope, first)
		if err != nil || len(page.Data) != 1 || page.Total != 1 || page.Data[0].URL != "https://example.com/2" {
			t.Errorf("lists %+v, %v", page, err)
		}
		deliveries, err := o.Webhooks.Deliveries(ctx, scope, made.ID, DeliveryQuery{}, first)
		if err != nil || len(deliveries.Data) != 0 {
			t.Errorf("deliveries %+v, %v", deliveries, err)
		}
		if got, err := o.Webhooks.Delete(ctx, scope, made.ID); err != nil || !got.Deleted {
			t.Errorf("%+v, %v", got, err)
		}
		for name, err := range map[string]error{
			"get":    second(o.Webhooks.Get(ctx, scope, made.ID)),
			"delete": second(o.Webhooks.Delete(ctx, scope, made.ID)),
			"update": second(o.Webhooks.Update(ctx, scope, made.ID, crier.WebhookUpdate{})),
			"list":   second(o.Webhooks.Deliveries(ctx, scope, made.ID, DeliveryQuery{}, first)),
		} {
			if !crier.IsKind(err, crier.KindNotFound) {
				t.Errorf("%s of a deleted webhook: %v", name, err)
			}
		}
	})
}

// A client that sends back what it was shown is not refused because a team was deleted meanwhile.
func TestWebhookMayKeepADeletedTeam(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, o office, _ *outbox) {
		ctx, scope, gone := t.Context(), o.Organization(crier.ManageWebhooks), o.f.NewTeam("Gone")
		made, err := o.Webhooks.Create(ctx, scope, crier.WebhookCreate{URL: "https://example.com/hook",
			Types: []string{"*"}, TeamIDs: []crier.ID{gone.ID, o.f.Team.ID}})
		if err != nil {
			t.Fatal(err)
		}
		o.f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.DeleteTeam(ctx, gone, o.f.Now) })
		w, err := o.Webhooks.Update(ctx, scope, made.ID, crier.WebhookUpdate{Description: crier.Some("CI"),
			TeamIDs: crier.Some(made.TeamIDs)})
		if err != nil || !slices.Equal(w.TeamIDs, made.TeamIDs) {
			t.Errorf("%v, %v", w.TeamIDs, err)
		}
		_, err = o.Webhooks.Update(ctx, scope, made.ID, crier.WebhookUpdate{
			TeamIDs: crier.Some([]crier.ID{gone.ID, crier.NewID()})})
		wantIssueAt(t, err, "teamIds.1")
	})
}

// second returns the error of a call whose result does not matter.
func second[T any](_ T, err error) error { return err }

func TestWebhookSecretsOverlapForTheGraceAskedFor(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, o office, _ *outbox) {
		ctx, scope := t.Context(), o.Organization(crier.ManageWebhooks)
		made, err := o.Webhooks.Create(ctx, scope, crier.WebhookCreate{URL: "https://example.com", Types: []string{"*"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, grace := range []int{3600, 0} {
			rotated, err := o.Webhooks.Rotate(ctx, scope, made.ID, crier.WebhookRotate{GraceSeconds: grace})
			if err != nil || rotated.Secret == made.Secret || rotated.Secret == "" {
				t.Errorf("%d seconds: %+v, %v", grace, rotated, err)
			}
			stored, err := o.store.Webhook(ctx, o.f.Organization.ID, made.ID)
			if err != nil || (stored.OldSecret != nil) != (grace > 0) ||
				grace > 0 && !stored.OldSecretEndsAt.Equal(o.time.Add(time.Duration(grace)*time.Second)) {
				t.Errorf("%d seconds: the old secret ends at %v, %v", grace, stored.OldSecretEndsAt, err)
			}
		}
		for i := 1; i < crier.MaxWebhooks; i++ {
			if _, err := o.Webhooks.Create(ctx, scope, crier.WebhookCreate{URL: "https://example.com",
				Types: []string{"*"}}); err != nil {
				t.Fatal(err)
			}
		}
		_, err = o.Webhooks.Create(ctx, scope, crier.WebhookCreate{URL: "https://example.com", Types: []string{"*"}})
		wantError(t, err, crier.KindConflict,
			fmt.Sprintf("An organization has at most %d webhooks.", crier.MaxWebhooks))
	})
}

func TestEventsShowNarrowedCallersTheirTeamsAlone(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, o office, _ *outbox) {
		ctx, sales := t.Context(), o.f.NewTeam("Sales")
		o.f.Tx(func(_ context.Context, tx *store.Tx) error {
			for kind, team := range map[crier.EventType]*crier.ID{"post.created": &o.f.Team.ID,
				"post.deleted": &sales.ID, "credits.granted": nil, "member.joined": nil, "api_key.created": nil} {
				tx.RecordEvents(store.NewEvent{ID: crier.NewID(), Type: kind, OrganizationID: o.f.Organization.ID,
					TeamID: team, Data: []byte(`{"object":{}}`), CreatedAt: o.f.Now})
			}
			return nil
		})
		if _, err := o.store.SequenceEvents(ctx); err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			who  office
			want []string
		}{
			"the owner": {o, []string{"api_key.created", "credits.granted", "member.joined", "post.created",
				"post.deleted"}},
			"an editor of all teams": {o.as(t, crier.RoleEditor), []string{"credits.granted", "post.created",
				"post.deleted"}},
			"an editor of one team": {o.as(t, crier.RoleEditor, o.f.Team.ID), []string{"post.created"}},
			"a viewer of the other": {o.as(t, crier.RoleViewer, sales.ID), []string{"post.deleted"}},
		} {
			page, err := o.Events.List(ctx, c.who.Organization(crier.Read), EventQuery{Limit: 50})
			var got []string
			for _, e := range page.Data {
				got = append(got, string(e.Type))
			}
			slices.Sort(got)
			if err != nil || !slices.Equal(got, c.want) || page.HasMore || page.NextCursor == "" {
				t.Errorf("%s sees %q, %v; want %q", name, got, err, c.want)
			}
		}
		_, err := o.Events.List(ctx, o.Organization(crier.Read), EventQuery{Limit: 5, After: string(crier.NewID())})
		wantIssueAt(t, err, "after")
		page, err := o.Events.List(ctx, o.Organization(crier.Read), EventQuery{Limit: 50, TeamID: sales.ID,
			Types: []crier.EventType{"post.deleted", "post.created"}})
		if err != nil || len(page.Data) != 1 {
			t.Errorf("filtered %+v, %v", page.Data, err)
		}
		_, err = o.Events.List(ctx, o.Organization(crier.Read), EventQuery{Limit: 50, After: page.NextCursor})
		if err == nil {
			t.Error("a cursor of one filter fits another")
		}
	})
}
