package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"crier"
)

// PostFilter says which posts of a team a list shows. Empty parts do not restrict it; deleted posts are never shown,
// archived ones only when Statuses names them.
type PostFilter struct {
	TeamID           crier.ID
	Statuses         []crier.PostStatus
	DeliveryStates   []crier.DeliveryState
	PostTypes        []crier.PostType
	Providers        []crier.Provider
	SocialAccountIDs []crier.ID
	SaveDestination  string
	TagID            crier.ID
	// Words are tokens that a post must all have.
	Words []string
	// Ranges of time are half-open; either end may be missing.
	Scheduled, Created, Updated TimeRange
}

// TimeRange is a half-open range of time.
type TimeRange struct{ From, To *crier.Time }

func (r TimeRange) isSet() bool { return r.From != nil || r.To != nil }

var postSorts = map[string]string{
	"createdAt": "p.created_at", "updatedAt": "p.updated_at", "title": "p.title_key", "status": "p.status", "scheduledAt": "p.scheduled_at",
}

func postKey(p Post, sort string) Key {
	key := Key{ID: p.ID}
	switch sort {
	case "title":
		key.Value = p.titleKey
	case "status":
		key.Value = string(p.Status)
	case "scheduledAt":
		key.Value = p.ScheduledAt
	default:
		key.Value = sortValue(sort, p.CreatedAt, p.UpdatedAt, "")
	}
	return key
}

// Posts reads one page of a team's posts, complete, and how many the whole list has.
//
// What it costs depends on how many posts match, not on how many there are: a filter that few posts pass is read from
// its own index, and its posts are then checked against the other filters and sorted. When no filter is that narrow, the
// list walks the index of its sort and leaves out what does not match, which is dense enough to fill a page soon.
func (r reads) Posts(ctx context.Context, f PostFilter, q PageQuery, withScheduled bool) (PageRows[Post], int64, error) {
	page, total, err := r.postPage(ctx, f, q)
	if err != nil {
		return page, 0, fmt.Errorf("list posts: %w", err)
	}
	return page, total, r.complete(ctx, page.Rows, withScheduled)
}

func (r reads) postPage(ctx context.Context, f PostFilter, q PageQuery) (page PageRows[Post], total int64, err error) {
	groups := f.groups()
	narrow, err := r.narrowest(ctx, groups)
	if err != nil {
		return page, 0, err
	}
	if narrow >= 0 {
		return r.narrowPage(ctx, f, groups, narrow, q)
	}
	list := listing[Post]{columns: postColumns, from: "posts p", id: "p.id", sorts: postSorts, scan: scanPost, key: postKey}
	for _, archived := range f.archived() {
		list.branches = append(list.branches, f.walked(archived, groups, postSorts[q.Sort]))
	}
	if page, err = list.page(ctx, r, q); err != nil {
		return page, 0, err
	}
	if len(groups) == 0 {
		total, err = r.PostCount(ctx, f.TeamID)
		return page, total, err
	}
	total, err = r.countMatching(ctx, f, groups)
	return page, total, err
}

// countMatching counts the posts that pass every group.
func (r reads) countMatching(ctx context.Context, f PostFilter, groups []group) (int64, error) {
	var total int64
	for _, archived := range f.archived() {
		var n int64
		b := f.matching(archived, groups)
		if err := r.q.QueryRowContext(ctx, bind("SELECT count(*) FROM posts p WHERE "+b.where, 0), b.args...).Scan(&n); err != nil {
			return 0, fmt.Errorf("count: %w", err)
		}
		total += n
	}
	return total, nil
}

// walked follows the index of the sort and leaves out what does not match. Conditions on other columns are wrapped, so that
// no planner is tempted by their indexes: sorting what they find would cost more than the walk.
func (f PostFilter) walked(archived bool, groups []group, sort string) branch {
	wrapped := slices.Clone(groups)
	for i, g := range wrapped {
		if g.column != "" && g.column != sort {
			wrapped[i].holds.sql = strings.ReplaceAll(g.holds.sql, g.column, "coalesce("+g.column+", "+g.column+")")
		}
	}
	return f.matching(archived, wrapped)
}

// matching is all posts that pass every group.
func (f PostFilter) matching(archived bool, groups []group) branch {
	b := branch{where: "p.team_id = ? AND p.archived = " + sqlBool(archived) + " AND p.deleted_at IS NULL", args: []any{f.TeamID}}
	for _, g := range groups {
		b.require(g.holds)
	}
	return b
}

func (b *branch) require(c condition) {
	if c.sql != "" {
		b.where += " AND " + c.sql
		b.args = append(b.args, c.args...)
	}
}
