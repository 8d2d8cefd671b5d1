package service

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/auth"
	"crier/internal/provider"
	"crier/internal/store"
)

func TestOwnersNeedANameAnAddressAndAPassword(t *testing.T) {
	t.Parallel()
	const good = "five plain words of mine"
	for name, c := range map[string]struct {
		name     crier.Name
		email    crier.Email
		password string
		paths    []string
	}{
		"all is well":      {"Ada", "ada@example.com", good, nil},
		"no name":          {"", "ada@example.com", good, []string{"name"}},
		"a blank name":     {"  ", "ada@example.com", good, []string{"name"}},
		"no address":       {"Ada", "", good, []string{"email"}},
		"half an address":  {"Ada", "ada@", good, []string{"email"}},
		"a short password": {"Ada", "ada@example.com", "short", []string{"password"}},
		"a long one": {"Ada", "ada@example.com", strings.Repeat("x", auth.MaxPasswordLength+1),
			[]string{"password"}},
		"the address":          {"Ada", "ada.lovelace@example.com", "ADA.lovelace@example.com", []string{"password"}},
		"nothing at all":       {"", "", "", []string{"name", "email", "password"}},
		"the shortest allowed": {"Ada", "ada@example.com", strings.Repeat("ä", auth.MinPasswordLength), nil},
	} {
		err := checkOwner(c.name, c.email, c.password)
		if c.paths == nil {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		t.Run(name, func(t *testing.T) { wantIssueAt(t, err, c.paths...) })
	}
}

func TestOnboardingIsCompletedAtTheServersTime(t *testing.T) {
	t.Parallel()
	then, now := instant(t, "2026-11-01T00:00:00Z"), instant(t, "2026-11-15T09:00:00Z")
	claimed := instant(t, "2020-01-01T00:00:00Z")
	data := func(status string, at crier.Optional[crier.Time]) *crier.OnboardingData {
		return &crier.OnboardingData{Version: 1, Status: status, CompletedAt: at,
			CompletedSteps: []string{"goals", "job_role", "goals"}}
	}
	for name, c := range map[string]struct {
		before, after *crier.OnboardingData
		want          crier.Optional[crier.Time]
	}{
		"not completed": {nil, data("in_progress", crier.Some(claimed)), crier.Null[crier.Time]()},
		"completed now": {nil, data("completed", crier.Some(claimed)), crier.Some(now)},
		"completed before": {data("completed", crier.Some(then)), data("completed", crier.Some(claimed)),
			crier.Some(then)},
		"completed anew": {data("in_progress", crier.Null[crier.Time]()),
			data("completed", crier.Optional[crier.Time]{}), crier.Some(now)},
		"taken up again": {data("completed", crier.Some(then)), data("in_progress", crier.Some(claimed)),
			crier.Null[crier.Time]()},
		"completed nowhere": {data("completed", crier.Null[crier.Time]()), data("completed", crier.Some(claimed)),
			crier.Some(now)},
	} {
		got := onboarding(c.before, c.after, now)
		if !sameJSON(got.CompletedAt, c.want) || !slices.Equal(got.CompletedSteps, []string{"goals", "job_role"}) {
			t.Errorf("%s: completed at %+v after %q", name, got.CompletedAt, got.CompletedSteps)
		}
		if len(c.after.CompletedSteps) != 3 {
			t.Errorf("%s: the request was changed", name)
		}
	}
	if got := onboarding(data("completed", crier.Some(then)), nil, now); got != nil {
		t.Errorf("taken away: %+v", got)
	}
	profiles := data("in_progress", crier.Null[crier.Time]())
	profiles.OrganizationProfile = &crier.OrganizationProfile{DisplayName: " Acme ", JobRole: "other"}
	profiles.WorkspaceProfile = &crier.WorkspaceProfile{TeamName: " Press "}
	got := onboarding(nil, profiles, now)
	if got.OrganizationProfile.DisplayName != "Acme" || got.OrganizationProfile.JobRole != "other" ||
		got.WorkspaceProfile.TeamName != "Press" || profiles.WorkspaceProfile.TeamName != " Press " {
		t.Errorf("the names are %+v and %+v", got.OrganizationProfile, got.WorkspaceProfile)
	}
}

func TestAutomaticRechargeNeedsAmountsAndAPaymentMethod(t *testing.T) {
	t.Parallel()
	amount, method := int64(10), "card"
	organization := func(enabled bool, threshold, recharge *int64, method *string) crier.Organization {
		return crier.Organization{AutoRechargeEnabled: enabled, AutoRechargeThreshold: threshold,
			AutoRechargeAmount: recharge, PaymentMethodID: method}
	}
	for name, o := range map[string]crier.Organization{
		"off": organization(false, nil, nil, nil), "complete": organization(true, &amount, &amount, &method),
	} {
		if err := checkAutoRecharge(o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	wantIssueAt(t, checkAutoRecharge(organization(true, nil, nil, &method)),
		"autoRechargeThreshold", "autoRechargeAmount")
	wantIssueAt(t, checkAutoRecharge(organization(true, &amount, nil, nil)), "autoRechargeAmount")
	wantError(t, checkAutoRecharge(organization(true, &amount, &amount, nil)), crier.KindConflict,
		"Automatic recharge needs a payment method, and the organization has none.")
}

func TestTheEffectiveRoleIsTheLowerOne(t *testing.T) {
	t.Parallel()
	grant := func(r crier.Role) *store.Grant { return &store.Grant{Role: r} }
	for name, c := range map[string]struct {
		access store.Access
		want   crier.Role
	}{
		"nobody":        {store.Access{}, ""},
		"nobody behind": {store.Access{Own: grant(crier.RoleOwner)}, ""},
		"no own":        {store.Access{Behind: grant(crier.RoleOwner)}, ""},
		"the key's": {store.Access{Own: grant(crier.RoleEditor), Behind: grant(crier.RoleOwner)},
			crier.RoleEditor},
		"the person's": {store.Access{Own: grant(crier.RoleOwner), Behind: grant(crier.RoleViewer)},
			crier.RoleViewer},
		"the same for both": {store.Access{Own: grant(crier.RoleAdmin), Behind: grant(crier.RoleAdmin)},
			crier.RoleAdmin},
	} {
		if got := effectiveRole(c.access); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestQuotasAreSharedByADayOrAWindow(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	window := quotaSpan(provider.RateLimit{Seconds: 3600}, at)
	if !window.From.Equal(at.Add(-time.Hour)) || !window.To.After(at) || window.To.After(at.Add(time.Second)) {
		t.Errorf("an hour is %+v", window)
	}
	day := quotaSpan(provider.RateLimit{ResetZone: "America/Los_Angeles", Seconds: 86_400}, at)
	if day.From.UTC() != time.Date(2026, 11, 15, 8, 0, 0, 0, time.UTC) ||
		day.To.UTC() != time.Date(2026, 11, 16, 8, 0, 0, 0, time.UTC) {
		t.Errorf("a day in California is %+v", day)
	}
}

func TestAPersonsKeysReachOnlyWhatTheCallerAdministers(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, o office, _ *outbox) {
		ctx, scope := t.Context(), o.Organization(crier.ManageAPIKeys)
		key, err := o.Keys.Create(ctx, scope, crier.APIKeyCreate{Name: "Robot", Role: crier.RoleOwner})
		if err != nil {
			t.Fatal(err)
		}
		caller, err := o.Access.Authenticate(ctx, key.Secret)
		if err != nil {
			t.Fatal(err)
		}
		made, err := o.Organizations.Create(ctx, o.Access.Caller(caller), crier.OrganizationCreate{Name: "Second"})
		if err != nil || made.Name != "Second" {
			t.Fatalf("%+v, %v", made, err)
		}
		admin := o.as(t, crier.RoleAdmin)
		_, err = o.Keys.Rotate(ctx, admin.Organization(crier.ManageAPIKeys), key.ID, crier.APIKeyRotate{})
		if err == nil || !strings.Contains(err.Error(), "A key cannot have a role above the caller's own.") {
			t.Errorf("an owner's key by an admin: %v", err)
		}
		second := o.as(t, crier.RoleOwner)
		_, err = o.Keys.Rotate(ctx, second.Organization(crier.ManageAPIKeys), key.ID, crier.APIKeyRotate{})
		wantError(t, err, crier.KindForbidden,
			"The key reaches organizations that the caller does not administer. It can be revoked, not rotated.")
		if _, err := o.Keys.Rotate(ctx, scope, key.ID, crier.APIKeyRotate{}); err != nil {
			t.Errorf("by who made it: %v", err)
		}
		reader, err := o.Keys.Create(ctx, scope, crier.APIKeyCreate{Name: "Reader", Role: crier.RoleAdmin,
			Permissions: []crier.Permission{crier.Read, crier.ManageAPIKeys}})
		if err != nil {
			t.Fatal(err)
		}
		narrow, err := o.Access.Authenticate(ctx, reader.Secret)
		if err != nil {
			t.Fatal(err)
		}
		refused := "Creating organizations needs an owner or admin of an organization whose key is not narrowed."
		_, err = o.Organizations.Create(ctx, o.Access.Caller(narrow), crier.OrganizationCreate{Name: "Third"})
		wantError(t, err, crier.KindForbidden, refused)
		editor, err := o.Keys.Create(ctx, scope, crier.APIKeyCreate{Name: "Editor", Role: crier.RoleEditor})
		if err != nil {
			t.Fatal(err)
		}
		low, err := o.Access.Authenticate(ctx, editor.Secret)
		if err != nil {
			t.Fatal(err)
		}
		_, err = o.Organizations.Create(ctx, o.Access.Caller(low), crier.OrganizationCreate{Name: "Third"})
		wantError(t, err, crier.KindForbidden, refused)
		inside, err := o.Access.Organization(ctx, narrow, o.f.Organization.ID, crier.ManageAPIKeys)
		if err != nil {
			t.Fatal(err)
		}
		for name, in := range map[string]crier.APIKeyCreate{
			"all permissions": {Name: "x", Role: crier.RoleEditor},
			"another one":     {Name: "x", Role: crier.RoleEditor, Permissions: []crier.Permission{crier.WritePosts}},
		} {
			if _, err := o.Keys.Create(ctx, inside, in); !crier.IsKind(err, crier.KindForbidden) {
				t.Errorf("a narrowed key makes one with %s: %v", name, err)
			}
		}
		page, err := o.Keys.List(ctx, scope, first)
		if err != nil || len(page.Data) != 3 || page.Total != 3 {
			t.Errorf("%+v, %v", page, err)
		}
	})
}

func TestVersionsShowWhichIsCurrent(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, o office, _ *outbox) {
		ctx, scope := t.Context(), o.Team(crier.WritePosts)
		p, err := o.Posts.Create(ctx, scope, textOf("one"))
		if err != nil {
			t.Fatal(err)
		}
		save := func(text string, after time.Duration) crier.Post {
			o.time = o.time.Add(after)
			changed, err := o.Posts.Update(ctx, scope, p.ID, crier.PostUpdate{Text: crier.Some(text)})
			if err != nil {
				t.Fatal(err)
			}
			return changed
		}
		save("two", time.Second) // within the window of a draft that is being written
		last := save("three", crier.AutosaveWindow+time.Second)
		page, err := o.Posts.Versions(ctx, scope, p.ID, first)
		var shown []string
		for _, v := range page.Data {
			shown = append(shown, fmt.Sprint(v.Version, " ", v.Text, " ", v.Current))
		}
		if want := []string{"1 two false", "2 three true"}; err != nil || !slices.Equal(shown, want) ||
			page.Total != 2 {
			t.Errorf("versions %q, %v; want %q", shown, err, want)
		}
		v, err := o.Posts.Version(ctx, scope, p.ID, last.ContentPayloadID)
		if err != nil || v.Text != "three" || !v.Current || v.PostID != p.ID {
			t.Errorf("%+v, %v", v, err)
		}
		other := o.f.NewPost("other")
		for name, c := range map[string]struct{ post, version crier.ID }{
			"unknown": {p.ID, crier.NewID()}, "another post's": {p.ID, other.ContentPayloadID},
			"of an unknown post": {crier.NewID(), last.ContentPayloadID},
		} {
			if _, err := o.Posts.Version(ctx, scope, c.post, c.version); !crier.IsKind(err, crier.KindNotFound) {
				t.Errorf("%s: %v", name, err)
			}
		}
		_, err = o.Posts.Versions(ctx, scope, crier.NewID(), first)
		wantKind(t, err, crier.KindNotFound)
	})
}

func TestTheFirstTenantFindsAnEmptyStoreBoundToItsKey(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		r, ctx := newRules(t, st, testSecret), t.Context()
		empty := func() bool {
			is, err := r.Instance.Empty(ctx)
			if err != nil {
				t.Fatal(err)
			}
			return is
		}
		if !empty() || r.Instance.CheckKey(ctx) != nil {
			t.Error("a new store is in use or bound to a key")
		}
		if err := r.Instance.BindKey(ctx); err != nil {
			t.Fatal(err)
		}
		other := newRules(t, st, "ffffffffffffffffffffffffffffffff")
		if err := other.Instance.CheckKey(ctx); err == nil ||
			!strings.Contains(err.Error(), "sealed with another secret key") {
			t.Errorf("another key: %v", err)
		}
		if err := r.Instance.CheckKey(ctx); err != nil {
			t.Errorf("its own key: %v", err)
		}
		tenant, err := r.Instance.Initialise(ctx, TenantRequest{Name: " Acme ", Credits: -5})
		if err != nil || empty() {
			t.Fatalf("%+v, %v", tenant, err)
		}
		o, err := st.Organization(ctx, tenant.OrganizationID)
		if err != nil || o.Name != "Acme" || o.CreditsBalance != 0 {
			t.Errorf("%+v, %v", o, err)
		}
		if err := r.Instance.CheckSetupLink(ctx, tenant.SetupToken); err != nil {
			t.Errorf("its link: %v", err)
		}
		if err := r.Instance.CheckSetupLink(ctx, tenant.SetupToken+"x"); err == nil {
			t.Error("another link")
		}
		r.time = r.time.Add(setupLinkLife)
		if err := r.Instance.CheckSetupLink(ctx, tenant.SetupToken); err == nil {
			t.Error("a link that has ended")
		}
		further, err := r.Instance.CreateTenant(ctx, TenantRequest{Name: "Beta", Credits: 7})
		if err != nil || further.OrganizationID == tenant.OrganizationID || further.APIKey == tenant.APIKey {
			t.Errorf("%+v, %v", further, err)
		}
		_, err = r.Instance.SetUpOwner(ctx, further.SetupToken, "", "", "", Browser{})
		wantIssueAt(t, err, "name", "email", "password")
	})
}
