package tiktok

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"crier/internal/provider"
)

func (p *Provider) check(a provider.Account, c provider.Content) provider.Findings {
	var found provider.Findings
	switch {
	case c.Action == provider.Comment:
		found.Reject(c.Path(0), "TikTok takes no comments from other programs")
		return found
	case c.Action == provider.Repost || c.Action == provider.Quote:
		found.Reject(c.Path(0), "TikTok takes no reposts from other programs")
		return found
	case len(c.Parts) == 0:
		found.Reject(c.Path(0), "has no content")
		return found
	case c.IsThread():
		found.Reject([]string{"postInput", "posts"}, "TikTok has no threads: only a single post can be published there")
		return found
	case len(c.Parts[0].Media) == 0:
		found.Reject(c.Path(0, "attachments"), "TikTok needs a video or pictures")
		return found
	}
	plan, err := p.newPlan(c)
	if err != nil {
		found.Reject([]string{"platformSettings"}, "cannot be read")
		return found
	}
	p.checkFormat(a, c, plan, &found)
	checkMode(a, plan, &found)
	checkSettings(plan, &found)
	checkDisclosure(plan, &found)
	checkEffects(plan, &found)
	checkAllowed(decodeDetails(a), plan, &found)
	return found
}

// checkFormat checks the limits of videos or of pictures.
func (p *Provider) checkFormat(a provider.Account, c provider.Content, plan plan, found *provider.Findings) {
	name := formatVideo
	if len(plan.photos) > 0 {
		name = formatPhotos
	}
	format, _ := p.InfoFor(a).Format(name)
	composed := c
	composed.Parts = []provider.Part{c.Parts[0]}
	composed.Parts[0].Text = plan.text
	format.CheckPart(composed, 0, found)
}

// checkMode checks direct posts, which need a privacy level and the scope for it.
func checkMode(a provider.Account, plan plan, found *provider.Findings) {
	path := provider.SettingPath(keyPrivacyLevel)
	missing := func(scope string) bool { return len(a.Scopes) > 0 && !a.HasScope(scope) }
	offered := decodeDetails(a).PrivacyLevelOptions
	switch {
	case plan.inbox():
		if missing(scopeUpload) {
			found.Reject(provider.SettingPath("tiktokPostMode"),
				"the account was connected without the permission to send drafts")
		}
		return
	case missing(scopePublish):
		found.Reject(provider.SettingPath("tiktokPostMode"),
			"the account was connected without the permission to publish; only inbox is possible")
	case plan.PrivacyLevel == "":
		found.Reject(path, "is required for a direct post: one of "+strings.Join([]string{privacyPublic, privacyFriends,
			privacyFollowers, privacySelf}, ", "))
	case len(offered) > 0 && !slices.Contains(offered, plan.PrivacyLevel):
		found.Reject(path, "is not offered by the account; allowed: "+strings.Join(offered, ", "))
	}
}

// checkSettings checks settings against the media.
func checkSettings(plan plan, found *provider.Findings) {
	if len(utf16.Encode([]rune(plan.Title))) > maxPhotoTitle {
		found.Reject(provider.SettingPath("tiktokTitle"),
			fmt.Sprintf("must be at most %d UTF-16 units long", maxPhotoTitle))
	}
	if i := plan.PhotoCoverIndex; i != nil && len(plan.photos) > 0 && *i >= len(plan.photos) {
		found.Reject(provider.SettingPath("tiktokPhotoCoverIndex"),
			fmt.Sprintf("must be 0 to %d: the post has %d pictures", len(plan.photos)-1, len(plan.photos)))
	}
	if at := plan.VideoCoverTimestampMs; at != nil && plan.video.Duration > 0 &&
		time.Duration(*at)*time.Millisecond > plan.video.Duration {
		found.Reject(provider.SettingPath("tiktokVideoCoverTimestampMs"), "lies behind the end of the video")
	}
}

// checkAllowed warns about features that stay off because the account has disabled them.
func checkAllowed(d details, plan plan, found *provider.Findings) {
	for _, s := range []struct {
		key string
		off bool
	}{
		{keyAllowComment, plan.AllowComment && d.CommentDisabled},
		{keyAllowDuet, plan.AllowDuet && d.DuetDisabled && len(plan.photos) == 0},
		{keyAllowStitch, plan.AllowStitch && d.StitchDisabled && len(plan.photos) == 0},
	} {
		if s.off && !plan.inbox() {
			found.Warn(provider.SettingPath(s.key), "the account does not allow it, so the post does not either")
		}
	}
}

// checkEffects warns about settings without effect.
func checkEffects(plan plan, found *provider.Findings) {
	if plan.inbox() {
		if plan.text != "" || plan.PrivacyLevel != "" {
			found.Warn(provider.SettingPath("tiktokPostMode"),
				"text and settings of a draft are ignored: they are chosen in the app")
		}
		return
	}
	const onlyVideos, onlyPhotos = "has an effect on videos only", "has an effect on pictures only"
	photos := len(plan.photos) > 0
	for _, s := range []struct {
		key     string
		useless bool
		message string
	}{
		{"tiktokAllowDuet", photos && plan.AllowDuet, onlyVideos},
		{"tiktokAllowStitch", photos && plan.AllowStitch, onlyVideos},
		{"tiktokVideoCoverTimestampMs", photos && plan.VideoCoverTimestampMs != nil, onlyVideos},
		{"tiktokIsAiGenerated", photos && plan.IsAIGenerated, onlyVideos},
		{"tiktokTitle", !photos && plan.Title != "", onlyPhotos},
		{"tiktokPhotoCoverIndex", !photos && plan.PhotoCoverIndex != nil, onlyPhotos},
		{"tiktokAutoAddMusic", !photos && plan.AutoAddMusic != nil, onlyPhotos},
	} {
		if s.useless {
			found.Warn(provider.SettingPath(s.key), s.message)
		}
	}
}
