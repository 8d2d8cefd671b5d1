package linkedin

import (
	"strings"
	"testing"
)

func TestReservedCharactersAreEscaped(t *testing.T) {
	t.Parallel()
	acme := []mention{{URN: "urn:li:organization:1", Name: "Acme"}, {URN: "urn:li:organization:2", Name: "Acme Europe"}}
	for _, tc := range []struct {
		name, text string
		mentions   []mention
		want       string
	}{
		{"nothing to do", "Hello, world!", nil, "Hello, world!"},
		{"every reserved character", `|{}@[]()<>#\*_~`, nil, `\|\{\}\@\[\]\(\)\<\>\#\\\*\_\~`},
		{"hashtag", "#launch now", nil, "#launch now"},
		{"hashtag in the middle", "now #launch, #2026", nil, "now #launch, #2026"},
		{"hashtag in brackets", "(#launch)", nil, `\(#launch\)`},
		{"hashtag of another script", "#ローンチ", nil, "#ローンチ"},
		{"underscore in a hashtag", "#a_b", nil, `#a\_b`},
		{"number sign behind a word", "C# and F#", nil, `C\# and F\#`},
		{"lonely number sign", "# 1", nil, `\# 1`},
		{"two number signs", "##a", nil, `\#\#a`},
		{"entity", "&#39;", nil, `&\#39;`},
		{"at without a mention", "mail a@b.example", nil, `mail a\@b.example`},
		{"mention", "Thanks @Acme!", acme, "Thanks @[Acme](urn:li:organization:1)!"},
		{"longest name wins", "Thanks @Acme Europe", acme, "Thanks @[Acme Europe](urn:li:organization:2)"},
		{"reserved characters in a name", "@A (B)", []mention{{URN: "urn:li:person:1", Name: "A (B)"}},
			`@[A \(B\)](urn:li:person:1)`},
		{"unknown name", "@Nobody", acme, `\@Nobody`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := commentary(tc.text, tc.mentions); got != tc.want {
				t.Errorf("commentary(%q) = %q, want %q", tc.text, got, tc.want)
			}
		})
	}
}

func TestEscapedTextComparesEqual(t *testing.T) {
	t.Parallel()
	for sent, stored := range map[string]string{
		commentary("Hello #launch (now) a_b", nil): `Hello {hashtag|\#|launch} \(now\) a\_b`,
		commentary("#a_b", nil):                    `{hashtag|\#|a\_b}`,
		commentary(`a \ b`, nil):                   `a \\ b`,
		commentary("Hi @Acme", []mention{{URN: "urn:li:organization:1",
			Name: "Acme"}}): "Hi @[Acme](urn:li:organization:1) ",
	} {
		if visible(sent) != visible(stored) {
			t.Errorf("%q and %q differ: %q, %q", sent, stored, visible(sent), visible(stored))
		}
	}
}

func FuzzEscapeRoundTrip(f *testing.F) {
	f.Add("Hello #launch (now) a_b \\ @x {hashtag|#|y}")
	f.Fuzz(func(t *testing.T, text string) {
		if got := visible(commentary(text, nil)); got != strings.TrimSpace(text) {
			t.Errorf("visible(commentary(%q)) = %q", text, got)
		}
	})
}
