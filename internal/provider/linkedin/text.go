package linkedin

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Commentary is "little text": reserved characters start elements such as mentions, and an unescaped one does not fail
// but silently truncates the post at that point (documentation: little text format).

// reserved are the characters that must be escaped.
const reserved = `|{}@[]()<>#\*_~`

// mention is a person or organization mentioned in a text.
type mention struct {
	URN  string `json:"urn"`
	Name string `json:"name"`
}

// commentary returns the text to send: reserved characters escaped, hashtags kept, and every "@name" of a mention
// converted.
func commentary(text string, mentions []mention) string {
	var out strings.Builder
	previous := ' '
	for text != "" {
		if m, ok := mentionAt(text, mentions); ok {
			out.WriteString("@[" + escape(m.Name) + "](" + m.URN + ")")
			text = text[1+len(m.Name):]
			previous = ' '
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		if strings.ContainsRune(reserved, r) && !(r == '#' && beginsHashtag(previous, text[size:])) {
			out.WriteByte('\\')
		}
		out.WriteString(text[:size])
		previous = r
		text = text[size:]
	}
	return out.String()
}

// mentionAt finds the mention at the start of the text, the longest name first.
func mentionAt(text string, mentions []mention) (found mention, ok bool) {
	if !strings.HasPrefix(text, "@") {
		return mention{}, false
	}
	for _, m := range mentions {
		if strings.HasPrefix(text[1:], m.Name) && len(m.Name) > len(found.Name) {
			found, ok = m, true
		}
	}
	return found, ok
}

// beginsHashtag reports whether a # starts a word and is followed by one.
func beginsHashtag(previous rune, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	return !isWord(previous) && previous != '#' && previous != '&' && isWord(next)
}

func isWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_')
}

func escape(text string) string {
	var out strings.Builder
	for _, r := range text {
		if strings.ContainsRune(reserved, r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}

var (
	// storedHashtag is how LinkedIn returns a hashtag: {hashtag|\#|word}.
	storedHashtag = regexp.MustCompile(`\{hashtag\|\\?#\|((?:[^}\\]|\\.)*)\}`)
	storedMention = regexp.MustCompile(`@\[((?:[^\]\\]|\\.)*)\]\([^)]*\)`)
	escapedRune   = regexp.MustCompile(`\\([|{}@\[\]()<>#\\*_~])`)
)

// visible returns the visible text of a commentary, ours or LinkedIn's, for comparison.
func visible(commentary string) string {
	commentary = storedHashtag.ReplaceAllString(commentary, "#$1")
	commentary = storedMention.ReplaceAllString(commentary, "$1")
	return strings.TrimSpace(escapedRune.ReplaceAllString(commentary, "$1"))
}
