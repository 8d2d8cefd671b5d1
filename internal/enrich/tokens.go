package enrich

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

const (
	// MaxTokenLength is the maximum length of a token, in characters; longer ones are truncated.
	MaxTokenLength = 64
	// MaxTokens is the maximum number of tokens of one text: the first ones are kept.
	MaxTokens = 4096
)

// Tokens returns the search tokens of a text, sorted and without duplicates, the same on every platform: its words in
// normalized spelling without accents (see QueryTokens), and additionally the words inside #CamelCase tags and
// @CamelCase names, single Han characters, and emoji without their skin tone, so that they too can be found.
func Tokens(text string) []string {
	found := tokenSet{}
	found.addAll(text, true)
	for _, name := range tagsAndNames(text) {
		found.addAll(splitCamelCase(name), true)
	}
	return found.sorted()
}

// QueryTokens returns the tokens that a text must all have to match q, sorted and without duplicates. It returns none
// if q has nothing to search for, such as punctuation alone. Every text matches each word it contains.
//
// Words are runs of letters and digits. In scripts that are written without spaces, and in Korean, where endings are
// joined to words, each pair of adjacent characters is a token; so is a character that stands alone. An emoji is a
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

// addAll walks the text once, one run of similar characters after the other.
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

// addPairs adds the pairs of adjacent characters, and for the index the single ones that are words by themselves.
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

// splitCharacters splits a run into base characters, each with its marks.
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

// wordLength returns how many of the runes form the word at their start.
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

// denseScripts are searched by pairs of characters. Chinese characters and Japanese syllables count as one script: they
// are mixed within words.
var denseScripts = [][]*unicode.RangeTable{
	{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo},
	{unicode.Hangul},
	{unicode.Thai},
	{unicode.Lao},
	{unicode.Khmer},
	{unicode.Myanmar},
}

// longVowel lengthens a Japanese syllable and has no script of its own.
const longVowel = 'ー'

// denseScript returns the number of a dense script, starting at one; zero for everything else.
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

// readableLinks removes the scheme of links, which has no meaning, and percent-encoding, which hides their words.
func readableLinks(text string) string {
	return schemeLink.ReplaceAllStringFunc(text, func(link string) string {
		_, link, _ = strings.Cut(link, "://")
		if decoded, err := url.PathUnescape(link); err == nil {
			return decoded
		}
		return link
	})
}

// splitCamelCase inserts a space where a capital starts a word: "OpenAIWeek" becomes "Open AI Week".
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
