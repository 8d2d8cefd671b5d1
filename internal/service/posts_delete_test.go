package service

import (
	"testing"

	"crier"
	"crier/internal/pagination"
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
