package youtube

import (
	"context"
	"net/url"
	"strings"
	"time"

	"crier/internal/provider"
)

// PostMetrics reads the numbers of up to 50 videos. What a channel hides is missing.
func (p *Provider) PostMetrics(ctx context.Context, a provider.Account, postIDs []string) (map[string]provider.Metrics, error) {
	var answer videoList
	if err := p.get(ctx, a, "/youtube/v3/videos?part=statistics&maxResults=50&id="+url.QueryEscape(strings.Join(postIDs, ",")), &answer); err != nil {
		return nil, err
	}
	metrics := map[string]provider.Metrics{}
	for _, v := range answer.Items {
		var m provider.Metrics
		if c := v.Statistics; c != nil {
			m.Views, m.Likes, m.Comments = c.Views.value(), c.Likes.value(), c.Comments.value()
		}
		metrics[v.ID] = m
	}
	return metrics, nil
}

// AccountMetrics reads the totals of the channel; the Data API does not tell them by time.
func (p *Provider) AccountMetrics(ctx context.Context, a provider.Account, _, _ time.Time) (provider.AccountMetrics, error) {
	own, err := p.ownChannel(ctx, a)
	if err != nil {
		return provider.AccountMetrics{}, err
	}
	metrics := provider.AccountMetrics{Posts: own.Statistics.Videos.value()}
	if !own.Statistics.SubscribersHidden {
		metrics.Followers = own.Statistics.Subscribers.value()
	}
	if views := own.Statistics.Views.value(); views != nil {
		metrics.Extra = map[string]int64{"views": *views}
	}
	return metrics, nil
}
