package social

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/publish"
	"crier/internal/store"
)

// Outlook is a problem that prevents an account from publishing, now or later.
type Outlook struct {
	// From is when it starts; the zero time means always.
	From time.Time
	// Message is for people.
	Message string
}

// Outlook returns the known problem of an account, now or later; ok is false if there is none.
func (s *Views) Outlook(a store.Account) (o Outlook, ok bool) {
	if a.Status != crier.AccountConnected {
		return Outlook{Message: fmt.Sprintf("The account is %s.", a.Status)}, true
	}
	p, known := s.providers.Get(string(a.Provider))
	if !known {
		return Outlook{}, false
	}
	if missing := ungranted(p.Info(), a.Scopes); len(missing) > 0 {
		return Outlook{Message: "Publishing needs permissions that were not granted: " + strings.Join(missing, ", ") +
			". Connect the account again and grant them."}, true
	}
	if end := s.connectionEnd(p, a); end != nil {
		return Outlook{From: end.Time,
			Message: fmt.Sprintf("The connection ends on %s and cannot be renewed. Connect the account again before.",
				end.UTC().Format(time.RFC1123))}, true
	}
	return Outlook{}, false
}

// ungranted returns the missing scopes that publishing needs, or none if the granted scopes are unknown.
func ungranted(info provider.Info, granted []string) []string {
	var missing []string
	for _, grant := range info.Scopes {
		if grant.Required && len(granted) > 0 && !slices.Contains(granted, grant.Scope) {
			missing = append(missing, grant.Scope)
		}
	}
	return missing
}

// connectionEnd returns when a connection ends that crier cannot refresh; nil if no such time is known.
func (s *Views) connectionEnd(p provider.Provider, a store.Account) *crier.Time {
	switch {
	case publish.HasAuthFailed(a):
		return a.TokenExpiresAt
	case a.RefreshExpiresAt != nil:
		return a.RefreshExpiresAt
	case !s.providers.InfoFor(p, publish.NetworkAccount(a)).Abilities.Refresh:
		return a.TokenExpiresAt
	}
	return nil
}

// riskReader counts scheduled posts, inside or outside a transaction.
type riskReader interface {
	ScheduledFrom(ctx context.Context, from map[crier.ID]crier.Time) (map[crier.ID]int64, error)
}

// addOutlook adds to each account how many of its scheduled posts are at risk, and why, before they fail. accounts and
// shown have the same order.
func (s *Views) addOutlook(ctx context.Context, r riskReader, accounts []store.Account,
	shown []crier.SocialAccount) error {
	outlooks := map[crier.ID]Outlook{}
	from := map[crier.ID]crier.Time{}
	for i, a := range accounts {
		if p, ok := s.providers.Get(string(a.Provider)); ok && a.Status == crier.AccountConnected {
			shown[i].ConnectionEndsAt = s.connectionEnd(p, a)
		}
		if o, ok := s.Outlook(a); ok {
			outlooks[a.ID], from[a.ID] = o, crier.TimeOf(o.From)
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

// addRisk adds the posts at risk. A known reason is kept; an account that was disabled by hand has no health problem.
func addRisk(a *crier.SocialAccount, o Outlook, count int64) {
	a.PostsAtRisk = count
	posts := fmt.Sprintf("%d scheduled posts are at risk.", count)
	if count == 1 {
		posts = "1 scheduled post is at risk."
	}
	switch {
	case crier.Text(a.AccountHealthIssue) == publish.HealthAuthFailed && a.AccountHealthMessage != nil:
		message := *a.AccountHealthMessage + " " + posts
		a.AccountHealthMessage = &message
	case a.AccountHealthIssue == nil && a.Status == crier.AccountConnected:
		issue, message, since := publish.HealthAuthFailed, o.Message+" "+posts, a.ConnectedAt
		a.AccountHealthIssue, a.AccountHealthMessage, a.AccountHealthSince = &issue, &message, &since
	}
}
