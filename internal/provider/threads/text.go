package threads

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"crier/internal/provider"
)

// weigh returns the length of a text as Threads counts it: characters, but emoji by their UTF-8 bytes.
func weigh(text string) int {
	total := 0
	for _, r := range text {
		if partOfEmoji(r) {
			total += utf8.RuneLen(r)
		} else {
			total++
		}
	}
	return total
}

// emojiRanges are the blocks of emoji, their joiners and modifiers. Other symbols of the same blocks are counted like
// emoji too, which errs on the safe side.
var emojiRanges = [][2]rune{
	{0x00A9, 0x00A9}, {0x00AE, 0x00AE}, {0x200D, 0x200D}, {0x203C, 0x203C}, {0x2049, 0x2049}, {0x20E3, 0x20E3},
	{0x2122, 0x2122}, {0x2139, 0x2139}, {0x2194, 0x21AA}, {0x231A, 0x23FF}, {0x24C2, 0x24C2}, {0x25AA, 0x27BF},
	{0x2934, 0x2935}, {0x2B05, 0x2B55}, {0x3030, 0x3030}, {0x303D, 0x303D}, {0x3297, 0x3299}, {0xFE0F, 0xFE0F},
	{0x1F000, 0x1FAFF}, {0xE0020, 0xE007F},
}

func partOfEmoji(r rune) bool {
	for _, span := range emojiRanges {
		if r >= span[0] && r <= span[1] {
			return true
		}
	}
	return false
}

var linkPattern = regexp.MustCompile(`(?i)\bhttps?://[^\s<>"]+`)

// links returns the distinct URLs in a text.
func links(text string) map[string]bool {
	found := map[string]bool{}
	for _, address := range linkPattern.FindAllString(text, -1) {
		found[strings.TrimRight(address, ".,;:!?)'")] = true
	}
	return found
}

// compose places the link attachments of a part: the first becomes the card of a post without media, all others are
// added to the text.
func compose(p provider.Part, hasCard bool) (text, card string) {
	text = p.Text
	for _, link := range p.Links {
		switch {
		case provider.ContainsLink(text, link.URL):
		case card == "" && !hasCard && len(p.Media) == 0:
			card = link.URL
		default:
			text = provider.AppendLink(text, link.URL)
		}
	}
	return text, card
}
