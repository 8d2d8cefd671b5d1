package api

import (
	"context"
	"fmt"

	"crier"
	"crier/internal/access"
	"crier/internal/service"
)

type listCreditTransactionsInput struct {
	organizationPath
	listQuery
	From            crier.Time `query:"from" doc:"Only entries from this time on."`
	To              crier.Time `query:"to" doc:"Only entries before this time."`
	Kind            string     `query:"kind" enum:"grant,reserve,capture,release,adjust" doc:"Only entries of this kind."`
	ScheduledPostID crier.ID   `query:"scheduledPostId" doc:"Only entries for this scheduled post."`
}

var listCreditTransactionsDoc = doc{
	ID: "listCreditTransactions", Tag: "Credits", Summary: "List credit transactions",
	Sorts: service.CreditSorts,
	Description: "The sum of `amount` always equals the balance, the sum of `reservedAmount` the reserved " +
		"credits.",
}

func (in *listCreditTransactionsInput) check(s *Server) []crier.Issue {
	name := fmt.Sprintf("credits of %s from %s to %s kind %s of %s", in.OrganizationID, in.From, in.To, in.Kind,
		in.ScheduledPostID)
	return append(in.open(s, name, service.CreditSorts), rangeIssues("from", "to", orNil(in.From), orNil(in.To))...)
}

func (s *Server) listCreditTransactions(ctx context.Context, scope access.OrgScope,
	in *listCreditTransactionsInput) (crier.Page[crier.CreditTransaction], error) {
	return s.services.Credits.Transactions(ctx, scope, service.CreditFilter{From: orNil(in.From), To: orNil(in.To),
		Kind: in.Kind, ScheduledPostID: in.ScheduledPostID}, in.page)
}
