package instagram

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

// tokenPrefix is the prefix of the tokens of Instagram Login.
const tokenPrefix = "IGAA"

// permission is a permission under its names in both logins.
type permission struct{ instagram, facebook string }

var (
	mayRead     = permission{"instagram_business_basic", "instagram_basic"}
	mayPublish  = permission{"instagram_business_content_publish", "instagram_content_publish"}
	mayComment  = permission{"instagram_business_manage_comments", "instagram_manage_comments"}
	mayMeasure  = permission{"instagram_business_manage_insights", "instagram_manage_insights"}
	mayDeletion = permission{"", "instagram_manage_contents"}
)

// scopeProducts lets an app tag products.
const scopeProducts = "instagram_shopping_tag_products"

var instagramScopes = []string{mayRead.instagram, mayPublish.instagram, mayComment.instagram, mayMeasure.instagram}

var facebookScopes = []string{mayRead.facebook, mayPublish.facebook, mayComment.facebook, mayMeasure.facebook,
	mayDeletion.facebook,
	"pages_show_list", "pages_read_engagement", "business_management"}

// otherScopes are known scopes besides those of publishing.
var otherScopes = []string{scopeProducts, "catalog_management", "instagram_branded_content_creator",
	"instagram_business_manage_messages", "instagram_manage_messages", "ads_management",
	"pages_manage_metadata"}

func (n *network) registerLogins() {
	n.ServeUserLogin(graph.UserLogin{Grant: "ig", TokenPrefix: tokenPrefix,
		Scopes: slices.Concat(instagramScopes, otherScopes), BasicScope: mayRead.instagram,
		Exchanged: exchanged, CodeRefused: codeRefused})
	n.ServeLogin(graph.Login{Scopes: slices.Concat(facebookScopes, otherScopes), Person: person, Pages: n.pages})
}

// exchanged returns the response to a code as Instagram does: the id is a number that exceeds the precision of a float.
func exchanged(t sim.Token) any {
	return map[string]any{"access_token": t.Value, "user_id": json.Number(t.AccountID), "permissions": t.Scopes}
}

// codeRefused responds in the format that only api.instagram.com has.
func codeRefused(message string) sim.Reply {
	return sim.Reply{Status: http.StatusBadRequest,
		Body: map[string]any{"error_type": "OAuthException", "code": http.StatusBadRequest, "error_message": message}}
}

// byFacebook reports whether a call's token comes from Facebook Login.
func byFacebook(c *graph.Call) bool { return strings.HasPrefix(c.Token.Value, graph.FacebookPrefix) }

// lacks returns the rejection of a call whose token lacks a permission.
func lacks(c *graph.Call, p permission) *sim.Reply {
	scope := p.instagram
	if byFacebook(c) {
		scope = p.facebook
	}
	if scope == "" || !c.Token.Has(scope) {
		return graph.Refuse(graph.Forbidden(scope))
	}
	return nil
}

// person returns the Facebook person behind an account.
func person(account string) graph.Person {
	return graph.Person{ID: stableDigits(15, "person", account), Name: "Sandbox Person"}
}

var allTasks = []string{"ADVERTISE", "ANALYZE", "CREATE_CONTENT", "MESSAGING", "MODERATE", "MANAGE"}

// pages returns the Pages of the person behind an account: one for each of their accounts, and one without.
func (n *network) pages(c *graph.Call, first string) []graph.Page {
	owner, _ := n.Env.Accounts.Get(first)
	var list []graph.Page
	for _, id := range append([]string{first}, n.Env.Accounts.OwnedBy(first)...) {
		a, _ := n.Env.Accounts.Get(id)
		page := n.pageOf(c, a.Handle)
		page.AccountID = a.ID
		page.Source = n.linked(c, page.Source, a)
		list = append(list, page)
	}
	if len(list) > 1 { // the second belongs to the person's portfolio
		list[1].Portfolio, list[1].Hidden = []string{graph.OwnedPages, graph.ClientPages}, true
	}
	return append(list, n.pageOf(c, owner.Handle+" Notes"))
}

// pageOf returns the Page with a title.
func (n *network) pageOf(c *graph.Call, title string) graph.Page {
	id := stableDigits(15, "page", strings.ToLower(title))
	return graph.Page{AccountID: id, ID: id, Tasks: allTasks,
		Source: graph.Lookup(map[string]any{"id": id, "name": title, "category": "Media", "username": nil,
			"instagram_business_account": nil,
			"picture": graph.Object{"data": graph.Object{"url": n.Env.AvatarURL(c.Request,
				id+".png")}}})}
}

// linked adds the account to the fields of a Page.
func (n *network) linked(c *graph.Call, page graph.Source, a sim.Account) graph.Source {
	return func(f graph.Field) (any, bool) {
		if f.Name == "instagram_business_account" {
			return graph.Object{"id": a.ID, "username": a.Handle, "name": a.Name,
				"profile_picture_url": n.Env.AvatarURL(c.Request, a.ID+".png")}, true
		}
		return page(f)
	}
}
