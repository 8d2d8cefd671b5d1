package crier

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// PostInput is the structured content of a post: either one atomic post or a thread of several, and variants for some
// networks or accounts.
type PostInput struct {
	Atomic   *AtomicPost
	Thread   *ThreadPost
	Variants []PostVariant
}

// AtomicPost is one text with its attachments.
type AtomicPost struct {
	Kind        string       `json:"kind" enum:"atomic"`
	Text        string       `json:"text" required:"false" maxLength:"100000"`
	Attachments []Attachment `json:"attachments" required:"false" maxItems:"20"`
}

// ThreadPost is a chain of atomic posts, published in order.
type ThreadPost struct {
	Kind  string       `json:"kind" enum:"thread"`
	Posts []AtomicPost `json:"posts"`
}

// AtomicPostInput is a PostInput of one post on the wire.
type AtomicPostInput struct {
	Kind        string        `json:"kind" enum:"atomic"`
	Text        string        `json:"text" required:"false" maxLength:"100000"`
	Attachments []Attachment  `json:"attachments" required:"false" maxItems:"20"`
	Variants    []PostVariant `json:"variants,omitempty" maxItems:"100" doc:"What some networks or accounts publish instead."`
}

// ThreadPostInput is a PostInput of a thread on the wire.
type ThreadPostInput struct {
	Kind     string        `json:"kind" enum:"thread"`
	Posts    []AtomicPost  `json:"posts" minItems:"2" maxItems:"50"`
	Variants []PostVariant `json:"variants,omitempty" maxItems:"100" doc:"What some networks or accounts publish instead."`
}

// MaxVariants is the maximum number of variants of a post.
const MaxVariants = 100

// PostVariant is different content for one network or one account. Absent fields are taken from the post.
type PostVariant struct {
	Provider        *Provider     `json:"provider,omitempty" doc:"The network it is for. Either this or socialAccountId."`
	SocialAccountID *ID           `json:"socialAccountId,omitempty" doc:"The account it is for; overrides a variant of its network."`
	Text            *string       `json:"text,omitempty" maxLength:"100000" doc:"One post with this text. It replaces all parts of a thread."`
	Posts           []AtomicPost  `json:"posts,omitempty" minItems:"2" maxItems:"50" doc:"A thread. Excludes text and attachments."`
	Attachments     *[]Attachment `json:"attachments,omitempty" maxItems:"20"`
	PostType        PostType      `json:"postType,omitempty" doc:"Set by the server."`
}

// Shapes describes the two shapes.
func (PostInput) Shapes() (key string, shapes map[string]any) {
	return "kind", map[string]any{"atomic": AtomicPostInput{}, "thread": ThreadPostInput{}}
}

// Parts returns the atomic posts in order.
func (p PostInput) Parts() []AtomicPost {
	switch {
	case p.Thread != nil:
		return p.Thread.Posts
	case p.Atomic != nil:
		return []AtomicPost{*p.Atomic}
	}
	return nil
}

// Text returns the atomic text, or the thread's texts joined by a blank line.
func (p PostInput) Text() string {
	if p.isPlainText() {
		return p.Atomic.Text
	}
	parts := p.Parts()
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = part.Text
	}
	return strings.Join(texts, "\n\n")
}

// AssetIDs returns the assets of all parts without those of variants, each once, in the order of their first
// appearance.
func (p PostInput) AssetIDs() []ID {
	if p.isPlainText() {
		return []ID{}
	}
	return assetsOf(p.Parts())
}

// isPlainText reports whether the post is one text without attachments and variants, as most are.
func (p PostInput) isPlainText() bool {
	return p.Thread == nil && p.Atomic != nil && len(p.Atomic.Attachments) == 0 && len(p.Variants) == 0
}

func assetsOf(parts []AtomicPost) []ID {
	ids := []ID{}
	for _, part := range parts {
		for _, a := range part.Attachments {
			if a.Media != nil && !slices.Contains(ids, a.Media.Asset.AssetID) {
				ids = append(ids, a.Media.Asset.AssetID)
			}
		}
	}
	return ids
}

// MarshalJSON writes the shape that is set.
func (p PostInput) MarshalJSON() ([]byte, error) {
	if p.Thread != nil {
		return json.Marshal(ThreadPostInput{Kind: "thread", Posts: p.Thread.Posts, Variants: p.Variants})
	}
	if p.isPlainText() {
		return marshalPlainText(p.Atomic.Text)
	}
	if p.Atomic != nil {
		out := AtomicPostInput{Kind: "atomic", Text: p.Atomic.Text, Attachments: p.Atomic.Attachments,
			Variants: p.Variants}
		if out.Attachments == nil {
			out.Attachments = []Attachment{}
		}
		return json.Marshal(out)
	}
	return []byte("null"), nil
}

// UnmarshalJSON reads either shape.
func (p *PostInput) UnmarshalJSON(data []byte) error {
	*p = PostInput{}
	if text, ok := unmarshalPlainText(data); ok {
		p.Atomic = &AtomicPost{Kind: "atomic", Text: text, Attachments: []Attachment{}}
		return nil
	}
	kind, err := kindOf(data)
	if err != nil {
		return err
	}
	switch kind {
	case "atomic":
		var in AtomicPostInput
		err := json.Unmarshal(data, &in)
		p.Atomic = &AtomicPost{Kind: in.Kind, Text: in.Text, Attachments: in.Attachments}
		p.Variants = in.Variants
		return err
	case "thread":
		var in ThreadPostInput
		err := json.Unmarshal(data, &in)
		p.Thread, p.Variants = &ThreadPost{Kind: in.Kind, Posts: in.Posts}, in.Variants
		return err
	}
	return fmt.Errorf("postInput has the unknown kind %q", kind)
}

// plainText is the JSON before and after the quoted text of a post without attachments and variants, as crier writes it
// and as PostgreSQL returns it. Most posts are such, and lists read and write many: the general way takes several times
// as long.
var plainText = []struct{ before, after string }{
	{`{"kind":"atomic","text":`, `,"attachments":[]}`},
	{`{"kind": "atomic", "text": `, `, "attachments": []}`},
}

func marshalPlainText(text string) ([]byte, error) {
	quoted, err := json.Marshal(text)
	if err != nil {
		return nil, err
	}
	form := plainText[0]
	out := make([]byte, 0, len(form.before)+len(quoted)+len(form.after))
	return append(append(append(out, form.before...), quoted...), form.after...), nil
}

// unmarshalPlainText returns the text of a post without attachments and variants; ok is false for everything else.
func unmarshalPlainText(data []byte) (text string, ok bool) {
	for _, form := range plainText {
		if len(data) < len(form.before)+len(form.after) || string(data[:len(form.before)]) != form.before ||
			string(data[len(data)-len(form.after):]) != form.after {
			continue
		}
		quoted := data[len(form.before) : len(data)-len(form.after)]
		return text, json.Unmarshal(quoted, &text) == nil && quoted[0] == '"' // not more than one value, and no null
	}
	return "", false
}

// MarshalJSON always includes the kind and the attachments.
func (a AtomicPost) MarshalJSON() ([]byte, error) {
	type plain AtomicPost
	a.Kind = "atomic"
	if a.Attachments == nil {
		a.Attachments = []Attachment{}
	}
	return json.Marshal(plain(a))
}

// Attachment is a media asset or a link. Exactly one field is set.
type Attachment struct {
	Media *MediaAttachment
	Link  *LinkAttachment
}

// MediaAttachment is an asset of the library.
type MediaAttachment struct {
	Kind    string        `json:"kind" enum:"media"`
	Asset   AttachedAsset `json:"asset"`
	AltText string        `json:"altText,omitempty" maxLength:"10000" doc:"Overrides the asset's own."`
}

// AttachedAsset is an asset in brief. In requests assetId is enough; the server fills in the rest. Fields that do not
// apply, such as the length of a picture, are omitted.
type AttachedAsset struct {
	AssetID         ID      `json:"assetId"`
	MimeType        string  `json:"mimeType" required:"false"`
	ByteSize        int64   `json:"byteSize" required:"false" number:"true"`
	Width           int     `json:"width,omitempty" required:"false" number:"true"`
	Height          int     `json:"height,omitempty" required:"false" number:"true"`
	DurationSeconds float64 `json:"durationSeconds,omitempty" required:"false"`
	ThumbnailURL    string  `json:"thumbnailUrl,omitempty" required:"false"`
	AltText         string  `json:"altText,omitempty" required:"false"`
}

// LinkAttachment is a link that is shown as a card if the network supports it.
type LinkAttachment struct {
	Kind        string `json:"kind" enum:"link"`
	URL         WebURL `json:"url"`
	Title       string `json:"title,omitempty" maxLength:"400"`
	Description string `json:"description,omitempty" maxLength:"4000"`
}

// Shapes describes the two shapes.
func (Attachment) Shapes() (key string, shapes map[string]any) {
	return "kind", map[string]any{"media": MediaAttachment{}, "link": LinkAttachment{}}
}

// MarshalJSON writes the shape that is set.
func (a Attachment) MarshalJSON() ([]byte, error) {
	if a.Link != nil {
		link := *a.Link
		link.Kind = "link"
		return json.Marshal(link)
	}
	if a.Media != nil {
		media := *a.Media
		media.Kind = "media"
		return json.Marshal(media)
	}
	return []byte("null"), nil
}

// UnmarshalJSON reads either shape.
func (a *Attachment) UnmarshalJSON(data []byte) error {
	*a = Attachment{}
	kind, err := kindOf(data)
	if err != nil {
		return err
	}
	switch kind {
	case "media":
		a.Media = &MediaAttachment{}
		return json.Unmarshal(data, a.Media)
	case "link":
		a.Link = &LinkAttachment{}
		return json.Unmarshal(data, a.Link)
	}
	return fmt.Errorf("an attachment has the unknown kind %q", kind)
}

func kindOf(data []byte) (string, error) {
	var head struct {
		Kind string `json:"kind"`
	}
	err := json.Unmarshal(data, &head)
	return head.Kind, err
}
