package service

import (
	"context"
	"fmt"
	"time"

	"crier"
	"crier/internal/access"
)

// Calendar returns the instants of a team's grid in [from, to) and which are taken on some accounts; no accounts means
// all of the team.
func (s *Slots) Calendar(ctx context.Context, scope access.TeamScope, from, to crier.Time, accounts []crier.ID) (
	crier.SlotCalendar, error) {
	out := crier.SlotCalendar{From: from, To: to, Slots: []crier.SlotInstant{}}
	if err := scope.Check(); err != nil {
		return out, err
	}
	own, err := s.store.Slots(ctx, scope.Team().ID)
	if err != nil {
		return out, err
	}
	g, err := gridOf(ctx, own, scope.Team(), nil)
	if err != nil {
		return out, err
	}
	if to.After(from.In(g.Location).AddDate(0, 0, crier.MaxCalendarDays)) {
		return out, crier.Invalid(crier.At(fmt.Sprintf("must be at most %d days after from", crier.MaxCalendarDays),
			"to"))
	}
	for _, id := range accounts {
		if _, err := s.store.SocialAccount(ctx, scope.Team().ID, id); err != nil {
			return out, err
		}
	}
	taken, err := s.store.TakenInstants(ctx, scope.Team().ID, accounts, from, to)
	if err != nil {
		return out, err
	}
	out.Timezone, out.UsingDefaults = g.Location.String(), g.defaults
	earliest, _ := window(s.clock.Now().Time)
	for instant := range g.Between(from.Time, to.Time) {
		at := crier.TimeOf(instant.StartsAt)
		if !at.Before(to.Time) {
			break
		}
		local := at.In(g.Location)
		entry := crier.SlotInstant{
			SlotID: instant.Slot.ID, StartsAt: at, LocalDate: local.Format(time.DateOnly),
			LocalTime: local.Format("15:04"),
			Hour:      instant.Slot.Hour, Minute: instant.Slot.Minute, Label: instant.Slot.Label,
			Past: at.Before(earliest), TakenBy: taken[at],
		}
		if entry.TakenBy == nil {
			entry.TakenBy = []crier.SlotTaken{}
		}
		out.Slots = append(out.Slots, entry)
	}
	return out, nil
}
