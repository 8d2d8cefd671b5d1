package enrich

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxTopics is the maximum number of key phrases of a text.
	MaxTopics = 10
	// maxTopicWords is the maximum length of a phrase; longer ones are sentences without function words.
	maxTopicWords = 3
	// maxTopicCharacters is the same for languages without spaces.
	maxTopicCharacters = 8
	// Limits of one word of a phrase, in letters.
	minWordLetters = 3
	maxWordLetters = 40
	// maxPhrases limits the work on long texts: their start suffices.
	maxPhrases = 2000
)

// topics returns the key phrases of a text: the words between function words, ranked by how many words they occur with
// and how often. There are none in languages whose words cannot be separated.
func topics(text, tag string) []string {
	text = lower(text)
	switch {
	case tag == "ja":
		return rankPhrases(japanesePhrases(text))
	case tag == "zh":
		return rankPhrases(chinesePhrases(text))
	case tag == Undetermined:
		tag = "en"
	}
	if lang := languages()[tag]; lang != nil && len(lang.function) > 0 {
		return rankPhrases(lang.phrases(text))
	}
	return []string{}
}

// phrases returns the runs of words without function words or punctuation between them.
func (l *language) phrases(text string) [][]string {
	var found [][]string
	var phrase []string
	end := func() {
		if len(phrase) > 0 && len(found) < maxPhrases {
			found = append(found, phrase)
		}
		phrase = nil
	}
	for _, word := range splitUnits(text, l.tag).list {
		if word == "" || l.function[word] || !isTopicWord(word) {
			end()
			continue
		}
		if phrase = append(phrase, word); len(phrase) == maxTopicWords {
			end()
		}
	}
	end()
	return found
}

// isTopicWord rejects numbers, contractions, word fragments and everything that is no word.
func isTopicWord(word string) bool {
	shortest := minWordLetters
	if r, _ := utf8.DecodeRuneInString(word); denseScript(r) != 0 {
		shortest = 2 // Korean syllables
	}
	letters := utf8.RuneCountInString(word)
	return letters >= shortest && letters <= maxWordLetters &&
		strings.IndexFunc(word, unicode.IsLetter) >= 0 && !strings.ContainsRune(word, '\'')
}

// rankPhrases ranks phrases by the sum over their words of how many words each occurs with, relative to its frequency,
// and by the frequency of the phrase.
func rankPhrases(phrases [][]string) []string {
	frequency, degree := map[string]float64{}, map[string]float64{}
	for _, phrase := range phrases {
		for _, word := range phrase {
			frequency[word]++
			degree[word] += float64(len(phrase))
		}
	}
	scores := map[string]float64{}
	names := []string{}
	for _, phrase := range phrases {
		name := strings.Join(phrase, " ")
		if _, seen := scores[name]; !seen {
			names = append(names, name)
		}
		for _, word := range phrase {
			scores[name] += degree[word] / frequency[word]
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(scores[b], scores[a]) })
	return names[:min(len(names), MaxTopics)]
}

// japaneseNoun matches the scripts of most nouns: Chinese characters or katakana. Endings and particles are hiragana.
var japaneseNoun = regexp.MustCompile(`[\p{Han}々]{2,}|[\p{Katakana}ー]{3,}|\p{Latin}{3,}`)

func japanesePhrases(text string) [][]string {
	return shortPhrases(japaneseNoun.FindAllString(text, maxPhrases))
}

var chineseRun = regexp.MustCompile(`\p{Han}+|\p{Latin}{3,}`)

// chineseFunctionWords replaces the function words of Chinese with spaces, the longer ones first.
var chineseFunctionWords = sync.OnceValue(func() *strings.Replacer {
	words := slices.SortedFunc(maps.Keys(languages()["zh"].function), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	var pairs []string
	for _, word := range words {
		pairs = append(pairs, word, " ")
	}
	return strings.NewReplacer(pairs...)
})

// chinesePhrases splits runs of characters at function words.
func chinesePhrases(text string) [][]string {
	runs := strings.Join(chineseRun.FindAllString(text, maxPhrases), " ")
	return shortPhrases(strings.Fields(chineseFunctionWords().Replace(runs)))
}

// shortPhrases keeps candidates that are long enough for a word and too short for a sentence.
func shortPhrases(candidates []string) [][]string {
	var phrases [][]string
	for _, c := range candidates {
		if n := utf8.RuneCountInString(c); n >= 2 && n <= maxTopicCharacters {
			phrases = append(phrases, []string{c})
		}
	}
	return phrases
}
