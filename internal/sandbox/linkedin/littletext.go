package linkedin

import (
	"regexp"
	"strings"
	"unicode/utf16"
)

// reserved are the characters that mean something in the little text format unless a backslash stands before them.
const reserved = `|{}@[]()<>#\*_~`

var (
	hashtag  = regexp.MustCompile(`^#[\p{L}\p{N}_]+`)
	template = regexp.MustCompile(`^\{hashtag\|\\#\|([\p{L}\p{N}_]+)\}`)
	mention  = regexp.MustCompile(`^@\[([^\]]+)\]\(urn:li:(?:person|organization):[A-Za-z0-9_-]+\)`)
)

// littleText is a commentary as LinkedIn keeps it.
type littleText struct {
	// stored is what reads return: hashtags in their long form.
	stored string
	// visible is what people see.
	visible string
}

// parseLittleText reads a commentary. A reserved character that is neither escaped nor part of a hashtag or a mention
// ends it there, without an error: that is what LinkedIn does.
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

// length counts a text as LinkedIn does: in UTF-16 units.
func length(text string) int { return len(utf16.Encode([]rune(text))) }
