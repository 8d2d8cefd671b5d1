package threads

import (
	"time"

	"crier/internal/provider"
)

// Limits of posts.
const (
	maxText       = 500
	maxAltText    = 1000
	maxItems      = 20
	maxLinks      = 5
	maxImageBytes = 8 << 20
	maxVideoBytes = 1 << 30
)

// renewAhead is how long before its expiry a token of 60 days is refreshed: an expired one is lost.
const renewAhead = 14 * 24 * time.Hour

// Names of permissions.
const (
	scopeBasic        = "threads_basic"
	scopePublish      = "threads_content_publish"
	scopeReply        = "threads_manage_replies"
	scopeReadReplies  = "threads_read_replies"
	scopeInsights     = "threads_manage_insights"
	scopeDelete       = "threads_delete"
	scopeLocation     = "threads_location_tagging"
	scopeShareToStory = "threads_share_to_instagram"
)

func newInfo(limits Limits, optionalScopes []string) provider.Info {
	post := postFormat(limits)
	comment := post
	comment.Name, comment.Description, comment.PostTypes, comment.MaxParts = "comment", "A reply to the post.", nil, 0
	return provider.Info{
		Name:        "threads",
		DisplayName: "Threads",
		Abilities: provider.Abilities{
			Threads: true, Comment: true, CommentMedia: true, Repost: true, Quote: true, Delete: true,
			PostMetrics:    true,
			AccountMetrics: true, Refresh: true, AltText: true, Reconcile: true,
		},
		Formats:      []provider.Format{post},
		Comment:      &comment,
		Settings:     settingDeclarations(),
		Scopes:       grants(optionalScopes),
		Costs:        []provider.Cost{},
		RateLimits:   rateLimits(),
		FetchesMedia: true,
		MetricsBatch: 1,
		RenewAhead:   renewAhead,
		// A text is a container too, which has to settle and is then read.
		PrepareLead:   limits.Settle + prepareSlack,
		CommitTimeout: limits.CommitTimeout,
	}
}

func postFormat(limits Limits) provider.Format {
	return provider.Format{
		Name:        "post",
		Description: "A post: text, an image, a video, or a carousel of both; several make a chain of replies.",
		PostTypes:   []string{"text_post", "text_image", "text_video", "carousel"},
		Text:        provider.TextLimit{Max: maxText, Unit: provider.Weighted, Count: weigh},
		MaxMedia:    maxItems,
		MixedMedia:  true,
		MaxAltText:  maxAltText,
		MaxParts:    limits.ThreadParts,
		Media: []provider.MediaLimit{
			{
				Class: "image", MIMETypes: []string{"image/jpeg", "image/png"}, ConvertTo: "image/jpeg",
				MaxCount: maxItems,
				MaxBytes: maxImageBytes, MinAspect: 0.1, MaxAspect: 10,
			},
			{
				Class: "video", MIMETypes: []string{"video/mp4", "video/quicktime"}, MaxCount: maxItems,
				MaxBytes:   maxVideoBytes,
				MaxSeconds: 5 * 60, MaxWidth: 1920, MinAspect: 0.01, MaxAspect: 10, MinFPS: 23, MaxFPS: 60,
				VideoCodecs: []string{"h264", "hevc"}, AudioCodecs: []string{"aac"},
			},
		},
	}
}

// narrow omits what needs a permission that was not granted. If the permissions are unknown, nothing is omitted.
func narrow(info provider.Info, a provider.Account) provider.Info {
	if len(a.Scopes) == 0 {
		return info
	}
	if !a.HasScope(scopeReply) {
		info.Abilities.Comment, info.Abilities.CommentMedia, info.Abilities.Threads = false, false, false
		info.Comment = nil
	}
	info.Abilities.Delete = a.HasScope(scopeDelete)
	info.Abilities.PostMetrics = a.HasScope(scopeInsights)
	info.Abilities.AccountMetrics = info.Abilities.PostMetrics
	return info
}

func grants(optional []string) []provider.Grant {
	list := []provider.Grant{
		{Scope: scopeBasic, Purpose: "read the account's name, picture and posts", Required: true},
		{Scope: scopePublish, Purpose: "publish", Required: true},
		{Scope: scopeReply, Purpose: "publish chains and first comments"},
		{Scope: scopeReadReplies, Purpose: "see the account's replies, to make sure that none is published twice"},
		{Scope: scopeInsights, Purpose: "read how posts and the account do"},
		{Scope: scopeDelete, Purpose: "delete posts"},
	}
	for _, scope := range optional {
		list = append(list, provider.Grant{Scope: scope, Purpose: "a further feature of the app"})
	}
	return list
}

func rateLimits() []provider.RateLimit {
	const day = 24 * 60 * 60
	limit := func(name string, most int64, op provider.Operation) provider.RateLimit {
		return provider.RateLimit{Name: name, Scope: provider.ScopeAccount, Max: most, Seconds: day,
			Units: map[provider.Operation]int64{op: 1}}
	}
	return []provider.RateLimit{
		limit("posts of an account", 250, provider.OpPublish),
		limit("replies of an account", 1000, provider.OpComment),
		limit("deletions of an account", 100, provider.OpDelete),
	}
}
