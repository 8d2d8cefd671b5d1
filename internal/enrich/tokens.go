package enrich

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

const (
	// MaxTokenLength bounds a token, in characters; what is longer is cut.
	MaxTokenLength = 64
	// MaxTokens bounds the tokens of one text: its first ones are kept.
	MaxTokens = 4096
)

// Tokens returns what a text is found by, sorted and without repetitions, the same on every platform: its words in
// one spelling without accents (see QueryTokens), and besides those the words inside #CamelCase tags and @CamelCase
// names, single Han characters, and emoji without their skin tone, so that they too can be searched for.
func Tokens(text string) []string {
	found := tokenSet{}
	found.addAll(text, true)
	for _, name := range tagsAndNames(text) {
		found.addAll(splitCamelCase(name), true)
	}
	return found.sorted()
}

// QueryTokens returns the tokens that a text must all have to be a result for q, sorted and without repetitions. It
// returns none when q has nothing to search for, such as punctuation alone. Every text is a result for each word it
// holds.
//
// Words are runs of letters and digits. In scripts that write without spaces, and in Korean, where endings are joined
// to words, each pair of neighbouring characters is a token; a character that stands alone is one too. An emoji is a
// token.
func QueryTokens(q string) []string {
	found := tokenSet{}
	found.addAll(q, false)
	return found.sorted()
}

type tokenSet map[string]struct{}

func (s tokenSet) add(token []rune) {
	if len(s) < MaxTokens && len(token) > 0 {
		cut := string(token[:min(len(token), MaxTokenLength)])
		s[strings.TrimRight(cut, string(joiner))] = struct{}{}
	}
}

func (s tokenSet) sorted() []string { return slices.Sorted(maps.Keys(s)) }

// addAll walks the text once, one run of like characters after the other.
func (s tokenSet) addAll(text string, forIndex bool) {
	rest := []rune(withoutAccents(normalize(readableLinks(text))))
	for len(rest) > 0 {
		length := 1
		if n := emojiLength(rest); n > 0 {
			length = n
			s.addEmoji(rest[:n], forIndex)
		} else if n := denseLength(rest); n > 0 {
			length = n
			s.addPairs(rest[:n], forIndex)
		} else if n := wordLength(rest); n > 0 {
			length = n
			s.add(rest[:n])
		}
		rest = rest[length:]
	}
}

func (s tokenSet) addEmoji(emoji []rune, forIndex bool) {
	s.add(emoji)
	if forIndex {
		s.add([]rune(withoutTones(emoji)))
	}
}

// addPairs adds the pairs of neighbouring characters, and for the index the single ones that are words by themselves.
func (s tokenSet) addPairs(run []rune, forIndex bool) {
	characters := splitCharacters(run)
	for i, c := range characters {
		if len(characters) == 1 || forIndex && unicode.Is(unicode.Han, c[0]) {
			s.add(c)
		}
		if i > 0 {
			s.add(slices.Concat(characters[i-1], c))
		}
	}
}

// splitCharacters separates a run into base characters, each with its marks.
func splitCharacters(run []rune) [][]rune {
	var characters [][]rune
	start := 0
	for i := 1; i <= len(run); i++ {
		if i == len(run) || !unicode.Is(unicode.M, run[i]) {
			characters = append(characters, run[start:i])
			start = i
		}
	}
	return characters
}

// wordLength returns how many of the runes form the word they begin with.
func wordLength(runes []rune) int {
	if !unicode.In(runes[0], unicode.L, unicode.N) {
		return 0
	}
	for i, r := range runes {
		if !unicode.In(r, unicode.L, unicode.N, unicode.M) || denseScript(r) != 0 {
			return i
		}
	}
	return len(runes)
}

// denseLength returns how many of the runes form a run of one script without spaces.
func denseLength(runes []rune) int {
	script := denseScript(runes[0])
	if script == 0 {
		return 0
	}
	for i, r := range runes {
		if denseScript(r) != script && !unicode.Is(unicode.M, r) {
			return i
		}
	}
	return len(runes)
}

// denseScripts are searched by pairs of characters. Chinese and the Japanese syllables count as one: they mix within
// words.
var denseScripts = [][]*unicode.RangeTable{
	{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo},
	{unicode.Hangul},
	{unicode.Thai},
	{unicode.Lao},
	{unicode.Khmer},
	{unicode.Myanmar},
}

// longVowel lengthens a Japanese syllable and belongs to no script of its own.
const longVowel = 'ー'

// denseScript numbers the dense scripts from one; it is zero for letters of other scripts and all else.
func denseScript(r rune) int {
	if r == longVowel {
		return 1
	}
	if r < 0x0e00 || !unicode.Is(unicode.L, r) {
		return 0
	}
	return 1 + slices.IndexFunc(denseScripts,
		func(tables []*unicode.RangeTable) bool { return unicode.In(r, tables...) })
}

// readableLinks strips links of their scheme, which says nothing, and of percent-encoding, which hides their words.
func readableLinks(text string) string {
	return schemeLink.ReplaceAllStringFunc(text, func(link string) string {
		_, link, _ = strings.Cut(link, "://")
		if decoded, err := url.PathUnescape(link); err == nil {
			return decoded
		}
		return link
	})
}

// splitCamelCase puts a space where a capital begins a word: "OpenAIWeek" becomes "Open AI Week".
func splitCamelCase(name string) string {
	runes := []rune(name)
	var out strings.Builder
	for i, r := range runes {
		if i > 0 && unicode.IsUpper(r) {
			afterLower := !unicode.IsUpper(runes[i-1])
			beforeLower := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if afterLower || beforeLower {
				out.WriteRune(' ')
			}
		}
		out.WriteRune(r)
	}
	return out.String()
}
