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

// deliveryGroups filters posts by the states of their scheduled posts. States that no scheduled post has (unscheduled,
// partially_published) compare the post's own delivery state. So do the others, whose posts have a scheduled post in
// the state, except scheduled: the start of a call does not write the post, which says so until the call has ended.
//
// Archived and deleted posts keep their scheduled posts, and a repeated one has many, so a state may have far more
// scheduled posts than the team has listed posts that were ever scheduled. These are the alternative.
func (r reads) deliveryGroups(f PostFilter) []group {
	var statuses []crier.ScheduledPostStatus
	for _, state := range distinct(f.DeliveryStates) {
		statuses = append(statuses, deliveryPublications[state]...)
	}
	own := without(f.DeliveryStates, []crier.DeliveryState{crier.DeliveryScheduled})
	g := columnGroup(f, "delivery_state", own, crier.DeliveryStates())
	if len(statuses) == 0 {
		return []group{g}
	}
	held := heldByStatus(statuses)
	g.holds.sql = "(" + g.holds.sql + " OR p.delivery_state <> 'unscheduled' AND (" + held.sql + "))"
	g.holds.args = slices.Concat(g.holds.args, held.args)
	rest := among("p.delivery_state", without(crier.DeliveryStates(), own))
	g.others = f.findPosts(g.lead+rest.sql+" AND NOT "+g.holds.sql, slices.Concat(rest.args, g.holds.args))
	for _, found := range r.findByStatus(f.TeamID, statuses) {
		g.find.sql += " UNION ALL " + found.sql
		g.find.args = append(g.find.args, found.args...)
	}
	candidates := crier.DeliveryStates()
	if !slices.Contains(f.DeliveryStates, crier.DeliveryUnscheduled) {
		candidates = without(candidates, []crier.DeliveryState{crier.DeliveryUnscheduled})
	}
	scheduled := among("p.delivery_state", candidates)
	return []group{g, {find: f.findPosts(g.lead+scheduled.sql, scheduled.args), alternative: true}}
}

// byIndex splits statuses of scheduled posts: what is live and what has ended have an index each, problems a table.
func byIndex(statuses []crier.ScheduledPostStatus) (live, ended, problems []crier.ScheduledPostStatus) {
	for _, s := range statuses {
		switch {
		case isProblem(s):
			problems = append(problems, s)
		case s.Live():
			live = append(live, s)
		default:
			ended = append(ended, s)
		}
	}
	return live, ended, problems
}

// heldByStatus returns the condition that a post p has a scheduled post with one of some statuses. Problems are looked
// up among problems: a post that was repeated for years has many scheduled posts. The offset keeps PostgreSQL from
// reading the scheduled posts of all teams into a hash table instead.
func heldByStatus(statuses []crier.ScheduledPostStatus) (c condition) {
	live, ended, problems := byIndex(statuses)
	add := func(from, column string, statuses []crier.ScheduledPostStatus) {
		if len(statuses) == 0 {
			return
		}
		if c.sql != "" {
			c.sql += " OR "
		}
		is := among(column, statuses)
		c.sql, c.args = c.sql+"EXISTS (SELECT 1 FROM "+from+" AND "+is.sql+" LIMIT 1 OFFSET 0)",
			append(c.args, is.args...)
	}
	add("publications s WHERE s.post_id = p.id AND s.kind = 'post' AND NOT s.canceled", "s.status",
		slices.Concat(live, ended))
	add("publication_problems x WHERE x.team_id = p.team_id AND x.post_id = p.id AND "+
		"x.publication_id = x.scheduled_post_id", "x.status", problems)
	return c
}

// findByStatus returns queries that select the posts of scheduled posts by their status, each from an index that has
// little else. Without statistics SQLite would read all scheduled posts of the team.
func (r reads) findByStatus(team crier.ID, statuses []crier.ScheduledPostStatus) (queries []condition) {
	live, ended, problems := byIndex(statuses)
	find := func(index, class string, status crier.ScheduledPostStatus) {
		queries = append(queries, condition{"SELECT s.post_id FROM publications s" + r.indexed(index) +
			" WHERE s.team_id = ? AND s.kind = 'post' AND " + class + " AND s.status = ?", []any{team, status}})
	}
	begun := without(live, []crier.ScheduledPostStatus{crier.Scheduled})
	if len(begun) < len(live) {
		find("publications_waiting", classLive, crier.Scheduled)
	}
	if len(begun) > 0 {
		queries = append(queries, findBegun("post_id", team, begun, r.listCounts))
	}
	if len(ended) > 0 {
		find("publications_ended", classEnded, crier.Published)
	}
	if len(problems) > 0 {
		is := among("x.status", problems)
		queries = append(queries, condition{"SELECT x.post_id FROM publication_problems x WHERE x.team_id = ? AND " +
			is.sql + " AND x.publication_id = x.scheduled_post_id", append([]any{team}, is.args...)})
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

// everScheduled is the number of posts with a scheduled post that is not canceled.
func (n deliveryCounts) everScheduled() int64 {
	posts := -n.repeats["any"]
	for status, rows := range n.scheduled {
		if status != crier.Canceled {
			posts += rows
		}
	}
	return posts
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
		c.total = n.posts - n.everScheduled()
		c.found = c.total
		return &c, nil
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
	if ever := n.everScheduled(); ever < c.found { // the others are repeats, or of posts that are not listed
		c.narrow, c.found = 1, ever
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
	scheduled := r.deliveryGroups(f)[0].holds
	found := findBegun("post_id", f.TeamID, deliveryPublications[crier.DeliveryPublishing], r.listCounts)
	args := slices.Concat(found.args, scheduled.args)
	if err := r.q.QueryRowContext(ctx, bind("SELECT count(*) FROM (SELECT DISTINCT post_id FROM ("+found.sql+
		") AS begun) AS driver "+r.driven("posts", "p", "id", "driver.post_id")+
		" WHERE p.deleted_at IS NULL AND NOT p.archived AND NOT "+scheduled.sql, 0), args...).Scan(&posts); err != nil {
		return 0, fmt.Errorf("count what is being published: %w", err)
	}
	return posts, nil
}
