package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"crier"
)

// widest is the number of posts below which a group is selective.
const widest = 4096

// probes are the limits of counting groups, in turn: the first, cheap one finds most selective groups.
var probes = []int{256, widest}

// reading is how a list is read.
type reading struct {
	// narrow is the group whose posts are found and sorted; -1 walks the list.
	narrow int
	// limit is more than the number of posts that the group finds; 0 if none of them is listed.
	limit int64
	// total is the length of the list; nil unless the counts tell it.
	total *int64
}

// groupCount is what the counts tell about a list with a single filter.
type groupCount struct {
	// total is the length of the list.
	total int64
	// found is the number of rows that are read to find all of them, also those of archived and deleted posts.
	found int64
	// narrow is the group that finds these.
	narrow int
	// team is the number of posts that a walk passes at most.
	team int64
}

// selective decides how to read a list.
func (r reads) selective(ctx context.Context, f PostFilter, groups []group) (reading, error) {
	count, err := r.groupCount(ctx, f, groups)
	if err != nil {
		return reading{}, err
	}
	if count == nil {
		narrow, err := r.mostSelective(ctx, groups)
		return reading{narrow: narrow, limit: widest}, err
	}
	if count.isWalked() {
		return reading{narrow: -1, total: &count.total}, nil
	}
	if count.total == 0 && count.found > 0 {
		return reading{total: &count.total}, nil // nothing of what the group finds is listed
	}
	limit := int64(widest) // one of few values, so that SQLite need not compile a statement for each
	for limit < 2*count.found {
		limit *= 4
	}
	return reading{narrow: count.narrow, limit: limit, total: &count.total}, nil
}

// groupCount counts the posts of a list by a single word or by delivery states; nil if the counts do not tell.
func (r reads) groupCount(ctx context.Context, f PostFilter, groups []group) (*groupCount, error) {
	switch {
	case len(groups) == 1 && len(f.Words) == 1:
		total, posts, err := r.wordTotal(ctx, f.TeamID, f.Words[0])
		return &groupCount{total: total, found: total, team: posts}, err
	case isSingle(groups) && len(f.DeliveryStates) > 0:
		return r.deliveryCount(ctx, f)
	}
	return nil, nil
}

// walkedPosts weighs walking the list against finding and sorting all posts that match: the walk finds one of them
// every team / total posts.
const walkedPosts = 50

// isWalked reports whether walking the list costs less than finding and sorting its posts.
func (c groupCount) isWalked() bool {
	return c.total >= widest || c.found > c.team || c.found*c.total > walkedPosts*c.team
}

// mostSelective returns the index of the group with the fewest posts, or -1 if none is selective.
func (r reads) mostSelective(ctx context.Context, groups []group) (int, error) {
	if len(groups) == 0 {
		return -1, nil
	}
	for _, limit := range probes {
		sizes, err := r.probe(ctx, groups, limit)
		if err != nil {
			return -1, err
		}
		smallest := slices.Min(sizes)
		if smallest < limit {
			return slices.Index(sizes, smallest), nil
		}
	}
	return -1, nil
}

// probe counts the posts of each group up to limit.
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

// hit is a matching post.
type hit struct {
	id crier.ID
	// ahead is true if the post is on the page's side of the seek key.
	ahead bool
}

// selectivePage reads a page by a selective group: it finds and sorts all matches in one query, which also counts them,
// and then reads the rows of the page.
func (r reads) selectivePage(ctx context.Context, f PostFilter, groups []group, how reading,
	q PageQuery) (PageRows[*Post],
	int64, error) {
	var page PageRows[*Post]
	hits, err := r.hits(ctx, f, groups, how, q)
	if err != nil {
		return page, 0, err
	}
	ahead := 0
	for _, h := range hits {
		if h.ahead {
			ahead++
		}
	}
	from := len(hits) - ahead
	to := min(from+q.Limit, len(hits))
	if q.Backward {
		from, to = max(0, ahead-q.Limit), ahead
	}
	page.Before, page.After = from > 0, to < len(hits)
	if page.Rows, err = r.postsInOrder(ctx, hits[from:to]); err != nil || len(page.Rows) == 0 {
		return page, int64(len(hits)), err
	}
	page.First, page.Last = postKey(page.Rows[0], q.Sort), postKey(page.Rows[len(page.Rows)-1], q.Sort)
	return page, int64(len(hits)), nil
}

// hits finds the posts of a selective group that pass the other groups, in list order. LIMIT tells the planner that
// there are few.
func (r reads) hits(ctx context.Context, f PostFilter, groups []group, how reading, q PageQuery) ([]hit, error) {
	driver, b := f.driven(groups, how.narrow)
	column, ahead := postSorts[q.Sort], "TRUE"
	if q.Seek != nil {
		compare, _ := span{desc: q.Desc != q.Backward, inclusive: q.Inclusive}.order()
		ahead = fmt.Sprintf("(%s, p.id) %s ($%d, $%d)", column, compare, len(b.args)+1, len(b.args)+2)
		b.args = append(b.args, q.Seek.Value, q.Seek.ID)
	}
	_, direction := span{desc: q.Desc}.order()
	query := fmt.Sprintf("SELECT p.id, %s FROM (SELECT DISTINCT post_id FROM (%s) AS found LIMIT %d) AS driver %s "+
		"WHERE %s ORDER BY %s %s, p.id %s",
		ahead, bind(driver.sql, 0), how.limit, r.driven("posts", "p", "id", "driver.post_id"),
		bind(b.where, len(driver.args)), column, direction, direction)
	rows, err := r.q.QueryContext(ctx, query, b.args...)
	if err != nil {
		return nil, fmt.Errorf("find matches: %w", err)
	}
	return collect(rows, func(row scanner) (h hit, err error) { return h, row.Scan(&h.id, &h.ahead) })
}

// driven returns the query of a group and the condition for its posts that pass the other groups, as driver and posts
// p. The arguments of the condition start with those of the query.
func (f PostFilter) driven(groups []group, narrow int) (driver condition, b branch) {
	driver = groups[narrow].find
	b = branch{where: "p.team_id = ? AND p.deleted_at IS NULL",
		args: append(slices.Clone(driver.args), f.TeamID)}
	if archived := f.archived(); len(archived) == 1 {
		b.where += " AND p.archived = " + sqlBool(archived[0])
	}
	for i, g := range groups {
		if i != narrow || g.partial {
			b.require(g.holds)
		}
	}
	return driver, b
}

// postsInOrder reads posts in the order of hits. Posts that were deleted meanwhile are skipped.
func (r reads) postsInOrder(ctx context.Context, hits []hit) ([]*Post, error) {
	ids := make([]crier.ID, len(hits))
	for i, h := range hits {
		ids[i] = h.id
	}
	marks, args := inList(1, ids)
	rows, err := r.q.QueryContext(ctx,
		`SELECT `+postRowColumns+` FROM `+postRows+` WHERE p.id IN (`+marks+`) AND p.deleted_at IS NULL`,
		args...)
	if err != nil {
		return nil, fmt.Errorf("read posts: %w", err)
	}
	posts, err := collect(rows, (&postRow{}).scan)
	slices.SortFunc(posts, func(a, b *Post) int { return slices.Index(ids, a.ID) - slices.Index(ids, b.ID) })
	return posts, err
}
