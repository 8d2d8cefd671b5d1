package linkedin

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Commentary is "little text": reserved characters begin elements such as mentions, and one that stands there unescaped
// does not fail but silently cuts the post off at that point (documentation: little text format).

// reserved are the characters that must be escaped to be themselves.
const reserved = `|{}@[]()<>#\*_~`

// mention is a person or organization that a text names.
type mention struct {
	URN  string `json:"urn"`
	Name string `json:"name"`
}

// commentary returns a text as it is sent: reserved characters escaped, hashtags left to be hashtags, and every "@name"
// of a mention turned into one.
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

// mentionAt finds the mention that the text begins with, the longest name first.
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

// beginsHashtag is true for a # at the beginning of a word and with one behind it.
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
	// storedHashtag is how LinkedIn gives a hashtag back: {hashtag|\#|word}.
	storedHashtag = regexp.MustCompile(`\{hashtag\|\\?#\|((?:[^}\\]|\\.)*)\}`)
	storedMention = regexp.MustCompile(`@\[((?:[^\]\\]|\\.)*)\]\([^)]*\)`)
	escapedRune   = regexp.MustCompile(`\\([|{}@\[\]()<>#\\*_~])`)
)

// visible returns what a reader sees of a commentary, ours or LinkedIn's: the form in which they are compared.
func visible(commentary string) string {
	commentary = storedHashtag.ReplaceAllString(commentary, "#$1")
	commentary = storedMention.ReplaceAllString(commentary, "$1")
	return strings.TrimSpace(escapedRune.ReplaceAllString(commentary, "$1"))
}
