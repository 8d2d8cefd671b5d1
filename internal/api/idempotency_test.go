package api

import (
	"bytes"
	"context"
	"net/http"
	"testing"

	"crier"
	"crier/internal/store"
)

func TestStoredResponseIsForMembersOnly(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		cookie := w.signIn(t)
		create := func() answer {
			return w.call(t, http.MethodPost, w.team("/tags"), object{"name": "spring"},
				page(cookie, header{keyHeader, "once"})...)
		}
		first := create().want(t, 201)
		if again := create().want(t, 201); !bytes.Equal(again.body, first.body) {
			t.Errorf("a repeat got %s, want %s", again.body, first.body)
		}
		w.leave(t)
		create().wantError(t, crier.KindForbidden, "left the organization")
	})
}

// leave ends the membership of the tenant's owner.
func (w *world) leave(t *testing.T) {
	t.Helper()
	members, err := w.store.Members(t.Context(), w.tenant.OrganizationID, store.PageQuery{Sort: "createdAt", Limit: 10})
	requireNoError(t, err)
	requireNoError(t, w.store.WithTx(t.Context(), func(tx *store.Tx) error {
		return tx.RemoveMember(context.Background(), w.tenant.OrganizationID, members.Rows[0], crier.TimeOf(w.now()))
	}))
}
