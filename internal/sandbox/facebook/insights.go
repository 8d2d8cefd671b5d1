package facebook

import (
	"net/http"
	"slices"
	"time"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

// Metrics of posts, stories, videos and Pages. Facebook has removed those with impressions in their names.
var (
	postMetrics = []string{"post_total_media_view_unique", "post_media_view", "post_clicks", "post_clicks_by_type",
		"post_reactions_by_type_total",
		"post_reactions_like_total", "post_video_views"}
	storyMetrics = []string{"STORY_MEDIA_VIEW", "STORY_TOTAL_MEDIA_VIEW_UNIQUE", "STORY_INTERACTION",
		"PAGES_FB_STORY_REPLIES", "PAGES_FB_STORY_SHARES"}
	videoMetrics = []string{"total_video_views", "total_video_views_unique", "total_video_reactions_by_type_total",
		"blue_reels_play_count", "post_video_likes_by_reaction_type", "post_video_avg_time_watched",
		"post_video_view_time", "post_video_social_actions"}
	pageMetrics = []string{"page_total_media_view_unique", "page_media_view", "page_post_engagements",
		"page_daily_follows", "page_follows"}
)

// maxWindow is the maximum period of a Page's metrics.
const maxWindow = 90 * 24 * time.Hour

func (n *network) registerInsights() {
	n.Edge(http.MethodGet, "insights", graph.Always(sim.Read), n.insights)
	n.Edge(http.MethodGet, "video_insights", graph.Always(sim.Read), n.videoInsights)
}

// insights returns the metrics of a Page or of one of its posts.
func (n *network) insights(c *graph.Call) sim.Reply {
	page, refusal := n.acting(c, toMeasure)
	if refusal != nil {
		return *refusal
	}
	if c.Node == page.ID {
		return n.pageInsights(c, page)
	}
	id, allowed := "", postMetrics
	n.Env.View(func() {
		id = n.postBehind(c.Node)
		if details, _ := n.pagePosts.Get(id); details.IsStory {
			allowed = storyMetrics
		}
	})
	return n.postInsights(c, page, id, allowed)
}

// videoInsights returns the metrics of a video, all of them unless some are requested.
func (n *network) videoInsights(c *graph.Call) sim.Reply {
	page, refusal := n.acting(c, toMeasure)
	if refusal != nil {
		return *refusal
	}
	if c.Params["metric"] == "" {
		c.Params["metric"] = videoMetrics[0] + "," + videoMetrics[3]
	}
	var v video
	n.Env.View(func() { v, _ = n.videos.Get(c.Node) })
	return n.postInsights(c, page, v.PostID, videoMetrics)
}

func (n *network) postInsights(c *graph.Call, page sim.Account, id string, allowed []string) sim.Reply {
	var r graph.Reception
	found := false
	n.Env.View(func() {
		post, isVisible := n.visible(id)
		found = isVisible && post.AccountID == page.ID && post.Kind == sim.KindPost
		r = n.Receive(post)
	})
	if !found {
		return graph.Missing(c.Method, c.Node)
	}
	names, refusal := c.Metrics(allowed)
	if refusal != nil {
		return *refusal
	}
	return graph.OK(graph.Lifetime(c.Node, names, func(name string) any { return measure(r, name) }))
}

// measure returns one metric of a post; some are split by kind.
func measure(r graph.Reception, name string) any {
	switch name {
	case "post_total_media_view_unique", "STORY_TOTAL_MEDIA_VIEW_UNIQUE", "total_video_views_unique",
		"page_total_media_view_unique":
		return r.Reach()
	case "post_media_view", "STORY_MEDIA_VIEW", "total_video_views", "post_video_views", "blue_reels_play_count",
		"page_media_view":
		return r.Views()
	case "post_reactions_like_total":
		return r.Likes
	case "post_reactions_by_type_total", "total_video_reactions_by_type_total", "post_video_likes_by_reaction_type":
		return map[string]int{"like": r.Likes}
	case "post_clicks_by_type":
		return map[string]int{}
	case "STORY_INTERACTION", "page_post_engagements":
		return r.Interactions()
	default:
		return 0
	}
}

// pageInsights returns the metrics of a Page, summed over the requested period.
func (n *network) pageInsights(c *graph.Call, page sim.Account) sim.Reply {
	names, refusal := c.Metrics(pageMetrics)
	if refusal != nil {
		return *refusal
	}
	since, until, refusal := c.Between()
	switch {
	case refusal != nil:
		return *refusal
	case !slices.Contains([]string{"day", "week", "days_28"}, c.Params["period"]):
		return graph.Invalid("period must be day, week or days_28")
	case !since.IsZero() && !until.IsZero() && until.Sub(since) > maxWindow:
		return graph.Invalid("There cannot be more than 90 days between since and until")
	}
	if until.IsZero() {
		until = n.Env.Now()
	}
	if since.IsZero() {
		since = until.Add(-48 * time.Hour)
	}
	list := graph.InsightList{Data: []graph.Insight{}}
	n.Env.View(func() {
		for _, name := range names {
			insight := graph.NewInsight(page.ID, name, c.Params["period"])
			insight.Values = n.pageValues(page.ID, name, c.Params["period"], since, until)
			list.Data = append(list.Data, insight)
		}
	})
	return graph.OK(list)
}

// pageValues returns a value for every day of a period: of that day, or of the 7 or 28 days that end with it. The same
// people come every day: the people of several days are not their sum. It needs a running View or Update.
func (n *network) pageValues(page, name, period string, since, until time.Time) []graph.InsightValue {
	const day = 24 * time.Hour
	at := func(from, to time.Time) graph.InsightValue {
		value := measure(n.receiveAll(page, from, to), name)
		switch {
		case name == "page_follows":
			value = n.Env.Followers(page)
		case name == uniquePeople:
			value = measure(n.receiveAll(page, time.Time{}, to), name)
		}
		return graph.InsightValue{Value: value, EndTime: graph.Timestamp(to)}
	}
	longer := map[string]time.Duration{"week": 7 * day, "days_28": 28 * day}[period]
	var values []graph.InsightValue
	for from := since; from.Before(until); from = from.Add(day) {
		to := from.Add(day)
		if to.After(until) {
			to = until
		}
		start := from
		if longer > 0 {
			start = to.Add(-longer)
		}
		values = append(values, at(start, to))
	}
	return values
}

// uniquePeople is the number of people who saw something of a Page.
const uniquePeople = "page_total_media_view_unique"

// receiveAll sums the reactions to the posts of a period. It needs a running View or Update.
func (n *network) receiveAll(page string, since, until time.Time) graph.Reception {
	var total graph.Reception
	for _, id := range n.Env.Posts.ByAccount(page) {
		post, isVisible := n.visible(id)
		if !isVisible || post.Kind != sim.KindPost || !graph.Within(post.CreatedAt, since, until) {
			continue
		}
		total.Add(n.Receive(post))
	}
	return total
}
