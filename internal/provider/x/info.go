package x

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"crier/internal/provider"
)

// Lengths of posts (twitter-text, config v3; long posts since August 2024).
const (
	maxWeight           = 280
	maxSubscriberWeight = 25_000
	maxAltText          = 1000
	maxThreadParts      = 50
)

// Keys of the prices.
const (
	costPost        = "post"
	costPostWithURL = "post_with_url"
	costAltText     = "alt_text"
	costRepost      = "repost"
	costPostRead    = provider.CostPostRead
	costDelete      = provider.CostDelete
)

// newCosts returns the prices of 20 April 2026 in credits of 0.001 USD, with the operator's own prices.
func newCosts(configured map[string]int64) ([]provider.Cost, error) {
	costs := []provider.Cost{
		{Key: costPost, Credits: 15, Description: "a post, reply or quote without a URL"},
		{Key: costPostWithURL, Credits: 200, Description: "a post, reply or quote with a URL in its text"},
		{Key: costAltText, Credits: 5, Description: "the alt text or content warning of one media"},
		{Key: costRepost, Credits: 15, Description: "a repost"},
		{Key: costPostRead, Credits: 5, Description: "a read of a post's metrics"},
		{Key: costDelete, Credits: 10, Description: "the removal of a post, reply or repost"},
		{Key: provider.CostAccountMetrics, Credits: 10, Description: "a live read of the account's metrics"},
	}
	for key, credits := range configured {
		i := slices.IndexFunc(costs, func(c provider.Cost) bool { return c.Key == key })
		if i < 0 || credits < 0 {
			return nil, fmt.Errorf("x: cost %q = %d is not allowed: known keys and amounts from 0 only", key, credits)
		}
		costs[i].Credits = credits
	}
	return costs, nil
}

func (l Limits) withDefaults() Limits {
	l.VideoSeconds = cmp.Or(l.VideoSeconds, 140)
	l.VideoBytes = cmp.Or(l.VideoBytes, 512<<20)
	l.SubscriberVideoSeconds = cmp.Or(l.SubscriberVideoSeconds, 125*60)
	l.SubscriberVideoBytes = cmp.Or(l.SubscriberVideoBytes, maxFile)
	return l
}

func newInfo(c Config, costs []provider.Cost, limits Limits) provider.Info {
	post := postFormat(limits)
	comment := post
	comment.Name, comment.Description, comment.PostTypes, comment.MaxParts = "comment", "A reply to the post.", nil, 0
	return provider.Info{
		Name:        "x",
		DisplayName: "X",
		Abilities: provider.Abilities{
			Threads: true, Comment: true, CommentMedia: true, Repost: true, Quote: c.Quotes, Delete: true,
			PostMetrics:    true,
			AccountMetrics: true, Refresh: true, AltText: true, Reconcile: true,
		},
		Formats:       []provider.Format{post},
		Comment:       &comment,
		Settings:      settingDeclarations(),
		Scopes:        scopes(),
		Costs:         costs,
		RateLimits:    rateLimits(),
		PKCE:          true,
		MetricsBatch:  100,
		CommitTimeout: commitTimeout,
	}
}

// commitTimeout limits the wait for the response to a post.
const commitTimeout = 30 * time.Second

func postFormat(limits Limits) provider.Format {
	return provider.Format{
		Name:        "post",
		Description: "A post: text, up to four images, one GIF or one video; several make a thread.",
		PostTypes:   []string{"text_post", "text_image", "text_video", "carousel"},
		Text:        provider.TextLimit{Max: maxWeight, Unit: provider.Weighted, Count: weigh},
		MaxMedia:    4,
		MaxAltText:  maxAltText,
		MaxParts:    maxThreadParts,
		Media: []provider.MediaLimit{
			{Class: "image", MIMETypes: []string{"image/jpeg", "image/png", "image/webp"}, ConvertTo: "image/jpeg",
				MaxCount: 4, MaxBytes: 5 << 20},
			{Class: "gif", MIMETypes: []string{"image/gif"}, MaxCount: 1, MaxBytes: 15 << 20, MaxWidth: 1280,
				MaxHeight: 1080, MaxFrames: 350},
			{
				Class: "video", MIMETypes: []string{"video/mp4", "video/quicktime"}, MaxCount: 1,
				MaxBytes:   limits.VideoBytes,
				MinSeconds: 0.5, MaxSeconds: limits.VideoSeconds, MinWidth: 32, MinHeight: 32,
				MinAspect: 1.0 / 3, MaxAspect: 3, MaxFPS: 60, VideoCodecs: []string{"h264"},
				AudioCodecs: []string{"aac"},
			},
		},
	}
}

// forSubscriber raises the limits that a subscription raises.
func forSubscriber(info provider.Info, limits Limits) provider.Info {
	info.Formats = []provider.Format{widen(info.Formats[0], limits)}
	comment := widen(*info.Comment, limits)
	info.Comment = &comment
	return info
}

func widen(f provider.Format, limits Limits) provider.Format {
	f.Text.Max = maxSubscriberWeight
	f.Media = slices.Clone(f.Media)
	for i := range f.Media {
		if f.Media[i].Class == "video" {
			f.Media[i].MaxSeconds, f.Media[i].MaxBytes = limits.SubscriberVideoSeconds, limits.SubscriberVideoBytes
		}
	}
	return f
}

func scopes() []provider.Grant {
	return []provider.Grant{
		{Scope: "tweet.read", Purpose: "see the account's posts, to make sure that none is published twice",
			Required: true},
		{Scope: "tweet.write", Purpose: "publish, reply, repost and delete", Required: true},
		{Scope: "users.read", Purpose: "read the account's name and picture", Required: true},
		{Scope: "media.write", Purpose: "upload images and videos", Required: true},
		{Scope: "offline.access", Purpose: "stay connected for longer than two hours", Required: true},
	}
}

func rateLimits() []provider.RateLimit {
	const quarter, day = 15 * 60, 24 * 60 * 60
	limit := func(name string, scope provider.Scope, most, seconds int64, op provider.Operation) provider.RateLimit {
		return provider.RateLimit{Name: name, Scope: scope, Max: most, Seconds: seconds,
			Units: map[provider.Operation]int64{op: 1}}
	}
	return []provider.RateLimit{
		limit("posts of an account", provider.ScopeAccount, 100, quarter, provider.OpPublish),
		limit("posts of the installation", provider.ScopeInstallation, 10_000, day, provider.OpPublish),
		limit("deletions of an account", provider.ScopeAccount, 50, quarter, provider.OpDelete),
		limit("reposts of an account", provider.ScopeAccount, 50, quarter, provider.OpRepost),
		limit("uploads of an account", provider.ScopeAccount, 500, quarter, provider.OpUpload),
	}
}
