package linkedin

import (
	"time"

	"crier/internal/provider"
)

const (
	maxText    = 3000
	maxAltText = 4086
	// commitTimeout bounds the wait for the answer to a post.
	commitTimeout = 30 * time.Second
	// metricsBatch is how many posts of an organization one reading asks for.
	metricsBatch = 20
)

// Scopes and what they are good for.
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

func (l Limits) withDefaults() Limits {
	if l.ImageBytes == 0 {
		l.ImageBytes = 8 << 20
	}
	if l.CommentLength == 0 {
		l.CommentLength = 1250
	}
	if l.QuestionLength == 0 {
		l.QuestionLength = 140
	}
	if l.OptionLength == 0 {
		l.OptionLength = 30
	}
	return l
}

func newInfo(limits Limits, communityManagement bool) provider.Info {
	return provider.Info{
		Name:        "linkedin",
		DisplayName: "LinkedIn",
		Abilities: provider.Abilities{
			Comment: true, Repost: true, Quote: true, Delete: true, PostMetrics: true, Refresh: true, AltText: true, Reconcile: true,
		},
		Formats: []provider.Format{postFormat(limits)},
		Comment: &provider.Format{
			Name: "comment", Description: "A comment below the post.",
			Text: provider.TextLimit{Max: limits.CommentLength, Unit: provider.UTF16, Required: true},
		},
		Settings:      settingDeclarations(limits),
		Scopes:        scopes(communityManagement),
		Costs:         []provider.Cost{},
		RateLimits:    rateLimits(communityManagement),
		MetricsBatch:  metricsBatch,
		CommitTimeout: commitTimeout,
	}
}

func postFormat(limits Limits) provider.Format {
	return provider.Format{
		Name:        "post",
		Description: "A post: text with up to 20 images, a video, a document, an article or a poll.",
		PostTypes:   []string{"text_post", "text_image", "text_video", "carousel"},
		Text:        provider.TextLimit{Max: maxText, Unit: provider.UTF16},
		MaxMedia:    20,
		MaxAltText:  maxAltText,
		Media: []provider.MediaLimit{
			{
				Class: "image", MIMETypes: []string{"image/jpeg", "image/png", "image/gif"}, ConvertTo: "image/jpeg", MaxCount: 20,
				MaxBytes: limits.ImageBytes, MaxPixels: 36_152_320 - 1, MaxFrames: 250,
			},
			{
				Class: "video", MIMETypes: []string{"video/mp4"}, MaxCount: 1, MinBytes: 75_000, MaxBytes: 500 << 20,
				MinSeconds: 3, MaxSeconds: 30 * 60, MinAspect: 1 / 2.4, MaxAspect: 2.4,
			},
			{
				Class: "document", MaxCount: 1, MaxBytes: 100 << 20, MIMETypes: []string{
					"application/pdf", "application/msword", "application/vnd.ms-powerpoint",
					"application/vnd.openxmlformats-officedocument.wordprocessingml.document",
					"application/vnd.openxmlformats-officedocument.presentationml.presentation",
				},
			},
		},
	}
}

// narrow leaves out what the account's connection was not granted. Without known scopes nothing is left out: LinkedIn
// will say.
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
		info.MetricsBatch = 1 // one reading a number, so several a post
	}
	if !info.Abilities.Comment {
		info.Comment = nil
	}
	return info
}

// scopes are those of the self-serve products, or of the Community Management API, which is the only product of its app
// and so has no OpenID.
func scopes(communityManagement bool) []provider.Grant {
	write := provider.Grant{Scope: scopeMemberWrite, Purpose: "publish and delete as the member", Required: true}
	if !communityManagement {
		return []provider.Grant{
			{Scope: scopeOpenID, Purpose: "know who the member is", Required: true},
			{Scope: scopeProfile, Purpose: "read the member's name and picture", Required: true},
			write,
		}
	}
	return []provider.Grant{
		{Scope: scopeBasicProfile, Purpose: "read the member's name", Required: true},
		write,
		{Scope: scopeOrgWrite, Purpose: "publish and delete as an organization"},
		{Scope: scopeOrgRead, Purpose: "see an organization's posts and their numbers"},
		{Scope: scopeOrgAdmin, Purpose: "list the organizations that the member may post for"},
		{Scope: scopeMemberFeed, Purpose: "comment as the member"},
		{Scope: scopeOrgFeed, Purpose: "comment as an organization"},
		{Scope: scopeOrgFeedRead, Purpose: "see the comments on an organization's posts"},
		{Scope: scopeMemberAnalytics, Purpose: "read the numbers of the member's posts"},
	}
}

// rateLimits are those that LinkedIn publishes, per UTC day.
func rateLimits(communityManagement bool) []provider.RateLimit {
	perMember, perApp := int64(150), int64(100_000)
	if communityManagement {
		perMember, perApp = 100, 500 // the development tier; the standard tier's are not published
	}
	units := map[provider.Operation]int64{
		provider.OpPublish: 1, provider.OpUpload: 1, provider.OpComment: 1, provider.OpDelete: 1, provider.OpRead: 1, provider.OpRepost: 1,
	}
	day := provider.RateLimit{Seconds: 24 * 60 * 60, ResetZone: "UTC", Units: units}
	member, app := day, day
	member.Name, member.Scope, member.Max = "requests of a member", provider.ScopeAccount, perMember
	app.Name, app.Scope, app.Max = "requests of the installation", provider.ScopeInstallation, perApp
	return []provider.RateLimit{member, app}
}
