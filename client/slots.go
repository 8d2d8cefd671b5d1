package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"crier"
)

func slotsPath(team crier.ID) string { return teamPath(team) + "/scheduling-slots" }

// ListSlots returns a team's slots.
func (c *Client) ListSlots(ctx context.Context, team crier.ID) (crier.SchedulingSlots, error) {
	return get[crier.SchedulingSlots](ctx, c, slotsPath(team), nil)
}

// CreateSlot creates a slot.
func (c *Client) CreateSlot(ctx context.Context, team crier.ID, in crier.SlotCreate) (crier.SchedulingSlot, error) {
	return change[crier.SchedulingSlot](ctx, c, http.MethodPost, slotsPath(team), in)
}

// UpdateSlot changes a slot.
func (c *Client) UpdateSlot(ctx context.Context, team, id crier.ID, in crier.SlotUpdate) (crier.SchedulingSlot, error) {
	return change[crier.SchedulingSlot](ctx, c, http.MethodPatch, slotsPath(team)+"/"+string(id), in)
}

// DeleteSlot deletes a slot.
func (c *Client) DeleteSlot(ctx context.Context, team, id crier.ID) (crier.Deleted, error) {
	return change[crier.Deleted](ctx, c, http.MethodDelete, slotsPath(team)+"/"+string(id), nil)
}

// NextSlots returns the next slot times; an empty account returns the times only.
func (c *Client) NextSlots(ctx context.Context, team, account crier.ID, count int,
	timezone string) (crier.UpcomingSlots, error) {
	q := url.Values{}
	set(q, "socialAccountId", string(account))
	set(q, "timezone", timezone)
	if count > 0 {
		q.Set("count", strconv.Itoa(count))
	}
	return get[crier.UpcomingSlots](ctx, c, slotsPath(team)+"/next", q)
}

// SlotCalendar returns the slots of a period and which are taken; no accounts means all of the team.
func (c *Client) SlotCalendar(ctx context.Context, team crier.ID, from, to crier.Time,
	accounts ...crier.ID) (crier.SlotCalendar, error) {
	q := url.Values{"from": {from.String()}, "to": {to.String()}}
	set(q, "socialAccountIds", joined(accounts))
	return get[crier.SlotCalendar](ctx, c, slotsPath(team)+"/calendar", q)
}
