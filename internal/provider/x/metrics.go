package x

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"crier/internal/provider"
)

// privateMetricsAge is how long X reports link clicks to an author; a later request omits the post.
const privateMetricsAge = 29 * 24 * time.Hour

// PostMetrics reads the metrics of up to 100 posts.
func (p *Provider) PostMetrics(ctx context.Context, a provider.Account, postIDs []string) (map[string]provider.Metrics,
	error) {
	fields := "public_metrics"
	if p.allYoung(postIDs) {
		fields += ",non_public_metrics"
	}
	var answer timelineAnswer
	path := "/2/tweets?ids=" + url.QueryEscape(strings.Join(postIDs, ",")) + "&tweet.fields=" + fields
	if err := p.api.Get(ctx, a.Token.Access, path, &answer); err != nil {
		return nil, err
	}
	metrics := map[string]provider.Metrics{}
	for _, post := range answer.Data {
		metrics[post.ID] = post.metrics()
	}
	return metrics, nil
}

func (p timelinePost) metrics() provider.Metrics {
	var m provider.Metrics
	if c := p.Public; c != nil {
		m.Impressions, m.Likes, m.Comments, m.Quotes, m.Saves = c.Impressions, c.Likes, c.Replies, c.Quotes, c.Bookmarks
		m.Shares = c.Reposts
		if m.Shares == nil {
			m.Shares = c.Retweets
		}
	}
	if c := p.NonPublic; c != nil {
		m.Clicks = c.URLClicks
		m.Extra = map[string]int64{}
		for name, count := range map[string]*int64{"profileClicks": c.ProfileClicks, "engagements": c.Engagements} {
			if count != nil {
				m.Extra[name] = *count
			}
		}
	}
	return m
}

// snowflakeEpoch is the epoch of the time in an id, in milliseconds.
const snowflakeEpoch = 1_288_834_974_657

// allYoung reports whether X still reports the private metrics of all posts. Ids contain the creation time.
func (p *Provider) allYoung(postIDs []string) bool {
	for _, id := range postIDs {
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil || p.now().Sub(time.UnixMilli(n>>22+snowflakeEpoch)) > privateMetricsAge {
			return false
		}
	}
	return true
}

// AccountMetrics reads the totals of the account; X does not report them by period.
func (p *Provider) AccountMetrics(ctx context.Context, a provider.Account, _, _ time.Time) (provider.AccountMetrics,
	error) {
	var answer userAnswer
	if err := p.api.Get(ctx, a.Token.Access, profilePath, &answer); err != nil {
		return provider.AccountMetrics{}, err
	}
	counts := answer.Data.PublicMetrics
	if counts == nil {
		return provider.AccountMetrics{}, nil
	}
	return provider.AccountMetrics{
		Followers: &counts.Followers, Following: &counts.Following, Posts: &counts.Posts,
		Extra: map[string]int64{"listed": counts.Listed},
	}, nil
}
