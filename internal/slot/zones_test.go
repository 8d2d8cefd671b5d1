package slot_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/slot"
)

// The years that are checked day by day, in every zone.
var (
	firstDay = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	lastDay  = time.Date(2035, 12, 31, 0, 0, 0, 0, time.UTC)
)

func zoneNames(t testing.TB) []string {
	t.Helper()
	list, err := os.ReadFile("../../zones.txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(list))
}

func TestEveryZoneAndDayFrom2020To2035(t *testing.T) {
	t.Parallel()
	walked := map[string]bool{} // many zones had the same clocks in these years: their days are the same, too
	for _, name := range zoneNames(t) {
		loc := location(t, name)
		history := observe(loc)
		clocks := fmt.Sprint(history)
		first := !walked[clocks]
		walked[clocks] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if first {
				checkEveryDay(t, loc, history)
			}
			for _, change := range history[1:] {
				checkAround(t, loc, history, change.start)
			}
		})
	}
}

// stretch is a time of constant offset, as found by watching the zone's clocks.
type stretch struct {
	start, end time.Time
	offset     time.Duration
}

// observe finds the clock changes of a zone by looking at its clocks twice a day and then ever closer. It shares
// nothing with the code under test, which asks the zone for its bounds.
func observe(loc *time.Location) []stretch {
	const step = 12 * time.Hour
	begin, end := firstDay.AddDate(0, 0, -3), lastDay.AddDate(0, 0, 4)
	history := []stretch{{start: begin, offset: offsetAt(loc, begin)}}
	for t := begin; t.Before(end); t = t.Add(step) {
		current := &history[len(history)-1]
		if offsetAt(loc, t.Add(step)) == current.offset {
			continue
		}
		low, high := t, t.Add(step)
		for high.Sub(low) > time.Second {
			middle := low.Add(high.Sub(low) / 2).Truncate(time.Second)
			if offsetAt(loc, middle) == current.offset {
				low = middle
			} else {
				high = middle
			}
		}
		current.end = high
		history = append(history, stretch{start: high, offset: offsetAt(loc, high)})
	}
	history[len(history)-1].end = end
	return history
}

func offsetAt(loc *time.Location, t time.Time) time.Duration {
	_, seconds := t.In(loc).Zone()
	return time.Duration(seconds) * time.Second
}

// expected returns the rule, spelled out: the first instant that shows wall, else wall moved forward by the gap it lies
// in. It is the zero time if there is neither.
func expected(history []stretch, wall time.Time) time.Time {
	for _, s := range history {
		if at := wall.Add(-s.offset); !at.Before(s.start) && at.Before(s.end) {
			return at
		}
	}
	for i, s := range history[1:] {
		old := history[i]
		if gapStart, gapEnd := s.start.Add(old.offset), s.start.Add(s.offset); !wall.Before(gapStart) &&
			wall.Before(gapEnd) {
			return wall.Add(s.offset - old.offset).Add(-s.offset)
		}
	}
	return time.Time{}
}

// checkAround compares At with the rule for the days around a clock change, every quarter of an hour and the
// minutes beside it.
func checkAround(t *testing.T, loc *time.Location, history []stretch, change time.Time) {
	t.Helper()
	nearby := near(history, change)
	first := change.Truncate(24*time.Hour).AddDate(0, 0, -1)
	for wall := first; wall.Before(first.AddDate(0, 0, 3)); wall = wall.Add(15 * time.Minute) {
		for minute := -1; minute <= 1; minute++ {
			w := wall.Add(time.Duration(minute) * time.Minute)
			got := slot.At(loc, w.Year(), w.Month(), w.Day(), w.Hour(), w.Minute())
			if want := expected(nearby, w); !got.Equal(want) {
				t.Fatalf("%s: got %s, want %s", w.Format(wallLayout), got, want)
			}
		}
	}
}

// near narrows a history to the stretches within a week of t.
func near(history []stretch, t time.Time) []stretch {
	return slices.DeleteFunc(slices.Clone(history), func(s stretch) bool {
		return s.end.Before(t.AddDate(0, 0, -7)) || s.start.After(t.AddDate(0, 0, 7))
	})
}

// checkEveryDay walks a grid with slots in the hours in which clocks change, and one at noon on some days of the week.
// The instants must ascend; on days without a clock change nearby each slot of the day must be there, at its own time.
func checkEveryDay(t *testing.T, loc *time.Location, history []stretch) {
	t.Helper()
	grid := slot.Grid{Location: loc, Slots: append(daily(t, "00:00", "02:30", "03:30"),
		crier.SchedulingSlot{ID: "12:00", Hour: 12, DaysOfWeek: []int{1, 3, 5}})}
	restless := daysOfChanges(history)
	perDay := make([]int, dayNumber(lastDay)+8)
	var previous time.Time
	for i := range grid.Between(firstDay.AddDate(0, 0, -1), lastDay.AddDate(0, 0, 2)) {
		if !i.StartsAt.After(previous) {
			t.Fatalf("%s comes after %s", i.StartsAt, previous)
		}
		previous = i.StartsAt
		local := i.StartsAt.Add(offsetAt(loc, i.StartsAt))
		day := dayNumber(local)
		perDay[day]++
		if own := local.Hour() == i.Slot.Hour && local.Minute() == i.Slot.Minute; !own && !restless[day] {
			t.Fatalf("slot %s is at %s", i.Slot.ID, local.Format(wallLayout))
		}
	}
	for day := firstDay; !day.After(lastDay); day = day.AddDate(0, 0, 1) {
		number := dayNumber(day)
		if got, want := perDay[number], enabledOn(grid.Slots, day); got != want && !restless[number] {
			t.Fatalf("%s has %d instants, want %d", day.Format(time.DateOnly), got, want)
		}
	}
}

// dayNumber counts days from shortly before the first one that is checked.
func dayNumber(local time.Time) int {
	return int(local.Sub(firstDay.AddDate(0, 0, -4)) / (24 * time.Hour))
}

func enabledOn(slots []crier.SchedulingSlot, day time.Time) int {
	enabled := 0
	for _, s := range slots {
		if slices.Contains(s.DaysOfWeek, int(day.Weekday())) {
			enabled++
		}
	}
	return enabled
}

// daysOfChanges returns the numbers of the days on which a clock change can touch a slot.
func daysOfChanges(history []stretch) map[int]bool {
	days := map[int]bool{}
	for _, change := range history[1:] {
		for offset := -1; offset <= 1; offset++ {
			days[dayNumber(change.start)+offset] = true
		}
	}
	return days
}
