package instagram

import (
	"cmp"
	"context"
	"net/url"
	"strconv"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/graph"
)

// The metrics of posts, reels and stories: Instagram rejects the whole request if a kind of post does not have one of
// them.
const postMetrics = "reach,views,likes,comments,saved,shares,total_interactions"

var metricsOf = map[string]string{
	"REELS": postMetrics + ",reposts,ig_reels_avg_watch_time,ig_reels_video_view_total_time",
	"STORY": "reach,views,replies,shares,total_interactions",
}

// PostMetrics reads the kind of the post, with its likes and comments, and then the metrics of that kind. Without the
// permission, and if Instagram rejects the others, it returns likes and comments only.
func (p *Provider) PostMetrics(ctx context.Context, a provider.Account, postIDs []string) (map[string]provider.Metrics,
	error) {
	metrics := map[string]provider.Metrics{}
	for _, id := range postIDs {
		m, err := p.postMetrics(ctx, a, id)
		switch failure := provider.AsError(err); {
		case failure == nil:
			metrics[id] = m
		case !graph.IsMissing(failure):
			return nil, failure
		}
	}
	return metrics, nil
}

func (p *Provider) postMetrics(ctx context.Context, a provider.Account, id string) (provider.Metrics, error) {
	var counts countAnswer
	if err := p.api.Get(ctx, a.Token.Access,
		"/"+url.PathEscape(id)+"?fields=media_product_type,like_count,comments_count", &counts); err != nil {
		return provider.Metrics{}, err
	}
	metrics := provider.Metrics{Likes: counts.Likes, Comments: counts.Comments}
	if len(a.Scopes) > 0 && !a.HasScope(permissionsOf[p.modeOf(a)].insights) {
		return metrics, nil
	}
	var answer graph.Insights
	names := cmp.Or(metricsOf[counts.Product], postMetrics)
	err := p.api.Get(ctx, a.Token.Access, "/"+url.PathEscape(id)+"/insights?metric="+names, &answer)
	switch failure := provider.AsError(err); {
	case failure == nil:
		told := newMetrics(answer.Numbers())
		// New posts have no insights for up to two days, and stories none after their day. The comments of a story are
		// the replies to it, which only its insights count.
		told.Likes = cmp.Or(told.Likes, metrics.Likes)
		if counts.Product != "STORY" {
			told.Comments = cmp.Or(told.Comments, metrics.Comments)
		}
		return told, nil
	case refusesInsights(failure):
		return metrics, nil
	default:
		return provider.Metrics{}, failure
	}
}

// refusesInsights reports whether the post does not have the metrics. Instagram also reports a missing permission for
// stories that fewer than five people have seen.
func refusesInsights(failure *provider.Error) bool {
	return failure.Kind == provider.Rejected && !graph.IsMissing(failure) ||
		failure.Code == provider.CodePermissionMissing
}

func newMetrics(n graph.Numbers) provider.Metrics {
	comments := n.Get("comments")
	if comments == nil {
		comments = n.Get("replies")
	}
	return provider.Metrics{
		Reach: n.Get("reach"), Views: n.Get("views"), Likes: n.Get("likes"), Comments: comments,
		Shares: n.Get("shares"), Saves: n.Get("saved"),
		Extra: n.Pick("total_interactions", "totalInteractions", "reposts", "reposts",
			"ig_reels_avg_watch_time", "averageWatchMillis", "ig_reels_video_view_total_time", "watchMillis"),
	}
}

// maxWindow is the maximum period of the insights of an account. Reach cannot be summed, so a longer period is
// shortened.
const maxWindow = 30 * 24 * time.Hour

// AccountMetrics reads the totals of the account, and its metrics in a period.
func (p *Provider) AccountMetrics(ctx context.Context, a provider.Account, from, to time.Time) (provider.AccountMetrics,
	error) {
	id := url.PathEscape(a.ProviderAccountID)
	var totals profileAnswer
	if err := p.api.Get(ctx, a.Token.Access, "/"+id+"?fields=followers_count,follows_count,media_count",
		&totals); err != nil {
		return provider.AccountMetrics{}, err
	}
	user := totals.one()
	metrics := provider.AccountMetrics{Followers: user.Followers, Following: user.Follows, Posts: user.Media}
	path := "/" + id + "/insights?metric=reach,views,total_interactions,likes,comments,shares,saves&period=day&metric_type=total_value"
	if !from.IsZero() && !to.IsZero() {
		if to.Sub(from) > maxWindow {
			from = to.Add(-maxWindow)
		}
		path += "&since=" + strconv.FormatInt(from.Unix(), 10) + "&until=" + strconv.FormatInt(to.Unix(), 10)
		metrics.From, metrics.To = from, to
	}
	var answer graph.Insights
	if err := p.api.Get(ctx, a.Token.Access, path, &answer); err != nil {
		return provider.AccountMetrics{}, err
	}
	n := answer.Numbers()
	metrics.Reach, metrics.Impressions, metrics.Engagements = n.Get("reach"), n.Get("views"),
		n.Get("total_interactions")
	metrics.Extra = n.Pick("likes", "likes", "comments", "comments", "shares", "shares", "saves", "saves")
	return metrics, nil
}
