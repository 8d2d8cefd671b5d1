package api

import (
	"context"

	"crier"
	"crier/internal/service"
)

type listCreditTransactionsInput struct {
	organizationPath
	listQuery
}

var listCreditTransactionsDoc = doc{
	ID: "listCreditTransactions", Tag: "Credits", Summary: "List the entries of the credit ledger", Sorts: service.CreditSorts,
	Description: "The sum of `amount` is the balance, the sum of `reservedAmount` what is reserved, always.",
}

func (in *listCreditTransactionsInput) check(s *Server) []crier.Issue {
	return in.open(s, "credits of "+string(in.OrganizationID), service.CreditSorts)
}

func (s *Server) listCreditTransactions(ctx context.Context, scope service.OrgScope, in *listCreditTransactionsInput) (crier.Page[crier.CreditTransaction], error) {
	return s.services.Credits.Transactions(ctx, scope, in.page)
}
