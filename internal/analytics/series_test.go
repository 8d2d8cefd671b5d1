package analytics

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/job"
	"crier/internal/store"
)

func n(v int64) *int64 { return &v }

// values formats numbers of which some may be missing.
func values[T int64 | float64](list []*T) string {
	var out []string
	for _, v := range list {
		if v == nil {
			out = append(out, "-")
		} else {
			out = append(out, fmt.Sprint(*v))
		}
	}
	return strings.Join(out, " ")
}

func TestWindowIsSplitIntoDaysWeeksAndMonths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to, interval string
		buckets            string
		last               int // the bucket of the last day
	}{
		{"2026-11-16", "2026-11-16", "day", "2026-11-16", 0},
		{"2026-11-16", "2026-11-18", "day", "2026-11-16 2026-11-17 2026-11-18", 2},
		{"2026-11-18", "2026-11-30", "week", "2026-11-18 2026-11-23 2026-11-30", 2}, // weeks start on Monday
		{"2026-11-16", "2026-11-22", "week", "2026-11-16", 0},
		{"2026-11-30", "2027-01-31", "month", "2026-11-30 2026-12-01 2027-01-01", 2},
		{"2028-02-28", "2028-03-01", "day", "2028-02-28 2028-02-29 2028-03-01", 2},
		{"1969-12-31", "1970-01-01", "month", "1969-12-31 1970-01-01", 1},
	} {
		from, to := dayNumber(crier.Date(c.from)), dayNumber(crier.Date(c.to))
		line := newTimeline(from, to, c.interval)
		var got []string
		for _, b := range line.buckets {
			got = append(got, string(b))
		}
		if strings.Join(got, " ") != c.buckets || line.index(from) != 0 || line.index(to) != c.last {
			t.Errorf("%s to %s by %s is %q, the last day in %d", c.from, c.to, c.interval, got, line.index(to))
		}
	}
}

func TestPreviousWindowHasTheSameLength(t *testing.T) {
	t.Parallel()
	w := window{filter: store.AnalyticsFilter{From: 100, To: 106}}
	before := w.before()
	if before.filter.From != 93 || before.filter.To != 99 || w.filter.From != 100 {
		t.Errorf("before %+v is %+v", w.filter, before.filter)
	}
	for day, want := range map[int64]bool{99: false, 100: true, 106: true, 107: false} {
		if w.holds(day) != want {
			t.Errorf("day %d: %v", day, !want)
		}
	}
}

// A gap means unknown; zero means that there was nothing.
func TestMissingReadingsAreGapsNotZeros(t *testing.T) {
	t.Parallel()
	views := slices.Index(store.SummedMetrics, crier.MetricViews)
	sums := func(counted, value, reported int64) store.DaySums {
		d := store.DaySums{Counted: counted, Rated: store.Rated{Views: 40, Engagements: 4, Told: reported}}
		d.Sums[views] = store.Sum{Value: value, Told: reported}
		return d
	}
	for name, c := range map[string]struct {
		sums     store.DaySums
		metric   string
		gained   bool
		want     string
		reported int64
	}{
		"told":                      {sums(3, 40, 2), "views", false, "40", 2},
		"a day without posts":       {store.DaySums{}, "views", false, "0", 0},
		"posts that did not tell":   {sums(3, 0, 0), "views", false, "-", 0},
		"a day without readings":    {store.DaySums{}, "views", true, "-", 0},
		"a told zero":               {sums(3, 0, 3), "views", true, "0", 3},
		"posts":                     {sums(3, 0, 0), "posts", false, "3", 3},
		"no posts":                  {store.DaySums{}, "posts", false, "0", 0},
		"a rate":                    {sums(3, 40, 2), "engagementRate", false, "0.1", 2},
		"a rate of what nobody saw": {store.DaySums{}, "engagementRate", false, "-", 0},
	} {
		value, reported := point(c.sums, c.metric, c.gained)
		if got := values([]*float64{value}); got != c.want || reported != c.reported {
			t.Errorf("%s: %s of %d, want %s of %d", name, got, reported, c.want, c.reported)
		}
	}
}

func TestFollowersAreSummedWhenAllAccountsReport(t *testing.T) {
	t.Parallel()
	grows := levelLine{values: []*int64{n(1), n(2), n(3)}}
	for name, c := range map[string]struct {
		lines       []levelLine
		want        string
		notReported []int64
	}{
		"one account":      {[]levelLine{grows}, "1 2 3", []int64{0, 0, 0}},
		"two accounts":     {[]levelLine{grows, {values: []*int64{n(10), n(10), n(20)}}}, "11 12 23", []int64{0, 0, 0}},
		"one begins later": {[]levelLine{grows, {values: []*int64{nil, nil, n(20)}}}, "1 2 23", []int64{0, 0, 0}},
		"one is silent for a while": {[]levelLine{grows, {values: []*int64{n(10), nil, n(20)}}}, "11 - 23",
			[]int64{0, 1, 0}},
		"one falls silent": {[]levelLine{grows, {values: []*int64{n(10), nil, nil}}}, "11 - -", []int64{0, 1, 1}},
		"one was disconnected": {[]levelLine{grows, {values: []*int64{n(10), nil, nil}, ended: true}}, "11 2 3",
			[]int64{0, 0, 0}},
		"one was silent before its end": {[]levelLine{{values: []*int64{n(10), nil, n(9)}, ended: true}}, "10 - 9",
			[]int64{0, 1, 0}},
		"nobody told anything": {[]levelLine{{values: []*int64{nil, nil, nil}}}, "- - -", []int64{0, 0, 0}},
	} {
		g := levelGroup("key", "label", c.lines, 3)
		if got := values(g.Values); got != c.want || !slices.Equal(g.NotTold, c.notReported) {
			t.Errorf("%s: %s, not told %v; want %s, %v", name, got, g.NotTold, c.want, c.notReported)
		}
	}
	for want, list := range map[string][]*int64{
		"": nil, "-": {n(5)}, "- 2 -1": {n(5), n(7), n(6)}, "- - - 3": {nil, n(5), nil, n(8)}, "- -": {nil, nil},
	} {
		if got := values(differences(list)); got != want {
			t.Errorf("the differences of %s are %s, want %s", values(list), got, want)
		}
	}
}

func TestAccountsWithoutReadingsAreCounted(t *testing.T) {
	t.Parallel()
	account := func(id crier.ID, status crier.AccountStatus) (a store.Account) {
		a.ID, a.Status = id, status
		return a
	}
	all := []store.Account{account("a", crier.AccountConnected), account("b", crier.AccountConnected),
		account("silent", crier.AccountConnected), account("gone", crier.AccountDisconnected)}
	got := tally{posts: map[crier.ID]int64{"a": 2, "gone": 1}, followers: map[crier.ID]levels{
		"a": {n(10), n(15)}, "b": {n(7), n(4)}}}.totals(all)
	if got.Posts != 3 || got.Followers.Told != 2 || got.Followers.NotTold != 1 || *got.Followers.Value != 19 ||
		*got.Followers.Change != 2 {
		t.Errorf("the totals are %+v", got)
	}
	if none := (tally{}).totals(nil); none.Followers.Value != nil || none.Followers.Change != nil {
		t.Errorf("without accounts there are %+v", none.Followers)
	}
}

func TestReadingsAreScheduledUntilTheLast(t *testing.T) {
	t.Parallel()
	at := crier.TimeOf(time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC))
	now := at.Time
	s := &Analytics{clock: func() time.Time { return now }}
	p := store.Publication{ID: "p", TeamID: "t", Provider: crier.ProviderX, PublishedAt: &at}
	tooLate := func(done job.Snapshot) bool { return !now.Before(s.givenUpAt(p, done)) }
	for _, begin := range []job.Snapshot{{Round: 0}, {Early: 1}} {
		done, before, rounds := begin, at.Time, 0
		for ; rounds < 1000; rounds++ {
			next, ok := s.nextReading(p, done)
			if !ok {
				break
			}
			args, _ := next.Args.(job.Snapshot)
			if args.ScheduledPostID != p.ID || args.TeamID != p.TeamID || args.Provider != p.Provider {
				t.Fatalf("reading %d is %+v: whose turn it is follows from it", rounds, args)
			}
			if !next.At.After(before) {
				t.Errorf("reading %d is at %v, the one before at %v", rounds, next.At, before)
			}
			if now = next.At.Add(-time.Microsecond); tooLate(done) {
				t.Errorf("reading %d is given up before the next is due", rounds)
			}
			if now = next.At; !tooLate(done) {
				t.Errorf("reading %d is tried beside the next", rounds)
			}
			done, before = args, next.At
		}
		if rounds == 0 || rounds == 1000 {
			t.Errorf("there are %d readings", rounds)
		}
		now = before.Add(25 * time.Hour)
		if !tooLate(done) {
			t.Error("the last reading is tried for ever")
		}
	}
}

func TestLiveReadingWindowIsBounded(t *testing.T) {
	t.Parallel()
	from := crier.TimeOf(time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC))
	later := func(d time.Duration) crier.Time { return crier.TimeOf(from.Add(d)) }
	for to, path := range map[crier.Time]string{
		later(time.Microsecond): "", later(maxLiveDays * 24 * time.Hour): "",
		later(maxLiveDays*24*time.Hour + time.Microsecond): "to", from: "from", later(-time.Hour): "from",
	} {
		issues := (&Analytics{}).CheckWindow(from, to)
		if path == "" && len(issues) != 0 || path != "" && (len(issues) != 1 || issues[0].Path[0] != path) {
			t.Errorf("until %s: %v", to, issues)
		}
	}
}
