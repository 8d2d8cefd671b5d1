package instagram

import (
	"net/http"
	"slices"
	"time"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

// metrics are the metrics of each kind of post.
var metrics = map[string][]string{
	productFeed: {"reach", "views", "likes", "comments", "saved", "shares", "total_interactions", "follows",
		"profile_visits", "profile_activity", "reposts"},
	productReels: {"reach", "views", "likes", "comments", "saved", "shares", "reposts", "total_interactions",
		"ig_reels_avg_watch_time",
		"ig_reels_video_view_total_time", "reels_skip_rate"},
	productStory: {"reach", "views", "replies", "navigation", "shares", "follows", "profile_visits",
		"total_interactions"},
}

var accountMetrics = []string{"follower_count", "reach", "views", "likes", "comments", "shares", "saves", "replies",
	"total_interactions", "accounts_engaged", "profile_views"}

// maxWindow is the maximum period of an account's metrics.
const maxWindow = 30 * day

// minStoryViewers is the minimum number of viewers before a story has metrics.
const minStoryViewers = 5

func (n *network) registerInsights() {
	n.Edge(http.MethodGet, "insights", graph.Always(sim.Read), n.insights)
}

// insights returns the metrics of a post, or of an account.
func (n *network) insights(c *graph.Call) sim.Reply {
	if refusal := lacks(c, mayMeasure); refusal != nil {
		return *refusal
	}
	var post sim.Post
	var m medium
	var r graph.Reception
	found := false
	n.Env.View(func() {
		post, m, found = n.ownPost(c, c.Node)
		r = n.Receive(post)
	})
	if !found {
		return n.accountInsights(c)
	}
	names, refusal := c.Metrics(metrics[m.Product])
	isStory := m.Product == productStory
	switch {
	case refusal != nil:
		return *refusal
	case isStory && n.Env.Now().Sub(post.CreatedAt) >= day:
		return graph.OK(graph.InsightList{Data: []graph.Insight{}})
	case isStory && r.Reach() < minStoryViewers:
		return graph.Problem{Status: http.StatusForbidden, Code: 10,
			Message: "(#10) Not enough viewers for the media to show insights"}.Reply()
	}
	return graph.OK(graph.Lifetime(post.ID, names, func(name string) any { return measure(r, name) }))
}

// watchMilliseconds is how long each viewer watches a reel.
const watchMilliseconds = 4500

// measure returns one metric of a post.
func measure(r graph.Reception, name string) int {
	switch name {
	case "reach":
		return r.Reach()
	case "views":
		return r.Views()
	case "likes":
		return r.Likes
	case "comments", "replies":
		return r.Comments
	case "total_interactions":
		return r.Interactions()
	case "ig_reels_avg_watch_time":
		return watchMilliseconds
	case "ig_reels_video_view_total_time":
		return watchMilliseconds * r.Views()
	default:
		return 0
	}
}

// accountInsights returns the metrics of an account: by day, or as a total.
func (n *network) accountInsights(c *graph.Call) sim.Reply {
	a, refusal := n.accountOf(c)
	if refusal != nil {
		return *refusal
	}
	names, refusal := c.Metrics(accountMetrics)
	if refusal != nil {
		return *refusal
	}
	if c.Params["period"] != "day" {
		return graph.Invalid("period must be day")
	}
	since, until, refusal := c.Between()
	if refusal != nil {
		return *refusal
	}
	if !since.IsZero() && !until.IsZero() && until.Sub(since) > maxWindow {
		return graph.Invalid("There cannot be more than 30 days (2592000 s) between since and until")
	}
	list := graph.InsightList{Data: []graph.Insight{}}
	n.Env.View(func() {
		total := n.receiveAll(a.ID, since, until)
		for _, name := range names {
			value := measure(total, name)
			if name == "follower_count" {
				value = n.Env.Followers(a.ID)
			}
			insight := graph.NewInsight(a.ID, name, "day")
			if c.Params["metric_type"] == "total_value" {
				insight.TotalValue = &graph.InsightValue{Value: value}
			} else {
				insight.Values = []graph.InsightValue{{Value: value, EndTime: graph.Timestamp(n.Env.Now())}}
			}
			list.Data = append(list.Data, insight)
		}
	})
	return graph.OK(list)
}

// receiveAll sums the reactions to the posts of a period. It needs a running View or Update.
func (n *network) receiveAll(account string, since, until time.Time) graph.Reception {
	var total graph.Reception
	for _, id := range slices.Backward(n.Env.Posts.ByAccount(account)) {
		post, live := n.Env.Posts.Live(id)
		if !live || post.Kind != sim.KindPost || !graph.Within(post.CreatedAt, since, until) {
			continue
		}
		total.Add(n.Receive(post))
	}
	return total
}
