package cli

import (
	"io"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

const (
	// columnGap is the space between two columns.
	columnGap = 2
	// narrowestColumn is how far a column is cut.
	narrowestColumn = 8
)

// layOut writes lines in columns whose cells are separated by tabs. Lines without a tab stay as they are. If there is a
// width, the widest columns are cut until lines fit into it.
func layOut(w io.Writer, text string, lineWidth int) error {
	var out strings.Builder
	var block [][]string
	for line := range strings.Lines(text) {
		if cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(cells) > 1 {
			block = append(block, cells)
			continue
		}
		writeBlock(&out, block, lineWidth)
		block = nil
		out.WriteString(line)
	}
	writeBlock(&out, block, lineWidth)
	_, err := io.WriteString(w, out.String())
	return err
}

func writeBlock(out *strings.Builder, block [][]string, lineWidth int) {
	widths := columnWidths(block)
	if lineWidth > 0 {
		fitColumns(widths, block, lineWidth)
	}
	for _, cells := range block {
		last := len(cells) - 1
		for i, cell := range cells[:last] {
			out.WriteString(pad(cell, widths[i]) + strings.Repeat(" ", columnGap))
		}
		if lineWidth > 0 && last == len(widths)-1 && placesOf(cells[last]) > widths[last] {
			cells[last] = pad(cells[last], widths[last])
		}
		out.WriteString(cells[last] + "\n")
	}
}

// columnWidths is how wide the widest cell of each column is. The end of a line that is shorter than others has nothing
// behind it to be aligned, so it may be as long as it likes.
func columnWidths(block [][]string) []int {
	columns := 0
	for _, cells := range block {
		columns = max(columns, len(cells))
	}
	widths := make([]int, columns)
	for _, cells := range block {
		for i, cell := range cells {
			if i < len(cells)-1 || len(cells) == columns {
				widths[i] = max(widths[i], placesOf(cell))
			}
		}
	}
	return widths
}

var (
	copied    = regexp.MustCompile(`^(https?://.*|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)
	wholeTime = regexp.MustCompile(`^[A-Z][a-z]{2} \d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}`)
)

// fitColumns takes from the widest columns what is too much. Ids and links stay whole: they are there to be
// copied. Times are cut only when nothing else is left to cut: without its end a time says little.
func fitColumns(widths []int, block [][]string, lineWidth int) {
	tooMuch := columnGap*(len(widths)-1) - lineWidth
	for _, n := range widths {
		tooMuch += n
	}
	never, late := make([]bool, len(widths)), make([]bool, len(widths))
	for _, cells := range block {
		for i, cell := range cells {
			never[i] = never[i] || copied.MatchString(cell)
			late[i] = late[i] || never[i] || wholeTime.MatchString(cell)
		}
	}
	cutColumns(widths, never, cutColumns(widths, late, tooMuch))
}

// cutColumns cuts the columns that are not fixed, and tells how much is too much still.
func cutColumns(widths []int, fixed []bool, tooMuch int) int {
	for ; tooMuch > 0; tooMuch-- {
		widest := -1
		for i, n := range widths {
			if !fixed[i] && n > narrowestColumn && (widest < 0 || n > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return tooMuch
		}
		widths[widest]--
	}
	return 0
}

// pad makes a text exactly as wide as a cell. What a terminal joins from several characters, as it does with some
// emoji, is taken for as wide as they are.
func pad(text string, cell int) string {
	wide, cut := 0, 0 // cut is where the text still leaves a place for the dots
	for at, r := range text {
		if wide <= cell-1 {
			cut = at
		}
		wide += places(r)
	}
	if wide <= cell {
		return text + strings.Repeat(" ", cell-wide)
	}
	return pad(text[:cut], cell-1) + "…"
}

// places is how many places of a line a character takes.
func places(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf): // marks, joiners and the like
		return 0
	case width.LookupRune(r).Kind() == width.EastAsianWide, width.LookupRune(r).Kind() == width.EastAsianFullwidth:
		return 2
	}
	return 1
}

func placesOf(text string) (n int) {
	for _, r := range text {
		n += places(r)
	}
	return n
}
