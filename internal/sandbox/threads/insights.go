package threads

import (
	"net/http"
	"time"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

var postMetrics = []string{"views", "likes", "replies", "reposts", "quotes", "shares"}

var accountMetrics = []string{"views", "likes", "replies", "reposts", "quotes", "clicks", "followers_count",
	"follower_demographics"}

// firstNumbers is the earliest time of account metrics.
const firstNumbers = 1712991600

func (n *network) registerInsights() {
	n.Edge(http.MethodGet, "insights", graph.Always(sim.Read), n.insights)
	n.Edge(http.MethodGet, "threads_insights", graph.Always(sim.Read), n.accountInsights)
}

// insights returns the metrics of a post of the caller. A repost has none.
func (n *network) insights(c *graph.Call) sim.Reply {
	if refusal := lacks(c, scopeInsights); refusal != nil {
		return *refusal
	}
	var post sim.Post
	var r graph.Reception
	found := false
	n.Env.View(func() {
		post, found = n.live(c.Node)
		r = n.Receive(post)
	})
	if !found || post.AccountID != c.Token.AccountID {
		return graph.Missing(c.Method, c.Node)
	}
	names, refusal := c.Metrics(postMetrics)
	switch {
	case refusal != nil:
		return *refusal
	case post.Kind == sim.KindRepost:
		return graph.OK(graph.InsightList{Data: []graph.Insight{}})
	}
	return graph.OK(graph.Lifetime(post.ID, names, func(name string) any { return measure(r, name) }))
}

func measure(r graph.Reception, name string) int {
	switch name {
	case "views":
		return r.Views()
	case "likes":
		return r.Likes
	case "replies":
		return r.Comments
	case "reposts":
		return r.Reposts
	case "quotes":
		return r.Quotes
	default:
		return 0
	}
}

// accountInsights returns the metrics of the caller's account: views by day, all others as a total.
func (n *network) accountInsights(c *graph.Call) sim.Reply {
	refusal := lacks(c, scopeInsights)
	if refusal == nil && c.Node != c.Token.AccountID {
		refusal = graph.Refuse(graph.Missing(c.Method, c.Node))
	}
	if refusal != nil {
		return *refusal
	}
	names, refusal := c.Metrics(accountMetrics)
	if refusal != nil {
		return *refusal
	}
	since, until, refusal := c.Between()
	switch {
	case refusal != nil:
		return *refusal
	case !since.IsZero() && since.Unix() < firstNumbers:
		return *invalid("Param since must not be before %d", firstNumbers)
	}
	list := graph.InsightList{Data: []graph.Insight{}}
	for _, name := range names {
		insight, refusal := n.accountInsight(c, name, since, until)
		if refusal != nil {
			return *refusal
		}
		list.Data = append(list.Data, insight)
	}
	return graph.OK(list)
}

func (n *network) accountInsight(c *graph.Call, name string, since, until time.Time) (graph.Insight, *sim.Reply) {
	insight := graph.NewInsight(c.Node, name, "day")
	var total graph.Reception
	followers := 0
	n.Env.View(func() { total, followers = n.receiveAll(c.Node, since, until), n.Env.Followers(c.Node) })
	switch name {
	case "views":
		insight.Values = []graph.InsightValue{{Value: total.Views(), EndTime: graph.Timestamp(n.Env.Now())}}
	case "followers_count":
		insight.TotalValue = &graph.InsightValue{Value: followers}
	case "follower_demographics":
		if c.Params["breakdown"] == "" {
			return insight, invalid("Param breakdown must be one of {country, city, age, gender}")
		}
		insight.TotalValue = &graph.InsightValue{Value: map[string]int{}}
	default:
		insight.TotalValue = &graph.InsightValue{Value: measure(total, name)}
	}
	return insight, nil
}

// receiveAll sums the reactions to the posts of a period. It needs a running View or Update.
func (n *network) receiveAll(account string, since, until time.Time) (total graph.Reception) {
	for _, id := range n.Env.Posts.ByAccount(account) {
		post, live := n.live(id)
		if !live || !graph.Within(post.CreatedAt, since, until) {
			continue
		}
		total.Add(n.Receive(post))
	}
	return total
}
