package youtube

import (
	"context"
	"maps"
	"net/url"
	"strings"
	"time"

	"crier/internal/provider"
)

// PostMetrics reads the metrics of up to 50 videos, and their watch time if the connection allows it. Metrics that a
// channel hides are missing.
func (p *Provider) PostMetrics(ctx context.Context, a provider.Account, postIDs []string) (map[string]provider.Metrics,
	error) {
	var answer videoList
	path := "/youtube/v3/videos?part=statistics&maxResults=50&id=" + url.QueryEscape(strings.Join(postIDs, ","))
	if err := p.api.Get(ctx, a.Token.Access, path, &answer); err != nil {
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
	return metrics, p.addWatchTime(ctx, a, postIDs, metrics)
}

// AccountMetrics reads the totals of the channel, and its watch time in a period if the connection allows it; the Data
// API itself reports nothing by period.
func (p *Provider) AccountMetrics(ctx context.Context, a provider.Account, from, to time.Time) (provider.AccountMetrics,
	error) {
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
	table, err := p.readReport(ctx, a, from, to, "")
	if err != nil || len(table.Rows) == 0 {
		return metrics, err
	}
	if metrics.Extra == nil {
		metrics.Extra = map[string]int64{}
	}
	maps.Copy(metrics.Extra, table.watched(table.Rows[0]))
	metrics.From, metrics.To = from, to
	return metrics, nil
}
