package instagram

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"crier/internal/provider"
)

var (
	hashtag = regexp.MustCompile(`(?:^|[^\w&])#[\p{L}\p{N}_]+`)
	mention = regexp.MustCompile(`(?:^|[^\w.])@[A-Za-z0-9_.]+`)
)

func (p *Provider) check(a provider.Account, c provider.Content) provider.Findings {
	var found provider.Findings
	switch {
	case len(c.Parts) == 0:
		found.Reject(c.Path(0), "has no content")
		return found
	case c.IsThread():
		found.Reject([]string{"postInput", "posts"},
			"Instagram has no threads: only a single post can be published there")
		return found
	case c.Action == provider.Comment:
		p.info.Comment.CheckPart(composed(c), 0, &found)
		return found
	}
	s, err := decodeSettings(c)
	if err != nil {
		found.Reject([]string{"platformSettings"}, "cannot be read")
		return found
	}
	format := formatOf(c.Parts[0], s)
	if limits, ok := p.info.Format(format); ok {
		limits.CheckPart(composed(c), 0, &found)
	}
	p.checkCaption(c, format, &found)
	checkMedia(c, s, format, &found)
	p.checkSettings(a, c, s, format, &found)
	p.checkCommerce(a, c, s, format, &found)
	return found
}

// composed returns the content with link attachments in the text, as Instagram requires.
func composed(c provider.Content) provider.Content {
	part := c.Parts[0]
	part.Text = part.TextWithLinks()
	c.Parts = []provider.Part{part}
	return c
}

func (p *Provider) checkCaption(c provider.Content, format string, found *provider.Findings) {
	part, path := c.Parts[0], c.Path(0, "text")
	if format == story {
		if strings.TrimSpace(part.Text) != "" {
			found.Warn(path, "a story shows no text")
		}
		return
	}
	if len(part.Links) > 0 {
		found.Warn(c.Path(0, "attachments"), "links in captions cannot be tapped")
	}
	if n := len(hashtag.FindAllString(part.Text, -1)); n > p.limits.Hashtags {
		found.Reject(path, fmt.Sprintf("may have %d hashtags, has %d", p.limits.Hashtags, n))
	} else if n > p.limits.HashtagsAdvised {
		found.Warn(path, fmt.Sprintf("Instagram advises at most %d hashtags, this has %d", p.limits.HashtagsAdvised, n))
	}
	if n := len(mention.FindAllString(part.Text, -1)); n > maxMentions {
		found.Reject(path, fmt.Sprintf("may mention %d accounts, mentions %d", maxMentions, n))
	}
}

func checkMedia(c provider.Content, s settings, format string, found *provider.Findings) {
	media := c.Parts[0].Media
	for i, m := range media {
		if m.AltText != "" && (isVideo(m) || format == story) {
			found.Warn(c.MediaPath(0, m, "altText"), "Instagram takes alt texts of images in posts only")
		}
		for _, tag := range s.UserTags {
			tagged := tag.MediaIndex == i || len(media) == 1
			if tagged && !isVideo(m) && format != story && (tag.X == nil || tag.Y == nil) {
				found.Reject(provider.SettingPath("instagramUserTags"),
					fmt.Sprintf("%s needs x and y, because it is in an image", tag.Username))
			}
		}
	}
	for _, tag := range s.UserTags {
		if len(media) > 0 && tag.MediaIndex >= len(media) {
			found.Reject(provider.SettingPath("instagramUserTags"),
				fmt.Sprintf("there is no media %d; they are counted from 0", tag.MediaIndex))
		}
	}
}

// checkCommerce checks products and paid partnerships, which need Facebook Login.
func (p *Provider) checkCommerce(a provider.Account, c provider.Content, s settings, format string,
	found *provider.Findings) {
	reject := func(wrong bool, key, message string) {
		if wrong {
			found.Reject(provider.SettingPath(key), message)
		}
	}
	const needsFacebook = "needs an account connected by Facebook Login"
	byInstagram := p.modeOf(a) != FacebookLogin
	reject(byInstagram && s.PaidPartnership, "instagramPaidPartnership", needsFacebook)
	reject(byInstagram && len(s.SponsorIDs) > 0, "instagramSponsorIds", needsFacebook)
	reject(slices.Contains(s.SponsorIDs, a.ProviderAccountID), "instagramSponsorIds",
		"an account cannot be its own sponsor")
	if len(s.ProductTags) == 0 {
		return
	}
	const key = "instagramProductTags"
	reject(byInstagram, key, needsFacebook)
	reject(format == story, key, "a story shows no products")
	reject(!byInstagram && len(a.Scopes) > 0 && !a.HasScope(scopeProducts), key,
		"the account was connected without the permission "+scopeProducts)
	media, tagged := c.Parts[0].Media, map[int]int{}
	for _, tag := range s.ProductTags {
		index := tag.MediaIndex
		if len(media) == 1 {
			index = 0
		}
		tagged[index]++
		reject(len(media) > 0 && index >= len(media), key,
			fmt.Sprintf("there is no media %d; they are counted from 0", tag.MediaIndex))
		reject(index < len(media) && !isVideo(media[index]) && (tag.X == nil || tag.Y == nil), key,
			fmt.Sprintf("the product %s needs x and y, because it is in an image", tag.ProductID))
	}
	for index, n := range tagged {
		reject(n > maxProductTags, key, fmt.Sprintf("media %d may have %d products, has %d", index, maxProductTags, n))
	}
}

// checkSettings checks settings against content and account.
func (p *Provider) checkSettings(a provider.Account, c provider.Content, s settings, format string,
	found *provider.Findings) {
	reject := func(wrong bool, key, message string) {
		if wrong {
			found.Reject(provider.SettingPath(key), message)
		}
	}
	reject(len(s.Collaborators) > 0 && format == story, "instagramCollaborators", "a story has no co-authors")
	reject(s.Audio != nil && p.modeOf(a) != FacebookLogin, "instagramAudio",
		"needs an account connected by Facebook Login")
	reject(s.CoverURL != "" && s.CoverMediaID != "", "instagramCoverUrl",
		"a reel has one cover: choose instagramCoverUrl or instagramCoverMediaId")
	if s.CoverMediaID != "" {
		asset, ok := c.Assets[s.CoverMediaID]
		jpeg := asset.MIMEType == "image/jpeg" || asset.JPEG != nil
		reject(!ok, "instagramCoverMediaId", provider.NoSuchAsset)
		reject(ok && !jpeg, "instagramCoverMediaId", "must be an image")
	}
	comments := permissionsOf[p.modeOf(a)].comment
	reject(!on(s.CommentsEnabled) && len(a.Scopes) > 0 && !a.HasScope(comments), "instagramCommentsEnabled",
		"the account was connected without the permission "+comments)
	warn := func(there bool, key string) {
		if there && format != reel {
			found.Warn(provider.SettingPath(key), "has an effect on reels only")
		}
	}
	warn(s.CoverURL != "", "instagramCoverUrl")
	warn(s.CoverMediaID != "", "instagramCoverMediaId")
	warn(s.ThumbOffsetMs != nil, "instagramThumbOffsetMs")
	warn(s.AudioName != "", "instagramAudioName")
	warn(s.Audio != nil, "instagramAudio")
	warn(s.TrialReel != nil && s.TrialReel.Enabled, "instagramTrialReel")
	if format == story && !on(s.CommentsEnabled) {
		found.Warn(provider.SettingPath("instagramCommentsEnabled"), "a story has no comments")
	}
}

// NoComments says so for stories, and for posts whose comments are closed as soon as they are public.
func (*Provider) NoComments(c provider.Content) string {
	s, err := decodeSettings(c)
	switch {
	case err != nil:
		return ""
	case s.PostType == story:
		return "an Instagram story has no comments"
	case !on(s.CommentsEnabled):
		return "instagramCommentsEnabled closes the comments"
	}
	return ""
}
