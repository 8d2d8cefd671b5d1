package publish

import (
	"context"
	"time"

	"crier"
	"crier/internal/ledger"
	"crier/internal/provider"
	"crier/internal/store"
)

// readingDue returns what the network charges for the next reading of the post: nothing if readings are free or this
// publication has already paid for one today. Networks that sell readings charge for a post once a UTC day.
func (w *worker) readingDue() int64 {
	if w.progress.ReadPaidOn == w.today() {
		return 0
	}
	return w.network.Info().Cost(provider.CostPostRead)
}

func (w *worker) today() string { return w.pub.clock().UTC().Format(time.DateOnly) }

// affordsReading reports false while the organization cannot pay for a reading that can wait.
func (w *worker) affordsReading(ctx context.Context) (bool, error) {
	due := w.readingDue()
	if due == 0 {
		return true, nil
	}
	err := w.pub.store.WithTx(ctx, func(tx *store.Tx) error {
		return ledger.CheckFree(ctx, tx, w.p.OrganizationID, due)
	})
	if crier.IsKind(err, crier.KindPaymentRequired) {
		return false, nil
	}
	return err == nil, err
}

// payReading books a reading that was made, even beyond the balance. The payment is recorded first: a crash in between
// costs the operator one reading, and nobody pays twice.
func (w *worker) payReading(ctx context.Context) error {
	due := w.readingDue()
	if due == 0 {
		return nil
	}
	w.progress.ReadPaidOn = w.today()
	if err := w.save(ctx); err != nil {
		return err
	}
	spent := ledger.Spent(ledger.Charge{Organization: w.p.OrganizationID, Publication: &w.p.ID, Amount: due,
		At: w.pub.clock.Now()})
	return w.pub.store.WithTx(ctx, func(tx *store.Tx) error { return tx.AddCredits(ctx, spent...) })
}
