package linkedin

import (
	"regexp"
	"strings"
	"unicode/utf16"
)

// reserved are the characters with a meaning in the little text format unless escaped by a backslash.
const reserved = `|{}@[]()<>#\*_~`

var (
	hashtag  = regexp.MustCompile(`^#[\p{L}\p{N}_]+`)
	template = regexp.MustCompile(`^\{hashtag\|\\#\|([\p{L}\p{N}_]+)\}`)
	mention  = regexp.MustCompile(`^@\[([^\]]+)\]\(urn:li:(?:person|organization):[A-Za-z0-9_-]+\)`)
)

// littleText is a commentary as LinkedIn stores it.
type littleText struct {
	// stored is returned by reads: hashtags in their long form.
	stored string
	// visible is the visible text.
	visible string
}

// parseLittleText parses a commentary. A reserved character that is neither escaped nor part of a hashtag or a mention
// truncates it there, without an error: that is what LinkedIn does.
func parseLittleText(text string) littleText {
	var stored, visible strings.Builder
	for text != "" {
		if tag := hashtag.FindString(text); tag != "" {
			stored.WriteString(`{hashtag|\#|` + tag[1:] + `}`)
			visible.WriteString(tag)
			text = text[len(tag):]
			continue
		}
		if m := template.FindStringSubmatch(text); m != nil {
			stored.WriteString(m[0])
			visible.WriteString("#" + m[1])
			text = text[len(m[0]):]
			continue
		}
		if m := mention.FindStringSubmatch(text); m != nil {
			stored.WriteString(m[0])
			visible.WriteString(m[1])
			text = text[len(m[0]):]
			continue
		}
		if text[0] == '\\' && len(text) > 1 && strings.IndexByte(reserved, text[1]) >= 0 {
			stored.WriteString(text[:2])
			visible.WriteByte(text[1])
			text = text[2:]
			continue
		}
		plain := strings.IndexAny(text, reserved)
		if plain == 0 {
			break
		}
		if plain < 0 {
			plain = len(text)
		}
		stored.WriteString(text[:plain])
		visible.WriteString(text[:plain])
		text = text[plain:]
	}
	return littleText{stored: stored.String(), visible: visible.String()}
}

// length returns the length of a text as LinkedIn counts it: in UTF-16 units.
func length(text string) int { return len(utf16.Encode([]rune(text))) }
