package bench_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/pagination"
	"crier/internal/server/servertest"
	"crier/internal/service"
	"crier/internal/store"
)

// The sizes of the two teams that are compared, and how many posts of each a narrow filter finds.
const (
	smallTeam = 1_000
	largeTeam = 1_000_000
	matching  = 200
	// publishing is the number of scheduled posts that are being published.
	publishing = 10
)

// BenchmarkPosts compares a team of a thousand posts with one of a million, in the same database: the cost of a list
// must depend on its results. The metric large/small is the ratio of the medians; the limit is 1.5.
func BenchmarkPosts(b *testing.B) {
	for _, dialect := range []store.Dialect{store.SQLite, store.Postgres} {
		b.Run(string(dialect), func(b *testing.B) {
			s := startPostServer(b, servertest.Databases.Fresh(b, dialect))
			small, large := s.fill(b, smallTeam, "1"), s.fill(b, largeTeam, "2")
			if dialect == store.Postgres {
				s.Exec(b, `VACUUM ANALYZE`) // as the server does by itself, some time after that many rows
			}
			for _, c := range postQueries() {
				b.Run(c.name, func(b *testing.B) {
					c.check(b, small)
					c.check(b, large)
					compare(b, func() { c.run(b, small) }, func() { c.run(b, large) })
				})
			}
			for _, c := range scheduledQueries() {
				b.Run("scheduled posts: "+c.name, func(b *testing.B) {
					c.check(b, small)
					c.check(b, large)
					compare(b, func() { c.run(b, small) }, func() { c.run(b, large) })
				})
			}
		})
	}
}

// filledTeam is a team with many posts.
type filledTeam struct {
	s     postServer
	id    crier.ID
	scope access.TeamScope
	tag   crier.ID
	// account has a publication every twelve minutes in the future: as many as the team has posts, at most 10,000.
	account crier.ID
	// other has a publication of every post.
	other crier.ID
	// seldom has a publication of every fortieth post, all of them published.
	seldom crier.ID
	// middle is the cursor of a page halfway through the plain list.
	middle string
	size   int
}

// postQuery is a list to measure.
type postQuery struct {
	name   string
	filter func(team filledTeam, f *service.PostFilter)
	sort   string
	middle bool
	facets bool
	slots  bool
	total  func(filledTeam) int // nil means the whole team
	capped bool                 // at 10,000
}

var since = crier.TimeOf(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC))

func postQueries() []postQuery {
	none := func(filledTeam, *service.PostFilter) {}
	return []postQuery{
		{name: "plain", filter: none},
		{name: "plain by title", filter: none, sort: "title"},
		{name: "plain, halfway down", filter: none, middle: true},
		{name: "status", filter: func(_ filledTeam,
			f *service.PostFilter) {
			f.Statuses = []crier.PostStatus{crier.PostIdea}
		}, total: counted(matching)},
		{name: "status by title", filter: func(_ filledTeam,
			f *service.PostFilter) {
			f.Statuses = []crier.PostStatus{crier.PostIdea}
		}, sort: "title", total: counted(matching)},
		{name: "type that every post has", filter: func(_ filledTeam, f *service.PostFilter) {
			f.PostTypes = []crier.PostType{crier.TextPost}
		}},
		{name: "delivery state that few posts have", filter: func(_ filledTeam, f *service.PostFilter) {
			f.DeliveryStates = []crier.DeliveryState{crier.DeliveryFailed}
		}, total: counted(matching)},
		{name: "delivery state of what is being published", filter: func(_ filledTeam, f *service.PostFilter) {
			f.DeliveryStates = []crier.DeliveryState{crier.DeliveryPublishing}
		}, total: counted(publishing)},
		{name: "delivery state that half of the posts have", filter: func(_ filledTeam, f *service.PostFilter) {
			f.DeliveryStates = []crier.DeliveryState{crier.DeliveryPublished}
		}, total: filledTeam.published},
		{name: "delivery state of what waits", filter: func(_ filledTeam, f *service.PostFilter) {
			f.DeliveryStates = []crier.DeliveryState{crier.DeliveryScheduled}
		}, total: filledTeam.waiting},
		{name: "destination that few posts have", filter: func(_ filledTeam, f *service.PostFilter) {
			f.SaveDestination = crier.SavedToQueue
		}, total: counted(matching)},
		{name: "destination that most posts have", filter: func(_ filledTeam, f *service.PostFilter) {
			f.SaveDestination = crier.SavedToDrafts
		}, total: func(t filledTeam) int { return t.size - matching }},
		{name: "network that every post has", filter: func(_ filledTeam, f *service.PostFilter) {
			f.Providers = []crier.Provider{crier.ProviderLinkedIn}
		}},
		{name: "two networks", filter: func(_ filledTeam, f *service.PostFilter) {
			f.Providers = []crier.Provider{crier.ProviderLinkedIn, crier.ProviderX}
		}, capped: true},
		{name: "account that every post has", filter: func(t filledTeam, f *service.PostFilter) {
			f.SocialAccountIDs = []crier.ID{t.other}
		}},
		{name: "tag", filter: func(t filledTeam, f *service.PostFilter) { f.TagID = t.tag }, total: counted(matching)},
		{name: "updatedSince", filter: func(_ filledTeam, f *service.PostFilter) { f.Updated.From = &since },
			total: counted(matching)},
		{name: "q", filter: func(_ filledTeam, f *service.PostFilter) { f.Query = "rare" }, total: counted(matching)},
		{name: "q of a word that every post has", filter: func(_ filledTeam,
			f *service.PostFilter) {
			f.Query = "common"
		}},
		{name: "q of a rare and a common word", filter: func(_ filledTeam,
			f *service.PostFilter) {
			f.Query = "rare common"
		}, total: counted(matching)},
		{name: "narrow and wide filters", filter: func(t filledTeam, f *service.PostFilter) {
			f.TagID, f.PostTypes, f.SaveDestination, f.Query = t.tag, []crier.PostType{crier.TextPost}, "drafts",
				"common"
		}, total: counted(matching)},
		{name: "facets", facets: true},
		{name: "next slots", slots: true},
	}
}

func counted(n int) func(filledTeam) int { return func(filledTeam) int { return n } }

// published is the number of posts with a published scheduled post: every second one, but of the first ones, which have
// failed, only those that are also on the account seldom.
func (t filledTeam) published() int { return t.size/2 - matching + 2*matching/seldom }

// waiting is the number of posts with a scheduled post that waits: on account, or every second one on other.
func (t filledTeam) waiting() int { return t.planned() + (t.size-t.planned())/2 }

func (c postQuery) run(b *testing.B, t filledTeam) crier.Page[crier.Post] {
	b.Helper()
	ctx, services := context.Background(), t.s.Node.Services
	var page crier.Page[crier.Post]
	var err error
	switch {
	case c.facets:
		_, err = services.Facets.Get(ctx, t.scope, nil)
	case c.slots:
		_, err = services.Slots.Next(ctx, t.scope, service.NextSlots{Account: &t.account, Count: 20})
	default:
		var f service.PostFilter
		c.filter(t, &f)
		request := pagination.Request{List: "posts", SortBy: "createdAt", Desc: true, Limit: crier.DefaultPageSize}
		if c.sort != "" {
			request.SortBy = c.sort
		}
		if c.middle {
			request.Cursor = t.middle
		}
		var q pagination.Query
		if q, err = services.Pages.Query(request); err == nil {
			page, err = services.Posts.List(ctx, t.scope, f, q)
		}
	}
	if err != nil {
		b.Fatal(err)
	}
	return page
}

// check verifies that the query finds the expected posts.
func (c postQuery) check(b *testing.B, t filledTeam) {
	b.Helper()
	if c.facets || c.slots {
		return
	}
	want := t.size
	if c.total != nil {
		want = c.total(t)
	}
	if c.capped {
		want = min(want, 10_000)
	}
	rows := min(want, crier.DefaultPageSize)
	if page := c.run(b, t); len(page.Data) != rows || page.Total != int64(want) {
		b.Fatalf("%s finds %d of %d, want %d of %d", c.name, len(page.Data), page.Total, rows, want)
	}
}

// compare measures two functions in turn, so that disturbances affect both.
func compare(b *testing.B, small, large func()) {
	b.Helper()
	var times [2][]time.Duration
	measure := func(i int, fn func()) {
		start := time.Now()
		fn()
		times[i] = append(times[i], time.Since(start))
	}
	for b.Loop() {
		measure(0, small)
		measure(1, large)
	}
	median := func(list []time.Duration) time.Duration {
		slices.Sort(list)
		return list[len(list)/2]
	}
	a, z := median(times[0]), median(times[1])
	b.ReportMetric(float64(a.Microseconds()), "small-µs")
	b.ReportMetric(float64(z.Microseconds()), "large-µs")
	b.ReportMetric(float64(z)/float64(a), "large/small")
}

// fill creates a team with n posts, directly in the database. Every post has a title, two words and a version; those
// that narrow filters find are spread evenly.
func (s postServer) fill(b testing.TB, n int, mark string) filledTeam {
	b.Helper()
	team := crier.ID(s.Do(b, "POST", "/v1/teams", servertest.Object{"organizationId": s.Organization,
		"name": fmt.Sprintf("%d posts", n)}).Want(b, http.StatusCreated).Text(b, "id"))
	t := filledTeam{s: s, id: team, size: n, scope: s.scope(b, team)}
	t.tag = crier.ID(s.Do(b, "POST", servertest.Path("/v1/teams/%s/tags", team),
		servertest.Object{"name": "rare"}).Want(b,
		http.StatusCreated).Text(b, "id"))
	accounts := postServer{&testServer{&servertest.Server{Tenant: servertest.Tenant{Team: team}, Node: s.Node}}}
	t.account, t.other = accounts.InsertAccount(b, crier.ProviderX), accounts.InsertAccount(b, crier.ProviderLinkedIn)
	t.seldom = accounts.InsertAccount(b, crier.ProviderThreads)
	names := strings.NewReplacer("{organization}", string(s.Organization), "{team}", string(team), "{tag}",
		string(t.tag), "{account}", string(t.account), "{other}", string(t.other), "{seldom}", string(t.seldom))
	for _, statement := range bulkStatements(s.Node.Store.Dialect(), n, mark) {
		s.Exec(b, names.Replace(statement))
	}
	half := pagination.Request{List: "posts", SortBy: "createdAt", Desc: true, Limit: 1}
	middle := crier.TimeOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n/2) * time.Second))
	q, err := s.Node.Services.Pages.Query(half)
	if err != nil {
		b.Fatal(err)
	}
	var f service.PostFilter
	f.Created.To = &middle
	page, err := s.Node.Services.Posts.List(context.Background(), t.scope, f, q)
	if err != nil || page.NextCursor == nil {
		b.Fatalf("no page halfway down: %v", err)
	}
	t.middle = *page.NextCursor
	return t
}

func (s postServer) scope(tb testing.TB, team crier.ID) access.TeamScope {
	tb.Helper()
	ctx := context.Background()
	caller, err := s.Node.Services.Access.Authenticate(ctx, s.Key)
	if err != nil {
		tb.Fatal(err)
	}
	scope, err := s.Node.Services.Access.Team(ctx, caller, team, crier.WritePosts)
	if err != nil {
		tb.Fatal(err)
	}
	return scope
}

// bulkStatements returns statements that write n posts.
func bulkStatements(dialect store.Dialect, n int, mark string) []string {
	id := func(kind string) string {
		return fmt.Sprintf(`CAST('%s%s000000-0000-7000-8000-' || lpad(to_hex(i), 12, '0') AS uuid)`, kind, mark)
	}
	second := `(timestamptz '2026-01-01 00:00:00Z' + i * interval '1 second')`
	recent := `timestamptz '2027-06-01 00:00:00Z'`
	later := `(timestamptz '2099-01-01 00:00:00Z' + i * interval '1 second')`
	soon := `(date_trunc('hour', now()) + i * interval '12 minutes')`
	if dialect == store.SQLite {
		id = func(kind string) string {
			return fmt.Sprintf(`printf('%s%s000000-0000-7000-8000-%%012x', i)`, kind, mark)
		}
		second = `(strftime('%Y-%m-%d %H:%M:%S', 1767225600 + i, 'unixepoch') || '+00:00')`
		later = strings.Replace(second, "1767225600", "4070908800", 1)
		recent = `'2027-06-01 00:00:00+00:00'`
		soon = `(strftime('%Y-%m-%d %H:%M:%S', strftime('%s', 'now') / 3600 * 3600 + i * 720, 'unixepoch') || '+00:00')`
	}
	numbers := fmt.Sprintf(`WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < %d) `,
		n)
	rare, sent := fmt.Sprintf(`i %% %d = 0`, n/matching), fmt.Sprintf(`i %% %d = 1`, n/matching)
	// The state of the first ones follows from account; see the publications below.
	delivery := fmt.Sprintf(`CASE WHEN i %% 2 = 1 AND i <= %d THEN 'publishing'
		WHEN i %% 2 = 1 OR i <= 10000 THEN 'scheduled' ELSE 'published' END`, 2*publishing)
	post, payload := id("a"), id("b")
	rows := func(columns string) string { return numbers + `SELECT ` + columns + ` FROM numbers` }
	publications := `INSERT INTO publications (id, team_id, organization_id, post_id, social_account_id, provider,
		status, scheduled_at, timezone, payload_id, platform_settings, actions, state, results, created_at, updated_at) `
	return []string{
		`INSERT INTO posts (id, team_id, post_type, type_given, title, status, delivery_state, save_destination,
			content_payload_id, scheduled_at, created_at, updated_at) ` +
			rows(post+`, '{team}', 'text_post', FALSE, 'title ' || i, CASE WHEN `+rare+` THEN 'idea' ELSE 'draft' END,
				`+delivery+`,
				CASE WHEN `+sent+` THEN 'queue' ELSE 'drafts' END, `+payload+`, `+
				strings.Replace(recent, "2027", "0001",
					1)+`, `+second+`, CASE WHEN `+rare+` THEN `+recent+` ELSE `+second+` END`),
		`INSERT INTO payloads (id, post_id, version, text, post_input, created_at) ` +
			rows(payload+`, `+post+`, 1, 'common text', '{"kind":"atomic","text":"common text"}', `+second),
		`INSERT INTO post_words (team_id, word, post_id) ` + rows(`'{team}', 'common', `+post),
		`INSERT INTO post_words (team_id, word, post_id) ` + rows(`'{team}', 'w' || (i % 5000), `+post),
		`INSERT INTO post_words (team_id, word, post_id) ` + rows(`'{team}', 'rare', `+post) + ` WHERE ` + rare,
		`INSERT INTO word_counts (team_id, word, post_count) SELECT w.team_id, w.word, count(*) FROM post_words w
			WHERE w.team_id = '{team}' GROUP BY w.team_id, w.word`,
		`INSERT INTO post_tags (post_id, tag_id) ` + rows(post+`, '{tag}'`) + ` WHERE ` + rare,
		publications + rows(id("c")+`, '{team}', '{organization}', `+post+`, '{account}', 'x', 'scheduled', `+soon+`,
			'UTC', `+payload+`, '{}', '{}', '{}', '{}', `+second+`, `+second) + ` WHERE i <= 10000`,
		publications + rows(id("d")+`, '{team}', '{organization}', `+post+`, '{other}', 'linkedin',
			CASE WHEN i % 2 = 0 THEN 'published' ELSE 'scheduled' END,
			CASE WHEN i % 2 = 0 THEN `+second+` ELSE `+later+` END,
			'UTC', `+payload+`, '{}', '{}', '{}', '{}', `+second+`, `+second),
		publications + rows(id("e")+`, '{team}', '{organization}', `+post+`, '{seldom}', 'threads', 'published',
			`+second+`, 'UTC', `+payload+`, '{}', '{}', '{}', '{}', `+second+`, `+second) +
			fmt.Sprintf(` WHERE i %% %d = 0`, seldom),
		`UPDATE publications SET status = 'failed' WHERE id IN (` + rows(id("d")) +
			fmt.Sprintf(` WHERE i %% 2 = 0 AND i <= %d)`, 2*matching),
		`UPDATE publications SET status = 'publishing', scheduled_at = created_at WHERE id IN (` + rows(id("d")) +
			fmt.Sprintf(` WHERE i %% 2 = 1 AND i <= %d)`, 2*publishing),
		fmt.Sprintf(`UPDATE tags SET post_count = %d WHERE id = '{tag}'`, matching),
		`INSERT INTO facet_counts (team_id, field, value, post_count) ` +
			rows(`'{team}', 'hashtags', 'tag' || i, i % 97`) + fmt.Sprintf(` WHERE i <= %d`, min(n, 100_000)),
		`INSERT INTO facet_counts (team_id, field, value, post_count) ` +
			rows(`'{team}', 'topics', 'topic' || i, i % 89`) + fmt.Sprintf(` WHERE i <= %d`, min(n, 100_000)),
	}
}

// TestWideFiltersMatchNarrowOnes uses a team that is large enough for filters that many posts match, which are read in
// another way than those that few match.
func TestWideFiltersMatchNarrowOnes(t *testing.T) {
	t.Parallel()
	const size = 5000
	servertest.EachDatabase(t, func(t *testing.T, db servertest.Database) {
		s := startPostServer(t, db)
		filled := s.fill(t, size, "1")
		s.Team = filled.id
		rare, wide := size/(size/matching), size-size/(size/matching)
		at := func(second int) string {
			return url.QueryEscape(time.Date(2026, 1, 1, 0, 0, second, 0, time.UTC).Format(time.RFC3339))
		}
		for query, want := range map[string]int{
			"q=common": size, "status=draft": wide, "status=draft,archived": wide, "status=draft,idea": size,
			"postType=text_post": size, "saveDestination=drafts": wide, "saveDestination=queue": rare,
			"deliveryState=unscheduled": 0, "deliveryState=published": filled.published(),
			"deliveryState=scheduled": filled.waiting(), "deliveryState=publishing": publishing,
			"deliveryState=failed": matching, "deliveryState=scheduled,publishing": size,
			"deliveryState=published,failed":        size / 2,
			"deliveryState=published&provider=x":    filled.published(),
			"deliveryState=publishing&status=draft": publishing,
			"createdFrom=" + at(1):                  size, "createdFrom=" + at(100) + "&createdTo=" + at(4900): 4800,
			"q=common&status=draft": wide,
			"q=common&status=draft&postType=text_post&createdTo=" + at(5001): wide, "status=idea&q=common": rare,
			"q=common&updatedSince=" + at(1): size,
			"q=common&postType=carousel":     0,
			"provider=x,linkedin":            size, "provider=x,threads": size, "provider=linkedin,x&status=idea": rare,
		} {
			for _, sort := range []string{"createdAt", "title"} {
				var pages [][]string
				total := ""
				for cursor := ""; len(pages) < 3; {
					page := s.Do(t, "GET", s.PostsPath()+"?limit=3&sortBy="+sort+"&"+query+"&cursor="+cursor,
						nil).Want(t,
						http.StatusOK)
					total = fmt.Sprint(page.Get(t, "total"))
					pages = append(pages, page.IDs(t))
					next, more := page.Get(t, "nextCursor").(string)
					if !more {
						break
					}
					cursor = next
				}
				if total != fmt.Sprint(want) {
					t.Errorf("%s by %s: total is %s, want %d", query, sort, total, want)
				}
				whole := s.Do(t, "GET", s.PostsPath()+"?limit=9&sortBy="+sort+"&"+query, nil).Want(t,
					http.StatusOK).IDs(t)
				if got := slices.Concat(pages...); !slices.Equal(got, whole) || len(whole) != min(9, want) {
					t.Errorf("%s by %s: pages %v, in one piece %v", query, sort, pages, whole)
				}
			}
		}
		// Two networks are not counted one by one if one of them has more than 10,000 posts.
		s.Exec(t, `INSERT INTO list_counts (team_id, list, value, row_count)
			VALUES ($1, 'posts_by_provider', 'x', 10001)
			ON CONFLICT (team_id, list, value) DO UPDATE SET row_count = excluded.row_count`, s.Team)
		page := s.Do(t, "GET", s.PostsPath()+"?limit=3&provider=x,linkedin", nil).Want(t, http.StatusOK)
		if got := fmt.Sprintf("%v %v", page.Get(t, "total"), page.Get(t, "totalIsCapped")); got != "10000 true" {
			t.Errorf("the total of two networks and whether it is capped: %s", got)
		}
	})
}
