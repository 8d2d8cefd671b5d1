package crier_test

import (
	"testing"
	"time"

	"crier"
)

func TestOffsetsMayBeFractional(t *testing.T) {
	t.Parallel()
	if got := (crier.EngagementTrigger{WindowHours: 1.5}).Window(); got != 90*time.Minute {
		t.Errorf("a window of 1.5 hours lasts %v", got)
	}
	r := crier.RepostAfter{OffsetDays: 2.25}
	if r.WholeDays() != 2 || r.PartOfADay() != 6*time.Hour {
		t.Errorf("2.25 days are %d days and %v", r.WholeDays(), r.PartOfADay())
	}
}
