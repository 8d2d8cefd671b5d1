package instagram

import (
	"slices"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/graph"
)

// Limits of posts.
const (
	maxCaption       = 2200
	maxAltText       = 1000
	maxItems         = 10
	maxMentions      = 20
	maxImageBytes    = 8 << 20
	maxReelBytes     = 300 << 20
	maxStoryBytes    = 100 << 20
	maxCollaborators = 3
	maxProductTags   = 5 // per media file
	maxSponsors      = 2
)

// renewAhead is how long before its expiry a token of 60 days is refreshed: an expired one is lost.
const renewAhead = 14 * 24 * time.Hour

// Names of formats, which are also the values of instagramPostType.
const (
	feed  = "feed"
	reel  = "reel"
	story = "story"
)

// foldAt is where the feed shows "… more".
const foldAt = 125

func newInfo(mode Mode, limits Limits, portfolios bool, optional []string) provider.Info {
	return provider.Info{
		Name:        "instagram",
		DisplayName: "Instagram",
		Abilities: provider.Abilities{
			Comment: true, Delete: true, PostMetrics: true, AccountMetrics: true, Refresh: true, AltText: true,
			Reconcile: true,
		},
		Formats: []provider.Format{feedFormat(), reelFormat(), storyFormat()},
		Comment: &provider.Format{
			Name: "comment", Description: "A comment below the post; stories have none.",
			Text: provider.TextLimit{Max: limits.CommentLength, Unit: provider.UTF16, Required: true},
		},
		Settings:      settingDeclarations(),
		Scopes:        grants(mode, portfolios, optional),
		Costs:         []provider.Cost{},
		RateLimits:    rateLimits(),
		FetchesMedia:  true,
		MetricsBatch:  1,
		RenewAhead:    renewAhead,
		CommitTimeout: limits.CommitTimeout,
	}
}

func caption() provider.TextLimit {
	// The unit is not documented: UTF-16 units are the strictest that networks use.
	return provider.TextLimit{Max: maxCaption, Unit: provider.UTF16, FoldAt: foldAt}
}

func feedFormat() provider.Format {
	return provider.Format{
		Name:        feed,
		Description: "An image, or a carousel of 2 to 10 images and videos. A single video is always a reel.",
		PostTypes:   []string{"text_image", "carousel"},
		Text:        caption(),
		MinMedia:    1,
		MaxMedia:    maxItems,
		MixedMedia:  true,
		MaxAltText:  maxAltText,
		Media:       []provider.MediaLimit{imageLimit(0.8, 1.91), videoLimit(maxReelBytes, 15*60, 0.01)},
	}
}

func reelFormat() provider.Format {
	return provider.Format{
		Name:        reel,
		Description: "One video.",
		PostTypes:   []string{"text_video"},
		Text:        caption(),
		MinMedia:    1,
		MaxMedia:    1,
		Media:       []provider.MediaLimit{videoLimit(maxReelBytes, 15*60, 0.01)},
	}
}

func storyFormat() provider.Format {
	return provider.Format{
		Name:        story,
		Description: "One image or video, for a day; text is not shown.",
		PostTypes:   []string{"text_image", "text_video"},
		Text:        caption(),
		MinMedia:    1,
		MaxMedia:    1,
		Media:       []provider.MediaLimit{imageLimit(0, 0), videoLimit(maxStoryBytes, 60, 0.1)},
	}
}

// imageLimit is for JPEG, the only type that Instagram accepts.
func imageLimit(minAspect, maxAspect float64) provider.MediaLimit {
	return provider.MediaLimit{
		Class: "image", MIMETypes: []string{"image/jpeg"}, ConvertTo: "image/jpeg", MaxCount: maxItems,
		MaxBytes:  maxImageBytes,
		MinAspect: minAspect, MaxAspect: maxAspect,
	}
}

func videoLimit(bytes int64, seconds, minAspect float64) provider.MediaLimit {
	return provider.MediaLimit{
		Class: "video", MIMETypes: []string{"video/mp4", "video/quicktime"}, MaxCount: maxItems, MaxBytes: bytes,
		MinSeconds: 3, MaxSeconds: seconds, MaxWidth: 1920, MinAspect: minAspect, MaxAspect: 10, MinFPS: 23, MaxFPS: 60,
		VideoCodecs: []string{"h264", "hevc"}, AudioCodecs: []string{"aac"},
	}
}

// permissions are the names of the permissions that crier needs, which differ between the two modes.
type permissions struct{ publish, comment, insights, delete string }

var permissionsOf = map[Mode]permissions{
	InstagramLogin: {publish: "instagram_business_content_publish", comment: "instagram_business_manage_comments",
		insights: "instagram_business_manage_insights"},
	FacebookLogin: {publish: "instagram_content_publish", comment: "instagram_manage_comments",
		insights: "instagram_manage_insights", delete: "instagram_manage_contents"},
}

// scopeProducts lets an app tag the products of a shop.
const scopeProducts = "instagram_shopping_tag_products"

// optionalScopes are scopes that Meta grants to few apps (Facebook Login). A consent that requests one that the app
// does not have fails as a whole.
var optionalScopes = []provider.Grant{
	{Scope: scopeProducts, Purpose: "tag products of the account's shop"},
	{Scope: "catalog_management", Purpose: "know the products of the account's shop"},
	{Scope: "instagram_branded_content_creator", Purpose: "let brands promote posts with the partnership label"},
}

func grants(mode Mode, portfolios bool, optional []string) []provider.Grant {
	names := permissionsOf[mode]
	list := []provider.Grant{{Scope: "instagram_business_basic", Purpose: "read the account's name, picture and posts",
		Required: true}}
	if mode == FacebookLogin {
		list = []provider.Grant{
			{Scope: "instagram_basic", Purpose: "read the account's name, picture and posts", Required: true},
			{Scope: "pages_show_list", Purpose: "find the accounts behind your Pages", Required: true},
			{Scope: "pages_read_engagement", Purpose: "act for the accounts behind your Pages", Required: true},
		}
	}
	list = append(list,
		provider.Grant{Scope: names.publish, Purpose: "publish", Required: true},
		provider.Grant{Scope: names.comment, Purpose: "write first comments and close comments"},
		provider.Grant{Scope: names.insights, Purpose: "read how posts and the account do"},
	)
	if names.delete != "" {
		list = append(list, provider.Grant{Scope: names.delete, Purpose: "delete posts"})
	}
	if portfolios {
		list = append(list, provider.Grant{Scope: graph.ScopePortfolio,
			Purpose: "find the accounts of your Business portfolios"})
	}
	for _, grant := range optionalScopes {
		if slices.Contains(optional, grant.Scope) {
			list = append(list, grant)
		}
	}
	return list
}

// narrow omits what the account's mode and permissions do not allow. Unknown permissions count as granted.
func (p *Provider) narrow(a provider.Account) provider.Info {
	info, mode := p.info, p.modeOf(a)
	names := permissionsOf[mode]
	granted := func(scope string) bool { return len(a.Scopes) == 0 || a.HasScope(scope) }
	if !granted(names.comment) {
		info.Abilities.Comment, info.Comment = false, nil
	}
	if !granted(names.insights) {
		info.Abilities.AccountMetrics = false
	}
	info.Abilities.Delete = names.delete != "" && granted(names.delete)
	info.Abilities.Refresh = mode == InstagramLogin
	return info
}

func rateLimits() []provider.RateLimit {
	const day = 24 * 60 * 60
	return []provider.RateLimit{
		{Name: "posts of an account (what Instagram tells live counts)", Scope: provider.ScopeAccount, Max: 50,
			Seconds: day, Units: map[provider.Operation]int64{provider.OpPublish: 1}},
		{Name: "containers of an account", Scope: provider.ScopeAccount, Max: 400, Seconds: day,
			Units: map[provider.Operation]int64{provider.OpUpload: 1}},
	}
}
