package store_test

import (
	"encoding/json"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
)

func number(n int64) *int64 { return &n }

func same(a, b *int64) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

func TestEngagementsSumReportedMetrics(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		numbers           store.Numbers
		engagements, rate *int64
	}{
		"nothing":       {store.Numbers{}, nil, nil},
		"views alone":   {store.Numbers{Views: number(10)}, nil, nil},
		"likes alone":   {store.Numbers{Likes: number(3)}, number(3), nil},
		"clicks do not": {store.Numbers{Clicks: number(3), Reach: number(9), Views: number(1)}, nil, nil},
		"a told zero":   {store.Numbers{Likes: number(0), Views: number(5)}, number(0), number(0)},
		"nobody saw it": {store.Numbers{Likes: number(1), Views: number(0)}, number(1), nil},
		"all of them": {store.Numbers{Likes: number(1), Comments: number(2), Shares: number(3), Quotes: number(4),
			Saves: number(5), Views: number(60)}, number(15), number(250_000)},
		"more than it seen": {store.Numbers{Likes: number(3), Views: number(2)}, number(3), number(1_500_000)},
		"a third":           {store.Numbers{Likes: number(1), Views: number(3)}, number(1), number(333_333)},
	} {
		if e, r := c.numbers.Engagements(), c.numbers.Rate(); !same(e, c.engagements) || !same(r, c.rate) {
			t.Errorf("%s: %v and %v", name, e, r)
		}
	}
}

func TestReadingsDecodeNetworkMetrics(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]store.Numbers{
		`{}`:                              {},
		`{"impressions":7}`:               {Views: number(7)},
		`{"views":5,"impressions":7}`:     {Views: number(5)},
		`{"views":null,"impressions":7}`:  {Views: number(7)},
		`{"likes":0,"saves":2,"other":1}`: {Likes: number(0), Saves: number(2)},
		`{"reach":3,"comments":1,"shares":2,"quotes":4,"clicks":5}`: {Reach: number(3), Comments: number(1),
			Shares: number(2), Quotes: number(4), Clicks: number(5)},
	} {
		got, err := store.DecodeNumbers(json.RawMessage(raw))
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		if err != nil || string(a) != string(b) {
			t.Errorf("%s is %s, %v; want %s", raw, a, err, b)
		}
	}
	for _, wrong := range []string{``, `[]`, `{"views":"many"}`, `{"likes":1.5}`} {
		if _, err := store.DecodeNumbers(json.RawMessage(wrong)); err == nil {
			t.Errorf("%q is read", wrong)
		}
	}
}

// sum returns a metric of sums.
func sum(d store.DaySums, m crier.Metric) store.Sum {
	for i, name := range store.SummedMetrics {
		if name == m {
			return d.Sums[i]
		}
	}
	return store.Sum{}
}

// The gains of all days add up to the post's total, however its metrics were read.
func TestDailyGainsAddUpToTheTotal(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	day := func(at crier.Time) int64 { return at.Unix() / (24 * 60 * 60) }
	first := day(crier.TimeOf(begin))
	reading := func(hours int, n store.Numbers) store.Reading {
		return store.Reading{At: crier.TimeOf(begin.Add(time.Duration(hours) * time.Hour)), Numbers: n}
	}
	views := func(v int64) store.Numbers { return store.Numbers{Views: number(v), Likes: number(v / 10)} }
	for name, c := range map[string]struct {
		kept     int64 // of how many readings
		readings []store.Reading
		want     []int64 // gained views, by reading
		days     []int64
		total    int64
	}{
		"no reading":  {0, nil, nil, nil, 0},
		"one reading": {1, []store.Reading{reading(1, views(50))}, []int64{50}, []int64{0}, 50},
		"three on two days": {3, []store.Reading{reading(1, views(50)), reading(2, views(70)), reading(13,
			views(90))}, []int64{50, 20, 20}, []int64{0, 0, 1}, 90},
		"a number that sinks": {2, []store.Reading{reading(1, views(50)), reading(2, views(40))}, []int64{50,
			-10}, []int64{0, 0}, 40},
		"a reading that tells less": {3, []store.Reading{reading(1, views(50)), reading(2,
			store.Numbers{Likes: number(9)}), reading(3, views(80))}, []int64{50, 0, 30}, []int64{0, 0, 0}, 80},
		"the first ones are gone": {9, []store.Reading{reading(1, views(50)), reading(2, views(70))}, []int64{20},
			[]int64{0}, 20},
		"the only one left of many": {9, []store.Reading{reading(1, views(50))}, nil, nil, 0},
		"a reading that tells nothing": {2, []store.Reading{reading(1, store.Numbers{}), reading(2, views(10))},
			[]int64{0, 10}, []int64{0, 0}, 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gains := store.Gains(store.PublicationStats{Readings: c.kept, Numbers: views(1_000_000)}, c.readings, day)
			if len(gains) != len(c.want) {
				t.Fatalf("%d gains, want %d", len(gains), len(c.want))
			}
			var all store.DaySums
			for i, g := range gains {
				if got := sum(g, crier.MetricViews).Value; got != c.want[i] || g.Day != first+c.days[i] || !g.Gained ||
					g.Counted != 1 {
					t.Errorf("reading %d gains %d on day %d", i, got, g.Day-first)
				}
				all.Add(g)
			}
			if got := sum(all, crier.MetricViews).Value; got != c.total {
				t.Errorf("together they gain %d, want %d", got, c.total)
			}
		})
	}
}

func TestTotalsOfAPostCountItOnce(t *testing.T) {
	t.Parallel()
	s := store.PublicationStats{TeamID: "t", SocialAccountID: "a", Provider: "x", PostType: crier.TextPost,
		PublishedDay: 5, Numbers: store.Numbers{Views: number(40), Likes: number(4), Comments: number(1)}}
	d := store.Totals(s, 9)
	if d.Day != 9 || d.Gained || d.Counted != 1 || d.TeamID != "t" || d.SocialAccountID != "a" ||
		sum(d, crier.MetricViews) != (store.Sum{Value: 40, Told: 1}) || sum(d, crier.MetricShares) != (store.Sum{}) ||
		sum(d, crier.MetricEngagements) != (store.Sum{Value: 5, Told: 1}) ||
		d.Rated != (store.Rated{Views: 40, Engagements: 5, Told: 1}) {
		t.Errorf("the totals are %+v", d)
	}
}
