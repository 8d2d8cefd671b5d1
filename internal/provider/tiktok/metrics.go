package tiktok

import (
	"context"
	"time"

	"crier/internal/provider"
)

// PostMetrics reads the metrics of up to 20 posts. TikTok returns them for public ones only.
func (p *Provider) PostMetrics(ctx context.Context, a provider.Account, postIDs []string) (map[string]provider.Metrics,
	error) {
	const path = "/v2/video/query/?fields=id,like_count,comment_count,share_count,view_count"
	var answer videosAnswer
	if err := p.read(ctx, a, path, queryRequest{Filters: queryFilters{VideoIDs: postIDs}}, &answer); err != nil {
		return nil, err
	}
	metrics := map[string]provider.Metrics{}
	for _, v := range answer.Videos {
		metrics[v.ID] = provider.Metrics{Views: v.Views, Likes: v.Likes, Comments: v.Comments, Shares: v.Shares}
	}
	return metrics, nil
}

// AccountMetrics reads the totals of the account; TikTok does not report them by period.
func (p *Provider) AccountMetrics(ctx context.Context, a provider.Account, _, _ time.Time) (provider.AccountMetrics,
	error) {
	answer, err := p.readUser(ctx, a, "open_id,follower_count,following_count,likes_count,video_count")
	if err != nil {
		return provider.AccountMetrics{}, err
	}
	user := answer.User
	metrics := provider.AccountMetrics{Followers: user.Followers, Following: user.Following, Posts: user.Videos}
	if user.Likes != nil {
		metrics.Extra = map[string]int64{"likes": *user.Likes}
	}
	return metrics, nil
}
