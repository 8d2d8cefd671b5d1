package publish

import (
	"testing"
	"time"

	"crier"
	"crier/internal/store"
)

func TestNextOfSeries(t *testing.T) {
	t.Parallel()
	at := func(text string) crier.Time {
		parsed, err := crier.ParseTime(text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	for _, c := range []struct {
		name           string
		planned, start string
		index, days    int
		zone, now      string
		ends           string
		status         crier.ScheduledPostStatus
		want           string
		wantIndex      int
	}{
		{name: "no series", planned: "2026-11-15T09:00:00Z", zone: "UTC", now: "2026-11-15T09:00:01Z"},
		{name: "a week later", planned: "2026-11-15T09:00:00Z", days: 7, zone: "UTC", now: "2026-11-15T09:00:01Z",
			want: "2026-11-22T09:00:00Z", wantIndex: 1},
		{name: "after a failure", planned: "2026-11-15T09:00:00Z", days: 7, zone: "UTC", now: "2026-11-15T09:00:01Z",
			status: crier.Failed, want: "2026-11-22T09:00:00Z", wantIndex: 1},
		{name: "after a cancellation", planned: "2026-11-15T09:00:00Z", days: 7, zone: "UTC",
			now: "2026-11-15T09:00:01Z", status: crier.Canceled},
		{name: "before its time", planned: "2026-11-15T09:00:00Z", days: 1, zone: "UTC", now: "2026-11-14T09:00:00Z",
			want: "2026-11-16T09:00:00Z", wantIndex: 1},
		{name: "the wall clock stays across a clock change", planned: "2026-10-20T07:00:00Z", days: 7,
			zone: "Europe/Berlin", now: "2026-10-20T07:00:01Z", want: "2026-10-27T08:00:00Z", wantIndex: 1},
		{name: "a series that slept continues ahead", planned: "2026-11-01T09:00:00Z", days: 2, zone: "UTC",
			now: "2026-11-15T09:00:00Z", want: "2026-11-17T09:00:00Z", wantIndex: 8},
		{name: "from its start, not from a late publication", planned: "2026-11-15T12:34:56Z",
			start: "2026-11-01T09:00:00Z", index: 14, days: 1, zone: "UTC", now: "2026-11-15T12:35:00Z",
			want: "2026-11-16T09:00:00Z", wantIndex: 15},
		{name: "the end", planned: "2026-11-15T09:00:00Z", days: 7, zone: "UTC", now: "2026-11-15T09:00:01Z",
			ends: "2026-11-22T08:59:59Z"},
		{name: "the last before the end", planned: "2026-11-15T09:00:00Z", days: 7, zone: "UTC",
			now: "2026-11-15T09:00:01Z", ends: "2026-11-22T09:00:00Z", want: "2026-11-22T09:00:00Z", wantIndex: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := testPublication(store.PostPublication, crier.Published)
			p.ScheduledAt, p.Timezone, p.Actions.SeriesIndex = at(c.planned), c.zone, c.index
			if c.status != "" {
				p.Status = c.status
			}
			if c.days > 0 {
				p.Actions.RecurrenceIntervalDays = &c.days
			}
			if c.start != "" {
				start := at(c.start)
				p.Actions.SeriesStart = &start
			}
			if c.ends != "" {
				ends := at(c.ends)
				p.Actions.RecurrenceEndsAt = &ends
			}
			next, err := nextOfSeries(p, at(c.now))
			if err != nil || (next == nil) != (c.want == "") {
				t.Fatalf("%+v, %v", next, err)
			}
			if next == nil {
				return
			}
			n := next.Publication
			if n.ScheduledAt != at(c.want) || n.Actions.SeriesIndex != c.wantIndex || *n.RecurrenceOf != p.ID ||
				next.Cost != 10 || n.Reserved != 0 || !n.WakeAt.Equal(at(c.want).Add(-45*time.Second)) {
				t.Errorf("%s, index %d, cost %d; want %s, index %d", n.ScheduledAt, n.Actions.SeriesIndex, next.Cost,
					c.want, c.wantIndex)
			}
		})
	}
}

func TestNextOfSeriesRefusesAnUnknownZone(t *testing.T) {
	t.Parallel()
	days := 1
	p := testPublication(store.PostPublication, crier.Published)
	p.Timezone, p.Actions.RecurrenceIntervalDays = "Europe/Atlantis", &days
	if _, err := nextOfSeries(p, testNow); err == nil {
		t.Error("no error")
	}
}
