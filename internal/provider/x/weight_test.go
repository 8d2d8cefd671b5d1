package x

import (
	"slices"
	"strings"
	"testing"
)

func TestWeightMatchesXsCount(t *testing.T) {
	t.Parallel()
	family := "👨‍👩‍👧‍👦"
	for _, tc := range []struct {
		name, text string
		want       int
	}{
		{"empty", "", 0},
		{"latin", "This is a test.", 15},
		{"text and URL", "Hi http://test.co", 26},
		{"URL alone", "http://test.co", 23},
		{"long URL", "https://example.com/" + strings.Repeat("a", 200), 23},
		{"ten URLs and spaces", strings.Repeat("http://test.co ", 10), 240},
		{"bare domain", "test.com", 23},
		{"bare and full URLs", "Test https://test.com test https://test.com test.com test", 86},
		{"CJK", strings.Repeat("の", 160), 320},
		{"Hangul", "저찀쯿쿿", 8},
		{"mixed emoji", "H🐱☺" + family, 7},
		{"skin tone and profession", "🙋🏽👨‍🎤", 4},
		{"keycap without presenter", "1⃣", 2},
		{"keycap", "1️⃣", 2},
		{"140 families", strings.Repeat(family, 140), 280},
		{"flag", "🇩🇪", 2},
		{"two flags", "🇩🇪🇫🇷", 4},
		{"flag of a region", "🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F", 2},
		{"heart with presenter", "❤️", 2},
		{"copyright sign", "©", 1},
		{"copyright emoji", "©️", 2},
		{"composed by NFC", "A\u0301B", 2},
		{"light punctuation", "\u2013\u2018\u2032", 3},
		{"heavy punctuation", "\u2026\u20ac", 4},
		{"beyond the basic plane", "\U00010000\U0010ffff", 4},
		{"digits are no emoji", "1234567890#*", 12},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := weigh(tc.text); got != tc.want {
				t.Errorf("weigh(%q) = %d, want %d", tc.text, got, tc.want)
			}
		})
	}
}

func TestURLDetectionMatchesX(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		want []string
	}{
		{"see https://crier.example/a for more", nil}, // example is no top-level domain
		{"see https://crier.dev/a, for more", []string{"https://crier.dev/a"}},
		{"(https://crier.dev)", []string{"https://crier.dev"}},
		{"HTTPS://www.Crier.DEV/Index.html", []string{"HTTPS://www.Crier.DEV/Index.html"}},
		{"crier.dev foo.co.jp www.crier.co.uk", []string{"crier.dev", "foo.co.jp", "www.crier.co.uk"}},
		{"foo.baz wwwww.xxxxxxx foo.comm foo.somecom", nil},
		{"mail ada@crier.dev or ada.name@crier.dev", nil},
		{"#crier.dev @crier.dev $crier.dev #http://crier.dev", nil},
		{"_crier.dev -crier.dev /crier.dev", nil},
		{"long.test.tar.bz2", nil},
		{"日本語crier.dev中国語crier.dev/a한국", []string{"crier.dev", "crier.dev/a"}},
		{"http://crier.dev/日本語", []string{"http://crier.dev/"}},
		{"http://crier.dev/Русские_слова", []string{"http://crier.dev/Русские_слова"}},
		{"http://crier.みんな/ http://crier.рф", []string{"http://crier.みんな/", "http://crier.рф"}},
		{"http://crier.dev-and-so-on", []string{"http://crier.dev"}},
		{"http://sub_domain-dash.crier.dev", []string{"http://sub_domain-dash.crier.dev"}},
		{"http://crier_dev.com http://-crier.dev http://crier-.dev", nil},
		{"http://crier.dev:8080/a?b=c#d", []string{"http://crier.dev:8080/a?b=c#d"}},
		{"https://en.wikipedia.org/wiki/Crier_(town).", []string{"https://en.wikipedia.org/wiki/Crier_(town)"}},
		{"(see crier.dev/a)", []string{"crier.dev/a"}},
		{"http://t.co/pbY2NfTZ's", []string{"http://t.co/pbY2NfTZ"}},
		{"http://crier.dev/path........", []string{"http://crier.dev/path"}},
		{"ELPAÍS.com", []string{"ELPAÍS.com"}},
		{"http:// crier.dev/a", []string{"crier.dev/a"}},
		{"https://crier.dev/" + strings.Repeat("a", maxURL), nil},
	} {
		t.Run(tc.text[:min(len(tc.text), 40)], func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, u := range findURLs(tc.text) {
				got = append(got, tc.text[u.start:u.end])
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("findURLs(%q) = %q, want %q", tc.text, got, tc.want)
			}
		})
	}
}

func FuzzWeigh(f *testing.F) {
	f.Add("Hi http://test.co 👨‍👩‍👧‍👦")
	f.Add("\xff\xfe http://")
	f.Fuzz(func(t *testing.T, text string) {
		if weigh(text) < 0 {
			t.Error("negative weight")
		}
		last := 0
		for _, u := range findURLs(text) {
			if u.start < last || u.end <= u.start || u.end > len(text) {
				t.Fatalf("span %v out of order in %q", u, text)
			}
			last = u.end
		}
	})
}
