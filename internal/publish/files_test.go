package publish

import (
	"testing"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

// Assets of live publications are not deleted. Those of one that failed may be, and it may be live again.
func TestPublicationWithoutItsFileFails(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		n := newTestNetwork()
		f := withNetwork(t, st, n)
		deleted := f.rivalOf(t, crier.PostInput{Atomic: &crier.AtomicPost{Text: "Hello",
			Attachments: []crier.Attachment{attach(crier.NewID(), "")}}})
		p := f.run(t, f.insert(t, deleted, f.costs(t, 5)).ID)
		if p.Status != crier.Failed || crier.Text(p.ErrorCode) != string(provider.CodeMediaRejected) ||
			crier.Text(p.ErrorMessage) != filesDeleted || len(n.calls) != 0 {
			t.Errorf("%s with %s: %s, calls %v", p.Status, crier.Text(p.ErrorCode), crier.Text(p.ErrorMessage), n.calls)
		}
		if balance, reserved := f.credits(t); balance != testCredits || reserved != 0 {
			t.Errorf("balance %d, reserved %d", balance, reserved)
		}
		err := st.WithTx(t.Context(), func(tx *store.Tx) error { return f.Publisher.Retry(t.Context(), tx, &p) })
		if !crier.IsKind(err, crier.KindConflict) || f.read(t, p.ID).Status != crier.Failed {
			t.Errorf("retried: %v", err)
		}
	})
}
