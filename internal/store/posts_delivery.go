package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"crier"
)

// deliveryPublications maps delivery states to the states of scheduled posts that match them. A post is found by each
// of its scheduled posts, so that a failed account is not hidden by a pending one.
var deliveryPublications = map[crier.DeliveryState][]crier.ScheduledPostStatus{
	crier.DeliveryScheduled: {crier.Scheduled}, crier.DeliveryPublishing: {crier.Publishing, crier.Processing},
	crier.DeliveryPublished: {crier.Published}, crier.DeliveryFailed: {crier.Failed},
	crier.DeliveryMissed: {crier.Missed}, crier.DeliveryUnknown: {crier.Unknown},
}

// deliveryGroup filters posts by the states of their scheduled posts. States that no scheduled post has (unscheduled,
// partially_published) compare the post's own delivery state. counts selects the counts of a list, see listCounts.
func (f PostFilter) deliveryGroup(counts string) group {
	var statuses []crier.ScheduledPostStatus
	for _, state := range f.DeliveryStates {
		statuses = append(statuses, deliveryPublications[state]...)
	}
	g := columnGroup(f, "delivery_state", f.DeliveryStates, crier.DeliveryStates())
	if len(statuses) == 0 {
		return g
	}
	g.holds.sql = "(" + g.holds.sql + " OR p.delivery_state <> 'unscheduled' AND EXISTS (SELECT 1 " +
		"FROM publications s WHERE s.post_id = p.id AND s.kind = 'post' AND NOT s.canceled AND s.status IN (" +
		marks(len(statuses)) + ")))"
	g.holds.args = append(slices.Clone(g.holds.args), anys(statuses)...)
	rest := among("p.delivery_state", without(crier.DeliveryStates(), f.DeliveryStates))
	g.others = f.findPosts(g.lead+rest.sql+" AND NOT "+g.holds.sql, slices.Concat(rest.args, g.holds.args))
	for _, found := range f.findByStatus(statuses, counts) {
		g.find.sql += " UNION ALL " + found.sql
		g.find.args = append(g.find.args, found.args...)
	}
	return g
}

// findByStatus returns queries that select the posts of scheduled posts by their status, each from an index that has
// little else.
func (f PostFilter) findByStatus(statuses []crier.ScheduledPostStatus, counts string) (queries []condition) {
	var begun, problems []crier.ScheduledPostStatus
	for _, s := range statuses {
		switch s {
		case crier.Publishing, crier.Processing:
			begun = append(begun, s)
		case crier.Failed, crier.Missed, crier.Unknown:
			problems = append(problems, s)
		default:
			queries = append(queries, condition{"SELECT s.post_id FROM publications s WHERE s.team_id = ? AND " +
				"s.kind = 'post' AND " + classOf(s) + " AND s.status = ?", []any{f.TeamID, s}})
		}
	}
	if len(begun) > 0 {
		queries = append(queries, findBegun("post_id", f.TeamID, begun, counts))
	}
	if len(problems) > 0 {
		is := among("x.status", problems)
		queries = append(queries, condition{"SELECT x.post_id FROM publication_problems x WHERE x.team_id = ? AND " +
			is.sql + " AND x.publication_id = x.scheduled_post_id", append([]any{f.TeamID}, is.args...)})
	}
	return queries
}

// findBegun selects a column of the team's scheduled posts that are being published. They are due, so they come before
// what waits; the counts tell when all of them are found.
func findBegun(column string, team crier.ID, statuses []crier.ScheduledPostStatus, counts string) condition {
	// PostgreSQL would expect to read all rows with the status and sort them.
	is := among(hide("s.status", "s.status"), statuses)
	counted := make([]string, len(statuses))
	for i, s := range statuses {
		counted[i] = "counts.value LIKE '% " + string(s) + "'"
	}
	counts = strings.NewReplacer("$1", "?", "$2", "'"+string(countedScheduledPosts)+"'").Replace(counts)
	c := condition{"SELECT found." + column + " FROM (SELECT s.id, s.post_id FROM publications s WHERE s.team_id = ? " +
		"AND s.kind = 'post' AND s.live AND " + is.sql + " ORDER BY s.scheduled_at, s.id LIMIT (" +
		"SELECT CAST(coalesce(sum(counts.n), 0) AS bigint) FROM (" + counts + ") AS counts WHERE " +
		strings.Join(counted, " OR ") + ")) AS found", append([]any{team}, is.args...)}
	for range strings.Count(counts, "?") {
		c.args = append(c.args, team)
	}
	return c
}

// deliveryCounts are the scheduled posts of a team by status, and the repeats among them, see repeatsByState.
type deliveryCounts struct {
	posts     int64
	scheduled map[crier.ScheduledPostStatus]int64
	repeats   map[string]int64
}

func (r reads) deliveryCounts(ctx context.Context, team crier.ID) (deliveryCounts, error) {
	n := deliveryCounts{scheduled: map[crier.ScheduledPostStatus]int64{}, repeats: map[string]int64{}}
	err := r.q.Ask(ctx,
		newQuestion(`SELECT `+r.postCount, []any{team}, func(row scanner) error { return row.Scan(&n.posts) }),
		r.countQuestion(team, countedScheduledPosts, func(values []string, rows int64) {
			n.scheduled[crier.ScheduledPostStatus(values[2])] += rows
		}),
		r.countQuestion(team, repeatsByState, func(values []string, rows int64) { n.repeats[values[0]] += rows }))
	if err != nil {
		return n, fmt.Errorf("count scheduled posts: %w", err)
	}
	return n, nil
}

// begun is the number of scheduled posts that are being published.
func (n deliveryCounts) begun() int64 {
	return n.scheduled[crier.Publishing] + n.scheduled[crier.Processing]
}

// pending is the number of posts with a scheduled post that waits or is being published.
func (n deliveryCounts) pending() int64 {
	return n.scheduled[crier.Scheduled] + n.begun() - n.repeats["pending"]
}

// unscheduled is the number of posts of which all scheduled posts are canceled.
func (n deliveryCounts) unscheduled() int64 {
	all := -n.repeats["any"]
	for status, rows := range n.scheduled {
		if status != crier.Canceled {
			all += rows
		}
	}
	return n.posts - all
}

// deliveryCount counts the posts in the delivery states of a filter; nil if the counts do not tell.
func (r reads) deliveryCount(ctx context.Context, f PostFilter) (*groupCount, error) {
	n, err := r.deliveryCounts(ctx, f.TeamID)
	if err != nil {
		return nil, err
	}
	c := groupCount{team: n.posts}
	switch states := distinct(f.DeliveryStates); {
	case slices.Equal(states, []crier.DeliveryState{crier.DeliveryPublishing, crier.DeliveryScheduled}):
		c.total = n.pending()
	case len(states) > 1:
		return nil, nil
	case states[0] == crier.DeliveryUnscheduled:
		c.total = n.unscheduled()
	case states[0] == crier.DeliveryScheduled:
		begun, err := r.begunAlone(ctx, f, n.begun())
		if err != nil {
			return nil, err
		}
		c.total = n.pending() - begun
	case states[0] == crier.DeliveryPublishing || len(deliveryPublications[states[0]]) == 0:
		return nil, nil
	default:
		c.total = n.scheduled[crier.ScheduledPostStatus(states[0])] - n.repeats[string(states[0])]
	}
	for _, state := range f.DeliveryStates {
		for _, s := range deliveryPublications[state] {
			c.found += n.scheduled[s]
		}
	}
	c.found = max(c.found, c.total)
	return &c, nil
}

// begunAlone counts the posts that are pending but not scheduled: all of their pending scheduled posts are being
// published, which are begun in the team.
func (r reads) begunAlone(ctx context.Context, f PostFilter, begun int64) (posts int64, err error) {
	if begun == 0 {
		return 0, nil
	}
	f.DeliveryStates = []crier.DeliveryState{crier.DeliveryScheduled}
	scheduled := f.deliveryGroup(r.listCounts).holds
	found := findBegun("post_id", f.TeamID, deliveryPublications[crier.DeliveryPublishing], r.listCounts)
	args := slices.Concat(found.args, scheduled.args)
	if err := r.q.QueryRowContext(ctx, bind("SELECT count(*) FROM (SELECT DISTINCT post_id FROM ("+found.sql+
		") AS begun) AS driver "+r.driven("posts", "p", "id", "driver.post_id")+
		" WHERE p.deleted_at IS NULL AND NOT p.archived AND NOT "+scheduled.sql, 0), args...).Scan(&posts); err != nil {
		return 0, fmt.Errorf("count what is being published: %w", err)
	}
	return posts, nil
}
