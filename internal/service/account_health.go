package service

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

// The health issues of the contract.
const (
	healthVerification = "verification_required"
	healthAuthFailed   = "auth_failed"
	healthRateLimited  = "rate_limited"
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

// hasAuthFailed is true when the account has to be connected again, now or when its token ends.
func hasAuthFailed(a store.Account) bool {
	return a.AccountHealthIssue != nil && *a.AccountHealthIssue == healthAuthFailed
}

// outlook is what will keep an account from publishing.
type outlook struct {
	// from is since when or from when on; the zero time is always.
	from time.Time
	// message is for people.
	message string
}

// outlookOf says what is known today about an account's future; ok is false when nothing stands in its way.
func (c *core) outlookOf(a store.Account) (o outlook, ok bool) {
	if a.Status != crier.AccountConnected {
		return outlook{message: fmt.Sprintf("The account is %s.", a.Status)}, true
	}
	p, known := c.providers.Get(string(a.Provider))
	if !known {
		return outlook{}, false
	}
	if missing := ungranted(p.Info(), a.Scopes); len(missing) > 0 {
		return outlook{message: "Publishing needs permissions that were not granted: " + strings.Join(missing, ", ") + ". Connect the account again and grant them."}, true
	}
	if end := c.connectionEnd(p, a); end != nil {
		return outlook{from: end.Time, message: fmt.Sprintf("The connection ends on %s and cannot be renewed. Connect the account again before.",
			end.UTC().Format(time.RFC1123))}, true
	}
	return outlook{}, false
}

// ungranted are the scopes that publishing needs and that are missing. Without any known scope nothing is said.
func ungranted(info provider.Info, granted []string) []string {
	var missing []string
	for _, grant := range info.Scopes {
		if grant.Required && len(granted) > 0 && !slices.Contains(granted, grant.Scope) {
			missing = append(missing, grant.Scope)
		}
	}
	return missing
}

// connectionEnd is when a connection ends that crier cannot renew beyond; nil when no such time is known.
func (c *core) connectionEnd(p provider.Provider, a store.Account) *crier.Time {
	switch {
	case hasAuthFailed(a):
		return a.TokenExpiresAt
	case a.RefreshExpiresAt != nil:
		return a.RefreshExpiresAt
	case !c.providers.InfoFor(p, networkAccount(a)).Abilities.Refresh:
		return a.TokenExpiresAt
	}
	return nil
}

// riskReader counts what is scheduled, inside or outside a transaction.
type riskReader interface {
	ScheduledFrom(ctx context.Context, from map[crier.ID]crier.Time) (map[crier.ID]int64, error)
}

// addOutlook tells of each account how many of its scheduled posts are at risk, and why, before they fail. accounts and
// shown belong together.
func (c *core) addOutlook(ctx context.Context, r riskReader, accounts []store.Account, shown []crier.SocialAccount) error {
	outlooks := map[crier.ID]outlook{}
	from := map[crier.ID]crier.Time{}
	for i, a := range accounts {
		if p, ok := c.providers.Get(string(a.Provider)); ok && a.Status == crier.AccountConnected {
			shown[i].ConnectionEndsAt = c.connectionEnd(p, a)
		}
		if o, ok := c.outlookOf(a); ok {
			outlooks[a.ID], from[a.ID] = o, crier.TimeOf(o.from)
		}
	}
	counts, err := r.ScheduledFrom(ctx, from)
	if err != nil {
		return err
	}
	for i := range shown {
		if count := counts[shown[i].ID]; count > 0 {
			addRisk(&shown[i], outlooks[shown[i].ID], count)
		}
	}
	return nil
}

// addRisk says what is at risk. A reason that is known already stays; who was switched off by hand is not ill.
func addRisk(a *crier.SocialAccount, o outlook, count int64) {
	a.PostsAtRisk = count
	posts := fmt.Sprintf("%d scheduled posts are at risk.", count)
	if count == 1 {
		posts = "1 scheduled post is at risk."
	}
	switch {
	case a.AccountHealthIssue != nil && *a.AccountHealthIssue == healthAuthFailed && a.AccountHealthMessage != nil:
		message := *a.AccountHealthMessage + " " + posts
		a.AccountHealthMessage = &message
	case a.AccountHealthIssue == nil && a.Status == crier.AccountConnected:
		issue, message, since := healthAuthFailed, o.message+" "+posts, a.ConnectedAt
		a.AccountHealthIssue, a.AccountHealthMessage, a.AccountHealthSince = &issue, &message, &since
	}
}

// foreseeConnections warns of posts that are planned for a time at which their account cannot publish.
func (s *Schedules) foreseeConnections(plan *planned) {
	for i := range plan.deliveries {
		d := &plan.deliveries[i]
		if d.refused != nil {
			continue
		}
		if o, ok := s.outlookOf(d.account); ok && !plan.at.Before(o.from) {
			d.warnings = append(d.warnings, crier.At(o.message, "socialAccountIds"))
		}
	}
}
