package cli

import "testing"

func TestCellWidthMatchesTheTerminal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                "        ",
		"Hello":           "Hello   ",
		"Good day":        "Good day",
		"Good night":      "Good ni…",
		"日本語":             "日本語  ",
		"日本語の":            "日本語の",
		"日本語のテキスト":        "日本語 …",
		"a日本語のテキスト":       "a日本語…",
		"e\u0301te\u0301": "e\u0301te\u0301     ",
	} {
		if got := pad(text, 8); got != want {
			t.Errorf("%q in 8 places is %q, want %q", text, got, want)
		}
	}
}
