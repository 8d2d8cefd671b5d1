package linkedin

import (
	"net/http"
	"strconv"
	"strings"

	"crier/internal/sandbox/sim"
)

func (n *network) registerIdentity() {
	n.plain("GET /v2/userinfo", sim.Read, n.userinfo)
	n.plain("GET /v2/me", sim.Read, n.me)
	n.rest("GET /rest/organizationAcls", sim.Read, n.organizationAcls)
	n.rest("GET /rest/organizations/{id}", sim.Read, n.oneOrganization)
	n.rest("GET /rest/organizations", sim.Read, n.organizationByVanity)
	n.rest("GET /rest/peopleTypeahead", sim.Read, n.followersByName)
}

// userinfo returns the member, as in OpenID Connect.
func (n *network) userinfo(r *http.Request, c caller) sim.Reply {
	if !c.token.Has("openid", "profile") {
		return denied("userinfo.GET.NO_VERSION")
	}
	given, family, _ := strings.Cut(c.member.Name, " ")
	body := map[string]any{"sub": urnNumber(c.member.ID), "name": c.member.Name, "given_name": given,
		"family_name": family,
		"picture":     n.env.AvatarURL(r, urnNumber(c.member.ID)+".png"),
		"locale":      map[string]string{"country": "US", "language": "en"}}
	if c.token.Has("email") {
		body["email"], body["email_verified"] = c.member.Handle+"@sandbox.example", true
	}
	return sim.Reply{Status: http.StatusOK, Body: body}
}

// me returns the member; the picture only if a projection decorates it.
func (n *network) me(r *http.Request, c caller) sim.Reply {
	if !c.may("r_basicprofile") {
		return denied("me.GET.NO_VERSION")
	}
	given, family, _ := strings.Cut(c.member.Name, " ")
	body := map[string]any{"id": urnNumber(c.member.ID), "localizedFirstName": given, "localizedLastName": family,
		"vanityName": c.member.Handle}
	if strings.Contains(r.URL.Query().Get("projection"), "profilePicture(displayImage~") {
		type list []map[string]any
		body["profilePicture"] = map[string]any{
			"displayImage": "urn:li:digitalmediaAsset:" + urnNumber(c.member.ID),
			"displayImage~": map[string]any{"elements": list{{"identifiers": list{{
				"identifier": n.env.AvatarURL(r, urnNumber(c.member.ID)+".png"), "identifierType": "EXTERNAL_URL"}}}}},
		}
	}
	return sim.Reply{Status: http.StatusOK, Body: body}
}

type acl struct {
	Role         string `json:"role"`
	Organization string `json:"organization"`
	RoleAssignee string `json:"roleAssignee"`
	State        string `json:"state"`
}

// organizationAcls returns the organizations that the member administers.
func (n *network) organizationAcls(r *http.Request, c caller) sim.Reply {
	q := r.URL.Query()
	switch {
	case !c.may("rw_organization_admin", "r_organization_admin"):
		return denied("organizationAcls.FINDER-roleAssignee.20260701")
	case !isMethod(r, "FINDER", false):
		return wrongMethod("FINDER")
	case q.Get("q") != "roleAssignee":
		return badField("PARAM_INVALID", "q must be roleAssignee")
	}
	list := []acl{}
	isAsked := (q.Get("role") == "" || q.Get("role") == "ADMINISTRATOR") &&
		(q.Get("state") == "" || q.Get("state") == "APPROVED")
	n.env.View(func() {
		for _, id := range n.env.Accounts.OwnedBy(c.member.ID) {
			if isAsked {
				list = append(list, acl{Role: "ADMINISTRATOR", Organization: id, RoleAssignee: c.member.ID,
					State: "APPROVED"})
			}
		}
	})
	return sim.Reply{Status: http.StatusOK, Body: elements{Paging: paging{Count: 10, Total: len(list), Links: []any{}},
		Elements: list}}
}

type organizationView struct {
	ID            int64             `json:"id"`
	LocalizedName string            `json:"localizedName"`
	VanityName    string            `json:"vanityName"`
	LogoV2        map[string]string `json:"logoV2,omitempty"`
}

// organization returns an organization by its number. It needs a running View or Update.
func (n *network) organization(id string) (organizationView, bool) {
	a, found := n.env.Accounts.Get(organizationPrefix + id)
	number, err := strconv.ParseInt(id, 10, 64)
	if !found || err != nil {
		return organizationView{}, false
	}
	return organizationView{ID: number, LocalizedName: a.Name, VanityName: a.Handle,
		LogoV2: map[string]string{"original": "urn:li:digitalmediaAsset:" + id}}, true
}

func (c caller) readsOrganizations() bool {
	return c.may("rw_organization_admin", "r_organization_admin", "r_organization_social", "w_organization_social")
}

func (n *network) oneOrganization(r *http.Request, c caller) sim.Reply {
	if !c.readsOrganizations() {
		return denied("organizations.GET.20260701")
	}
	var view organizationView
	found := false
	n.env.View(func() { view, found = n.organization(r.PathValue("id")) })
	if !found {
		return notFound(r.PathValue("id"))
	}
	return sim.Reply{Status: http.StatusOK, Body: view}
}

// organizationByVanity returns the organization with exactly the given vanity name.
func (n *network) organizationByVanity(r *http.Request, c caller) sim.Reply {
	q := r.URL.Query()
	switch {
	case !c.readsOrganizations():
		return denied("organizations.FINDER-vanityName.20260701")
	case q.Get("q") != "vanityName" || q.Get("vanityName") == "":
		return badField("PARAM_INVALID", "q must be vanityName")
	}
	list := []organizationView{}
	n.env.View(func() {
		a, found := n.env.Accounts.ByHandle(q.Get("vanityName"))
		if id, ok := strings.CutPrefix(a.ID, organizationPrefix); found && ok {
			view, _ := n.organization(id)
			list = append(list, view)
		}
	})
	return sim.Reply{Status: http.StatusOK, Body: elements{Paging: paging{Count: 10, Total: len(list), Links: []any{}},
		Elements: list}}
}

type follower struct {
	Member    string `json:"member"`
	FirstName string `json:"firstName"`
	LastName  string `json:"lastName"`
	Headline  string `json:"headline"`
}

// leastKeywords is the minimum number of letters to search for people.
const leastKeywords = 3

// followersByName returns the members among an organization's followers whose names start with the keywords. Everybody
// in the sandbox follows everybody.
func (n *network) followersByName(r *http.Request, c caller) sim.Reply {
	q := r.URL.Query()
	keywords := strings.ToLower(q.Get("keywords"))
	isOwn := false
	n.env.View(func() { isOwn = n.administers(c, q.Get("organization")) })
	switch {
	case !c.may("r_organization_social", "w_organization_social") || !isOwn:
		return denied("peopleTypeahead.FINDER-organizationFollowers.20260701")
	case q.Get("q") != "organizationFollowers" || len([]rune(keywords)) < leastKeywords:
		return badField("PARAM_INVALID", "keywords must have at least %d characters", leastKeywords)
	}
	list := []follower{}
	n.env.View(func() {
		for _, a := range n.env.Accounts.All() {
			if a.Kind == kindMember && strings.HasPrefix(strings.ToLower(a.Name), keywords) {
				given, family, _ := strings.Cut(a.Name, " ")
				list = append(list, follower{Member: a.ID, FirstName: given, LastName: family,
					Headline: "Lives in the crier sandbox"})
			}
		}
	})
	return sim.Reply{Status: http.StatusOK, Body: elements{Paging: paging{Count: 10, Total: len(list), Links: []any{}},
		Elements: list}}
}
