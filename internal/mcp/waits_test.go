package mcp

import (
	"testing"

	"crier"
)

// A post may be unknown or being published on one account, and scheduled on another, where a change is published.
func TestPostWaitsOnAnyScheduledAccount(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		states []crier.ScheduledPostStatus
		want   bool
	}{
		{states: nil},
		{states: []crier.ScheduledPostStatus{crier.Published, crier.Failed}},
		{states: []crier.ScheduledPostStatus{crier.Scheduled}, want: true},
		{states: []crier.ScheduledPostStatus{crier.Unknown, crier.Scheduled}, want: true},
		{states: []crier.ScheduledPostStatus{crier.Publishing, crier.Scheduled}, want: true},
	} {
		publications := each(c.states, func(s crier.ScheduledPostStatus) crier.ScheduledPost {
			return crier.ScheduledPost{Status: s}
		})
		post := crier.Post{DeliveryState: crier.DeliveryOf(c.states), ScheduledPosts: &publications}
		if got := waits(post); got != c.want {
			t.Errorf("%v: it waits is %t", c.states, got)
		}
	}
}
