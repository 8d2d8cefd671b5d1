package threads

import (
	"regexp"
	"unicode"
	"unicode/utf8"
)

// emoji are the characters that are displayed as emoji by default.
var emoji = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x20e3, 0x20e3, 1}, {0x231a, 0x231b, 1}, {0x23e9, 0x23ec, 1}, {0x23f0, 0x23f0, 1}, {0x23f3, 0x23f3, 1},
		{0x25fd, 0x25fe, 1},
		{0x2614, 0x2615, 1}, {0x2648, 0x2653, 1}, {0x267f, 0x267f, 1}, {0x2693, 0x2693, 1}, {0x26a1, 0x26a1, 1},
		{0x26aa, 0x26ab, 1},
		{0x26bd, 0x26be, 1}, {0x26c4, 0x26c5, 1}, {0x26ce, 0x26ce, 1}, {0x26d4, 0x26d4, 1}, {0x26ea, 0x26ea, 1},
		{0x26f2, 0x26f3, 1},
		{0x26f5, 0x26f5, 1}, {0x26fa, 0x26fa, 1}, {0x26fd, 0x26fd, 1}, {0x2705, 0x2705, 1}, {0x270a, 0x270b, 1},
		{0x2728, 0x2728, 1},
		{0x274c, 0x274c, 1}, {0x274e, 0x274e, 1}, {0x2753, 0x2755, 1}, {0x2757, 0x2757, 1}, {0x2795, 0x2797, 1},
		{0x27b0, 0x27b0, 1},
		{0x27bf, 0x27bf, 1}, {0x2b1b, 0x2b1c, 1}, {0x2b50, 0x2b50, 1}, {0x2b55, 0x2b55, 1},
	},
	R32: []unicode.Range32{{0x1f000, 0x1faff, 1}, {0xe0020, 0xe007f, 1}},
}

const (
	joiner   = '\u200d'
	asEmoji  = '\ufe0f' // displays the character before it as an emoji
	lastMark = '\U0010ffff'
)

// length returns the length of a text as Threads counts it: characters, but the UTF-8 bytes of emoji.
func length(text string) int {
	total := 0
	runes := append([]rune(text), lastMark)
	inEmoji := false
	for i, r := range runes[:len(runes)-1] {
		isPart := unicode.Is(emoji, r) || r == asEmoji || runes[i+1] == asEmoji || (r == joiner && inEmoji)
		if isPart {
			total += utf8.RuneLen(r)
		} else {
			total++
		}
		inEmoji = isPart
	}
	return total
}

var linkPattern = regexp.MustCompile(`https?://[^\s]+`)

// countLinks returns the number of distinct URLs in a text and its attachment.
func countLinks(text, attachment string) int {
	links := map[string]bool{}
	for _, link := range linkPattern.FindAllString(text, -1) {
		links[link] = true
	}
	if attachment != "" {
		links[attachment] = true
	}
	return len(links)
}
