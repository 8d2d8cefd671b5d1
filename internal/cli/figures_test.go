package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"crier"
)

func some[T any](v T) *T { return &v }

func TestParseMonthReadsMonthsAndWords(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 31, 23, 59, 0, 0, time.FixedZone("", 3600))
	for word, want := range map[string]string{"next": "2026-02-01", "last": "2025-12-01", "NEXT": "2026-02-01",
		"2026-12": "2026-12-01", "1999-02": "1999-02-01"} {
		got, err := parseMonth([]string{word}, now)
		if err != nil || got.Format(time.DateOnly) != want || got.Location() != now.Location() {
			t.Errorf("%q is %s, %v; want %s", word, got, err, want)
		}
	}
	if got, err := parseMonth(nil, now); err != nil || got.Format(time.DateOnly) != "2026-01-01" {
		t.Errorf("without a month: %s, %v", got, err)
	}
	for _, word := range []string{"", "2026", "2026-13", "2026-1", "12-2026", "november"} {
		if _, err := parseMonth([]string{word}, now); ExitCode(err) != exitUsage ||
			!strings.HasSuffix(err.Error(), "is not a month: write 2026-12, next or last") {
			t.Errorf("%q: %v", word, err)
		}
	}
}

// planned returns an entry of the calendar.
func planned(day, hour int, text string, change ...func(*crier.CalendarEntry)) crier.CalendarEntry {
	e := crier.CalendarEntry{ScheduledAt: crier.TimeOf(time.Date(2026, 2, day, hour, 5, 0, 0, time.UTC)),
		Provider: crier.ProviderX, AccountName: "Acme", Text: text, PostID: "p", Status: some(crier.Scheduled)}
	for _, fn := range change {
		fn(&e)
	}
	return e
}

func TestMonthIsDrawnFromMondayToSunday(t *testing.T) {
	t.Parallel()
	first := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC) // a Sunday: the month has five rows
	var out strings.Builder
	writeMonth(&out, first, first.AddDate(0, 0, 1), []crier.CalendarEntry{
		planned(2, 9, "Good morning, everybody"), planned(2, 10, "b"), planned(2, 11, "c"), planned(2, 12, "d"),
		planned(28, 23, "", func(e *crier.CalendarEntry) { e.Title, e.NeedsAttention = some("Title\x1b[2J"), true }),
	}, 80)
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 1+3+5*(cellLines+2) || lines[0] != "February 2026" {
		t.Fatalf("%d lines:\n%s", len(lines), out.String())
	}
	for _, line := range lines[1:] {
		if textWidth(line) != 78 || strings.Contains(line, "\x1b") {
			t.Errorf("%d places: %q", textWidth(line), line)
		}
	}
	for at, want := range map[int]string{
		2:  "| Mon      | Tue      | Wed      | Thu      | Fri      | Sat      | Sun      |",
		4:  "|          |          |          |          |          |          | 1        |",
		9:  "| 2 today  | 3        | 4        | 5        | 6        | 7        | 8        |",
		10: "| 09:05 X …|          |          |          |          |          |          |",
		11: "| 10:05 X b|          |          |          |          |          |          |",
		12: "| … 2 more |          |          |          |          |          |          |",
		25: "|          |          |          |          |          |!23:05 X …|          |",
	} {
		if lines[at] != want {
			t.Errorf("line %d is %q, want %q", at, lines[at], want)
		}
	}
}

func TestMonthFitsScreensOfEveryWidth(t *testing.T) {
	t.Parallel()
	first := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for width, want := range map[int]int{narrowest: narrowest, 100: 99, 120: 120, 1000: 7*(maxCell+1) + 1,
		1: narrowest} {
		var out strings.Builder
		writeMonth(&out, first, first, nil, width)
		_, grid, _ := strings.Cut(out.String(), "\n")
		line, _, _ := strings.Cut(grid, "\n")
		if len(line) != want {
			t.Errorf("on %d columns the grid has %d, want %d", width, len(line), want)
		}
	}
}

func TestEntriesShowTheirState(t *testing.T) {
	t.Parallel()
	repetition := func(e *crier.CalendarEntry) { e.Status = nil }
	public := func(e *crier.CalendarEntry) { e.Status = some(crier.Published) }
	trouble := func(e *crier.CalendarEntry) { e.Status, e.NeedsAttention = some(crier.Published), true }
	for want, e := range map[string]crier.CalendarEntry{" ": planned(1, 1, ""), "~": planned(1, 1, "", repetition),
		"+": planned(1, 1, "", public), "!": planned(1, 1, "", trouble)} {
		if got := entryMark(e); got != want {
			t.Errorf("%+v is marked %q, want %q", e, got, want)
		}
	}
	var out strings.Builder
	berlin := time.FixedZone("", 3600)
	writeEntries(&out, berlin, []crier.CalendarEntry{planned(3, 23, "one\ntwo"), planned(4, 1, "x", repetition)})
	const want = "TIME\tNETWORK\tACCOUNT\tSTATE\tTEXT\tPOST\n" +
		"Wed 4 Feb 00:05\tX\tAcme\tscheduled\tone two\tp\nWed 4 Feb 02:05\tX\tAcme\trepetition\tx\tp\n"
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	out.Reset()
	if writeEntries(&out, berlin, nil); out.String() != "Nothing is planned in this month.\n" {
		t.Errorf("an empty month: %q", out.String())
	}
	for network, want := range map[crier.Provider]string{crier.ProviderInstagram: "IG", crier.ProviderYouTube: "YT",
		"bluesky": "bluesky"} {
		if got := shortNetwork(network); got != want {
			t.Errorf("%s is %s, want %s", network, got, want)
		}
	}
}

func TestNumbersThatWereNotToldAreDashes(t *testing.T) {
	t.Parallel()
	now := crier.AnalyticsTotals{Posts: 3, EngagementRate: crier.AnalyticsRate{Value: some(0.01234), Told: 2,
		NotTold: 1}}
	now.Metrics.Views = crier.AnalyticsSum{Value: some(int64(0)), Told: 3}
	now.Followers.Value, now.Followers.NotTold = some(int64(12)), 1
	before := crier.AnalyticsTotals{Posts: 1}
	before.Metrics.Views.Value = some(int64(7))
	for name, c := range map[string]struct {
		previous *crier.AnalyticsPrevious
		want     []string
	}{
		"alone": {nil, []string{"posts\t3\t\t\t", "views\t0\t\t3\t0", "likes\t–\t\t0\t0",
			"engagement rate\t1.23 %\t\t2\t1",
			"followers\t12\t\t0\t1"}},
		"compared": {&crier.AnalyticsPrevious{AnalyticsTotals: before}, []string{"posts\t3\t1\t\t", "views\t0\t7\t3\t0",
			"likes\t–\t–\t0\t0", "engagement rate\t1.23 %\t–\t2\t1"}},
	} {
		var out strings.Builder
		writeTotals(&out, now, c.previous)
		lines := strings.Split(out.String(), "\n")
		for _, want := range c.want {
			if !slices.Contains(lines, want) {
				t.Errorf("%s: %q is not among %q", name, want, lines)
			}
		}
	}
}

func TestSeriesAndDeliveriesAreTables(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	writeSeries(&out, crier.AnalyticsSeries{Buckets: []crier.Date{"2026-11-01", "2026-11-02"},
		Groups: []crier.SeriesGroup{
			{Label: "X", Values: []*float64{some(1.5), nil}, Told: []int64{1, 0}, NotTold: []int64{0, 2}}}})
	if want := "2026-11-01\tX\t1.5\t1\t0\n2026-11-02\tX\t–\t0\t2\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	out.Reset()
	counts := crier.DeliveryCounts{Published: 5, Failed: 1, Missed: 2, Unknown: 3, Open: 4}
	writeDelivery(&out, "X", counts)
	counts.Lateness = &crier.DeliveryLateness{Posts: 5, P50Ms: 10, P95Ms: 200, P99Ms: 3000}
	writeDelivery(&out, "all", counts)
	if want := "X\t5\t1\t2\t3\t4\t–\t–\t–\nall\t5\t1\t2\t3\t4\t10 ms\t200 ms\t3000 ms\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

func TestMediaAreShownAsPeopleKnowThem(t *testing.T) {
	t.Parallel()
	for want, m := range map[string]medium{
		"a.png (image/png, 2.0 KiB, 30×20): An owl": {alt: "An\nowl", asset: crier.Asset{FileName: "a.png",
			MimeType: "image/png",
			ByteSize: 2048, Width: some(30), Height: some(20), AltText: some("another")}},
		"b.mp4 (video/mp4, 1 byte, 12 s): kept": {asset: crier.Asset{FileName: "b.mp4", MimeType: "video/mp4",
			ByteSize:        1,
			DurationSeconds: some(12.4), AltText: some("kept")}},
		"c d.pdf (application/pdf, 0 bytes), without a description (--alt)": {asset: crier.Asset{FileName: "c\td.pdf",
			MimeType: "application/pdf"}},
	} {
		if got := m.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestCommandLinesCanBeTypedAgain(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"": "''", "a": "a", "2026-11-16": "2026-11-16", "a,b": "a,b",
		"a b":  "'a b'",
		"it's": `'it'\''s'`, "$HOME": "'$HOME'", "`x`": "'`x`'", "a\nb": "'a\nb'", "ü": "'ü'", "a@b.c/d:e+f%g_h=i": "a@b.c/d:e+f%g_h=i"} {
		if got := quoted(word); got != want {
			t.Errorf("%q is quoted %s, want %s", word, got, want)
		}
	}
	root := &cobra.Command{Use: "crier"}
	cmd := &cobra.Command{Use: "list"}
	root.AddCommand(cmd)
	var words []string
	cmd.Flags().String("cursor", "", "")
	cmd.Flags().String("token", "", "")
	cmd.Flags().String("search", "", "")
	cmd.Flags().Bool("all", false, "")
	cmd.Flags().StringSliceVar(&words, "to", nil, "")
	if err := cmd.ParseFlags([]string{"--cursor", "c", "--token", "hush", "--search", "two words", "--all", "--to",
		"x,tiktok"}); err != nil {
		t.Fatal(err)
	}
	if got, want := again(cmd), "crier list --all --search 'two words' --to x,tiktok"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for want, page := range map[string]crier.Page[int]{
		"1 post\n":              {Total: 1, Data: []int{1}},
		"more than 500 posts\n": {Total: 500, TotalIsCapped: true},
		"2 of 7 posts\nmore: " + again(cmd) + " --cursor next\n": {Total: 7, Data: []int{1, 2},
			NextCursor: some("next")},
	} {
		var out strings.Builder
		if more(&out, cmd, page, "post"); out.String() != want {
			t.Errorf("%q, want %q", out.String(), want)
		}
	}
}

func TestSettingsSayWhatTheyCanBe(t *testing.T) {
	t.Parallel()
	settings := []crier.PublishSetting{{Key: "xReplies", Type: "string", Enum: []string{"all", "none"}, Required: true,
		Description: "Who may reply."}, {Key: "xPoll", Type: "object"}}
	infos := []crier.ProviderInfo{{DisplayName: "X", Settings: settings}, {DisplayName: "Threads"}}
	var out strings.Builder
	writeSettings(&out, infos)
	const want = "X\txReplies\tall|none, required\tWho may reply.\nX\txPoll\tobject\t\nThreads\t–\t\t\n"
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	out.Reset()
	explainSettings(&out, infos[0], 60)
	explainSettings(&out, infos[1], 60)
	for _, want := range []string{"xReplies\n  all | none, required\n  Who may reply.\n",
		"Threads has no settings.\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %q", want, out.String())
		}
	}
}

func TestRemediesFitTheTrouble(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		post crier.ScheduledPost
		want string
	}{
		{crier.ScheduledPost{Status: crier.Unknown}, "check the network, then 'crier posts resolve'"},
		{crier.ScheduledPost{Status: crier.Failed}, "'crier posts retry' or 'crier attention dismiss'"},
		{crier.ScheduledPost{Status: crier.Missed}, "'crier posts retry' or 'crier attention dismiss'"},
		{crier.ScheduledPost{Status: crier.Failed, ReplacedBy: some(crier.NewID())},
			"'crier attention dismiss': a newer one has replaced it"},
		{crier.ScheduledPost{Status: crier.Published}, "'crier attention dismiss'"}, // its comment has failed
		{crier.ScheduledPost{Status: crier.Published, PostPublishActions: crier.ScheduledActions{
			RepostAfter: &crier.ScheduledRepost{FollowUp: crier.FollowUp{Status: "unknown"}}}},
			"check the network, then 'crier posts resolve --action repost'"},
	} {
		if got := remedy(c.post); got != c.want {
			t.Errorf("%s: %s, want %s", c.post.Status, got, c.want)
		}
	}
	for reason, want := range map[string]string{"access_denied: no": "the consent was refused in the browser",
		"user_cancelled_login": "the consent was refused in the browser", "server_error": "server_error"} {
		if got := consentFailure(reason); got != want {
			t.Errorf("%s is told as %s", reason, got)
		}
	}
}

func TestFilesThatCannotBeOpenedAreMistakesOfTheCommandLine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "none.png")
	_, err := os.Open(path)
	if got := notOpened(err); ExitCode(got) != exitUsage ||
		got.Error() != "cannot open "+path+": "+fs.ErrNotExist.Error() &&
			!strings.HasPrefix(got.Error(), "cannot open "+path+": ") {
		t.Errorf("a file that is not there: %v", got)
	}
	if got := notOpened(errors.New("odd")); got.Error() != "cannot open the file: odd" {
		t.Errorf("an odd error: %v", got)
	}
	if err := Usagef("%d is too many", 3); ExitCode(err) != exitUsage || err.Error() != "3 is too many" {
		t.Errorf("a mistake of who typed: %v", err)
	}
	for away, want := range map[bool]int{true: exitServer, false: exitFailed} {
		if err := (&ProblemsError{Away: away}); ExitCode(err) != want || err.Error() != "something needs attention" {
			t.Errorf("away %t ends with %d", away, ExitCode(err))
		}
	}
	if v := orNull(""); !v.Set || v.HasValue() {
		t.Errorf("nothing is %+v, want null", v)
	}
	if v := orNull("x"); !v.HasValue() || v.Value != "x" {
		t.Errorf("a value is %+v", v)
	}
}

func TestVariantsAreShownWithWhoseTheyAre(t *testing.T) {
	t.Parallel()
	id := crier.NewID()
	accounts := map[crier.ID]crier.SocialAccount{id: {ID: id, Provider: crier.ProviderX, DisplayName: "Acme\tInc"}}
	var out strings.Builder
	for _, v := range []crier.PostVariant{
		{Provider: some(crier.ProviderLinkedIn), Text: some("Hello\tthere\nand more\n")},
		{SocialAccountID: &id, Posts: []crier.AtomicPost{{Text: "one"}, {Text: "two"}}},
		{SocialAccountID: some(crier.NewID()), Attachments: &[]crier.Attachment{}},
	} {
		writeVariant(&out, v, accounts)
	}
	const want = "Text on LinkedIn\n  Hello    there\n  and more\nPart 1 of 2 on X Acme Inc\n  one\n" +
		"Part 2 of 2 on X Acme Inc\n  two\nMedia on another account: 0 attachments of its own\n"
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
