package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"crier"
)

// ScheduledPostFilter filters the list of a team's scheduled posts. Empty fields do not filter. Canceled ones are
// listed only if Statuses names them.
type ScheduledPostFilter struct {
	TeamID           crier.ID
	Statuses         []crier.ScheduledPostStatus
	Providers        []crier.Provider
	SocialAccountIDs []crier.ID
	PostID           crier.ID
	// Scheduled is half-open.
	Scheduled TimeRange
	// NeedsAttention selects those that need attention, or those that do not.
	NeedsAttention *bool
}

// maxCounted limits counting the rows of a combination of filters.
const maxCounted = 10_000

// Total is the length of a list. Capped means that counting stopped at it.
type Total struct {
	Count  int64
	Capped bool
}

// ScheduledPostPage reads one page of a team's scheduled posts and the total of the list.
func (r reads) ScheduledPostPage(ctx context.Context, f ScheduledPostFilter, q PageQuery) (
	PageRows[crier.ScheduledPost], Total, error) {
	page, total, err := r.scheduledPostPage(ctx, f, q)
	out := PageRows[crier.ScheduledPost]{First: page.First, Last: page.Last, Before: page.Before, After: page.After}
	if err == nil {
		out.Rows, err = r.withFollowUps(ctx, page.Rows)
	}
	if err != nil {
		return out, total, fmt.Errorf("list scheduled posts: %w", err)
	}
	return out, total, nil
}

func (r reads) scheduledPostPage(ctx context.Context, f ScheduledPostFilter, q PageQuery) (
	page PageRows[*scheduledPost], total Total, err error) {
	list := listing[*scheduledPost]{
		columns: scheduledPostColumns, from: "publications s", id: "s.id",
		sorts: map[string]string{"scheduledAt": "s.scheduled_at"}, scan: scanScheduledPost,
		key: func(s *scheduledPost, _ string) Key { return Key{Value: s.ScheduledAt, ID: s.ID} },
	}
	// Each is read once, even if the filter names it twice.
	f.Providers, f.SocialAccountIDs = distinct(f.Providers), distinct(f.SocialAccountIDs)
	if list.branches, err = r.scheduledPostBranches(ctx, f); err != nil {
		return page, total, err
	}
	if f.isCounted() {
		page, err = list.page(ctx, r, q, r.scheduledPostCount(f, &total.Count))
		return page, total, err
	}
	if page, err = list.page(ctx, r, q); err != nil {
		return page, total, err
	}
	if page.whole() {
		return page, Total{Count: int64(len(page.Rows))}, nil
	}
	total, err = r.countScheduledPosts(ctx, f, list.branches)
	return page, total, err
}

// distinct returns the values of a filter without repetitions.
func distinct[T cmp.Ordered](values []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}

// scheduledPostBranches returns the ranges of indexes that the list reads: all rows if they are few, which are sorted
// then, or the indexes in the order of the list.
func (r reads) scheduledPostBranches(ctx context.Context, f ScheduledPostFilter) ([]branch, error) {
	ids, few, err := r.fewProblems(ctx, f)
	if err == nil && !few {
		ids, few, err = r.fewPublishing(ctx, f)
	}
	if err != nil || few {
		return []branch{f.branch(ids, f.class())}, err
	}
	switch {
	case len(f.SocialAccountIDs) == 0 || f.isSorted():
		return f.branches(), nil
	case len(f.SocialAccountIDs) <= maxScopes && len(f.Statuses) == 0:
		return f.eachAccount(f.class()), nil
	}
	return r.accountBranches(ctx, f)
}

// accountBranches returns the branches of a list of some classes of the rows of accounts, by the counts of the rows.
func (r reads) accountBranches(ctx context.Context, f ScheduledPostFilter) ([]branch, error) {
	found, all := map[string]int64{}, map[string]int64{}
	var accounts int64
	if err := r.q.Ask(ctx, r.countQuestion(f.TeamID, countedScheduledPosts, func(values []string, n int64) {
		account, class := values[1], classOf(crier.ScheduledPostStatus(values[2]))
		all[class] += n
		if passes(f.SocialAccountIDs, account) {
			found[class] += n
			accounts += n
		}
	})); err != nil {
		return nil, fmt.Errorf("count the rows of accounts: %w", err)
	}
	var branches []branch
	for _, class := range f.classes() {
		if found[class] > 0 {
			branches = append(branches, f.classOfAccounts(class, found[class], accounts, all[class])...)
		}
	}
	return branches, nil
}

// walkedRows weighs walking a class of the team against reading the rows of accounts: the walk finds one of the found
// rows every all / found rows.
const walkedRows = 20

// classOfAccounts returns the branches of a class. It has all rows in the team, of which the accounts have found; they
// have accounts rows in all classes. What waits has an index by account. The other rows of accounts are read from an
// index of all their classes, unless a walk of the team's class passes fewer rows.
func (f ScheduledPostFilter) classOfAccounts(class string, found, accounts, all int64) []branch {
	few := len(f.SocialAccountIDs) <= maxScopes
	switch walked := walkedRows * all / found; {
	case few && (class == classLive || accounts-found <= walked):
		return f.eachAccount(class)
	case !few && accounts <= walked:
		of := among("x.social_account_id", f.SocialAccountIDs)
		return []branch{f.branch(condition{
			"s.id IN (SELECT x.id FROM publications x WHERE x.team_id = ? AND x.kind = 'post' AND " + of.sql + ")",
			append([]any{f.TeamID}, of.args...)}, class)}
	}
	return []branch{f.walk(class)}
}

// eachAccount returns the rows of each account in the order of time. The index of what waits does not have the team.
// For the index of all rows of an account, the classes are hidden: the planner would walk the indexes of the team's
// classes and pass other accounts.
func (f ScheduledPostFilter) eachAccount(class string) []branch {
	team := inTeam
	if class != classLive {
		team, class = "s.team_id = ?", hide(class, "s.live", "s.canceled")
	}
	branches := make([]branch, len(f.SocialAccountIDs))
	for i, id := range f.SocialAccountIDs {
		branches[i] = f.branch(condition{team + " AND s.social_account_id = ?", []any{f.TeamID, id}}, class)
	}
	return branches
}

// maxNarrow is the number of rows up to which a list of problems, or of what is being published, is read by their ids.
const maxNarrow = 500

// fewProblems returns the condition of the ids of the team's problems, if the list has nothing else and they are few. A
// walk in the order of the list would pass all rows that are no problem.
func (r reads) fewProblems(ctx context.Context, f ScheduledPostFilter) (ids condition, few bool, err error) {
	problems, ok := f.problems()
	if !ok {
		return ids, false, nil
	}
	return r.fewOf(ctx, "SELECT DISTINCT x.scheduled_post_id FROM publication_problems x WHERE x.team_id = $1 AND "+
		bind(problems.sql, 1), append([]any{f.TeamID}, problems.args...)...)
}

// fewOf returns the condition of the ids that a query selects, if they are few.
func (r reads) fewOf(ctx context.Context, query string, args ...any) (ids condition, few bool, err error) {
	rows, err := r.q.QueryContext(ctx, fmt.Sprintf("%s LIMIT %d", query, maxNarrow+1), args...)
	if err != nil {
		return ids, false, fmt.Errorf("find few: %w", err)
	}
	found, err := collect(rows, scanID)
	if err != nil || len(found) > maxNarrow {
		return ids, false, err
	}
	_, values := inList(1, found)
	return among("s.id", values), true, nil
}

// fewPublishing returns the condition of the ids of what the team is publishing, if the list has nothing else and they
// are few. A walk in the order of the list would pass all rows that wait.
func (r reads) fewPublishing(ctx context.Context, f ScheduledPostFilter) (ids condition, few bool, err error) {
	if len(f.Statuses) == 0 || len(without(f.Statuses, deliveryPublications[crier.DeliveryPublishing])) > 0 {
		return ids, false, nil
	}
	begun := findBegun("id", f.TeamID, f.Statuses, r.listCounts)
	return r.fewOf(ctx, bind(begun.sql, 0), begun.args...)
}

// problems returns the condition of the problems x that include the whole list; ok is false if the list has more.
func (f ScheduledPostFilter) problems() (c condition, ok bool) {
	if f.NeedsAttention != nil && *f.NeedsAttention {
		return condition{sql: "x.dismissed_at IS NULL"}, true
	}
	for _, s := range f.Statuses {
		if s != crier.Failed && s != crier.Missed && s != crier.Unknown {
			return c, false
		}
	}
	c = among("x.status", f.Statuses)
	c.sql += " AND x.publication_id = x.scheduled_post_id"
	return c, len(f.Statuses) > 0
}

// The classes of scheduled posts, each with its own index by time.
const (
	classLive     = "s.live"
	classEnded    = "NOT s.live AND NOT s.canceled"
	classCanceled = "s.canceled"
)

// classes returns the classes that the list includes.
func (f ScheduledPostFilter) classes() []string {
	if len(f.Statuses) == 0 {
		return []string{classLive, classEnded}
	}
	found := map[string]bool{}
	for _, s := range f.Statuses {
		found[classOf(s)] = true
	}
	return slices.Sorted(maps.Keys(found))
}

func classOf(s crier.ScheduledPostStatus) string {
	switch {
	case s == crier.Canceled:
		return classCanceled
	case s.Live():
		return classLive
	}
	return classEnded
}

// class returns one condition for all classes that the list includes; it may be empty.
func (f ScheduledPostFilter) class() string {
	switch classes := f.classes(); {
	case slices.Contains(classes, classCanceled):
		return ""
	case slices.Equal(classes, []string{classLive}):
		return classLive
	}
	return "NOT s.canceled"
}

// maxScopes is the number of networks or accounts up to which each is read by its own index.
const maxScopes = 8

// inTeam is hidden from the planner, which may prefer the indexes of the team.
var inTeam = hide("s.team_id = ?", "s.team_id")

// hide wraps columns in a condition, so that the planner does not use their indexes.
func hide(condition string, columns ...string) string {
	for _, c := range columns {
		condition = strings.ReplaceAll(condition, c, "coalesce("+c+", "+c+")")
	}
	return condition
}

// isSorted reports whether all rows of the list are read and sorted, because they are few.
func (f ScheduledPostFilter) isSorted() bool {
	return f.PostID != "" || f.NeedsAttention != nil && *f.NeedsAttention
}

// branches returns the ranges of indexes that a list reads that is not filtered by accounts. Unless it is sorted, it is
// walked in its order: the networks that it is filtered by, or the whole team. What waits is not walked by network,
// whose index has it between what ended.
func (f ScheduledPostFilter) branches() []branch {
	var branches []branch
	switch waits := slices.Equal(f.classes(), []string{classLive}); {
	case f.isSorted():
		branches = append(branches, f.branch(condition{inTeam, []any{f.TeamID}}, f.class()))
	case len(f.Providers) > 0 && len(f.Providers) <= maxScopes && !waits:
		for _, provider := range f.Providers {
			scope := condition{"s.team_id = ? AND s.provider = ?", []any{f.TeamID, provider}}
			branches = append(branches, f.branch(scope, f.class()))
		}
	default:
		for _, class := range f.classes() {
			branches = append(branches, f.walk(class))
		}
	}
	return branches
}

// walk returns the rows of a class in the team's order of time. Other indexed columns are hidden: sorting what their
// indexes find would cost more than the walk.
func (f ScheduledPostFilter) walk(class string) branch {
	b := f.branch(condition{"s.team_id = ?", []any{f.TeamID}}, class)
	b.where = hide(b.where, "s.social_account_id", "s.provider")
	return b
}

// branch returns the rows of a scope and a class that pass the filters.
func (f ScheduledPostFilter) branch(scope condition, class string) branch {
	b := branch{where: scope.sql + " AND s.kind = 'post'", args: slices.Clone(scope.args)}
	b.require(condition{sql: class})
	for _, c := range f.conditions() {
		b.require(c)
	}
	return b
}

// conditions returns the filters that are set.
func (f ScheduledPostFilter) conditions() []condition {
	var all []condition
	add := func(c condition, set bool) {
		if set {
			all = append(all, c)
		}
	}
	add(among("s.status", f.Statuses), len(f.Statuses) > 0)
	add(among("s.provider", f.Providers), len(f.Providers) > 0)
	add(among("s.social_account_id", f.SocialAccountIDs), len(f.SocialAccountIDs) > 0)
	add(condition{"s.post_id = ?", []any{f.PostID}}, f.PostID != "")
	if f.NeedsAttention != nil {
		add(f.attention(*f.NeedsAttention), true)
	}
	var within conditions
	within.between("s.scheduled_at", f.Scheduled.From, f.Scheduled.To)
	add(condition{within.where, within.args}, f.Scheduled.isSet())
	return all
}

// attention returns the condition of the scheduled posts that need attention, or of those that do not.
func (f ScheduledPostFilter) attention(needed bool) condition {
	not := ""
	if !needed {
		not = "NOT "
	}
	return condition{"s.id " + not + "IN (SELECT x.scheduled_post_id FROM publication_problems x WHERE x.team_id = ?" +
		" AND x.dismissed_at IS NULL)", []any{f.TeamID}}
}

// isCounted reports whether triggers count the rows of the list: it is filtered by status, network and account only.
func (f ScheduledPostFilter) isCounted() bool {
	return f.PostID == "" && f.NeedsAttention == nil && !f.Scheduled.isSet()
}

// scheduledPostCount reads the total of a list that is counted.
func (r reads) scheduledPostCount(f ScheduledPostFilter, total *int64) question {
	return r.countQuestion(f.TeamID, countedScheduledPosts, func(values []string, n int64) {
		provider, account, status := values[0], values[1], values[2]
		if passes(f.Providers, provider) && passes(f.SocialAccountIDs, account) && passes(f.Statuses, status) &&
			(len(f.Statuses) > 0 || status != string(crier.Canceled)) {
			*total += n
		}
	})
}

// countScheduledPosts counts the rows of a list that is not counted by triggers: of a single filter all, otherwise up
// to maxCounted. A filter that most scheduled posts of the team pass is counted by the others.
func (r reads) countScheduledPosts(ctx context.Context, f ScheduledPostFilter, branches []branch) (Total, error) {
	if len(f.conditions()) > 1 {
		return r.countBranches(ctx, "publications s", branches, true)
	}
	others := f.others()
	if len(others) == 0 {
		return r.countBranches(ctx, "publications s", branches, false)
	}
	var all int64
	if err := r.q.Ask(ctx, r.scheduledPostCount(ScheduledPostFilter{TeamID: f.TeamID}, &all)); err != nil {
		return Total{}, fmt.Errorf("count all: %w", err)
	}
	n, err := countBySmallerSide(
		func(limit int64) (int64, error) { return r.countUpTo(ctx, "publications s", branches, limit) },
		func(limit int64) (int64, int64, error) {
			n, err := r.countUpTo(ctx, "publications s", others, limit)
			return all, n, err
		})
	return Total{Count: n}, err
}

// countBySmallerSide counts the rows that pass a filter, or those that do not, which are subtracted from all. Both
// functions count up to a limit, so that neither side is counted much further than the smaller one.
func countBySmallerSide(passing func(limit int64) (int64, error),
	others func(limit int64) (all, others int64, err error)) (int64, error) {
	for limit := int64(widest); ; limit *= 4 {
		all, n, err := others(limit)
		if err != nil || n < limit {
			return all - n, err
		}
		if n, err = passing(limit); err != nil || n < limit {
			return n, err
		}
	}
}

// others returns the rows of the team that do not pass a single filter, if they can be counted.
func (f ScheduledPostFilter) others() []branch {
	others := ScheduledPostFilter{TeamID: f.TeamID}
	if f.NeedsAttention != nil && !*f.NeedsAttention {
		needed := true
		others.NeedsAttention = &needed
		return others.branches()
	}
	var branches []branch
	if from := f.Scheduled.From; from != nil {
		others.Scheduled = TimeRange{To: from}
		branches = append(branches, others.branches()...)
	}
	if to := f.Scheduled.To; to != nil {
		others.Scheduled = TimeRange{From: to}
		branches = append(branches, others.branches()...)
	}
	return branches
}

// countBranches counts the rows of disjoint branches, if capped up to maxCounted.
func (r reads) countBranches(ctx context.Context, from string, branches []branch, capped bool) (Total, error) {
	if !capped {
		n, err := r.countUpTo(ctx, from, branches, 0)
		return Total{Count: n}, err
	}
	n, err := r.countUpTo(ctx, from, branches, maxCounted+1)
	return Total{Count: min(n, maxCounted), Capped: n > maxCounted}, err
}

// countUpTo counts the rows of disjoint branches, each up to a limit unless it is 0.
func (r reads) countUpTo(ctx context.Context, from string, branches []branch, limit int64) (total int64, err error) {
	for _, b := range branches {
		query := "SELECT 1 FROM " + from + " WHERE " + b.where
		if limit > 0 {
			query += fmt.Sprintf(" LIMIT %d", limit)
		}
		var n int64
		if err := r.q.QueryRowContext(ctx, bind("SELECT count(*) FROM ("+query+") AS counted", 0),
			b.args...).Scan(&n); err != nil {
			return 0, fmt.Errorf("count: %w", err)
		}
		total += n
	}
	return total, nil
}
