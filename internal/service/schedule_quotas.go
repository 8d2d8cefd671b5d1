package service

import (
	"context"
	"fmt"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/publish"
	"crier/internal/store"
)

// plannedLimit is a limit that a delivery counts towards, and how much of it is used and planned.
type plannedLimit struct {
	delivery *delivery
	limit    provider.RateLimit
	use      *store.PlannedUse
}

// foreseeQuotas warns of limits that will have no room for a post at its time, as far as that can be known today.
func (s *Schedules) foreseeQuotas(ctx context.Context, tx *store.Tx, plan *planned) error {
	limits := s.plannedLimits(plan)
	uses := make([]*store.PlannedUse, len(limits))
	for i, l := range limits {
		uses[i] = l.use
	}
	if err := tx.PlannedUses(ctx, uses); err != nil {
		return err
	}
	beside := map[store.QuotaKey]int64{} // what this very request plans
	for _, l := range limits {
		taken, err := s.taken(l, plan.at.Time)
		if err != nil {
			return err
		}
		if taken+beside[l.use.Key] >= l.limit.Max {
			l.delivery.warnings = append(l.delivery.warnings, crier.At(fmt.Sprintf(
				"%s allows %d %s, and they will be used up by then: the post waits until there is room again, "+
					"and is missed if that is too late",
				l.delivery.provider.Info().DisplayName, l.limit.Max, l.limit.Name), "scheduledAt"))
		}
		beside[l.use.Key]++
	}
	return nil
}

// plannedLimits returns the limits that the accepted deliveries count towards.
func (s *Schedules) plannedLimits(plan *planned) []plannedLimit {
	var list []plannedLimit
	for i := range plan.deliveries {
		d := &plan.deliveries[i]
		if d.refused != nil {
			continue
		}
		for _, limit := range s.engine.Quotas.Limits(d.account.Provider) {
			if limit.Units[provider.OpPublish] == 0 {
				continue
			}
			use := &store.PlannedUse{Key: publish.QuotaKey(limit, d.account), Network: d.account.Provider,
				Most: limit.Max + 1, Span: quotaSpan(limit, plan.at.Time)}
			if limit.Scope == provider.ScopeAccount {
				use.Account = d.accountID
			}
			list = append(list, plannedLimit{delivery: d, limit: limit, use: use})
		}
	}
	return list
}

// taken returns how much of a limit is used or planned around a time, without the delivery itself.
func (s *Schedules) taken(l plannedLimit, at time.Time) (int64, error) {
	used, err := s.engine.Quotas.Used(l.limit, l.use.Uses, at)
	planned, span, moves := l.use.Planned, l.use.Span, l.delivery.moves
	if moves != nil && planned > 0 && !moves.ScheduledAt.Before(span.From.Time) &&
		moves.ScheduledAt.Before(span.To.Time) {
		planned--
	}
	return used + planned*l.limit.Units[provider.OpPublish], err
}

// quotaSpan returns the time around an instant whose posts share a limit.
func quotaSpan(limit provider.RateLimit, at time.Time) store.Span {
	if limit.ResetZone != "" {
		from, to := limit.Day(at)
		return store.Span{From: crier.TimeOf(from), To: crier.TimeOf(to)}
	}
	window := time.Duration(limit.Seconds) * time.Second
	return store.Span{From: crier.TimeOf(at.Add(-window)), To: crier.TimeOf(at.Add(time.Microsecond))}
}

// foreseeConnections warns of posts that are planned for a time at which their account cannot publish.
func (s *Schedules) foreseeConnections(plan *planned) {
	for i := range plan.deliveries {
		d := &plan.deliveries[i]
		if d.refused != nil {
			continue
		}
		if o, ok := s.views.Outlook(d.account); ok && !plan.at.Before(o.From) {
			d.warnings = append(d.warnings, crier.At(o.Message, "socialAccountIds"))
		}
	}
}
