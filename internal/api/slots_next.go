package api

import (
	"context"
	"math/big"

	"crier"
	"crier/internal/access"
	"crier/internal/service"
)

type nextSlotsInput struct {
	teamPath
	SocialAccountID crier.ID   `query:"socialAccountId" doc:"Omit instants at which this account has a scheduled post."`
	Count           string     `query:"count" default:"1" doc:"Number of instants: 1 to 20; values outside are clamped."`
	Timezone        crier.Zone `query:"timezone" doc:"Used when the team has no zone."`

	count int
}

var nextSlotsDoc = doc{
	ID: "nextSchedulingSlots", Tag: "Scheduling slots", Summary: "Preview upcoming slots",
	Description: "At least 60 seconds ahead and within 90 days, so there may be fewer than asked for. A time " +
		"skipped by a clock change moves forward by the gap; one that occurs twice means the first.",
}

// check parses the count. Any whole number is clamped, however large; anything else is rejected.
func (in *nextSlotsInput) check(*Server) []crier.Issue {
	in.count = 1
	if in.Count == "" {
		return nil
	}
	n, ok := new(big.Int).SetString(in.Count, 10)
	if !ok || len(in.Count) > 100 {
		return []crier.Issue{crier.At("must be a whole number", "count")}
	}
	switch {
	case n.Cmp(big.NewInt(1)) < 0:
		in.count = 1
	case n.Cmp(big.NewInt(crier.MaxNextSlots)) > 0:
		in.count = crier.MaxNextSlots
	default:
		in.count = int(n.Int64())
	}
	return nil
}

func (s *Server) nextSlots(ctx context.Context, scope access.TeamScope, in *nextSlotsInput) (crier.UpcomingSlots,
	error) {
	query := service.NextSlots{Count: in.count}
	if in.SocialAccountID != "" {
		query.Account = &in.SocialAccountID
	}
	if in.Timezone != "" {
		query.Timezone = &in.Timezone
	}
	return s.services.Slots.Next(ctx, scope, query)
}
