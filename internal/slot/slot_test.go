package slot_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"crier"
	"crier/internal/slot"
)

const teamID = crier.ID("0190d3a0-5b1e-7cc0-8a3c-0d6f6a3b1c2d")

func TestDefaultsAreMorningAfternoonAndEveningOfEveryDay(t *testing.T) {
	t.Parallel()
	everyDay := []int{0, 1, 2, 3, 4, 5, 6}
	want := []crier.SchedulingSlot{
		{ID: "681998c1-4015-57be-a7f0-9ee0fc7b2021", TeamID: teamID, Hour: 9, Label: new("Morning"),
			DaysOfWeek: everyDay},
		{ID: "5a59bb05-4fec-5fb1-bcbe-b93e1a96e8aa", TeamID: teamID, Hour: 13, Label: new("Afternoon"),
			DaysOfWeek: everyDay},
		{ID: "7537e2d3-9226-5c36-ba87-20246dbe5711", TeamID: teamID, Hour: 18, Label: new("Evening"),
			DaysOfWeek: everyDay},
	}
	// The ids are written out: clients keep them, so they may never change.
	if diff := cmp.Diff(want, slot.Defaults(teamID)); diff != "" {
		t.Errorf("default slots (-want +got):\n%s", diff)
	}
}

func TestDefaultsOfTwoTeamsHaveDifferentIDs(t *testing.T) {
	t.Parallel()
	seen := map[crier.ID]bool{}
	for _, team := range []crier.ID{teamID, crier.NewID()} {
		for _, s := range slot.Defaults(team) {
			if seen[s.ID] {
				t.Errorf("id %s appears twice", s.ID)
			}
			seen[s.ID] = true
		}
	}
}

func TestOverlapNeedsTheSameTimeAndASharedDay(t *testing.T) {
	t.Parallel()
	at := func(hour, minute int, days ...int) crier.SchedulingSlot {
		return crier.SchedulingSlot{Hour: hour, Minute: minute, DaysOfWeek: days}
	}
	for name, test := range map[string]struct {
		a, b crier.SchedulingSlot
		want bool
	}{
		"same time, same day":        {at(9, 0, 1), at(9, 0, 1), true},
		"same time, one day shared":  {at(9, 0, 1, 2, 3), at(9, 0, 3, 4), true},
		"same time, no day shared":   {at(9, 0, 1, 2), at(9, 0, 0, 6), false},
		"other minute, same day":     {at(9, 0, 1), at(9, 30, 1), false},
		"other hour, same day":       {at(9, 0, 1), at(21, 0, 1), false},
		"same time, one without any": {at(9, 0, 1), at(9, 0), false},
	} {
		if got := slot.Overlap(test.a, test.b); got != test.want {
			t.Errorf("%s: got %v", name, got)
		}
		if got := slot.Overlap(test.b, test.a); got != test.want {
			t.Errorf("%s, the other way round: got %v", name, got)
		}
	}
}
