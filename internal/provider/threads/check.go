package threads

import (
	"fmt"
	"regexp"
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
	case len(c.Parts) > p.limits.ThreadParts:
		found.Reject([]string{"postInput", "posts"},
			fmt.Sprintf("a thread has at most %d posts, this one has %d", p.limits.ThreadParts, len(c.Parts)))
		return found
	}
	s, err := decodeSettings(c)
	if err != nil {
		found.Reject([]string{"platformSettings"}, "cannot be read")
		return found
	}
	checkScopes(a, c, s, &found)
	format := p.info.Formats[0]
	if c.Action == provider.Comment {
		format = *p.info.Comment
	}
	composed := c
	composed.Parts = make([]provider.Part, len(c.Parts))
	for i, part := range c.Parts {
		root := i == 0 && c.Action == provider.Post
		var card string
		composed.Parts[i] = part
		composed.Parts[i].Text, card = compose(part, root && s.LinkAttachment != "")
		checkPart(format, composed, i, card, root && hasAttachment(s), &found)
	}
	if c.Action == provider.Post || c.Action == "" {
		checkSettings(c, s, &found)
	}
	return found
}

func checkPart(format provider.Format, c provider.Content, part int, card string, attached bool,
	found *provider.Findings) {
	format.CheckPart(c, part, found)
	p := c.Parts[part]
	if strings.TrimSpace(p.Text) == "" && len(p.Media) == 0 && card == "" && !attached {
		found.Reject(c.Path(part, "text"), "a post needs text or media")
	}
	all := links(p.Text)
	if card != "" {
		all[card] = true
	}
	if len(all) > maxLinks {
		found.Reject(c.Path(part, "text"), fmt.Sprintf("may have %d different links, has %d", maxLinks, len(all)))
	}
}

// checkScopes checks for missing permissions in advance.
func checkScopes(a provider.Account, c provider.Content, s settings, found *provider.Findings) {
	lacks := func(scope string) bool { return len(a.Scopes) > 0 && !a.HasScope(scope) }
	if c.IsThread() && lacks(scopeReply) {
		found.Reject([]string{"postInput", "posts"},
			"the account was connected without the permission to reply ("+scopeReply+"), which a thread needs")
	}
	if s.LocationID != "" && lacks(scopeLocation) {
		found.Reject(provider.SettingPath("threadsLocationId"),
			"the account was connected without the permission "+scopeLocation)
	}
	if s.ShareToInstagramStory != "" && s.ShareToInstagramStory != off && lacks(scopeShareToStory) {
		found.Reject(provider.SettingPath("threadsShareToInstagramStory"),
			"the account was connected without the permission "+scopeShareToStory)
	}
}

// hasAttachment reports whether a setting adds visible content to a post without text.
func hasAttachment(s settings) bool {
	return s.Poll != nil || s.GIF != nil || s.TextAttachment != nil || s.LinkAttachment != "" || s.QuotePostID != ""
}

var countryCode = regexp.MustCompile(`^[A-Z]{2}$`)

// checkSettings checks settings against the content. They apply to the first post.
func checkSettings(c provider.Content, s settings, found *provider.Findings) {
	reject := func(wrong bool, key, message string) {
		if wrong {
			found.Reject(provider.SettingPath(key), message)
		}
	}
	hasMedia := len(c.Parts[0].Media) > 0
	textOnly := func(there bool, key string) { reject(there && hasMedia, key, "is for posts without media") }
	textOnly(s.Poll != nil, "threadsPoll")
	textOnly(s.GIF != nil, "threadsGif")
	textOnly(s.TextAttachment != nil, "threadsTextAttachment")
	textOnly(s.LinkAttachment != "", "threadsLinkAttachment")
	textOnly(s.GhostPost, "threadsGhostPost")
	reject(s.Poll != nil && s.LinkAttachment != "", "threadsLinkAttachment",
		"a post has a poll or a link card, not both")
	reject(s.Poll != nil && s.TextAttachment != nil, "threadsTextAttachment",
		"a post has a poll or a text attachment, not both")
	reject(s.GhostPost && s.ReplyToID != "", "threadsGhostPost", "a reply cannot disappear by itself")
	reject(s.GhostPost && c.IsThread(), "threadsGhostPost",
		"a post that disappears has no replies, so it cannot begin a thread")
	reject(strings.ContainsAny(s.TopicTag, ".&"), "threadsTopicTag", "must not contain . or &")
	for _, code := range s.AllowlistedCountryCodes {
		reject(!countryCode.MatchString(code), "threadsAllowlistedCountryCodes",
			fmt.Sprintf("%q is not an ISO 3166-1 code of two capitals", code))
	}
	length := utf8.RuneCountInString(c.Parts[0].Text)
	for _, span := range s.TextSpoilers {
		reject(span.Offset+span.Length > length, "threadsTextSpoilers",
			fmt.Sprintf("ends behind the text, which has %d characters", length))
	}
	if s.SpoilerMedia && !anyMedia(c) {
		found.Warn(provider.SettingPath("threadsSpoilerMedia"), "has no effect without media")
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

// NoComments says so for posts that disappear.
func (*Provider) NoComments(c provider.Content) string {
	if s, err := decodeSettings(c); err == nil && s.GhostPost {
		return "a post that disappears has no replies"
	}
	return ""
}
