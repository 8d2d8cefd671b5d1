package publish

import (
	"encoding/json"
	"fmt"

	"crier"
	"crier/internal/events"
	"crier/internal/provider"
	"crier/internal/store"
)

// NetworkAccount converts an account for its network's client, without a token.
func NetworkAccount(a store.Account) provider.Account {
	account := provider.Account{
		ID: a.ID, ProviderAccountID: a.ProviderAccountID, Scopes: a.Scopes, Details: a.ProviderSettings,
	}
	if a.ProfileHandle != nil {
		account.Handle = *a.ProfileHandle
	}
	if a.AccountSubType != nil {
		account.SubType = *a.AccountSubType
	}
	return account
}

// The health issues of the contract.
const (
	HealthVerification = "verification_required"
	HealthAuthFailed   = "auth_failed"
	HealthRateLimited  = "rate_limited"
)

func markUnhealthy(a *store.Account, status crier.AccountStatus, issue, message string, now crier.Time) {
	if a.Status == crier.AccountConnected {
		a.Status = status
	}
	if a.AccountHealthIssue == nil || *a.AccountHealthIssue != issue {
		a.AccountHealthSince = &now
	}
	a.AccountHealthIssue, a.AccountHealthMessage = &issue, &message
}

// HasAuthFailed reports whether the account must be reconnected, now or when its token expires.
func HasAuthFailed(a store.Account) bool {
	return a.AccountHealthIssue != nil && *a.AccountHealthIssue == HealthAuthFailed
}

// ShownAccount converts an account for the API, with the capabilities of its network and connection.
func ShownAccount(providers *provider.Registry, a store.Account) (crier.SocialAccount, error) {
	out := a.SocialAccount
	p, ok := providers.Get(string(a.Provider))
	if !ok {
		return out, nil
	}
	capabilities, err := json.Marshal(providers.Capabilities(p, NetworkAccount(a)))
	if err != nil {
		return out, fmt.Errorf("encode capabilities: %w", err)
	}
	out.Capabilities = crier.RawJSON[crier.Capabilities](capabilities)
	return out, nil
}

// accountFacts returns the events that the change of an account causes.
func accountFacts(providers *provider.Registry, before, after store.Account) ([]events.Fact, error) {
	was, err := ShownAccount(providers, before)
	if err != nil {
		return nil, err
	}
	is, err := ShownAccount(providers, after)
	if err != nil {
		return nil, err
	}
	return events.AccountFacts(was, is), nil
}
