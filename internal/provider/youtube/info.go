package youtube

import (
	"cmp"
	"slices"
	"time"

	"crier/internal/provider"
)

// Limits of texts (videos resource, properties).
const (
	maxTitle       = 100
	maxDescription = 5000 // bytes
	maxTags        = 500
	maxPlaylists   = 10
	maxShort       = 180 * time.Second
	maxCaptions    = 10
	maxCaptionName = 150
	// maxCaptionText limits captions in characters: an hour of speech is less than half of it.
	maxCaptionText = 200_000
)

// commitTimeout limits the wait for the response to the last chunk, which has at most 256 KiB.
const commitTimeout = time.Minute

// quotaZone is the time zone of YouTube's day.
const quotaZone = "America/Los_Angeles"

// Scopes.
const (
	scopeUpload   = "https://www.googleapis.com/auth/youtube.upload"
	scopeForceSSL = "https://www.googleapis.com/auth/youtube.force-ssl"
	// scopeAnalytics is requested only if the operator enables it: Google verifies every scope of a consent.
	scopeAnalytics = "https://www.googleapis.com/auth/yt-analytics.readonly"
)

// The default daily quota of a Google project.
const (
	UsualUploadsPerDay = 100
	UsualUnitsPerDay   = 10_000
)

func (l Limits) withDefaults() Limits {
	l.VideoSeconds = cmp.Or(l.VideoSeconds, 15*60)
	l.LongVideoSeconds = cmp.Or(l.LongVideoSeconds, 12*60*60)
	l.VideoBytes = cmp.Or(l.VideoBytes, 256<<30)
	l.ThumbnailBytes = cmp.Or(l.ThumbnailBytes, 50_000_000)
	l.CommentLength = cmp.Or(l.CommentLength, 10_000)
	l.ChunkBytes = roundUp(cmp.Or(l.ChunkBytes, 8<<20))
	l.SessionLifetime = cmp.Or(l.SessionLifetime, 6*24*time.Hour)
	l.ProcessingPatience = cmp.Or(l.ProcessingPatience, 2*time.Hour)
	l.UploadsPerDay = cmp.Or(l.UploadsPerDay, UsualUploadsPerDay)
	l.UnitsPerDay = cmp.Or(l.UnitsPerDay, UsualUnitsPerDay)
	return l
}

func newInfo(limits Limits, analytics bool) provider.Info {
	return provider.Info{
		Name:        "youtube",
		DisplayName: "YouTube",
		Abilities: provider.Abilities{
			Comment: true, Delete: true, PostMetrics: true, AccountMetrics: true, Refresh: true, Reconcile: true,
		},
		Formats: []provider.Format{videoFormat(limits)},
		Comment: &provider.Format{
			Name: "comment", Description: "A comment below the video.",
			Text: provider.TextLimit{Max: limits.CommentLength, Unit: provider.Characters, Required: true},
		},
		Settings:      markChoices(settingDeclarations()),
		Scopes:        scopes(analytics),
		Costs:         []provider.Cost{},
		RateLimits:    rateLimits(limits),
		PKCE:          true,
		MetricsBatch:  50,
		CommitTimeout: commitTimeout,
	}
}

func videoFormat(limits Limits) provider.Format {
	return provider.Format{
		Name: "video",
		Description: "One video with a title and a description. One of at most three minutes that is not wider than " +
			"tall becomes a Short.",
		PostTypes: []string{"text_video"},
		Text:      provider.TextLimit{Max: maxDescription, Unit: provider.Bytes},
		MinMedia:  1,
		MaxMedia:  1,
		Media: []provider.MediaLimit{{
			Class: "video", MaxCount: 1, MinBytes: 1, MaxBytes: limits.VideoBytes, MaxSeconds: limits.VideoSeconds,
			MIMETypes: []string{
				"video/mp4", "video/quicktime", "video/webm", "video/mpeg", "video/x-msvideo", "video/x-ms-wmv",
				"video/x-flv",
				"video/3gpp", "video/x-matroska",
			},
		}},
	}
}

// narrow adds the abilities of a verified channel and omits what the connection was not granted. If the scopes are
// unknown, nothing is omitted: YouTube will reject it.
func narrow(info provider.Info, limits Limits, a provider.Account) provider.Info {
	if decodeDetails(a).longUploads() {
		info.Formats = slices.Clone(info.Formats)
		info.Formats[0].Media = slices.Clone(info.Formats[0].Media)
		info.Formats[0].Media[0].MaxSeconds = limits.LongVideoSeconds
	}
	if len(a.Scopes) > 0 && !a.HasScope(scopeForceSSL) {
		info.Abilities.Comment, info.Comment = false, nil
		info.Abilities.Delete, info.Abilities.PostMetrics, info.Abilities.AccountMetrics = false, false, false
	}
	return info
}

func scopes(analytics bool) []provider.Grant {
	list := []provider.Grant{
		{Scope: scopeUpload, Purpose: "upload videos and thumbnails", Required: true},
		{Scope: scopeForceSSL,
			Purpose: "identify the channel, read its videos and their metrics, comment, delete, add captions and to " +
				"playlists",
			Required: true},
	}
	if analytics {
		list = append(list, provider.Grant{Scope: scopeAnalytics, Purpose: "see how long videos are watched"})
	}
	return list
}

// rateLimits returns the two daily quotas of a Google project, which all accounts of the installation share (quota
// calculator). A video counts when its upload is started.
func rateLimits(limits Limits) []provider.RateLimit {
	const day = 24 * 60 * 60
	return []provider.RateLimit{
		{
			Name: "videos of the installation a day", Scope: provider.ScopeInstallation, Max: limits.UploadsPerDay,
			Seconds: day, ResetZone: quotaZone,
			Units: map[provider.Operation]int64{provider.OpPublish: 1}, Counted: true,
		},
		{
			Name: "quota units of the installation a day", Scope: provider.ScopeInstallation, Max: limits.UnitsPerDay,
			Seconds: day, ResetZone: quotaZone,
			Units: map[provider.Operation]int64{provider.OpRead: 1, provider.OpComment: 50, provider.OpEdit: 50,
				provider.OpCaptions: 400, provider.OpDelete: 50},
			Counted: true,
		},
	}
}
