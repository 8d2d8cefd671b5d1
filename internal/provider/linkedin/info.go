package linkedin

import (
	"cmp"
	"slices"
	"time"

	"crier/internal/provider"
)

const (
	maxText    = 3000
	maxAltText = 4086
	// maxDocumentBytes limits a document.
	maxDocumentBytes = 100 << 20
	// commitTimeout limits the wait for the response to a post.
	commitTimeout = 30 * time.Second
	// metricsBatch is the number of an organization's posts per reading.
	metricsBatch = 20
)

// Scopes and their purposes.
const (
	scopeMemberWrite     = "w_member_social"
	scopeMemberFeed      = "w_member_social_feed"
	scopeOrgWrite        = "w_organization_social"
	scopeOrgFeed         = "w_organization_social_feed"
	scopeOrgRead         = "r_organization_social"
	scopeOrgAdmin        = "rw_organization_admin"
	scopeOrgAdminRead    = "r_organization_admin"
	scopeMemberAnalytics = "r_member_postAnalytics"
	scopeOrgFeedRead     = "r_organization_social_feed"
	scopeBasicProfile    = "r_basicprofile"
	scopeOpenID          = "openid"
	scopeProfile         = "profile"
)

// foldAt is where the feed shows "…more".
const foldAt = 210

func (l Limits) withDefaults() Limits {
	l.ImageBytes = cmp.Or(l.ImageBytes, 8<<20)
	l.CommentLength = cmp.Or(l.CommentLength, 1250)
	l.QuestionLength = cmp.Or(l.QuestionLength, 140)
	l.OptionLength = cmp.Or(l.OptionLength, 30)
	return l
}

func newInfo(limits Limits, app App, optional []string) provider.Info {
	return provider.Info{
		Name:        "linkedin",
		DisplayName: "LinkedIn",
		Abilities: provider.Abilities{
			Comment: true, Repost: true, Quote: true, Delete: true, PostMetrics: true, Refresh: true, AltText: true,
			Reconcile: true, Mentions: true,
		},
		Formats: []provider.Format{postFormat(limits)},
		Comment: &provider.Format{
			Name: "comment", Description: "A comment below the post.",
			Text: provider.TextLimit{Max: limits.CommentLength, Unit: provider.UTF16, Required: true},
		},
		Settings:      settingDeclarations(limits),
		Scopes:        scopes(app, optional),
		Costs:         []provider.Cost{},
		RateLimits:    rateLimits(app),
		MetricsBatch:  metricsBatch,
		CommitTimeout: commitTimeout,
	}
}

func postFormat(limits Limits) provider.Format {
	return provider.Format{
		Name:        "post",
		Description: "A post: text with up to 20 images, a video, a document, an article or a poll.",
		PostTypes:   []string{"text_post", "text_image", "text_video", "carousel"},
		Text:        provider.TextLimit{Max: maxText, Unit: provider.UTF16, FoldAt: foldAt},
		MaxMedia:    20,
		MaxAltText:  maxAltText,
		Media: []provider.MediaLimit{
			{
				Class: "image", MIMETypes: []string{"image/jpeg", "image/png", "image/gif"}, ConvertTo: "image/jpeg",
				MaxCount: 20,
				MaxBytes: limits.ImageBytes, MaxPixels: 36_152_320 - 1, MaxFrames: 250,
			},
			{
				Class: "video", MIMETypes: []string{"video/mp4"}, MaxCount: 1, MinBytes: 75_000, MaxBytes: 500 << 20,
				MinSeconds: 3, MaxSeconds: 30 * 60, MinAspect: 1 / 2.4, MaxAspect: 2.4,
			},
			{
				Class: "document", MaxCount: 1, MaxBytes: maxDocumentBytes, MIMETypes: []string{
					"application/pdf", "application/msword", "application/vnd.ms-powerpoint",
					"application/vnd.openxmlformats-officedocument.wordprocessingml.document",
					"application/vnd.openxmlformats-officedocument.presentationml.presentation",
				},
			},
		},
	}
}

// narrow omits what the account's connection was not granted. If the scopes are unknown, nothing is omitted: LinkedIn
// will reject it.
func narrow(info provider.Info, a provider.Account) provider.Info {
	info.Abilities.Refresh = decodeDetails(a).CanRefresh
	if len(a.Scopes) == 0 {
		return info
	}
	if isOrganization(a) {
		info.Abilities.PostMetrics = a.HasScope(scopeOrgRead)
		info.Abilities.Comment = a.HasScope(scopeOrgFeed, scopeOrgWrite)
	} else {
		info.Abilities.PostMetrics = a.HasScope(scopeMemberAnalytics)
		info.Abilities.Comment = a.HasScope(scopeMemberFeed, scopeMemberWrite)
		info.Abilities.Mentions = a.HasScope(scopeOrgAdmin, scopeOrgRead, scopeOrgWrite)
		info.MetricsBatch = 1 // one request per metric, so several per post
	}
	if !info.Abilities.Comment {
		info.Comment = nil
	}
	return info
}

// scopes returns those of the app's products, and the optional ones that it was granted: requesting another one fails
// the whole consent.
func scopes(app App, optional []string) []provider.Grant {
	var list []provider.Grant
	if app != OrganizationsApp {
		list = append(list,
			provider.Grant{Scope: scopeOpenID, Purpose: "identify the member", Required: true},
			provider.Grant{Scope: scopeProfile, Purpose: "read the member's name and picture", Required: true})
	} else {
		list = append(list, provider.Grant{Scope: scopeBasicProfile, Purpose: "read the member's name and picture",
			Required: true})
	}
	list = append(list, provider.Grant{Scope: scopeMemberWrite, Purpose: "publish and delete as the member",
		Required: true})
	if app != MembersApp {
		list = append(list,
			provider.Grant{Scope: scopeOrgWrite, Purpose: "publish and delete as an organization"},
			provider.Grant{Scope: scopeOrgRead, Purpose: "read an organization's posts and their metrics"},
			provider.Grant{Scope: scopeOrgAdmin, Purpose: "list the organizations that the member may post for"})
	}
	for _, grant := range optionalScopes {
		if slices.Contains(optional, grant.Scope) {
			list = append(list, grant)
		}
	}
	return list
}

// optionalScopes are scopes that not every app with the Community Management API is granted.
var optionalScopes = []provider.Grant{
	{Scope: scopeMemberFeed, Purpose: "comment as the member"},
	{Scope: scopeOrgFeed, Purpose: "comment as an organization"},
	{Scope: scopeOrgFeedRead, Purpose: "see the comments on an organization's posts"},
	{Scope: scopeMemberAnalytics, Purpose: "read the metrics of the member's posts"},
}

// rateLimits returns the limits that LinkedIn publishes, per UTC day.
func rateLimits(kind App) []provider.RateLimit {
	perMember, perApp := int64(150), int64(100_000)
	if kind != MembersApp {
		perMember, perApp = 100, 500 // the development tier; those of the standard tier are not published
	}
	units := map[provider.Operation]int64{
		provider.OpPublish: 1, provider.OpUpload: 1, provider.OpComment: 1, provider.OpDelete: 1, provider.OpRead: 1,
		provider.OpRepost: 1,
	}
	day := provider.RateLimit{Seconds: 24 * 60 * 60, ResetZone: "UTC", Units: units}
	member, app := day, day
	member.Name, member.Scope, member.Max = "requests of a member", provider.ScopeAccount, perMember
	app.Name, app.Scope, app.Max = "requests of the installation", provider.ScopeInstallation, perApp
	return []provider.RateLimit{member, app}
}
