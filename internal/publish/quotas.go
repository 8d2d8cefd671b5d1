package publish

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

// QuotaRetention is how long the counter of an unused limit is kept.
const QuotaRetention = 7 * 24 * time.Hour

// Quotas counts calls against the limits of networks.
type Quotas struct {
	store     *store.Store
	providers *provider.Registry
	clock     crier.Clock
}

// Limits returns the limits of a network that crier enforces itself.
func (q *Quotas) Limits(network crier.Provider) []provider.RateLimit {
	p, ok := q.providers.Get(string(network))
	if !ok {
		return nil
	}
	var limits []provider.RateLimit
	for _, limit := range p.Info().RateLimits {
		if limit.Counted {
			limits = append(limits, limit)
		}
	}
	return limits
}

// Metered counts every network call made with the context before it is sent, and blocks calls beyond a limit. Nodes and
// accounts that share a limit share the counter.
func (q *Quotas) Metered(ctx context.Context, a store.Account) context.Context {
	limits := q.Limits(a.Provider)
	if len(limits) == 0 {
		return ctx
	}
	return provider.WithGate(ctx, func(ctx context.Context, op provider.Operation) *provider.Error {
		var full *provider.Error
		err := q.store.WithTx(ctx, func(tx *store.Tx) (err error) {
			full, err = q.use(ctx, tx, limits, a, op)
			if err == nil && full != nil {
				return full // rolls back what other limits counted
			}
			return err
		})
		if full != nil || err == nil {
			return full
		}
		return &provider.Error{
			Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "the call could not be counted against the network's quota", Err: err,
		}
	})
}

// use counts one call against all limits; full is the first exhausted limit.
func (q *Quotas) use(ctx context.Context, tx *store.Tx, limits []provider.RateLimit, a store.Account,
	op provider.Operation) (full *provider.Error, err error) {
	now := q.clock.Now()
	for _, limit := range limits {
		units := limit.Units[op]
		if units == 0 {
			continue
		}
		key := QuotaKey(limit, a)
		stored, err := tx.LockQuota(ctx, key, now)
		if err != nil {
			return nil, err
		}
		uses, err := decodeUses(stored)
		if err != nil {
			return nil, err
		}
		uses, free, ok := limit.Take(uses, now.Time, units)
		if !ok {
			return limit.Exhausted(now.Time, free), nil
		}
		if stored, err = json.Marshal(uses); err != nil {
			return nil, fmt.Errorf("encode a quota: %w", err)
		}
		if err := tx.UpdateQuota(ctx, key, stored, now); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// QuotaKey identifies the owner of a limit. An account of a network is the same in every team that connects it.
func QuotaKey(limit provider.RateLimit, a store.Account) store.QuotaKey {
	subject := string(a.Provider)
	if limit.Scope == provider.ScopeAccount {
		subject += " " + a.ProviderAccountID
	}
	return store.QuotaKey{Subject: subject, Name: limit.Name}
}

func decodeUses(stored json.RawMessage) ([]provider.Use, error) {
	if stored == nil {
		return nil, nil
	}
	var uses []provider.Use
	if err := json.Unmarshal(stored, &uses); err != nil {
		return nil, fmt.Errorf("decode a quota: %w", err)
	}
	return uses, nil
}

// Used returns how much of a limit is used around a time, according to its recorded uses.
func (q *Quotas) Used(limit provider.RateLimit, stored json.RawMessage, at time.Time) (int64, error) {
	uses, err := decodeUses(stored)
	if err != nil {
		return 0, err
	}
	return limit.Used(uses, at), nil
}
