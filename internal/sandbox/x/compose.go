package x

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

// compositions.txt lists the canonical compositions of Unicode 14 in hexadecimal: a base, a mark, and their
// composition; a zero mark means that the base alone has another form. It is derived from UnicodeData.txt.
//
//go:embed compositions.txt
var compositionLines string

var compositions = sync.OnceValue(func() map[[2]rune]rune {
	table := map[[2]rune]rune{}
	for entry := range strings.Lines(compositionLines) {
		var base, mark, whole rune
		if _, err := fmt.Sscanf(entry, "%X %X %X", &base, &mark, &whole); err == nil {
			table[[2]rune{base, mark}] = whole
		}
	}
	return table
})

// compose composes letters and marks, as Unicode's normalization form C does. It does not reorder marks, which only
// affects the length of texts with marks in an unusual order.
func compose(text string) string {
	if isComposed(text) {
		return text
	}
	table := compositions()
	var out []rune
	base := -1 // the position of the last letter that can take marks
	for _, r := range text {
		if single, ok := table[[2]rune{r, 0}]; ok {
			r = single
		}
		if base >= 0 {
			if whole, ok := composePair(table, out[base], r); ok {
				out[base] = whole
				continue
			}
		}
		out = append(out, r)
		if !isMark(r) {
			base = len(out) - 1
		}
	}
	return string(out)
}

// isComposed reports whether nothing in a text can be composed: all characters are below U+0300.
func isComposed(text string) bool {
	for _, r := range text {
		if r >= 0x0300 {
			return false
		}
	}
	return true
}

func composePair(table map[[2]rune]rune, base, mark rune) (rune, bool) {
	if whole, ok := composeHangul(base, mark); ok {
		return whole, true
	}
	whole, ok := table[[2]rune{base, mark}]
	return whole, ok && mark != 0
}

// composeHangul composes the letters of a Korean syllable, by arithmetic (The Unicode Standard, section 3.12).
func composeHangul(base, next rune) (rune, bool) {
	const (
		firstSyllable, lastSyllable = 0xAC00, 0xD7A3
		firstLead, leads            = 0x1100, 19
		firstVowel, vowels          = 0x1161, 21
		beforeTails, tails          = 0x11A7, 28
	)
	switch {
	case base >= firstLead && base < firstLead+leads && next >= firstVowel && next < firstVowel+vowels:
		return firstSyllable + ((base-firstLead)*vowels+next-firstVowel)*tails, true
	case base >= firstSyllable && base <= lastSyllable && (base-firstSyllable)%tails == 0 && next > beforeTails &&
		next < beforeTails+tails:
		return base + next - beforeTails, true
	}
	return 0, false
}
