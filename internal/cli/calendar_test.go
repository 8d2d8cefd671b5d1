package cli

import (
	"testing"
	"time"
)

func TestMonthsAreInTheCalendar(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 19, 9, 0, 0, 0, time.UTC)
	for month, want := range map[string]string{"2026-12": "2026-12", "next": "2026-12", "LAST": "2026-10",
		"0001-01": "0001-01"} {
		if got, err := parseMonth([]string{month}, now); err != nil || got.Format("2006-01") != want {
			t.Errorf("%s is %s, %v", month, got, err)
		}
	}
	for _, wrong := range []string{"0000-01", "2026-13", "someday"} {
		if got, err := parseMonth([]string{wrong}, now); ExitCode(err) != exitUsage {
			t.Errorf("%s is %s, %v", wrong, got, err)
		}
	}
}

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
