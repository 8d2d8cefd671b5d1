package graph

import (
	"net/http"
	"slices"

	"crier/internal/sandbox/sim"
)

// ScopePortfolio is the permission to see the contents of a Business portfolio.
const ScopePortfolio = "business_management"

// Where a Page is listed besides the person's own list.
const (
	// OwnedPages and ClientPages are the edges of a portfolio.
	OwnedPages  = "owned_pages"
	ClientPages = "client_pages"
)

// servePortfolios registers the Business portfolios: each person has one.
func (f *facebook) servePortfolios() {
	f.Edge(http.MethodGet, "businesses", Always(sim.Read), f.businesses)
	for _, edge := range []string{OwnedPages, ClientPages} {
		f.Edge(http.MethodGet, edge, Always(sim.Read), func(c *Call) sim.Reply { return f.portfolioPages(c, edge) })
	}
}

// portfolioID returns the id of a person's portfolio.
func portfolioID(account string) string { return "9" + account }

func (f *facebook) businesses(c *Call) sim.Reply {
	fields, refusal := c.Fields("id,name")
	if refusal == nil {
		refusal = f.lacksPortfolio(c)
	}
	if refusal != nil {
		return *refusal
	}
	id := portfolioID(c.Token.AccountID)
	return c.List(f.Env.URL(c.Request, c.GraphPath()), []string{id}, func(string) (Object, *sim.Reply) {
		return Show("Business", fields, Lookup(map[string]any{"id": id, "name": "Sandbox portfolio"}))
	})
}

func (f *facebook) lacksPortfolio(c *Call) *sim.Reply {
	switch {
	case c.Token.Kind != UserToken:
		return Refuse(Missing(c.Method, c.Node))
	case !c.Token.Has(ScopePortfolio):
		return Problem{Code: 200,
			Message: "(#200) Requires business_management permission to manage the object"}.Refuse()
	}
	return nil
}

// portfolioPages returns the Pages on an edge of a portfolio. Those on which the person has no task have no token.
func (f *facebook) portfolioPages(c *Call, edge string) sim.Reply {
	fields, refusal := c.Fields(pageFields)
	if refusal == nil {
		refusal = f.lacksPortfolio(c)
	}
	switch {
	case refusal != nil:
		return *refusal
	case c.Node != portfolioID(c.Token.AccountID):
		return Missing(c.Method, c.Node)
	}
	return f.showPages(c, fields, func(p Page) bool { return slices.Contains(p.Portfolio, edge) })
}
