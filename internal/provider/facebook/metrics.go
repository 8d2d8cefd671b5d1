package facebook

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/graph"
)

// The metrics of posts, stories and Pages.
const (
	postFields    = "shares,reactions.summary(total_count).limit(0),comments.summary(total_count).limit(0)"
	postInsights  = "post_total_media_view_unique,post_media_view,post_clicks"
	reelInsights  = "blue_reels_play_count,post_video_avg_time_watched,post_video_view_time"
	storyInsights = "STORY_MEDIA_VIEW,STORY_TOTAL_MEDIA_VIEW_UNIQUE,STORY_INTERACTION"
	pageInsights  = "page_media_view,page_post_engagements,page_daily_follows"
	pagePeople    = "page_total_media_view_unique"
)

// PostMetrics reads the metrics of one post: the public ones, and those only the Page sees. Videos have their own id,
// and are counted by the post that shows them.
func (p *Provider) PostMetrics(ctx context.Context, a provider.Account, postIDs []string) (map[string]provider.Metrics,
	error) {
	metrics := map[string]provider.Metrics{}
	for _, id := range postIDs {
		m, err := p.metricsOf(ctx, a, id)
		switch failure := provider.AsError(err); {
		case failure == nil:
			metrics[id] = m
		case !graph.IsMissing(failure):
			return nil, failure
		}
	}
	return metrics, nil
}

// metricsOf distinguishes by id: posts contain the id of the Page, videos and stories do not.
func (p *Provider) metricsOf(ctx context.Context, a provider.Account, id string) (provider.Metrics, error) {
	if strings.Contains(id, "_") {
		return p.postMetrics(ctx, a, id)
	}
	var video createAnswer
	err := p.api.Get(ctx, a.Token.Access, "/"+url.PathEscape(id)+"?fields=post_id", &video)
	switch failure := provider.AsError(err); {
	case failure != nil && failure.Kind == provider.Rejected && !graph.IsMissing(failure):
		return p.storyMetrics(ctx, a, id) // only a video has that field
	case failure != nil:
		return provider.Metrics{}, failure
	case video.PostID == "":
		return provider.Metrics{}, nil // not public yet
	}
	post := string(video.PostID)
	if !strings.Contains(post, "_") {
		post = a.ProviderAccountID + "_" + post
	}
	m, err := p.postMetrics(ctx, a, post)
	if err != nil {
		return m, err
	}
	return p.addPlays(ctx, a, id, m)
}

// addPlays adds how often and how long a reel was played. Other videos have no such metrics.
func (p *Provider) addPlays(ctx context.Context, a provider.Account, video string,
	m provider.Metrics) (provider.Metrics, error) {
	n, err := p.readInsights(ctx, a, video, "video_insights", reelInsights)
	if plays := n.Get("blue_reels_play_count"); plays != nil {
		m.Views = plays
	}
	m.Extra = n.Pick("post_video_avg_time_watched", "averageWatchMillis", "post_video_view_time", "watchMillis")
	return m, err
}

func (p *Provider) postMetrics(ctx context.Context, a provider.Account, id string) (provider.Metrics, error) {
	var counts countAnswer
	if err := p.api.Get(ctx, a.Token.Access, "/"+url.PathEscape(id)+"?fields="+postFields, &counts); err != nil {
		return provider.Metrics{}, err
	}
	var shares int64 // omitted in the response if there are none
	if counts.Shares != nil {
		shares = counts.Shares.Count
	}
	m := provider.Metrics{Likes: counts.Reactions.Summary.Total, Comments: counts.Comments.Summary.Total,
		Shares: &shares}
	n, err := p.insights(ctx, a, id, postInsights)
	m.Reach, m.Clicks = n.Get("post_total_media_view_unique"), n.Get("post_clicks")
	m.Views = n.Get("post_media_view")
	return m, err
}

func (p *Provider) storyMetrics(ctx context.Context, a provider.Account, id string) (provider.Metrics, error) {
	n, err := p.insights(ctx, a, id, storyInsights)
	return provider.Metrics{
		Views: n.Get("STORY_MEDIA_VIEW"), Reach: n.Get("STORY_TOTAL_MEDIA_VIEW_UNIQUE"),
		Extra: n.Pick("STORY_INTERACTION", "interactions"),
	}, err
}

// insights reads the metrics that only the Page sees. Small Pages and new posts have none, which is no error.
func (p *Provider) insights(ctx context.Context, a provider.Account, id, names string) (graph.Numbers, error) {
	return p.readInsights(ctx, a, id, "insights", names)
}

func (p *Provider) readInsights(ctx context.Context, a provider.Account, id, edge,
	names string) (graph.Numbers, error) {
	if len(a.Scopes) > 0 && !a.HasScope(scopeInsights) {
		return nil, nil
	}
	var answer graph.Insights
	err := p.api.Get(ctx, a.Token.Access, "/"+url.PathEscape(id)+"/"+edge+"?metric="+names, &answer)
	failure := provider.AsError(err)
	if failure != nil && failure.Kind != provider.Rejected && failure.Code != provider.CodePermissionMissing {
		return nil, failure
	}
	return answer.Numbers(), nil
}

// maxWindow is the maximum period of the insights of a Page.
const maxWindow = 90 * 24 * time.Hour

// AccountMetrics reads the followers of the Page, and its metrics in a period.
func (p *Provider) AccountMetrics(ctx context.Context, a provider.Account, from, to time.Time) (provider.AccountMetrics,
	error) {
	var page pageAnswer
	if err := p.api.Get(ctx, a.Token.Access, pagePath(a)+"?fields=followers_count", &page); err != nil {
		return provider.AccountMetrics{}, err
	}
	metrics := provider.AccountMetrics{Followers: page.Followers}
	if !from.IsZero() && !to.IsZero() {
		if to.Sub(from) > maxWindow {
			from = to.Add(-maxWindow)
		}
		metrics.From, metrics.To = from, to
	}
	answer, err := p.pageInsights(ctx, a, pageInsights, "day", metrics)
	if err != nil {
		return provider.AccountMetrics{}, err
	}
	n := answer.Numbers()
	metrics.Impressions, metrics.Engagements = n.Get("page_media_view"), n.Get("page_post_engagements")
	metrics.Extra = n.Pick("page_daily_follows", "follows")
	// People who visit on several days are counted once: only the periods for which Facebook counts people have a
	// reach.
	if period := reachPeriods[metrics.To.Sub(metrics.From).Round(time.Hour)]; period != "" {
		people, err := p.pageInsights(ctx, a, pagePeople, period, metrics)
		if err != nil {
			return provider.AccountMetrics{}, err
		}
		metrics.Reach = people.Last(pagePeople)
	}
	return metrics, nil
}

// reachPeriods are the periods for which Facebook counts people.
var reachPeriods = map[time.Duration]string{24 * time.Hour: "day", 7 * 24 * time.Hour: "week",
	28 * 24 * time.Hour: "days_28"}

func (p *Provider) pageInsights(ctx context.Context, a provider.Account, names, period string,
	within provider.AccountMetrics) (graph.Insights, error) {
	path := pagePath(a) + "/insights?metric=" + names + "&period=" + period
	if !within.From.IsZero() {
		path += "&since=" + strconv.FormatInt(within.From.Unix(), 10) + "&until=" +
			strconv.FormatInt(within.To.Unix(), 10)
	}
	var answer graph.Insights
	err := p.api.Get(ctx, a.Token.Access, path, &answer)
	return answer, err
}
