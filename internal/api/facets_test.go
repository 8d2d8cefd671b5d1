package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/enrich"
	"crier/internal/job"
	"crier/internal/pagination"
	"crier/internal/server"
	"crier/internal/server/servertest"
	"crier/internal/service"
	"crier/internal/store"
)

func (s postServer) facets(tb testing.TB, fields string) map[string]string {
	tb.Helper()
	var body crier.Facets
	s.Do(tb, "GET", s.PostsPath("facets", "enrichment")+"?fields="+fields, nil).Want(tb, http.StatusOK).Into(tb, &body)
	got := map[string]string{}
	for _, facet := range body.Data {
		values := []string{}
		for _, v := range facet.Values {
			values = append(values, fmt.Sprintf("%s:%d", v.Value, v.PostCount))
		}
		got[string(facet.Field)] = strings.Join(values, " ")
	}
	return got
}

func TestFacetsListEveryFieldInOrder(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		address := s.PostsPath("facets", "enrichment")
		var all []any
		for _, field := range crier.FacetFields() {
			all = append(all, object{"field": string(field), "values": []any{}})
		}
		for _, query := range []string{"", "?fields="} {
			if got := s.Do(t, "GET", address+query, nil).Want(t, http.StatusOK); !reflect.DeepEqual(got.Get(t, "data"),
				all) {
				t.Errorf("an empty team has %s", got.Body)
			}
		}
		some := s.Do(t, "GET", address+"?fields=postType,language,postType", nil).Want(t, http.StatusOK)
		if some.Text(t, "data", 0, "field") != "postType" || some.Text(t, "data", 1, "field") != "language" ||
			some.Has("data", 2) {
			t.Errorf("fields asked for: %s", some.Body)
		}
		for _, fields := range []string{"colour", "language,colour", "language,,topics", "Language"} {
			got := s.Do(t, "GET", address+"?fields="+fields, nil).WantIssues(t, "fields")
			if !strings.Contains(string(got.Body),
				"language, hashtags, mentions, linkDomains, topics, sentiment, assetTags, userTags, postType") {
				t.Errorf("%s: the answer does not list the fields: %s", fields, got.Body)
			}
		}
	})
}

func TestFacetsShowTheHundredMostFrequentValues(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		for i := range 105 {
			id := s.NewPostID(t, object{"text": "x"})
			s.WithTx(t, func(ctx context.Context, tx *store.Tx) error {
				tags := []string{fmt.Sprintf("tag%03d", i), "zebra"}
				return tx.ReplaceFacets(ctx, s.Team, crier.ID(id),
					map[crier.FacetField][]string{crier.FacetTopics: tags})
			})
		}
		values := strings.Fields(s.facets(t, "topics")["topics"])
		if len(values) != 100 || values[0] != "zebra:105" || values[1] != "tag000:1" || values[99] != "tag098:1" {
			t.Errorf("%d values: %q", len(values), values)
		}
	})
}

func TestEnrichmentRunsInTheBackground(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := postServer{startServer(t, db)}
		photo := s.InsertImage(t, "owl", "night")
		id := s.NewPostID(t, object{"text": "We love the new coffee at https://www.example.com/menu. Thank you " +
			"@BeanRoasters! #Coffee #coffee", "assetIds": []any{photo}})
		want := map[string]string{
			"language": "en:1", "hashtags": "coffee:1", "mentions": "beanroasters:1", "linkDomains": "example.com:1",
			"sentiment": "positive:1",
			"assetTags": "night:1 owl:1", "userTags": "", "postType": "text_image:1",
		}
		fields := strings.Join(slices.Sorted(maps.Keys(want)), ",")
		s.eventually(t, "the post is enriched", func() bool { return reflect.DeepEqual(s.facets(t, fields), want) })
		s.PatchPost(t, id, object{"text": "Schade, der Kaffee ist leider kalt und schmeckt furchtbar. #Tee",
			"assetIds": []any{}}).Want(t, http.StatusOK)
		want = map[string]string{
			"language": "de:1", "hashtags": "tee:1", "mentions": "", "linkDomains": "", "sentiment": "negative:1",
			"assetTags": "", "userTags": "", "postType": "text_post:1",
		}
		s.eventually(t, "the change is enriched", func() bool { return reflect.DeepEqual(s.facets(t, fields), want) })
		s.Do(t, "DELETE", s.PostsPath(id), nil).Want(t, http.StatusOK)
		for field, values := range s.facets(t, "") {
			if values != "" {
				t.Errorf("%s of a deleted post is still counted: %s", field, values)
			}
		}
	})
}

func TestEnrichmentUsesTheConfiguredModelWithFallback(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if !strings.Contains(string(body), "ask the model") {
				http.Error(w, "out of order", http.StatusInternalServerError)
				return
			}
			fmt.Fprint(w, `{"choices":[{"message":{"role":"assistant","content":"{\"language\":\"eo\",\"topics\":[\"model topic\"],\"sentiment\":\"negative\"}"}}],"usage":{"total_tokens":10}}`)
		}))
		t.Cleanup(model.Close)
		s := postServer{startServer(t, db, func(a *server.Config) {
			a.Enrich = server.Enrich{URL: model.URL, Model: "small", DailyTokens: 1_000_000}
		})}
		s.NewPostID(t, object{"text": "We love to ask the model #ask"})
		want := map[string]string{"language": "eo:1", "topics": "model topic:1", "sentiment": "negative:1",
			"hashtags": "ask:1"}
		s.eventually(t, "the model was asked",
			func() bool { return reflect.DeepEqual(s.facets(t, "language,topics,sentiment,hashtags"), want) })
		s.NewPostID(t, object{"text": "We love the new coffee. What a wonderful day! #coffee"})
		want = map[string]string{"language": "en:1 eo:1", "sentiment": "negative:1 positive:1",
			"hashtags": "ask:1 coffee:1"}
		s.eventually(t, "the local analyser helped out",
			func() bool { return reflect.DeepEqual(s.facets(t, "language,sentiment,hashtags"), want) })
	})
}

// eventually waits until a condition holds that a background job fulfills.
func (s postServer) eventually(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(2 * time.Minute)
	for !holds() {
		select {
		case <-deadline:
			tb.Fatalf("it never came true that %s; facets: %v", what, s.facets(tb, ""))
		case <-tick.C:
		}
	}
}

func TestRetaggedAssetsAreRecounted(t *testing.T) {
	t.Parallel()
	eachPostServer(t, func(t *testing.T, s postServer) {
		photo, other := s.InsertImage(t, "old"), s.InsertImage(t, "old", "other")
		for range 3 {
			s.NewPostID(t, object{"assetIds": []any{photo}})
		}
		s.NewPostID(t, object{"assetIds": []any{photo, other}})
		retag := func() map[string]string {
			if err := s.Node.Services.Facets.Retag(context.Background(),
				job.RetagPosts{AssetID: crier.ID(photo)}); err != nil {
				t.Fatal(err)
			}
			return s.facets(t, "assetTags")
		}
		s.Exec(t, `UPDATE assets SET tags = '["new"]' WHERE id = $1`, photo)
		if got := retag()["assetTags"]; got != "new:4 old:1 other:1" {
			t.Errorf("after new tags: %s", got)
		}
		s.Exec(t, `UPDATE assets SET deleted_at = created_at WHERE id = $1`, photo)
		if got := retag()["assetTags"]; got != "old:1 other:1" {
			t.Errorf("after the deletion: %s", got)
		}
	})
}

// TestFacetsEqualAFullRecountAfterManyChangesInParallel has eight workers compete for every counter. CRIER_TEST_CHANGES
// sets the number of changes, as make fuzz does.
func TestFacetsEqualAFullRecountAfterManyChangesInParallel(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startPostServer(t, db)
		c := newChanger(t, s)
		const workers = 8
		changes := servertest.NumberFrom(t, "CRIER_TEST_CHANGES", 1000)
		var group sync.WaitGroup
		for w := range workers {
			group.Go(func() {
				random := rand.New(rand.NewPCG(42, uint64(w)))
				for range changes / workers {
					if err := c.change(random); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		group.Wait()
		if t.Failed() {
			return
		}
		if n := s.Number(t, `SELECT count(*) FROM (SELECT p.team_id, f.field, f.value, count(*) AS n FROM post_facets f
			JOIN posts p ON p.id = f.post_id
			GROUP BY p.team_id, f.field, f.value) AS real FULL OUTER JOIN facet_counts c
			ON c.team_id = real.team_id AND c.field = real.field AND c.value = real.value
			WHERE c.post_count IS NULL OR real.n IS NULL OR c.post_count <> real.n`); n != 0 {
			t.Errorf("%d counts differ from the rows that they count", n)
		}
		c.enrichAll(t)
		c.compare(t)
	})
}

// changer makes random changes through the services, as requests and jobs do.
type changer struct {
	s      postServer
	scope  access.TeamScope
	tags   []crier.ID
	assets []crier.ID

	mu    sync.Mutex
	posts []crier.ID
}

func newChanger(tb testing.TB, s postServer) *changer {
	tb.Helper()
	ctx := context.Background()
	caller, err := s.Node.Services.Access.Authenticate(ctx, s.Key)
	if err != nil {
		tb.Fatal(err)
	}
	scope, err := s.Node.Services.Access.Team(ctx, caller, s.Team, crier.WritePosts)
	if err != nil {
		tb.Fatal(err)
	}
	c := &changer{s: s, scope: scope}
	for i := range 12 {
		c.tags = append(c.tags, crier.ID(s.NewTag(tb, fmt.Sprintf("tag %d", i))))
		c.assets = append(c.assets,
			crier.ID(s.InsertImage(tb, fmt.Sprintf("colour-%d", i%5), fmt.Sprintf("shape-%d", i%3))))
	}
	return c
}

func (c *changer) pick(random *rand.Rand) crier.ID {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.posts) == 0 {
		return ""
	}
	return c.posts[random.IntN(len(c.posts))]
}

func (c *changer) add(id crier.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.posts = append(c.posts, id)
}

func some(random *rand.Rand, ids []crier.ID, most int) []crier.ID {
	shuffled := slices.Clone(ids)
	random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	return shuffled[:random.IntN(most+1)]
}

var randomTexts = []string{
	"We love the new coffee #coffee #spring", "Schade, der Kaffee ist kalt. #kaffee", "新しいコーヒー豆が届きました #コーヒー", "",
	"@ada and @grace look at https://example.com/a",
	"Terrible weather again, what a sad day #rain", "قهوة جديدة في القاهرة",
	"https://go.dev and https://example.org #go", "#coffee", "Un café très agréable #café",
}

// change makes one change. Posts that another worker has deleted meanwhile are no error.
func (c *changer) change(random *rand.Rand) error {
	ctx, services, id := context.Background(), c.s.Node.Services, c.pick(random)
	text := randomTexts[random.IntN(len(randomTexts))] + fmt.Sprintf(" #tag%d", random.IntN(40))
	var err error
	switch kind := random.IntN(20); {
	case id == "" || kind < 5:
		var p crier.Post
		p, err = services.Posts.Create(ctx, c.scope, crier.PostCreate{Text: &text, AssetIDs: some(random, c.assets, 3)})
		if err == nil {
			c.add(p.ID)
		}
	case kind < 9:
		_, err = services.Posts.Update(ctx, c.scope, id,
			crier.PostUpdate{Text: crier.Some(text), AssetIDs: crier.Some(some(random, c.assets, 3))})
	case kind < 12:
		_, err = services.Posts.SetTags(ctx, c.scope, id, crier.PostTagsUpdate{TagIDs: some(random, c.tags, 4)})
	case kind < 14:
		_, err = services.Posts.Delete(ctx, c.scope, id, false)
	case kind < 15:
		name := crier.TagName(fmt.Sprintf("tag %d", random.IntN(1000)))
		_, err = services.Tags.Update(ctx, c.scope, c.tags[random.IntN(len(c.tags))],
			crier.TagUpdate{Name: crier.Some(name)})
	case kind < 16:
		status := []crier.PostStatus{crier.PostArchived, crier.PostDraft, crier.PostApproved}[random.IntN(3)]
		_, err = services.Posts.SetStatus(ctx, c.scope, id, crier.PostStatusUpdate{Status: status})
	default:
		var p crier.Post
		if p, err = services.Posts.Get(ctx, c.scope, id, false); err == nil {
			err = services.Facets.Enrich(ctx, job.EnrichPost{PostID: id, PayloadID: p.ContentPayloadID})
		}
	}
	var known *crier.Error
	if errors.As(err, &known) && (known.Kind == crier.KindNotFound || known.Kind == crier.KindConflict) {
		return nil
	}
	return err
}

// enrichAll runs the work of the changes' jobs.
func (c *changer) enrichAll(tb testing.TB) {
	tb.Helper()
	ctx := context.Background()
	for _, id := range c.posts {
		p, err := c.s.Node.Services.Posts.Get(ctx, c.scope, id, false)
		if err != nil {
			continue // deleted
		}
		if err := c.s.Node.Services.Facets.Enrich(ctx,
			job.EnrichPost{PostID: id, PayloadID: p.ContentPayloadID}); err != nil {
			tb.Fatal(err)
		}
	}
}

// compare recounts all posts, from the responses of the API.
func (c *changer) compare(tb testing.TB) {
	tb.Helper()
	ctx := context.Background()
	want := map[crier.FacetField]map[string]int64{}
	count := func(field crier.FacetField, values ...string) {
		for _, v := range values {
			if want[field] == nil {
				want[field] = map[string]int64{}
			}
			want[field][v]++
		}
	}
	live, listed := 0, int64(0)
	for _, id := range c.posts {
		p, err := c.s.Node.Services.Posts.Get(ctx, c.scope, id, false)
		if err != nil {
			continue
		}
		live++
		if p.Status != crier.PostArchived {
			listed++
		}
		count(crier.FacetPostType, string(p.PostType))
		count(crier.FacetAssetTags, p.AssetTags...)
		for _, tag := range p.UserTags {
			count(crier.FacetUserTags, tag.Name)
		}
		facts := enrich.Text(p.Text)
		if facts.Language != enrich.Undetermined {
			count(crier.FacetLanguage, facts.Language)
		}
		count(crier.FacetHashtags, facts.Hashtags...)
		count(crier.FacetMentions, facts.Mentions...)
		count(crier.FacetLinkDomains, facts.LinkDomains...)
		count(crier.FacetTopics, facts.Topics...)
		count(crier.FacetSentiment, string(facts.Sentiment))
	}
	if live < 50 {
		tb.Errorf("only %d posts are left: the test proves little", live)
	}
	got, err := c.s.Node.Services.Facets.Get(ctx, c.scope, nil)
	if err != nil {
		tb.Fatal(err)
	}
	for _, facet := range got.Data {
		counted := map[string]int64{}
		for _, v := range facet.Values {
			counted[v.Value] = v.PostCount
		}
		if !maps.Equal(counted, want[facet.Field]) && len(want[facet.Field])+len(counted) > 0 {
			tb.Errorf("%s is counted as %v, a recount says %v", facet.Field, counted, want[facet.Field])
		}
	}
	q, err := c.s.Node.Services.Pages.Query(pagination.Request{List: "posts", SortBy: "createdAt", Limit: 1})
	if err != nil {
		tb.Fatal(err)
	}
	page, err := c.s.Node.Services.Posts.List(ctx, c.scope, service.PostFilter{}, q)
	if err != nil || page.Total != listed {
		tb.Errorf("the list counts %d posts, a recount says %d: %v", page.Total, listed, err)
	}
}
