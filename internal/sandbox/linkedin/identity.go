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
	n.rest("GET /rest/me", sim.Read, n.me)
	n.rest("GET /rest/organizationAcls", sim.Read, n.organizationAcls)
	n.rest("GET /rest/organizations/{id}", sim.Read, n.oneOrganization)
	n.rest("GET /rest/organizations", sim.Read, n.someOrganizations)
}

// userinfo answers who the member is, as OpenID Connect has it.
func (n *network) userinfo(r *http.Request, c caller) sim.Reply {
	if !c.token.Has("openid", "profile") {
		return denied("userinfo.GET.NO_VERSION")
	}
	given, family, _ := strings.Cut(c.member.Name, " ")
	body := map[string]any{"sub": urnNumber(c.member.ID), "name": c.member.Name, "given_name": given, "family_name": family,
		"picture": n.env.AvatarURL(r, urnNumber(c.member.ID)+".png"), "locale": map[string]string{"country": "US", "language": "en"}}
	if c.token.Has("email") {
		body["email"], body["email_verified"] = c.member.Handle+"@sandbox.example", true
	}
	return sim.Reply{Status: http.StatusOK, Body: body}
}

func (n *network) me(_ *http.Request, c caller) sim.Reply {
	if !c.may("r_basicprofile") {
		return denied("me.GET.NO_VERSION")
	}
	given, family, _ := strings.Cut(c.member.Name, " ")
	return sim.Reply{Status: http.StatusOK, Body: map[string]string{"id": urnNumber(c.member.ID), "localizedFirstName": given,
		"localizedLastName": family, "vanityName": c.member.Handle}}
}

type acl struct {
	Role         string `json:"role"`
	Organization string `json:"organization"`
	RoleAssignee string `json:"roleAssignee"`
	State        string `json:"state"`
}

// organizationAcls answers the organizations that the member administers.
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
	isAsked := (q.Get("role") == "" || q.Get("role") == "ADMINISTRATOR") && (q.Get("state") == "" || q.Get("state") == "APPROVED")
	n.env.View(func() {
		for _, id := range n.env.Accounts.OwnedBy(c.member.ID) {
			if isAsked {
				list = append(list, acl{Role: "ADMINISTRATOR", Organization: id, RoleAssignee: c.member.ID, State: "APPROVED"})
			}
		}
	})
	return sim.Reply{Status: http.StatusOK, Body: elements{Paging: paging{Count: 10, Total: len(list), Links: []any{}}, Elements: list}}
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
	return organizationView{ID: number, LocalizedName: a.Name, VanityName: a.Handle, LogoV2: map[string]string{"original": "urn:li:digitalmediaAsset:" + id}}, true
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

// someOrganizations answers several organizations by their numbers.
func (n *network) someOrganizations(r *http.Request, c caller) sim.Reply {
	if !c.readsOrganizations() {
		return denied("organizations.BATCH_GET.20260701")
	}
	ids, refusal := parseList(r, "ids")
	if refusal != nil {
		return *refusal
	}
	results, statuses := map[string]organizationView{}, map[string]int{}
	n.env.View(func() {
		for _, id := range ids {
			view, found := n.organization(id)
			if !found {
				statuses[id] = http.StatusNotFound
				continue
			}
			results[id], statuses[id] = view, http.StatusOK
		}
	})
	return sim.Reply{Status: http.StatusOK, Body: map[string]any{"results": results, "statuses": statuses, "errors": map[string]any{}}}
}
