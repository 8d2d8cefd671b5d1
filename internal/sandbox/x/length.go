package x

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// Lengths as X counts them: the twitter-text configuration, version 3.
const (
	maxWeight = 280
	urlWeight = 23
	// emojiWeight is also the weight of every code point outside of lightRanges.
	emojiWeight = 2
)

// lightRanges are the code points that weigh one.
var lightRanges = [][2]rune{{0x0000, 0x10FF}, {0x2000, 0x200D}, {0x2010, 0x201F}, {0x2032, 0x2037}}

var errForbiddenCharacter = errors.New("text holds a character that is not allowed")

// weigh returns the weighted length of a text. Texts with U+FFFE, U+FEFF or U+FFFF are invalid.
func weigh(text string) (int, error) {
	if strings.ContainsAny(text, "\uFFFE\uFEFF\uFFFF") || !utf8.ValidString(text) {
		return 0, errForbiddenCharacter
	}
	text = compose(text)
	weight, end := 0, 0
	for _, u := range findURLs(text) {
		weight += weighRunes([]rune(text[end:u.start])) + urlWeight
		end = u.end
	}
	return weight + weighRunes([]rune(text[end:])), nil
}

func weighRunes(runes []rune) int {
	weight := 0
	for len(runes) > 0 {
		if n := emojiLength(runes); n > 0 {
			weight += emojiWeight
			runes = runes[n:]
			continue
		}
		weight += weighRune(runes[0])
		runes = runes[1:]
	}
	return weight
}

func weighRune(r rune) int {
	for _, light := range lightRanges {
		if r >= light[0] && r <= light[1] {
			return 1
		}
	}
	return emojiWeight
}

const (
	zeroWidthJoiner   = 0x200D
	variationSelector = 0xFE0F
	keycap            = 0x20E3
	blackFlag         = 0x1F3F4
	cancelTag         = 0xE007F
)

// emojiLength returns the number of code points of the emoji at the start, or zero if there is none. A sequence of
// joined people, a flag, a keycap and a skin tone are one emoji.
func emojiLength(runes []rune) int {
	for _, measure := range []func([]rune) int{keycapLength, flagLength, tagFlagLength} {
		if n := measure(runes); n > 0 {
			return n
		}
	}
	n := elementLength(runes)
	for n > 0 && n < len(runes) && runes[n] == zeroWidthJoiner {
		next := elementLength(runes[n+1:])
		if next == 0 {
			break
		}
		n += 1 + next
	}
	return n
}

func keycapLength(runes []rune) int {
	if !strings.ContainsRune("0123456789#*", runes[0]) {
		return 0
	}
	n := 1
	if n < len(runes) && runes[n] == variationSelector {
		n++
	}
	if n < len(runes) && runes[n] == keycap {
		return n + 1
	}
	return 0
}

// flagLength returns the length of a country's flag: two regional indicators.
func flagLength(runes []rune) int {
	if len(runes) > 1 && isRegional(runes[0]) && isRegional(runes[1]) {
		return 2
	}
	return 0
}

func isRegional(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }

// tagFlagLength returns the length of a region's flag: a black flag with an invisible name.
func tagFlagLength(runes []rune) int {
	if runes[0] != blackFlag {
		return 0
	}
	end := slices.Index(runes, cancelTag)
	if end < 2 {
		return 0
	}
	for _, r := range runes[1:end] {
		if r < 0xE0020 || r > 0xE007E {
			return 0
		}
	}
	return end + 1
}

// elementLength returns the length of one pictograph with its variation selector or skin tone.
func elementLength(runes []rune) int {
	if len(runes) == 0 || !isPictograph(runes[0]) {
		return 0
	}
	if len(runes) > 1 && (runes[1] == variationSelector || isSkinTone(runes[1])) {
		return 2
	}
	if weighRune(runes[0]) == 1 {
		return 0 // © and ® alone are text
	}
	return 1
}

func isSkinTone(r rune) bool { return r >= 0x1F3FB && r <= 0x1F3FF }

// pictographs are the blocks of emoji, and single ones elsewhere.
var pictographs = [][2]rune{
	{0x00A9, 0x00A9}, {0x00AE, 0x00AE}, {0x203C, 0x203C}, {0x2049, 0x2049}, {0x2122, 0x2122}, {0x2139, 0x2139},
	{0x2190, 0x21FF}, {0x2300, 0x23FF}, {0x24C2, 0x24C2}, {0x25A0, 0x25FF}, {0x2600, 0x27BF}, {0x2934, 0x2935},
	{0x2B00, 0x2BFF}, {0x3030, 0x3030}, {0x303D, 0x303D}, {0x3297, 0x3297}, {0x3299, 0x3299}, {0x1F000, 0x1FAFF},
}

func isPictograph(r rune) bool {
	for _, p := range pictographs {
		if r >= p[0] && r <= p[1] {
			return true
		}
	}
	return false
}
