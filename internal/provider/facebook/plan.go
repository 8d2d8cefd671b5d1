package facebook

import (
	"cmp"
	"strings"

	"crier"
	"crier/internal/provider"
)

// plan is how to publish a content.
type plan struct {
	settings
	format string
	text   string
	link   string
	media  []provider.Media
	assets map[crier.ID]provider.Media
}

// newPlan decodes the settings and places the links: the first is shown as a card below a text, all others are added to
// the text.
func newPlan(c provider.Content) (plan, error) {
	s, err := decodeSettings(c)
	if err != nil {
		return plan{}, err
	}
	if len(c.Parts) == 0 {
		return plan{}, &provider.Error{Kind: provider.Rejected, Code: provider.CodeContentRejected,
			Message: "there is nothing to publish"}
	}
	part := c.Parts[0]
	result := plan{settings: s, format: cmp.Or(s.PostType, feed), text: part.Text, link: s.Link,
		media: part.Media, assets: c.Assets}
	for _, link := range part.Links {
		switch {
		case link.URL == result.link:
		case result.link == "" && len(part.Media) == 0 && c.Action != provider.Comment:
			result.link = link.URL
		default:
			result.text = provider.AppendLink(result.text, link.URL)
		}
	}
	return result, nil
}

// isVideo reports whether the post is a video, a reel or a video story.
func (p plan) isVideo() bool { return len(p.media) == 1 && isVideo(p.media[0]) }

func isVideo(m provider.Media) bool { return strings.HasPrefix(m.MIMEType, "video/") }

// edge returns the edge of a video.
func (p plan) edge() string {
	return map[string]string{reel: "video_reels", story: "video_stories"}[p.format]
}
