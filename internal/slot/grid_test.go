package slot_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"crier"
	"crier/internal/slot"
)

var everyDay = []int{0, 1, 2, 3, 4, 5, 6}

// daily reads slots of every day from times such as "09:00"; a slot's id is its time.
func daily(t testing.TB, times ...string) []crier.SchedulingSlot {
	t.Helper()
	var slots []crier.SchedulingSlot
	for _, s := range times {
		w := wall(t, "2026-01-01 "+s)
		slots = append(slots, crier.SchedulingSlot{ID: crier.ID(s), Hour: w.Hour(), Minute: w.Minute(),
			DaysOfWeek: everyDay})
	}
	return slots
}

// show renders instants as local time and the slot's own time.
func show(instants []slot.Instant, loc *time.Location) []string {
	var lines []string
	for _, i := range instants {
		lines = append(lines, fmt.Sprintf("%s %02d:%02d", i.StartsAt.In(loc).Format("01-02 15:04Z07"), i.Slot.Hour,
			i.Slot.Minute))
	}
	return lines
}

func TestBetweenMergesTheGridAcrossClockChanges(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rule, zone  string
		slots       []crier.SchedulingSlot
		from, until string // local
		want        []string
	}{
		{
			"both ends belong to the window", "UTC", daily(t, "09:00", "18:00"), "2026-01-01 09:00", "2026-01-02 09:00",
			[]string{"01-01 09:00Z 09:00", "01-01 18:00Z 18:00", "01-02 09:00Z 09:00"},
		},
		{
			"slots are sorted by time, not as given", "UTC", daily(t, "18:00", "09:00"), "2026-01-01 00:00",
			"2026-01-01 23:59",
			[]string{"01-01 09:00Z 09:00", "01-01 18:00Z 18:00"},
		},
		{
			"a slot moved onto another appears once, as the one whose time it is", "Europe/Berlin",
			daily(t, "02:30", "03:30"),
			"2026-03-28 00:00", "2026-03-30 23:59",
			[]string{
				"03-28 02:30+01 02:30", "03-28 03:30+01 03:30", "03-29 03:30+02 03:30",
				"03-30 02:30+02 02:30", "03-30 03:30+02 03:30",
			},
		},
		{
			"a slot moved behind another comes behind it", "Europe/Berlin", daily(t, "02:30", "03:00"),
			"2026-03-29 00:00", "2026-03-29 23:59",
			[]string{"03-29 03:00+02 03:00", "03-29 03:30+02 02:30"},
		},
		{
			"a repeated hour has the slot once, in its first run", "Europe/Berlin", daily(t, "02:30"),
			"2026-10-24 00:00", "2026-10-26 23:59",
			[]string{"10-24 02:30+02 02:30", "10-25 02:30+02 02:30", "10-26 02:30+01 02:30"},
		},
		{
			"a slot moved over midnight stands among those of the next day", "America/Scoresbysund",
			daily(t, "23:30", "00:15", "00:45"),
			"2025-03-29 12:00", "2025-03-30 12:00",
			[]string{"03-30 00:15-01 00:15", "03-30 00:30-01 23:30", "03-30 00:45-01 00:45"},
		},
		{
			"a skipped day falls together with the next", "Pacific/Apia", daily(t, "09:00", "18:00"),
			"2011-12-29 00:00", "2012-01-01 00:00",
			[]string{"12-29 09:00-10 09:00", "12-29 18:00-10 18:00", "12-31 09:00+14 09:00", "12-31 18:00+14 18:00"},
		},
		{
			"a window that ends before it begins is empty", "UTC", daily(t, "09:00"), "2026-01-02 00:00",
			"2026-01-01 00:00", nil,
		},
		{
			"no slots, no instants", "UTC", nil, "2026-01-01 00:00", "2026-04-01 00:00", nil,
		},
		{
			"a slot without a day has no instants", "UTC", []crier.SchedulingSlot{{Hour: 9}}, "2026-01-01 00:00",
			"2026-04-01 00:00", nil,
		},
		{
			"only enabled days count", "UTC", []crier.SchedulingSlot{{Hour: 9, DaysOfWeek: []int{0, 6}}},
			"2026-01-01 00:00", "2026-01-08 00:00",
			[]string{"01-03 09:00Z 09:00", "01-04 09:00Z 09:00"},
		},
	} {
		loc := location(t, test.zone)
		from, until := localTime(t, test.from, loc), localTime(t, test.until, loc)
		got := slices.Collect(slot.Grid{Slots: test.slots, Location: loc}.Between(from, until))
		if diff := cmp.Diff(test.want, show(got, loc)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.rule, diff)
		}
	}
}

func localTime(t testing.TB, s string, loc *time.Location) time.Time {
	t.Helper()
	at, err := time.ParseInLocation(wallLayout, s, loc)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestBetweenStopsWhenItsConsumerDoes(t *testing.T) {
	t.Parallel()
	grid := slot.Grid{Slots: daily(t, "09:00", "18:00"), Location: time.UTC}
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	taken := 0
	for range grid.Between(from, from.AddDate(1000, 0, 0)) {
		if taken++; taken == 3 {
			break
		}
	}
	if taken != 3 {
		t.Errorf("took %d instants", taken)
	}
}

func TestNextTakesTheFirstInstantsOfTheWindow(t *testing.T) {
	t.Parallel()
	grid := slot.Grid{Slots: daily(t, "09:00", "18:00"), Location: time.UTC}
	from := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	got := grid.Next(from, from.AddDate(0, 0, 90), 2)
	want := []string{"01-01 18:00Z 18:00", "01-02 09:00Z 09:00"}
	if diff := cmp.Diff(want, show(got, time.UTC)); diff != "" {
		t.Errorf("next slots (-want +got):\n%s", diff)
	}
}

func TestNextEndsWhenTheWindowHoldsNothing(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		slots []crier.SchedulingSlot
		days  int
		count int
		want  int
	}{
		"no slots":                          {nil, 90, 1, 0},
		"no enabled day":                    {[]crier.SchedulingSlot{{Hour: 9}}, 90, 1, 0},
		"enabled day outside of the window": {[]crier.SchedulingSlot{{Hour: 9, DaysOfWeek: []int{3}}}, 5, 1, 0},
		"fewer than asked for":              {daily(t, "09:00"), 5, 20, 5},
		"none asked for":                    {daily(t, "09:00"), 5, 0, 0},
		"a negative count":                  {daily(t, "09:00"), 5, -1, 0},
	} {
		grid := slot.Grid{Slots: test.slots, Location: time.UTC}
		if got := grid.Next(from, from.AddDate(0, 0, test.days), test.count); len(got) != test.want {
			t.Errorf("%s: got %v", name, show(got, time.UTC))
		}
	}
}

// TestBetweenEqualsSortingEverything compares the day-by-day merge with the plain definition: At of every slot on every
// enabled day, sorted, without repetitions, cut to the window.
func TestBetweenEqualsSortingEverything(t *testing.T) {
	t.Parallel()
	zones := zoneNames(t)
	rapid.Check(t, func(t *rapid.T) {
		loc, err := crier.Zone(rapid.SampledFrom(zones).Draw(t, "zone")).Location()
		if err != nil {
			t.Fatal(err)
		}
		slots := rapid.SliceOfN(rapid.Custom(drawSlot), 0, 8).Draw(t, "slots")
		from := time.Unix(rapid.Int64Range(0, 2_082_758_400).Draw(t, "from"), 0) // 1970 to 2035
		until := from.Add(time.Duration(rapid.IntRange(-24, 92*24).Draw(t, "hours")) * time.Hour)

		got := startTimes(slices.Collect(slot.Grid{Slots: slots, Location: loc}.Between(from, until)))
		want := allInstants(slots, loc, from, until)
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

func drawSlot(t *rapid.T) crier.SchedulingSlot {
	return crier.SchedulingSlot{
		ID:         crier.ID(rapid.StringN(1, 4, -1).Draw(t, "id")),
		Hour:       rapid.IntRange(0, 23).Draw(t, "hour"),
		Minute:     rapid.IntRange(0, 59).Draw(t, "minute"),
		DaysOfWeek: rapid.SliceOfNDistinct(rapid.IntRange(0, 6), 1, 7, rapid.ID).Draw(t, "days"),
	}
}

func allInstants(slots []crier.SchedulingSlot, loc *time.Location, from, until time.Time) []time.Time {
	var all []time.Time
	for day := from.UTC().AddDate(0, 0, -3); day.Before(until.AddDate(0, 0, 3)); day = day.AddDate(0, 0, 1) {
		for _, s := range slots {
			if at := slot.At(loc, day.Year(), day.Month(), day.Day(), s.Hour, s.Minute); slices.Contains(s.DaysOfWeek,
				int(day.Weekday())) &&
				!at.Before(from) && !at.After(until) {
				all = append(all, at)
			}
		}
	}
	slices.SortFunc(all, time.Time.Compare)
	return slices.Compact(all)
}

func startTimes(instants []slot.Instant) []time.Time {
	var times []time.Time
	for _, i := range instants {
		times = append(times, i.StartsAt)
	}
	return times
}
