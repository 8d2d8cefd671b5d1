package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type getSlotCalendarInput struct {
	teamPath
	From             crier.Time `query:"from" required:"true" doc:"Inclusive."`
	To               crier.Time `query:"to" required:"true" doc:"Exclusive; at most 92 days after from."`
	SocialAccountIDs string     `query:"socialAccountIds" maxLength:"4000" doc:"Comma-separated ids of the accounts whose posts take slots; without it, all accounts of the team."`

	accounts []crier.ID
}

var getSlotCalendarDoc = doc{
	ID: "getSchedulingSlotCalendar", Tag: "Scheduling slots", Summary: "Get the slots of a period",
	Description: "Every instant of the team's grid in the window, past ones too, with its local date and time, " +
		"and the scheduled posts that take it. A post scheduled at exactly that instant takes the slot of its " +
		"account, even if the time was chosen manually.",
}

func (in *getSlotCalendarInput) check(*Server) []crier.Issue {
	issues := requiredTimes(in.From, in.To)
	issues = append(issues, into(&in.accounts)(idList("socialAccountIds", in.SocialAccountIDs))...)
	return append(issues, rangeIssues("from", "to", orNil(in.From), orNil(in.To))...)
}

func (s *Server) getSlotCalendar(ctx context.Context, scope access.TeamScope,
	in *getSlotCalendarInput) (crier.SlotCalendar, error) {
	return s.services.Slots.Calendar(ctx, scope, in.From, in.To, in.accounts)
}
