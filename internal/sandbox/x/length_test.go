package x

import (
	"strings"
	"testing"
)

func TestWeightedLengthVectors(t *testing.T) {
	t.Parallel()
	family := "\U0001F468\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466"
	cases := map[string]struct {
		text string
		want int
	}{
		"text and address":        {"Hi http://test.co", 26},
		"address":                 {"http://test.co", 23},
		"ten addresses":           {strings.Repeat("http://test.co ", 10), 240},
		"CJK":                     {strings.Repeat("故", 160), 320},
		"emoji of several kinds":  {"H\U0001F431☺" + family, 7},
		"skin tone and joiner":    {"\U0001F64B\U0001F3FD\U0001F468\u200D\U0001F3A4", 4},
		"keycap":                  {"1\u20E3", 2},
		"keycap with selector":    {"1\uFE0F\u20E3", 2},
		"140 families":            {strings.Repeat(family, 140), 280},
		"decomposed letters":      {"A\u0301B", 2},
		"decomposed syllable":     {"\u1112\u1161\u11AB", 2},
		"country's flag":          {"\U0001F1E9\U0001F1EA", 2},
		"region's flag":           {"\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F", 2},
		"heart with selector":     {"❤\uFE0F", 2},
		"copyright sign as text":  {"©", 1},
		"copyright sign as emoji": {"©\uFE0F", 2},
		"bare domain":             {"see example.com", 27},
		"domain in a sentence":    {"example.com.", 24},
		"bare country domain":     {"example.de", 10},
		"country with a path":     {"example.de/a", 23},
		"mail address":            {"ada@example.com", 15},
		"mention with dots":       {"@example.com", 12},
		"address in brackets":     {"(https://example.com/a_(b))", 25},
		"longer word":             {"example.comet", 13},
		"latin":                   {"ÄÖÜ ß", 5},
		"quotation marks":         {"“a”", 3},
		"query":                   {"http://example.com?x=1&y=2!", 24},
	}
	for name, c := range cases {
		got, err := weigh(c.text)
		if err != nil || got != c.want {
			t.Errorf("%s: %q weighs %d (%v), want %d", name, c.text, got, err, c.want)
		}
	}
}

func TestForbiddenCharactersAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a\uFFFEb", "\uFEFFa", "a\uFFFF", "bad \xff byte"} {
		if _, err := weigh(text); err == nil {
			t.Errorf("%q was weighed", text)
		}
	}
}
