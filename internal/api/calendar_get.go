package api

import (
	"context"

	"crier"
	"crier/internal/access"
	"crier/internal/service"
)

type getCalendarInput struct {
	teamPath
	From     crier.Time `query:"from" required:"true" doc:"Inclusive."`
	To       crier.Time `query:"to" required:"true" doc:"Exclusive; at most 92 days after from."`
	Timezone crier.Zone `query:"timezone" doc:"For local dates and times; the team's when absent, else UTC."`
	Include  string     `query:"include" doc:"canceled adds canceled posts."`

	canceled bool
}

var getCalendarDoc = doc{
	ID: "getCalendar", Tag: "Posts", Summary: "Get the calendar",
	Description: "One entry per scheduled post that is not canceled, and one per future occurrence of a " +
		"recurrence in the window, by time. A window with more than 5000 entries is rejected.",
}

func (in *getCalendarInput) check(*Server) []crier.Issue {
	list, issues := enumList("include", in.Include, []string{"canceled"})
	in.canceled = len(list) > 0
	issues = append(issues, requiredTimes(in.From, in.To)...)
	return append(issues, rangeIssues("from", "to", orNil(in.From), orNil(in.To))...)
}

// requiredTimes rejects a window without a start or an end.
func requiredTimes(from, to crier.Time) []crier.Issue {
	var issues []crier.Issue
	for _, p := range []struct {
		name string
		at   crier.Time
	}{{"from", from}, {"to", to}} {
		if p.at.IsZero() {
			issues = append(issues,
				crier.At("is required: an RFC 3339 time with Z or an offset, such as 2026-11-15T09:00:00Z", p.name))
		}
	}
	return issues
}

func (s *Server) getCalendar(ctx context.Context, scope access.TeamScope, in *getCalendarInput) (crier.Calendar,
	error) {
	return s.services.Calendars.Get(ctx, scope, service.CalendarWindow{From: in.From, To: in.To, Zone: in.Timezone,
		Canceled: in.canceled})
}
