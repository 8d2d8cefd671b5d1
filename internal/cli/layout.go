package cli

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

const (
	// columnGap is the space between two columns.
	columnGap = 2
	// narrowColumn is the minimum width of a shortened column, narrowestColumn that if nothing else helps.
	narrowColumn    = 8
	narrowestColumn = 4
)

// writeColumns aligns lines whose cells are separated by tabs. Lines without a tab are unchanged. If there is a width,
// tables with a header are fitted to it: the widest columns are shortened, and if that does not suffice, ids and links
// are printed below their row.
func writeColumns(w io.Writer, text string, lineWidth int) error {
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
	if len(block) == 0 {
		return
	}
	widths := columnWidths(block)
	if lineWidth == 0 || !isHeader(block[0]) {
		for _, cells := range block {
			writeRow(out, cells, widths)
		}
		return
	}
	never, late := fixedColumns(block)
	if !fitColumns(widths, never, late, lineWidth) && slices.Contains(never, true) && slices.Contains(never, false) {
		writeSplit(out, block, never, lineWidth)
		return
	}
	for _, cells := range block {
		writeRow(out, cut(cells, widths), widths)
	}
}

// isHeader reports whether cells are column names. Tables without a header, such as labels and values, are not
// shortened.
func isHeader(cells []string) bool {
	return !slices.ContainsFunc(cells, func(cell string) bool { return strings.ContainsFunc(cell, unicode.IsLower) })
}

func writeRow(out *strings.Builder, cells []string, widths []int) {
	last := len(cells) - 1
	for i, cell := range cells[:last] {
		out.WriteString(pad(cell, widths[i]) + strings.Repeat(" ", columnGap))
	}
	out.WriteString(cells[last] + "\n")
}

// cut shortens the last cell of a row; the others are padded anyway.
func cut(cells []string, widths []int) []string {
	last := len(cells) - 1
	if last == len(widths)-1 && textWidth(cells[last]) > widths[last] {
		cells = append(slices.Clone(cells[:last]), pad(cells[last], widths[last]))
	}
	return cells
}

// writeSplit writes a table for a narrow screen: values to copy are printed below their row, with the column name.
func writeSplit(out *strings.Builder, block [][]string, below []bool, lineWidth int) {
	header, names := block[0], 0
	rows := make([][]string, len(block))
	for i, cells := range block {
		for column, cell := range cells {
			if !below[column] {
				rows[i] = append(rows[i], cell)
			}
		}
	}
	for column, name := range header {
		if below[column] {
			names = max(names, textWidth(name))
		}
	}
	widths := columnWidths(rows)
	never, late := fixedColumns(rows)
	fitColumns(widths, never, late, lineWidth)
	for i, row := range rows {
		writeRow(out, cut(row, widths), widths)
		for column, cell := range block[i] {
			if i > 0 && below[column] && copied.MatchString(cell) {
				out.WriteString("  " + pad(header[column], names) + strings.Repeat(" ", columnGap) + cell + "\n")
			}
		}
	}
}

// columnWidths returns the width of each column. The last cell of a shorter line has nothing to its right to align, so
// it is not counted.
func columnWidths(block [][]string) []int {
	columns := 0
	for _, cells := range block {
		columns = max(columns, len(cells))
	}
	widths := make([]int, columns)
	for _, cells := range block {
		for i, cell := range cells {
			if i < len(cells)-1 || len(cells) == columns {
				widths[i] = max(widths[i], textWidth(cell))
			}
		}
	}
	return widths
}

var (
	copied      = regexp.MustCompile(`^(https?://.*|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)
	settingName = regexp.MustCompile(`^[a-z]+([A-Z][A-Za-z0-9]*)+$`)
	wholeTime   = regexp.MustCompile(`^[A-Z][a-z]{2} \d{1,2} [A-Z][a-z]{2} (\d{4} )?\d{2}:\d{2}`)
)

// fixedColumns returns the columns that are never shortened and those that are shortened last. Ids and links stay
// whole because they are copied. A time without its end says little, and the name of a setting is typed.
func fixedColumns(block [][]string) (never, late []bool) {
	columns := len(columnWidths(block))
	never, late = make([]bool, columns), make([]bool, columns)
	for _, cells := range block {
		for i, cell := range cells {
			never[i] = never[i] || copied.MatchString(cell)
			late[i] = late[i] || never[i] || wholeTime.MatchString(cell) || settingName.MatchString(cell)
		}
	}
	return never, late
}

// fitColumns shortens the widest columns to fit, and reports whether that sufficed without shortening a time.
func fitColumns(widths []int, never, late []bool, lineWidth int) bool {
	tooMuch := columnGap*(len(widths)-1) - lineWidth
	for _, n := range widths {
		tooMuch += n
	}
	rest := cutColumns(widths, late, narrowColumn, tooMuch)
	cutColumns(widths, never, narrowestColumn, cutColumns(widths, never, narrowColumn, rest))
	return rest == 0
}

// cutColumns shortens the columns that are not fixed down to a minimum width, and returns the remaining excess.
func cutColumns(widths []int, fixed []bool, least, tooMuch int) int {
	for ; tooMuch > 0; tooMuch-- {
		widest := -1
		for i, n := range widths {
			if !fixed[i] && n > least && (widest < 0 || n > widths[widest]) {
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

// pad pads or shortens a text to the width of a cell. Characters that a terminal joins, such as some emoji, are counted
// separately.
func pad(text string, cell int) string {
	wide, cut := 0, 0 // cut is where the text still leaves room for the ellipsis
	for at, r := range text {
		if wide <= cell-1 {
			cut = at
		}
		wide += runeWidth(r)
	}
	if wide <= cell {
		return text + strings.Repeat(" ", cell-wide)
	}
	return pad(text[:cut], cell-1) + "…"
}

// runeWidth returns the display width of a character.
func runeWidth(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf): // marks, joiners and the like
		return 0
	case width.LookupRune(r).Kind() == width.EastAsianWide, width.LookupRune(r).Kind() == width.EastAsianFullwidth:
		return 2
	}
	return 1
}

func textWidth(text string) (n int) {
	for _, r := range text {
		n += runeWidth(r)
	}
	return n
}
