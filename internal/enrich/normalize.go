package enrich

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// joiner is the zero-width joiner. It connects emoji; between letters it changes their shape but not the word.
const joiner = '\u200d'

// maxMarks is the number of combining marks kept on one character. No spelling needs more; stacked ones are decoration.
const maxMarks = 8

// foldRounds is enough rounds of folding and normalizing for a stable result: each can undo the other's form at most
// twice.
const foldRounds = 4

// normalize converts equivalent spellings to one form: compatibility characters and letter case are folded, optional
// vowel signs of Arabic and Hebrew and invisible characters are removed.
func normalize(text string) string {
	text = dropIgnorable(strings.ToValidUTF8(text, " "))
	for range foldRounds {
		folded := dropIgnorable(norm.NFKC.String(cases.Fold().String(norm.NFKC.String(text))))
		if folded == text {
			break
		}
		text = folded
	}
	return text
}

// withoutAccents removes the accents that people omit when they search: those of Latin and Greek letters, and the dots
// of the Russian ё. In other scripts marks form different letters.
func withoutAccents(text string) string {
	if isASCII(text) {
		return text
	}
	accented := false
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			if accented {
				return -1
			}
			return r
		}
		accented = unicode.In(r, unicode.Latin, unicode.Greek) || r == 'е'
		return r
	}, norm.NFD.String(text))
	return norm.NFC.String(plain)
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// dropIgnorable drops what normalize removes. It drops joiners that connect no emoji before composition: marks
// separated by a joiner would otherwise be combined later, in another order or uncomposed.
func dropIgnorable(text string) string {
	if isASCII(text) {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	marks, last := 0, rune(0)
	for i, r := range text {
		if ignorable(r) || r == joiner && !tiesEmoji(last, text[i+utf8.RuneLen(r):]) {
			continue
		}
		if !unicode.Is(unicode.M, r) {
			marks = 0
		} else if marks++; marks > maxMarks {
			continue
		}
		out.WriteRune(r)
		last = r
	}
	return out.String()
}

// tiesEmoji reports whether a joiner between a character and the rest of a text forms one emoji.
func tiesEmoji(before rune, rest string) bool {
	after, _ := utf8.DecodeRuneInString(rest)
	return (isEmojiPart(before) || isSkinTone(before) || isEmojiTag(before)) && isEmojiPart(after)
}

func ignorable(r rune) bool {
	switch {
	case r < 0x80, r == joiner, isEmojiTag(r):
		return false
	case r == '\u0640': // tatweel, which only stretches an Arabic word
		return true
	case r == '\u034f': // grapheme joiner
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, vowelSigns)
}

// vowelSigns are the harakat of Arabic and the points and accents of Hebrew, which are omitted in everyday writing.
var vowelSigns = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x0591, Hi: 0x05bd, Stride: 1},
	{Lo: 0x05bf, Hi: 0x05bf, Stride: 1},
	{Lo: 0x05c1, Hi: 0x05c2, Stride: 1},
	{Lo: 0x05c4, Hi: 0x05c5, Stride: 1},
	{Lo: 0x05c7, Hi: 0x05c7, Stride: 1},
	{Lo: 0x0610, Hi: 0x061a, Stride: 1},
	{Lo: 0x064b, Hi: 0x0652, Stride: 1},
	{Lo: 0x0670, Hi: 0x0670, Stride: 1},
	{Lo: 0x06d6, Hi: 0x06dc, Stride: 1},
	{Lo: 0x06df, Hi: 0x06e4, Stride: 1},
	{Lo: 0x06e7, Hi: 0x06e8, Stride: 1},
	{Lo: 0x06ea, Hi: 0x06ed, Stride: 1},
}}
