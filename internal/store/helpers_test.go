package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
)

func TestTablesAreSortedBehindThoseTheyReferTo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tables     []string
		references map[string][]string
		want       string
	}{
		"none":                 {nil, nil, ""},
		"without references":   {[]string{"a", "b"}, nil, "a b"},
		"a chain backwards":    {[]string{"a", "b", "c"}, map[string][]string{"a": {"b"}, "b": {"c"}}, "c b a"},
		"two parents":          {[]string{"a", "b", "c"}, map[string][]string{"a": {"b", "c"}}, "b c a"},
		"the same order again": {[]string{"b", "a"}, map[string][]string{"a": {"b"}}, "b a"},
	} {
		got, err := sortByReferences(c.tables, c.references)
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
	}
	for name, references := range map[string]map[string][]string{
		"a circle":       {"a": {"b"}, "b": {"a"}},
		"a missing one":  {"a": {"x"}},
		"one of itself ": {"a": {"a"}},
	} {
		if got, err := sortByReferences([]string{"a", "b"}, references); err == nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestColumnListsQuoteNames(t *testing.T) {
	t.Parallel()
	f := DumpFile{Columns: []string{"id", "order", `we"ird`}}
	if got := f.columnList(); got != `"id", "order", "we""ird"` {
		t.Errorf("%s", got)
	}
	if got := (DumpFile{}).columnList(); got != "" {
		t.Errorf("without columns %q", got)
	}
}

func TestConditionsAreJoinedAndNumbered(t *testing.T) {
	t.Parallel()
	from, to := crier.TimeOf(time.Unix(1, 0)), crier.TimeOf(time.Unix(2, 0))
	for name, c := range map[string]struct {
		build func(*conditions)
		where string
		args  int
	}{
		"none": {func(*conditions) {}, "", 0},
		"one":  {func(c *conditions) { c.add("a = ?", 1) }, "a = ?", 1},
		"two":  {func(c *conditions) { c.add("a = ?", 1); c.add("b = ?", 2) }, "a = ? AND b = ?", 2},
		"from": {func(c *conditions) { c.between("t", &from, nil) }, "t >= ?", 1},
		"to":   {func(c *conditions) { c.between("t", nil, &to) }, "t < ?", 1},
		"both": {func(c *conditions) { c.add("a = ?", 1); c.between("t", &from, &to) },
			"a = ? AND t >= ? AND t < ?", 3},
		"no end": {func(c *conditions) { c.between("t", nil, nil) }, "", 0},
	} {
		var got conditions
		c.build(&got)
		if got.where != c.where || len(got.args) != c.args {
			t.Errorf("%s: %q with %d arguments", name, got.where, len(got.args))
		}
	}
	for where, want := range map[string]string{
		"": "", "a": "a", "a = ?": "a = $4", "a = ? AND b IN (?, ?)": "a = $4 AND b IN ($5, $6)", "ä = ?": "ä = $4",
	} {
		if got := bind(where, 3); got != want {
			t.Errorf("%q is bound as %q, want %q", where, got, want)
		}
	}
	if got := unqualified(" ORDER BY t.name_key ASC, t.id ASC"); got != " ORDER BY name_key ASC, id ASC" {
		t.Errorf("unqualified %q", got)
	}
}

func TestListsOfIDsArePaddedToPowersOfTwo(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "$2", 1: "$2", 2: "$2, $3", 3: "$2, $3, $4, $5", 4: "$2, $3, $4, $5"} {
		ids := make([]crier.ID, n)
		for i := range ids {
			ids[i] = crier.ID(fmt.Sprint(i))
		}
		marks, args := inList(2, ids)
		if marks != want || len(args) != strings.Count(marks, "$") {
			t.Errorf("%d ids: %s with %v", n, marks, args)
		}
		if n == 0 && args[0] != nil {
			t.Errorf("an empty list matches %v", args[0])
		}
		if n == 3 && (args[2] != crier.ID("2") || args[3] != crier.ID("2")) {
			t.Errorf("the list is filled with %v", args[2:])
		}
	}
	marks, args := tuples(3, []facet{{"language", "en"}, {"hashtags", "go"}})
	if marks != "($3, $4), ($5, $6)" || fmt.Sprint(args) != "[language en hashtags go]" {
		t.Errorf("%s with %v", marks, args)
	}
}

func TestDifferencesNameEachChangeOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after, added, removed string }{
		"nothing":       {"", "", "", ""},
		"the same":      {"ab", "ba", "", ""},
		"all new":       {"", "ab", "ab", ""},
		"all gone":      {"ab", "", "", "ab"},
		"some":          {"abc", "bcd", "d", "a"},
		"one twice":     {"a", "abb", "b", ""},
		"one gone once": {"aab", "b", "", "aa"},
	} {
		added, removed := difference([]byte(c.before), []byte(c.after))
		if string(added) != c.added || string(removed) != c.removed {
			t.Errorf("%s: added %q, removed %q", name, added, removed)
		}
	}
}

func TestJSONColumnsReadTextAndBytesAndNothingElse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		src  any
		want string
	}{
		"null": {nil, "<nil>"}, "text": {`["a"]`, "[a]"}, "bytes": {[]byte(`["b"]`), "[b]"}, "empty list": {`[]`, "[]"},
	} {
		got := &[]string{"before"}
		if err := intoJSON(&got).Scan(c.src); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		shown := "<nil>"
		if got != nil {
			shown = fmt.Sprint(*got)
		}
		if shown != c.want {
			t.Errorf("%s is read as %s", name, shown)
		}
	}
	for _, src := range []any{1, 2.5, true, `{"a":1}`, `[1`, ""} {
		got := &[]string{}
		if err := intoJSON(&got).Scan(src); err == nil {
			t.Errorf("%v is read as %v", src, *got)
		}
	}
	v, err := asJSON[[]string](nil).Value()
	if err != nil || v != nil {
		t.Errorf("nothing is written as %v, %v", v, err)
	}
	if v, err := asJSON(&[]string{"a"}).Value(); err != nil || v != `["a"]` {
		t.Errorf("a list is written as %v, %v", v, err)
	}
	unwritable := func() {}
	if _, err := asJSON(&unwritable).Value(); err == nil {
		t.Error("a function was written as JSON")
	}
}

func TestRowsOfStatementsKeepMicrosecondsBytesAndNothing(t *testing.T) {
	t.Parallel()
	at := jsonTime(crier.Time{Time: time.Date(2026, 11, 17, 18, 0, 0, 123456000, time.FixedZone("CET", 3600))})
	for name, c := range map[string]struct {
		value any
		want  string
	}{
		"a time":     {at, `"2026-11-17 17:00:00.123456+00:00"`},
		"bytes":      {jsonBytes{0, 255}, `"\\x00ff"`},
		"no bytes":   {jsonBytes(nil), `null`},
		"none left":  {jsonBytes{}, `"\\x"`},
		"text":       {jsonText(`a"b`), `"a\"b"`},
		"empty text": {jsonText(""), `null`},
	} {
		got, err := json.Marshal(c.value)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, c.want)
		}
	}
	if got := sqliteJSONRows("key uuid, n bigint, body bytea"); got != `(SELECT value ->> 'key' AS key, `+
		`value ->> 'n' AS n, unhex(substr(value ->> 'body', 3)) AS body FROM jsonb_each($1)) AS v` {
		t.Errorf("SQLite reads rows as %s", got)
	}
	if got := postgresJSONRows("key uuid"); got != `jsonb_to_recordset($1) AS v (key uuid)` {
		t.Errorf("PostgreSQL reads rows as %s", got)
	}
}

func TestPostsSumUpTheirNewestPublications(t *testing.T) {
	t.Parallel()
	hour := func(n int) crier.Time { return crier.TimeOf(time.Date(2026, 11, 17, n, 0, 0, 0, time.UTC)) }
	row := func(status crier.ScheduledPostStatus, n int) publicationSum {
		return publicationSum{status: status, at: hour(n), queued: status.Live() || status == crier.Published}
	}
	for name, c := range map[string]struct {
		newest      []publicationSum
		destination string
		at          crier.Time
	}{
		"none":           {nil, crier.SavedToDrafts, NeverScheduled},
		"one that waits": {[]publicationSum{row(crier.Scheduled, 9)}, crier.SavedToQueue, hour(9)},
		"the earliest that waits": {[]publicationSum{row(crier.Scheduled, 9), row(crier.Scheduled, 8)},
			crier.SavedToQueue, hour(8)},
		"the latest of those over": {[]publicationSum{row(crier.Published, 7), row(crier.Failed, 9)},
			crier.SavedToQueue, hour(9)},
		"live before over": {[]publicationSum{row(crier.Published, 1), row(crier.Publishing, 5), row(crier.Failed, 9)},
			crier.SavedToQueue, hour(5)},
		"over before live": {[]publicationSum{row(crier.Failed, 9), row(crier.Scheduled, 5)},
			crier.SavedToQueue, hour(5)},
		"failed alone": {[]publicationSum{row(crier.Failed, 9)}, crier.SavedToDrafts, hour(9)},
	} {
		var statuses []crier.ScheduledPostStatus
		for _, p := range c.newest {
			statuses = append(statuses, p.status)
		}
		state, destination, at := sumUp(c.newest)
		if state != crier.DeliveryOf(statuses) || destination != c.destination || !at.Equal(c.at.Time) {
			t.Errorf("%s: %s, %s, %s", name, state, destination, at)
		}
	}
	sums := PublicationSums{}
	sums.Plan("a", hour(3))
	if sums["a"] != (publicationSum{crier.Scheduled, hour(3), true}) {
		t.Errorf("planned as %+v", sums["a"])
	}
}

func TestDaySumsAreMergedByKeyAndSorted(t *testing.T) {
	t.Parallel()
	key := func(team crier.ID, gained bool, day int64, account crier.ID, kind crier.PostType, views int64) DaySums {
		d := DaySums{TeamID: team, Gained: gained, Day: day, SocialAccountID: account, PostType: kind, Counted: 1}
		d.Sums[0] = Sum{Value: views, Told: 1}
		d.Rated = Rated{Views: views, Engagements: 1, Told: 1}
		return d
	}
	got := mergeDaySums([]DaySums{key("b", false, 1, "x", "t", 1), key("a", true, 1, "x", "t", 2),
		key("a", false, 2, "x", "t", 4), key("a", false, 1, "y", "t", 8), key("a", false, 1, "x", "u", 16),
		key("a", false, 1, "x", "t", 32), key("a", false, 1, "x", "t", 64)})
	var shown []string
	for _, d := range got {
		shown = append(shown, fmt.Sprintf("%s %v %d %s %s: %d of %d",
			d.TeamID, d.Gained, d.Day, d.SocialAccountID, d.PostType, d.Sums[0].Value, d.Counted))
		if d.Rated.Views != d.Sums[0].Value || d.Rated.Engagements != d.Counted || d.Sums[0].Told != d.Counted {
			t.Errorf("%+v is not summed up as a whole", d)
		}
	}
	want := []string{"a false 1 x t: 96 of 2", "a false 1 x u: 16 of 1", "a false 1 y t: 8 of 1",
		"a false 2 x t: 4 of 1", "a true 1 x t: 2 of 1", "b false 1 x t: 1 of 1"}
	if !slices.Equal(shown, want) {
		t.Errorf("merged %q, want %q", shown, want)
	}
	if got := mergeDaySums(nil); len(got) != 0 {
		t.Errorf("of nothing %v", got)
	}
	var d DaySums
	if names, values := sumColumnNames(), d.values(); len(names) != len(values) {
		t.Errorf("%d columns for %d values", len(names), len(values))
	}
}

func TestWordsAreCutIntoRangesWithoutGaps(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, mergedWords, mergedWords + 1, 3*mergedWords + 5} {
		var words []string
		for i := range n {
			words = append(words, fmt.Sprintf("w%07d", i))
		}
		text := strings.Join(words, " ")
		waiting := []waitingPost{{ID: "p", words: &text}}
		ranges := wordRanges(waiting)
		if ranges[0].from != "" || ranges[len(ranges)-1].to != "" {
			t.Errorf("%d words: the ends are %+v", n, ranges)
		}
		for i, r := range ranges[1:] {
			if r.from != ranges[i].to {
				t.Errorf("%d words: a gap between %+v and %+v", n, ranges[i], r)
			}
		}
		if want := max(1, (n+mergedWords-1)/mergedWords); len(ranges) != want {
			t.Errorf("%d words are cut into %d ranges, want %d", n, len(ranges), want)
		}
		for _, word := range words {
			in := slices.DeleteFunc(slices.Clone(ranges), func(r wordRange) bool { return !r.has(word) })
			if len(in) != 1 {
				t.Fatalf("%q is in %d ranges", word, len(in))
			}
		}
	}
	same := strings.Repeat("same ", 3*mergedWords)
	if got := wordRanges([]waitingPost{{ID: "p", words: &same}}); len(got) > 2 {
		t.Errorf("one word in %d ranges", len(got))
	}
}

func TestNamesThatPeopleTakeForTheSameFoldAlike(t *testing.T) {
	t.Parallel()
	for _, alike := range [][]string{
		{"Launch", "launch", "LAUNCH", "Ｌａｕｎｃｈ"}, {"Straße", "STRASSE"}, {"ﬁn", "FIN"},
		{"Ä", "a\u0308", "A\u0308"}, {""},
	} {
		for _, name := range alike {
			if got := FoldName(name); got != FoldName(alike[0]) || got != FoldName(got) {
				t.Errorf("%q folds to %q, %q to %q", alike[0], FoldName(alike[0]), name, got)
			}
		}
	}
	for _, pair := range [][2]string{{"a", "ä"}, {"a", "b"}, {"a", "a "}, {"0", "O"}} {
		if FoldName(pair[0]) == FoldName(pair[1]) {
			t.Errorf("%q and %q fold alike", pair[0], pair[1])
		}
	}
}

func TestDatabasesExistWhereTheirFileIs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	there := func(c Config) bool {
		ok, err := Exists(c)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	if there(Config{DataDir: dir}) || there(Config{DataDir: filepath.Join(dir, "none")}) {
		t.Error("an empty directory has a database")
	}
	if !there(Config{DataDir: dir, DatabaseURL: "postgres://nobody@nowhere/x"}) {
		t.Error("a PostgreSQL database is not there")
	}
	if err := os.WriteFile(filepath.Join(dir, sqliteFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if !there(Config{DataDir: dir}) {
		t.Error("a file is not there")
	}
	if _, err := Exists(Config{DataDir: filepath.Join(dir, sqliteFile)}); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file as data directory: %v", err)
	}
}

func TestErrorsAreToldAsWhatTheyMean(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk full")
	if err := orNotFound(sql.ErrNoRows, "tag", "7"); err == nil || err.Error() != "There is no tag 7." {
		t.Errorf("no rows: %v", err)
	}
	if err := orNotFound(broken, "tag", "7"); !errors.Is(err, broken) || err.Error() != "read tag: disk full" {
		t.Errorf("another error: %v", err)
	}
	if err := orNotFound(nil, "tag", "7"); err != nil {
		t.Errorf("no error: %v", err)
	}
	one, many := changedOne("tag", "7"), changed("count tags")
	for name, c := range map[string]struct {
		got  error
		want string
	}{
		"one row":       {one.outcome(1, nil), ""},
		"none":          {one.outcome(0, nil), "There is no tag 7."},
		"failed":        {one.outcome(0, broken), "write tag: disk full"},
		"any number":    {many.outcome(0, nil), ""},
		"it failed too": {many.outcome(0, broken), "count tags: disk full"},
	} {
		if got := fmt.Sprint(c.got); cmp.Or(c.want, "<nil>") != got {
			t.Errorf("%s: %s", name, got)
		}
	}
	for name, c := range map[string]struct {
		err  error
		want bool
	}{"done": {sql.ErrTxDone, true}, "closed": {sql.ErrConnDone, true},
		"wrapped": {fmt.Errorf("x: %w", sql.ErrTxDone), true}, "another": {broken, false}} {
		if got := ignoreDone(c.err) == nil; got != c.want {
			t.Errorf("%s is ignored: %v", name, got)
		}
	}
}

// A statement whose result is not awaited has to fail on the server: the commit may already be sent.
func TestStatementsFailUnlessTheyChangeWhatTheyMust(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"UPDATE a SET b = 1": "WITH done AS (UPDATE a SET b = 1 RETURNING 1) " +
			"SELECT 1 / CASE WHEN count(*) = 1 THEN 1 ELSE 0 END FROM done",
		"SELECT 1 FROM a": "WITH done AS (SELECT 1 FROM a) " +
			"SELECT 1 / CASE WHEN count(*) = 1 THEN 1 ELSE 0 END FROM done",
	} {
		if got := failUnless(1, query); got != want {
			t.Errorf("%s becomes %s", query, got)
		}
	}
	var p pipeline
	list := []string{"before"}
	if err := p.enqueue(changed("x"), "INSERT", []any{asJSON(&list), 7}); err != nil {
		t.Fatal(err)
	}
	list[0] = "after" // the queued statement has the earlier value
	if got := fmt.Sprint(p.queue[0].args); got != `[["before"] 7]` {
		t.Errorf("queued %s", got)
	}
	unwritable := func() {}
	if err := p.enqueue(changed("x"), "INSERT", []any{asJSON(&unwritable)}); err == nil || len(p.queue) != 1 {
		t.Errorf("what cannot be written was queued: %v", err)
	}
	if err := (&pipeline{}).commit(context.Background()); err != nil {
		t.Errorf("a transaction without statements: %v", err)
	}
	(&pipeline{}).rollback(context.Background()) // which has not started: there is no connection
}

func TestTheOrderOfEventsIsForgottenWithItsDatabase(t *testing.T) {
	t.Parallel()
	var e sequencedEvents
	e.passed(sequencing{database: "one", assigned: 3, drawn: 10, oldest: 5, id: 7})
	if got := e.current(); got != (eventPlace{"one", 0}) {
		t.Errorf("after one pass %+v", got)
	}
	e.passed(sequencing{database: "one", assigned: 1, drawn: 12, oldest: 6, id: 9})
	if got := e.current().all; got != 0 {
		t.Errorf("while an older transaction runs the place is %d", got)
	}
	e.passed(sequencing{database: "one", assigned: eventBatch, drawn: 14, oldest: 8, id: 11})
	if got := e.current().all; got != 0 {
		t.Errorf("after a full pass, behind which more may wait, the place is %d", got)
	}
	e.passed(sequencing{database: "one", assigned: 1, drawn: 16, oldest: 8, id: 13})
	if got := e.current().all; got != 10 {
		t.Errorf("when the older ones are over the place is %d, want 10", got)
	}
	e.passed(sequencing{database: "two", assigned: 1, drawn: 4, oldest: 99, id: 99})
	if got := e.current(); got != (eventPlace{"two", 0}) {
		t.Errorf("in another database %+v", got)
	}
	e.forget()
	if got := e.current(); got != (eventPlace{}) {
		t.Errorf("forgotten: %+v", got)
	}
}
