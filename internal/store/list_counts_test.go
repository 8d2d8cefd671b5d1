package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// countedStates selects the states that scheduled posts are counted in, by their status.
const countedStates = `SELECT 'any' AS state, 'scheduled' AS status UNION ALL SELECT 'any', 'publishing'
	UNION ALL SELECT 'any', 'processing' UNION ALL SELECT 'any', 'published' UNION ALL SELECT 'any', 'failed'
	UNION ALL SELECT 'any', 'missed' UNION ALL SELECT 'any', 'unknown' UNION ALL SELECT 'pending', 'scheduled'
	UNION ALL SELECT 'pending', 'publishing' UNION ALL SELECT 'pending', 'processing'
	UNION ALL SELECT 'published', 'published' UNION ALL SELECT 'failed', 'failed'
	UNION ALL SELECT 'missed', 'missed' UNION ALL SELECT 'unknown', 'unknown'`

// miscounted returns the counts that differ from the rows: list, value, real and counted.
func miscounted(t *testing.T, s *store.Store) [][]string {
	t.Helper()
	counted := `SELECT team_id, list, value, row_count AS n FROM list_counts`
	if s.Dialect() == store.Postgres {
		counted += ` UNION ALL SELECT team_id, list, value, change FROM list_changes`
	}
	return query(t, s, `SELECT c.list, c.value, sum(c.rows), sum(c.n) FROM (
			SELECT p.team_id, 'posts' AS list, p.status || ' ' || p.post_type || ' ' || p.save_destination AS value,
				1 AS rows, 0 AS n FROM posts p WHERE p.deleted_at IS NULL
			UNION ALL SELECT d.team_id, d.list, d.value, 1, 0 FROM (
				SELECT DISTINCT p.team_id, p.id, 'posts_by_provider' AS list, s.provider AS value
				FROM posts p JOIN publications s ON s.post_id = p.id
				WHERE s.kind = 'post' AND p.deleted_at IS NULL AND NOT p.archived
				UNION ALL SELECT DISTINCT p.team_id, p.id, 'posts_by_account', CAST(s.social_account_id AS text)
				FROM posts p JOIN publications s ON s.post_id = p.id
				WHERE s.kind = 'post' AND p.deleted_at IS NULL AND NOT p.archived) AS d
			UNION ALL SELECT s.team_id, 'scheduled_posts', s.provider || ' ' || CAST(s.social_account_id AS text)
				|| ' ' || s.status, 1, 0 FROM publications s WHERE s.kind = 'post'
			UNION ALL SELECT r.team_id, 'repeats_by_state', r.state, r.scheduled - r.posts, 0 FROM (
				SELECT s.team_id, v.state, count(*) AS scheduled, count(DISTINCT p.id) AS posts
				FROM publications s JOIN (`+countedStates+`) AS v ON v.status = s.status
				LEFT JOIN posts p ON p.id = s.post_id AND p.deleted_at IS NULL AND NOT p.archived
				WHERE s.kind = 'post' GROUP BY s.team_id, v.state) AS r
			UNION ALL SELECT x.team_id, x.list, x.value, 0, x.n FROM (`+counted+`) AS x) AS c
		GROUP BY c.team_id, c.list, c.value HAVING sum(c.rows) <> sum(c.n) ORDER BY 1, 2`)
}

// crowd is a team with posts on several accounts, and statements that change them at random.
type crowd struct {
	f        *storetest.Fixture
	random   *rand.Rand
	accounts []store.Account
	posts    []store.Post
	// old is true while the schema is that of an older version, which the store cannot publish with.
	old bool
}

func newCrowd(f *storetest.Fixture, seed uint64) *crowd {
	return &crowd{f: f, random: rand.New(rand.NewPCG(seed, 1)),
		accounts: []store.Account{f.Account, f.NewAccount(crier.ProviderX), f.NewAccount(crier.ProviderLinkedIn)}}
}

func pick[T any](c *crowd, list []T) T { return list[c.random.IntN(len(list))] }

// step makes one random change and returns what it was.
func (c *crowd) step(t *testing.T) string {
	t.Helper()
	f := c.f
	if len(c.posts) < 3 || c.random.IntN(4) == 0 {
		c.posts = append(c.posts, f.NewPost("post", func(p *store.Post) {
			p.Status = pick(c, []crier.PostStatus{crier.PostDraft, crier.PostIdea})
			p.PostType = pick(c, crier.PostTypes())
		}))
		return "new post"
	}
	post := pick(c, c.posts)
	if !c.old && c.random.IntN(3) == 0 {
		return c.work(t, post)
	}
	if c.random.IntN(2) == 0 {
		account, status := pick(c, c.accounts), pick(c, crier.ScheduledPostStatuses())
		live := f.Scan(`SELECT count(*) FROM publications WHERE post_id = $1 AND social_account_id = $2 AND live
			AND kind = 'post'`, post.ID, account.ID)
		if live > 0 && status.Live() {
			status = crier.Canceled
		}
		p := f.Schedule(post, func(p *store.Publication) {
			p.SocialAccountID, p.Provider, p.Status = account.ID, account.Provider, crier.Canceled
			p.ScheduledAt = f.After(time.Duration(c.random.IntN(100)) * time.Minute)
		})
		mustExec(t, f.Store, `UPDATE publications SET status = $2 WHERE id = $1`, p.ID, status)
		if c.random.IntN(3) == 0 {
			f.Follow(p, store.FirstComment)
		}
		return "schedule as " + string(status)
	}
	change := pick(c, []string{
		`UPDATE posts SET status = 'approved' WHERE id = $1 AND deleted_at IS NULL`,
		`UPDATE posts SET status = 'archived' WHERE id = $1 AND deleted_at IS NULL`,
		`UPDATE posts SET status = 'draft' WHERE id = $1 AND deleted_at IS NULL`,
		`UPDATE posts SET status = 'deleted', deleted_at = created_at WHERE id = $1`,
		`UPDATE posts SET post_type = 'carousel', updated_at = created_at WHERE id = $1`,
		`UPDATE posts SET save_destination = 'queue' WHERE id = $1`,
		`UPDATE publications SET status = 'published' WHERE post_id = $1`,
		`UPDATE publications SET status = 'failed' WHERE post_id = $1 AND status = 'published'`,
		`UPDATE publications SET status = 'canceled' WHERE post_id = $1 OR status = 'missed'`,
		`UPDATE publications SET wake_at = NULL WHERE post_id = $1`,
	})
	mustExec(t, f.Store, change, post.ID)
	return change
}

// work begins or settles the publications of a post and of another one as the engine does: many in one transaction.
func (c *crowd) work(t *testing.T, post store.Post) string {
	t.Helper()
	f, owner := c.f, crier.NewID()
	var list []store.Publication
	for _, row := range query(t, f.Store, `SELECT id FROM publications WHERE post_id IN ($1, $2) ORDER BY id`, post.ID,
		pick(c, c.posts).ID) {
		if c.random.IntN(4) > 0 {
			list = append(list, f.Read(crier.ID(row[0])))
		}
	}
	if c.random.IntN(2) == 0 {
		var starts []*store.AttemptStart
		for _, p := range list {
			mustExec(t, f.Store, `UPDATE publications SET lease_owner = $2 WHERE id = $1`, p.ID, owner)
			if c.random.IntN(4) == 0 {
				p.Status = pick(c, []crier.ScheduledPostStatus{crier.Scheduled, crier.Publishing}) // which may be wrong
			}
			starts = append(starts, &store.AttemptStart{Publication: p, Owner: owner, Attempt: sending(f, p, 0),
				LeaseUntil: f.After(time.Minute)})
		}
		begin(t, f, starts...)
		return fmt.Sprintf("begin %d", len(starts))
	}
	var settlements []*store.Settlement
	for _, p := range list {
		before := p.Status
		if p.Status = pick(c, crier.ScheduledPostStatuses()); p.Status.Live() && !before.Live() {
			p.Status = before // the account may have another live publication of the post
		}
		s := &store.Settlement{Publication: p, Epoch: p.Epoch}
		if s.Publication.WakeAt = nil; c.random.IntN(4) == 0 {
			s.Epoch++ // it was changed meanwhile
		}
		settlements = append(settlements, s)
	}
	settle(t, f.Store, f.Now, settlements...)
	return fmt.Sprintf("settle %d", len(settlements))
}

// The counts of lists agree with the rows, whichever statement changes them, and so do problems, live and canceled.
func TestListCountsFollowEveryChange(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		seed := rand.Uint64()
		c := newCrowd(f, seed)
		for i := range 300 {
			change := c.step(t)
			if wrong := miscounted(t, f.Store); len(wrong) > 0 {
				t.Fatalf("seed %d, step %d, %s: %v", seed, i, change, wrong)
			}
			if n := f.Scan(contradictions) + f.Scan(contradictingProblems); n != 0 {
				t.Fatalf("seed %d, step %d, %s: %d publications contradict their status", seed, i, change, n)
			}
			if i%100 == 50 {
				if err := f.MergeListCounts(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// A statement may insert many publications, among them several of one post on one account.
func TestManyPublicationsOfOneStatementAreCounted(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		c := newCrowd(f, rand.Uint64())
		for range 40 {
			c.step(t)
		}
		id, live, ended := `gen_random_uuid()`, ``, ``
		if f.Dialect() == store.SQLite {
			id, live, ended = `lower(hex(randomblob(16)))`, `, live`, `, FALSE`
		}
		mustExec(t, f.Store, `INSERT INTO publications (id, team_id, organization_id, post_id, social_account_id,
			provider, status, scheduled_at, timezone, payload_id, platform_settings, actions, state, results,
			created_at, updated_at`+live+`)
			SELECT `+id+`, p.team_id, $1, p.id, a.id,
			a.provider, 'published', p.created_at, 'UTC', p.content_payload_id, '{}', '{}', '{}', '{}',
			p.created_at, p.created_at`+ended+`
			FROM posts p CROSS JOIN social_accounts a CROSS JOIN (SELECT 1 UNION ALL SELECT 2) AS twice`,
			f.Organization.ID)
		if wrong := miscounted(t, f.Store); len(wrong) > 0 {
			t.Fatal(wrong)
		}
	})
}

// TestListCountsAreRightAfterTheMigration: rows from before it are counted, and what changes later too.
func TestListCountsAreRightAfterTheMigration(t *testing.T) {
	t.Parallel()
	const before = 58
	empty.Each(t, func(t *testing.T, database storetest.Database) {
		s := database.Open(t)
		if err := s.MigrateTo(context.Background(), before); err != nil {
			t.Fatal(err)
		}
		c := newCrowd(storetest.NewFixture(t, s), rand.Uint64())
		c.old = true
		for range 100 {
			c.step(t)
		}
		if _, err := s.Migrate(context.Background()); err != nil {
			t.Fatal(err)
		}
		c.old = false
		if wrong := miscounted(t, s); len(wrong) > 0 {
			t.Errorf("migrated: %v", wrong)
		}
		for range 50 {
			c.step(t)
		}
		if wrong := miscounted(t, s); len(wrong) > 0 {
			t.Errorf("changed later: %v", wrong)
		}
	})
}

// Writers of several teams in any order neither wait for each other's counts nor lose any while they are merged.
func TestListCountsAreMergedWhileRowsChange_postgres(t *testing.T) {
	t.Parallel()
	f := storetest.NewFixture(t, databases.Fresh(t, store.Postgres).Open(t))
	ctx := context.Background()
	var all []store.Publication
	for range 40 {
		all = append(all, f.Schedule(f.NewPost("post")))
	}
	var writers sync.WaitGroup
	for n := range 4 {
		writers.Go(func() {
			for i := range 40 {
				status := []crier.ScheduledPostStatus{crier.Published, crier.Failed, crier.Missed}[(i+n)%3]
				if _, err := f.Writer().ExecContext(ctx, `UPDATE publications SET status = $2 WHERE id = $1`,
					all[n*10+i%10].ID, status); err != nil {
					t.Error(err)
				}
				if err := f.MergeListCounts(ctx); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	if wrong := miscounted(t, f.Store); len(wrong) > 0 {
		t.Errorf("miscounted: %v", wrong)
	}
	if err := f.MergeListCounts(ctx); err != nil {
		t.Fatal(err)
	}
	if n := f.Scan(`SELECT count(*) FROM list_changes`); n != 0 {
		t.Errorf("%d changes are not merged", n)
	}
	if wrong := miscounted(t, f.Store); len(wrong) > 0 {
		t.Errorf("miscounted: %v", wrong)
	}
}

// The pages and the total of a list agree with the rows, for all combinations of filters.
func TestListsOfScheduledPostsAgreeWithTheirTotals(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		seed := rand.Uint64()
		c := newCrowd(f, seed)
		for range 250 {
			c.step(t)
		}
		yes, no, from, to := true, false, f.After(20*time.Minute), f.After(70*time.Minute)
		accounts := []crier.ID{crier.NewID()}
		for _, a := range c.accounts {
			accounts = append(accounts, a.ID)
		}
		for range 150 {
			filter := store.ScheduledPostFilter{TeamID: f.Team.ID}
			if c.random.IntN(2) == 0 {
				filter.Statuses = sample(c, crier.ScheduledPostStatuses())
			}
			if c.random.IntN(3) == 0 {
				filter.Providers = sample(c, crier.Providers())
			}
			if c.random.IntN(3) == 0 {
				filter.SocialAccountIDs = sample(c, accounts)
				for range pick(c, []int{0, 0, 8}) { // many accounts are read in another way
					filter.SocialAccountIDs = append(filter.SocialAccountIDs, crier.NewID())
				}
			}
			if c.random.IntN(8) == 0 {
				filter.PostID = pick(c, c.posts).ID
			}
			if c.random.IntN(6) == 0 {
				filter.NeedsAttention = pick(c, []*bool{&yes, &no})
			}
			if c.random.IntN(4) == 0 {
				filter.Scheduled = pick(c, []store.TimeRange{{From: &from}, {To: &to}, {From: &from, To: &to}})
			}
			checkScheduledPosts(t, f, filter, c.random.IntN(2) == 0, seed)
		}
	})
}

// sample returns some values, of which one may be repeated.
func sample[T any](c *crowd, list []T) []T {
	list = slices.Clone(list)
	c.random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return append(list[:1+c.random.IntN(min(3, len(list)))], list[:c.random.IntN(2)]...)
}

// checkScheduledPosts compares a list with the rows that pass its filter one by one.
func checkScheduledPosts(t *testing.T, f *storetest.Fixture, filter store.ScheduledPostFilter, desc bool, seed uint64) {
	t.Helper()
	var want []crier.ID
	attention := map[string]bool{}
	for _, row := range query(t, f.Store, `SELECT scheduled_post_id FROM publication_problems
		WHERE dismissed_at IS NULL`) {
		attention[row[0]] = true
	}
	direction := "ASC"
	if desc {
		direction = "DESC"
	}
	for _, row := range query(t, f.Store, strings.ReplaceAll(`SELECT id, status, provider, social_account_id, post_id,
		scheduled_at FROM publications WHERE kind = 'post' ORDER BY scheduled_at ASC, id ASC`, "ASC", direction)) {
		at, err := time.Parse(crier.StoredTimeLayout, row[5])
		if err != nil {
			t.Fatal(err)
		}
		status := crier.ScheduledPostStatus(row[1])
		if (len(filter.Statuses) == 0 && status != crier.Canceled || slices.Contains(filter.Statuses, status)) &&
			(len(filter.Providers) == 0 || slices.Contains(filter.Providers, crier.Provider(row[2]))) &&
			(len(filter.SocialAccountIDs) == 0 || slices.Contains(filter.SocialAccountIDs, crier.ID(row[3]))) &&
			(filter.PostID == "" || filter.PostID == crier.ID(row[4])) &&
			(filter.NeedsAttention == nil || *filter.NeedsAttention == attention[row[0]]) &&
			(filter.Scheduled.From == nil || !at.Before(filter.Scheduled.From.Time)) &&
			(filter.Scheduled.To == nil || at.Before(filter.Scheduled.To.Time)) {
			want = append(want, crier.ID(row[0]))
		}
	}
	var total store.Total
	got := walk(t, func(p crier.ScheduledPost) crier.ID { return p.ID }, store.PageQuery{Sort: "scheduledAt", Limit: 7,
		Desc: desc}, func(q store.PageQuery) (page store.PageRows[crier.ScheduledPost], err error) {
		page, total, err = f.ScheduledPostPage(context.Background(), filter, q)
		return page, err
	})
	if !slices.Equal(got, want) || total != (store.Total{Count: int64(len(want))}) {
		t.Errorf("seed %d: %+v: %d with total %+v, want %d", seed, filter, len(got), total, len(want))
	}
}

// The pages and the total of a list agree with the posts, for combinations of delivery states with other filters.
func TestListsOfPostsByDeliveryStateAgreeWithTheirTotals(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		seed := rand.Uint64()
		c := newCrowd(f, seed)
		for range 250 {
			c.step(t)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			ids := make([]crier.ID, len(c.posts))
			for i, p := range c.posts {
				ids[i] = p.ID
			}
			return tx.RefreshPosts(ctx, f.Now, ids...)
		})
		// Beginning to publish does not refresh the post.
		mustExec(t, f.Store, `UPDATE publications SET status = 'publishing' WHERE status = 'scheduled' AND id IN (
			SELECT s.id FROM publications s WHERE s.status = 'scheduled' ORDER BY s.scheduled_at LIMIT 3)`)
		for _, state := range crier.DeliveryStates() {
			c.checkDelivery(t, seed, store.PostFilter{DeliveryStates: []crier.DeliveryState{state}})
		}
		for range 80 {
			filter := store.PostFilter{DeliveryStates: sample(c, crier.DeliveryStates())}
			if c.random.IntN(3) == 0 {
				filter.Providers = sample(c, []crier.Provider{crier.ProviderX, crier.ProviderLinkedIn})
			}
			if c.random.IntN(3) == 0 {
				filter.SocialAccountIDs = []crier.ID{pick(c, c.accounts).ID}
			}
			if c.random.IntN(3) == 0 {
				filter.Statuses = sample(c, []crier.PostStatus{crier.PostDraft, crier.PostIdea, crier.PostApproved,
					crier.PostArchived})
			}
			if c.random.IntN(4) == 0 {
				filter.PostTypes = sample(c, crier.PostTypes())
			}
			c.checkDelivery(t, seed, filter)
		}
	})
}

// checkDelivery compares a list of posts by delivery state with the posts that pass one by one.
func (c *crowd) checkDelivery(t *testing.T, seed uint64, filter store.PostFilter) {
	t.Helper()
	filter.TeamID = c.f.Team.ID
	type values struct{ states, networks, accounts []string }
	scheduled := map[string]values{}
	for _, row := range query(t, c.f.Store, `SELECT post_id, CASE status WHEN 'processing' THEN 'publishing' ELSE status
		END, provider, social_account_id FROM publications WHERE kind = 'post'`) {
		v := scheduled[row[0]]
		scheduled[row[0]] = values{append(v.states, row[1]), append(v.networks, row[2]), append(v.accounts, row[3])}
	}
	var want []crier.ID
	for _, row := range query(t, c.f.Store, `SELECT id, delivery_state, status, post_type FROM posts
		WHERE deleted_at IS NULL ORDER BY created_at, id`) {
		v := scheduled[row[0]]
		if state := crier.DeliveryState(row[1]); state == crier.DeliveryUnscheduled ||
			state == crier.DeliveryPartiallyPublished {
			v.states = append(v.states, row[1]) // no state of a scheduled post
		}
		if allows(filter.DeliveryStates, v.states...) && allows(filter.Providers, v.networks...) &&
			allows(filter.SocialAccountIDs, v.accounts...) && allows(filter.Statuses, row[2]) &&
			(len(filter.Statuses) > 0 || row[2] != string(crier.PostArchived)) && allows(filter.PostTypes, row[3]) {
			want = append(want, crier.ID(row[0]))
		}
	}
	var total store.Total
	got := walk(t, func(p *store.Post) crier.ID { return p.ID }, store.PageQuery{Sort: "createdAt", Limit: 7},
		func(q store.PageQuery) (page store.PageRows[*store.Post], err error) {
			page, total, err = c.f.Posts(context.Background(), filter, q, false)
			return page, err
		})
	if !slices.Equal(got, want) || total != (store.Total{Count: int64(len(want))}) {
		t.Errorf("seed %d: %+v: %d with total %+v, want %d", seed, filter, len(got), total, len(want))
	}
}

// allows reports whether a filter names one of some values; an empty filter allows all.
func allows[T ~string](filter []T, values ...string) bool {
	return len(filter) == 0 ||
		slices.ContainsFunc(values, func(v string) bool { return slices.Contains(filter, T(v)) })
}

// copyPosts inserts copies of a post and of its scheduled posts.
func copyPosts(t *testing.T, f *storetest.Fixture, post crier.ID, copies int) {
	t.Helper()
	mustExec(t, f.Store, numbered+`INSERT INTO posts (id, team_id, post_type, type_given, title, status, delivery_state,
		save_destination, content_payload_id, scheduled_at, created_at, updated_at)
		SELECT `+newID(f)+`, p.team_id, p.post_type, p.type_given, p.title, p.status, p.delivery_state,
		p.save_destination, p.content_payload_id, p.scheduled_at, p.created_at, p.updated_at
		FROM n, posts p WHERE p.id = $1`, post, copies)
	copyScheduled(t, f, post, `o.content_payload_id = p.payload_id AND o.id <> $1`, 1)
}

// repeat inserts copies of the scheduled posts of a post, as if it had been repeated.
func repeat(t *testing.T, f *storetest.Fixture, post crier.ID, copies int) {
	t.Helper()
	copyScheduled(t, f, post, `o.id = $1`, copies)
}

// copyScheduled inserts copies of the scheduled posts of a post for other posts o.
func copyScheduled(t *testing.T, f *storetest.Fixture, post crier.ID, others string, copies int) {
	t.Helper()
	live, ended := ``, ``
	if f.Dialect() == store.SQLite {
		live, ended = `, live`, `, p.live`
	}
	mustExec(t, f.Store, numbered+`INSERT INTO publications (id, team_id, organization_id, post_id, social_account_id,
		provider, status, scheduled_at, timezone, payload_id, platform_settings, actions, state, results, created_at,
		updated_at`+live+`)
		SELECT `+newID(f)+`, p.team_id, p.organization_id, o.id, p.social_account_id, p.provider, p.status,
		p.scheduled_at, p.timezone, p.payload_id, '{}', '{}', '{}', '{}', p.created_at, p.updated_at`+ended+`
		FROM n, publications p JOIN posts o ON `+others+` WHERE p.post_id = $1`, post, copies)
}

// newID is an expression in SQL for a new id.
func newID(f *storetest.Fixture) string {
	if f.Dialect() == store.SQLite {
		return `lower(hex(randomblob(16)))`
	}
	return `gen_random_uuid()`
}

// Scheduled posts of archived posts, however many, hide nothing from a list by delivery state.
func TestListsOfPostsByDeliveryStateFindPostsBehindArchivedOnes(t *testing.T) {
	t.Parallel()
	const archived = 4300
	for _, drafts := range []int{0, 2 * archived} { // few posts are walked, and many are found by their state
		t.Run(fmt.Sprintf("%d drafts", drafts), func(t *testing.T) {
			t.Parallel()
			databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
				other := f.NewAccount(crier.ProviderLinkedIn)
				old := f.NewPost("old")
				f.Schedule(old, at(f.Now, crier.Published))
				copyPosts(t, f, old.ID, archived)
				mustExec(t, f.Store, `UPDATE posts SET status = 'archived'`)
				copyPosts(t, f, f.NewPost("draft").ID, drafts)
				post := f.NewPost("new")
				f.Schedule(post, at(f.After(time.Hour), crier.Published))
				f.Schedule(post, func(p *store.Publication) {
					p.SocialAccountID, p.Provider, p.Status, p.WakeAt = other.ID, other.Provider, crier.Failed, nil
				})
				page, total, err := f.Posts(t.Context(), store.PostFilter{TeamID: f.Team.ID,
					DeliveryStates: []crier.DeliveryState{crier.DeliveryPublished}},
					store.PageQuery{Sort: "createdAt", Limit: 25}, false)
				if err != nil || total.Count != 1 || len(page.Rows) != 1 || page.Rows[0].ID != post.ID {
					t.Errorf("%d posts of %+v, %v", len(page.Rows), total, err)
				}
			})
		})
	}
}

// The total of several filters is exact however often the listed posts were repeated, or archived ones.
func TestTotalsDoNotCountWhatIsNotListed(t *testing.T) {
	t.Parallel()
	const listed, more = 30, 10_001
	for name, repeats := range map[string]struct{ listed, archived int }{"listed posts": {listed: more / listed},
		"archived posts": {archived: more}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
				for range listed {
					post := f.NewPost("new")
					f.Schedule(post, at(f.Now, crier.Published))
					repeat(t, f, post.ID, repeats.listed)
				}
				old := f.NewPost("old")
				f.Schedule(old, at(f.Now, crier.Published))
				repeat(t, f, old.ID, repeats.archived)
				mustExec(t, f.Store, `UPDATE posts SET status = 'archived' WHERE id = $1`, old.ID)
				networks := []crier.Provider{f.Account.Provider}
				for _, filter := range []store.PostFilter{
					{DeliveryStates: []crier.DeliveryState{crier.DeliveryPublished}},
					{DeliveryStates: []crier.DeliveryState{crier.DeliveryPublished, crier.DeliveryFailed}},
					{DeliveryStates: []crier.DeliveryState{crier.DeliveryPublished, crier.DeliveryScheduled}},
					{SocialAccountIDs: []crier.ID{f.Account.ID}},
					{SocialAccountIDs: []crier.ID{f.Account.ID, crier.NewID()}},
				} {
					filter.TeamID, filter.Providers = f.Team.ID, networks
					page, total, err := f.Posts(t.Context(), filter, store.PageQuery{Sort: "createdAt", Limit: 25},
						false)
					if err != nil || total != (store.Total{Count: listed}) || len(page.Rows) != 25 || !page.After {
						t.Errorf("%+v: %d posts of %+v, %v", filter, len(page.Rows), total, err)
					}
				}
			})
		})
	}
}
