package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"unicode"
)

func TestTablesEscapeTerminalSequences(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"Grüße, 世界 🎉":            "Grüße, 世界 🎉",
		"\x1b]0;title\x07":       "\ufffd]0;title\ufffd",
		"a\x1b[31mred\x1b[0m":    "a\ufffd[31mred\ufffd[0m",
		"two\nlines\tand a tab":  "two lines and a tab",
		"back\rwards\b\b":        "back wards\ufffd\ufffd",
		"csi \u009b2J, del \x7f": "csi \ufffd2J, del \ufffd",
		"turned \u202eback":      "turned \ufffdback",
	} {
		var out bytes.Buffer
		s := &Shell{stdout: &out}
		if err := s.Show(nil, "TEXT\tEND", func(w io.Writer) { Row(w, given, "end") }); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != 2 || strings.TrimSpace(strings.TrimSuffix(lines[1], "end")) != want {
			t.Errorf("%q is shown as %q", given, lines)
		}
		if at := strings.IndexFunc(strings.Join(lines, ""), unicode.IsControl); at >= 0 {
			t.Errorf("%q leaves a control character", given)
		}
	}
}
