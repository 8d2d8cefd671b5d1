package publish

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"crier"
	"crier/internal/ledger"
	"crier/internal/provider"
	"crier/internal/store"
)

func TestPaidLikeCountsAreReadForWaitingCommentsAndBilledDaily(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		n := newTestNetwork()
		n.costs = []provider.Cost{{Key: provider.CostPostRead, Credits: 5}}
		f := withNetwork(t, st, n)
		p := f.run(t, f.insert(t).ID)
		spec, err := json.Marshal(crier.EngagementTrigger{LikeThreshold: 3, WindowHours: 96,
			Comment: crier.Comment{Text: "thank you"}})
		if err != nil {
			t.Fatal(err)
		}
		now, end := crier.TimeOf(f.now()), crier.TimeOf(f.now().Add(96*time.Hour))
		a := p
		a.ID, a.Kind, a.ScheduledPostID, a.Spec, a.Status = crier.NewID(), store.EngagementComment, p.ID, spec,
			crier.Scheduled
		a.State, a.WakeAt, a.ExpiresAt, a.PlatformPostID, a.PublishedAt = EmptyState(), &now, &end, nil, nil
		f.tx(t, func(ctx context.Context, tx *store.Tx) error { return tx.InsertAction(ctx, a) })
		count := func(looks int, spent int64) {
			t.Helper()
			next := f.step(t, a.ID)
			balance, _ := f.credits(t)
			if got := n.count("count likes"); got != looks || balance != testCredits-spent {
				t.Errorf("%d looks cost %d credits, want %d and %d", got, testCredits-balance, looks, spent)
			}
			f.sleep(next.Sub(f.now()))
		}
		count(1, 5)
		count(2, 5) // the same day
		f.sleep(25 * time.Hour)
		count(3, 10)
		f.sleep(25 * time.Hour)
		f.tx(t, func(ctx context.Context, tx *store.Tx) error {
			return ledger.Spend(ctx, tx, ledger.Charge{Organization: f.organization, Amount: testCredits - 10, At: now})
		})
		count(3, testCredits) // not enough credits: it waits
	})
}
