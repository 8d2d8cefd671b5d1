package facebook

import (
	"slices"
	"strings"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

// Scopes that calls need.
const (
	scopePosts      = "pages_manage_posts"
	scopeRead       = "pages_read_engagement"
	scopeEngagement = "pages_manage_engagement"
	scopeInsights   = "read_insights"
)

var publishingScopes = []string{"pages_show_list", scopePosts, scopeRead, scopeEngagement, scopeInsights,
	"pages_read_user_content"}

var otherScopes = []string{"public_profile", "email", "business_management", "pages_manage_metadata", "publish_video"}

func (n *network) registerLogin() {
	n.ServeLogin(graph.Login{Scopes: slices.Concat(publishingScopes, otherScopes),
		Person: func(account string) graph.Person { return graph.Person{ID: account} }, Pages: n.pagesOf})
}

var (
	allTasks    = []string{"ADVERTISE", "ANALYZE", "CREATE_CONTENT", "MESSAGING", "MODERATE", "MANAGE"}
	readerTasks = []string{"ANALYZE"}
)

// tasks returns a person's tasks on a Page.
func tasks(page sim.Account) []string {
	switch {
	case strings.HasSuffix(page.Handle, archiveSuffix):
		return readerTasks
	case strings.HasSuffix(page.Handle, partnerSuffix):
		return nil
	}
	return allTasks
}

// portfolios lists where the Pages of a portfolio appear, by suffix.
var portfolios = map[string]struct {
	edges  []string
	hidden bool
}{
	".shop":       {edges: []string{graph.OwnedPages}},
	brandSuffix:   {edges: []string{graph.OwnedPages}, hidden: true},
	agencySuffix:  {edges: []string{graph.ClientPages}, hidden: true},
	partnerSuffix: {edges: []string{graph.OwnedPages, graph.ClientPages}, hidden: true},
}

// ownerOf returns the name of the person who owns a Page, by the Page's name.
func ownerOf(page string) string {
	for _, suffix := range pageSuffixes {
		if owner, ok := strings.CutSuffix(page, suffix); ok && suffix != "" {
			return owner
		}
	}
	return page
}

func (n *network) pagesOf(c *graph.Call, owner string) []graph.Page {
	var list []graph.Page
	for _, id := range n.Env.Accounts.OwnedBy(owner) {
		page, _ := n.Env.Accounts.Get(id)
		edges := portfolios[strings.TrimPrefix(page.Handle, ownerOf(page.Handle))]
		list = append(list, graph.Page{AccountID: id, ID: id, Tasks: tasks(page), Portfolio: edges.edges,
			Hidden: edges.hidden, Source: n.pageSource(c, page)})
	}
	return list
}

// pageSource returns the fields of a Page.
func (n *network) pageSource(c *graph.Call, page sim.Account) graph.Source {
	return graph.Lookup(map[string]any{"id": page.ID, "name": page.Name, "username": page.Handle,
		"category": "Community", "about": nil, "link": n.Env.URL(c.Request, "/"+page.Handle),
		"picture": graph.Object{"data": graph.Object{"url": n.Env.AvatarURL(c.Request, page.ID+".png"), "width": 96,
			"height": 96, "is_silhouette": false}},
		"fan_count": n.Env.Followers(page.ID), "followers_count": n.Env.Followers(page.ID),
		"instagram_business_account": nil})
}

// need is what a call requires of a Page's token.
type need struct {
	task   string
	scopes []string
}

var (
	toPublish = need{"CREATE_CONTENT", []string{scopePosts, scopeRead}}
	toRead    = need{"ANALYZE", []string{scopeRead}}
	toComment = need{"MODERATE", []string{scopeEngagement}}
	toMeasure = need{"ANALYZE", []string{scopeInsights}}
)

// acting returns the Page whose token makes a call, if it may do what the call needs.
func (n *network) acting(c *graph.Call, what need) (sim.Account, *sim.Reply) {
	if c.Token.Kind == graph.UserToken {
		return sim.Account{}, pageTokenNeeded.Refuse()
	}
	var page sim.Account
	n.Env.View(func() { page, _ = n.Env.Accounts.Get(c.Token.AccountID) })
	for _, scope := range what.scopes {
		if !c.Token.Has(scope) {
			return page, noPermission("requires the permission " + scope).Refuse()
		}
	}
	if !slices.Contains(tasks(page), what.task) {
		return page, noPermission("the user must be able to perform the task " + what.task + " on the Page").Refuse()
	}
	return page, nil
}

// page is acting for calls whose path names the Page.
func (n *network) page(c *graph.Call, what need) (sim.Account, *sim.Reply) {
	page, refusal := n.acting(c, what)
	if refusal == nil && c.Node != page.ID {
		refusal = graph.Refuse(graph.Missing(c.Method, c.Node))
	}
	return page, refusal
}
