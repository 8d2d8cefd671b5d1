package enrich

import (
	"strings"
	"unicode/utf8"
)

// lexicon is a list of words and phrases to find in the units of a text.
type lexicon struct {
	entries    map[string]bool
	stems      map[string]bool // prefixes of words
	maxWords   int             // of an entry
	maxLetters int             // of an entry or stem
}

// newLexicon parses entries separated by white space, in normalized spelling.
func newLexicon(list string) lexicon {
	l := lexicon{entries: map[string]bool{}, stems: map[string]bool{}}
	for entry := range strings.FieldsSeq(normalize(list)) {
		entry = strings.ReplaceAll(entry, "_", " ")
		l.maxWords = max(l.maxWords, 1+strings.Count(entry, " "))
		l.maxLetters = max(l.maxLetters, utf8.RuneCountInString(entry))
		if stem, isStem := strings.CutSuffix(entry, "*"); isStem {
			l.stems[stem] = true
		} else {
			l.entries[entry] = true
		}
	}
	return l
}

// match returns how many units the longest entry at the given position spans, zero if there is none.
func (l lexicon) match(u units, at int) int {
	longest := l.maxWords
	if u.spaceless {
		longest = l.maxLetters
	}
	for n := min(longest, len(u.list)-at); n > 0; n-- {
		if l.entries[u.join(at, at+n)] {
			return n
		}
	}
	if at < len(u.list) && l.hasStem(u.list[at]) {
		return 1
	}
	return 0
}

// hasStem reports whether the word starts with a stem.
func (l lexicon) hasStem(word string) bool {
	letters := 0
	for i, r := range word {
		if letters++; letters > l.maxLetters {
			return false
		}
		if l.stems[word[:i+utf8.RuneLen(r)]] {
			return true
		}
	}
	return false
}
