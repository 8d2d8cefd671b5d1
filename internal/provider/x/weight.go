package x

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Weights of twitter-text, config v3.
const (
	urlWeight   = 23
	emojiWeight = 2
	heavyWeight = 2
	lightWeight = 1
)

// weigh returns the length of a text as X counts it: every URL counts 23, an emoji sequence 2, other characters 1 or 2.
func weigh(text string) int {
	text = norm.NFC.String(text)
	total, from := 0, 0
	for _, u := range findURLs(text) {
		total += weighPlain(text[from:u.start]) + urlWeight
		from = u.end
	}
	return total + weighPlain(text[from:])
}

func weighPlain(text string) int {
	total := 0
	for text != "" {
		if n := emojiLength(text); n > 0 {
			total += emojiWeight
			text = text[n:]
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		if isLight(r) {
			total += lightWeight
		} else {
			total += heavyWeight
		}
		text = text[size:]
	}
	return total
}

func isLight(r rune) bool {
	return r <= 0x10FF || 0x2000 <= r && r <= 0x200D || 0x2010 <= r && r <= 0x201F || 0x2032 <= r && r <= 0x2037
}

// Code points that connect emoji sequences.
const (
	zeroWidthJoiner  = 0x200D
	emojiPresenter   = 0xFE0F
	textPresenter    = 0xFE0E
	enclosingKeycap  = 0x20E3
	firstIndicator   = 0x1F1E6 // regional indicators, two of which form a flag
	lastIndicator    = 0x1F1FF
	firstSkinTone    = 0x1F3FB
	lastSkinTone     = 0x1F3FF
	firstTag         = 0xE0020 // tags spell out the flags of regions
	cancelTag        = 0xE007F
	blackFlag        = 0x1F3F4
	copyrightSign    = 0xA9
	registeredSign   = 0xAE
	trademarkSign    = 0x2122
	chessPawn        = 0x265F
	lastKeycapSymbol = '9'
)

// emojiLength returns the length in bytes of the emoji sequence at the start of text, or 0.
func emojiLength(text string) int {
	if n := keycapLength(text); n > 0 {
		return n
	}
	if n := flagLength(text); n > 0 {
		return n
	}
	n := emojiElement(text)
	if n == 0 {
		return 0
	}
	for {
		joiner, size := utf8.DecodeRuneInString(text[n:])
		if joiner != zeroWidthJoiner {
			return n
		}
		next := emojiElement(text[n+size:])
		if next == 0 {
			return n
		}
		n += size + next
	}
}

// keycapLength matches sequences such as 1️⃣.
func keycapLength(text string) int {
	r, n := utf8.DecodeRuneInString(text)
	if r != '#' && r != '*' && (r < '0' || r > lastKeycapSymbol) {
		return 0
	}
	next, size := utf8.DecodeRuneInString(text[n:])
	if next == emojiPresenter {
		n += size
		next, size = utf8.DecodeRuneInString(text[n:])
	}
	if next != enclosingKeycap {
		return 0
	}
	return n + size
}

// flagLength matches two regional indicators.
func flagLength(text string) int {
	first, n := utf8.DecodeRuneInString(text)
	second, m := utf8.DecodeRuneInString(text[n:])
	if isIndicator(first) && isIndicator(second) {
		return n + m
	}
	return 0
}

func isIndicator(r rune) bool { return firstIndicator <= r && r <= lastIndicator }

// emojiElement matches one emoji with its modifiers: presentation, skin tone, tags.
func emojiElement(text string) int {
	r, n := utf8.DecodeRuneInString(text)
	if !unicode.Is(emoji, r) {
		return 0
	}
	next, size := utf8.DecodeRuneInString(text[n:])
	switch {
	case next == textPresenter:
		return 0
	case next == emojiPresenter, firstSkinTone <= next && next <= lastSkinTone:
		return n + size
	case r == blackFlag && firstTag <= next && next < cancelTag:
		return n + tagsLength(text[n:])
	case r == copyrightSign, r == registeredSign, r == trademarkSign, r == chessPawn:
		return 0 // plain characters unless an emoji presentation follows
	}
	return n
}

func tagsLength(text string) int {
	n := 0
	for {
		r, size := utf8.DecodeRuneInString(text[n:])
		if r < firstTag || r > cancelTag {
			return n
		}
		n += size
		if r == cancelTag {
			return n
		}
	}
}

// emoji are the code points that can start an emoji or follow a joiner (Unicode emoji data, property Emoji).
var emoji = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x00A9, 0x00A9, 1}, {0x00AE, 0x00AE, 1}, {0x203C, 0x203C, 1}, {0x2049, 0x2049, 1}, {0x2122, 0x2122, 1},
		{0x2139, 0x2139, 1}, {0x2194, 0x2199, 1}, {0x21A9, 0x21AA, 1}, {0x231A, 0x231B, 1}, {0x2328, 0x2328, 1},
		{0x23CF, 0x23CF, 1}, {0x23E9, 0x23F3, 1}, {0x23F8, 0x23FA, 1}, {0x24C2, 0x24C2, 1}, {0x25AA, 0x25AB, 1},
		{0x25B6, 0x25B6, 1}, {0x25C0, 0x25C0, 1}, {0x25FB, 0x25FE, 1}, {0x2600, 0x2604, 1}, {0x260E, 0x260E, 1},
		{0x2611, 0x2611, 1}, {0x2614, 0x2615, 1}, {0x2618, 0x2618, 1}, {0x261D, 0x261D, 1}, {0x2620, 0x2620, 1},
		{0x2622, 0x2623, 1}, {0x2626, 0x2626, 1}, {0x262A, 0x262A, 1}, {0x262E, 0x262F, 1}, {0x2638, 0x263A, 1},
		{0x2640, 0x2640, 1}, {0x2642, 0x2642, 1}, {0x2648, 0x2653, 1}, {0x265F, 0x2660, 1}, {0x2663, 0x2663, 1},
		{0x2665, 0x2666, 1}, {0x2668, 0x2668, 1}, {0x267B, 0x267B, 1}, {0x267E, 0x267F, 1}, {0x2692, 0x2697, 1},
		{0x2699, 0x2699, 1}, {0x269B, 0x269C, 1}, {0x26A0, 0x26A1, 1}, {0x26A7, 0x26A7, 1}, {0x26AA, 0x26AB, 1},
		{0x26B0, 0x26B1, 1}, {0x26BD, 0x26BE, 1}, {0x26C4, 0x26C5, 1}, {0x26C8, 0x26C8, 1}, {0x26CE, 0x26CF, 1},
		{0x26D1, 0x26D1, 1}, {0x26D3, 0x26D4, 1}, {0x26E9, 0x26EA, 1}, {0x26F0, 0x26F5, 1}, {0x26F7, 0x26FA, 1},
		{0x26FD, 0x26FD, 1}, {0x2702, 0x2702, 1}, {0x2705, 0x2705, 1}, {0x2708, 0x270D, 1}, {0x270F, 0x270F, 1},
		{0x2712, 0x2712, 1}, {0x2714, 0x2714, 1}, {0x2716, 0x2716, 1}, {0x271D, 0x271D, 1}, {0x2721, 0x2721, 1},
		{0x2728, 0x2728, 1}, {0x2733, 0x2734, 1}, {0x2744, 0x2744, 1}, {0x2747, 0x2747, 1}, {0x274C, 0x274C, 1},
		{0x274E, 0x274E, 1}, {0x2753, 0x2755, 1}, {0x2757, 0x2757, 1}, {0x2763, 0x2764, 1}, {0x2795, 0x2797, 1},
		{0x27A1, 0x27A1, 1}, {0x27B0, 0x27B0, 1}, {0x27BF, 0x27BF, 1}, {0x2934, 0x2935, 1}, {0x2B05, 0x2B07, 1},
		{0x2B1B, 0x2B1C, 1}, {0x2B50, 0x2B50, 1}, {0x2B55, 0x2B55, 1}, {0x3030, 0x3030, 1}, {0x303D, 0x303D, 1},
		{0x3297, 0x3297, 1}, {0x3299, 0x3299, 1},
	},
	R32: []unicode.Range32{
		{0x1F004, 0x1F004, 1}, {0x1F0CF, 0x1F0CF, 1}, {0x1F170, 0x1F171, 1}, {0x1F17E, 0x1F17F, 1},
		{0x1F18E, 0x1F18E, 1},
		{0x1F191, 0x1F19A, 1}, {0x1F1E6, 0x1F1FF, 1}, {0x1F201, 0x1F202, 1}, {0x1F21A, 0x1F21A, 1},
		{0x1F22F, 0x1F22F, 1},
		{0x1F232, 0x1F23A, 1}, {0x1F250, 0x1F251, 1}, {0x1F300, 0x1F64F, 1}, {0x1F680, 0x1F6FF, 1},
		{0x1F7E0, 0x1F7EB, 1},
		{0x1F7F0, 0x1F7F0, 1}, {0x1F900, 0x1F9FF, 1}, {0x1FA70, 0x1FAFF, 1},
	},
	LatinOffset: 2,
}
