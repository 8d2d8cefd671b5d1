package service

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

// quotasKept is how long the count of a limit is kept that nothing is used of.
const quotasKept = 7 * 24 * time.Hour

// countedLimits are the limits of a network that crier keeps to by itself.
func (c *core) countedLimits(network crier.Provider) []provider.RateLimit {
	p, ok := c.providers.Get(string(network))
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

// metered has every call to a network that is made under the context counted before it leaves. What would go beyond a
// limit does not leave: nodes and accounts that share a limit share the count.
func (c *core) metered(ctx context.Context, a store.Account) context.Context {
	limits := c.countedLimits(a.Provider)
	if len(limits) == 0 {
		return ctx
	}
	return provider.WithGate(ctx, func(ctx context.Context, op provider.Operation) *provider.Error {
		var full *provider.Error
		err := c.store.WithTx(ctx, func(tx *store.Tx) (err error) {
			full, err = c.use(ctx, tx, limits, a, op)
			if err == nil && full != nil {
				return full // rolls back what other limits counted
			}
			return err
		})
		if full != nil || err == nil {
			return full
		}
		return &provider.Error{
			Kind: provider.Temporary, Code: provider.CodeProviderUnavailable, Message: "the call could not be counted against the network's quota", Err: err,
		}
	})
}

// use counts one call against all limits; full is the first that has no room for it.
func (c *core) use(ctx context.Context, tx *store.Tx, limits []provider.RateLimit, a store.Account, op provider.Operation) (full *provider.Error, err error) {
	now := c.now()
	for _, limit := range limits {
		units := limit.Units[op]
		if units == 0 {
			continue
		}
		key := quotaKey(limit, a)
		kept, err := tx.LockQuota(ctx, key, now)
		if err != nil {
			return nil, err
		}
		uses, err := decodeUses(kept)
		if err != nil {
			return nil, err
		}
		uses, free, ok := limit.Take(uses, now.Time, units)
		if !ok {
			return limit.Exhausted(now.Time, free), nil
		}
		if kept, err = json.Marshal(uses); err != nil {
			return nil, fmt.Errorf("encode a quota: %w", err)
		}
		if err := tx.KeepQuota(ctx, key, kept, now); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// quotaKey says whose limit it is. An account of a network is the same one in whatever team it is connected.
func quotaKey(limit provider.RateLimit, a store.Account) store.QuotaKey {
	subject := string(a.Provider)
	if limit.Scope == provider.ScopeAccount {
		subject += " " + a.ProviderAccountID
	}
	return store.QuotaKey{Subject: subject, Name: limit.Name}
}

func decodeUses(kept json.RawMessage) ([]provider.Use, error) {
	if kept == nil {
		return nil, nil
	}
	var uses []provider.Use
	if err := json.Unmarshal(kept, &uses); err != nil {
		return nil, fmt.Errorf("decode a quota: %w", err)
	}
	return uses, nil
}

// foreseeQuotas warns of limits that will have no room for a post at its time, as far as that can be known today.
func (s *Schedules) foreseeQuotas(ctx context.Context, tx *store.Tx, plan *planned) error {
	beside := map[store.QuotaKey]int64{} // what this very request plans
	for i := range plan.deliveries {
		d := &plan.deliveries[i]
		if d.refused != nil {
			continue
		}
		for _, limit := range s.countedLimits(d.account.Provider) {
			if limit.Units[provider.OpPublish] == 0 {
				continue
			}
			key := quotaKey(limit, d.account)
			taken, err := s.plannedUse(ctx, tx, limit, *d, plan.at.Time)
			if err != nil {
				return err
			}
			if taken+beside[key] >= limit.Max {
				d.warnings = append(d.warnings, crier.At(fmt.Sprintf(
					"%s allows %d %s, and they will be used up by then: the post waits until there is room again, and is missed if that is too late",
					d.provider.Info().DisplayName, limit.Max, limit.Name), "scheduledAt"))
			}
			beside[key]++
		}
	}
	return nil
}

// plannedUse is how much of a limit is used or planned around a time, without the delivery itself.
func (s *Schedules) plannedUse(ctx context.Context, tx *store.Tx, limit provider.RateLimit, d delivery, at time.Time) (int64, error) {
	kept, err := tx.Quota(ctx, quotaKey(limit, d.account))
	if err != nil {
		return 0, err
	}
	uses, err := decodeUses(kept)
	if err != nil {
		return 0, err
	}
	span := quotaSpan(limit, at)
	var planned int64
	if limit.Scope == provider.ScopeAccount {
		planned, err = tx.PlannedOnAccount(ctx, d.accountID, span)
	} else {
		planned, err = tx.PlannedOnNetwork(ctx, d.account.Provider, span, limit.Max+1)
	}
	if d.moves != nil && planned > 0 && !d.moves.ScheduledAt.Before(span.From.Time) && d.moves.ScheduledAt.Before(span.To.Time) {
		planned--
	}
	return limit.Used(uses, at) + planned*limit.Units[provider.OpPublish], err
}

// quotaSpan is the time around an instant whose posts share a limit.
func quotaSpan(limit provider.RateLimit, at time.Time) store.Span {
	if limit.ResetZone != "" {
		from, to := limit.Day(at)
		return store.Span{From: crier.TimeOf(from), To: crier.TimeOf(to)}
	}
	window := time.Duration(limit.Seconds) * time.Second
	return store.Span{From: crier.TimeOf(at.Add(-window)), To: crier.TimeOf(at.Add(time.Microsecond))}
}
