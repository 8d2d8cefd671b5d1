package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier"
)

// calendarTextLength bounds the text of an entry.
const calendarTextLength = 80

// maxCalendarEntries bounds a calendar: one of the API has up to thousands of entries, and an agent reads all of them.
const maxCalendarEntries = 100

// calendarBrief is the short form of a calendar.
type calendarBrief struct {
	Timezone string               `json:"timezone"`
	Entries  []calendarEntryBrief `json:"entries"`
	Total    int                  `json:"total"`
	// ContinueFrom is the start of a call for the rest, if there is one.
	ContinueFrom *crier.Time `json:"continueFrom,omitempty"`
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
	first := firstEntries(c.Entries)
	out := calendarBrief{Timezone: c.Timezone, Total: len(c.Entries)}
	if len(first) < len(c.Entries) {
		out.ContinueFrom = &c.Entries[len(first)].ScheduledAt
	}
	out.Entries = each(first, func(e crier.CalendarEntry) calendarEntryBrief {
		return calendarEntryBrief{
			ScheduledAt: e.ScheduledAt, Local: e.LocalDate + " " + e.LocalTime, Kind: e.Kind, PostID: e.PostID,
			ScheduledPostID: e.ScheduledPostID,
			Provider:        e.Provider, Status: e.Status, Text: shorten(e.Text, calendarTextLength),
			Permalink: e.Permalink,
			ErrorCode: e.ErrorCode,
		}
	})
	return out
}

// firstEntries returns the entries of one answer. It ends between two instants, so that the next one, which starts with
// an instant, repeats nothing and leaves nothing out.
func firstEntries(entries []crier.CalendarEntry) []crier.CalendarEntry {
	if len(entries) <= maxCalendarEntries {
		return entries
	}
	between := func(i int) bool {
		return i == len(entries) || !entries[i].ScheduledAt.Equal(entries[i-1].ScheduledAt.Time)
	}
	end := maxCalendarEntries
	for end > 0 && !between(end) {
		end--
	}
	if end == 0 { // more at one instant than an answer should have
		for end = maxCalendarEntries; !between(end); {
			end++
		}
	}
	return entries[:end]
}

func (d *server) addCalendarTools(s *mcp.Server) {
	addTool(d, s, tool{
		name: "get_calendar", title: "Get the calendar", effect: reads,
		description: "Lists scheduled and published posts between two times at most 92 days apart, with future " +
			"recurrences, about 100 at a time: if there is a continueFrom, call again with it as from for the rest.",
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
