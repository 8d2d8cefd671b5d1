package store_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

var (
	// usedIndex matches an index of the publications that a list shows, in a query plan.
	usedIndex = regexp.MustCompile(`(?m)^SEARCH s USING (?:COVERING )?INDEX (\w+)`)
	// sortsAll matches a plan that sorts all that it finds. Sorting by the last term only sorts the rows of one
	// instant, and what several indexes have for a page is sorted after that.
	sortsAll = regexp.MustCompile(`(?m)^SEARCH s .*\nUSE TEMP B-TREE FOR ORDER BY`)
)

// Each list of scheduled posts reads its own index in the order of time: it stops at the end of a page. SQLite plans
// without statistics here, as in a new installation.
func TestListsOfScheduledPostsReadTheirIndexes_sqlite(t *testing.T) {
	t.Parallel()
	f := storetest.NewFixture(t, databases.Fresh(t, store.SQLite).Open(t))
	f.Schedule(f.NewPost("waits"))
	sent := f.Schedule(f.NewPost("sent"))
	mustExec(t, f.Store, `UPDATE publications SET status = 'published' WHERE id = $1`, sent.ID)
	account, other := f.Account.ID, f.NewAccount(crier.ProviderLinkedIn).ID
	x := store.ScheduledPostFilter{Providers: []crier.Provider{crier.ProviderX}}
	for name, c := range map[string]struct {
		filter store.ScheduledPostFilter
		want   string
	}{
		"all":                  {want: "publications_ended publications_waiting"},
		"scheduled":            {statusFilter(crier.Scheduled), "publications_waiting"},
		"published":            {statusFilter(crier.Published), "publications_ended"},
		"canceled":             {statusFilter(crier.Canceled), "publications_canceled"},
		"network":              {x, "publications_of_provider"},
		"account":              {ofAccounts(store.ScheduledPostFilter{}, account), "publications_of_account"},
		"two accounts":         {ofAccounts(store.ScheduledPostFilter{}, account, other), "publications_of_account"},
		"scheduled on account": {ofAccounts(statusFilter(crier.Scheduled), account), "publications_occupied"},
		"published on account": {ofAccounts(statusFilter(crier.Published), account), "publications_of_account"},
	} {
		for _, desc := range []bool{false, true} {
			c.filter.TeamID = f.Team.ID
			used := usedIndexes(t, f.Store, fmt.Sprintf("%s, descending %t", name, desc), c.filter, desc)
			if used != c.want {
				t.Errorf("%s, descending %t: reads %s, want %s", name, desc, used, c.want)
			}
		}
	}
}

// usedIndexes returns the indexes that a page reads. It fails the test if the page sorts the whole list.
func usedIndexes(t *testing.T, s *store.Store, name string, f store.ScheduledPostFilter, desc bool) string {
	t.Helper()
	var used []string
	r := s.Recording(func(query string, args []any) {
		if !strings.Contains(query, "ORDER BY s.scheduled_at") {
			return
		}
		steps := plan(t, s, query, args...)
		read := usedIndex.FindAllStringSubmatch(steps, -1)
		for _, found := range read {
			used = append(used, found[1])
		}
		if len(read) == 0 || sortsAll.MatchString(steps) {
			t.Errorf("%s:\n%s", name, steps)
		}
	})
	q := store.PageQuery{Sort: "scheduledAt", Limit: 1, Desc: desc}
	if _, _, err := r.ScheduledPostPage(context.Background(), f, q); err != nil {
		t.Fatal(err)
	}
	slices.Sort(used)
	return strings.Join(slices.Compact(used), " ")
}

func statusFilter(s crier.ScheduledPostStatus) store.ScheduledPostFilter {
	return store.ScheduledPostFilter{Statuses: []crier.ScheduledPostStatus{s}}
}

func ofAccounts(f store.ScheduledPostFilter, accounts ...crier.ID) store.ScheduledPostFilter {
	f.SocialAccountIDs = accounts
	return f
}
