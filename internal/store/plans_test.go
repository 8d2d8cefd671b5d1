package store_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// The triggers that count look up the publications of each post. Without statistics, PostgreSQL may choose an index of
// all publications that ends with the post, and read all of it each time.
func TestCountingReadsNoWholeIndex_postgres(t *testing.T) {
	t.Parallel()
	const copies = 4000
	f := storetest.NewFixture(t, databases.Fresh(t, store.Postgres).Open(t))
	post := f.NewPost("post")
	f.Schedule(post, at(f.Now, crier.Published))
	copyPosts(t, f, post.ID, copies)
	mustExec(t, f.Store, `UPDATE posts SET status = 'archived'`)
	// Pages are reported within a second or two. Inserting a row reads two or three of each index.
	pages := int64(0)
	for deadline, updated := time.Now().Add(time.Minute), int64(0); updated < copies; {
		if time.Now().After(deadline) {
			t.Fatal("PostgreSQL does not report what was read")
		}
		mustExec(t, f.Store, `SELECT pg_sleep(0.1)`)
		updated = f.Scan(`SELECT n_tup_upd FROM pg_stat_user_tables WHERE relname = 'posts'`)
		pages = f.Scan(`SELECT coalesce(sum(idx_blks_hit + idx_blks_read), 0)::bigint FROM pg_statio_user_indexes
			WHERE indexrelname IN ('publications_of_account', 'publications_of_provider')`)
	}
	if pages > 10*copies {
		t.Errorf("%d pages of indexes were read for %d posts", pages, copies)
	}
}

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

// searched matches an index that leads to the posts of a list by delivery state, in a query plan.
var searched = regexp.MustCompile(`(?m)^SEARCH [sx] USING (?:COVERING )?INDEX (.*)`)

// A list by delivery state reads what is in the state, without what waits or has ended otherwise. If archived posts
// have much in the state, it reads the listed posts that were ever scheduled, and looks each of them up.
func TestListsByDeliveryStateReadTheirIndexes_sqlite(t *testing.T) {
	t.Parallel()
	f := storetest.NewFixture(t, databases.Fresh(t, store.SQLite).Open(t))
	posts := map[crier.ScheduledPostStatus]store.Post{}
	for _, status := range []crier.ScheduledPostStatus{crier.Scheduled, crier.Publishing, crier.Published,
		crier.Failed} {
		posts[status] = f.NewPost("post")
		f.Schedule(posts[status], at(f.Now, status))
	}
	check := func(want map[crier.DeliveryState]string) {
		t.Helper()
		for state, index := range want {
			var used []string
			r := f.Recording(func(query string, args []any) {
				if strings.Contains(query, "ORDER BY p.created_at") {
					for _, found := range searched.FindAllStringSubmatch(plan(t, f.Store, query, args...), -1) {
						used = append(used, found[1])
					}
				}
			})
			_, total, err := r.Posts(t.Context(), store.PostFilter{TeamID: f.Team.ID,
				DeliveryStates: []crier.DeliveryState{state}}, store.PageQuery{Sort: "createdAt", Limit: 1}, false)
			if err != nil || total.Count != 1 || !slices.Equal(used, []string{index}) {
				t.Errorf("%s: %d posts by %q, %v; want %s", state, total.Count, used, err, index)
			}
		}
	}
	check(map[crier.DeliveryState]string{
		crier.DeliveryScheduled:  "publications_waiting (team_id=?)",
		crier.DeliveryPublishing: "publications_waiting (team_id=?)",
		crier.DeliveryPublished:  "publications_ended (team_id=?)",
		crier.DeliveryFailed:     "publication_problems_by_status (team_id=? AND status=?)",
	})
	for _, post := range posts {
		copyPosts(t, f, post.ID, 10)
		mustExec(t, f.Store, `UPDATE posts SET status = 'archived' WHERE content_payload_id = $1 AND id <> $2`,
			post.ContentPayloadID, post.ID)
	}
	check(map[crier.DeliveryState]string{
		crier.DeliveryScheduled:  "publications_by_post (post_id=?)",
		crier.DeliveryPublishing: "publications_by_post (post_id=?)",
		crier.DeliveryPublished:  "publications_by_post (post_id=?)",
		crier.DeliveryFailed:     "publication_problems_by_status (team_id=? AND status=? AND post_id=?)",
	})
}

// A walk looks up each post that it passes. A hash table of the scheduled posts in the state would be one of all teams.
func TestWalksByDeliveryStateReadNoOtherPosts_postgres(t *testing.T) {
	t.Parallel()
	f := storetest.NewFixture(t, databases.Fresh(t, store.Postgres).Open(t))
	f.Schedule(f.NewPost("post"), at(f.Now, crier.Published))
	copyPosts(t, f, f.NewPost("draft").ID, 5000)
	mustExec(t, f.Store, `ANALYZE`)
	walks := 0
	r := f.Recording(func(query string, args []any) {
		if !strings.Contains(query, "ORDER BY p.created_at") {
			return
		}
		walks++
		if steps := plan(t, f.Store, query, args...); strings.Contains(steps, "hashed") {
			t.Error(steps)
		}
	})
	_, total, err := r.Posts(t.Context(), store.PostFilter{TeamID: f.Team.ID, DeliveryStates: []crier.DeliveryState{
		crier.DeliveryPublished, crier.DeliveryUnscheduled}}, store.PageQuery{Sort: "createdAt", Limit: 25}, false)
	if err != nil || total.Count != 5002 || walks != 1 {
		t.Errorf("%+v posts by %d walks, %v", total, walks, err)
	}
}
