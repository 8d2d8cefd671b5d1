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
	fits := 0 // a table for people fits their screen; a script reads all of it
	if Interactive(s.stdout) {
		fits = s.width()
	}
	if header != "" {
		fmt.Fprintln(&text, header)
	}
	rows(harmless{&text})
	return layOut(s.stdout, text.String(), fits)
}

// Row prints one line of a table. What is in a cell stays in it.
func Row(w io.Writer, cells ...any) {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		texts[i] = strings.Join(strings.Fields(fmt.Sprint(cell)), " ")
	}
	fmt.Fprintln(w, strings.Join(texts, "\t"))
}

// shorten returns a text as one cell of a table.
func shorten(text string, length int) string {
	line := strings.Join(strings.Fields(text), " ")
	if runes := []rune(line); len(runes) > length {
		return string(runes[:length-1]) + "…"
	}
	return line
}

// harmless keeps what others wrote from controlling the terminal it is shown on.
type harmless struct{ io.Writer }

// Write writes the printable form of p. A character that is cut in two would not be recognised, so p must be whole
// lines.
func (h harmless) Write(p []byte) (int, error) {
	if _, err := io.WriteString(h.Writer, printable(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// printable replaces what a terminal would obey instead of showing it: control characters but tabs and line ends, and
// those that turn the direction of what follows around.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		turns := '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
		if r == '\n' || r == '\t' || !unicode.IsControl(r) && !turns {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}
