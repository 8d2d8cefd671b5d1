package store_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// walk reads a list page by page, forwards and then backwards, and returns the ids in order.
func walk[T any](t *testing.T, id func(T) crier.ID, q store.PageQuery,
	read func(store.PageQuery) (store.PageRows[T], error)) []crier.ID {
	t.Helper()
	var forward, backward []crier.ID
	var last store.Key
	for q.Seek = nil; ; q.Seek = &last {
		page, err := read(q)
		if err != nil {
			t.Fatal(err)
		}
		if page.Before != (len(forward) > 0) {
			t.Errorf("after %d rows: rows before: %v", len(forward), page.Before)
		}
		for _, row := range page.Rows {
			forward = append(forward, id(row))
		}
		if last = page.Last; !page.After {
			break
		}
	}
	if len(forward) == 0 {
		return forward
	}
	q.Seek, q.Backward, q.Inclusive = &last, true, true
	for more := true; more; q.Inclusive = false {
		page, err := read(q)
		if err != nil {
			t.Fatal(err)
		}
		var ids []crier.ID
		for _, row := range page.Rows {
			ids = append(ids, id(row))
		}
		backward = append(ids, backward...)
		q.Seek, more = &page.First, page.Before
	}
	if !slices.Equal(forward, backward) {
		t.Errorf("sorted by %s, backwards it is\n%v, forwards\n%v", q.Sort, backward, forward)
	}
	return forward
}

// listed is a post with the fields that lists filter by, to compute the expected results.
type listed struct {
	store.Post
	networks []crier.Provider
	accounts []crier.ID
	tagged   bool
	words    []string
}

// fillPosts creates posts that differ in everything that lists filter and sort by.
func fillPosts(t *testing.T, f *storetest.Fixture, n int) (posts []listed, tag crier.Tag) {
	t.Helper()
	tag = crier.Tag{ID: crier.NewID(), TeamID: f.Team.ID, Name: "Launch", Colour: "#000000", CreatedAt: f.Now,
		UpdatedAt: f.Now}
	threads := f.NewAccount(crier.ProviderThreads)
	f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertTag(ctx, tag, "launch") })
	statuses := []crier.PostStatus{crier.PostDraft, crier.PostIdea, crier.PostApproved, crier.PostArchived}
	for i := range n {
		p := listed{words: []string{"all", fmt.Sprintf("w%d", i%4)}}
		p.Post = f.NewPost(strings.Join(p.words, " "), func(p *store.Post) {
			p.CreatedAt = f.After(time.Duration(i%9) * time.Minute)
			p.Status, p.PostType = statuses[i%4], crier.PostTypes()[i%3]
			if i%5 > 0 {
				title := fmt.Sprintf("Title %d", i%7)
				p.Title = &title
			}
		})
		p.UpdatedAt = p.CreatedAt
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			if i%6 == 0 {
				p.tagged = true
				has, _, err := tx.LockPostTags(ctx, f.Team.ID, p.ID, []crier.ID{tag.ID})
				if err != nil {
					return err
				}
				if _, err := tx.ReplacePostTags(ctx, p.ID, has, []crier.ID{tag.ID}); err != nil {
					return err
				}
			}
			return tx.ReplaceWords(ctx, f.Team.ID, p.ID, p.words)
		})
		for k, account := range []store.Account{f.Account, threads} {
			if i%3 == k {
				p.ScheduledAt = f.After(time.Duration(i%4+1) * time.Hour)
				f.Follow(f.Schedule(p.Post, func(row *store.Publication) {
					row.SocialAccountID, row.Provider, row.ScheduledAt = account.ID, account.Provider, p.ScheduledAt
				}), store.FirstComment)
				p.networks, p.accounts = append(p.networks, account.Provider), append(p.accounts, account.ID)
				p.SaveDestination, p.DeliveryState = crier.SavedToQueue, crier.DeliveryScheduled
			}
		}
		if len(p.networks) == 0 {
			p.SaveDestination, p.DeliveryState = crier.SavedToDrafts, crier.DeliveryUnscheduled
		}
		posts = append(posts, p)
	}
	return posts, tag
}

// shows reports whether a list should contain the post: the same rules, in Go.
func shows(f store.PostFilter, p listed, tag crier.ID) bool {
	in := func(r store.TimeRange, at crier.Time) bool {
		return (r.From == nil || !at.Before(r.From.Time)) && (r.To == nil || at.Before(r.To.Time))
	}
	archived := slices.Contains(f.Statuses, crier.PostArchived)
	ranged := f.Scheduled.From != nil || f.Scheduled.To != nil
	overlap := func(a []crier.Provider, b []crier.Provider) bool {
		return slices.ContainsFunc(a, func(x crier.Provider) bool { return slices.Contains(b, x) })
	}
	return (p.Status != crier.PostArchived || archived) &&
		(len(f.Statuses) == 0 || slices.Contains(f.Statuses, p.Status)) &&
		(len(f.DeliveryStates) == 0 || slices.Contains(f.DeliveryStates, p.DeliveryState)) &&
		(len(f.PostTypes) == 0 || slices.Contains(f.PostTypes, p.PostType)) &&
		(len(f.Providers) == 0 || overlap(f.Providers, p.networks)) &&
		(len(f.SocialAccountIDs) == 0 || slices.ContainsFunc(f.SocialAccountIDs,
			func(a crier.ID) bool { return slices.Contains(p.accounts, a) })) &&
		(f.SaveDestination == "" || f.SaveDestination == p.SaveDestination) &&
		(f.TagID == "" || f.TagID == tag && p.tagged) &&
		!slices.ContainsFunc(f.Words, func(w string) bool { return !slices.Contains(p.words, w) }) &&
		(!ranged || !p.ScheduledAt.IsZero() && in(f.Scheduled, p.ScheduledAt)) &&
		in(f.Created, p.CreatedAt) && in(f.Updated, p.UpdatedAt)
}

func titleOf(p listed) string {
	if p.Title == nil {
		return ""
	}
	return *p.Title
}

// postOrders are the sorts of posts, in Go.
var postOrders = map[string]func(a, b listed) int{
	"createdAt":   func(a, b listed) int { return a.CreatedAt.Compare(b.CreatedAt.Time) },
	"updatedAt":   func(a, b listed) int { return a.UpdatedAt.Compare(b.UpdatedAt.Time) },
	"title":       func(a, b listed) int { return cmp.Compare(titleOf(a), titleOf(b)) },
	"status":      func(a, b listed) int { return cmp.Compare(a.Status, b.Status) },
	"scheduledAt": func(a, b listed) int { return a.ScheduledAt.Compare(b.ScheduledAt.Time) },
}

// expected returns the posts that a list should contain, in its order.
func expected(posts []listed, f store.PostFilter, tag crier.ID, q store.PageQuery) []crier.ID {
	var kept []listed
	for _, p := range posts {
		if shows(f, p, tag) {
			kept = append(kept, p)
		}
	}
	slices.SortFunc(kept, func(a, b listed) int {
		c := cmp.Or(postOrders[q.Sort](a, b), cmp.Compare(a.ID, b.ID))
		if q.Desc {
			return -c
		}
		return c
	})
	ids := make([]crier.ID, len(kept))
	for i, p := range kept {
		ids[i] = p.ID
	}
	return ids
}

func TestPostListFiltersInEverySortOrder(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		posts, tag := fillPosts(t, f, 60)
		f.Tx(func(ctx context.Context, tx *store.Tx) error { // a deleted one is in no list
			return tx.DeletePost(ctx, posts[59].ID, f.Now)
		})
		posts = posts[:59]
		from, to := f.After(2*time.Minute), f.After(3*time.Hour)
		filters := map[string]store.PostFilter{
			"none":         {},
			"status":       {Statuses: []crier.PostStatus{crier.PostDraft, crier.PostApproved}},
			"archived":     {Statuses: []crier.PostStatus{crier.PostArchived}},
			"archived too": {Statuses: []crier.PostStatus{crier.PostArchived, crier.PostIdea}},
			"delivery":     {DeliveryStates: []crier.DeliveryState{crier.DeliveryScheduled}},
			"deliveries": {DeliveryStates: []crier.DeliveryState{crier.DeliveryUnscheduled,
				crier.DeliveryScheduled}},
			"type":           {PostTypes: []crier.PostType{crier.TextImage}},
			"network":        {Providers: []crier.Provider{crier.ProviderThreads}},
			"account":        {SocialAccountIDs: []crier.ID{f.Account.ID}},
			"destination":    {SaveDestination: crier.SavedToDrafts},
			"tag":            {TagID: tag.ID},
			"another tag":    {TagID: crier.NewID()},
			"word":           {Words: []string{"w2"}},
			"words":          {Words: []string{"all", "w1"}},
			"words of none":  {Words: []string{"w1", "w2"}},
			"scheduled to":   {Scheduled: store.TimeRange{To: &to}},
			"scheduled from": {Scheduled: store.TimeRange{From: &to}},
			"created":        {Created: store.TimeRange{From: &from, To: &to}},
			"updated":        {Updated: store.TimeRange{To: &from}},
			"several": {Words: []string{"all"}, Providers: []crier.Provider{"x"}, TagID: tag.ID,
				Statuses: []crier.PostStatus{crier.PostDraft, crier.PostArchived}},
		}
		for name, filter := range filters {
			filter.TeamID = f.Team.ID
			for sort := range postOrders {
				for _, desc := range []bool{false, true} {
					q := store.PageQuery{Sort: sort, Desc: desc, Limit: 11}
					var total store.Total
					got := walk(t, func(p *store.Post) crier.ID { return p.ID }, q,
						func(q store.PageQuery) (page store.PageRows[*store.Post], err error) {
							page, total, err = f.Posts(context.Background(), filter, q, false)
							return page, err
						})
					want := expected(posts, filter, tag.ID, q)
					if diff := gocmp.Diff(want, got); diff != "" && len(want)+len(got) > 0 {
						t.Errorf("%s by %s, descending %v (-want +got):\n%s", name, sort, desc, diff)
					}
					if name != "none" && total.Count != int64(len(want)) {
						t.Errorf("%s: the total is %d, want %d", name, total.Count, len(want))
					}
				}
			}
		}
	})
}

// A filter that very many posts match is not read as a whole: the list walks the index of its sort.
func TestWidePostListsFollowTheSortIndex(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		const many = 9000
		d := oldSchema[f.Dialect()]
		id := func(area int) string { return fmt.Sprintf(d.id, area) }
		series := fmt.Sprintf(d.series, many)
		mustExec(t, f.Store, `INSERT INTO posts (id, team_id, post_type, type_given, status, delivery_state,
			save_destination, content_payload_id, scheduled_at, created_at, updated_at)
			SELECT `+id(areaPost)+`, '`+string(f.Team.ID)+`', CASE WHEN i % 2 = 0 THEN 'text_post' ELSE 'carousel' END,
			FALSE, CASE WHEN i % 100 = 0 THEN 'idea' ELSE 'draft' END, 'unscheduled', 'drafts', `+id(areaPayload)+`,
			t.at, t.at, t.at FROM `+series+`, (SELECT created_at AS at FROM teams WHERE id = $1) AS t`, f.Team.ID)
		mustExec(t, f.Store, `INSERT INTO payloads (id, post_id, version, text, post_input, created_at)
			SELECT `+id(areaPayload)+`, `+id(areaPost)+`, 1, 'text', '{"kind":"atomic","text":"text"}', t.at
			FROM `+series+`, (SELECT created_at AS at FROM teams WHERE id = $1) AS t`, f.Team.ID)
		later := f.After(time.Hour)
		for name, c := range map[string]struct {
			filter store.PostFilter
			total  int64
			first  int
		}{
			"all":        {store.PostFilter{SaveDestination: "drafts"}, many, 0},
			"all states": {store.PostFilter{DeliveryStates: crier.DeliveryStates()}, many, 0},
			"most": {store.PostFilter{Statuses: []crier.PostStatus{crier.PostDraft, crier.PostApproved}},
				many - many/100, 1},
			"half":             {store.PostFilter{PostTypes: []crier.PostType{crier.TextPost}}, many / 2, 0},
			"since":            {store.PostFilter{Created: store.TimeRange{From: &f.Now}}, many, 0},
			"until":            {store.PostFilter{Updated: store.TimeRange{To: &later}}, many, 0},
			"scheduled before": {store.PostFilter{Scheduled: store.TimeRange{To: &later}}, many, 0},
			"half and all": {store.PostFilter{PostTypes: []crier.PostType{crier.TextPost},
				SaveDestination: "drafts"}, many / 2, 0},
			"wide and narrow": {store.PostFilter{SaveDestination: "drafts", Statuses: []crier.PostStatus{"idea"}},
				many / 100, 0},
		} {
			c.filter.TeamID = f.Team.ID
			page, total, err := f.Posts(context.Background(), c.filter, store.PageQuery{Sort: "createdAt", Limit: 10},
				true)
			if err != nil || total.Count != c.total || total.Capped || len(page.Rows) != 10 ||
				page.Rows[0].ID != oldID(areaPost, c.first) ||
				!page.After {
				t.Errorf("%s: a page of %d of %d, want 10 of %d, %v", name, len(page.Rows), total.Count, c.total, err)
			}
		}
	})
}

// Content that is replaced while a list is read belongs to either version, and its post stays on the page.
func TestListsSurviveContentThatIsReplacedMeanwhile(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		post := f.NewPost("Version 0")
		done := make(chan error, 1)
		go func() {
			payload := post.ContentPayloadID
			for i := 1; i <= 200; i++ {
				next := crier.NewID()
				err := f.TryTx(func(ctx context.Context, tx *store.Tx) error {
					p, err := tx.PostForUpdate(ctx, f.Team.ID, post.ID)
					if err != nil {
						return err
					}
					p.ContentPayloadID = next
					return errors.Join(tx.ReplacePayload(ctx, payload, store.Payload{ID: next, PostID: post.ID,
						Text: fmt.Sprintf("Version %d", i), PostInput: *p.PostInput, CreatedAt: f.Now}),
						tx.UpdatePost(ctx, p))
				})
				if payload = next; err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
		for {
			page, _, err := f.Posts(ctx, store.PostFilter{TeamID: f.Team.ID},
				store.PageQuery{Sort: "createdAt", Desc: true, Limit: 10}, false)
			if err != nil || len(page.Rows) != 1 || !strings.HasPrefix(page.Rows[0].Text, "Version ") {
				t.Fatalf("%+v, %v", page.Rows, err)
			}
			select {
			case err := <-done:
				if err != nil {
					t.Error(err)
				}
				return
			default:
			}
		}
	})
}
