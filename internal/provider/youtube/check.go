package youtube

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"crier"
	"crier/internal/provider"
)

func (p *Provider) check(a provider.Account, c provider.Content) provider.Findings {
	var found provider.Findings
	switch {
	case c.Action == provider.Repost || c.Action == provider.Quote:
		found.Reject(c.Path(0), "YouTube has no reposts")
		return found
	case len(c.Parts) == 0:
		found.Reject(c.Path(0), "has no content")
		return found
	case c.IsThread():
		found.Reject([]string{"postInput", "posts"},
			"YouTube has no threads: only a single video can be published there")
		return found
	case c.Action == provider.Comment:
		p.info.Comment.CheckPart(c, 0, &found)
		return found
	}
	s, err := decodeSettings(c)
	if err != nil {
		found.Reject([]string{"platformSettings"}, "cannot be read")
		return found
	}
	composed := c
	composed.Parts = []provider.Part{c.Parts[0]}
	composed.Parts[0].Text = s.description(c.Parts[0])
	p.InfoFor(a).Formats[0].CheckPart(composed, 0, &found)
	checkTexts(c, s, &found)
	p.checkTime(s, &found)
	p.checkThumbnail(c, s, &found)
	checkCaptions(s, &found)
	checkShort(c, s, &found)
	return found
}

// checkTexts checks title, description and tags.
func checkTexts(c provider.Content, s settings, found *provider.Findings) {
	const brackets = "must not contain < or >"
	title := s.title(c.Parts[0])
	switch {
	case title == "":
		found.Reject(provider.SettingPath("youtubeTitle"), "is needed when the post has no text: 1 to 100 characters")
	case utf8.RuneCountInString(title) > maxTitle:
		found.Reject(provider.SettingPath("youtubeTitle"), fmt.Sprintf("must be at most %d characters long", maxTitle))
	case strings.ContainsAny(title, "<>"):
		found.Reject(provider.SettingPath("youtubeTitle"), brackets)
	case s.Title == "" && strings.HasSuffix(title, "…"):
		found.Warn(provider.SettingPath("youtubeTitle"),
			"the first line of the text is cut to a title of 100 characters: "+title)
	}
	if strings.ContainsAny(s.description(c.Parts[0]), "<>") {
		path := c.Path(0, "text")
		if s.Description != nil {
			path = provider.SettingPath("youtubeDescription")
		}
		found.Reject(path, brackets)
	}
	if length := tagsLength(s.Tags); length > maxTags {
		found.Reject(provider.SettingPath("youtubeTags"),
			fmt.Sprintf("are too long together: %d of %d characters allowed", length, maxTags))
	}
	if slices.ContainsFunc(s.Tags, func(tag string) bool { return strings.ContainsAny(tag, "<>,") }) {
		found.Reject(provider.SettingPath("youtubeTags"), "must not contain <, > or commas")
	}
}

// tagsLength returns the length as YouTube counts it: commas between tags, and the quotation marks around those with
// spaces.
func tagsLength(tags []string) int {
	length := max(0, len(tags)-1)
	for _, tag := range tags {
		length += utf8.RuneCountInString(tag)
		if strings.ContainsRune(tag, ' ') {
			length += 2
		}
	}
	return length
}

// checkTime checks a time at which YouTube itself is to publish.
func (p *Provider) checkTime(s settings, found *provider.Findings) {
	if s.PublishAt == "" {
		return
	}
	at, err := crier.ParseTime(s.PublishAt)
	switch path := provider.SettingPath("youtubePublishAt"); {
	case err != nil:
		found.Reject(path, "must be an RFC 3339 time, such as 2026-11-15T09:00:00Z")
	case s.PrivacyStatus != privacyPrivate:
		found.Reject(path, "needs youtubePrivacyStatus private")
	case !at.After(p.now()):
		found.Reject(path, "must lie in the future")
	}
}

// thumbnailTypes are the picture types that YouTube accepts (thumbnails: set).
var thumbnailTypes = []string{"image/jpeg", "image/png"}

func (p *Provider) checkThumbnail(c provider.Content, s settings, found *provider.Findings) {
	if s.ThumbnailMediaID == "" {
		return
	}
	path := provider.SettingPath("youtubeThumbnailMediaId")
	picture, ok := c.Assets[s.ThumbnailMediaID]
	if !ok {
		found.Reject(path, provider.NoSuchAsset)
		return
	}
	picture = p.suitedThumbnail(picture)
	switch {
	case !slices.Contains(thumbnailTypes, picture.MIMEType):
		found.Reject(path, fmt.Sprintf("is of the type %s; allowed: %s", picture.MIMEType,
			strings.Join(thumbnailTypes, ", ")))
	case picture.Size > p.limits.ThumbnailBytes:
		found.Reject(path, fmt.Sprintf("is too large: %d of %d bytes allowed", picture.Size, p.limits.ThumbnailBytes))
	}
}

// suitedThumbnail returns the picture itself if YouTube accepts it, else its JPEG if there is one.
func (p *Provider) suitedThumbnail(m provider.Media) provider.Media {
	if m.JPEG != nil && (!slices.Contains(thumbnailTypes, m.MIMEType) || m.Size > p.limits.ThumbnailBytes) {
		return *m.JPEG
	}
	return m
}

// checkCaptions checks captions: a video can have only one of a language and name.
func checkCaptions(s settings, found *provider.Findings) {
	seen := map[[2]string]bool{}
	for i, c := range s.Captions {
		path := provider.SettingPath("youtubeCaptions", strconv.Itoa(i))
		if !strings.Contains(c.Text, "-->") {
			found.Reject(append(path, "text"),
				"must be the text of a SubRip or WebVTT file, with lines such as 00:00:01,000 --> 00:00:04,000")
		}
		if key := [2]string{strings.ToLower(c.Language), c.Name}; seen[key] {
			found.Reject(path, "has the language and the name of other captions")
		} else {
			seen[key] = true
		}
	}
}

// checkShort checks that a post meant as a Short will be one. Unknown properties of a video are not checked.
func checkShort(c provider.Content, s settings, found *provider.Findings) {
	if !s.IsShort || len(c.Parts[0].Media) == 0 {
		return
	}
	m := c.Parts[0].Media[0]
	if m.Duration > maxShort {
		found.Reject(c.MediaPath(0, m), fmt.Sprintf("is too long for a Short: %.1f of %.0f s allowed",
			m.Duration.Seconds(), maxShort.Seconds()))
	}
	if m.Width > m.Height {
		found.Reject(c.MediaPath(0, m),
			fmt.Sprintf("is too wide for a Short: %d×%d pixels; it must not be wider than tall", m.Width, m.Height))
	}
}

// videoOf returns the video of a post.
func videoOf(c provider.Content) (provider.Media, error) {
	if len(c.Parts) != 1 || len(c.Parts[0].Media) != 1 || c.Action != provider.Post && c.Action != "" {
		return provider.Media{}, &provider.Error{
			Kind: provider.Rejected, Code: provider.CodeContentRejected,
			Message: "YouTube takes posts of exactly one video",
		}
	}
	return c.Parts[0].Media[0], nil
}

// NoComments says so for videos that are private or made for children.
func (*Provider) NoComments(c provider.Content) string {
	s, err := decodeSettings(c)
	switch {
	case err != nil:
		return ""
	case s.MadeForKids:
		return "a video made for children has no comments"
	case s.PrivacyStatus == privacyPrivate:
		return "a private video has no comments"
	}
	return ""
}
