package service

import (
	"context"
	"fmt"
	"slices"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/slot"
	"crier/internal/store"
)

// maxSlots bounds the slots of a team: one every half hour of the week.
const maxSlots = 336

// Slots implements scheduling slots.
type Slots struct {
	store  *store.Store
	writes *access.Idempotency
	clock  crier.Clock
}

// grid is a team's week: its own slots, or the implicit ones.
type grid struct {
	slot.Grid
	defaults bool
}

// grid reads a team's week. fallback is the zone of a team that has none.
func gridOf(ctx context.Context, slots []crier.SchedulingSlot, team crier.Team, fallback *crier.Zone) (grid,
	error) {
	zone := crier.Zone("UTC")
	if fallback != nil {
		zone = *fallback
	}
	if team.Timezone != nil {
		zone = crier.Zone(*team.Timezone)
	}
	location, err := zone.Location()
	if err != nil {
		return grid{}, fmt.Errorf("load the zone of team %s: %w", team.ID, err)
	}
	g := grid{Grid: slot.Grid{Slots: slots, Location: location}}
	if len(slots) == 0 {
		g.Slots, g.defaults = slot.Defaults(team.ID), true
	}
	return g, ctx.Err()
}

// List returns a team's grid.
func (s *Slots) List(ctx context.Context, scope access.TeamScope) (crier.SchedulingSlots, error) {
	var out crier.SchedulingSlots
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
	out = crier.SchedulingSlots{Timezone: g.Location.String(), UsingDefaults: g.defaults,
		Slots: make([]crier.SlotSummary, len(g.Slots))}
	for i, sl := range g.Slots {
		out.Slots[i] = crier.SlotSummary{ID: sl.ID, Hour: sl.Hour, Minute: sl.Minute, Label: sl.Label,
			DaysOfWeek: sl.DaysOfWeek}
	}
	return out, nil
}

// Create creates a slot; the first one replaces the implicit ones.
func (s *Slots) Create(ctx context.Context, scope access.TeamScope, in crier.SlotCreate) (crier.SchedulingSlot, error) {
	if err := scope.Check(); err != nil {
		return crier.SchedulingSlot{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.SchedulingSlot, error) {
		now := s.clock.Now()
		sl := crier.SchedulingSlot{
			ID: crier.NewID(), TeamID: scope.Team().ID, Hour: in.Hour, Minute: in.Minute, Label: in.Label,
			DaysOfWeek: weekdays(in.DaysOfWeek), CreatedAt: now, UpdatedAt: now,
		}
		if err := checkRoom(ctx, tx, sl); err != nil {
			return sl, err
		}
		return sl, tx.InsertSlot(ctx, sl)
	})
}

// weekdays sorts days and removes repetitions; none means all.
func weekdays(days []int) []int {
	if days == nil {
		return []int{0, 1, 2, 3, 4, 5, 6}
	}
	days = slices.Clone(days)
	slices.Sort(days)
	return slices.Compact(days)
}

// checkRoom refuses a slot at the time of another one. It locks the team, so that two requests cannot both pass.
func checkRoom(ctx context.Context, tx *store.Tx, sl crier.SchedulingSlot) error {
	if _, err := tx.LockTeam(ctx, sl.TeamID); err != nil {
		return err
	}
	others, err := tx.Slots(ctx, sl.TeamID)
	if err != nil {
		return err
	}
	for _, other := range others {
		if other.ID != sl.ID && slot.Overlap(other, sl) {
			return crier.Conflict("The team has a slot at %02d:%02d on one of these days already: %s.", sl.Hour,
				sl.Minute, other.ID)
		}
	}
	if len(others) >= maxSlots && !slices.ContainsFunc(others,
		func(o crier.SchedulingSlot) bool { return o.ID == sl.ID }) {
		return crier.Conflict("A team has at most %d slots.", maxSlots)
	}
	return nil
}

// Update changes a slot.
func (s *Slots) Update(ctx context.Context, scope access.TeamScope, id crier.ID,
	in crier.SlotUpdate) (crier.SchedulingSlot,
	error) {
	if err := scope.Check(); err != nil {
		return crier.SchedulingSlot{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.SchedulingSlot, error) {
		sl, err := ownSlot(ctx, tx, scope.Team().ID, id)
		if err != nil {
			return sl, err
		}
		applySlot(&sl, in)
		sl.UpdatedAt = s.clock.Now()
		if err := checkRoom(ctx, tx, sl); err != nil {
			return sl, err
		}
		return sl, tx.UpdateSlot(ctx, sl)
	})
}

func applySlot(sl *crier.SchedulingSlot, in crier.SlotUpdate) {
	if in.Hour.Set {
		sl.Hour = in.Hour.Value
	}
	if in.Minute.Set {
		sl.Minute = in.Minute.Value
	}
	if in.Label.Set {
		sl.Label = in.Label.Ptr()
	}
	if in.DaysOfWeek.Set {
		sl.DaysOfWeek = weekdays(in.DaysOfWeek.Value)
	}
}

// ownSlot reads a slot that the team has made; the implicit ones can be neither changed nor deleted.
func ownSlot(ctx context.Context, tx *store.Tx, team, id crier.ID) (crier.SchedulingSlot, error) {
	if slices.ContainsFunc(slot.Defaults(team), func(d crier.SchedulingSlot) bool { return d.ID == id }) {
		return crier.SchedulingSlot{},
			crier.NotFound("This is one of the implicit default slots, which cannot be changed or deleted. "+
				"Create a slot of your own with POST /v1/teams/%s/scheduling-slots; it replaces the defaults.", team)
	}
	return tx.Slot(ctx, team, id)
}

// Delete removes a slot; without any the team is back at the implicit ones.
func (s *Slots) Delete(ctx context.Context, scope access.TeamScope, id crier.ID) (crier.Deleted, error) {
	if err := scope.Check(); err != nil {
		return crier.Deleted{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.Deleted, error) {
		if _, err := ownSlot(ctx, tx, scope.Team().ID, id); err != nil {
			return crier.Deleted{}, err
		}
		return crier.Deleted{Deleted: true}, tx.DeleteSlot(ctx, scope.Team().ID, id)
	})
}

// NextSlots asks for upcoming instants.
type NextSlots struct {
	// Account whose publications occupy instants; nil asks for the times alone.
	Account *crier.ID
	Count   int
	// Timezone of a team that has none.
	Timezone *crier.Zone
}

// Next returns the upcoming instants of a team's grid: at least a minute ahead and within 90 days, so there may be
// fewer than asked for.
func (s *Slots) Next(ctx context.Context, scope access.TeamScope, in NextSlots) (crier.UpcomingSlots, error) {
	out := crier.UpcomingSlots{Slots: []crier.UpcomingSlot{}}
	if err := scope.Check(); err != nil {
		return out, err
	}
	own, err := s.store.Slots(ctx, scope.Team().ID)
	if err != nil {
		return out, err
	}
	g, err := gridOf(ctx, own, scope.Team(), in.Timezone)
	if err != nil {
		return out, err
	}
	var accounts []crier.ID
	if in.Account != nil {
		if _, err := s.store.SocialAccount(ctx, scope.Team().ID, *in.Account); err != nil {
			return out, err
		}
		accounts = []crier.ID{*in.Account}
	}
	free, err := freeInstants(ctx, s.clock.Now(), s.store, g, busy{accounts: accounts}, in.Count)
	if err != nil {
		return out, err
	}
	for _, instant := range free {
		out.Slots = append(out.Slots, crier.UpcomingSlot{
			StartsAt: crier.TimeOf(instant.StartsAt), Hour: instant.Slot.Hour, Minute: instant.Slot.Minute,
			Label: instant.Slot.Label,
		})
	}
	return out, nil
}

// occupancy is a store or a transaction: it knows which instants are taken.
type occupancy interface {
	FreeInstants(ctx context.Context, accounts []crier.ID, except crier.ID, instants []time.Time,
		limit int) ([]int, error)
}

// busy says whose publications take instants: those of accounts, but not those of one post.
type busy struct {
	accounts []crier.ID
	except   crier.ID
}

// freeInstants returns the first instants of a grid that can be scheduled at and at which none of the accounts has
// anything live.
func freeInstants(ctx context.Context, now crier.Time, in occupancy, g grid, by busy, count int) ([]slot.Instant,
	error) {
	from, until := window(now.Time)
	if len(by.accounts) == 0 {
		return g.Next(from, until, count), nil
	}
	all := slices.Collect(g.Between(from, until))
	times := make([]time.Time, len(all))
	for i, instant := range all {
		times[i] = instant.StartsAt
	}
	positions, err := in.FreeInstants(ctx, by.accounts, by.except, times, count)
	if err != nil {
		return nil, err
	}
	free := make([]slot.Instant, len(positions))
	for i, position := range positions {
		free[i] = all[position]
	}
	return free, nil
}

// window returns the time in which something can be scheduled.
func window(now time.Time) (from, until time.Time) {
	return now.Add(crier.MinScheduleLead), now.Add(crier.MaxScheduleLead)
}
