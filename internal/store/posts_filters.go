package store

import (
	"cmp"
	"slices"
	"strings"

	"crier"
)

// group is one filter, in the two forms that it can take.
type group struct {
	// find reads the ids of the posts that pass it, from its own index.
	find condition
	// holds is true of a post p that passes it.
	holds condition
	// partial is true when holds asks for more than find has found.
	partial bool
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
	one := "s." + column + " IN (" + marks(len(values)) + ") AND NOT s.canceled"
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

// wordGroups are one group per word to find posts by; the condition on a post is one for all words, with the first.
func (f PostFilter) wordGroups() []group {
	longest := slices.SortedStableFunc(slices.Values(f.Words), func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	longest = longest[:min(len(longest), maxProbedWords)]
	groups := make([]group, len(longest))
	for i, word := range longest {
		groups[i].find = condition{"SELECT w.post_id FROM post_words w WHERE w.team_id = ? AND w.word = ?", []any{f.TeamID, word}}
	}
	if len(groups) > 0 {
		groups[0].partial = len(f.Words) > 1
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

// marks writes ?, ?, … for n values.
func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

func sqlBool(b bool) string {
	if b {
		return "TRUE"
	}
	return "FALSE"
}
