package analytics

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/store"
)

// The series that are not metrics of posts.
const (
	seriesPosts          = "posts"
	seriesEngagementRate = "engagementRate"
	seriesFollowers      = "followers"
)

// SeriesQuery selects the data of a series.
type SeriesQuery struct {
	Query
	Metric string
	// Interval is day, week or month; GroupBy is none, provider, socialAccount, postType or tag.
	Interval, GroupBy string
}

// untagged is the group of posts without a tag.
const untagged = "untagged"

// Series returns a metric over time.
func (s *Analytics) Series(ctx context.Context, scope access.TeamScope, q SeriesQuery) (crier.AnalyticsSeries, error) {
	var out crier.AnalyticsSeries
	w, err := s.window(scope, q.Query, defaultDays)
	if err != nil {
		return out, err
	}
	if q.Metric == seriesPosts {
		w.gained = false
	}
	t := newTimeline(w.filter.From, w.filter.To, q.Interval)
	out = crier.AnalyticsSeries{AnalyticsWindow: w.shown(), Basis: cmp.Or(q.Basis, crier.BasisPublished),
		Metric: q.Metric, Interval: q.Interval, GroupBy: q.GroupBy, Buckets: t.buckets}
	labels, err := s.labels(ctx, w, q.GroupBy)
	if err != nil {
		return out, err
	}
	if q.Metric == seriesFollowers {
		out.Groups, err = s.followerGroups(ctx, w, q, t, labels)
		return out, err
	}
	groups, err := s.sumGroups(ctx, w, q.GroupBy, t)
	if err != nil {
		return out, err
	}
	if q.GroupBy == "none" && len(groups) == 0 {
		groups = map[string][]store.DaySums{"total": make([]store.DaySums, len(t.buckets))}
	}
	out.Groups = []crier.SeriesGroup{}
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		g := crier.SeriesGroup{Key: key, Label: cmp.Or(labels[key], key)}
		for _, d := range groups[key] {
			value, reported := point(d, q.Metric, w.gained)
			g.Values, g.Told = append(g.Values, value), append(g.Told, reported)
			g.NotTold = append(g.NotTold, d.Counted-reported)
		}
		out.Groups = append(out.Groups, g)
	}
	return out, nil
}

// point returns the value of a bucket. Posts without the metric make a gap; without any post the sum is zero. Without
// any reading the gain is unknown.
func point(d store.DaySums, metric string, gained bool) (value *float64, reported int64) {
	number := func(n int64) *float64 { f := float64(n); return &f }
	switch metric {
	case seriesPosts:
		return number(d.Counted), d.Counted
	case seriesEngagementRate:
		return rate(d.Rated.Engagements, d.Rated.Views), d.Rated.Told
	}
	sum := d.Sums[slices.Index(store.SummedMetrics, crier.Metric(metric))]
	if sum.Told == 0 && (gained || d.Counted > 0) {
		return nil, 0
	}
	return number(sum.Value), sum.Told
}

// sumGroups returns the sums of each group and bucket.
func (s *Analytics) sumGroups(ctx context.Context, w window, groupBy string,
	t timeline) (map[string][]store.DaySums, error) {
	groups := map[string][]store.DaySums{}
	add := func(key string, d store.DaySums) {
		if groups[key] == nil {
			groups[key] = make([]store.DaySums, len(t.buckets))
		}
		groups[key][t.index(d.Day)].Add(d)
	}
	if groupBy == "tag" {
		return groups, s.addTagged(ctx, w, add)
	}
	list, err := s.sums(ctx, w, store.DayGrouping{Day: true, Account: groupBy == "provider" ||
		groupBy == "socialAccount", PostType: groupBy == "postType"})
	for _, d := range list {
		add(groupKey(groupBy, d.Provider, d.SocialAccountID, d.PostType), d)
	}
	return groups, err
}

func groupKey(groupBy string, network crier.Provider, account crier.ID, postType crier.PostType) string {
	switch groupBy {
	case "provider":
		return string(network)
	case "socialAccount":
		return string(account)
	case "postType":
		return string(postType)
	}
	return "total"
}

// addTagged adds each post to each of its tags.
func (s *Analytics) addTagged(ctx context.Context, w window, add func(string, store.DaySums)) error {
	list, err := s.single(ctx, w)
	if err != nil {
		return err
	}
	var posts []crier.ID
	for _, c := range list {
		posts = append(posts, c.post)
	}
	slices.Sort(posts)
	tags, err := s.store.PostTagNames(ctx, slices.Compact(posts))
	if err != nil {
		return err
	}
	for _, c := range list {
		for _, tag := range tags[c.post] {
			add(tag, c.DaySums)
		}
		if len(tags[c.post]) == 0 {
			add(untagged, c.DaySums)
		}
	}
	return nil
}

// labels returns the names of the groups whose name differs from their key.
func (s *Analytics) labels(ctx context.Context, w window, groupBy string) (map[string]string, error) {
	labels := map[string]string{}
	switch groupBy {
	case "provider":
		for _, network := range crier.Providers() {
			if p, ok := s.providers.Get(string(network)); ok {
				labels[string(network)] = p.Info().DisplayName
			}
		}
	case "socialAccount":
		accounts, err := s.store.SocialAccounts(ctx, w.filter.TeamID)
		if err != nil {
			return nil, err
		}
		for _, a := range accounts {
			labels[string(a.ID)] = a.DisplayName
		}
	}
	return labels, nil
}

// followerGroups returns the followers of each group and bucket. A bucket has the last reading of each account in it;
// if an account is missing that had readings before, the bucket is a gap, since the sum would seem to fall.
func (s *Analytics) followerGroups(ctx context.Context, w window, q SeriesQuery, t timeline,
	labels map[string]string) ([]crier.SeriesGroup, error) {
	if q.GroupBy == "postType" || q.GroupBy == "tag" {
		return nil, crier.Invalid(crier.At(fmt.Sprintf("followers are of accounts, not of posts: group by none, "+
			"provider or socialAccount, not %s", q.GroupBy), "groupBy"))
	}
	days, err := s.store.AccountDays(ctx, w.filter)
	if err != nil {
		return nil, err
	}
	byAccount, key := map[crier.ID][]*int64{}, map[crier.ID]string{}
	for _, d := range days {
		if d.Followers == nil {
			continue
		}
		if byAccount[d.SocialAccountID] == nil {
			byAccount[d.SocialAccountID] = make([]*int64, len(t.buckets))
		}
		byAccount[d.SocialAccountID][t.index(d.Day)] = d.Followers
		key[d.SocialAccountID] = groupKey(q.GroupBy, d.Provider, d.SocialAccountID, "")
	}
	connected, err := s.connected(ctx, w.filter.TeamID)
	if err != nil {
		return nil, err
	}
	today := dayOf(s.clock.Now(), w.location)
	groups := map[string][]levelLine{}
	for account, values := range byAccount {
		line := levelLine{values: values, ended: !connected[account]}
		switch last := len(values) - 1; {
		case w.gained:
			line.values = differences(values)
		case last > 0 && values[last] == nil && w.holds(today) && t.index(today) == last:
			values[last] = values[last-1] // today's reading is still to come
		}
		groups[key[account]] = append(groups[key[account]], line)
	}
	out := []crier.SeriesGroup{}
	for _, k := range slices.Sorted(maps.Keys(groups)) {
		out = append(out, levelGroup(k, cmp.Or(labels[k], k), groups[k], len(t.buckets)))
	}
	return out, nil
}

// connected returns the accounts that are still read.
func (s *Analytics) connected(ctx context.Context, team crier.ID) (map[crier.ID]bool, error) {
	accounts, err := s.store.SocialAccounts(ctx, team)
	connected := map[crier.ID]bool{}
	for _, a := range accounts {
		connected[a.ID] = a.Status != crier.AccountDisconnected
	}
	return connected, err
}

// levelLine holds the readings of an account by bucket.
type levelLine struct {
	values []*int64
	// ended means that there are no more readings.
	ended bool
}

// missing reports whether a bucket should have a reading of the account: after its first one, and before its last one
// if it has ended.
func (l levelLine) missing(bucket int) bool {
	reported := func(v *int64) bool { return v != nil }
	return l.values[bucket] == nil && slices.ContainsFunc(l.values[:bucket], reported) &&
		(!l.ended || slices.ContainsFunc(l.values[bucket:], reported))
}

// levelGroup sums the levels of accounts.
func levelGroup(key, label string, accounts []levelLine, buckets int) crier.SeriesGroup {
	g := crier.SeriesGroup{Key: key, Label: label, Values: make([]*float64, buckets), Told: make([]int64, buckets),
		NotTold: make([]int64, buckets)}
	for i := range buckets {
		var sum float64
		for _, line := range accounts {
			switch {
			case line.values[i] != nil:
				sum += float64(*line.values[i])
				g.Told[i]++
			case line.missing(i):
				g.NotTold[i]++
			}
		}
		if g.Told[i] > 0 && g.NotTold[i] == 0 {
			g.Values[i] = &sum
		}
	}
	return g
}

// differences returns how much each value differs from the previous known one; the first has none.
func differences(values []*int64) []*int64 {
	out := make([]*int64, len(values))
	var before *int64
	for i, v := range values {
		if v == nil {
			continue
		}
		if before != nil {
			d := *v - *before
			out[i] = &d
		}
		before = v
	}
	return out
}

// timeline divides a window into buckets.
type timeline struct {
	buckets []crier.Date
	from    int64
	of      []int // the bucket of each day
}

func newTimeline(from, to int64, interval string) timeline {
	t := timeline{from: from}
	for day := from; day <= to; day++ {
		at := time.Unix(day*secondsOfDay, 0).UTC()
		begins := interval == "day" || interval == "week" && at.Weekday() == time.Monday ||
			interval == "month" && at.Day() == 1
		if begins || day == from {
			t.buckets = append(t.buckets, dateOf(day))
		}
		t.of = append(t.of, len(t.buckets)-1)
	}
	return t
}

func (t timeline) index(day int64) int { return t.of[day-t.from] }
