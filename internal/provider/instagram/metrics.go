package instagram

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/graph"
)

// What Instagram tells of posts and reels, and of stories.
const (
	postMetrics  = "reach,views,likes,comments,saved,shares,total_interactions"
	storyMetrics = "reach,views,replies,shares,total_interactions"
)

// PostMetrics reads the numbers of one post. Stories have other ones, and without the permission only likes and comments
// are told; what Instagram refuses is asked for in the next simpler form.
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
	insights := permissionsOf[p.modeOf(a)].insights
	if len(a.Scopes) == 0 || a.HasScope(insights) {
		for _, names := range []string{postMetrics, storyMetrics} {
			var answer graph.Insights
			err := p.api.Get(ctx, a.Token.Access, "/"+url.PathEscape(id)+"/insights?metric="+names, &answer)
			if err == nil {
				return newMetrics(answer.Numbers()), nil
			}
			if failure := provider.AsError(err); !refusesInsights(failure) {
				return provider.Metrics{}, failure
			}
		}
	}
	var counts countAnswer
	if err := p.api.Get(ctx, a.Token.Access, "/"+url.PathEscape(id)+"?fields=like_count,comments_count", &counts); err != nil {
		return provider.Metrics{}, err
	}
	return provider.Metrics{Likes: counts.Likes, Comments: counts.Comments}, nil
}

// refusesInsights is true for numbers that the post does not have. A missing permission is also what Instagram says of
// stories that fewer than five people have seen.
func refusesInsights(failure *provider.Error) bool {
	return failure.Kind == provider.Rejected && !graph.IsMissing(failure) || failure.Code == provider.CodePermissionMissing
}

func newMetrics(n graph.Numbers) provider.Metrics {
	comments := n.Get("comments")
	if comments == nil {
		comments = n.Get("replies")
	}
	return provider.Metrics{
		Reach: n.Get("reach"), Views: n.Get("views"), Likes: n.Get("likes"), Comments: comments, Shares: n.Get("shares"), Saves: n.Get("saved"),
		Extra: n.Pick("total_interactions", "totalInteractions"),
	}
}

// AccountMetrics reads the totals of the account, and its numbers in a time.
func (p *Provider) AccountMetrics(ctx context.Context, a provider.Account, from, to time.Time) (provider.AccountMetrics, error) {
	id := url.PathEscape(a.ProviderAccountID)
	var totals profileAnswer
	if err := p.api.Get(ctx, a.Token.Access, "/"+id+"?fields=followers_count,follows_count,media_count", &totals); err != nil {
		return provider.AccountMetrics{}, err
	}
	user := totals.one()
	metrics := provider.AccountMetrics{Followers: user.Followers, Following: user.Follows, Posts: user.Media}
	path := "/" + id + "/insights?metric=reach,views,total_interactions,likes,comments,shares,saves&period=day&metric_type=total_value"
	if !from.IsZero() && !to.IsZero() {
		path += "&since=" + strconv.FormatInt(from.Unix(), 10) + "&until=" + strconv.FormatInt(to.Unix(), 10)
		metrics.From, metrics.To = from, to
	}
	var answer graph.Insights
	if err := p.api.Get(ctx, a.Token.Access, path, &answer); err != nil {
		return provider.AccountMetrics{}, err
	}
	n := answer.Numbers()
	metrics.Reach, metrics.Impressions, metrics.Engagements = n.Get("reach"), n.Get("views"), n.Get("total_interactions")
	metrics.Extra = n.Pick("likes", "likes", "comments", "comments", "shares", "shares", "saves", "saves")
	return metrics, nil
}
