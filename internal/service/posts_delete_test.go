package service

import (
	"slices"
	"testing"

	"crier"
	"crier/internal/pagination"
	"crier/internal/publish"
	"crier/internal/store"
)

// Nothing can be done about the failure of a post that is deleted. An unknown outcome still has to be looked at.
func TestDeletingAPostDismissesItsFailures(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, ctx := newDesk(t, st), t.Context()
		post := d.post(t, textOf("Hello"))
		for i, p := range d.schedule(t, post.ID, d.request(crier.ProviderX, crier.ProviderThreads,
			crier.ProviderLinkedIn, crier.ProviderFacebook)) {
			d.become(t, p.ID, []crier.ScheduledPostStatus{crier.Failed, crier.Missed, crier.Unknown,
				crier.Published}[i])
		}
		if _, err := d.Posts.Delete(ctx, d.scope, post.ID, false); err != nil {
			t.Fatal(err)
		}
		q, err := d.Pages.Query(pagination.Request{SortBy: "scheduledAt", Limit: 25})
		if err != nil {
			t.Fatal(err)
		}
		attention := true
		list, err := d.ScheduledPosts.List(ctx, d.scope, ScheduledPostFilter{
			store.ScheduledPostFilter{NeedsAttention: &attention}}, q)
		if err != nil || len(list.Data) != 1 || list.Data[0].Status != crier.Unknown {
			t.Errorf("what needs attention is %+v, %v", list.Data, err)
		}
		var changed int
		if err := st.Reader().QueryRowContext(ctx, `SELECT count(*) FROM events WHERE type = $1`,
			crier.ScheduledPostChanged).Scan(&changed); err != nil || changed != 2 {
			t.Errorf("%d dismissals were recorded, %v", changed, err)
		}
	})
}

// The deletion from a network waits for a person where it is unknown what is there. The request does not: the desk's
// clock stands still, so it would wait for ever.
func TestDeletingAPostWithAnUnknownOutcomeIsContinuedWhenItIsResolved(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, ctx := newDesk(t, st), t.Context()
		for outcome, want := range map[string]string{"published": "waiting", "failed": "not_needed"} {
			post := d.post(t, textOf("Hello"))
			id := d.schedule(t, post.ID, d.request(crier.ProviderLinkedIn))[0].ID
			d.become(t, id, crier.Unknown)
			gone, err := d.Posts.Delete(ctx, d.scope, post.ID, true)
			if err != nil {
				t.Fatal(err)
			}
			told := []crier.PlatformDelete{{Provider: crier.ProviderLinkedIn, ScheduledPostID: id, Verdict: "pending",
				SocialAccountID: d.accounts[crier.ProviderLinkedIn], Message: publish.DeletionWaits}}
			if !slices.Equal(gone.PlatformDeletes, told) || gone.PlatformDelete == nil {
				t.Errorf("the deletion says %+v", gone)
			}
			list, err := d.ScheduledPosts.Attempts(ctx, d.scope, id)
			if err != nil || len(list.Data) != 1 || list.Data[0].Operation != "delete" ||
				list.Data[0].Message != publish.DeletionWaits || list.Data[0].EndedAt != nil {
				t.Errorf("the record says %+v, %v", list.Data, err)
			}
			p, err := d.ScheduledPosts.Resolve(ctx, d.scope, id,
				crier.Resolution{Outcome: outcome, PlatformPostID: "1"})
			if err != nil || p.NeedsAttention || string(p.Status) != outcome {
				t.Errorf("resolved it is %+v, %v", p, err)
			}
			list, err = d.ScheduledPosts.Attempts(ctx, d.scope, id)
			if err != nil || len(list.Data) != 1 || list.Data[0].Outcome != want {
				t.Errorf("resolved as %s, the record says %+v, %v", outcome, list.Data, err)
			}
		}
	})
}

// A person can tell what became of a part of a thread whose post was deleted: the rest is not published, but what is
// there can be deleted.
func TestResolvingAPartOfADeletedThread(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, ctx := newDesk(t, st), t.Context()
		post := d.post(t, crier.PostCreate{PostInput: &crier.PostInput{Thread: &crier.ThreadPost{
			Posts: []crier.AtomicPost{{Text: "One"}, {Text: "Two"}, {Text: "Three"}}}}})
		id := d.schedule(t, post.ID, d.request(crier.ProviderX))[0].ID
		d.become(t, id, crier.Unknown)
		if _, err := d.Posts.Delete(ctx, d.scope, post.ID, true); err != nil {
			t.Fatal(err)
		}
		_, err := d.ScheduledPosts.Resolve(ctx, d.scope, id, crier.Resolution{Outcome: "retry"})
		wantKind(t, err, crier.KindNotFound)
		p, err := d.ScheduledPosts.Resolve(ctx, d.scope, id,
			crier.Resolution{Outcome: "published", PlatformPostID: "1"})
		if err != nil || p.Status != crier.Failed || !slices.Equal(p.PublishResults.PlatformPostIDs, []string{"1"}) ||
			p.NeedsAttention {
			t.Errorf("it is %+v, %v", p, err)
		}
	})
}
