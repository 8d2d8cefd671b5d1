package service

import (
	"encoding/json"
	"strings"
	"testing"

	"crier"
	"crier/internal/access"
	"crier/internal/store"
)

// again are the ways to let a publication begin once more.
var again = map[crier.ScheduledPostStatus]func(d *desk, t *testing.T, scope access.TeamScope, id crier.ID) error{
	crier.Failed: (*desk).retry,
	crier.Missed: (*desk).retry,
	crier.Unknown: func(d *desk, t *testing.T, scope access.TeamScope, id crier.ID) error {
		t.Helper()
		_, err := d.ScheduledPosts.Resolve(t.Context(), scope, id, crier.Resolution{Outcome: "retry"})
		return err
	},
}

func (d *desk) retry(t *testing.T, scope access.TeamScope, id crier.ID) error {
	t.Helper()
	_, err := d.ScheduledPosts.Retry(t.Context(), scope, id)
	return err
}

// move moves a post through some states.
func (d *desk) move(t *testing.T, post crier.ID, states ...crier.PostStatus) {
	t.Helper()
	for _, to := range states {
		if _, err := d.Posts.SetStatus(t.Context(), d.scope, post, crier.PostStatusUpdate{Status: to}); err != nil {
			t.Fatal(err)
		}
	}
}

// requireApproval returns the scope of a team that publishes approved posts only.
func (d *desk) requireApproval(t *testing.T) access.TeamScope {
	t.Helper()
	ctx := t.Context()
	if _, err := d.Teams.Update(ctx, d.scope, crier.TeamUpdate{RequireApproval: crier.Some(true)}); err != nil {
		t.Fatal(err)
	}
	scope, err := d.Access.Team(ctx, d.scope.Caller(), d.scope.Team().ID, crier.PublishPosts)
	if err != nil {
		t.Fatal(err)
	}
	return scope
}

// What may not be scheduled is not published by a retry either.
func TestRetryFollowsTheStatusOfThePost(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, ctx := newDesk(t, st), t.Context()
		strict := d.requireApproval(t)
		for status, retry := range again {
			for name, tc := range map[string]struct {
				scope access.TeamScope
				moves []crier.PostStatus
				want  crier.Kind // empty if it is allowed
			}{
				"approved":             {strict, nil, ""},
				"draft":                {d.scope, []crier.PostStatus{crier.PostDraft}, ""},
				"draft to be approved": {strict, []crier.PostStatus{crier.PostDraft}, crier.KindConflict},
				"rejected": {d.scope, []crier.PostStatus{crier.PostDraft, crier.PostRejected},
					crier.KindConflict},
				"archived": {d.scope, []crier.PostStatus{crier.PostArchived}, crier.KindConflict},
				"deleted":  {d.scope, []crier.PostStatus{crier.PostDeleted}, crier.KindNotFound},
			} {
				post := d.post(t, textOf("Hello"))
				id := d.schedule(t, post.ID, d.request(crier.ProviderX))[0].ID
				d.become(t, id, status)
				if tc.want == crier.KindNotFound {
					if _, err := d.Posts.Delete(ctx, d.scope, post.ID, false); err != nil {
						t.Fatal(err)
					}
				} else {
					d.move(t, post.ID, tc.moves...)
				}
				err := retry(d, t, tc.scope, id)
				if tc.want != "" {
					if !crier.IsKind(err, tc.want) {
						t.Errorf("%s, and the post is %s: %v, want %s", status, name, err, tc.want)
					}
					if p, err := d.ScheduledPosts.Get(ctx, d.scope, id); err != nil || p.Status != status {
						t.Errorf("%s, and the post is %s: afterwards %s, %v", status, name, p.Status, err)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s, and the post is %s: %v", status, name, err)
				}
				if p, err := d.Posts.Get(ctx, d.scope, post.ID, false); err != nil ||
					p.Status != crier.PostApproved || p.SaveDestination != crier.SavedToQueue {
					t.Errorf("%s, and the post was %s: it is %s in %s, %v", status, name, p.Status, p.SaveDestination,
						err)
				}
			}
		}
	})
}

// Who edits a post after it has failed wants what it says now, and no more of what is wrong.
func TestRetryPublishesThePresentContent(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, ctx := newDesk(t, st), t.Context()
		failed := func(texts ...string) (crier.Post, crier.ID) {
			post := d.post(t, textOf("Hello"))
			in := d.request(crier.ProviderX)
			in.FirstComment = crier.Some(crier.Comment{Text: "the first"})
			id := d.schedule(t, post.ID, in)[0].ID
			d.become(t, id, crier.Failed)
			for _, text := range texts {
				var err error
				post, err = d.Posts.Update(ctx, d.scope, post.ID, crier.PostUpdate{Text: crier.Some(text)})
				if err != nil {
					t.Fatal(err)
				}
			}
			return post, id
		}
		post, id := failed("Hello World")
		got, err := d.ScheduledPosts.Retry(ctx, d.scope, id)
		if err != nil || got.ID != id || got.Status != crier.Scheduled ||
			got.ContentPayloadID != post.ContentPayloadID || got.FirstComment == nil ||
			got.FirstComment.Text != "the first" {
			t.Errorf("it publishes %+v, %v; the post is %s", got, err, post.ContentPayloadID)
		}

		// What it says now costs more: links do, on X.
		_, free := d.free(t)
		post, id = failed("Look: https://example.com")
		if _, before := d.free(t); before <= free {
			t.Fatalf("%d credits are reserved", before)
		}
		before := d.stored(t, id).Reserved
		if _, err := d.ScheduledPosts.Retry(ctx, d.scope, id); err != nil {
			t.Fatal(err)
		}
		p := d.planned(t, post.ID, crier.ProviderX)
		if p.Reserved <= before || p.Reserved != p.Actions.Total() || p.PayloadID != post.ContentPayloadID {
			t.Errorf("%d credits are reserved of %d, before %d", p.Reserved, p.Actions.Total(), before)
		}

		_, id = failed(strings.Repeat("long ", 100))
		old := d.stored(t, id)
		if err := d.retry(t, d.scope, id); !crier.IsKind(err, crier.KindConflict) ||
			!strings.Contains(err.Error(), "too long") {
			t.Errorf("what X does not accept: %v", err)
		}
		if p := d.stored(t, id); p.Status != crier.Failed || p.PayloadID != old.PayloadID ||
			p.Reserved != old.Reserved {
			t.Errorf("afterwards it is %s", p.Status)
		}

		// A thread of which a part is public continues as it began.
		_, id = failed("Another one")
		if _, err := st.Writer().ExecContext(ctx, `UPDATE publications SET results = $2 WHERE id = $1`, id,
			`{"platformPostIds":["1"],"publishedAt":"2026-11-15T09:00:00.000Z"}`); err != nil {
			t.Fatal(err)
		}
		old = d.stored(t, id)
		if err := d.retry(t, d.scope, id); err != nil || d.stored(t, id).PayloadID != old.PayloadID {
			t.Errorf("the content of a public part was replaced, %v", err)
		}

		// An edit takes the approval back, and what is approved then is published.
		post, id = failed()
		strict := d.requireApproval(t)
		post, err = d.Posts.Update(ctx, strict, post.ID, crier.PostUpdate{Text: crier.Some("Not approved")})
		if err != nil {
			t.Fatal(err)
		}
		wantKind(t, d.retry(t, strict, id), crier.KindConflict)
		d.move(t, post.ID, crier.PostApproved)
		if err := d.retry(t, strict, id); err != nil || d.stored(t, id).PayloadID != post.ContentPayloadID {
			t.Errorf("what was approved is not published: %v", err)
		}
	})
}

// stored returns a publication as it is stored.
func (d *desk) stored(t *testing.T, id crier.ID) store.Publication {
	t.Helper()
	p, err := d.store.ScheduledPost(t.Context(), d.scope.Team().ID, id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// An action is resolved through the publication that it follows.
func TestResolveAnAction(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, ctx := newDesk(t, st), t.Context()
		in := d.request(crier.ProviderX)
		in.FirstComment = crier.Some(crier.Comment{Text: "thanks"})
		comment := func(after ...crier.PostStatus) (scheduled, action crier.ID) {
			post := d.post(t, textOf("Hello"))
			scheduled = d.schedule(t, post.ID, in)[0].ID
			d.become(t, scheduled, crier.Published)
			a := d.stored(t, scheduled)
			a.ID, a.Kind, a.ScheduledPostID, a.Status = crier.NewID(), store.FirstComment, scheduled, crier.Scheduled
			a.Spec = json.RawMessage(`{"text":"thanks"}`)
			if err := d.store.WithTx(ctx, func(tx *store.Tx) error { return tx.InsertAction(ctx, a) }); err != nil {
				t.Fatal(err)
			}
			d.become(t, a.ID, crier.Unknown)
			d.move(t, post.ID, after...)
			return scheduled, a.ID
		}
		status := func(id crier.ID) (status crier.ScheduledPostStatus) {
			if err := d.store.Reader().QueryRowContext(ctx, `SELECT status FROM publications WHERE id = $1`, id).
				Scan(&status); err != nil {
				t.Fatal(err)
			}
			return status
		}
		resolve := func(id crier.ID, in crier.Resolution) (crier.ScheduledPost, error) {
			return d.ScheduledPosts.Resolve(ctx, d.scope, id, in)
		}
		known := crier.Resolution{Action: crier.FollowUpFirstComment, Outcome: "published", PlatformPostID: "seen"}
		id, _ := comment()
		if p, err := d.ScheduledPosts.Get(ctx, d.scope, id); err != nil || !p.NeedsAttention {
			t.Errorf("an unknown action: %+v, %v", p, err)
		}
		_, err := resolve(id, crier.Resolution{Action: crier.FollowUpRepost, Outcome: "failed"})
		if !crier.IsKind(err, crier.KindInvalid) {
			t.Errorf("an action it does not have: %v", err)
		}
		p, err := resolve(id, known)
		if err != nil || p.NeedsAttention || p.FirstComment.Status != crier.FollowUpStatus(crier.Published) ||
			p.PublishResults.FirstCommentID != "seen" {
			t.Errorf("resolved: %+v, %v", p, err)
		}
		if _, err := resolve(id, known); !crier.IsKind(err, crier.KindConflict) {
			t.Errorf("once more: %v", err)
		}
		id, action := comment()
		if _, err := resolve(id, crier.Resolution{Action: crier.FollowUpFirstComment, Outcome: "retry"}); err != nil ||
			status(action) != crier.Scheduled {
			t.Errorf("retried: %s, %v", status(action), err)
		}
		id, action = comment(crier.PostArchived)
		_, err = resolve(id, crier.Resolution{Action: crier.FollowUpFirstComment, Outcome: "retry"})
		if !crier.IsKind(err, crier.KindConflict) {
			t.Errorf("of an archived post: %v", err)
		}
		if _, err := resolve(id, crier.Resolution{Action: crier.FollowUpFirstComment, Outcome: "failed"}); err != nil ||
			status(action) != crier.Failed {
			t.Errorf("given up: %s, %v", status(action), err)
		}
	})
}
