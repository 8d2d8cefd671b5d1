package provider

import (
	"context"
	"io"
	"strconv"
	"strings"
	"time"

	"crier"
)

// Action is the kind of publication.
type Action string

// The kinds of publications. All go through Prepare, Commit, Poll and reconciling, so that a lost response to a comment
// is handled as carefully as one to a post.
const (
	Post    Action = "post"
	Comment Action = "comment"
	Repost  Action = "repost"
	Quote   Action = "quote"
)

// Content is the content to publish on one account.
type Content struct {
	Action Action
	// Target is the post that a comment, repost or quote belongs to; empty for a post.
	Target Target
	// PostType is the post's type in crier's API, such as text_image; empty for other actions.
	PostType string
	// Parts are the parts of a thread; all other content has one.
	Parts []Part
	// Settings are the publish settings of this provider, merged for this account.
	Settings Settings
	// Assets are the media that settings refer to by id, such as a thumbnail.
	Assets map[crier.ID]Media
}

// Target is a published post.
type Target struct {
	PlatformPostID string
	Permalink      string
}

// Part is one post of a thread, or the only one.
type Part struct {
	Text  string
	Media []Media
	Links []Link
}

// TextWithLinks returns the text followed by the links that it does not contain, for networks without a field for
// links.
func (p Part) TextWithLinks() string {
	text := p.Text
	for _, link := range p.Links {
		text = AppendLink(text, link.URL)
	}
	return text
}

// AppendLink returns the text with a URL on its own line, unless the text contains it.
func AppendLink(text, address string) string {
	if ContainsLink(text, address) {
		return text
	}
	return strings.TrimSpace(text + "\n" + address)
}

// ContainsLink reports whether a text contains a URL: as a whole, not as the start of a longer one.
func ContainsLink(text, address string) bool {
	for {
		_, rest, found := strings.Cut(text, address)
		if !found {
			return false
		}
		// Punctuation ends an address unless more of it follows: "(see https://crier.dev/a)." but "https://crier.dev/a.html".
		after := strings.TrimLeft(rest, `.,;:!?'")]}>/`)
		if after == "" || !continuesAddress(after[0]) {
			return true
		}
		text = rest
	}
}

func continuesAddress(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		strings.IndexByte("-_~%#&=+@$*([", c) >= 0
}

// Link is a link attachment.
type Link struct {
	URL         string
	Title       string
	Description string
	// Position is the index among the part's attachments.
	Position int
}

// Media is an image, video or document of a part. Unknown properties are zero.
type Media struct {
	ID        crier.ID
	FileName  string
	MIMEType  string
	Size      int64
	Width     int
	Height    int
	Duration  time.Duration
	FrameRate float64
	Frames    int // of an animated image
	// VideoCodec and AudioCodec are short names in lower case: h264, hevc, vp9, av1; aac, mp3, opus.
	VideoCodec string
	AudioCodec string
	AltText    string
	// Position is the index among the part's attachments.
	Position int
	// JPEG is the same picture in a format that more networks accept, and may itself have one that is accepted more
	// widely; nil if there is none. It replaces the original where a limit has ConvertTo.
	JPEG *Media
	// Open opens the bytes for reading, at any offset and as often as needed.
	Open func(ctx context.Context) (MediaReader, error)
	// URL returns a URL from which the network can fetch the bytes, without credentials and for at least an hour.
	URL func(ctx context.Context) (string, error)
}

// MediaReader reads the bytes of a media file.
type MediaReader interface {
	io.ReaderAt
	io.Closer
}

// IsThread reports whether the content has several parts.
func (c Content) IsThread() bool { return len(c.Parts) > 1 }

// Path returns the path of a value of a part, in terms of the API.
func (c Content) Path(part int, rest ...string) []string {
	path := []string{"postInput"}
	switch {
	case c.Action == Comment:
		path = []string{"comment"}
	case c.Action == Repost || c.Action == Quote:
		path = []string{"repostAfter"}
	case c.IsThread():
		path = append(path, "posts", strconv.Itoa(part))
	}
	return append(path, rest...)
}

// MediaPath returns the path of a media file of a part.
func (c Content) MediaPath(part int, m Media, rest ...string) []string {
	return c.Path(part, append([]string{"attachments", strconv.Itoa(m.Position)}, rest...)...)
}

// SettingPath returns the path of a publish setting.
func SettingPath(key string, rest ...string) []string {
	return append([]string{"platformSettings", key}, rest...)
}

// Findings are the results of Check.
type Findings struct {
	// Issues prevent publishing.
	Issues []crier.Issue
	// Warnings do not.
	Warnings []crier.Issue
}

// OK reports whether nothing prevents publishing.
func (f Findings) OK() bool { return len(f.Issues) == 0 }

// Reject adds an issue.
func (f *Findings) Reject(path []string, message string) {
	f.Issues = append(f.Issues, crier.At(message, path...))
}

// Warn adds a warning.
func (f *Findings) Warn(path []string, message string) {
	f.Warnings = append(f.Warnings, crier.At(message, path...))
}
