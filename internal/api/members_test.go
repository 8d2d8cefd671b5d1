package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"crier"
	"crier/internal/server/servertest"
)

// invite creates an invitation and returns the path of its page.
func (s *testServer) invite(tb testing.TB, by string, p servertest.Founder, body object) string {
	tb.Helper()
	link := s.As(tb, by, "POST", p.Members(), body).Want(tb, http.StatusCreated).Text(tb, "inviteUrl")
	return strings.TrimPrefix(link, "http://crier.test")
}

// joinAs adds a new user to an organization and returns the token of their device, and the membership's id.
func (s *testServer) joinAs(tb testing.TB, p servertest.Founder, email string, body object) (token, member string) {
	tb.Helper()
	body["email"] = email
	b := s.NewBrowser(tb)
	b.Accept(tb, s.invite(tb, p.Key, p, body), "Somebody").Want(tb, http.StatusSeeOther)
	for _, m := range s.memberList(tb, p).Data {
		if m.Email != nil && string(*m.Email) == email {
			member = string(m.ID)
		}
	}
	if member == "" {
		tb.Fatalf("%s did not become a member", email)
	}
	return s.LogIn(tb, b).Text(tb, "access_token"), member
}

func (s *testServer) memberList(tb testing.TB, p servertest.Founder) crier.Page[crier.Member] {
	tb.Helper()
	var page crier.Page[crier.Member]
	s.As(tb, p.Key, "GET", p.Members(), nil).Want(tb, http.StatusOK).Into(tb, &page)
	if page.Total != int64(len(page.Data)) {
		tb.Errorf("the total is %d, but there are %d members", page.Total, len(page.Data))
	}
	return page
}

func TestPeopleAreInvitedByLink(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		ada, grace := s.NewFounder(t, "ada@example.com"), s.NewFounder(t, "grace@example.com")
		link := s.invite(t, ada.Key, ada, object{"email": "New@Example.com", "role": "editor",
			"teamIds": []any{ada.Team}})
		b := s.NewBrowser(t)
		if page := b.Get(t, link).Want(t, http.StatusOK); !strings.Contains(page.Body, "new@example.com") ||
			!strings.Contains(page.Body, "editor") {
			t.Errorf("the page does not say who is invited: %s", page.Body)
		}
		b.Accept(t, link, "").Want(t, http.StatusUnauthorized)
		b.Accept(t, link, "x").Want(t, http.StatusBadRequest)
		b.Accept(t, link, "Newcomer").Want(t, http.StatusSeeOther)
		b.Get(t, "/account").Want(t, http.StatusOK)
		b.Accept(t, link, "Newcomer").Want(t, http.StatusNotFound)
		list := s.memberList(t, ada)
		if len(list.Data) != 2 || list.Data[0].Role != "editor" || len(list.Data[0].TeamIDs) != 1 ||
			list.Data[0].TeamIDs[0] != ada.Team {
			t.Errorf("the members are %+v", list.Data)
		}
		link = s.invite(t, ada.Key, ada, object{"email": grace.Email, "role": "viewer"})
		_, token, _ := strings.Cut(link, "token=")
		other := s.NewBrowser(t)
		other.Post(t, "/invitation", url.Values{"token": {token}, "password": {"not her password"}}).Want(t,
			http.StatusUnauthorized)
		other.Accept(t, link, "").Want(t, http.StatusSeeOther)
		if n := len(s.memberList(t, ada).Data); n != 3 {
			t.Errorf("there are %d members, want 3", n)
		}
		if n := s.Number(t, `SELECT organization_count FROM users WHERE email = $1`, grace.Email); n != 2 {
			t.Errorf("she is counted in %d organizations, want 2", n)
		}
		s.As(t, ada.Key, "POST", ada.Members(), object{"email": "x@example.com", "role": "viewer",
			"teamIds": []any{grace.Team}}).WantIssues(t, "teamIds.0")
		b.Get(t, "/invitation?token=made-up").Want(t, http.StatusNotFound)
	})
}

func TestNobodyGrantsMoreThanTheyHave(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		ada := s.NewFounder(t, "ada@example.com")
		admin, adminID := s.joinAs(t, ada, "admin@example.com", object{"role": "admin"})
		editor, editorID := s.joinAs(t, ada, "editor@example.com", object{"role": "editor"})
		narrow, narrowID := s.joinAs(t, ada, "narrow@example.com", object{"role": "admin", "teamIds": []any{ada.Team}})
		owner := s.owner(t, ada)
		key := s.As(t, ada.Key, "POST", path("/v1/organizations/%s/api-keys", ada.Organization), object{
			"name": "Narrowed", "role": "admin", "permissions": []string{"manage_members", "read", "read_analytics"},
		}).Want(t, http.StatusCreated).Text(t, "secret")
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
			{ada.Key, "PATCH", editorID, object{"teamIds": []any{}}, 400},
			{ada.Key, "PATCH", unknownID, object{"role": "viewer"}, 404},
		} {
			address := ada.Members()
			if c.member != "" {
				address = ada.Members(c.member)
			}
			var body any
			if c.body != nil {
				body = c.body
			}
			if got := s.As(t, c.by, c.method, address, body); got.Status != c.want {
				t.Errorf("%s %s %v: status %d, want %d: %s", c.method, c.member, c.body, got.Status, c.want, got.Body)
			}
		}
	})
}

// owner returns the membership of the organization's founder.
func (s *testServer) owner(tb testing.TB, p servertest.Founder) string {
	tb.Helper()
	for _, m := range s.memberList(tb, p).Data {
		if m.Role == crier.RoleOwner {
			return string(m.ID)
		}
	}
	tb.Fatal("there is no owner")
	return ""
}

func TestOrganizationKeepsAnAdmin(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		ada := s.NewFounder(t, "ada@example.com")
		owner := s.owner(t, ada)
		s.joinAs(t, ada, "narrow@example.com", object{"role": "admin", "teamIds": []any{ada.Team}})
		for _, body := range []object{{"role": "viewer"}, {"teamIds": []any{ada.Team}}} {
			s.As(t, ada.Key, "PATCH", ada.Members(owner), body).WantError(t, http.StatusConflict, "Conflict")
		}
		s.As(t, ada.Key, "DELETE", ada.Members(owner), nil).WantError(t, http.StatusConflict, "Conflict")
		admin, _ := s.joinAs(t, ada, "admin@example.com", object{"role": "admin"})
		s.As(t, ada.Key, "PATCH", ada.Members(owner), object{"role": "viewer"}).Want(t, http.StatusOK)
		s.As(t, ada.Key, "PATCH", ada.Members(owner), object{"role": "owner"}).Want(t, http.StatusForbidden)
		s.As(t, admin, "GET", ada.Members(), nil).Want(t, http.StatusOK)
	})
}

func TestFormerMemberKeepsNoAccess(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		ada := s.NewFounder(t, "ada@example.com")
		admin, adminID := s.joinAs(t, ada, "admin@example.com", object{"role": "admin"})
		viewer, viewerID := s.joinAs(t, ada, "viewer@example.com", object{"role": "viewer"})
		key := s.As(t, admin, "POST", path("/v1/organizations/%s/api-keys", ada.Organization),
			object{"name": "Hers", "role": "editor"}).
			Want(t, http.StatusCreated).Text(t, "secret")
		again := s.invite(t, admin, ada, object{"email": "admin-again@example.com", "role": "admin"})
		team := path("/v1/teams/%s", ada.Team)
		s.As(t, key, "GET", team, nil).Want(t, http.StatusOK)
		s.As(t, viewer, "DELETE", ada.Members(adminID), nil).Want(t, http.StatusForbidden)
		s.As(t, viewer, "DELETE", ada.Members(viewerID), nil).Want(t, http.StatusOK)
		s.As(t, viewer, "GET", team, nil).Want(t, http.StatusForbidden)
		s.As(t, ada.Key, "DELETE", ada.Members(adminID), nil).Want(t, http.StatusOK)
		s.As(t, key, "GET", team, nil).WantError(t, http.StatusUnauthorized, "Unauthorized")
		s.As(t, admin, "GET", team, nil).Want(t, http.StatusForbidden)
		s.NewBrowser(t).Get(t, again).Want(t, http.StatusNotFound)
		s.NewBrowser(t).Accept(t, again, "Back again").Want(t, http.StatusNotFound)
		if n := len(s.memberList(t, ada).Data); n != 1 {
			t.Errorf("%d members are left, want 1", n)
		}
		if n := s.Number(t, `SELECT count(*) FROM users u WHERE u.organization_count <> (SELECT count(*)
			FROM memberships m WHERE m.principal_id = u.id)`); n != 0 {
			t.Errorf("%d people have a wrong count of organizations", n)
		}
		if n := s.Number(t, `SELECT count(*) FROM organizations o WHERE o.member_count <> (SELECT count(*)
			FROM memberships m WHERE m.organization_id = o.id AND m.principal_kind = 'user')`); n != 0 {
			t.Errorf("%d organizations have a wrong count of members", n)
		}
	})
}

func TestRotatedSecretFollowsItsIssuersRights(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		ada := s.NewFounder(t, "ada@example.com")
		keys, team := path("/v1/organizations/%s/api-keys", ada.Organization), path("/v1/teams/%s", ada.Team)
		for name, end := range map[string]func(member string){
			"removed": func(member string) {
				s.As(t, ada.Key, "DELETE", ada.Members(member), nil).Want(t, http.StatusOK)
			},
			"demoted": func(member string) {
				s.As(t, ada.Key, "PATCH", ada.Members(member), object{"role": "editor"}).Want(t, http.StatusOK)
			},
			"narrowed": func(member string) {
				s.As(t, ada.Key, "PATCH", ada.Members(member), object{"teamIds": []any{ada.Team}}).Want(t,
					http.StatusOK)
			},
		} {
			admin, adminID := s.joinAs(t, ada, name+"@example.com", object{"role": "admin"})
			key := s.As(t, ada.Key, "POST", keys, object{"name": name, "role": "editor"}).Want(t, http.StatusCreated)
			rotate := keys + "/" + key.Text(t, "id") + "/rotate"
			secret := s.As(t, admin, "POST", rotate, nil).Want(t, http.StatusOK).Text(t, "secret")
			s.As(t, secret, "GET", team, nil).Want(t, http.StatusOK)
			end(adminID)
			s.As(t, secret, "GET", team, nil).WantError(t, http.StatusUnauthorized, "Unauthorized")
			again := s.As(t, ada.Key, "POST", rotate, nil).Want(t, http.StatusOK).Text(t, "secret")
			s.As(t, again, "GET", team, nil).Want(t, http.StatusOK)
		}
	})
}

func TestMemberReachesOnlyTheirTeams(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		ada := s.NewFounder(t, "ada@example.com")
		other := s.As(t, ada.Key, "POST", "/v1/teams",
			object{"organizationId": ada.Organization, "name": "Other"}).Want(t, http.StatusCreated).Text(t, "id")
		editor, id := s.joinAs(t, ada, "editor@example.com", object{"role": "editor", "teamIds": []any{ada.Team}})
		s.As(t, editor, "POST", path("/v1/teams/%s/posts", ada.Team), object{}).Want(t, http.StatusCreated)
		s.As(t, editor, "GET", path("/v1/teams/%s", other), nil).Want(t, http.StatusForbidden)
		s.As(t, ada.Key, "PATCH", ada.Members(id), object{"teamIds": []any{other}}).Want(t, http.StatusOK)
		s.As(t, editor, "GET", path("/v1/teams/%s", ada.Team), nil).Want(t, http.StatusForbidden)
		s.As(t, editor, "GET", path("/v1/teams/%s", other), nil).Want(t, http.StatusOK)
		s.As(t, ada.Key, "PATCH", ada.Members(id), object{"teamIds": nil, "role": "viewer"}).Want(t, http.StatusOK)
		s.As(t, editor, "GET", path("/v1/teams/%s", ada.Team), nil).Want(t, http.StatusOK)
		s.As(t, editor, "POST", path("/v1/teams/%s/posts", ada.Team), object{}).Want(t, http.StatusForbidden)
	})
}
