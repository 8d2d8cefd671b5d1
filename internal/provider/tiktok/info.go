package tiktok

import (
	"cmp"
	"slices"
	"time"

	"crier/internal/provider"
)

// Lengths of texts in UTF-16 units, and the number of pictures (Content Posting API reference).
const (
	maxCaption          = 2200
	maxPhotoTitle       = 90
	maxPhotoDescription = 4000
	maxPhotos           = 35
)

// UsualPostsPerMinute is how many posts of an account can be started per minute.
const UsualPostsPerMinute = 6

// commitTimeout limits the wait for the response to the last chunk, which can have 64 million bytes.
const commitTimeout = 3 * time.Minute

// Scopes.
const (
	scopeBasic   = "user.info.basic"
	scopeProfile = "user.info.profile"
	scopeStats   = "user.info.stats"
	scopeList    = "video.list"
	scopePublish = "video.publish"
	scopeUpload  = "video.upload"
)

// Names of the formats.
const (
	formatVideo  = "video"
	formatPhotos = "photos"
)

func (l Limits) withDefaults() Limits {
	l.VideoBytes = cmp.Or(l.VideoBytes, 4_000_000_000)
	l.MinVideoSeconds = cmp.Or(l.MinVideoSeconds, 3)
	l.MaxVideoSeconds = cmp.Or(l.MaxVideoSeconds, 600)
	l.PhotoLongSide = cmp.Or(l.PhotoLongSide, 1920)
	l.PhotoShortSide = cmp.Or(l.PhotoShortSide, 1080)
	l.SingleChunkBytes = cmp.Or(l.SingleChunkBytes, largestChunk)
	l.ChunkBytes = cmp.Or(l.ChunkBytes, usualChunk)
	l.UploadLifetime = cmp.Or(l.UploadLifetime, time.Hour)
	l.ProcessingPatience = cmp.Or(l.ProcessingPatience, 24*time.Hour)
	l.PostIDPatience = cmp.Or(l.PostIDPatience, 6*time.Hour)
	l.PostsPerDay = cmp.Or(l.PostsPerDay, 15)
	l.PostsPerMinute = cmp.Or(l.PostsPerMinute, UsualPostsPerMinute)
	return l
}

func newInfo(limits Limits, pkce bool) provider.Info {
	return provider.Info{
		Name:        "tiktok",
		DisplayName: "TikTok",
		Abilities:   provider.Abilities{PostMetrics: true, AccountMetrics: true, Refresh: true, Reconcile: true},
		Formats:     []provider.Format{videoFormat(limits), photosFormat(limits)},
		Settings:    settingDeclarations(),
		Scopes:      scopes(),
		Costs:       []provider.Cost{},
		RateLimits:  rateLimits(limits),
		// Required on the posting screen by TikTok's audit.
		Declarations: declarations(),
		PKCE:         pkce,
		// Pictures are always fetched; videos only if configured.
		FetchesMedia:  true,
		MetricsBatch:  20,
		ProfileLife:   creatorLife,
		CommitTimeout: commitTimeout,
	}
}

func videoFormat(limits Limits) provider.Format {
	return provider.Format{
		Name:        formatVideo,
		Description: "One video with a caption.",
		PostTypes:   []string{"text_video"},
		Text:        provider.TextLimit{Max: maxCaption, Unit: provider.UTF16},
		MinMedia:    1,
		MaxMedia:    1,
		Media: []provider.MediaLimit{{
			Class: "video", MIMETypes: []string{"video/mp4", "video/quicktime", "video/webm"}, MaxCount: 1,
			MinBytes: 1, MaxBytes: limits.VideoBytes, MinSeconds: limits.MinVideoSeconds,
			MaxSeconds: limits.MaxVideoSeconds,
			MinWidth:   360, MaxWidth: 4096, MinHeight: 360, MaxHeight: 4096, MinFPS: 23, MaxFPS: 60,
			VideoCodecs: []string{"h264", "hevc", "vp8", "vp9"},
		}},
	}
}

func photosFormat(limits Limits) provider.Format {
	return provider.Format{
		Name:        formatPhotos,
		Description: "1 to 35 pictures with a title and a description.",
		PostTypes:   []string{"text_image", "carousel"},
		Text:        provider.TextLimit{Max: maxPhotoDescription, Unit: provider.UTF16},
		MinMedia:    1,
		MaxMedia:    maxPhotos,
		Media: []provider.MediaLimit{{
			Class: "image", MIMETypes: []string{"image/jpeg", "image/webp"}, ConvertTo: "image/jpeg",
			MaxCount: maxPhotos,
			MaxBytes: 20_000_000, MaxWidth: limits.PhotoLongSide, MaxHeight: limits.PhotoLongSide,
			MaxShortSide: limits.PhotoShortSide,
		}},
	}
}

// narrow applies TikTok's information about the account, and omits what the connection was not granted. If the scopes
// are unknown, nothing is omitted: TikTok will reject it.
func narrow(info provider.Info, a provider.Account) provider.Info {
	d := decodeDetails(a)
	if d.MaxVideoDurationSec > 0 {
		info.Formats = slices.Clone(info.Formats)
		info.Formats[0].Media = slices.Clone(info.Formats[0].Media)
		info.Formats[0].Media[0].MaxSeconds = float64(d.MaxVideoDurationSec)
	}
	if len(d.PrivacyLevelOptions) > 0 {
		info.Settings = slices.Clone(info.Settings)
		i := slices.IndexFunc(info.Settings, func(s provider.Setting) bool { return s.Key == keyPrivacyLevel })
		info.Settings[i].Enum = d.PrivacyLevelOptions
	}
	info.Settings = withoutDisabled(info.Settings, d)
	if len(a.Scopes) > 0 {
		info.Abilities.PostMetrics = a.HasScope(scopeList)
		info.Abilities.AccountMetrics = a.HasScope(scopeStats)
	}
	return info
}

// withoutDisabled omits the switches of features that the account does not allow anyway.
func withoutDisabled(settings []provider.Setting, d details) []provider.Setting {
	off := map[string]bool{keyAllowComment: d.CommentDisabled, keyAllowDuet: d.DuetDisabled,
		keyAllowStitch: d.StitchDisabled}
	return slices.DeleteFunc(slices.Clone(settings), func(s provider.Setting) bool { return off[s.Key] })
}

func scopes() []provider.Grant {
	return []provider.Grant{
		{Scope: scopeBasic, Purpose: "know the account's name and picture", Required: true},
		{Scope: scopePublish, Purpose: "publish videos and pictures", Required: true},
		{Scope: scopeUpload, Purpose: "send drafts to the account's inbox"},
		{Scope: scopeProfile, Purpose: "know the account's username, for links to its posts"},
		{Scope: scopeStats, Purpose: "read the account's metrics"},
		{Scope: scopeList, Purpose: "read the metrics of posts, and find posts whose response was lost"},
	}
}

// rateLimits returns TikTok's limits per account. Starting a post counts as publishing.
func rateLimits(limits Limits) []provider.RateLimit {
	const minute, day = 60, 24 * 60 * 60
	return []provider.RateLimit{
		{
			Name: "posts of an account a minute", Scope: provider.ScopeAccount, Max: limits.PostsPerMinute,
			Seconds: minute,
			Units:   map[provider.Operation]int64{provider.OpPublish: 1}, Counted: true,
		},
		{
			Name: "posts of an account a day", Scope: provider.ScopeAccount, Max: limits.PostsPerDay, Seconds: day,
			Units: map[provider.Operation]int64{provider.OpPublish: 1},
		},
		{
			Name: "readings of an account a minute", Scope: provider.ScopeAccount, Max: 20, Seconds: minute,
			Units: map[provider.Operation]int64{provider.OpRead: 1},
		},
	}
}
