package store

import (
	"cmp"
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
		key.Value = ""
		if p.Title != nil {
			key.Value = *p.Title
		}
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
	groups := f.groups()
	narrow, err := r.narrowest(ctx, groups)
	if err != nil {
		return PageRows[Post]{}, 0, err
	}
	list := listing[Post]{columns: postColumns, from: "posts p", id: "p.id", sorts: postSorts, scan: scanPost, key: postKey}
	list.branches = f.branches(groups, narrow, func(archived bool) branch { return f.walked(archived, groups, postSorts[q.Sort]) })
	page, err := list.page(ctx, r, q)
	if err != nil {
		return page, 0, fmt.Errorf("list posts: %w", err)
	}
	if err := r.complete(ctx, page.Rows, withScheduled); err != nil {
		return page, 0, err
	}
	if len(groups) == 0 {
		total, err := r.PostCount(ctx, f.TeamID)
		return page, total, err
	}
	total, err := r.countAll(ctx, f.branches(groups, narrow, func(archived bool) branch { return f.matching(archived, groups) }))
	return page, total, err
}

// branches is one branch driven by a narrow group, or one per part of the indexes.
func (f PostFilter) branches(groups []group, narrow *group, broad func(archived bool) branch) []branch {
	if narrow != nil {
		return []branch{f.driven(*narrow, groups)}
	}
	var all []branch
	for _, archived := range f.archived() {
		all = append(all, broad(archived))
	}
	return all
}

// countAll counts the posts of branches.
func (r reads) countAll(ctx context.Context, branches []branch) (int64, error) {
	var total int64
	for _, b := range branches {
		var n int64
		query := bind("SELECT count(*) FROM "+cmp.Or(b.from, "posts p")+" WHERE "+b.where, 0)
		if err := r.q.QueryRowContext(ctx, query, b.args...).Scan(&n); err != nil {
			return 0, fmt.Errorf("count posts: %w", err)
		}
		total += n
	}
	return total, nil
}

// group is one filter, in the two forms that it can take.
type group struct {
	// find reads the ids of the posts that pass it, from its own index.
	find condition
	// holds is true of a post p that passes it.
	holds condition
	// column is what holds looks at, when it is a column that has an index.
	column string
}

// condition is a piece of SQL with ? for its parameters.
type condition struct {
	sql  string
	args []any
}

// groups are the filters that are set.
func (f PostFilter) groups() []group {
	var groups []group
	add := func(g group, set bool) {
		if set {
			groups = append(groups, g)
		}
	}
	add(f.columnGroup("status", anys(f.Statuses)), len(f.Statuses) > 0)
	add(f.columnGroup("delivery_state", anys(f.DeliveryStates)), len(f.DeliveryStates) > 0)
	add(f.columnGroup("post_type", anys(f.PostTypes)), len(f.PostTypes) > 0)
	add(f.columnGroup("save_destination", []any{f.SaveDestination}), f.SaveDestination != "")
	add(f.rangeGroup("scheduled_at", f.Scheduled), f.Scheduled.isSet())
	add(f.rangeGroup("created_at", f.Created), f.Created.isSet())
	add(f.rangeGroup("updated_at", f.Updated), f.Updated.isSet())
	add(destinationGroup("provider", "s.team_id = ? AND ", []any{f.TeamID}, anys(f.Providers)), len(f.Providers) > 0)
	add(destinationGroup("social_account_id", "", nil, anys(f.SocialAccountIDs)), len(f.SocialAccountIDs) > 0)
	add(tagGroup(f.TagID), f.TagID != "")
	return append(groups, f.wordGroups()...)
}

// columnGroup is a list of allowed values of a column of posts.
func (f PostFilter) columnGroup(column string, values []any) group {
	allowed := column + " IN (" + marks(len(values)) + ")"
	return group{find: f.findPosts("p."+allowed, values), holds: condition{"p." + allowed, values}, column: "p." + column}
}

// rangeGroup is a range of a column of posts that holds a time.
func (f PostFilter) rangeGroup(column string, r TimeRange) group {
	var parts []string
	var args []any
	from := r.From
	if from == nil && column == "scheduled_at" { // posts that were never scheduled are in no range
		from = &crier.Time{Time: NeverScheduled.AddDate(0, 0, 1)}
	}
	if from != nil {
		parts, args = append(parts, "p."+column+" >= ?"), append(args, *from)
	}
	if r.To != nil {
		parts, args = append(parts, "p."+column+" < ?"), append(args, *r.To)
	}
	within := strings.Join(parts, " AND ")
	return group{find: f.findPosts(within, args), holds: condition{within, args}, column: "p." + column}
}

// findPosts reads the ids of posts of the team by a condition whose column has an index.
func (f PostFilter) findPosts(where string, args []any) condition {
	archived := make([]string, 0, 2)
	for _, a := range f.archived() {
		archived = append(archived, sqlBool(a))
	}
	return condition{
		"SELECT p.id AS post_id FROM posts p WHERE p.team_id = ? AND p.archived IN (" + strings.Join(archived, ", ") + ") AND p.deleted_at IS NULL AND " + where,
		append([]any{f.TeamID}, args...),
	}
}

// destinationGroup is posts with a scheduled post, not canceled, that has one of the values in a column.
func destinationGroup(column, scope string, scopeArgs, values []any) group {
	one := "s." + column + " IN (" + marks(len(values)) + ") AND s.status <> 'canceled'"
	return group{
		find:  condition{"SELECT s.post_id FROM scheduled_posts s WHERE " + scope + one, append(slices.Clone(scopeArgs), values...)},
		holds: condition{"EXISTS (SELECT 1 FROM scheduled_posts s WHERE s.post_id = p.id AND " + one + ")", values},
	}
}

func tagGroup(tag crier.ID) group {
	return group{
		find:  condition{"SELECT x.post_id FROM post_tags x WHERE x.tag_id = ?", []any{tag}},
		holds: condition{"EXISTS (SELECT 1 FROM post_tags x WHERE x.post_id = p.id AND x.tag_id = ?)", []any{tag}},
	}
}

// maxProbedWords bounds the words of a search by which posts are found: of many, the longest are the rarest.
const maxProbedWords = 8

// wordGroups are one group per word to find posts by; the condition on a post is one for all words.
func (f PostFilter) wordGroups() []group {
	longest := slices.SortedStableFunc(slices.Values(f.Words), func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	longest = longest[:min(len(longest), maxProbedWords)]
	groups := make([]group, len(longest))
	for i, word := range longest {
		groups[i].find = condition{"SELECT w.post_id FROM post_words w WHERE w.team_id = ? AND w.word = ?", []any{f.TeamID, word}}
	}
	if len(groups) > 0 {
		groups[0].holds = condition{
			"(SELECT count(*) FROM post_words w WHERE w.post_id = p.id AND w.word IN (" + marks(len(f.Words)) + ")) = ?",
			append(anys(f.Words), len(f.Words)),
		}
	}
	return groups
}

// archived are the parts of the indexes that the list reads.
func (f PostFilter) archived() []bool {
	switch asked := slices.Contains(f.Statuses, crier.PostArchived); {
	case !asked:
		return []bool{false}
	case len(f.Statuses) == 1:
		return []bool{true}
	}
	return []bool{false, true}
}

// driven reads the posts of a narrow group and checks them against the others. LIMIT tells the planner what the probe has
// found out: there are few.
func (f PostFilter) driven(narrow group, groups []group) branch {
	b := branch{
		from:  fmt.Sprintf("(SELECT DISTINCT post_id FROM (%s) AS found LIMIT %d) AS driver CROSS JOIN posts p", narrow.find.sql, probes[len(probes)-1]),
		where: "p.id = driver.post_id AND p.team_id = ? AND p.deleted_at IS NULL",
		args:  append(slices.Clone(narrow.find.args), f.TeamID),
	}
	if archived := f.archived(); len(archived) == 1 {
		b.where += " AND p.archived = " + sqlBool(archived[0])
	}
	for _, g := range groups {
		b.require(g.holds)
	}
	return b
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

// probes are the sizes up to which groups are counted, in turn: most narrow groups are found by the first, cheap look.
var probes = []int{256, 4096}

// narrowest finds the group with the fewest posts, if it is narrow at all.
func (r reads) narrowest(ctx context.Context, groups []group) (*group, error) {
	if len(groups) == 0 {
		return nil, nil
	}
	for _, limit := range probes {
		sizes, err := r.probe(ctx, groups, limit)
		if err != nil {
			return nil, err
		}
		smallest := slices.Min(sizes)
		if smallest < limit {
			return &groups[slices.Index(sizes, smallest)], nil
		}
	}
	return nil, nil
}

// probe counts the entries of each group, but none further than limit.
func (r reads) probe(ctx context.Context, groups []group, limit int) ([]int, error) {
	columns := make([]string, len(groups))
	var args []any
	for i, g := range groups {
		columns[i] = fmt.Sprintf("(SELECT count(*) FROM (%s LIMIT %d) AS entries)", bind(g.find.sql, len(args)), limit)
		args = append(args, g.find.args...)
	}
	sizes := make([]int, len(groups))
	targets := make([]any, len(groups))
	for i := range sizes {
		targets[i] = &sizes[i]
	}
	if err := r.q.QueryRowContext(ctx, "SELECT "+strings.Join(columns, ", "), args...).Scan(targets...); err != nil {
		return nil, fmt.Errorf("probe the filters: %w", err)
	}
	return sizes, nil
}

// marks writes ?, ?, … for n values.
func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

func sqlBool(b bool) string {
	if b {
		return "TRUE"
	}
	return "FALSE"
}
