package publish

import (
	"fmt"
	"time"

	"crier"
	"crier/internal/slot"
	"crier/internal/store"
)

// nextOfSeries returns the publication that continues a series: N days after the planned time, at the same wall-clock
// time; nil when the series has ended. Neither a failure nor a lack of credits ends a series: the next publication
// reserves them when it is due.
func nextOfSeries(p store.Publication, now crier.Time) (*store.NextPublication, error) {
	interval := p.Actions.RecurrenceIntervalDays
	if interval == nil || p.Status == crier.Canceled {
		return nil, nil
	}
	start := p.ScheduledAt
	if p.Actions.SeriesStart != nil {
		start = *p.Actions.SeriesStart
	}
	at, index, err := nextInSeries(start.Time, p.Actions.SeriesIndex, *interval, p.Timezone, now.Time)
	if ends := p.Actions.RecurrenceEndsAt; err != nil || ends != nil && at.After(ends.Time) {
		return nil, err
	}
	first := p.ID
	if p.RecurrenceOf != nil {
		first = *p.RecurrenceOf
	}
	next := store.Publication{
		ID: crier.NewID(), Kind: store.PostPublication, TeamID: p.TeamID,
		OrganizationID: p.OrganizationID, PostID: p.PostID, SocialAccountID: p.SocialAccountID, Provider: p.Provider,
		Status: crier.Scheduled, ScheduledAt: crier.TimeOf(at), Timezone: p.Timezone, PayloadID: p.PayloadID,
		Settings: p.Settings, Actions: p.Actions, State: EmptyState(), WakeAt: crier.TimeOrNil(at.Add(-uploadLead)),
		RecurrenceOf: &first, Results: crier.PublishResults{PlatformPostIDs: []string{}}, CreatedAt: now,
		UpdatedAt: now,
	}
	next.ScheduledPostID = next.ID
	next.Actions.SeriesStart, next.Actions.SeriesIndex = &start, index
	return &store.NextPublication{Publication: next, Cost: next.Actions.Total()}, nil
}

// nextInSeries returns the time after index in a series with the given interval in days, and its index. A series that
// has fallen behind continues with the first time in the future.
func nextInSeries(start time.Time, index, interval int, zone string, now time.Time) (time.Time, int, error) {
	for {
		index++
		at, err := wallClockDaysLater(start, index*interval, zone)
		if err != nil || at.After(now) {
			return at, index, err
		}
	}
}

func wallClockDaysLater(t time.Time, days int, zone string) (time.Time, error) {
	location, err := crier.Zone(zone).Location()
	if err != nil {
		return t, fmt.Errorf("load the zone of a publication: %w", err)
	}
	return slot.DaysLater(t, days, location), nil
}
