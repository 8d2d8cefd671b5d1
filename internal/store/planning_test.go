package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// on sets the account of a publication.
func on(a store.Account) func(*store.Publication) {
	return func(p *store.Publication) { p.SocialAccountID, p.Provider = a.ID, a.Provider }
}

// at sets when a publication is due, and its status.
func at(when crier.Time, status crier.ScheduledPostStatus) func(*store.Publication) {
	return func(p *store.Publication) { p.ScheduledAt, p.Status = when, status }
}

func TestPlanningReadsThePostItsAccountsAndWhatWasPlannedBefore(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		free, gone := f.NewAccount(crier.ProviderLinkedIn), f.NewAccount(crier.ProviderThreads)
		post := f.NewPost("Hello")
		live := f.Schedule(post)
		f.Schedule(post, on(gone), at(f.Now, crier.Published))
		f.Schedule(f.NewPost("another"), on(free))
		wanted := []crier.ID{f.Account.ID, free.ID, crier.NewID()}
		var plan store.Planning
		f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
			plan, err = tx.LockForPlanning(ctx, f.Team.ID, post.ID, wanted)
			return err
		})
		if plan.Post.ID != post.ID || plan.Post.Status != crier.PostDraft ||
			plan.Post.PayloadID != post.ContentPayloadID || plan.Content.PostType != crier.TextPost ||
			plan.Content.Input.Text() != "Hello" {
			t.Errorf("the post is %+v with %+v", plan.Post, plan.Content)
		}
		if len(plan.Accounts) != 2 || plan.Accounts[free.ID].Provider != crier.ProviderLinkedIn {
			t.Errorf("the accounts are %v", plan.Accounts)
		}
		if len(plan.Live) != 1 || plan.Live[f.Account.ID].ID != live.ID || len(plan.Published) != 1 ||
			!plan.Published[gone.ID] || len(plan.Newest) != 2 {
			t.Errorf("live %v, published %v, newest %v", plan.Live, plan.Published, plan.Newest)
		}
		// A plan that is updated in memory and written gives the same row as reading everything again.
		later := f.After(-time.Hour)
		plan.Newest.Plan(free.ID, later)
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.RefreshPost(ctx, f.After(time.Minute), post.ID, plan.Newest)
		})
		got, err := f.Post(context.Background(), f.Team.ID, post.ID, false)
		if err != nil || got.DeliveryState != crier.DeliveryOf([]crier.ScheduledPostStatus{crier.Scheduled,
			crier.Published, crier.Scheduled}) || got.SaveDestination != crier.SavedToQueue ||
			f.Scan(`SELECT count(*) FROM posts WHERE id = $1 AND scheduled_at = $2`, post.ID, later) != 1 {
			t.Errorf("%s, %s, %v", got.DeliveryState, got.SaveDestination, err)
		}
	})
}

func TestPlanningRefusesPostsOfOthersAndDeletedOnes(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		post, deleted, other := f.NewPost("x"), f.NewPost("y"), f.NewTeam("Sales")
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.DeletePost(ctx, deleted.ID, f.Now) })
		for name, c := range map[string]struct{ team, post crier.ID }{
			"another team's": {other.ID, post.ID},
			"deleted":        {f.Team.ID, deleted.ID},
			"unknown":        {f.Team.ID, crier.NewID()},
		} {
			for what, lock := range map[string]func(ctx context.Context, tx *store.Tx) error{
				"planning": func(ctx context.Context, tx *store.Tx) error {
					_, err := tx.LockForPlanning(ctx, c.team, c.post, []crier.ID{f.Account.ID})
					return err
				},
				"head": func(ctx context.Context, tx *store.Tx) error {
					_, err := tx.LockPostHead(ctx, c.team, c.post)
					return err
				},
				"update": func(ctx context.Context, tx *store.Tx) error {
					_, err := tx.PostForUpdate(ctx, c.team, c.post)
					return err
				},
			} {
				if err := f.TryTx(lock); kindOf(err) != crier.KindNotFound ||
					err.Error() != "There is no post "+string(c.post)+"." {
					t.Errorf("%s, %s: %v", name, what, err)
				}
			}
		}
		for name, err := range map[string]error{
			"a second deletion": f.TryTx(func(ctx context.Context, tx *store.Tx) error {
				return tx.DeletePost(ctx, deleted.ID, f.Now)
			}),
			"an approval": f.TryTx(func(ctx context.Context, tx *store.Tx) error {
				return tx.Approve(ctx, crier.NewID(), f.Now)
			}),
			"a post in a deleted team": f.TryTx(func(ctx context.Context, tx *store.Tx) error {
				if err := tx.DeleteTeam(ctx, other, f.Now); err != nil {
					return err
				}
				p := deleted
				p.ID, p.TeamID = crier.NewID(), other.ID
				return tx.InsertPost(ctx, p)
			}),
		} {
			if kindOf(err) != crier.KindNotFound {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestTakenInstantsAreThoseOfLiveAndPublishedPosts(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, other := context.Background(), f.NewAccount(crier.ProviderLinkedIn)
		first := f.Schedule(f.NewPost("1"))
		second := f.Schedule(f.NewPost("2"), on(other), at(f.Now, crier.Published))
		third := f.Schedule(f.NewPost("3"), at(f.After(time.Hour), crier.Unknown))
		for i, status := range []crier.ScheduledPostStatus{crier.Canceled, crier.Failed, crier.Missed} {
			f.Schedule(f.NewPost(string(status)), at(f.After(time.Duration(i)*time.Minute), status))
		}
		f.Schedule(f.NewPost("end"), at(f.After(2*time.Hour), crier.Scheduled))
		f.Follow(first, store.FirstComment, at(f.After(90*time.Minute), crier.Scheduled))
		read := func(accounts ...crier.ID) (out []string) {
			taken, err := f.TakenInstants(ctx, f.Team.ID, accounts, f.Now, f.After(2*time.Hour))
			if err != nil {
				t.Fatal(err)
			}
			for when, list := range taken {
				for _, s := range list {
					out = append(out,
						fmt.Sprintf("%s %s %s %s", when.Sub(f.Now.Time), s.Status, s.ScheduledPostID, s.PostID))
				}
			}
			slices.Sort(out)
			return out
		}
		show := func(after string, p store.Publication) string {
			return fmt.Sprintf("%s %s %s %s", after, p.Status, p.ID, p.PostID)
		}
		all := slices.Sorted(slices.Values([]string{show("0s", first), show("0s", second), show("1h0m0s", third)}))
		if got := read(); !slices.Equal(got, all) {
			t.Errorf("of all accounts %q, want %q", got, all)
		}
		if got := read(other.ID); !slices.Equal(got, []string{show("0s", second)}) {
			t.Errorf("of one account %q", got)
		}
		if got := read(crier.NewID()); got != nil {
			t.Errorf("of an unknown account %q", got)
		}
	})
}

func TestVersionsAreReplacedOnlyByWhoBeganThemAndWhileUnused(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, credential := context.Background(), crier.NewID()
		post := f.NewPost("one")
		version := func(text string, after time.Duration) store.Payload {
			return store.Payload{ID: crier.NewID(), PostID: post.ID, Text: text, CreatedAt: f.After(after),
				CredentialID: &credential, PostInput: crier.PostInput{Atomic: &crier.AtomicPost{Text: text}}}
		}
		two := version("two", time.Minute)
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertPayload(ctx, two) })
		replaceable := func(payload, by crier.ID, after time.Duration) bool {
			ok, err := f.Replaceable(ctx, post.ID, payload, by, f.After(after))
			if err != nil {
				t.Fatal(err)
			}
			return ok
		}
		for name, c := range map[string]struct {
			payload, by crier.ID
			after       time.Duration
			want        bool
		}{
			"its own":              {two.ID, credential, 0, true},
			"begun too early":      {two.ID, credential, time.Minute, false},
			"another credential":   {two.ID, crier.NewID(), 0, false},
			"nobody knows whose":   {post.ContentPayloadID, credential, -aDay, false},
			"an unknown version":   {crier.NewID(), credential, 0, false},
			"another post's is it": {f.NewPost("z").ContentPayloadID, credential, -aDay, false},
		} {
			if got := replaceable(c.payload, c.by, c.after); got != c.want {
				t.Errorf("%s: %v", name, got)
			}
		}
		three := version("three", time.Hour)
		text := "for X"
		x := crier.ProviderX
		three.PostInput.Variants = []crier.PostVariant{{Provider: &x, Text: &text}}
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.ReplacePayload(ctx, two.ID, three) })
		got, err := f.Payloads(ctx, []crier.ID{two.ID, three.ID, post.ContentPayloadID})
		if err != nil || len(got) != 2 || got[three.ID].Version != 2 || got[three.ID].Text != "three" ||
			!got[three.ID].CreatedAt.Equal(two.CreatedAt.Time) || len(got[three.ID].PostInput.Variants) != 1 {
			t.Errorf("%+v, %v", got, err)
		}
		if err := f.TryTx(func(ctx context.Context, tx *store.Tx) error {
			return tx.ReplacePayload(ctx, two.ID, version("four", 0))
		}); kindOf(err) != crier.KindNotFound {
			t.Errorf("a version that was replaced already: %v", err)
		}
		f.Schedule(post, func(p *store.Publication) { p.PayloadID = three.ID })
		if replaceable(three.ID, credential, 0) {
			t.Error("a version that is scheduled may be replaced")
		}
		if n, err := f.PayloadCount(ctx, post.ID); err != nil || n != 2 {
			t.Errorf("%d versions, %v", n, err)
		}
	})
}

func TestVersionsArePagedByTime(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, post := context.Background(), f.NewPost("1")
		for i := range 4 {
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				return tx.InsertPayload(ctx, store.Payload{ID: crier.NewID(), PostID: post.ID, Text: fmt.Sprint(i + 2),
					PostInput: *post.PostInput, CreatedAt: f.After(time.Duration(i+1) * time.Minute)})
			})
		}
		var texts []string
		var numbers []int
		for _, y := range pages(t, func(q store.PageQuery) (store.PageRows[store.Payload], error) {
			return f.PayloadPage(ctx, post.ID, q)
		}, "createdAt") {
			texts, numbers = append(texts, y.Text), append(numbers, y.Version)
		}
		if !slices.Equal(texts, []string{"1", "2", "3", "4", "5"}) || !slices.Equal(numbers, []int{1, 2, 3, 4, 5}) {
			t.Errorf("versions %v with %q", numbers, texts)
		}
		if page, err := f.PayloadPage(ctx, crier.NewID(), store.PageQuery{Sort: "createdAt", Limit: 1}); err != nil ||
			len(page.Rows) != 0 || page.Before || page.After {
			t.Errorf("of an unknown post: %+v, %v", page, err)
		}
		if _, err := f.PayloadPage(ctx, post.ID, store.PageQuery{Sort: "text", Limit: 1}); err == nil ||
			err.Error() != `list versions: no sort named "text"` {
			t.Errorf("by text: %v", err)
		}
	})
}

func TestPostContentAndCurrentVersion(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, post := context.Background(), f.NewPost("Hello")
		content, err := f.PostContent(ctx, post.ContentPayloadID)
		current, err2 := f.CurrentPayload(ctx, post.ID)
		if err != nil || err2 != nil || content.Input.Text() != "Hello" || content.PostType != crier.TextPost ||
			current != post.ContentPayloadID {
			t.Errorf("%+v, %v; %v, %v", content, current, err, err2)
		}
		if _, err := f.PostContent(ctx, post.ID); kindOf(err) != crier.KindNotFound {
			t.Errorf("content by the id of its post: %v", err)
		}
		if _, err := f.CurrentPayload(ctx, post.ContentPayloadID); kindOf(err) != crier.KindNotFound {
			t.Errorf("the version of a version: %v", err)
		}
		if gone, err := f.PostGone(ctx, post.ID); err != nil || gone {
			t.Errorf("a present post: %v, %v", gone, err)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.DeleteTeam(ctx, f.Team, f.Now) })
		if gone, err := f.PostGone(ctx, post.ID); err != nil || !gone {
			t.Errorf("of a deleted team: %v, %v", gone, err)
		}
		if _, err := f.PostGone(ctx, crier.NewID()); kindOf(err) != crier.KindNotFound {
			t.Errorf("an unknown post: %v", err)
		}
	})
}

func TestAttachmentsAreCompletedFromTheLibrary(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, width, height, alt := context.Background(), 640, 480, "A beach"
		asset := f.NewAsset(func(a *store.Asset) {
			a.Width, a.Height, a.AltText, a.AssetTags = &width, &height, &alt, []string{"sea", "beach"}
		})
		waiting := f.NewAsset(func(a *store.Asset) { a.Status, a.AssetTags = crier.AssetProcessing, []string{"sea"} })
		deleted := f.NewAsset(func(a *store.Asset) { a.AssetTags = []string{"gone"} })
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.DeleteAsset(ctx, deleted, f.Now) })
		purged := crier.NewID()
		input := crier.PostInput{Atomic: &crier.AtomicPost{Text: "Hello"}}
		for _, id := range []crier.ID{waiting.ID, asset.ID, deleted.ID, purged} {
			input.Atomic.Attachments = append(input.Atomic.Attachments,
				crier.Attachment{Media: &crier.MediaAttachment{Asset: crier.AttachedAsset{AssetID: id}}})
		}
		link := &crier.LinkAttachment{URL: "https://example.com"}
		input.Atomic.Attachments = append(input.Atomic.Attachments, crier.Attachment{Link: link})
		var p store.Post
		p.TeamID, p.PostInput = f.Team.ID, &input
		posts := []store.Post{p}
		if err := f.AddAssetFacts(ctx, posts); err != nil {
			t.Fatal(err)
		}
		got := posts[0]
		if !slices.Equal(got.AssetTags, []string{"beach", "sea"}) ||
			!slices.Equal(got.Thumbnails, []crier.ID{asset.ID}) {
			t.Errorf("tags %q, thumbnails %v", got.AssetTags, got.Thumbnails)
		}
		attached := got.PostInput.Atomic.Attachments
		if a := attached[1].Media.Asset; a.Width != 640 || a.Height != 480 || a.AltText != alt ||
			a.MimeType != "image/png" || a.ByteSize != 5 {
			t.Errorf("the asset is attached as %+v", a)
		}
		if a := attached[3].Media.Asset; a != (crier.AttachedAsset{AssetID: purged}) || attached[4].Link != link {
			t.Errorf("a purged asset is attached as %+v", a)
		}
		if err := f.AddAssetFacts(ctx, nil); err != nil {
			t.Errorf("of no posts: %v", err)
		}
		foreign := f.NewTeam("Sales").ID
		for name, c := range map[string]struct {
			team crier.ID
			ids  []crier.ID
			want int
		}{
			"also deleted ones": {f.Team.ID, []crier.ID{asset.ID, deleted.ID, purged}, 2},
			"another team's":    {foreign, []crier.ID{asset.ID, deleted.ID}, 0}, "none": {f.Team.ID, nil, 0},
		} {
			facts, err := f.AssetFacts(ctx, c.team, c.ids)
			if err != nil || len(facts) != c.want ||
				c.want > 0 && (!facts[deleted.ID].Deleted || facts[asset.ID].Deleted) {
				t.Errorf("%s: %+v, %v", name, facts, err)
			}
		}
		for name, c := range map[string]struct {
			team crier.ID
			ids  []crier.ID
			want int
		}{
			"no deleted ones": {f.Team.ID, []crier.ID{asset.ID, deleted.ID, purged}, 1},
			"another team's":  {foreign, []crier.ID{asset.ID}, 0}, "none": {f.Team.ID, nil, 0},
		} {
			if list, err := f.AssetsByID(ctx, c.team, c.ids); err != nil || len(list) != c.want {
				t.Errorf("by id, %s: %+v, %v", name, list, err)
			}
		}
	})
}

// The response to a new post is built without reading it; it must equal what a read would return.
func TestANewPostIsToldAsItWouldBeRead(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		asset := f.NewAsset(func(a *store.Asset) { a.AssetTags = []string{"sea"} })
		input := crier.PostInput{Atomic: &crier.AtomicPost{Kind: "atomic", Text: "Hello",
			Attachments: []crier.Attachment{{Media: &crier.MediaAttachment{Kind: "media",
				Asset: crier.AttachedAsset{AssetID: asset.ID}}}}}}
		title := "Launch"
		p := store.Post{Post: crier.Post{ID: crier.NewID(), TeamID: f.Team.ID, PostType: crier.TextImage, Title: &title,
			Status: crier.PostDraft, ContentPayloadID: crier.NewID(), CreatedAt: f.Now, UpdatedAt: f.Now}}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			if err := tx.InsertPost(ctx, p); err != nil {
				return err
			}
			if err := tx.InsertPayload(ctx, store.Payload{ID: p.ContentPayloadID, PostID: p.ID, Text: "Hello",
				PostInput: input, CreatedAt: f.Now}); err != nil {
				return err
			}
			return tx.ReplacePostAssets(ctx, p.ID, []crier.ID{asset.ID})
		})
		facts, err := f.AssetFacts(context.Background(), f.Team.ID, []crier.ID{asset.ID})
		if err != nil {
			t.Fatal(err)
		}
		told, err := json.Marshal(p.New(input, facts).Post)
		if err != nil {
			t.Fatal(err)
		}
		read, err := f.Post(context.Background(), f.Team.ID, p.ID, false)
		if err != nil {
			t.Fatal(err)
		}
		if want, err := json.Marshal(read.Post); err != nil || string(want) != string(told) {
			t.Errorf("told\n%s\nread\n%s\n%v", told, want, err)
		}
	})
}

func TestWhatHasNotBegunIsLockedWithOrWithoutItsActions(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		other, post := f.NewAccount(crier.ProviderLinkedIn), f.NewPost("x")
		waits := f.Schedule(post)
		begun := f.Schedule(post, on(other), at(f.Now, crier.Publishing))
		over := f.Schedule(f.NewPost("y"), at(f.Now, crier.Published))
		comment := f.Follow(begun, store.FirstComment)
		late := f.Follow(over, store.FirstComment)
		for name, c := range map[string]struct {
			read func(ctx context.Context, tx *store.Tx) ([]store.Publication, error)
			want []crier.ID
		}{
			"a post": {func(ctx context.Context, tx *store.Tx) ([]store.Publication, error) {
				return tx.LockScheduled(ctx, post.ID, false)
			}, []crier.ID{waits.ID, comment.ID}},
			"a post without its actions": {func(ctx context.Context, tx *store.Tx) ([]store.Publication, error) {
				return tx.LockScheduled(ctx, post.ID, true)
			}, []crier.ID{waits.ID}},
			"a team": {func(ctx context.Context, tx *store.Tx) ([]store.Publication, error) {
				return tx.LockTeamPending(ctx, f.Team.ID)
			}, []crier.ID{waits.ID, comment.ID, late.ID}},
			"another team": {func(ctx context.Context, tx *store.Tx) ([]store.Publication, error) {
				return tx.LockTeamPending(ctx, f.Owner.ID)
			}, nil},
		} {
			var got []crier.ID
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				list, err := c.read(ctx, tx)
				for _, p := range list {
					got = append(got, p.ID)
				}
				return err
			})
			slices.Sort(c.want)
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: %v, want %v", name, got, c.want)
			}
		}
	})
}

func TestPublishedActionsAreTheNewestFirst(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, parent := context.Background(), f.Schedule(f.NewPost("x"))
		comment, repost := f.Follow(parent, store.FirstComment), f.Follow(parent, store.RepostPublication)
		late := f.Follow(parent, store.EngagementComment)
		if list, err := f.RunningActions(ctx, parent.ID); err != nil || len(list) != 0 {
			t.Errorf("running before: %v, %v", list, err)
		}
		mustExec(t, f.Store, `UPDATE publications SET status = 'publishing' WHERE id = $1`, late.ID)
		if list, err := f.RunningActions(ctx, parent.ID); err != nil || len(list) != 1 || list[0].ID != late.ID {
			t.Errorf("running: %v, %v", list, err)
		}
		for i, p := range []store.Publication{comment, repost} {
			mustExec(t, f.Store, `UPDATE publications SET status = 'published', published_at = $2 WHERE id = $1`, p.ID,
				f.After(time.Duration(i)*time.Minute))
		}
		list, err := f.PublishedActions(ctx, parent.ID)
		if err != nil || len(list) != 2 || list[0].ID != repost.ID || list[1].ID != comment.ID || !list[0].IsAction() ||
			list[0].ScheduledPostID != parent.ID {
			t.Errorf("%+v, %v", list, err)
		}
		if list, err := f.PublishedActions(ctx, comment.ID); err != nil || len(list) != 0 {
			t.Errorf("of an action: %v, %v", list, err)
		}
		second := f.Follow(parent, store.FirstComment) // a second one of its kind is ignored
		if _, err := f.Publication(ctx, second.ID); kindOf(err) != crier.KindNotFound {
			t.Errorf("a second first comment: %v", err)
		}
	})
}

func TestPlatformPostsAreKnownByAccount(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		p := f.Schedule(f.NewPost("x"))
		mustExec(t, f.Store, `UPDATE publications SET platform_post_id = '17' WHERE id = $1`, p.ID)
		other := f.NewAccount(crier.ProviderLinkedIn)
		for name, c := range map[string]struct {
			account crier.ID
			post    string
			except  crier.ID
			want    bool
		}{
			"known":             {f.Account.ID, "17", crier.NewID(), true},
			"its own":           {f.Account.ID, "17", p.ID, false},
			"another post":      {f.Account.ID, "1", crier.NewID(), false},
			"another account":   {other.ID, "17", crier.NewID(), false},
			"no platform id":    {f.Account.ID, "", crier.NewID(), false},
			"a quote in the id": {f.Account.ID, "17' OR '1'='1", crier.NewID(), false},
		} {
			if got, err := f.HasPlatformPost(context.Background(), c.account, c.post, c.except); err != nil ||
				got != c.want {
				t.Errorf("%s: %v, %v", name, got, err)
			}
		}
	})
}

func TestTheCalendarShowsWhatEachAccountPublishes(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, linkedIn := context.Background(), f.NewAccount(crier.ProviderLinkedIn)
		shared, own, waiting := f.NewAsset(), f.NewAsset(), f.NewAsset(func(a *store.Asset) {
			a.Status = crier.AssetProcessing
		})
		media := func(ids ...crier.ID) (list []crier.Attachment) {
			for _, id := range ids {
				list = append(list,
					crier.Attachment{Media: &crier.MediaAttachment{Asset: crier.AttachedAsset{AssetID: id}}})
			}
			return list
		}
		network, text, attached := crier.ProviderLinkedIn, strings.Repeat("ö", 300), media(own.ID)
		post := f.NewPost("Hello")
		input := crier.PostInput{Atomic: &crier.AtomicPost{Text: "Hello", Attachments: media(waiting.ID, shared.ID)},
			Variants: []crier.PostVariant{{Provider: &network, Text: &text, Attachments: &attached,
				PostType: crier.TextImage}}}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			if err := tx.ReplacePayload(ctx, post.ContentPayloadID, store.Payload{ID: post.ContentPayloadID,
				PostID: post.ID, Text: "Hello", PostInput: input}); err != nil {
				return err
			}
			return tx.ReplacePostAssets(ctx, post.ID, []crier.ID{waiting.ID, shared.ID, own.ID})
		})
		f.Schedule(post)
		f.Schedule(post, on(linkedIn), at(f.After(time.Minute), crier.Scheduled))
		plain := f.NewPost("plain")
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.ReplacePostAssets(ctx, plain.ID, []crier.ID{waiting.ID, own.ID, shared.ID})
		})
		f.Schedule(plain, at(f.After(2*time.Minute), crier.Scheduled))
		rows, err := f.CalendarRows(ctx, f.Team.ID, false, f.Now, f.After(time.Hour), 10)
		if err != nil || len(rows) != 3 {
			t.Fatalf("%+v, %v", rows, err)
		}
		if r := rows[0]; r.Text != "Hello" || r.PostType != crier.TextPost || r.Thumbnail == nil ||
			*r.Thumbnail != shared.ID {
			t.Errorf("on X: %+v", r)
		}
		if r := rows[1]; r.Text != strings.Repeat("ö", 280) || r.PostType != crier.TextImage || r.Thumbnail == nil ||
			*r.Thumbnail != own.ID {
			t.Errorf("on LinkedIn: %+v", r)
		}
		if r := rows[2]; r.Thumbnail == nil || *r.Thumbnail != own.ID || r.Kind != "scheduled_post" ||
			r.AccountName != "Acme" || r.NeedsAttention || r.LateMillis != nil || r.UserTags == nil {
			t.Errorf("without variants: %+v", r)
		}
	})
}

func TestTheCalendarTellsLatenessTagsAndProblems(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		sent, broken := f.Schedule(f.NewPost("sent")), f.Schedule(f.NewPost("broken"), at(f.After(time.Minute),
			crier.Scheduled))
		canceled := f.Schedule(f.NewPost("canceled"), at(f.Now, crier.Canceled))
		var tags []crier.ID
		for _, name := range []string{"b", "a"} {
			tag := crier.Tag{ID: crier.NewID(), TeamID: f.Team.ID, Name: name, CreatedAt: f.Now, UpdatedAt: f.Now}
			f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertTag(ctx, tag, name) })
			tags = append(tags, tag.ID)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			if err := tx.InsertAttempt(ctx, sending(f, sent, 1200*time.Millisecond)); err != nil {
				return err
			}
			_, err := tx.ReplacePostTags(ctx, sent.PostID, nil, tags)
			return err
		})
		mustExec(t, f.Store, `UPDATE publications SET status = 'published', wake_at = NULL, permalink = 'https://x.example/1'
			WHERE id = $1`, sent.ID)
		owner := crier.NewID()
		leased := f.Lease(owner, broken)[0]
		settle(t, f.Store, f.Now, settlement(leased, owner, func(p *store.Publication) {
			code, message := "refused", "No."
			p.Status, p.ErrorCode, p.ErrorMessage, p.WakeAt = crier.Failed, &code, &message, nil
		}))
		rows, err := f.CalendarRows(ctx, f.Team.ID, false, f.Now, f.After(time.Hour), 10)
		if err != nil || len(rows) != 2 {
			t.Fatalf("%+v, %v", rows, err)
		}
		if r := rows[0]; !same(r.LateMillis, number(1200)) || r.Permalink != "https://x.example/1" || r.NeedsAttention ||
			len(r.UserTags) != 2 || r.UserTags[0].Name != "a" || *r.Status != crier.Published {
			t.Errorf("sent: %+v", r)
		}
		if r := rows[1]; r.ErrorCode != "refused" || !r.NeedsAttention || r.LateMillis != nil || len(r.UserTags) != 0 {
			t.Errorf("broken: %+v", r)
		}
		rows, err = f.CalendarRows(ctx, f.Team.ID, true, f.Now, f.After(time.Hour), 10)
		if err != nil || len(rows) != 1 || rows[0].ScheduledPostID != canceled.ID {
			t.Errorf("canceled: %+v, %v", rows, err)
		}
		dismiss := func() (known, changed bool) {
			f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
				known, changed, err = tx.Dismiss(ctx, broken.ID, f.After(time.Minute))
				return err
			})
			return known, changed
		}
		if known, changed := dismiss(); !known || !changed {
			t.Errorf("dismissed: %v, %v", known, changed)
		}
		if known, changed := dismiss(); !known || changed {
			t.Errorf("dismissed again: %v, %v", known, changed)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			if known, changed, err := tx.Dismiss(ctx, sent.ID, f.Now); err != nil || known || changed {
				t.Errorf("nothing is wrong with it: %v, %v, %v", known, changed, err)
			}
			return nil
		})
		rows, err = f.CalendarRows(ctx, f.Team.ID, false, f.After(time.Minute), f.After(time.Hour), 10)
		if err != nil || len(rows) != 1 || rows[0].NeedsAttention {
			t.Errorf("after it was dismissed: %+v, %v", rows, err)
		}
	})
}
