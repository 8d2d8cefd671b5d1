package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// Show prints a result: JSON for scripts, a table for people.
func (s *Shell) Show(value any, header string, rows func(w io.Writer)) error {
	if s.asJSON {
		enc := json.NewEncoder(s.stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(value)
	}
	var text strings.Builder
	fits := 0 // a table for people fits their screen; a script gets all of it
	if Interactive(s.stdout) {
		fits = s.width()
	}
	if header != "" {
		fmt.Fprintln(&text, header)
	}
	rows(sanitizer{&text})
	return writeColumns(s.stdout, text.String(), fits)
}

// Row prints one line of a table, without tabs and newlines in its cells.
func Row(w io.Writer, cells ...any) {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		texts[i] = strings.Join(strings.Fields(fmt.Sprint(cell)), " ")
	}
	fmt.Fprintln(w, strings.Join(texts, "\t"))
}

// shorten shortens a text for a table cell.
func shorten(text string, length int) string {
	line := strings.Join(strings.Fields(text), " ")
	if runes := []rune(line); len(runes) > length {
		return string(runes[:length-1]) + "…"
	}
	return line
}

// sanitizer keeps untrusted text from controlling the terminal.
type sanitizer struct{ io.Writer }

// Write writes the printable form of p. p must be whole lines, because a split character would not be recognized.
func (h sanitizer) Write(p []byte) (int, error) {
	if _, err := io.WriteString(h.Writer, printable(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// printable replaces what a terminal would interpret: control characters other than tab and newline, and those that
// change the text direction.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		turns := '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
		if r == '\n' || r == '\t' || !unicode.IsControl(r) && !turns {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}
