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

// What Facebook tells of posts and of videos.
const (
	postFields   = "shares,reactions.summary(total_count).limit(0),comments.summary(total_count).limit(0)"
	videoFields  = "views,likes.summary(total_count).limit(0),comments.summary(total_count).limit(0)"
	postInsights = "post_total_media_view_unique,post_clicks"
	pageInsights = "page_total_media_view_unique,page_media_view,page_post_engagements,page_daily_follows"
)

// PostMetrics reads the numbers of one post: what everybody sees, and what only the Page does.
func (p *Provider) PostMetrics(ctx context.Context, a provider.Account, postIDs []string) (map[string]provider.Metrics, error) {
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
	isPost := strings.Contains(id, "_")
	fields := videoFields
	if isPost {
		fields = postFields
	}
	var counts countAnswer
	if err := p.api.Get(ctx, a.Token.Access, "/"+url.PathEscape(id)+"?fields="+fields, &counts); err != nil {
		return provider.Metrics{}, err
	}
	m := provider.Metrics{Views: counts.Views, Likes: counts.Likes.Summary.Total, Comments: counts.Comments.Summary.Total}
	if !isPost {
		return m, nil
	}
	var shares int64 // left out of the answer when there are none
	if counts.Shares != nil {
		shares = counts.Shares.Count
	}
	m.Likes, m.Shares = counts.Reactions.Summary.Total, &shares
	if len(a.Scopes) > 0 && !a.HasScope(scopeInsights) {
		return m, nil
	}
	var answer graph.Insights
	err := p.api.Get(ctx, a.Token.Access, "/"+url.PathEscape(id)+"/insights?metric="+postInsights, &answer)
	if failure := provider.AsError(err); failure != nil {
		if failure.Kind == provider.Rejected || failure.Code == provider.CodePermissionMissing {
			return m, nil // small Pages have no insights; the counts stand
		}
		return provider.Metrics{}, failure
	}
	n := answer.Numbers()
	m.Reach, m.Clicks = n.Get("post_total_media_view_unique"), n.Get("post_clicks")
	return m, nil
}

// maxWindow is how long a time the insights of a Page may cover.
const maxWindow = 90 * 24 * time.Hour

// AccountMetrics reads the followers of the Page, and its numbers in a time.
func (p *Provider) AccountMetrics(ctx context.Context, a provider.Account, from, to time.Time) (provider.AccountMetrics, error) {
	var page pageAnswer
	if err := p.api.Get(ctx, a.Token.Access, pagePath(a)+"?fields=followers_count", &page); err != nil {
		return provider.AccountMetrics{}, err
	}
	metrics := provider.AccountMetrics{Followers: page.Followers}
	path := pagePath(a) + "/insights?metric=" + pageInsights + "&period=day"
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
	metrics.Reach, metrics.Impressions = n.Get("page_total_media_view_unique"), n.Get("page_media_view")
	metrics.Engagements, metrics.Extra = n.Get("page_post_engagements"), n.Pick("page_daily_follows", "follows")
	return metrics, nil
}
