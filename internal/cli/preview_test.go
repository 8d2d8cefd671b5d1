package cli

import (
	"strings"
	"testing"

	"crier"
)

func TestWhatHoldsAPostIsToldAtOnce(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	s := &Shell{stderr: &out}
	s.tellWhatHolds(crier.ScheduleResult{Data: []crier.ScheduleEntry{
		{ScheduledPost: &crier.ScheduledPost{Status: crier.Published}},
		{ScheduledPost: &crier.ScheduledPost{Status: crier.Scheduled, ErrorMessage: "Session has expired."}},
		{Error: &crier.EntryError{}},
	}}, []crier.SocialAccount{{}, {Provider: "facebook", DisplayName: "Acme Page"}, {}})
	if got := out.String(); got != "  Facebook Acme Page: Session has expired.\n" {
		t.Errorf("told %q", got)
	}
}
