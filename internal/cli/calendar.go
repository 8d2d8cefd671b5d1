package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"crier"
)

func (s *Shell) calendarCommand() *cobra.Command {
	var list bool
	cmd := &cobra.Command{
		Use: "calendar [YYYY-MM]", Short: "Show a month of posts in the terminal",
		Long: "Shows the published and scheduled posts of a month in your time zone. The grid is followed by a " +
			"list of all posts with their state; a narrow terminal shows only the list.\n" +
			"Marks: + published, ! needs attention, ~ future recurrence; no mark means scheduled.",
		Example: "  crier calendar\n  crier calendar 2026-12\n  crier calendar next --list",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			first, err := parseMonth(args, s.now().Local())
			if err != nil {
				return err
			}
			c, team, err := s.inTeam(cmd.Context())
			if err != nil {
				return err
			}
			cal, err := c.Calendar(cmd.Context(), team, crier.TimeOf(first), crier.TimeOf(first.AddDate(0, 1, 0)), "")
			if err != nil {
				return err
			}
			return s.Show(cal, "", func(w io.Writer) {
				if width := s.width(); !list && width >= narrowest {
					writeMonth(w, first, s.now().Local(), cal.Entries, width)
				}
				writeEntries(w, first.Location(), cal.Entries)
			})
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "show only the list, without the grid")
	cmd.ValidArgsFunction = cobra.FixedCompletions([]cobra.Completion{"next", "last"},
		cobra.ShellCompDirectiveNoFileComp)
	return cmd
}

// parseMonth parses 2026-12, next or last; without an argument it returns the current month.
func parseMonth(args []string, now time.Time) (time.Time, error) {
	first := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, now.Location())
	if len(args) == 0 {
		return first, nil
	}
	switch strings.ToLower(args[0]) {
	case "next":
		return first.AddDate(0, 1, 0), nil
	case "last":
		return first.AddDate(0, -1, 0), nil
	}
	month, err := time.ParseInLocation("2006-01", args[0], now.Location())
	if err != nil || month.Year() < 1 {
		return month, usagef("%q is not a month: write 2026-12, next or last", args[0])
	}
	return month, nil
}

// Widths of the calendar, in characters.
const (
	usualWidth = 100
	minCell    = 9
	maxCell    = 24
	cellLines  = 3
	// narrowest is the width of seven of the smallest cells with their borders.
	narrowest = 7*(minCell+1) + 1
)

// width returns the width of the screen in characters.
func (s *Shell) width() int {
	if n, err := strconv.Atoi(s.variable("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if f, ok := s.stdout.(*os.File); ok {
		if n := terminalWidth(f); n > 0 {
			return n
		}
	}
	return usualWidth
}

// writeMonth draws the month, Monday first.
func writeMonth(w io.Writer, first, now time.Time, entries []crier.CalendarEntry, width int) {
	cell := min(max((width-1)/7-1, minCell), maxCell)
	byDay := map[int][]crier.CalendarEntry{}
	for _, e := range entries {
		day := e.ScheduledAt.In(first.Location()).Day()
		byDay[day] = append(byDay[day], e)
	}
	fmt.Fprintf(w, "%s\n", first.Format("January 2006"))
	line := "+" + strings.Repeat(strings.Repeat("-", cell)+"+", 7)
	fmt.Fprintln(w, line)
	names := []string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}
	fmt.Fprintf(w, "%s\n%s\n", gridRow(cell, func(column int) string { return " " + names[column] }), line)
	last := first.AddDate(0, 1, -1).Day()
	for monday := 1 - (int(first.Weekday())+6)%7; monday <= last; monday += 7 {
		for i := range cellLines + 1 {
			fmt.Fprintln(w, gridRow(cell, func(column int) string {
				day := monday + column
				if day < 1 || day > last {
					return ""
				}
				return cellLine(day, i, byDay[day], first, now)
			}))
		}
		fmt.Fprintln(w, line)
	}
}

// gridRow returns one line across the seven days of a week.
func gridRow(cell int, content func(column int) string) string {
	var row strings.Builder
	row.WriteByte('|')
	for column := range 7 {
		row.WriteString(pad(content(column), cell) + "|")
	}
	return row.String()
}

// cellLine returns one line of a day: its number, then its entries.
func cellLine(day, line int, entries []crier.CalendarEntry, first, now time.Time) string {
	if line == 0 {
		mark := ""
		if now.Year() == first.Year() && now.Month() == first.Month() && now.Day() == day {
			mark = " today"
		}
		return fmt.Sprintf(" %d%s", day, mark)
	}
	if line > len(entries) {
		return ""
	}
	if line == cellLines && len(entries) > cellLines {
		return fmt.Sprintf(" … %d more", len(entries)-cellLines+1)
	}
	e := entries[line-1]
	return fmt.Sprintf("%s%s %s", entryMark(e), e.ScheduledAt.In(first.Location()).Format("15:04"),
		shortNetwork(e.Provider)+" "+oneLine(printable(cmp.Or(text(e.Title), e.Text))))
}

// entryMark returns the state of an entry as one character.
func entryMark(e crier.CalendarEntry) string {
	switch {
	case e.NeedsAttention:
		return "!"
	case e.Status == nil:
		return "~"
	case *e.Status == crier.Published:
		return "+"
	}
	return " "
}

// shortNetwork returns a network as two characters.
func shortNetwork(p crier.Provider) string {
	short := map[crier.Provider]string{crier.ProviderX: "X", crier.ProviderTikTok: "TT", crier.ProviderInstagram: "IG",
		crier.ProviderFacebook: "FB", crier.ProviderYouTube: "YT", crier.ProviderLinkedIn: "LI",
		crier.ProviderThreads: "TH"}
	return cmp.Or(short[p], string(p))
}

func writeEntries(w io.Writer, zone *time.Location, entries []crier.CalendarEntry) {
	if len(entries) == 0 {
		fmt.Fprintln(w, "Nothing is planned in this month.")
		return
	}
	fmt.Fprintln(w, "TIME\tNETWORK\tACCOUNT\tSTATE\tTEXT\tPOST")
	for _, e := range entries {
		state := "repetition"
		if e.Status != nil {
			state = string(*e.Status)
		}
		Row(w, e.ScheduledAt.In(zone).Format("Mon 2 Jan 15:04"), networkName(e.Provider), e.AccountName, state,
			shorten(cmp.Or(text(e.Title), e.Text), 50), e.PostID)
	}
}
