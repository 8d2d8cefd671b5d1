package enrich

import "unicode"

// emojiLength returns how many of the runes form the emoji at their start, zero if there is none. Sequences are one
// emoji: flags, keycaps, skin tones, and emoji connected by joiners. Variation selectors must already be removed.
func emojiLength(runes []rune) int {
	if len(runes) >= 2 {
		switch {
		case isRegional(runes[0]) && isRegional(runes[1]):
			return 2
		case isKeycapBase(runes[0]) && runes[1] == keycap:
			return 2
		}
	}
	if len(runes) == 0 || !unicode.Is(unicode.So, runes[0]) {
		return 0
	}
	length := 1 + modifiers(runes[1:])
	for length+1 < len(runes) && runes[length] == joiner && isEmojiPart(runes[length+1]) {
		length += 2 + modifiers(runes[length+2:])
	}
	return length
}

// modifiers counts the skin tones and tag characters (of the flags of regions) at the start of the runes.
func modifiers(runes []rune) int {
	for i, r := range runes {
		if !isSkinTone(r) && !isEmojiTag(r) {
			return i
		}
	}
	return len(runes)
}

// withoutTones returns the emoji without skin tones.
func withoutTones(emoji []rune) string {
	plain := make([]rune, 0, len(emoji))
	for _, r := range emoji {
		if !isSkinTone(r) {
			plain = append(plain, r)
		}
	}
	return string(plain)
}

const keycap = '\u20e3'

// isEmojiPart reports whether a joiner can connect r to an emoji: besides pictures there are signs such as arrows.
func isEmojiPart(r rune) bool  { return unicode.In(r, unicode.So, unicode.Sm) }
func isKeycapBase(r rune) bool { return '0' <= r && r <= '9' || r == '#' || r == '*' }
func isRegional(r rune) bool   { return 0x1f1e6 <= r && r <= 0x1f1ff }
func isSkinTone(r rune) bool   { return 0x1f3fb <= r && r <= 0x1f3ff }
func isEmojiTag(r rune) bool   { return 0xe0020 <= r && r <= 0xe007f }
