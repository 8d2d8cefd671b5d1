package enrich

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Undetermined is the language tag of texts that are too short or too mixed to tell.
const Undetermined = "und"

const (
	// maxLetters is how much of a text is looked at: more does not make the answer better.
	maxLetters = 2000
	// denseWeight makes up for scripts that need fewer characters for a word than alphabets do.
	denseWeight = 3
	// minSyllables is the share of kana from which on a text with Chinese characters is Japanese, in percent.
	minSyllables = 10
)

// script is a writing system, and the language that stands for it when it is the only or by far the largest one there.
type script struct {
	tables   []*unicode.RangeTable
	language string
}

// scripts are in the order in which they are looked up and, at equal counts, preferred.
var scripts = []script{
	latin, cyrillic, han, arabic,
	{tables: []*unicode.RangeTable{unicode.Hangul}, language: "ko"},
	{tables: []*unicode.RangeTable{unicode.Devanagari}, language: "hi"},
	{tables: []*unicode.RangeTable{unicode.Thai}, language: "th"},
	{tables: []*unicode.RangeTable{unicode.Hebrew}, language: "he"},
	{tables: []*unicode.RangeTable{unicode.Greek}, language: "el"},
	{tables: []*unicode.RangeTable{unicode.Bengali}, language: "bn"},
	{tables: []*unicode.RangeTable{unicode.Tamil}, language: "ta"},
	{tables: []*unicode.RangeTable{unicode.Telugu}, language: "te"},
	{tables: []*unicode.RangeTable{unicode.Gujarati}, language: "gu"},
	{tables: []*unicode.RangeTable{unicode.Gurmukhi}, language: "pa"},
	{tables: []*unicode.RangeTable{unicode.Kannada}, language: "kn"},
	{tables: []*unicode.RangeTable{unicode.Malayalam}, language: "ml"},
	{tables: []*unicode.RangeTable{unicode.Sinhala}, language: "si"},
	{tables: []*unicode.RangeTable{unicode.Myanmar}, language: "my"},
	{tables: []*unicode.RangeTable{unicode.Khmer}, language: "km"},
	{tables: []*unicode.RangeTable{unicode.Lao}, language: "lo"},
	{tables: []*unicode.RangeTable{unicode.Georgian}, language: "ka"},
	{tables: []*unicode.RangeTable{unicode.Armenian}, language: "hy"},
	{tables: []*unicode.RangeTable{unicode.Ethiopic}, language: "am"},
}

// Scripts that several known languages share.
var (
	latin    = script{tables: []*unicode.RangeTable{unicode.Latin}}
	cyrillic = script{tables: []*unicode.RangeTable{unicode.Cyrillic}}
	han      = script{tables: []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana}}
	arabic   = script{tables: []*unicode.RangeTable{unicode.Arabic}}
)

// detectLanguage returns the BCP 47 tag of the language that most of the text is written in, or Undetermined. Links, tags
// and names should be removed before.
func detectLanguage(text string) string {
	text = strings.ToLower(norm.NFC.String(text))
	main := mainScript(text)
	switch {
	case main == nil:
		return Undetermined
	case main.language != "":
		return main.language
	case main.has('漢'):
		return chineseOrJapanese(text)
	case main.has('ع'):
		return arabicOrNeighbour(text)
	}
	return letterModels()[main.tables[0]].detect(text)
}

// mainScript returns the script of most letters, nil when there are none of a known one.
func mainScript(text string) *script {
	counts := make([]int, len(scripts))
	letters := 0
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		if letters++; letters > maxLetters {
			break
		}
		for i := range scripts {
			if scripts[i].has(r) {
				counts[i] += letterWeight(r)
				break
			}
		}
	}
	best := 0
	for i, count := range counts {
		if count > counts[best] {
			best = i
		}
	}
	if counts[best] == 0 {
		return nil
	}
	return &scripts[best]
}

func (s *script) has(r rune) bool { return unicode.In(r, s.tables...) }

func letterWeight(r rune) int {
	if denseScript(r) != 0 {
		return denseWeight
	}
	return 1
}

// chineseOrJapanese tells them apart by the syllables that only Japanese has.
func chineseOrJapanese(text string) string {
	characters, syllables := 0, 0
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			syllables++
		case unicode.Is(unicode.Han, r):
			characters++
		}
	}
	if syllables*100 >= (characters+syllables)*minSyllables {
		return "ja"
	}
	return "zh"
}

// arabicOrNeighbour tells Arabic from Urdu and Persian by the letters that Arabic lacks.
func arabicOrNeighbour(text string) string {
	switch {
	case strings.ContainsAny(text, "ٹڈڑںے"):
		return "ur"
	case strings.ContainsAny(text, "پچژگکی"):
		return "fa"
	}
	return "ar"
}
