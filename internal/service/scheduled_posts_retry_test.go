package service

import (
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
