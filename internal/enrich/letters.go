package enrich

import (
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// minLetters is the minimum number of letters to distinguish languages of one script.
	minLetters = 4
	// unseenCount is the assumed count of letter sequences that a sample does not contain.
	unseenCount = 0.5
	// wordBonus is the additional weight of a language's function word beyond that of its letters.
	wordBonus = 1.2
	// minLead is how much better, as a logarithm of probabilities, the best language must fit than the second.
	minLead = 1.0
	// minKnown is the minimum share of the text's letter sequences that the best language must have.
	minKnown = 0.25
)

// trigram is three consecutive letters; a space stands for the start or end of a word. Letters outside of ASCII, which
// are often characteristic of a language, also count individually, between zeros.
type trigram [3]rune

// letterModel distinguishes languages of one script by the probability of a text's letter sequences in each.
type letterModel struct {
	languages []*language
	fits      map[trigram][]float64 // log probability of a sequence in each language
	unseen    []float64             // the same for a sequence that is not in the language's sample
}

// letterModels are the models by script, built from the samples of all languages that share the script.
var letterModels = sync.OnceValue(func() map[*unicode.RangeTable]*letterModel {
	models := map[*unicode.RangeTable]*letterModel{}
	for _, table := range []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic} {
		model := &letterModel{fits: map[trigram][]float64{}}
		for _, tag := range slices.Sorted(maps.Keys(languages())) {
			if lang := languages()[tag]; unicode.Is(table, firstLetter(lang.sample)) {
				model.languages = append(model.languages, lang)
			}
		}
		model.train()
		models[table] = model
	}
	return models
})

// firstLetter determines the script of a sample. It returns no letter of any script if there is no sample.
func firstLetter(s string) rune {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }))
	return r
}

// train counts the letter sequences of the samples.
func (m *letterModel) train() {
	counts := make([]map[trigram]float64, len(m.languages))
	totals := make([]float64, len(m.languages))
	distinct := map[trigram]bool{}
	for i, lang := range m.languages {
		counts[i] = map[trigram]float64{}
		for _, word := range letterWords(strings.ToLower(norm.NFC.String(lang.sample))) {
			for _, t := range trigrams(word) {
				counts[i][t]++
				totals[i]++
				distinct[t] = true
			}
		}
	}
	m.unseen = make([]float64, len(m.languages))
	for i := range m.languages {
		scale := totals[i] + unseenCount*float64(len(distinct))
		m.unseen[i] = math.Log(unseenCount / scale)
		for t, count := range counts[i] {
			m.fit(t)[i] = math.Log((count + unseenCount) / scale)
		}
	}
	m.fillUnseen()
}

func (m *letterModel) fit(t trigram) []float64 {
	if m.fits[t] == nil {
		m.fits[t] = make([]float64, len(m.languages))
	}
	return m.fits[t]
}

// fillUnseen adds the sequences of other samples to the languages whose samples lack them.
func (m *letterModel) fillUnseen() {
	for _, fits := range m.fits {
		for i := range fits {
			if fits[i] == 0 {
				fits[i] = m.unseen[i]
			}
		}
	}
}

// detect returns the tag of the language that fits the lower-case text clearly better than all others.
func (m *letterModel) detect(text string) string {
	scores := make([]float64, len(m.languages))
	known := make([]int, len(m.languages))
	sequences, letters := 0, 0
	for _, word := range letterWords(text) {
		if letters += utf8.RuneCountInString(word); letters > maxLetters {
			break
		}
		m.addWord(scores, word)
		for _, t := range trigrams(word) {
			sequences++
			m.addTrigram(scores, known, t)
		}
	}
	best, lead := leader(scores)
	if letters < minLetters || lead < minLead || float64(known[best]) < minKnown*float64(sequences) {
		return Undetermined
	}
	return m.languages[best].tag
}

func (m *letterModel) addWord(scores []float64, word string) {
	for i, lang := range m.languages {
		if lang.function[word] {
			scores[i] += wordBonus
		}
	}
}

func (m *letterModel) addTrigram(scores []float64, known []int, t trigram) {
	fits, anywhere := m.fits[t]
	if !anywhere {
		return // not specific to any language
	}
	for i, fit := range fits {
		scores[i] += fit
		if fit > m.unseen[i] {
			known[i]++
		}
	}
}

// leader returns the index of the highest score and its distance to the next.
func leader(scores []float64) (best int, lead float64) {
	for i, score := range scores {
		if score > scores[best] {
			best = i
		}
	}
	lead = math.Inf(1)
	for i, score := range scores {
		if i != best {
			lead = min(lead, scores[best]-score)
		}
	}
	return best, lead
}

// letterWords splits lower-case text into words of letters and their marks.
func letterWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M) })
}

// trigrams returns the letter sequences of a word.
func trigrams(word string) []trigram {
	runes := []rune(" " + word + " ")
	all := make([]trigram, 0, len(runes))
	for i := 0; i+2 < len(runes); i++ {
		all = append(all, trigram(runes[i:i+3]))
		if letter := runes[i+1]; letter >= utf8.RuneSelf {
			all = append(all, trigram{0, letter, 0})
		}
	}
	return all
}
