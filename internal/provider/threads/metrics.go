package threads

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/graph"
)

// firstInsight is the day before which Threads has no metrics: 13 April 2024.
const firstInsight = 1_712_991_600

// PostMetrics reads the metrics of one post. They are empty for reposts.
func (p *Provider) PostMetrics(ctx context.Context, a provider.Account, postIDs []string) (map[string]provider.Metrics,
	error) {
	metrics := map[string]provider.Metrics{}
	for _, id := range postIDs {
		var answer graph.Insights
		err := p.api.Get(ctx, a.Token.Access,
			"/"+url.PathEscape(id)+"/insights?metric=views,likes,replies,reposts,quotes,shares", &answer)
		switch failure := provider.AsError(err); {
		case failure == nil:
			metrics[id] = newMetrics(answer.Numbers())
		case !isUnknownPost(failure):
			return nil, failure
		}
	}
	return metrics, nil
}

func isUnknownPost(failure *provider.Error) bool {
	return graph.IsMissing(failure) || failure.Kind == provider.Temporary && graph.IsUnknownContainer(failure)
}

func newMetrics(n graph.Numbers) provider.Metrics {
	return provider.Metrics{
		Views: n.Get("views"), Likes: n.Get("likes"), Comments: n.Get("replies"), Shares: n.Get("reposts"),
		Quotes: n.Get("quotes"),
		Extra:  n.Pick("shares", "sends"),
	}
}

// AccountMetrics reads the metrics of the account.
func (p *Provider) AccountMetrics(ctx context.Context, a provider.Account, from, to time.Time) (provider.AccountMetrics,
	error) {
	path := "/me/threads_insights?metric=views,likes,replies,reposts,quotes,clicks,followers_count"
	if !from.IsZero() && !to.IsZero() {
		path += "&since=" + strconv.FormatInt(max(from.Unix(), firstInsight), 10) + "&until=" +
			strconv.FormatInt(to.Unix(), 10)
	}
	var answer graph.Insights
	if err := p.api.Get(ctx, a.Token.Access, path, &answer); err != nil {
		return provider.AccountMetrics{}, err
	}
	n := answer.Numbers()
	return provider.AccountMetrics{
		Followers: n.Get("followers_count"), Impressions: n.Get("views"), Engagements: engagements(n),
		Extra: n.Pick("likes", "likes", "replies", "replies", "reposts", "reposts", "quotes", "quotes",
			"clicks", "clicks"),
		From: from, To: to,
	}, nil
}

// engagements adds up what Threads tells of reactions; nil if it tells nothing.
func engagements(n graph.Numbers) *int64 {
	var sum *int64
	for _, name := range []string{"likes", "replies", "reposts", "quotes"} {
		if count := n.Get(name); count != nil {
			if sum == nil {
				sum = new(int64)
			}
			*sum += *count
		}
	}
	return sum
}
