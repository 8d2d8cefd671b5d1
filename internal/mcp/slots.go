package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier"
)

// slotBrief is the short form of a slot.
type slotBrief struct {
	ID         crier.ID `json:"id"`
	Time       string   `json:"time"` // in the team's zone
	Label      string   `json:"label,omitempty"`
	DaysOfWeek []int    `json:"daysOfWeek"`
}

func briefSlot(s crier.SlotSummary) slotBrief {
	out := slotBrief{ID: s.ID, Time: fmt.Sprintf("%02d:%02d", s.Hour, s.Minute), DaysOfWeek: s.DaysOfWeek}
	if s.Label != nil {
		out.Label = *s.Label
	}
	return out
}

// grid is the short form of a team's slots.
type grid struct {
	Timezone      string      `json:"timezone"`
	UsingDefaults bool        `json:"usingDefaults,omitempty"`
	Slots         []slotBrief `json:"slots"`
}

func (d *server) addSlotTools(s *mcp.Server) {
	addTool(d, s, tool{
		name: "list_slots", title: "List the slots", effect: reads,
		description: "Lists the times of the week at which the team's posts are published, in the team's zone. Day 0 " +
			"is Sunday.",
	}, listSlots)
	addTool(d, s, tool{
		name: "next_slots", title: "List the next slots", effect: reads,
		description: "Lists the next instants of the slots; with an account, only those that are free on it.",
	}, nextSlots)
	addTool(d, s, tool{
		name: "create_slot", title: "Add a slot", effect: changes, repeatable: true,
		description: "Adds a time of the week at which posts are published. A team's first own slot replaces the " +
			"defaults. Asks the person.",
	}, createSlot)
	addTool(d, s, tool{
		name: "delete_slot", title: "Remove a slot", effect: changes, repeatable: true,
		description: "Removes a slot. Scheduled posts stay scheduled. Asks the person.",
	}, deleteSlot)
}

func listSlots(ctx context.Context, c *call, in inTeam) (any, error) {
	team, err := c.team(ctx, in)
	if err != nil {
		return nil, err
	}
	found, err := c.ListSlots(ctx, team)
	if err != nil {
		return nil, err
	}
	return grid{Timezone: found.Timezone, UsingDefaults: found.UsingDefaults, Slots: each(found.Slots, briefSlot)}, nil
}

type nextSlotsInput struct {
	inTeam
	SocialAccountID crier.ID  `json:"socialAccountId,omitempty" jsonschema:"only instants that are free on this account"`
	Count           slotCount `json:"count,omitempty" jsonschema:"how many, 1 to 20; 1 when absent or 0"`
}

// slotCount is a number of instants; its schema has the bounds.
type slotCount int

// upcoming is the short form of the next slot times.
type upcoming struct {
	StartsAt []crier.Time `json:"startsAt"`
}

func nextSlots(ctx context.Context, c *call, in nextSlotsInput) (any, error) {
	team, err := c.team(ctx, in.inTeam)
	if err != nil {
		return nil, err
	}
	found, err := c.NextSlots(ctx, team, in.SocialAccountID, int(in.Count), "")
	if err != nil {
		return nil, err
	}
	return upcoming{each(found.Slots, func(s crier.UpcomingSlot) crier.Time { return s.StartsAt })}, nil
}

type createSlotInput struct {
	inTeam
	confirmable
	Hour       int     `json:"hour" jsonschema:"0 to 23, in the team's zone"`
	Minute     int     `json:"minute" jsonschema:"0 to 59"`
	DaysOfWeek []int   `json:"daysOfWeek,omitempty" jsonschema:"0 is Sunday, 6 is Saturday; every day when absent"`
	Label      *string `json:"label,omitempty" jsonschema:"a name for the slot"`
}

func (createSlotInput) sentAs() any { return crier.SlotCreate{} }

func createSlot(ctx context.Context, c *call, in createSlotInput) (any, error) {
	team, err := c.team(ctx, in.inTeam)
	if err != nil {
		return nil, err
	}
	e, err := c.effect(team, "", "")
	if err != nil {
		return nil, err
	}
	if !e.done {
		if err := c.agreeToSlot(ctx, team, in); err != nil {
			return nil, err
		}
	}
	var slot crier.SchedulingSlot
	err = e.apply(ctx, func(ctx context.Context) (err error) {
		slot, err = c.CreateSlot(ctx, team, crier.SlotCreate{Hour: in.Hour, Minute: in.Minute, Label: in.Label,
			DaysOfWeek: in.DaysOfWeek})
		return err
	})
	return briefSlot(crier.SlotSummary{ID: slot.ID, Hour: slot.Hour, Minute: slot.Minute, Label: slot.Label,
		DaysOfWeek: slot.DaysOfWeek}), err
}

func (c *call) agreeToSlot(ctx context.Context, team crier.ID, in createSlotInput) error {
	found, err := c.ListSlots(ctx, team)
	if err != nil {
		return err
	}
	if !found.UsingDefaults { // which the new one replaces
		if err := in.findRoom(found.Slots); err != nil {
			return err
		}
	}
	question := fmt.Sprintf("Add a slot at %02d:%02d %s, %s?", in.Hour, in.Minute, found.Timezone,
		dayWords(in.DaysOfWeek))
	if found.UsingDefaults {
		question += " It is the team's first own slot and replaces the default ones."
	}
	return c.agree(in.confirmable, proposal{question: question})
}

// findRoom fails if another slot has the time on one of the days.
func (in createSlotInput) findRoom(slots []crier.SlotSummary) error {
	for _, s := range slots {
		shared := len(in.DaysOfWeek) == 0 ||
			slices.ContainsFunc(in.DaysOfWeek, func(day int) bool { return slices.Contains(s.DaysOfWeek, day) })
		if shared && s.Hour == in.Hour && s.Minute == in.Minute {
			return refused(crier.KindConflict, "The team has a slot at %02d:%02d on one of these days already: %s.",
				in.Hour, in.Minute, s.ID)
		}
	}
	return nil
}

// dayWords names days of the week for a person; none means all.
func dayWords(days []int) string {
	days = slices.Compact(slices.Sorted(slices.Values(days)))
	if len(days) == 0 || len(days) == 7 {
		return "every day"
	}
	return "on " + strings.Join(each(days, func(day int) string { return time.Weekday(day).String() }), ", ")
}

type deleteSlotInput struct {
	inTeam
	confirmable
	SlotID crier.ID `json:"slotId" jsonschema:"id of the slot; list_slots has them"`
}

func deleteSlot(ctx context.Context, c *call, in deleteSlotInput) (any, error) {
	team, err := c.team(ctx, in.inTeam)
	if err != nil {
		return nil, err
	}
	found, err := c.ListSlots(ctx, team)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(found.Slots, func(s crier.SlotSummary) bool { return s.ID == in.SlotID })
	switch {
	case at < 0:
		return nil, refused(crier.KindNotFound, "The team has no slot %s.", in.SlotID)
	case found.UsingDefaults:
		return nil, refused(crier.KindNotFound, "This is one of the implicit default slots, which cannot be deleted; "+
			"create_slot adds a slot of the team's own, which replaces them.")
	}
	if err := c.agree(in.confirmable, proposal{question: fmt.Sprintf("Remove the slot at %s %s, %s? What is scheduled "+
		"stays scheduled.", briefSlot(found.Slots[at]).Time, found.Timezone,
		dayWords(found.Slots[at].DaysOfWeek))}); err != nil {
		return nil, err
	}
	deleted, err := c.DeleteSlot(ctx, team, in.SlotID)
	c.changed(newObject)
	return deleted, err
}
