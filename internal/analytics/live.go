package analytics

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/ledger"
	"crier/internal/provider"
	"crier/internal/store"
)

// maxLiveDays is the maximum period of live analytics.
const maxLiveDays = 366

// Account reads live metrics of an account. It costs credits where the network charges; a failed reading costs nothing.
func (s *Analytics) Account(ctx context.Context, scope access.TeamScope, id crier.ID, from,
	to crier.Time) (crier.AccountAnalytics, error) {
	var none crier.AccountAnalytics
	if err := scope.Check(); err != nil {
		return none, err
	}
	team := scope.Team()
	a, err := s.store.SocialAccount(ctx, team.ID, id)
	if err != nil {
		return none, err
	}
	network, ok := s.providers.Get(string(a.Provider))
	meter := s.providers.Features(network).AccountMeter
	if !ok || meter == nil {
		return none, crier.Conflict("%s does not report metrics of accounts.", a.Provider)
	}
	if a.Status != crier.AccountConnected {
		return none, crier.Conflict("The account is %s. Connect it first.", a.Status)
	}
	cost := network.Info().Cost(provider.CostAccountMetrics)
	if err := s.pay(ctx, team.OrganizationID, cost, ledger.CheckFree); err != nil {
		return none, err
	}
	numbers, err := s.readAccount(ctx, meter, a, from, to)
	if err != nil {
		return none, err
	}
	// Charged afterwards: a process that dies in between leaves no reservation behind.
	if err := s.pay(context.WithoutCancel(ctx), team.OrganizationID, cost, s.spend); err != nil {
		return none, err
	}
	return crier.AccountAnalytics{SocialAccountID: id, Provider: a.Provider, From: from, To: to, CreditCost: cost,
		Metrics: crier.RawJSON[crier.AccountMetrics](numbers)}, nil
}

// pay runs a change of the credits for a reading, if it costs any.
func (s *Analytics) pay(ctx context.Context, organization crier.ID, cost int64,
	do func(context.Context, *store.Tx, crier.ID, int64) error) error {
	if cost == 0 {
		return nil
	}
	return s.store.WithTx(ctx, func(tx *store.Tx) error { return do(ctx, tx, organization, cost) })
}

// spend charges credits for something that has already happened.
func (s *Analytics) spend(ctx context.Context, tx *store.Tx, organization crier.ID, cost int64) error {
	return ledger.Spend(ctx, tx, ledger.Charge{Organization: organization, Amount: cost, At: s.clock.Now()})
}

// fetchAccount reads the metrics of an account in a period from the network.
func (s *Analytics) fetchAccount(ctx context.Context, meter provider.AccountMeter, a store.Account, from,
	to crier.Time) (m provider.AccountMetrics, err error) {
	err = s.tokens.Call(ctx, a, func(client provider.Account) (err error) {
		m, err = meter.AccountMetrics(s.quotas.Metered(ctx, a), client, from.Time, to.Time)
		return err
	})
	return m, err
}

func (s *Analytics) readAccount(ctx context.Context, meter provider.AccountMeter, a store.Account, from,
	to crier.Time) (json.RawMessage, error) {
	m, err := s.fetchAccount(ctx, meter, a, from, to)
	if err == nil {
		return json.Marshal(m)
	}
	failure := provider.AsError(err)
	if failure.Kind == provider.RateLimited {
		return nil, crier.TooManyRequests("The network limits the rate of requests: %s", failure.Message)
	}
	return nil, crier.Conflict("The network did not report metrics (%s): %s", failure.Code, failure.Message)
}

// CheckWindow returns the issues of the requested period.
func (s *Analytics) CheckWindow(from, to crier.Time) []crier.Issue {
	if !from.Before(to.Time) {
		return []crier.Issue{crier.At("must be before to", "from")}
	}
	if to.Sub(from.Time) > maxLiveDays*24*time.Hour {
		return []crier.Issue{crier.At(fmt.Sprintf("the period may be at most %d days long", maxLiveDays), "to")}
	}
	return nil
}
