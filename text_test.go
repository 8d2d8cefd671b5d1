package crier_test

import (
	"strings"
	"testing"

	"crier"
)

func TestNamesAreRefusedWithTheirLength(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"ab": "", " ab ": "", "\tab\n": "", strings.Repeat("é", 64): "", "名字": "", "a b": "",
		"":                        "must be 2 to 64 characters long after trimming, got 0",
		"   ":                     "must be 2 to 64 characters long after trimming, got 0",
		" a ":                     "must be 2 to 64 characters long after trimming, got 1",
		"🦉":                       "must be 2 to 64 characters long after trimming, got 1",
		strings.Repeat("é", 65):   "must be 2 to 64 characters long after trimming, got 65",
		strings.Repeat("x", 9000): "must be 2 to 64 characters long after trimming, got 9000",
		"a\x00b":                  "must not contain control characters, found U+0000",
		"a\nb":                    "must not contain control characters, found U+000A",
		"ab\u0085cd":              "must not contain control characters, found U+0085",
		"a\x7fb":                  "must not contain control characters, found U+007F",
	} {
		if got := crier.Name(name).Problem(); got != want {
			t.Errorf("%.20q: %q, want %q", name, got, want)
		}
	}
}

func TestTagNamesMayBeOfOneCharacter(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"a": "", " a ": "", "🦉": "", strings.Repeat("é", 64): "",
		"":                      "must be 1 to 64 characters long after trimming, got 0",
		" \u00a0":               "must be 1 to 64 characters long after trimming, got 0",
		strings.Repeat("é", 65): "must be 1 to 64 characters long after trimming, got 65",
		"a\rb":                  "must not contain control characters, found U+000D",
	} {
		if got := crier.TagName(name).Problem(); got != want {
			t.Errorf("%.20q: %q, want %q", name, got, want)
		}
	}
	if got := crier.TagName("\n launch \t").Trimmed(); got != "launch" {
		t.Errorf("kept as %q", got)
	}
}

func TestColoursAreSixHexDigits(t *testing.T) {
	t.Parallel()
	for colour, good := range map[string]bool{
		"#1d9bf0": true, "#1D9BF0": true, "#000000": true, "#ffffff": true,
		"": false, "#": false, "1d9bf0": false, "#1d9bf": false, "#1d9bf00": false, "#1d9bg0": false, "#fff": false,
		"red": false, "#1d9b f": false, "#ééé": false, "##d9bf0": false, " #1d9bf": false, "1d9bf0#": false,
	} {
		want := "must be a colour of the form #rrggbb, such as #1d9bf0"
		if good {
			want = ""
		}
		if got := crier.Colour(colour).Problem(); got != want {
			t.Errorf("%q: %q, want %q", colour, got, want)
		}
	}
}

func TestFileNamesLeadNowhere(t *testing.T) {
	t.Parallel()
	const rule = "must be 1 to 255 characters long, without slashes"
	for name, want := range map[string]string{
		"a": "", "owl.jpg": "", "Eule über Köln.jpg": "", "..": "", strings.Repeat("é", 255): "",
		"": rule, strings.Repeat("é", 256): rule, "a/b": rule, `a\b`: rule, "/": rule, "../../etc/passwd": rule,
		"a\x00.jpg": "must not contain control characters, found U+0000",
		"a\n.jpg":   "must not contain control characters, found U+000A",
	} {
		if got := crier.FileName(name).Problem(); got != want {
			t.Errorf("%.20q: %q, want %q", name, got, want)
		}
	}
}

func TestTextAndItsPointer(t *testing.T) {
	t.Parallel()
	if crier.Text(nil) != "" || crier.TextOrNil("") != nil {
		t.Error("no text is not the empty one")
	}
	word := "x"
	if crier.Text(&word) != "x" || crier.Text(crier.TextOrNil("y")) != "y" {
		t.Error("a text does not survive its pointer")
	}
}

// TestPrintableShowsWhatAProgramCallsItself: the name comes from anybody, and is shown in lists and mails.
func TestPrintableShowsWhatAProgramCallsItself(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		length int
		want   string
	}{
		{name: "", length: 10, want: ""},
		{name: "  Firefox  ", length: 10, want: "Firefox"},
		{name: "a\x00b\x1b[31mc\u202ed", length: 20, want: "ab[31mcd"},
		{name: "bad\xff\xfebytes", length: 20, want: "badbytes"},
		{name: "éüöä", length: 2, want: "éü"},
		{name: "éüöä", length: 4, want: "éüöä"},
		{name: "🦉🦉🦉", length: 1, want: "🦉"},
		{name: "line\r\nbreak", length: 20, want: "linebreak"},
		{name: "\u00a0\u200b", length: 5, want: ""},
		{name: "abc", length: 0, want: ""},
	} {
		if got := crier.Printable(tc.name, tc.length); got != tc.want {
			t.Errorf("%q cut to %d is %q, want %q", tc.name, tc.length, got, tc.want)
		}
	}
}

func TestEmailsAreBareAddresses(t *testing.T) {
	t.Parallel()
	const rule = "must be an e-mail address of at most 254 characters, such as ada@example.com"
	local := strings.Repeat("a", 254-len("@example.com"))
	for address, want := range map[string]string{
		"ada@example.com": "", "ada+crier@mail.example.com": "", "a@b": "", "jörg@bücher.example": "",
		"o'brien@example.com": "", local + "@example.com": "",
		"": rule, "ada": rule, "ada@": rule, "@example.com": rule, "ada@@example.com": rule, "a b@example.com": rule,
		" ada@example.com": rule, "ada@example.com ": rule, "Ada <ada@example.com>": rule, "<ada@example.com>": rule,
		"ada@example.com, bob@example.com": rule, "ada@example.com\r\nBcc: eve@example.com": rule,
		"a" + local + "@example.com": rule, "ada.@example.com": rule, ".ada@example.com": rule,
		"ada@exa mple.com":  rule,
		`"ada"@example.com`: rule, "ada@example.com (comment)": rule,
	} {
		if got := crier.Email(address).Problem(); got != want {
			t.Errorf("%.40q: %q, want %q", address, got, want)
		}
	}
}

func TestDatesAreDaysSince1970(t *testing.T) {
	t.Parallel()
	for date, good := range map[string]bool{
		"2026-11-16": true, "1970-01-01": true, "2024-02-29": true, "9999-12-31": true,
		"": false, "1969-12-31": false, "2026-02-29": false, "2026-13-01": false, "2026-11-31": false,
		"2026-1-1": false, "2026-11-16T00:00:00Z": false, "16.11.2026": false, "20261116": false,
		" 2026-11-16": false, "0000-00-00": false, "+2026-11-16": false, "today": false, "12026-11-16": false,
	} {
		want := "must be a date such as 2026-11-16"
		if good {
			want = ""
		}
		if got := crier.Date(date).Problem(); got != want {
			t.Errorf("%q: %q, want %q", date, got, want)
		}
	}
}
