package linkedin

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"crier/internal/provider"
)

func (p *Provider) check(a provider.Account, c provider.Content) provider.Findings {
	var found provider.Findings
	switch {
	case c.Action == provider.Repost:
		return found
	case len(c.Parts) == 0:
		found.Reject(c.Path(0), "has no content")
		return found
	case c.IsThread():
		found.Reject([]string{"postInput", "posts"},
			"LinkedIn has no threads: only a single post can be published there")
		return found
	case c.Action == provider.Comment:
		p.info.Comment.CheckPart(c, 0, &found)
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
	p.info.Formats[0].CheckPart(composed, 0, &found)
	checkAttachments(c, plan, &found)
	checkVideo(c, plan, &found)
	checkCarousel(c, plan, &found)
	checkAuthor(a, plan, &found)
	checkEffects(plan, &found)
	return found
}

// checkAttachments checks that a post has text and at most one attachment.
func checkAttachments(c provider.Content, plan plan, found *provider.Findings) {
	var besides []string
	for _, thing := range []struct {
		there bool
		name  string
	}{
		{len(plan.media) > 0, "media"}, {plan.article != nil, "an article"}, {plan.Poll != nil, "a poll"},
		{plan.reshare != "", "a reshare"},
	} {
		if thing.there {
			besides = append(besides, thing.name)
		}
	}
	if len(besides) > 1 {
		found.Reject(c.Path(0, "attachments"),
			"a post has one of media, an article, a poll or a reshare; this one has "+strings.Join(besides, " and "))
	}
	if strings.TrimSpace(plan.text) == "" && len(besides) == 0 {
		found.Reject(c.Path(0, "text"), "a post needs text, media, an article, a poll or a reshare")
	}
	if c.Action == provider.Quote && strings.TrimSpace(plan.text) == "" {
		found.Reject(c.Path(0, "text"), "a quote needs text")
	}
	if plan.article == nil {
		return
	}
	if utf8.RuneCountInString(plan.article.Title) > maxArticleTitle {
		found.Reject(c.Path(0, "attachments"), fmt.Sprintf("the title of a link must be at most %d characters long",
			maxArticleTitle))
	}
	if utf8.RuneCountInString(plan.article.Description) > maxArticleDescription {
		found.Reject(c.Path(0, "attachments"),
			fmt.Sprintf("the description of a link must be at most %d characters long", maxArticleDescription))
	}
}

// checkAuthor checks the rules that differ between members and organizations.
func checkAuthor(a provider.Account, plan plan, found *provider.Findings) {
	reject := func(wrong bool, key, message string) {
		if wrong {
			found.Reject(provider.SettingPath(key), message)
		}
	}
	organization := isOrganization(a)
	reject(organization && plan.Visibility == visibilityConnections, "linkedinVisibility",
		"an organization has no connections: choose public or loggedIn")
	reject(!organization && plan.FeedDistribution == feedNone, "linkedinFeedDistribution",
		"only an organization can keep a post out of feeds")
	reject(!organization && len(plan.TargetEntities) > 0, "linkedinTargetEntities",
		"only an organization can choose its readers")
	reject(!organization && plan.LandingPageURL != "", "linkedinLandingPageUrl",
		"only an organization's post can have a button")
	reject(plan.CallToActionLabel != "" && plan.LandingPageURL == "", "linkedinCallToActionLabel",
		"needs linkedinLandingPageUrl")
}

var cuePattern = regexp.MustCompile(`(?m)^\d{2}:\d{2}:\d{2},\d{3} --> \d{2}:\d{2}:\d{2},\d{3}`)

// checkVideo checks the captions and thumbnail of a video.
func checkVideo(c provider.Content, plan plan, found *provider.Findings) {
	if plan.VideoCaptions != "" && !cuePattern.MatchString(plan.VideoCaptions) {
		found.Reject(provider.SettingPath("linkedinVideoCaptions"),
			"must be the text of a SubRip file, with lines such as 00:00:01,000 --> 00:00:04,000")
	}
	if plan.VideoThumbnail == "" {
		return
	}
	path := provider.SettingPath("linkedinVideoThumbnailMediaId")
	picture, ok := c.Assets[plan.VideoThumbnail]
	if !ok {
		found.Reject(path, provider.NoSuchAsset)
	} else if picture = suitedThumbnail(picture); !slices.Contains(thumbnailTypes, picture.MIMEType) {
		found.Reject(path, fmt.Sprintf("is of the type %s; allowed: %s", picture.MIMEType,
			strings.Join(thumbnailTypes, ", ")))
	}
}

// checkCarousel checks images that become a document.
func checkCarousel(c provider.Content, plan plan, found *provider.Findings) {
	var size int64
	for _, m := range plan.pages {
		page, ok := pageOf(m)
		if !ok {
			found.Reject(c.MediaPath(0, m), "cannot be a page of a carousel: there is no JPEG of it")
		}
		if m.AltText != "" {
			found.Warn(c.MediaPath(0, m, "altText"), "the pages of a carousel have no alt texts")
		}
		size += page.Size
	}
	if size > maxDocumentBytes {
		found.Reject(c.Path(0, "attachments"), fmt.Sprintf("the images are too large for one document: %d of %d "+
			"bytes allowed", size, maxDocumentBytes))
	}
}

// checkEffects warns about settings without effect.
func checkEffects(plan plan, found *provider.Findings) {
	has := func(kind resource) bool { return len(plan.media) > 0 && resourceOf(plan.media[0]) == kind }
	if plan.DocumentTitle != "" && !has(documents) {
		found.Warn(provider.SettingPath("linkedinDocumentTitle"), "has no effect without a document")
	}
	for key, there := range map[string]bool{"linkedinVideoTitle": plan.VideoTitle != "",
		"linkedinVideoCaptions":         plan.VideoCaptions != "",
		"linkedinVideoThumbnailMediaId": plan.VideoThumbnail != ""} {
		if there && !has(videos) {
			found.Warn(provider.SettingPath(key), "has no effect without a video")
		}
	}
	if plan.Carousel && len(plan.pages) == 0 {
		found.Warn(provider.SettingPath("linkedinCarousel"), "has no effect without images")
	}
	for _, m := range plan.Mentions {
		if !strings.Contains(plan.text, "@"+m.Name) {
			found.Warn(provider.SettingPath("linkedinMentions"), fmt.Sprintf("the text does not contain @%s", m.Name))
		}
	}
}

// NoComments says so for posts whose comments are closed as soon as they are public.
func (*Provider) NoComments(c provider.Content) string {
	if s, err := decodeSettings(c); err == nil && s.CommentsState == commentsClosed {
		return "linkedinCommentsState closes the comments"
	}
	return ""
}
