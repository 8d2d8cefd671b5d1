package enrich

import (
	"regexp"
	"strings"
	"unicode"
)

// units are the units of a text that are looked up in word lists: words, or single characters in languages that are
// written without spaces. An empty unit marks the end of a clause.
type units struct {
	list      []string
	spaceless bool
}

var (
	wordOrStop      = regexp.MustCompile(`[\p{L}\p{M}\p{N}]+(?:['’]t\b)?|[^\p{L}\p{M}\p{N}\s'’_#-]+`)
	characterOrStop = regexp.MustCompile(`[\p{L}\p{M}\p{N}]|[^\p{L}\p{M}\p{N}]+`)
)

// isSpaceless reports whether words of the language are not separated by spaces.
func isSpaceless(tag string) bool {
	switch tag {
	case "ja", "zh", "th", "lo", "km", "my":
		return true
	}
	return false
}

// splitUnits splits text that is already in the spelling of the word lists.
func splitUnits(text, tag string) units {
	pattern, spaceless := wordOrStop, isSpaceless(tag)
	if spaceless {
		pattern = characterOrStop
	}
	list := pattern.FindAllString(strings.ReplaceAll(text, "’", "'"), -1)
	for i, unit := range list {
		if strings.IndexFunc(unit, isWordRune) < 0 {
			list[i] = ""
		}
	}
	return units{list, spaceless}
}

func isWordRune(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N) }

// join returns the units [from, to) in the form of word list entries.
func (u units) join(from, to int) string {
	if u.spaceless {
		return strings.Join(u.list[from:to], "")
	}
	return strings.Join(u.list[from:to], " ")
}

// clause returns the part of the units [from, to) that is in the same clause as the unit at here.
func (u units) clause(from, to, here int) (first, end int) {
	first, end = here, here
	for first > max(from, 0) && u.list[first-1] != "" {
		first--
	}
	for end < min(to, len(u.list)) && u.list[end] != "" {
		end++
	}
	return first, end
}
