package enrich_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"crier/internal/enrich"
)

func TestTokensOfEveryScript(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rule, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"punctuation alone", "!? … — «»", nil},
		{"words in lower case, once each", "The cat and THE Cat", []string{"and", "cat", "the"}},
		{"apostrophes separate", "don't l’amour", []string{"amour", "don", "l", "t"}},
		{"German sharp s is double s", "Straße STRASSE", []string{"strasse"}},
		{"accents vanish, composed or not", "schön scho\u0308n Café", []string{"cafe", "schon"}},
		{"full-width and ligature forms are the plain letters", "ＡＢＣ ﬁne", []string{"abc", "fine"}},
		{"Turkish capital dotted i", "İstanbul", []string{"istanbul"}},
		{"Greek final sigma", "ΟΔΟΣ οδός", []string{"οδοσ"}},
		{"numbers and mixed words", "mp4 2026 3.14", []string{"14", "2026", "3", "mp4"}},
		{"soft hyphens and invisible marks vanish", "Donau\u00addampf\u200b\u2060schiff", []string{"donaudampfschiff"}},
		{"Japanese in pairs, Chinese characters also alone", "東京へ", []string{"京", "京へ", "東", "東京"}},
		{"Japanese syllables with the long vowel", "タワー", []string{"タワ", "ワー"}},
		{"half-width katakana are katakana", "ﾀﾜｰ", []string{"タワ", "ワー"}},
		{"a syllable alone stays alone", "あ い", []string{"あ", "い"}},
		{"Chinese", "你好，世界", []string{"世", "世界", "你", "你好", "好", "界"}},
		{"Thai in pairs, vowels and tones with their consonant", "ที่นี่ดี", []string{"ที่นี่", "นี่ดี"}},
		{"Lao", "ລາວ", []string{"ລາ", "າວ"}},
		{"Khmer", "ខ្មែរ", []string{"ខ្មែ", "មែរ"}},
		{"Myanmar", "မြန်မာ", []string{"န်မာ", "မြန်"}},
		{"Arabic without stretching and vowel signs", "مُحَمَّد مـــحـمد", []string{"محمد"}},
		{"Hebrew without points", "שָׁלוֹם שלום", []string{"שלום"}},
		{"Persian without the invisible separator", "می\u200cخواهم", []string{"میخواهم"}},
		{"Hindi words keep their vowel signs", "नमस्ते दुनिया", []string{"दुनिया", "नमस्ते"}},
		{"Hindi with and without joiner", "क्\u200dष क्ष", []string{"क्ष"}},
		{"Korean in pairs, since endings join the word", "학교에서 집", []string{"교에", "에서", "집", "학교"}},
		{"Korean from single letters is the same", "\u1112\u1161\u11a8\u1100\u116d", []string{"학교"}},
		{"Vietnamese", "Việt Nam", []string{"nam", "viet"}},
		{"Cyrillic", "Привет, МИР", []string{"мир", "привет"}},
		{"Russian yo is ye, short i stays", "Ёлка мой", []string{"елка", "мой"}},
		{"scripts change without space", "iPhone16を買う", []string{"iphone16", "を買", "買", "買う"}},
		{"an emoji", "Party🎉now", []string{"now", "party", "🎉"}},
		{"emoji in a row are single ones", "🎉🎉🔥", []string{"🎉", "🔥"}},
		{"emoji with and without presentation mark", "❤️ ❤", []string{"❤"}},
		{"a family is one emoji", "👨‍👩‍👧", []string{"👨‍👩‍👧"}},
		{"a skin tone is found with and without", "👍🏽", []string{"👍", "👍🏽"}},
		{"a profession with a skin tone", "👩🏽‍🚒", []string{"👩‍🚒", "👩🏽‍🚒"}},
		{"flags", "🇩🇪🇯🇵", []string{"🇩🇪", "🇯🇵"}},
		{"the flag of a region", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", []string{"🏴󠁧󠁢󠁳󠁣󠁴󠁿"}},
		{"keycaps", "1️⃣", []string{"1⃣"}},
		{"links give their words", "https://www.example.com/spring-sale?id=3",
			[]string{"3", "com", "example", "id", "sale", "spring", "www"}},
		{"links are decoded", "https://example.com/caf%C3%A9", []string{"cafe", "com", "example"}},
		{"hashtags as a whole and by their words", "#ThrowbackThursday",
			[]string{"thursday", "throwback", "throwbackthursday"}},
		{"mentions as a whole and by their words", "@OpenPress_de", []string{"de", "open", "openpress", "press"}},
		{"camel case outside of tags is one word", "JavaScript", []string{"javascript"}},
		{"broken bytes separate", "a\xffb", []string{"a", "b"}},
	} {
		slices.Sort(test.want)
		if diff := cmp.Diff(test.want, enrich.Tokens(test.text)); diff != "" {
			t.Errorf("%s: %q (-want +got):\n%s", test.rule, test.text, diff)
		}
	}
}

func TestQueryTokensOmitIndexOnlyTokens(t *testing.T) {
	t.Parallel()
	for q, want := range map[string][]string{
		"#ThrowbackThursday": {"throwbackthursday"},
		"東京":                 {"東京"},
		"京":                  {"京"},
		"👍🏽":                 {"👍🏽"},
		"  ,.  ":             nil,
		"Spring sale":        {"sale", "spring"},
	} {
		if diff := cmp.Diff(want, enrich.QueryTokens(q)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", q, diff)
		}
	}
}

func TestQueriesFindTheTextsTheyShould(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text, q string
		want    bool
	}{
		{"Our spring sale begins", "SALE spring", true},
		{"Our spring sale begins", "winter sale", false},
		{"#SpringSale is on", "spring", true},
		{"#SpringSale is on", "#springsale", true},
		{"#springsale is on", "#SpringSale", true},
		{"東京タワーへ行きました", "東京タワー", true},
		{"東京タワーへ行きました", "京都", false},
		{"黒猫が寝ている", "猫", true},
		{"학교에서 공부해요", "학교", true},
		{"สวัสดีชาวโลก", "สวัสดี", true},
		{"สวัสดีชาวโลก", "ขอบคุณ", false},
		{"مُحَمَّد في البيت", "محمد", true},
		{"Thanks 👍🏽", "👍", true},
		{"Thanks 👍", "👍🏽", false},
		{"More at https://www.example.com/x", "www.example.com", true},
		{"More at example.com", "https://example.com", true},
		{"Crème brûlée", "CREME brulee", true},
		{"creme brulee", "Crème", true},
	} {
		if got := containsAll(enrich.Tokens(test.text), enrich.QueryTokens(test.q)); got != test.want {
			t.Errorf("%q in %q: got %v", test.q, test.text, got)
		}
	}
}

func containsAll(tokens, wanted []string) bool {
	for _, token := range wanted {
		if _, found := slices.BinarySearch(tokens, token); !found {
			return false
		}
	}
	return len(wanted) > 0
}

func TestTokensAreBounded(t *testing.T) {
	t.Parallel()
	long := enrich.Tokens(strings.Repeat("ä", 100))
	if diff := cmp.Diff([]string{strings.Repeat("a", enrich.MaxTokenLength)}, long); diff != "" {
		t.Errorf("a long word (-want +got):\n%s", diff)
	}
	random := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	for range 100_000 {
		text.WriteRune(rune(0x4e00 + random.IntN(0x5000)))
	}
	many := enrich.Tokens(text.String())
	if len(many) != enrich.MaxTokens {
		t.Errorf("%d tokens, want %d", len(many), enrich.MaxTokens)
	}
	first := []rune(text.String())[:2]
	if !containsAll(many, []string{string(first)}) {
		t.Errorf("the text's first pair %q is missing", string(first))
	}
}

func FuzzTokens(f *testing.F) {
	for _, seed := range []string{
		"Hello, world", "東京タワー", "สวัสดี", "مُحَمَّد", "학교에서", "👩🏽‍🚒🇩🇪1️⃣", "#CamelCase @you_and.me",
		"https://example.com/%E6%9D%B1", "e\u0301\u0301", "\xff\xfe",
		"ſ\u0345ΐ", "क्\u200dष", "क\u094d\u200d\u093c", "e\u200d\u0301", "😀" + strings.Repeat("\u200d😀", 80),
		"a\u200d😀\u200d™\u200d가",
		"\u1100\u1161\u11a8", "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tokens := enrich.Tokens(text)
		if !slices.IsSorted(tokens) || len(slices.Compact(slices.Clone(tokens))) != len(tokens) ||
			len(tokens) > enrich.MaxTokens {
			t.Fatalf("not sorted, repeated or too many: %q", tokens)
		}
		for _, token := range tokens {
			if n := utf8.RuneCountInString(token); n == 0 || n > enrich.MaxTokenLength || !utf8.ValidString(token) {
				t.Fatalf("bad token %q", token)
			}
			if again := enrich.QueryTokens(token); !slices.Equal(again, []string{token}) {
				t.Fatalf("token %q is searched for as %q", token, again)
			}
		}
		if query := enrich.QueryTokens(text); len(tokens) < enrich.MaxTokens && len(query) > 0 &&
			!containsAll(tokens, query) {
			t.Fatalf("%q does not find itself: %q in %q", text, query, tokens)
		}
	})
}
