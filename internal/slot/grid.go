package slot

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"crier"
)

// Grid is the weekly slots of a team in one time zone.
type Grid struct {
	Slots    []crier.SchedulingSlot
	Location *time.Location
}

// Instant is one occurrence of a slot.
type Instant struct {
	StartsAt time.Time // in UTC
	Slot     crier.SchedulingSlot

	gap time.Duration // how far a clock change moved it
}

// Next returns the first count instants from from to until, both inclusive; fewer if the window has no more.
func (g Grid) Next(from, until time.Time, count int) []Instant {
	var next []Instant
	for instant := range g.Between(from, until) {
		if len(next) >= count {
			break
		}
		next = append(next, instant)
	}
	return next
}

// Between yields the instants of all slots from from to until, both inclusive, in strictly ascending order: if several
// slots fall on one instant, it is yielded once, for the slot whose own time it is rather than one that a clock change
// moved there. The work is bounded by the days of the window, whether or not there is a slot on them.
func (g Grid) Between(from, until time.Time) iter.Seq[Instant] {
	return func(yield func(Instant) bool) {
		var pending []Instant // sorted; a clock change can carry instants of one day among those of the next
		day := wallOf(from, g.Location).Truncate(24*time.Hour).AddDate(0, 0, -1)
		for begin := reach(g.Location, day); !begin.After(until); {
			pending = g.appendDay(pending, day)
			slices.SortFunc(pending, inOrder)
			pending = slices.CompactFunc(pending, sameTime)
			day = day.AddDate(0, 0, 1)
			begin = reach(g.Location, day)
			ready := 0
			for ; ready < len(pending) && pending[ready].StartsAt.Before(begin); ready++ {
				if within(pending[ready].StartsAt, from, until) && !yield(pending[ready]) {
					return
				}
			}
			pending = slices.Delete(pending, 0, ready)
		}
	}
}

// appendDay adds the instants of the slots that are enabled on the given day.
func (g Grid) appendDay(instants []Instant, day time.Time) []Instant {
	for _, slot := range g.Slots {
		if !slices.Contains(slot.DaysOfWeek, int(day.Weekday())) {
			continue
		}
		wall := day.Add(time.Duration(slot.Hour)*time.Hour + time.Duration(slot.Minute)*time.Minute)
		at, gap := locate(g.Location, wall)
		instants = append(instants, Instant{StartsAt: at, Slot: slot, gap: gap})
	}
	return instants
}

// inOrder sorts by time; among equal times, the one to keep comes first.
func inOrder(a, b Instant) int {
	return cmp.Or(a.StartsAt.Compare(b.StartsAt), cmp.Compare(a.gap, b.gap), cmp.Compare(a.Slot.ID, b.Slot.ID))
}

func sameTime(a, b Instant) bool { return a.StartsAt.Equal(b.StartsAt) }

func within(t, from, until time.Time) bool { return !t.Before(from) && !t.After(until) }
