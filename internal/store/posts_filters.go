package store

import (
	"cmp"
	"slices"
	"strings"

	"crier"
)

// group is a filter in two forms.
type group struct {
	// find selects the ids of the posts that pass, from its own index.
	find condition
	// holds is the condition on a post p.
	holds condition
	// partial is true if holds requires more than find does.
	partial bool
	// column is the indexed column that holds tests, if any.
	column string
	// lead is true for every post and names the columns that precede column in its index.
	lead string
	// alternative is true if the group is no filter, but another way to find the posts of the one before it, and more.
	alternative bool
	// others selects the posts of the team that do not pass, from an index; empty if there is no such query.
	others condition
}

// condition is SQL with ? for its parameters.
type condition struct {
	sql  string
	args []any
}

// groups returns the filters that are set.
func (r reads) groups(f PostFilter) []group {
	var groups []group
	add := func(g group, set bool) {
		if set {
			groups = append(groups, g)
		}
	}
	add(columnGroup(f, "status", f.Statuses, crier.PostStatuses()), len(f.Statuses) > 0)
	if len(f.DeliveryStates) > 0 {
		groups = append(groups, r.deliveryGroups(f)...)
	}
	add(columnGroup(f, "post_type", f.PostTypes, crier.PostTypes()), len(f.PostTypes) > 0)
	add(columnGroup(f, "save_destination", []string{f.SaveDestination},
		[]string{crier.SavedToDrafts, crier.SavedToQueue}), f.SaveDestination != "")
	add(f.rangeGroup("scheduled_at", f.Scheduled), f.Scheduled.isSet())
	add(f.rangeGroup("created_at", f.Created), f.Created.isSet())
	add(f.rangeGroup("updated_at", f.Updated), f.Updated.isSet())
	add(f.destinationGroup("provider", anys(f.Providers)), len(f.Providers) > 0)
	add(f.destinationGroup("social_account_id", anys(f.SocialAccountIDs)), len(f.SocialAccountIDs) > 0)
	add(tagGroup(f.TagID), f.TagID != "")
	add(assetGroup(f.AssetID), f.AssetID != "")
	return append(groups, f.wordGroups(r.position)...)
}

// isSingle reports whether the groups are those of a single filter.
func isSingle(groups []group) bool {
	return len(groups) == 1 || len(groups) == 2 && groups[1].alternative
}

// columnGroup filters a column of posts by some of its values.
func columnGroup[T comparable](f PostFilter, column string, values, all []T) group {
	lead := leads[column]
	column = "p." + column
	passes, rest := among(column, values), among(column, without(all, values))
	return group{find: f.findPosts(lead+passes.sql, passes.args), holds: passes, column: column, lead: lead,
		others: f.findPosts(lead+rest.sql, rest.args)}
}

// leads are conditions that all posts meet. Filters by type, delivery state and destination share the index
// posts_by_state, because every further index is written with every post: a filter by a later column of the index lists
// all values of the earlier ones, and reads a range of the index for each of their combinations.
var leads = map[string]string{
	"delivery_state":   oneOf("p.post_type", crier.PostTypes()),
	"save_destination": oneOf("p.post_type", crier.PostTypes()) + oneOf("p.delivery_state", crier.DeliveryStates()),
}

// oneOf returns the beginning of a condition: a column has one of some values, which are identifiers.
func oneOf[T ~string](column string, values []T) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = "'" + string(v) + "'"
	}
	return column + " IN (" + strings.Join(quoted, ", ") + ") AND "
}

// among returns the condition that a column has one of some values.
func among[T any](column string, values []T) condition {
	if len(values) == 0 {
		return condition{sql: "FALSE"}
	}
	return condition{column + " IN (" + marks(len(values)) + ")", anys(values)}
}

// without returns the elements of a list that are not in another.
func without[T comparable](list, other []T) []T {
	return slices.DeleteFunc(slices.Clone(list), func(v T) bool { return slices.Contains(other, v) })
}

// rangeGroup filters a time column of posts by a range.
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
	return group{find: f.findPosts(within, args), holds: condition{within, args}, column: "p." + column,
		others: f.findOutside("p."+column, from, r.To)}
}

// findOutside selects the ids of the team's posts before and after a range; either end may be nil.
func (f PostFilter) findOutside(column string, from, to *crier.Time) condition {
	before, after := condition{sql: "FALSE"}, condition{sql: "FALSE"}
	if from != nil {
		before = condition{column + " < ?", []any{*from}}
	}
	if to != nil {
		after = condition{column + " >= ?", []any{*to}}
	}
	first, second := f.findPosts(before.sql, before.args), f.findPosts(after.sql, after.args)
	return condition{first.sql + " UNION ALL " + second.sql, append(first.args, second.args...)}
}

// findPosts selects the ids of the team's posts by a condition on an indexed column.
func (f PostFilter) findPosts(where string, args []any) condition {
	archived := make([]string, 0, 2)
	for _, a := range f.archived() {
		archived = append(archived, sqlBool(a))
	}
	return condition{
		"SELECT p.id AS post_id FROM posts p WHERE p.team_id = ? AND p.archived IN (" + strings.Join(archived, ", ") +
			") AND p.deleted_at IS NULL AND " + where,
		append([]any{f.TeamID}, args...),
	}
}

// destinationGroup filters posts by a column of their publications, including canceled ones.
func (f PostFilter) destinationGroup(column string, values []any) group {
	one := "s." + column + " IN (" + marks(len(values)) + ") AND s.kind = 'post'"
	return group{
		find: condition{"SELECT s.post_id FROM publications s WHERE s.team_id = ? AND " + one,
			append([]any{f.TeamID}, values...)},
		holds: condition{"EXISTS (SELECT 1 FROM publications s WHERE s.post_id = p.id AND " + one + ")", values},
	}
}

func tagGroup(tag crier.ID) group {
	return group{
		find:  condition{"SELECT x.post_id FROM post_tags x WHERE x.tag_id = ?", []any{tag}},
		holds: condition{"EXISTS (SELECT 1 FROM post_tags x WHERE x.post_id = p.id AND x.tag_id = ?)", []any{tag}},
	}
}

func assetGroup(asset crier.ID) group {
	return group{
		find: condition{"SELECT x.post_id FROM post_assets x WHERE x.asset_id = ?", []any{asset}},
		holds: condition{"EXISTS (SELECT 1 FROM post_assets x WHERE x.post_id = p.id AND x.asset_id = ?)",
			[]any{asset}},
	}
}

// maxProbedWords limits the words of a search that are probed. Of many words, the longest are the rarest.
const maxProbedWords = 8

// wordGroups returns one group per probed word. The first one carries the condition for all words. The index may be
// outdated for a post with a row in post_changes, so every post that is found is checked.
func (f PostFilter) wordGroups(position string) []group {
	longest := slices.SortedStableFunc(slices.Values(f.Words),
		func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	longest = longest[:min(len(longest), maxProbedWords)]
	groups := make([]group, len(longest))
	for i, word := range longest {
		spellings := []any{word}
		if slices.Contains(f.archived(), true) {
			spellings = append(spellings, archivedMark+word)
		}
		groups[i].find = condition{"SELECT w.post_id FROM post_words w WHERE w.team_id = ? AND w.word IN (" +
			marks(len(spellings)) + ") UNION ALL SELECT x.post_id FROM post_changes x WHERE x.team_id = ? AND " +
			position + "(x.words, ?) > 0",
			slices.Concat([]any{f.TeamID}, spellings, []any{f.TeamID, wordList([]string{word})})}
	}
	if len(groups) > 0 {
		groups[0].partial, groups[0].holds = true, f.holdsWords(position)
	}
	return groups
}

// holdsWords returns the condition that a post has all words, according to its row in post_changes if there is one.
func (f PostFilter) holdsWords(position string) condition {
	waits := make([]string, len(f.Words))
	var args, spellings []any
	for i, word := range f.Words {
		waits[i], args = position+"(x.words, ?) > 0", append(args, wordList([]string{word}))
		spellings = append(spellings, word, archivedMark+word)
	}
	return condition{
		"coalesce((SELECT " + strings.Join(waits, " AND ") +
			" FROM post_changes x WHERE x.team_id = p.team_id AND x.post_id = p.id), (SELECT count(*) " +
			"FROM post_words w WHERE w.post_id = p.id AND w.word IN (" +
			marks(len(spellings)) + ")) = ?)",
		slices.Concat(args, spellings, []any{len(f.Words)}),
	}
}

// archived returns the values of the archived column that the list includes.
func (f PostFilter) archived() []bool {
	switch asked := slices.Contains(f.Statuses, crier.PostArchived); {
	case !asked:
		return []bool{false}
	case len(f.Statuses) == 1:
		return []bool{true}
	}
	return []bool{false, true}
}

// marks returns ?, ?, … for n values.
func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

func sqlBool(b bool) string {
	if b {
		return "TRUE"
	}
	return "FALSE"
}
