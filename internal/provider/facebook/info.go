package facebook

import (
	"crier/internal/provider"
	"crier/internal/provider/graph"
)

// Names of formats, which are also the values of facebookPostType.
const (
	feed  = "feed"
	reel  = "reel"
	story = "story"
)

// Names of permissions.
const (
	scopePages    = "pages_show_list"
	scopePosts    = "pages_manage_posts"
	scopeRead     = "pages_read_engagement"
	scopeEngage   = "pages_manage_engagement"
	scopeContent  = "pages_read_user_content"
	scopeInsights = "read_insights"
)

const maxPresetText = 130 // of a text on a background

// foldAt is where the feed shows "See more".
const foldAt = 477

func newInfo(limits Limits, portfolios bool) provider.Info {
	return provider.Info{
		Name:        "facebook",
		DisplayName: "Facebook",
		Abilities: provider.Abilities{
			Comment: true, CommentMedia: true, Delete: true, PostMetrics: true, AccountMetrics: true, AltText: true,
			Reconcile: true,
		},
		Formats: []provider.Format{feedFormat(limits), reelFormat(limits), storyFormat(limits)},
		Comment: &provider.Format{
			Name: "comment", Description: "A comment of the Page below the post, with text and an image.",
			Text:     provider.TextLimit{Max: 8000, Unit: provider.Characters},
			MaxMedia: 1, Media: []provider.MediaLimit{photoLimit(limits, 1)},
		},
		Settings: settingDeclarations(),
		Scopes:   grants(portfolios),
		Costs:    []provider.Cost{},
		// Reels have a limit of 30 a day, but no operation of their own; Facebook's response is authoritative.
		RateLimits: []provider.RateLimit{
			{Name: "reels of a Page a day", Scope: provider.ScopeAccount, Max: reelsPerDay, Seconds: 24 * 60 * 60,
				Units: map[provider.Operation]int64{}},
		},
		MetricsBatch:  1,
		CommitTimeout: limits.CommitTimeout,
	}
}

// reelsPerDay is how many reels apps may publish on a Page per day. Other posts have no fixed limit.
const reelsPerDay = 30

func feedFormat(limits Limits) provider.Format {
	return provider.Format{
		Name:        feed,
		Description: "Text, a link, photos or one video.",
		PostTypes:   []string{"text_post", "text_image", "text_video", "carousel"},
		Text:        provider.TextLimit{Max: limits.TextLength, Unit: provider.Characters, FoldAt: foldAt},
		MaxMedia:    limits.Photos,
		MaxAltText:  1000,
		Media: []provider.MediaLimit{photoLimit(limits, limits.Photos), {
			Class: "video", MIMETypes: []string{"video/mp4", "video/quicktime"}, MaxCount: 1, MinBytes: 1 << 10,
			MaxBytes:   limits.VideoBytes,
			MinSeconds: 1, MaxSeconds: limits.VideoSeconds, MinAspect: 0.55, MaxAspect: 1.8,
		}},
	}
}

func reelFormat(limits Limits) provider.Format {
	return provider.Format{
		Name:        reel,
		Description: "One upright video of 3 to 90 seconds.",
		PostTypes:   []string{"text_video"},
		Text:        provider.TextLimit{Max: limits.TextLength, Unit: provider.Characters, FoldAt: foldAt},
		MinMedia:    1,
		MaxMedia:    1,
		Media:       []provider.MediaLimit{reelLimit(limits, 90)},
	}
}

func storyFormat(limits Limits) provider.Format {
	return provider.Format{
		Name:        story,
		Description: "One photo or one upright video of at most 60 seconds, for a day; text is not shown.",
		PostTypes:   []string{"text_image", "text_video"},
		Text:        provider.TextLimit{Max: limits.TextLength, Unit: provider.Characters, FoldAt: foldAt},
		MinMedia:    1,
		MaxMedia:    1,
		Media:       []provider.MediaLimit{photoLimit(limits, 1), reelLimit(limits, 60)},
	}
}

func photoLimit(limits Limits, count int) provider.MediaLimit {
	return provider.MediaLimit{
		Class: "image", MIMETypes: []string{"image/jpeg", "image/png", "image/gif"}, ConvertTo: "image/jpeg",
		MaxCount: count, MaxBytes: limits.PhotoBytes,
	}
}

func reelLimit(limits Limits, seconds float64) provider.MediaLimit {
	return provider.MediaLimit{
		Class: "video", MIMETypes: []string{"video/mp4", "video/quicktime"}, MaxCount: 1, MaxBytes: limits.VideoBytes,
		MinSeconds: 3, MaxSeconds: seconds, MinWidth: 540, MinHeight: 960, MinFPS: 23, MaxFPS: 60, MinAspect: 0.5,
		MaxAspect:   0.6,
		VideoCodecs: []string{"h264", "hevc", "vp9", "av1"}, AudioCodecs: []string{"aac"},
	}
}

// narrow omits what needs a permission that was not granted. If the permissions are unknown, nothing is omitted.
func narrow(info provider.Info, a provider.Account) provider.Info {
	if len(a.Scopes) == 0 {
		return info
	}
	if !a.HasScope(scopeEngage) {
		info.Abilities.Comment, info.Abilities.CommentMedia, info.Comment = false, false, nil
	}
	info.Abilities.AccountMetrics = a.HasScope(scopeInsights)
	return info
}

func grants(portfolios bool) []provider.Grant {
	list := []provider.Grant{
		{Scope: scopePages, Purpose: "find your Pages", Required: true},
		{Scope: scopePosts, Purpose: "publish and delete", Required: true},
		{Scope: scopeRead, Purpose: "see the Page's posts, to make sure that none is published twice", Required: true},
		{Scope: scopeEngage, Purpose: "write first comments"},
		{Scope: scopeContent, Purpose: "see comments, to make sure that none is written twice"},
		{Scope: scopeInsights, Purpose: "read how posts and the Page do"},
	}
	if portfolios {
		list = append(list, provider.Grant{Scope: graph.ScopePortfolio,
			Purpose: "find the Pages of your Business portfolios"})
	}
	return list
}
