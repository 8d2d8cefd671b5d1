package store

import (
	"context"
	"fmt"
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

// Total is the length of a list. Capped means that the list is longer.
type Total struct {
	Count  int64
	Capped bool
}

// ScheduledPostPage reads one page of a team's scheduled posts and the total of the list.
func (r reads) ScheduledPostPage(ctx context.Context, f ScheduledPostFilter, q PageQuery) (
	PageRows[crier.ScheduledPost], Total, error) {
	var out PageRows[crier.ScheduledPost]
	conditions, filters := f.conditions()
	list := listing[*scheduledPost]{
		columns: scheduledPostColumns, from: "publications s", id: "s.id",
		sorts: map[string]string{"scheduledAt": "s.scheduled_at"}, scan: scanScheduledPost,
		key: func(s *scheduledPost, _ string) Key { return Key{Value: s.ScheduledAt, ID: s.ID} },
	}
	scope, err := r.scheduledPostScope(ctx, f)
	if err != nil {
		return out, Total{}, fmt.Errorf("list scheduled posts: %w", err)
	}
	for _, canceled := range f.canceled() {
		b := branch{where: scope.sql + " AND s.kind = 'post' AND " + canceled, args: slices.Clone(scope.args)}
		b.require(conditions)
		list.branches = append(list.branches, b)
	}
	page, err := list.page(ctx, r, q)
	if err != nil {
		return out, Total{}, fmt.Errorf("list scheduled posts: %w", err)
	}
	out = PageRows[crier.ScheduledPost]{First: page.First, Last: page.Last, Before: page.Before, After: page.After}
	if out.Rows, err = r.withFollowUps(ctx, page.Rows); err != nil {
		return out, Total{}, fmt.Errorf("list scheduled posts: %w", err)
	}
	total, err := r.countBranches(ctx, list.from, list.branches, filters > 1)
	return out, total, err
}

// maxNarrow is the number of problems up to which a list of them is read by their ids.
const maxNarrow = 500

// scheduledPostScope returns the condition by which a list finds its rows: the team, whose rows are walked in the order
// of the list, or the ids of the team's problems if the list has nothing else and they are few. A walk would pass all
// rows that are no problem.
func (r reads) scheduledPostScope(ctx context.Context, f ScheduledPostFilter) (condition, error) {
	team := condition{"s.team_id = ?", []any{f.TeamID}}
	problems, ok := f.problems()
	if !ok {
		return team, nil
	}
	rows, err := r.q.QueryContext(ctx, fmt.Sprintf("SELECT DISTINCT x.scheduled_post_id FROM publication_problems x "+
		"WHERE x.team_id = $1 AND %s LIMIT %d", bind(problems.sql, 1), maxNarrow+1),
		append([]any{f.TeamID}, problems.args...)...)
	if err != nil {
		return team, fmt.Errorf("find problems: %w", err)
	}
	ids, err := collect(rows, scanID)
	if err != nil || len(ids) > maxNarrow {
		return team, err
	}
	_, args := inList(1, ids)
	return among("s.id", args), nil
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

// canceled returns the disjoint conditions of the partial indexes that the list walks.
func (f ScheduledPostFilter) canceled() []string {
	live, canceled := len(f.Statuses) == 0, false
	for _, s := range f.Statuses {
		live, canceled = live || s != crier.Canceled, canceled || s == crier.Canceled
	}
	var out []string
	if live {
		out = append(out, "NOT s.canceled")
	}
	if canceled {
		out = append(out, "s.canceled")
	}
	return out
}

// conditions joins the filters that are set and counts them.
func (f ScheduledPostFilter) conditions() (joined condition, filters int) {
	var parts []string
	add := func(sql string, args ...any) {
		parts, joined.args = append(parts, sql), append(joined.args, args...)
	}
	if len(f.Statuses) > 0 {
		add("s.status IN ("+marks(len(f.Statuses))+")", anys(f.Statuses)...)
	}
	if len(f.Providers) > 0 {
		add("s.provider IN ("+marks(len(f.Providers))+")", anys(f.Providers)...)
	}
	if len(f.SocialAccountIDs) > 0 {
		add("s.social_account_id IN ("+marks(len(f.SocialAccountIDs))+")", anys(f.SocialAccountIDs)...)
	}
	if f.PostID != "" {
		add("s.post_id = ?", f.PostID)
	}
	if f.NeedsAttention != nil {
		not := ""
		if !*f.NeedsAttention {
			not = "NOT "
		}
		add("s.id "+not+"IN (SELECT x.scheduled_post_id FROM publication_problems x WHERE x.team_id = ?"+
			" AND x.dismissed_at IS NULL)", f.TeamID)
	}
	filters = len(parts)
	if f.Scheduled.From != nil {
		add("s.scheduled_at >= ?", *f.Scheduled.From)
	}
	if f.Scheduled.To != nil {
		add("s.scheduled_at < ?", *f.Scheduled.To)
	}
	if f.Scheduled.isSet() {
		filters++
	}
	joined.sql = strings.Join(parts, " AND ")
	return joined, filters
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
func (r reads) countUpTo(ctx context.Context, from string, branches []branch, limit int) (total int64, err error) {
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
