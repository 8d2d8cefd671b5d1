package store

import (
	"context"
	"fmt"
	"slices"

	"crier"
)

// PostFilter filters the list of a team's posts. Empty fields do not filter. Deleted posts are never listed, archived
// ones only if Statuses names them.
type PostFilter struct {
	TeamID           crier.ID
	Statuses         []crier.PostStatus
	DeliveryStates   []crier.DeliveryState
	PostTypes        []crier.PostType
	Providers        []crier.Provider
	SocialAccountIDs []crier.ID
	SaveDestination  string
	TagID            crier.ID
	AssetID          crier.ID
	// Words must all occur in a post.
	Words []string
	// Time ranges are half-open; either end may be nil.
	Scheduled, Created, Updated TimeRange
}

// TimeRange is a half-open range of time.
type TimeRange struct{ From, To *crier.Time }

func (r TimeRange) isSet() bool { return r.From != nil || r.To != nil }

var postSorts = map[string]string{
	"createdAt": "p.created_at", "updatedAt": "p.updated_at", "title": "p.sort_title", "status": "p.status",
	"scheduledAt": "p.scheduled_at",
}

func postKey(p *Post, sort string) Key {
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

// Posts reads one page of a team's posts, hydrated, and the total of the list.
//
// The cost depends on how many posts match, not on how many exist. If one filter is selective, its posts are read from
// its index, checked against the other filters, and sorted. Otherwise the list walks the index of its sort and skips
// posts that do not match; matches are then frequent enough to fill a page soon.
func (r reads) Posts(ctx context.Context, f PostFilter, q PageQuery, withScheduled bool) (PageRows[*Post], Total,
	error) {
	page, total, err := r.postPage(ctx, f, q)
	if err != nil {
		return page, total, fmt.Errorf("list posts: %w", err)
	}
	return page, total, r.hydrate(ctx, page.Rows, withScheduled)
}

func (r reads) postPage(ctx context.Context, f PostFilter, q PageQuery) (page PageRows[*Post], total Total, err error) {
	groups := r.groups(f)
	how, err := r.selective(ctx, f, groups)
	if err != nil {
		return page, total, err
	}
	if how.narrow >= 0 {
		page, total.Count, err = r.selectivePage(ctx, f, groups, how, q)
		return page, total, err
	}
	list := listing[*Post]{columns: postRowColumns, from: postRows, id: "p.id", sorts: postSorts,
		scan: (&postRow{}).scan, key: postKey}
	for _, archived := range f.archived() {
		list.branches = append(list.branches, f.walked(archived, groups, postSorts[q.Sort]))
	}
	if count, ok := r.postCountQuestion(f, len(groups), &total.Count); ok {
		page, err = list.page(ctx, r, q, count)
		return page, total, err
	}
	if page, err = list.page(ctx, r, q); err != nil {
		return page, total, err
	}
	switch {
	case how.total != nil:
		total.Count = *how.total
	case page.whole():
		total.Count = int64(len(page.Rows))
	case len(groups) == 1 && max(len(f.Providers), len(f.SocialAccountIDs)) > 1:
		total, err = r.countDestinations(ctx, f, groups)
	case isSingle(groups):
		total.Count, err = r.countGroup(ctx, f, groups[0])
	default:
		total, err = r.countCombination(ctx, f, groups)
	}
	return page, total, err
}

// postCountQuestion reads the total of a list whose posts are counted: without filters, by status, type and
// destination, or by one network or account. ok is false if they are not.
func (r reads) postCountQuestion(f PostFilter, groups int, total *int64) (q question, ok bool) {
	counted := 0
	for _, set := range []bool{len(f.Statuses) > 0, len(f.PostTypes) > 0, f.SaveDestination != ""} {
		if set {
			counted++
		}
	}
	switch {
	case groups == 0:
		return newQuestion(`SELECT `+r.postCount, []any{f.TeamID},
			func(row scanner) error { return row.Scan(total) }), true
	case groups == counted:
		return r.columnCountQuestion(f, total), true
	case groups == 1 && len(f.Providers) == 1:
		return r.countQuestion(f.TeamID, countedPostsByProvider, func(values []string, n int64) {
			if passes(f.Providers, values[0]) {
				*total += n
			}
		}), true
	case groups == 1 && len(f.SocialAccountIDs) == 1:
		return r.countQuestion(f.TeamID, countedPostsByAccount, func(values []string, n int64) {
			if passes(f.SocialAccountIDs, values[0]) {
				*total += n
			}
		}), true
	}
	return q, false
}

// columnCountQuestion reads the number of posts that pass the filters by status, type and destination, whatever the
// others.
func (r reads) columnCountQuestion(f PostFilter, total *int64) question {
	return r.countQuestion(f.TeamID, countedPosts, func(values []string, n int64) {
		status, postType, destination := values[0], values[1], values[2]
		if passes(f.Statuses, status) && passes(f.PostTypes, postType) &&
			(f.SaveDestination == "" || f.SaveDestination == destination) &&
			(len(f.Statuses) > 0 || status != string(crier.PostArchived)) {
			*total += n
		}
	})
}

// countGroup counts the posts that pass a group. A filter that most posts pass is counted by the others: the team knows
// how many posts it has.
func (r reads) countGroup(ctx context.Context, f PostFilter, g group) (int64, error) {
	if g.others.sql == "" || !slices.Equal(f.archived(), []bool{false}) {
		return r.countMatching(ctx, f, g, 0)
	}
	return countBySmallerSide(
		func(limit int64) (int64, error) { return r.countMatching(ctx, f, g, limit) },
		func(limit int64) (all, others int64, err error) {
			err = r.q.QueryRowContext(ctx, fmt.Sprintf("SELECT %s, (SELECT count(*) FROM (%s LIMIT %d) AS others)",
				r.postCount, bind(g.others.sql, 1), limit),
				append([]any{f.TeamID}, g.others.args...)...).Scan(&all, &others)
			if err != nil {
				return 0, 0, fmt.Errorf("count the other posts: %w", err)
			}
			return all, others, nil
		})
}

// countMatching counts the posts that pass a group, up to a limit unless it is 0.
func (r reads) countMatching(ctx context.Context, f PostFilter, g group, limit int64) (int64, error) {
	g.holds.sql = g.lead + g.holds.sql
	return r.countUpTo(ctx, "posts p", f.listed([]group{g}), limit)
}

// listed returns the posts that pass every group, archived ones apart.
func (f PostFilter) listed(groups []group) (branches []branch) {
	for _, archived := range f.archived() {
		branches = append(branches, f.matching(archived, groups))
	}
	return branches
}

// countCombination counts the posts that pass several groups, starting from the smallest one. A group also finds posts
// that are not listed, and one that was repeated many times, so all may be large in a team with few posts: these are
// counted one by one. If even they are more than maxCounted, the total is capped.
func (r reads) countCombination(ctx context.Context, f PostFilter, groups []group) (total Total, err error) {
	sizes, err := r.probe(ctx, groups, maxCounted+1)
	if err != nil {
		return total, err
	}
	smallest := slices.Min(sizes)
	if smallest <= maxCounted {
		return r.countDriven(ctx, f, groups, slices.Index(sizes, smallest))
	}
	var posts int64
	if err := r.q.Ask(ctx, r.columnCountQuestion(f, &posts)); err != nil {
		return total, fmt.Errorf("count by status, type and destination: %w", err)
	}
	if posts > maxCounted {
		return Total{Count: maxCounted, Capped: true}, nil
	}
	total.Count, err = r.countUpTo(ctx, "posts p", f.listed(groups), 0)
	return total, err
}

// countDestinations counts the posts of several networks or of several accounts: one post may be on more than one of
// them. If one of them alone has more than maxCounted posts, the total is capped.
func (r reads) countDestinations(ctx context.Context, f PostFilter, groups []group) (Total, error) {
	list := countedPostsByProvider
	if len(f.SocialAccountIDs) > 0 {
		list = countedPostsByAccount
	}
	counts := map[string]int64{}
	err := r.q.Ask(ctx, r.countQuestion(f.TeamID, list, func(values []string, n int64) {
		if passes(f.Providers, values[0]) && passes(f.SocialAccountIDs, values[0]) {
			counts[values[0]] += n
		}
	}))
	if err != nil {
		return Total{}, fmt.Errorf("count by destination: %w", err)
	}
	var largest, all int64
	for _, n := range counts {
		largest, all = max(largest, n), all+n
	}
	switch {
	case largest == all:
		return Total{Count: all}, nil
	case largest > maxCounted:
		return Total{Count: maxCounted, Capped: true}, nil
	}
	return r.countDriven(ctx, f, groups, 0)
}

// countDriven counts the posts of a group that pass the others, one by one.
func (r reads) countDriven(ctx context.Context, f PostFilter, groups []group, narrow int) (total Total, err error) {
	driver, b := f.driven(groups, narrow)
	err = r.q.QueryRowContext(ctx, fmt.Sprintf("SELECT count(*) FROM (SELECT DISTINCT post_id FROM (%s) AS found) "+
		"AS driver %s WHERE %s", bind(driver.sql, 0), r.driven("posts", "p", "id", "driver.post_id"),
		bind(b.where, len(driver.args))), b.args...).Scan(&total.Count)
	if err != nil {
		return total, fmt.Errorf("count: %w", err)
	}
	return total, nil
}

// walked walks the index of the sort and skips posts that do not match. Other columns are hidden: sorting what their
// indexes find would cost more than the walk.
func (f PostFilter) walked(archived bool, groups []group, sort string) branch {
	wrapped := slices.Clone(groups)
	for i, g := range wrapped {
		if g.column != "" && g.column != sort {
			wrapped[i].holds.sql = hide(g.holds.sql, g.column)
		}
	}
	return f.matching(archived, wrapped)
}

// matching returns the condition of the posts that pass every group.
func (f PostFilter) matching(archived bool, groups []group) branch {
	b := branch{where: "p.team_id = ? AND p.archived = " + sqlBool(archived) + " AND p.deleted_at IS NULL",
		args: []any{f.TeamID}}
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
