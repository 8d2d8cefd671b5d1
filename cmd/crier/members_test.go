package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"crier"
)

func (p founder) members(rest ...string) string {
	return path("/v1/organizations/%s/members", p.organization) + strings.Join(append([]string{""}, rest...), "/")
}

// invite makes an invitation and returns the way to its page.
func (s *server) invite(tb testing.TB, by string, p founder, body object) string {
	tb.Helper()
	link := s.as(tb, by, "POST", p.members(), body).want(tb, http.StatusCreated).text(tb, "inviteUrl")
	return strings.TrimPrefix(link, "http://crier.test")
}

func (b *browser) accept(tb testing.TB, link, name string) pageSeen {
	tb.Helper()
	_, token, _ := strings.Cut(link, "token=")
	return b.post(tb, "/invitation", url.Values{"token": {token}, "name": {name}, "password": {passphrase}})
}

// joinAs brings a new person into an organization and returns the token of a device of theirs, and the membership's id.
func (s *server) joinAs(tb testing.TB, p founder, email string, body object) (token, member string) {
	tb.Helper()
	body["email"] = email
	b := s.browser(tb)
	b.accept(tb, s.invite(tb, p.key, p, body), "Somebody").want(tb, http.StatusSeeOther)
	for _, m := range s.memberList(tb, p).Data {
		if m.Email != nil && string(*m.Email) == email {
			member = string(m.ID)
		}
	}
	if member == "" {
		tb.Fatalf("%s did not become a member", email)
	}
	return s.logIn(tb, b).text(tb, "access_token"), member
}

func (s *server) memberList(tb testing.TB, p founder) crier.Page[crier.Member] {
	tb.Helper()
	var page crier.Page[crier.Member]
	s.as(tb, p.key, "GET", p.members(), nil).want(tb, http.StatusOK).into(tb, &page)
	if page.Total != int64(len(page.Data)) {
		tb.Errorf("the total is %d, but there are %d members", page.Total, len(page.Data))
	}
	return page
}

func TestPeopleAreInvitedByLink(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		ada, grace := s.newFounder(t, "ada@example.com"), s.newFounder(t, "grace@example.com")
		link := s.invite(t, ada.key, ada, object{"email": "New@Example.com", "role": "editor", "teamIds": []any{ada.team}})
		b := s.browser(t)
		if page := b.get(t, link).want(t, http.StatusOK); !strings.Contains(page.body, "new@example.com") || !strings.Contains(page.body, "editor") {
			t.Errorf("the page does not say who is invited: %s", page.body)
		}
		b.accept(t, link, "").want(t, http.StatusUnauthorized)
		b.accept(t, link, "x").want(t, http.StatusBadRequest)
		b.accept(t, link, "Newcomer").want(t, http.StatusSeeOther)
		b.get(t, "/account").want(t, http.StatusOK)
		b.accept(t, link, "Newcomer").want(t, http.StatusNotFound)
		list := s.memberList(t, ada)
		if len(list.Data) != 2 || list.Data[0].Role != "editor" || len(list.Data[0].TeamIDs) != 1 || list.Data[0].TeamIDs[0] != ada.team {
			t.Errorf("the members are %+v", list.Data)
		}
		link = s.invite(t, ada.key, ada, object{"email": grace.email, "role": "viewer"})
		_, token, _ := strings.Cut(link, "token=")
		other := s.browser(t)
		other.post(t, "/invitation", url.Values{"token": {token}, "password": {"not her password"}}).want(t, http.StatusUnauthorized)
		other.accept(t, link, "").want(t, http.StatusSeeOther)
		if n := len(s.memberList(t, ada).Data); n != 3 {
			t.Errorf("there are %d members, want 3", n)
		}
		if n := s.number(t, `SELECT organization_count FROM users WHERE email = $1`, grace.email); n != 2 {
			t.Errorf("she is counted in %d organizations, want 2", n)
		}
		s.as(t, ada.key, "POST", ada.members(), object{"email": "x@example.com", "role": "viewer", "teamIds": []any{grace.team}}).wantIssues(t, "teamIds.0")
		b.get(t, "/invitation?token=made-up").want(t, http.StatusNotFound)
	})
}

func TestNobodyGivesMoreThanTheyHave(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		ada := s.newFounder(t, "ada@example.com")
		admin, adminID := s.joinAs(t, ada, "admin@example.com", object{"role": "admin"})
		editor, editorID := s.joinAs(t, ada, "editor@example.com", object{"role": "editor"})
		narrow, narrowID := s.joinAs(t, ada, "narrow@example.com", object{"role": "admin", "teamIds": []any{ada.team}})
		owner := s.owner(t, ada)
		key := s.as(t, ada.key, "POST", path("/v1/organizations/%s/api-keys", ada.organization), object{
			"name": "Narrowed", "role": "admin", "permissions": []string{"manage_members", "read", "read_analytics"},
		}).want(t, http.StatusCreated).text(t, "secret")
		for _, c := range []struct {
			by, method, member string
			body               object
			want               int
		}{
			{admin, "POST", "", object{"email": "a@example.com", "role": "owner"}, 403},
			{admin, "POST", "", object{"email": "a@example.com", "role": "admin"}, 201},
			{editor, "POST", "", object{"email": "a@example.com", "role": "viewer"}, 403},
			{narrow, "POST", "", object{"email": "a@example.com", "role": "viewer"}, 403},
			{key, "POST", "", object{"email": "a@example.com", "role": "admin"}, 403},
			{key, "POST", "", object{"email": "a@example.com", "role": "editor"}, 403},
			{key, "POST", "", object{"email": "a@example.com", "role": "viewer"}, 201},
			{key, "PATCH", editorID, object{"role": "admin"}, 403},
			{admin, "PATCH", editorID, object{"role": "owner"}, 403},
			{admin, "PATCH", adminID, object{"role": "owner"}, 403},
			{admin, "PATCH", owner, object{"role": "viewer"}, 403},
			{admin, "DELETE", owner, nil, 403},
			{editor, "PATCH", editorID, object{"role": "admin"}, 403},
			{editor, "DELETE", adminID, nil, 403},
			{narrow, "DELETE", editorID, nil, 403},
			{narrow, "PATCH", narrowID, object{"teamIds": nil}, 403},
			{admin, "PATCH", editorID, object{"role": "viewer"}, 200},
			{ada.key, "PATCH", editorID, object{"teamIds": []any{}}, 400},
			{ada.key, "PATCH", unknownID, object{"role": "viewer"}, 404},
		} {
			address := ada.members()
			if c.member != "" {
				address = ada.members(c.member)
			}
			var body any
			if c.body != nil {
				body = c.body
			}
			if got := s.as(t, c.by, c.method, address, body); got.status != c.want {
				t.Errorf("%s %s %v: status %d, want %d: %s", c.method, c.member, c.body, got.status, c.want, got.body)
			}
		}
	})
}

// owner is the membership of the one who set an organization up.
func (s *server) owner(tb testing.TB, p founder) string {
	tb.Helper()
	for _, m := range s.memberList(tb, p).Data {
		if m.Role == crier.RoleOwner {
			return string(m.ID)
		}
	}
	tb.Fatal("there is no owner")
	return ""
}

func TestAnOrganizationKeepsSomebodyWhoCanRunIt(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		ada := s.newFounder(t, "ada@example.com")
		owner := s.owner(t, ada)
		s.joinAs(t, ada, "narrow@example.com", object{"role": "admin", "teamIds": []any{ada.team}})
		for _, body := range []object{{"role": "viewer"}, {"teamIds": []any{ada.team}}} {
			s.as(t, ada.key, "PATCH", ada.members(owner), body).wantError(t, http.StatusConflict, "Conflict")
		}
		s.as(t, ada.key, "DELETE", ada.members(owner), nil).wantError(t, http.StatusConflict, "Conflict")
		admin, _ := s.joinAs(t, ada, "admin@example.com", object{"role": "admin"})
		s.as(t, ada.key, "PATCH", ada.members(owner), object{"role": "viewer"}).want(t, http.StatusOK)
		s.as(t, ada.key, "PATCH", ada.members(owner), object{"role": "owner"}).want(t, http.StatusForbidden)
		s.as(t, admin, "GET", ada.members(), nil).want(t, http.StatusOK)
	})
}

func TestALeaverKeepsNothing(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		ada := s.newFounder(t, "ada@example.com")
		admin, adminID := s.joinAs(t, ada, "admin@example.com", object{"role": "admin"})
		viewer, viewerID := s.joinAs(t, ada, "viewer@example.com", object{"role": "viewer"})
		key := s.as(t, admin, "POST", path("/v1/organizations/%s/api-keys", ada.organization), object{"name": "Hers", "role": "editor"}).
			want(t, http.StatusCreated).text(t, "secret")
		backDoor := s.invite(t, admin, ada, object{"email": "admin-again@example.com", "role": "admin"})
		team := path("/v1/teams/%s", ada.team)
		s.as(t, key, "GET", team, nil).want(t, http.StatusOK)
		s.as(t, viewer, "DELETE", ada.members(adminID), nil).want(t, http.StatusForbidden)
		s.as(t, viewer, "DELETE", ada.members(viewerID), nil).want(t, http.StatusOK)
		s.as(t, viewer, "GET", team, nil).want(t, http.StatusForbidden)
		s.as(t, ada.key, "DELETE", ada.members(adminID), nil).want(t, http.StatusOK)
		s.as(t, key, "GET", team, nil).wantError(t, http.StatusUnauthorized, "Unauthorized")
		s.as(t, admin, "GET", team, nil).want(t, http.StatusForbidden)
		s.browser(t).get(t, backDoor).want(t, http.StatusNotFound)
		s.browser(t).accept(t, backDoor, "Back again").want(t, http.StatusNotFound)
		if n := len(s.memberList(t, ada).Data); n != 1 {
			t.Errorf("%d members are left, want 1", n)
		}
		if n := s.number(t, `SELECT count(*) FROM users u WHERE u.organization_count <> (SELECT count(*) FROM memberships m WHERE m.principal_id = u.id)`); n != 0 {
			t.Errorf("%d people have a wrong count of organizations", n)
		}
		if n := s.number(t, `SELECT count(*) FROM organizations o WHERE o.member_count <> (SELECT count(*) FROM memberships m WHERE m.organization_id = o.id AND m.principal_kind = 'user')`); n != 0 {
			t.Errorf("%d organizations have a wrong count of members", n)
		}
	})
}

func TestAMemberReachesTheirTeamsOnly(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		ada := s.newFounder(t, "ada@example.com")
		other := s.as(t, ada.key, "POST", "/v1/teams", object{"organizationId": ada.organization, "name": "Other"}).want(t, http.StatusCreated).text(t, "id")
		editor, id := s.joinAs(t, ada, "editor@example.com", object{"role": "editor", "teamIds": []any{ada.team}})
		s.as(t, editor, "POST", path("/v1/teams/%s/posts", ada.team), object{}).want(t, http.StatusCreated)
		s.as(t, editor, "GET", path("/v1/teams/%s", other), nil).want(t, http.StatusForbidden)
		s.as(t, ada.key, "PATCH", ada.members(id), object{"teamIds": []any{other}}).want(t, http.StatusOK)
		s.as(t, editor, "GET", path("/v1/teams/%s", ada.team), nil).want(t, http.StatusForbidden)
		s.as(t, editor, "GET", path("/v1/teams/%s", other), nil).want(t, http.StatusOK)
		s.as(t, ada.key, "PATCH", ada.members(id), object{"teamIds": nil, "role": "viewer"}).want(t, http.StatusOK)
		s.as(t, editor, "GET", path("/v1/teams/%s", ada.team), nil).want(t, http.StatusOK)
		s.as(t, editor, "POST", path("/v1/teams/%s/posts", ada.team), object{}).want(t, http.StatusForbidden)
	})
}
