package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier"
)

// calendarTextLength bounds the text of an entry.
const calendarTextLength = 80

// calendarBrief is the short form of a calendar.
type calendarBrief struct {
	Timezone string               `json:"timezone"`
	Entries  []calendarEntryBrief `json:"entries"`
}

type calendarEntryBrief struct {
	ScheduledAt     crier.Time                 `json:"scheduledAt"`
	Local           string                     `json:"local"`
	Kind            string                     `json:"kind"`
	PostID          crier.ID                   `json:"postId"`
	ScheduledPostID crier.ID                   `json:"scheduledPostId"`
	Provider        crier.Provider             `json:"provider"`
	Status          *crier.ScheduledPostStatus `json:"status,omitempty"`
	Text            string                     `json:"text"`
	Permalink       string                     `json:"permalink,omitempty"`
	ErrorCode       string                     `json:"errorCode,omitempty"`
}

func briefCalendar(c crier.Calendar) calendarBrief {
	return calendarBrief{Timezone: c.Timezone, Entries: each(c.Entries, func(e crier.CalendarEntry) calendarEntryBrief {
		return calendarEntryBrief{
			ScheduledAt: e.ScheduledAt, Local: e.LocalDate + " " + e.LocalTime, Kind: e.Kind, PostID: e.PostID,
			ScheduledPostID: e.ScheduledPostID,
			Provider:        e.Provider, Status: e.Status, Text: shorten(e.Text, calendarTextLength),
			Permalink: e.Permalink,
			ErrorCode: e.ErrorCode,
		}
	})}
}

func (d *server) addCalendarTools(s *mcp.Server) {
	addTool(d, s, tool{
		name: "get_calendar", title: "Get the calendar", effect: reads,
		description: "Lists scheduled and published posts between two times at most 92 days apart, with future " +
			"recurrences.",
	}, getCalendar)
}

type getCalendarInput struct {
	inTeam
	From     crier.Time `json:"from" jsonschema:"the start, such as 2026-11-01T00:00:00Z"`
	To       crier.Time `json:"to" jsonschema:"the end, exclusive"`
	Timezone string     `json:"timezone,omitempty" jsonschema:"IANA zone of the local times; the team's when absent"`
}

func getCalendar(ctx context.Context, c *call, in getCalendarInput) (any, error) {
	team, err := c.team(ctx, in.inTeam)
	if err != nil {
		return nil, err
	}
	found, err := c.Calendar(ctx, team, in.From, in.To, in.Timezone)
	if err != nil {
		return nil, err
	}
	return briefCalendar(found), nil
}
