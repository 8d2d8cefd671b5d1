package facebook

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"crier/internal/provider"
)

func (p *Provider) check(_ provider.Account, c provider.Content) provider.Findings {
	var found provider.Findings
	switch {
	case len(c.Parts) == 0:
		found.Reject(c.Path(0), "has no content")
		return found
	case c.IsThread():
		found.Reject([]string{"postInput", "posts"},
			"Facebook has no threads: only a single post can be published there")
		return found
	}
	plan, err := newPlan(c)
	if err != nil {
		found.Reject([]string{"platformSettings"}, "cannot be read")
		return found
	}
	composed := c
	composed.Parts = []provider.Part{c.Parts[0]}
	composed.Parts[0].Text = plan.text
	format := *p.info.Comment
	if c.Action != provider.Comment {
		format, _ = p.info.Format(plan.format) // the registry allows no other name
	}
	format.CheckPart(composed, 0, &found)
	if strings.TrimSpace(plan.text) == "" && plan.link == "" && len(plan.media) == 0 && format.MinMedia == 0 {
		found.Reject(c.Path(0, "text"), "a post needs text, a link or media")
	}
	if c.Action != provider.Comment {
		checkSettings(c, plan, &found)
		checkEffects(c, plan, &found)
	}
	return found
}

var countryCode = regexp.MustCompile(`^[A-Z]{2}$`)

// checkSettings checks settings against the content.
func checkSettings(c provider.Content, plan plan, found *provider.Findings) {
	reject := func(wrong bool, key, message string) {
		if wrong {
			found.Reject(provider.SettingPath(key), message)
		}
	}
	reject(plan.Link != "" && len(plan.media) > 0, "facebookLink", "a post has a link or media, not both")
	reject(plan.BackgroundPresetID != "" && (len(plan.media) > 0 || plan.link != ""), "facebookBackgroundPresetId",
		"is for posts of text alone")
	reject(plan.BackgroundPresetID != "" && utf8.RuneCountInString(plan.text) > maxPresetText,
		"facebookBackgroundPresetId",
		fmt.Sprintf("is for texts of up to %d characters", maxPresetText))
	reject(plan.Draft && plan.format != reel, "facebookDraft", "only a reel can be left as a draft")
	countries := func(t *targetingSetting, key string) {
		if t == nil {
			return
		}
		for _, code := range t.Countries {
			reject(!countryCode.MatchString(code), key,
				fmt.Sprintf("%q is not an ISO 3166-1 code of two capitals", code))
		}
	}
	countries(plan.Targeting, "facebookTargeting")
	countries(plan.FeedTargeting, "facebookFeedTargeting")
	if plan.ThumbnailMediaID != "" {
		asset, ok := plan.assets[plan.ThumbnailMediaID]
		reject(!ok, "facebookThumbnailMediaId", provider.NoSuchAsset)
		reject(ok && !strings.HasPrefix(asset.MIMEType, "image/"), "facebookThumbnailMediaId", "must be an image")
	}
	if plan.format == story && strings.TrimSpace(plan.text) != "" {
		found.Warn(c.Path(0, "text"), "a story shows no text")
	}
}

// checkEffects warns about settings without effect.
func checkEffects(c provider.Content, plan plan, found *provider.Findings) {
	warn := func(idle bool, key, message string) {
		if idle {
			found.Warn(provider.SettingPath(key), message)
		}
	}
	plainVideo := plan.isVideo() && plan.format != story
	warn(plan.VideoTitle != "" && !plainVideo, "facebookVideoTitle", "has an effect on videos and reels only")
	warn(plan.ThumbnailMediaID != "" && !plainVideo, "facebookThumbnailMediaId",
		"has an effect on videos and reels only")
	warn(len(plan.CollaboratorPageIDs) > 0 && plan.format != reel, "facebookCollaboratorPageIds",
		"has an effect on reels only")
	warn(plan.format == story && (plan.Targeting != nil || plan.FeedTargeting != nil), "facebookTargeting",
		"has no effect on stories")
	for _, m := range plan.media {
		if m.AltText != "" && isVideo(m) {
			found.Warn(c.MediaPath(0, m, "altText"), "Facebook takes alt texts of photos only")
		}
	}
}

// NoComments says so for stories, and for reels that are left as drafts.
func (*Provider) NoComments(c provider.Content) string {
	s, err := decodeSettings(c)
	switch {
	case err != nil:
		return ""
	case s.PostType == story:
		return "a Facebook story has no comments"
	case s.Draft:
		return "a draft has no comments"
	}
	return ""
}
