package service

import (
	"context"

	"crier"
	"crier/internal/access"
	"crier/internal/pagination"
	"crier/internal/provider"
	"crier/internal/store"
)

// CreditFilter narrows the ledger.
type CreditFilter = store.CreditFilter

// CreditSorts are the orders that movements of credits can be listed in; the first is the default.
var CreditSorts = []string{"createdAt"}

// Credits returns the credits of an organization.
type Credits struct {
	store     *store.Store
	providers *provider.Registry
	pages     *pagination.Cursors
}

// Get returns the credits and the prices.
func (s *Credits) Get(ctx context.Context, scope access.OrgScope) (crier.Credits, error) {
	if err := scope.Check(); err != nil {
		return crier.Credits{}, err
	}
	o := scope.Organization()
	out := crier.Credits{
		CreditsBalance: o.CreditsBalance, ReservedCredits: o.ReservedCredits,
		AvailableCredits: o.CreditsBalance - o.ReservedCredits,
		Costs:            []crier.CreditCost{},
	}
	for _, p := range s.providers.All() {
		info := p.Info()
		for _, c := range info.Costs {
			out.Costs = append(out.Costs, crier.CreditCost{
				Provider: crier.Provider(info.Name), Operation: c.Key, Credits: c.Credits, Description: c.Description,
			})
		}
	}
	return out, ctx.Err()
}

// Transactions returns one page of the ledger.
func (s *Credits) Transactions(ctx context.Context, scope access.OrgScope,
	f CreditFilter, q pagination.Query) (crier.Page[crier.CreditTransaction], error) {
	var none crier.Page[crier.CreditTransaction]
	if err := scope.Check(); err != nil {
		return none, err
	}
	rows, err := s.store.CreditTransactions(ctx, scope.Organization().ID, f, q.Rows())
	if err != nil {
		return none, err
	}
	total, err := s.store.CreditTransactionCount(ctx, scope.Organization().ID, f)
	if err != nil {
		return none, err
	}
	return pagination.CappedPage(s.pages, q, rows, total), nil
}
