package api

import (
	"net/http"
	"testing"

	"crier"
	"crier/internal/service"
	"crier/internal/store"
)

func TestAssetsOfAnOrganizationFitItsStorageQuota(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		w := newWorldWith(t, st, func(cfg *service.Config) { cfg.StorageQuota = 1_000_000 })
		begin := func(bytes int) answer {
			return w.call(t, http.MethodPost, w.team("/assets/uploads"), object{"fileName": "a.mp4",
				"mimeType": "video/mp4", "byteSize": bytes})
		}
		begin(2_000_000).wantError(t, crier.KindPaymentRequired, "may store 1.0 MB and has stored 0 B: 2.0 MB more")
		first := w.upload(t, "first.png")
		used, err := st.StoredBytes(t.Context(), w.tenant.OrganizationID)
		requireNoError(t, err)
		begin(1_000_000).wantError(t, crier.KindPaymentRequired, "do not fit")
		begin(1_000_000-int(used)).want(t, 201)
		w.call(t, http.MethodDelete, w.team("/assets/%s", first), nil).want(t, 200)
		if left, err := st.StoredBytes(t.Context(), w.tenant.OrganizationID); err != nil || used == 0 || left != 0 {
			t.Errorf("%d bytes with an asset, %d without, %v", used, left, err)
		}
		begin(1_000_000).want(t, 201)
	})
}
