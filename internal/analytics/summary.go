package analytics

import (
	"cmp"
	"context"
	"slices"

	"crier"
	"crier/internal/access"
	"crier/internal/store"
)

// Summary returns the totals of a team's posts and accounts in a window, and in the previous one if compare is set.
func (s *Analytics) Summary(ctx context.Context, scope access.TeamScope, q Query,
	compare bool) (crier.AnalyticsSummary, error) {
	var out crier.AnalyticsSummary
	w, err := s.window(scope, q, defaultDays)
	if err != nil {
		return out, err
	}
	accounts, err := s.store.SocialAccounts(ctx, w.filter.TeamID)
	if err != nil {
		return out, err
	}
	accounts = slices.DeleteFunc(accounts, func(a store.Account) bool { return !w.selects(a) })
	tally, err := s.tally(ctx, w)
	if err != nil {
		return out, err
	}
	out = crier.AnalyticsSummary{AnalyticsWindow: w.shown(), Basis: cmp.Or(q.Basis, crier.BasisPublished),
		AnalyticsTotals: tally.totals(accounts), ByProvider: []crier.ProviderAnalytics{},
		BySocialAccount: []crier.AccountTotals{}, AccountsWithHint: hints(accounts)}
	for _, network := range crier.Providers() {
		own := slices.DeleteFunc(slices.Clone(accounts), func(a store.Account) bool { return a.Provider != network })
		if len(own) > 0 {
			out.ByProvider = append(out.ByProvider, crier.ProviderAnalytics{Provider: network,
				AnalyticsTotals: tally.totals(own)})
		}
	}
	for _, a := range accounts {
		if a.Status == crier.AccountDisconnected && tally.posts[a.ID] == 0 {
			continue
		}
		out.BySocialAccount = append(out.BySocialAccount, crier.AccountTotals{SocialAccountID: a.ID,
			Provider: a.Provider, DisplayName: a.DisplayName, ProfileHandle: a.ProfileHandle,
			AnalyticsTotals: tally.totals([]store.Account{a})})
	}
	if compare {
		before := w.before()
		earlier, err := s.tally(ctx, before)
		if err != nil {
			return out, err
		}
		out.Previous = &crier.AnalyticsPrevious{From: dateOf(before.filter.From), To: dateOf(before.filter.To),
			AnalyticsTotals: earlier.totals(accounts)}
	}
	return out, nil
}

func hints(accounts []store.Account) []crier.AccountHint {
	list := []crier.AccountHint{}
	for _, a := range accounts {
		if a.MetricsHint != nil && a.Status == crier.AccountConnected {
			list = append(list, crier.AccountHint{SocialAccountID: a.ID, Provider: a.Provider, Hint: *a.MetricsHint})
		}
	}
	return list
}

// tally holds the counts of a window by account.
type tally struct {
	sums      map[crier.ID]store.DaySums
	posts     map[crier.ID]int64
	followers map[crier.ID]levels
}

// levels are the first and last reading of an account's followers.
type levels struct{ first, last *int64 }

func (s *Analytics) tally(ctx context.Context, w window) (tally, error) {
	t := tally{sums: map[crier.ID]store.DaySums{}, posts: map[crier.ID]int64{}, followers: map[crier.ID]levels{}}
	list, err := s.sums(ctx, w, store.DayGrouping{Account: true})
	if err != nil {
		return t, err
	}
	for _, d := range list {
		t.sums[d.SocialAccountID] = d
	}
	if w.gained {
		w.gained = false
		if list, err = s.sums(ctx, w, store.DayGrouping{Account: true}); err != nil {
			return t, err
		}
	}
	for _, d := range list {
		t.posts[d.SocialAccountID] = d.Counted
	}
	days, err := s.store.AccountDays(ctx, w.filter)
	if err != nil {
		return t, err
	}
	for _, d := range days {
		if d.Followers == nil {
			continue
		}
		l := t.followers[d.SocialAccountID]
		if l.first == nil {
			l.first = d.Followers
		}
		l.last = d.Followers
		t.followers[d.SocialAccountID] = l
	}
	return t, nil
}

// totals sums the counts of some accounts.
func (t tally) totals(accounts []store.Account) crier.AnalyticsTotals {
	var all store.DaySums
	var out crier.AnalyticsTotals
	for _, a := range accounts {
		all.Add(t.sums[a.ID])
		out.Posts += t.posts[a.ID]
		l := t.followers[a.ID]
		if l.last == nil {
			if a.Status == crier.AccountConnected {
				out.Followers.NotTold++
			}
			continue
		}
		out.Followers.Told++
		out.Followers.Value = plus(out.Followers.Value, *l.last)
		out.Followers.Change = plus(out.Followers.Change, *l.last-*l.first)
	}
	out.Metrics = shownSums(all)
	out.EngagementRate = shownRate(all)
	return out
}

func plus(sum *int64, n int64) *int64 {
	if sum != nil {
		n += *sum
	}
	return &n
}

func shownSums(d store.DaySums) crier.AnalyticsSums {
	var out crier.AnalyticsSums
	for i, target := range []*crier.AnalyticsSum{&out.Views, &out.Likes, &out.Comments, &out.Shares, &out.Quotes,
		&out.Saves, &out.Clicks, &out.Engagements} {
		*target = crier.AnalyticsSum{Told: d.Sums[i].Told, NotTold: d.Counted - d.Sums[i].Told}
		if d.Sums[i].Told > 0 {
			target.Value = &d.Sums[i].Value
		}
	}
	return out
}

func shownRate(d store.DaySums) crier.AnalyticsRate {
	return crier.AnalyticsRate{Value: rate(d.Rated.Engagements, d.Rated.Views), Told: d.Rated.Told,
		NotTold: d.Counted - d.Rated.Told}
}

// rate is nil without views.
func rate(engagements, views int64) *float64 {
	if views <= 0 {
		return nil
	}
	r := float64(engagements) / float64(views)
	return &r
}
