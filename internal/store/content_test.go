package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

func TestFacetsAreCountedWithEveryChange(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		one, two := f.NewPost("1"), f.NewPost("2")
		replace := func(post crier.ID, facets map[crier.FacetField][]string) {
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				return tx.ReplaceFacets(ctx, f.Team.ID, post, facets)
			})
		}
		top := func(field crier.FacetField) []crier.FacetValue {
			list, err := f.TopFacets(context.Background(), f.Team.ID, field, 2)
			if err != nil {
				t.Fatal(err)
			}
			return list
		}
		replace(one.ID, map[crier.FacetField][]string{"hashtags": {"go", "sql"}, "language": {"en"}})
		replace(two.ID, map[crier.FacetField][]string{"hashtags": {"sql", "zen"}})
		if diff := cmp.Diff([]crier.FacetValue{{Value: "sql", PostCount: 2}, {Value: "go", PostCount: 1}},
			top("hashtags")); diff != "" {
			t.Errorf("hashtags (-want +got):\n%s", diff)
		}
		replace(one.ID, map[crier.FacetField][]string{"hashtags": {"zen"}}) // the language stays
		if diff := cmp.Diff([]crier.FacetValue{{Value: "zen", PostCount: 2}, {Value: "sql", PostCount: 1}},
			top("hashtags")); diff != "" {
			t.Errorf("hashtags (-want +got):\n%s", diff)
		}
		if got := top("language"); len(got) != 1 || got[0].PostCount != 1 {
			t.Errorf("languages %v", got)
		}
		f.Merge()
		if got := top("hashtags"); len(got) != 2 || got[0] != (crier.FacetValue{Value: "zen", PostCount: 2}) {
			t.Errorf("hashtags %v after merging", got)
		}
		if n := f.Scan(`SELECT count(*) FROM facet_counts WHERE post_count = 0`); n != 0 {
			t.Errorf("%d counts of nothing", n)
		}
	})
}

func TestWordsOfAPostAreReplaced(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		post := f.NewPost("x")
		for _, words := range [][]string{{"alpha", "beta"}, {"beta", "gamma"}, {}, {"delta"}} {
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				return tx.ReplaceWords(ctx, f.Team.ID, post.ID, words)
			})
			f.Merge()
			var got []string
			for _, row := range query(t, f.Store, `SELECT word FROM post_words ORDER BY word`) {
				got = append(got, row[0])
			}
			if !slices.Equal(got, words) && len(words) > 0 {
				t.Errorf("words %v, want %v", got, words)
			}
		}
	})
}

func TestPostsAreReadChangedAndDeleted(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		asset := f.NewAsset(func(a *store.Asset) { a.AssetTags = []string{"portrait"} })
		post := f.NewPost("Hello", func(p *store.Post) {
			p.PostInput.Atomic.Attachments = []crier.Attachment{{Media: &crier.MediaAttachment{
				Asset: crier.AttachedAsset{AssetID: asset.ID}}}}
		})
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.ReplacePostAssets(ctx, post.ID, []crier.ID{asset.ID})
		})
		got, err := f.Post(ctx, f.Team.ID, post.ID, false)
		if err != nil || got.Text != "Hello" || len(got.AssetTags) != 1 || len(got.Thumbnails) != 1 ||
			got.UserTags == nil {
			t.Errorf("%+v, %v", got, err)
		}
		if with, err := f.PostsWithAsset(ctx, asset.ID, "", 10); err != nil || len(with) != 1 {
			t.Errorf("%v, %v", with, err)
		}
		if with, err := f.PostsWithAsset(ctx, asset.ID, post.ID, 10); err != nil || len(with) != 0 {
			t.Errorf("after it: %v, %v", with, err)
		}
		title, second := "Title", crier.NewID()
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			p, err := tx.PostForUpdate(ctx, f.Team.ID, post.ID)
			if err != nil {
				return err
			}
			if err := tx.InsertPayload(ctx, store.Payload{ID: second, PostID: post.ID, Text: "Hi",
				PostInput: *p.PostInput,
				CreatedAt: f.Now}); err != nil {
				return err
			}
			p.Title, p.ContentPayloadID, p.UpdatedAt = &title, second, f.After(time.Minute)
			return errors.Join(tx.UpdatePost(ctx, p), tx.Approve(ctx, post.ID, f.After(time.Minute)))
		})
		versions, err := f.Payloads(ctx, []crier.ID{post.ContentPayloadID, second, crier.NewID()})
		if err != nil || len(versions) != 2 || versions[second].Version != 2 {
			t.Errorf("%+v, %v", versions, err)
		}
		current, err := f.CurrentPayload(ctx, post.ID)
		content, err2 := f.PostContent(ctx, second)
		if err != nil || err2 != nil || current != second || content.PostType != post.PostType {
			t.Errorf("%v, %+v; %v, %v", current, content, err, err2)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			head, err := tx.LockPostHead(ctx, f.Team.ID, post.ID)
			if err != nil || head.Status != crier.PostApproved || head.PayloadID != second {
				t.Errorf("%+v, %v", head, err)
			}
			p, err := tx.PostForJob(ctx, post.ID)
			if err != nil || p == nil || *p.Title != "Title" {
				t.Errorf("%+v, %v", p, err)
			}
			return errors.Join(tx.LockPost(ctx, post.ID), tx.DeletePost(ctx, post.ID, f.Now))
		})
		if _, err := f.Post(ctx, f.Team.ID, post.ID, false); kindOf(err) != crier.KindNotFound {
			t.Errorf("a deleted post: %v", err)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			if p, err := tx.PostForJob(ctx, post.ID); err != nil || p != nil {
				t.Errorf("%+v, %v", p, err)
			}
			return nil
		})
	})
}

func TestTagsCountTheirPosts(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		post := f.NewPost("x")
		tags := make([]crier.Tag, 2)
		for i, name := range []string{"Launch", "News"} {
			tags[i] = crier.Tag{ID: crier.NewID(), TeamID: f.Team.ID, Name: name, CreatedAt: f.Now, UpdatedAt: f.Now}
			f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertTag(ctx, tags[i], name) })
		}
		twin := tags[0]
		twin.ID = crier.NewID()
		if err := f.TryTx(func(ctx context.Context, tx *store.Tx) error {
			return tx.InsertTag(ctx, twin, "Launch")
		}); kindOf(err) != crier.KindConflict {
			t.Errorf("a second tag of the name: %v", err)
		}
		tag := func(wanted ...crier.ID) {
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				has, missing, err := tx.LockPostTags(ctx, f.Team.ID, post.ID, wanted)
				if err != nil || len(missing) != 0 {
					t.Errorf("missing %v, %v", missing, err)
				}
				_, err = tx.ReplacePostTags(ctx, post.ID, has, wanted)
				return err
			})
		}
		counts := func() []int64 {
			return []int64{f.Scan(`SELECT post_count FROM tags WHERE id = $1`, tags[0].ID),
				f.Scan(`SELECT coalesce(max(post_count), -1) FROM tags WHERE id = $1`, tags[1].ID)}
		}
		tag(tags[0].ID, tags[1].ID)
		if got := counts(); !slices.Equal(got, []int64{1, 1}) {
			t.Errorf("counts %v", got)
		}
		tag(tags[1].ID)
		if got := counts(); !slices.Equal(got, []int64{0, 1}) {
			t.Errorf("counts %v", got)
		}
		top, err := f.TopFacets(context.Background(), f.Team.ID, crier.FacetUserTags, 5)
		if err != nil || len(top) != 1 || top[0].Value != "News" {
			t.Errorf("%v, %v", top, err)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			got, err := tx.LockTag(ctx, f.Team.ID, tags[0].ID)
			if err != nil {
				return err
			}
			got.Name = "Renamed"
			_, missing, err := tx.LockPostTags(ctx, f.Team.ID, post.ID, []crier.ID{crier.NewID()})
			if len(missing) != 1 {
				t.Errorf("missing %v", missing)
			}
			return errors.Join(err, tx.UpdateTag(ctx, got, "renamed"), tx.DeleteTag(ctx, tags[1].ID))
		})
		if got := counts(); got[1] != -1 {
			t.Errorf("counts %v", got)
		}
	})
}

func TestFoldersFormATree(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		insert := func(name string, parent *crier.ID) (crier.Folder, error) {
			folder := crier.Folder{ID: crier.NewID(), TeamID: f.Team.ID, ParentID: parent, Name: name, CreatedAt: f.Now}
			return folder, f.TryTx(func(ctx context.Context, tx *store.Tx) error {
				return tx.InsertFolder(ctx, folder, name)
			})
		}
		top, err := insert("top", nil)
		middle, err2 := insert("middle", &top.ID)
		leaf, err3 := insert("leaf", &middle.ID)
		if err := errors.Join(err, err2, err3); err != nil {
			t.Fatal(err)
		}
		for _, parent := range []*crier.ID{nil, &top.ID} {
			name := "top"
			if parent != nil {
				name = "middle"
			}
			if _, err := insert(name, parent); kindOf(err) != crier.KindConflict {
				t.Errorf("a second %s: %v", name, err)
			}
		}
		path, err := f.FolderPath(ctx, leaf.ID)
		height, err2 := f.FolderHeight(ctx, top.ID)
		if err != nil || err2 != nil || !slices.Equal(path, []crier.ID{leaf.ID, middle.ID, top.ID}) || height != 3 {
			t.Errorf("path %v, height %d; %v, %v", path, height, err, err2)
		}
		f.NewAsset(func(a *store.Asset) { a.FolderID = &leaf.ID })
		for id, want := range map[crier.ID][2]bool{top.ID: {true, false}, leaf.ID: {false, true}} {
			if folders, assets, err := f.FolderHas(ctx, id); err != nil || [2]bool{folders, assets} != want {
				t.Errorf("has folders %v, assets %v, %v", folders, assets, err)
			}
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			if _, err := tx.ShareFolder(ctx, f.Team.ID, top.ID); err != nil {
				return err
			}
			locked, err := tx.LockFolder(ctx, f.Team.ID, middle.ID)
			if err != nil {
				return err
			}
			locked.ParentID = nil
			return tx.UpdateFolder(ctx, locked, "middle")
		})
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.DeleteFolder(ctx, top) })
		if _, err := f.Folder(ctx, f.Team.ID, top.ID); kindOf(err) != crier.KindNotFound {
			t.Errorf("a deleted folder: %v", err)
		}
		if n, err := f.FolderCount(ctx, f.Team.ID, store.FolderFilter{}); err != nil || n != 2 {
			t.Errorf("%d folders, %v", n, err)
		}
	})
}

func TestAssetsAreProcessedUsedAndPurged(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		asset := f.NewAsset(func(a *store.Asset) { a.Status = crier.AssetProcessing })
		if a, err := f.UnprocessedAsset(ctx, asset.ID); err != nil || a == nil {
			t.Errorf("%+v, %v", a, err)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			a, err := tx.UnprocessedAsset(ctx, asset.ID)
			if err != nil {
				return err
			}
			a.Status, a.AssetTags, a.Facts = crier.AssetReady, []string{"photo"}, json.RawMessage(`{"w":1}`)
			return tx.FinishAsset(ctx, *a)
		})
		if a, err := f.UnprocessedAsset(ctx, asset.ID); err != nil || a != nil {
			t.Errorf("processed: %+v, %v", a, err)
		}
		text := "A beach"
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			a, err := tx.LockAsset(ctx, f.Team.ID, asset.ID)
			if err != nil {
				return err
			}
			a.FileName, a.AltText = "b.png", &text
			if err := tx.UpdateAsset(ctx, a); err != nil {
				return err
			}
			facts, err := tx.LockAssetFacts(ctx, f.Team.ID, []crier.ID{asset.ID})
			if facts[asset.ID].AltText != text {
				t.Errorf("%+v", facts)
			}
			list, err2 := tx.AssetsByID(ctx, f.Team.ID, []crier.ID{asset.ID, crier.NewID()})
			if len(list) != 1 {
				t.Errorf("%+v", list)
			}
			return errors.Join(err, err2)
		})
		if a, err := f.PublicAsset(ctx, asset.ID); err != nil || a.FileName != "b.png" {
			t.Errorf("%+v, %v", a, err)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.DeleteAsset(ctx, asset, f.Now) })
		for _, read := range []func() error{
			func() error { _, err := f.Asset(ctx, f.Team.ID, asset.ID); return err },
			func() error { _, err := f.PublicAsset(ctx, asset.ID); return err },
		} {
			if err := read(); kindOf(err) != crier.KindNotFound {
				t.Errorf("a deleted asset: %v", err)
			}
		}
		used, err := f.MediaInUse(ctx, []crier.ID{asset.ID, crier.NewID()})
		due, err2 := f.AssetsToPurge(ctx, f.After(time.Second), 10)
		if err != nil || err2 != nil || !used[asset.ID] || len(due) != 1 {
			t.Errorf("used %v, due %v; %v, %v", used, due, err, err2)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.PurgeAsset(ctx, asset.ID, f.Now) })
		if n := f.Scan(`SELECT count(*) FROM assets`); n != 0 {
			t.Errorf("%d assets are left", n)
		}
	})
}

func TestAssetIsInUseByPendingPublications(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		asset := crier.NewID()
		media := json.RawMessage(`{"mediaIds":["` + string(asset) + `"]}`)
		post := f.NewPost("x")
		inUse := func() bool {
			used, err := f.AssetInUse(context.Background(), f.Team.ID, asset)
			if err != nil {
				t.Fatal(err)
			}
			return used
		}
		over := func(id crier.ID) {
			mustExec(t, f.Store, `UPDATE publications SET status = 'published', wake_at = NULL WHERE id = $1`, id)
		}
		p := f.Schedule(post)
		if inUse() {
			t.Error("in use by a post without it")
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.ReplacePostAssets(ctx, post.ID, []crier.ID{asset})
		})
		if !inUse() {
			t.Error("not in use by the content of a scheduled post")
		}
		over(p.ID)
		comment := f.Follow(p, store.FirstComment)
		if inUse() {
			t.Error("in use by a post that is over")
		}
		mustExec(t, f.Store, `UPDATE publications SET spec = $2 WHERE id = $1`, comment.ID, string(media))
		if !inUse() {
			t.Error("not in use by a comment that waits")
		}
		mustExec(t, f.Store, `UPDATE publications SET status = 'unknown', wake_at = NULL WHERE id = $1`, comment.ID)
		if inUse() {
			t.Error("in use by a comment that is not sent again, because nobody knows whether it is public")
		}
		over(comment.ID)
		if inUse() {
			t.Error("in use by a comment that is over")
		}
		f.Schedule(f.NewPost("y"),
			func(p *store.Publication) { p.Settings = map[string]json.RawMessage{"cover": media} })
		if !inUse() {
			t.Error("not in use by the settings of a scheduled post")
		}
	})
}

func TestUploadsExpire(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		u := store.Upload{ID: crier.NewID(), TeamID: f.Team.ID, FileName: "a.mp4", MimeType: "video/mp4", ByteSize: 9,
			CreatedAt: f.Now, ExpiresAt: f.After(time.Hour)}
		asset := crier.NewID()
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			if err := tx.InsertUpload(ctx, u); err != nil {
				return err
			}
			_, err := tx.LockUpload(ctx, f.Team.ID, u.ID, f.Now)
			return errors.Join(err, tx.CompleteUpload(ctx, u.ID, asset))
		})
		if got, err := f.Upload(ctx, f.Team.ID, u.ID, f.Now); err != nil || *got.AssetID != asset {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := f.Upload(ctx, f.Team.ID, u.ID, u.ExpiresAt); kindOf(err) != crier.KindNotFound {
			t.Errorf("an expired upload: %v", err)
		}
		if ids, err := f.ExpiredUploads(ctx, u.ExpiresAt, 10); err != nil || len(ids) != 1 {
			t.Errorf("%v, %v", ids, err)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(tx.DeleteUpload(ctx, u.ID), tx.DeleteUpload(ctx, u.ID))
		})
	})
}

func TestSlotsAndFreeInstants(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		slot := crier.SchedulingSlot{ID: crier.NewID(), TeamID: f.Team.ID, Hour: 9, Minute: 30, DaysOfWeek: []int{1, 3},
			CreatedAt: f.Now, UpdatedAt: f.Now}
		early := slot
		early.ID, early.Hour = crier.NewID(), 7
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(tx.InsertSlot(ctx, slot), tx.InsertSlot(ctx, early))
		})
		slot.Hour, slot.DaysOfWeek = 8, []int{5}
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.UpdateSlot(ctx, slot) })
		list, err := f.Slots(ctx, f.Team.ID)
		if err != nil || len(list) != 2 || list[0].ID != early.ID || list[1].Hour != 8 || len(list[1].DaysOfWeek) != 1 {
			t.Errorf("%+v, %v", list, err)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.DeleteSlot(ctx, f.Team.ID, early.ID) })
		if _, err := f.Slot(ctx, f.Team.ID, early.ID); kindOf(err) != crier.KindNotFound {
			t.Errorf("a deleted slot: %v", err)
		}
		var instants []time.Time
		for i := range 6 {
			instants = append(instants, f.Now.Add(time.Duration(i)*time.Hour))
		}
		at := func(i int, status crier.ScheduledPostStatus) func(*store.Publication) {
			return func(p *store.Publication) { p.ScheduledAt, p.Status = crier.TimeOf(instants[i]), status }
		}
		f.Follow(f.Schedule(f.NewPost("1"), at(0, crier.Scheduled)), store.FirstComment, at(1, crier.Scheduled))
		f.Schedule(f.NewPost("2"), at(2, crier.Canceled))
		f.Schedule(f.NewPost("3"), at(3, crier.Publishing))
		free, err := f.FreeInstants(ctx, []crier.ID{f.Account.ID}, "", instants, 3)
		if err != nil || !slices.Equal(free, []int{1, 2, 4}) {
			t.Errorf("free: %v, %v", free, err)
		}
	})
}

func TestCalendarShowsPostsAndNoActions(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, days := context.Background(), 7
		p := f.Schedule(f.NewPost("Hello"), func(p *store.Publication) {
			p.Actions = crier.PlannedActions{RecurrenceIntervalDays: &days}
		})
		f.Follow(p, store.FirstComment)
		f.Schedule(f.NewPost("canceled"), func(p *store.Publication) { p.Status = crier.Canceled })
		f.Schedule(f.NewPost("later"), func(p *store.Publication) { p.ScheduledAt = f.After(time.Hour) })
		rows, err := f.CalendarRows(ctx, f.Team.ID, false, f.Now, f.After(time.Hour), 10)
		if err != nil || len(rows) != 1 || rows[0].ScheduledPostID != p.ID || rows[0].Text != "Hello" ||
			rows[0].Timezone != "UTC" {
			t.Errorf("%+v, %v", rows, err)
		}
		series, err := f.RecurringRows(ctx, f.Team.ID, f.After(time.Second), 10)
		if err != nil || len(series) != 1 || *series[0].Actions.RecurrenceIntervalDays != 7 {
			t.Errorf("%+v, %v", series, err)
		}
	})
}

func TestMetricsAreKeptBySnapshot(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		p := f.Schedule(f.NewPost("x"))
		for i, likes := range []string{`{"likes":1}`, `{"likes":2}`, `{"likes":9}`} {
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				return tx.InsertMetrics(ctx, p.ID, f.After(time.Duration(min(i, 1))*time.Hour), json.RawMessage(likes))
			})
		}
		list, err := f.Metrics(context.Background(), p.ID, 10)
		if err != nil || len(list) != 2 || !list[0].TakenAt.Equal(f.After(time.Hour).Time) {
			t.Errorf("%+v, %v", list, err)
		}
	})
}

func TestDeletedTeamIsPurgedWithItsData(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		other := f.NewTeam("stays")
		p := f.Schedule(f.NewPost("x"))
		action := f.Follow(p, store.FirstComment)
		asset := f.NewAsset()
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(tx.InsertAttempt(ctx, attempt(f, p, "prepare", 0)),
				tx.InsertAttempt(ctx, attempt(f, action, "prepare", 0)),
				tx.InsertMetrics(ctx, p.ID, f.Now, json.RawMessage(`{}`)),
				tx.ReplaceWords(ctx, f.Team.ID, p.PostID, []string{"x"}),
				tx.ReplaceFacets(ctx, f.Team.ID, p.PostID, map[crier.FacetField][]string{"language": {"en"}}),
				tx.ReplacePostAssets(ctx, p.PostID, []crier.ID{asset.ID}))
		})
		f.Merge()
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.ReplaceWords(ctx, f.Team.ID, p.PostID, []string{"y"})
		})
		purge := func() (rounds int) {
			for more := true; more; rounds++ {
				f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
					more, err = tx.PurgeTeam(ctx, f.Team.ID, f.After(time.Hour))
					return err
				})
			}
			return rounds
		}
		if purge(); f.Scan(`SELECT count(*) FROM publications`) != 2 {
			t.Fatal("a team that was not deleted was purged")
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.DeleteTeam(ctx, f.Team, f.Now) })
		purge()
		for _, table := range []string{"publications", "attempts", "post_metrics", "post_words", "post_facets", "posts",
			"payloads", "post_assets", "assets", "social_accounts", "facet_counts", "word_counts", "post_changes"} {
			if n := f.Scan(`SELECT count(*) FROM ` + table); n != 0 {
				t.Errorf("%d rows of %s are left", n, table)
			}
		}
		if n := f.Scan(`SELECT count(*) FROM teams WHERE id = $1`, other.ID); n != 1 {
			t.Error("another team was purged")
		}
	})
}
