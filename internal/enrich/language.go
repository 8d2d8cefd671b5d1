package enrich

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Undetermined is the language tag of texts that are too short or too mixed to detect.
const Undetermined = "und"

const (
	// maxLetters is how much of a text is analyzed: more does not improve the result.
	maxLetters = 2000
	// denseWeight compensates for scripts that need fewer characters per word than alphabets.
	denseWeight = 3
	// minSyllables is the minimum share of kana, in percent, from which a text with Chinese characters is Japanese.
	minSyllables = 10
)

// script is a writing system, and how to detect the language of a text in it.
type script struct {
	tables []*unicode.RangeTable
	detect func(text string) string
}

// scripts are in the order of lookup and, at equal counts, of preference.
var scripts = []script{
	{[]*unicode.RangeTable{unicode.Latin}, byLetters(unicode.Latin)},
	{[]*unicode.RangeTable{unicode.Cyrillic}, byLetters(unicode.Cyrillic)},
	{[]*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana}, chineseOrJapanese},
	{[]*unicode.RangeTable{unicode.Arabic}, arabicOrNeighbour},
	{[]*unicode.RangeTable{unicode.Hangul}, always("ko")},
	{[]*unicode.RangeTable{unicode.Devanagari}, always("hi")},
	{[]*unicode.RangeTable{unicode.Thai}, always("th")},
	{[]*unicode.RangeTable{unicode.Hebrew}, always("he")},
	{[]*unicode.RangeTable{unicode.Greek}, always("el")},
	{[]*unicode.RangeTable{unicode.Bengali}, always("bn")},
	{[]*unicode.RangeTable{unicode.Tamil}, always("ta")},
	{[]*unicode.RangeTable{unicode.Telugu}, always("te")},
	{[]*unicode.RangeTable{unicode.Gujarati}, always("gu")},
	{[]*unicode.RangeTable{unicode.Gurmukhi}, always("pa")},
	{[]*unicode.RangeTable{unicode.Kannada}, always("kn")},
	{[]*unicode.RangeTable{unicode.Malayalam}, always("ml")},
	{[]*unicode.RangeTable{unicode.Sinhala}, always("si")},
	{[]*unicode.RangeTable{unicode.Myanmar}, always("my")},
	{[]*unicode.RangeTable{unicode.Khmer}, always("km")},
	{[]*unicode.RangeTable{unicode.Lao}, always("lo")},
	{[]*unicode.RangeTable{unicode.Georgian}, always("ka")},
	{[]*unicode.RangeTable{unicode.Armenian}, always("hy")},
	{[]*unicode.RangeTable{unicode.Ethiopic}, always("am")},
}

// always is for scripts with one language, or one that is by far the most common.
func always(tag string) func(string) string { return func(string) string { return tag } }

// byLetters is for scripts that several supported languages share.
func byLetters(table *unicode.RangeTable) func(string) string {
	return func(text string) string { return letterModels()[table].detect(text) }
}

// detectLanguage returns the BCP 47 tag of the language of most of the text, or Undetermined. Links, tags and names
// should be removed first.
func detectLanguage(text string) string {
	text = strings.ToLower(norm.NFC.String(text))
	if main := mainScript(text); main != nil {
		return main.detect(text)
	}
	return Undetermined
}

// mainScript returns the script of most letters, nil if there are no letters of a supported one.
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

// chineseOrJapanese distinguishes them by the syllables that only Japanese has.
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

// arabicOrNeighbour distinguishes Arabic from Urdu and Persian by the letters that Arabic lacks.
func arabicOrNeighbour(text string) string {
	switch {
	case strings.ContainsAny(text, "ٹڈڑںے"):
		return "ur"
	case strings.ContainsAny(text, "پچژگکی"):
		return "fa"
	}
	return "ar"
}
