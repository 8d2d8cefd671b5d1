// Package slot turns a team's weekly grid of wall-clock times into instants, across time zones and clock changes.
//
// It is a pure calculation: it reads no clock and no database. The caller knows which instants are taken, and the
// service decides whether a slot may be stored.
package slot

import (
	"slices"

	"crier"
)

// Defaults returns the slots of a team without its own: morning, afternoon and evening of every day. Their ids depend
// only on the team's id, so they are the same in every response.
func Defaults(teamID crier.ID) []crier.SchedulingSlot {
	return []crier.SchedulingSlot{
		defaultSlot(teamID, 9, "Morning"),
		defaultSlot(teamID, 13, "Afternoon"),
		defaultSlot(teamID, 18, "Evening"),
	}
}

func defaultSlot(teamID crier.ID, hour int, label string) crier.SchedulingSlot {
	return crier.SchedulingSlot{
		ID:         crier.DerivedID(teamID, "default slot "+label),
		TeamID:     teamID,
		Hour:       hour,
		Label:      &label,
		DaysOfWeek: []int{0, 1, 2, 3, 4, 5, 6},
	}
}

// Overlap reports whether a and b have the same wall-clock time on a common day of the week. Two slots of one team must
// not.
func Overlap(a, b crier.SchedulingSlot) bool {
	return a.Hour == b.Hour && a.Minute == b.Minute &&
		slices.ContainsFunc(a.DaysOfWeek, func(day int) bool { return slices.Contains(b.DaysOfWeek, day) })
}
