package service

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/media"
	"crier/internal/slot"
	"crier/internal/store"
)

// maxCalendarEntries bounds a calendar; a smaller window shows the rest.
const maxCalendarEntries = 5000

// Calendars returns what is published when.
type Calendars struct {
	store     *store.Store
	addresses *media.Addresses
	clock     crier.Clock
}

// CalendarWindow selects the entries of a calendar.
type CalendarWindow struct {
	From, To crier.Time
	// Zone shows local dates and times; empty means the team's, else UTC.
	Zone crier.Zone
	// Canceled includes canceled posts.
	Canceled bool
}

// Get returns the scheduled posts in a window and the future occurrences of recurrences, by time.
func (s *Calendars) Get(ctx context.Context, scope access.TeamScope, w CalendarWindow) (crier.Calendar, error) {
	var out crier.Calendar
	if err := scope.Check(); err != nil {
		return out, err
	}
	zone := calendarZone(scope.Team(), w.Zone)
	location, err := zone.Location()
	if err != nil {
		return out, fmt.Errorf("load the zone of team %s: %w", scope.Team().ID, err)
	}
	if w.To.After(w.From.In(location).AddDate(0, 0, crier.MaxCalendarDays)) {
		return out, crier.Invalid(crier.At(fmt.Sprintf("must be at most %d days after from", crier.MaxCalendarDays),
			"to"))
	}
	entries, err := s.entries(ctx, scope.Team().ID, w)
	if err != nil {
		return out, err
	}
	if len(entries) > maxCalendarEntries {
		return out, crier.Invalid(crier.At(fmt.Sprintf("there are more than %d entries in this window; ask for a "+
			"smaller one", maxCalendarEntries), "to"))
	}
	for i := range entries {
		local := entries[i].ScheduledAt.In(location)
		entries[i].LocalDate, entries[i].LocalTime = local.Format(time.DateOnly), local.Format("15:04")
	}
	return crier.Calendar{From: w.From, To: w.To, Timezone: string(zone), Entries: entries}, nil
}

func calendarZone(team crier.Team, asked crier.Zone) crier.Zone {
	if asked != "" {
		return asked
	}
	if team.Timezone != nil {
		return crier.Zone(*team.Timezone)
	}
	return "UTC"
}

// entries reads one more than a calendar may have, when there are that many.
func (s *Calendars) entries(ctx context.Context, team crier.ID, w CalendarWindow) ([]crier.CalendarEntry, error) {
	rows, err := s.store.CalendarRows(ctx, team, false, w.From, w.To, maxCalendarEntries+1)
	if err != nil {
		return nil, err
	}
	if w.Canceled {
		canceled, err := s.store.CalendarRows(ctx, team, true, w.From, w.To, maxCalendarEntries+1)
		if err != nil {
			return nil, err
		}
		rows = append(rows, canceled...)
	}
	entries := make([]crier.CalendarEntry, 0, len(rows))
	for _, row := range rows {
		entries = append(entries, s.shownEntry(row))
	}
	series, err := s.store.RecurringRows(ctx, team, w.To, maxCalendarEntries+1)
	if err != nil {
		return nil, err
	}
	from := w.From
	if now := s.clock.Now(); from.Before(now.Time) {
		from = now // a series never continues in the past
	}
	for _, row := range series {
		row.CalendarEntry = s.shownEntry(row)
		more, err := recurrences(row, from, w.To, maxCalendarEntries+1-len(entries))
		if err != nil {
			return nil, err
		}
		entries = append(entries, more...)
	}
	slices.SortStableFunc(entries, func(a, b crier.CalendarEntry) int {
		return cmp.Or(a.ScheduledAt.Compare(b.ScheduledAt.Time), cmp.Compare(a.ScheduledPostID, b.ScheduledPostID))
	})
	return entries, nil
}

// shownEntry returns a row as the calendar shows it.
func (s *Calendars) shownEntry(row store.CalendarRow) crier.CalendarEntry {
	entry := row.CalendarEntry
	if row.Thumbnail != nil {
		address := s.addresses.Thumbnail(*row.Thumbnail)
		entry.ThumbnailURL = &address
	}
	return entry
}

// recurrences returns the future entries of a series after its last row, in a half-open window, at most limit.
func recurrences(row store.CalendarRow, from, to crier.Time, limit int) ([]crier.CalendarEntry, error) {
	location, err := crier.Zone(row.Timezone).Location()
	if err != nil {
		return nil, fmt.Errorf("load the zone of scheduled post %s: %w", row.ScheduledPostID, err)
	}
	start, done := row.ScheduledAt, 0
	if row.Actions.SeriesStart != nil {
		start, done = *row.Actions.SeriesStart, row.Actions.SeriesIndex
	}
	days := *row.Actions.RecurrenceIntervalDays
	// Begin a step early: days differ in length.
	step := max(done+1, int(from.Sub(start.Time)/(time.Duration(days)*24*time.Hour))-1)
	var entries []crier.CalendarEntry
	for ; len(entries) < limit; step++ {
		at := crier.TimeOf(slot.DaysLater(start.Time, step*days, location))
		if end := row.Actions.RecurrenceEndsAt; !at.Before(to.Time) || end != nil && at.After(end.Time) {
			break
		}
		if at.Before(from.Time) {
			continue
		}
		entry := row.CalendarEntry
		entry.Kind, entry.Status, entry.ScheduledAt, entry.Permalink, entry.ErrorCode = "recurrence", nil, at, "", ""
		entry.NeedsAttention = false
		entries = append(entries, entry)
	}
	return entries, nil
}
