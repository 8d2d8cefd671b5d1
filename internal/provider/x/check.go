package x

import (
	"fmt"
	"regexp"
	"strings"

	"crier/internal/provider"
)

// maxGIFVolume is the maximum of width × height × frames (media best practices, animated GIFs).
const maxGIFVolume = 300_000_000

// Documented limits of a video's sides; larger ones are usually accepted, so they only cause a warning.
const (
	documentedLongSide  = 1280
	documentedShortSide = 1024
)

// cashtag is a ticker symbol such as $ACME.
var cashtag = regexp.MustCompile(`(?:^|[\s\p{P}])\$[A-Za-z]{1,6}(?:[._][A-Za-z]{1,2})?\b`)

func check(info provider.Info, c provider.Content) provider.Findings {
	var found provider.Findings
	switch {
	case c.Action == provider.Repost:
		return found
	case len(c.Parts) == 0:
		found.Reject(c.Path(0), "has no content")
		return found
	case len(c.Parts) > maxThreadParts:
		found.Reject([]string{"postInput", "posts"},
			fmt.Sprintf("a thread has at most %d posts, this one has %d", maxThreadParts, len(c.Parts)))
		return found
	}
	format := info.Formats[0]
	if c.Action == provider.Comment {
		format = *info.Comment
	}
	composed := c
	composed.Parts = composeParts(c.Parts)
	for part := range composed.Parts {
		checkPart(format, composed, part, &found)
	}
	checkSettings(info, c, &found)
	return found
}

// composeParts adds link attachments to the texts, as X requires.
func composeParts(parts []provider.Part) []provider.Part {
	composed := make([]provider.Part, len(parts))
	for i, p := range parts {
		p.Text = p.TextWithLinks()
		composed[i] = p
	}
	return composed
}

func checkPart(format provider.Format, c provider.Content, part int, found *provider.Findings) {
	format.CheckPart(c, part, found)
	p := c.Parts[part]
	textPath := c.Path(part, "text")
	if strings.TrimSpace(p.Text) == "" && len(p.Media) == 0 {
		found.Reject(textPath, "a post needs text or media")
	}
	if strings.ContainsAny(p.Text, "\uFFFE\uFEFF\uFFFF") {
		found.Reject(textPath, "must not contain the characters U+FFFE, U+FEFF and U+FFFF")
	}
	// Self-serve access allows one ticker symbol a post.
	if n := len(cashtag.FindAllString(p.Text, -1)); n > 1 {
		found.Reject(textPath, fmt.Sprintf("may have one cashtag such as $ACME, has %d", n))
	}
	for _, m := range p.Media {
		checkMedia(c, part, m, found)
	}
}

func checkMedia(c provider.Content, part int, m provider.Media, found *provider.Findings) {
	switch {
	case m.MIMEType == "image/gif" && int64(m.Width)*int64(m.Height)*int64(m.Frames) > maxGIFVolume:
		found.Reject(c.MediaPath(part, m), fmt.Sprintf("width, height and frames multiplied must be at most %d",
			maxGIFVolume))
	case isVideo(m) && (max(m.Width, m.Height) > documentedLongSide || min(m.Width, m.Height) > documentedShortSide):
		found.Warn(c.MediaPath(part, m),
			fmt.Sprintf("X documents videos of up to %d×%d pixels; this one has %d×%d and may be scaled or refused",
				documentedLongSide, documentedShortSide, m.Width, m.Height))
	}
}

// checkSettings checks settings against the content. They apply to the first post.
func checkSettings(info provider.Info, c provider.Content, found *provider.Findings) {
	s, err := decodeSettings(c)
	if err != nil {
		found.Reject([]string{"platformSettings"}, "cannot be read")
		return
	}
	first := c.Parts[0]
	reject := func(wrong bool, key, message string) {
		if wrong {
			found.Reject(provider.SettingPath(key), message)
		}
	}
	hasMedia := len(first.Media) > 0
	quotes := s.QuotePostID != "" || c.Action == provider.Quote
	if quotes && !info.Abilities.Quote {
		path := provider.SettingPath("xQuotePostId")
		if c.Action == provider.Quote {
			path = c.Path(0, "text")
		}
		found.Reject(path,
			"X lets only apps quote that are more than self-serve; this server's app is not known to be one")
	}
	reject(s.Poll != nil && hasMedia, "xPoll", "a post has a poll or media, not both")
	reject(s.Poll != nil && quotes, "xPoll", "a post has a poll or a quote, not both")
	reject(s.QuotePostID != "" && hasMedia, "xQuotePostId", "a post has a quote or media, not both")
	reject(s.QuotePostID != "" && c.Action != provider.Post && c.Action != "", "xQuotePostId",
		"only a post can quote another one")
	reject(s.ShareWithFollowers && s.CommunityID == "", "xShareWithFollowers", "needs xCommunityId")
	reject(len(s.ExcludeReplyUserIDs) > 0 && s.ReplyToPostID == "", "xExcludeReplyUserIds", "needs xReplyToPostId")
	reject(len(s.TaggedUserIDs) > 0 && !hasMedia, "xTaggedUserIds", "needs media in the first post")
	if c.Action == provider.Quote && hasMedia {
		found.Reject(c.Path(0, "attachments"), "a quote cannot have media")
	}
	if s.SensitiveMedia != nil && !anyMedia(c) {
		found.Warn(provider.SettingPath("xSensitiveMedia"), "has no effect without media")
	}
}

func anyMedia(c provider.Content) bool {
	for _, p := range c.Parts {
		if len(p.Media) > 0 {
			return true
		}
	}
	return false
}

func isVideo(m provider.Media) bool { return strings.HasPrefix(m.MIMEType, "video/") }
