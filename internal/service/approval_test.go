package service

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/provider"
	"crier/internal/store"
)

// editor returns the scope of an API key that may publish, and not approve.
func (d *desk) editor(t *testing.T) access.TeamScope {
	t.Helper()
	ctx := t.Context()
	org, err := d.Access.Organization(ctx, d.scope.Caller(), d.scope.Team().OrganizationID, crier.ManageAPIKeys)
	if err != nil {
		t.Fatal(err)
	}
	key, err := d.Keys.Create(ctx, org, crier.APIKeyCreate{Name: "Editor", Role: crier.RoleEditor})
	if err != nil {
		t.Fatal(err)
	}
	caller, err := d.Access.Authenticate(ctx, key.Secret)
	if err != nil {
		t.Fatal(err)
	}
	scope, err := d.Access.Team(ctx, caller, d.scope.Team().ID, crier.PublishPosts)
	if err != nil {
		t.Fatal(err)
	}
	return scope
}

// follow adds a repost that waits to a publication, with credits reserved for it.
func (d *desk) follow(t *testing.T, id crier.ID, reserved int64) crier.ID {
	t.Helper()
	p := d.stored(t, id)
	p.ID, p.ScheduledPostID, p.Kind, p.Spec = crier.NewID(), id, store.RepostPublication, []byte(`{"offsetDays":1}`)
	p.Status, p.ScheduledAt, p.WakeAt, p.Reserved = crier.Scheduled, *d.in(48 * time.Hour), d.in(48*time.Hour), reserved
	if err := d.store.WithTx(t.Context(), func(tx *store.Tx) error {
		return tx.InsertAction(t.Context(), p)
	}); err != nil {
		t.Fatal(err)
	}
	return p.ID
}

// pending returns the states of what is pending of a post, its follow-up actions included.
func (d *desk) pending(t *testing.T, post crier.ID) int {
	t.Helper()
	var list []store.Publication
	if err := d.store.WithTx(t.Context(), func(tx *store.Tx) (err error) {
		list, err = tx.LockScheduled(t.Context(), post, false)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// Nothing of a post that is archived or rejected is published, on whatever way it got there.
func TestArchivedAndRejectedPostsHaveNoFollowUps(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d := newDesk(t, st)
		for _, c := range []struct {
			way  []crier.PostStatus
			kept bool
		}{
			{[]crier.PostStatus{crier.PostDraft}, true},
			{[]crier.PostStatus{crier.PostDraft, crier.PostIdea}, true},
			{[]crier.PostStatus{crier.PostDraft, crier.PostApproved}, true},
			{[]crier.PostStatus{crier.PostArchived}, false},
			{[]crier.PostStatus{crier.PostDraft, crier.PostArchived}, false},
			{[]crier.PostStatus{crier.PostDraft, crier.PostIdea, crier.PostArchived}, false},
			{[]crier.PostStatus{crier.PostDraft, crier.PostRejected}, false},
		} {
			post := d.post(t, textOf("Hello"))
			_, before := d.free(t)
			id := d.schedule(t, post.ID, d.request(crier.ProviderX))[0].ID
			_, reserved := d.free(t)
			d.follow(t, id, reserved-before) // which the post passed on when it was published
			d.become(t, id, crier.Published)
			d.move(t, post.ID, c.way...)
			want := 0
			if c.kept {
				want = 1
			}
			if n := d.pending(t, post.ID); n != want {
				t.Errorf("%v: %d actions are pending, want %d", c.way, n, want)
			}
			if _, after := d.free(t); (after == before) == c.kept {
				t.Errorf("%v: %d credits are reserved, %d before", c.way, after, before)
			}
		}
	})
}

// A series goes on with an approved post only: the post may have been moved away while the outcome was unknown.
func TestSeriesDoesNotGoOnWithoutItsPost(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, ctx := newDesk(t, st), t.Context()
		for _, outcome := range []string{"published", "failed"} {
			for _, c := range []struct {
				way  []crier.PostStatus
				want int
			}{
				{nil, 1},
				{[]crier.PostStatus{crier.PostDraft}, 0},
				{[]crier.PostStatus{crier.PostArchived}, 0},
				{[]crier.PostStatus{crier.PostDraft, crier.PostRejected}, 0},
				{[]crier.PostStatus{crier.PostDraft, crier.PostApproved}, 1},
			} {
				post := d.post(t, textOf("Hello"))
				in := d.request(crier.ProviderX)
				in.RecurrenceIntervalDays = crier.Some(7)
				id := d.schedule(t, post.ID, in)[0].ID
				d.become(t, id, crier.Unknown)
				d.move(t, post.ID, c.way...)
				p, err := d.ScheduledPosts.Resolve(ctx, d.scope, id, crier.Resolution{Outcome: outcome,
					PlatformPostID: "1"})
				if err != nil || string(p.Status) != outcome {
					t.Fatalf("%s: %+v, %v", outcome, p, err)
				}
				if n := d.pending(t, post.ID); n != c.want {
					t.Errorf("%s, and the post is %v: %d are scheduled, want %d", outcome, c.way, n, c.want)
				}
			}
		}
		if _, reserved := d.free(t); reserved != sumReserved(t, d) {
			t.Errorf("%d credits are reserved, the publications have %d", reserved, sumReserved(t, d))
		}
	})
}

func sumReserved(t *testing.T, d *desk) (sum int64) {
	t.Helper()
	if err := d.store.Reader().QueryRowContext(t.Context(), `SELECT CAST(sum(reserved_credits) AS bigint)
		FROM publications`).Scan(&sum); err != nil {
		t.Fatal(err)
	}
	return sum
}

// A resolution that lets the rest of a thread be published is like a retry: the post must be one that may be published.
func TestResolvedThreadFollowsTheStatusOfThePost(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, ctx := newDesk(t, st), t.Context()
		strict := d.requireApproval(t)
		for name, c := range map[string]struct {
			scope access.TeamScope
			way   []crier.PostStatus
			want  crier.Kind // empty if it is allowed
		}{
			"approved":             {strict, nil, ""},
			"draft":                {d.scope, []crier.PostStatus{crier.PostDraft}, ""},
			"draft to be approved": {strict, []crier.PostStatus{crier.PostDraft}, crier.KindConflict},
			"rejected": {strict, []crier.PostStatus{crier.PostDraft, crier.PostRejected},
				crier.KindConflict},
			"archived": {d.scope, []crier.PostStatus{crier.PostArchived}, crier.KindConflict},
		} {
			post := d.post(t, crier.PostCreate{PostInput: &crier.PostInput{Thread: &crier.ThreadPost{
				Posts: []crier.AtomicPost{{Text: "one"}, {Text: "two"}}}}})
			id := d.schedule(t, post.ID, d.request(crier.ProviderX))[0].ID
			d.become(t, id, crier.Unknown)
			d.move(t, post.ID, c.way...)
			resolve := func(outcome string) error {
				_, err := d.ScheduledPosts.Resolve(ctx, c.scope, id, crier.Resolution{Outcome: outcome,
					PlatformPostID: "1"})
				return err
			}
			err := resolve("published")
			if c.want == "" {
				if got := d.stored(t, id); err != nil || got.Status != crier.Publishing {
					t.Errorf("%s: %s, %v", name, got.Status, err)
				}
				if p, err := d.Posts.Get(ctx, d.scope, post.ID, false); err != nil || p.Status != crier.PostApproved {
					t.Errorf("%s: the post is %s, %v", name, p.Status, err)
				}
				continue
			}
			if !crier.IsKind(err, c.want) || d.stored(t, id).Status != crier.Unknown {
				t.Errorf("%s: %v, and it is %s", name, err, d.stored(t, id).Status)
			}
			if err := resolve("failed"); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// What follows a post that turns out to be public is not published once the post is archived.
func TestResolvedPostOfTheArchiveHasNoFollowUps(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, ctx := newDesk(t, st), t.Context()
		for status, want := range map[crier.PostStatus]int{crier.PostDraft: 1, crier.PostArchived: 0,
			crier.PostDeleted: 0} {
			post := d.post(t, textOf("Hello"))
			in := d.request(crier.ProviderX)
			in.FirstComment = crier.Some(crier.Comment{Text: "First"})
			id := d.schedule(t, post.ID, in)[0].ID
			d.become(t, id, crier.Unknown)
			if status == crier.PostDeleted {
				if _, err := d.Posts.Delete(ctx, d.scope, post.ID, false); err != nil {
					t.Fatal(err)
				}
			} else {
				d.move(t, post.ID, status)
			}
			p, err := d.ScheduledPosts.Resolve(ctx, d.scope, id, crier.Resolution{Outcome: "published",
				PlatformPostID: "1"})
			if err != nil || p.Status != crier.Published {
				t.Fatalf("%s: %+v, %v", status, p, err)
			}
			if n := d.pending(t, post.ID); n != want {
				t.Errorf("%s: %d comments are pending, want %d", status, n, want)
			}
		}
	})
}

// A client may send back what it was shown, with another time.
func TestApprovalCoversWhatStaysTheSame(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, ctx := newDesk(t, st), t.Context()
		key := d.editor(t).Caller()
		in := d.request(crier.ProviderX)
		in.PlatformSettings = provider.Settings{"xReplySettings": json.RawMessage(`"following"`)}
		in.FirstComment = crier.Some(crier.Comment{Text: "First"})
		made := d.schedule(t, d.post(t, textOf("Hello")).ID, in)[0]
		d.requireApproval(t)
		editor, err := d.Access.Team(ctx, key, d.scope.Team().ID, crier.PublishPosts)
		if err != nil {
			t.Fatal(err)
		}
		same := crier.ScheduledPostUpdate{ScheduledAt: crier.Some(*d.in(30 * time.Hour)),
			PlatformSettings: crier.Some(made.PlatformSettings), FirstComment: in.FirstComment}
		got, err := d.ScheduledPosts.Update(ctx, editor, made.ID, same)
		if err != nil || got.ScheduledAt != same.ScheduledAt.Value || len(got.PlatformSettings) != 1 {
			t.Errorf("what was approved is refused: %+v, %v", got, err)
		}
		same.PlatformSettings = crier.Some(map[string]json.RawMessage{"xMadeWithAi": json.RawMessage(`true`)})
		_, err = d.ScheduledPosts.Update(ctx, editor, made.ID, same)
		wantError(t, err, crier.KindForbidden, "This team publishes what was approved, and the approval of the post "+
			"does not cover these platform settings: that needs the permission approve_posts.")
	})
}

// Posts are published with the present alt texts of their media, so an approval covers them.
func TestApprovalCoversAltTexts(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, ctx := newDesk(t, st), t.Context()
		editor := d.editor(t)
		describe := func(scope access.TeamScope, id crier.ID, text string) error {
			_, err := d.Assets.Update(ctx, scope, id, crier.AssetUpdate{AltText: crier.Some(text)})
			return err
		}
		assets := []crier.ID{d.asset(t, "image/jpeg"), d.asset(t, "image/jpeg"), d.asset(t, "image/jpeg"),
			d.asset(t, "image/jpeg")}
		shown, inVariant, inComment, unused := assets[0], assets[1], assets[2], assets[3]
		threads := crier.ProviderThreads
		picture := crier.Attachment{Media: &crier.MediaAttachment{Asset: crier.AttachedAsset{AssetID: inVariant}}}
		attachments := []crier.Attachment{picture}
		post := d.post(t, crier.PostCreate{PostInput: &crier.PostInput{
			Atomic: &crier.AtomicPost{Text: "Hello", Attachments: []crier.Attachment{{Media: &crier.MediaAttachment{
				Asset: crier.AttachedAsset{AssetID: shown}}}}},
			Variants: []crier.PostVariant{{Provider: &threads, Attachments: &attachments}}}})
		in := d.request(crier.ProviderX)
		in.FirstComment = crier.Some(crier.Comment{Text: "First", MediaIDs: []crier.ID{inComment}})
		d.schedule(t, post.ID, in)
		for _, id := range assets { // nobody has to approve anything
			if err := describe(editor, id, "a bird"); err != nil {
				t.Error(err)
			}
		}
		d.requireApproval(t)
		strict, err := d.Access.Team(ctx, editor.Caller(), d.scope.Team().ID, crier.ManageMedia)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range assets {
			err := describe(strict, id, "an owl")
			if id == unused && err != nil {
				t.Errorf("an asset that no post has: %v", err)
			}
			if slices.Contains([]crier.ID{shown, inVariant, inComment}, id) {
				wantKind(t, err, crier.KindForbidden)
			}
			if err := describe(strict, id, map[bool]string{true: "an owl", false: "a bird"}[id == unused]); err != nil {
				t.Errorf("no change was refused: %v", err)
			}
		}
		if err := describe(d.scope, shown, "an eagle"); err != nil {
			t.Errorf("who approves may change it: %v", err)
		}
		d.move(t, post.ID, crier.PostDraft)
		if err := describe(strict, inVariant, "an owl"); err != nil {
			t.Errorf("the post is a draft: %v", err)
		}
	})
}
