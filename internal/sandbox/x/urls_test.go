package x

import (
	"slices"
	"strings"
	"testing"
)

func TestAddressesFoundInTexts(t *testing.T) {
	t.Parallel()
	long := "https://example.com/" + strings.Repeat("a", maxURL-len("https://example.com/"))
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"none":                   {"no address here.", nil},
		"scheme":                 {"see http://example.com now", []string{"http://example.com"}},
		"scheme in capitals":     {"HTTPS://EXAMPLE.COM/A", []string{"HTTPS://EXAMPLE.COM/A"}},
		"port and path":          {"http://example.com:8080/a?b=c#d", []string{"http://example.com:8080/a?b=c#d"}},
		"two":                    {"example.com, example.org", []string{"example.com", "example.org"}},
		"subdomains":             {"a.b.example.co.uk/x", []string{"a.b.example.co.uk/x"}},
		"bare country":           {"example.io", nil},
		"bare country with path": {"example.io/a", []string{"example.io/a"}},
		"country with scheme":    {"https://example.io", []string{"https://example.io"}},
		"co and tv":              {"t.co twitch.tv", []string{"t.co", "twitch.tv"}},
		"unknown domain":         {"http://example.invalid/a", nil},
		"punycode":               {"http://example.xn--p1ai/a", []string{"http://example.xn--p1ai/a"}},
		"mail":                   {"ada@example.com", nil},
		"hash":                   {"#example.com", nil},
		"cash":                   {"$example.com", nil},
		"after a slash":          {"/example.com", nil},
		"after a dash":           {"-example.com", nil},
		"after CJK":              {"故example.com", []string{"example.com"}},
		"between CJK":            {"見example.com見", []string{"example.com"}},
		"CJK and a dot":          {"故.com", nil},
		"CJK before a name":      {"故.example.com/a", nil},
		"CJK with scheme":        {"http://故.com", []string{"http://故.com"}},
		"umlaut":                 {"bücher.com", []string{"bücher.com"}},
		"comma at the end":       {"https://example.com/a,", []string{"https://example.com/a"}},
		"sentence":               {"https://example.com/a?!...", []string{"https://example.com/a"}},
		"closing bracket":        {"(https://example.com/a)", []string{"https://example.com/a"}},
		"bracket of its own":     {"https://example.com/a_(b)", []string{"https://example.com/a_(b)"}},
		"quote":                  {`"https://example.com/a"`, []string{"https://example.com/a"}},
		"angle":                  {"<https://example.com/a>", []string{"https://example.com/a"}},
		"followed by underscore": {"example.com_x", nil},
		"as long as allowed":     {long, []string{long}},
		"too long":               {long + "a", nil},
	} {
		var got []string
		for _, u := range findURLs(c.text) {
			if c.text[u.start:u.end] != u.text {
				t.Errorf("%s: positions %d to %d are not %s", name, u.start, u.end, u.text)
			}
			got = append(got, u.text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestShortAddressesAreTwentyThreeCharacters(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, address := range []string{"http://a.com", "http://b.com", "https://a.com", "http://a.com/"} {
		short := shorten(address)
		if len(short) != urlWeight || !strings.HasPrefix(short, "https://t.co/") || strings.ContainsAny(short, "-_") {
			t.Errorf("%s is shortened to %s", address, short)
		}
		if other, ok := seen[short]; ok {
			t.Errorf("%s and %s have the same short address", address, other)
		}
		seen[short] = address
		if shorten(address) != short {
			t.Errorf("%s has two short addresses", address)
		}
	}
	for address, want := range map[string]string{"example.com": "http://example.com", "https://a.b": "https://a.b"} {
		if got := expand(address); got != want {
			t.Errorf("%s expands to %s", address, got)
		}
	}
}

func TestDisplayedAddressesEndAfter26Characters(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://example.com":                "example.com",
		"example.com/a":                      "example.com/a",
		"http://example.com/123456789012345": "example.com/12345678901234…",
		"http://example.com/12345678901234":  "example.com/12345678901234",
		"http://example.com/äöüäöüäöüäöüäöüäöüäöüäö": "example.com/äöüäöüäöüäöüäö…",
	} {
		if got := display(address); got != want {
			t.Errorf("%s is shown as %s, want %s", address, got, want)
		}
	}
}

func TestComposeCombinesLettersAndMarks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"", ""}, {"plain", "plain"}, {"e\u0301", "é"}, {"\u00e9", "é"},
		{"a\u0308\u0304", "ǟ"},             // two marks on one letter
		{"q\u0301", "q\u0301"},             // no such letter
		{"\u0301a", "\u0301a"},             // a mark without a letter
		{"\u212b", "Å"},                    // the ångström sign is the letter
		{"\u1100\u1161", "가"},              // a syllable of two letters
		{"\u1100\u1161\u11a8", "각"},        // three letters
		{"가\u11a8", "각"},                   // a syllable and a letter
		{"각\u11a8", "각\u11a8"},             // a complete syllable
		{"\u1100\u11a8", "\u1100\u11a8"},   // no vowel between
		{"x\u0327\u0301", "x\u0327\u0301"}, // no composition
	} {
		if got := compose(c.in); got != c.want {
			t.Errorf("%+q composes to %+q, want %+q", c.in, got, c.want)
		}
	}
}

func TestFlagsOfUnknownRegions(t *testing.T) {
	t.Parallel()
	const flag = "\U0001F3F4"
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"black flag alone":      {flag, 2},
		"no end of the name":    {flag + "\U000E0067\U000E0062", 6},
		"letters for a name":    {flag + "gb\U000E007F", 6},
		"end without a name":    {flag + "\U000E007F", 4},
		"half a country's flag": {"\U0001F1E9", 2},
		"joiner at the end":     {"\U0001F468\u200D", 3},
		"joiner and a letter":   {"\U0001F468\u200Da", 4},
		"digit and a letter":    {"1a", 2},
		"star with selector":    {"*\uFE0F", 3},
	} {
		if got, err := weigh(c.text); err != nil || got != c.want {
			t.Errorf("%s: %+q weighs %d (%v), want %d", name, c.text, got, err, c.want)
		}
	}
}

func TestHandlesThatXAllows(t *testing.T) {
	t.Parallel()
	for _, handle := range []string{"a", "_", "Ada_1", "abcdefghijklmno"} {
		if a, err := account(handle); err != nil || a.Handle != handle || len(a.ID) != 10 {
			t.Errorf("%s: %+v, %v", handle, a, err)
		}
	}
	for _, handle := range []string{"", "abcdefghijklmnop", "a.b", "a-b", "@a", "ä"} {
		want := `username "` + handle + `" is not allowed: 1 to 15 letters, digits or _`
		if _, err := account(handle); err == nil || err.Error() != want {
			t.Errorf("%q: %v", handle, err)
		}
		if _, err := seed(handle); err == nil {
			t.Errorf("%q is seeded", handle)
		}
	}
}
