package api

import (
	"net/http"
	"testing"

	"crier"
)

// An asset may be deleted once nothing needs it, and a failed post may be retried after that.
func TestRetryOfAPostWhoseAssetWasDeleted(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.work(t)
		for _, network := range []crier.Provider{crier.ProviderX, crier.ProviderFacebook, crier.ProviderLinkedIn} {
			w.fault(t, object{"provider": network, "operation": "publish", "kind": "reject", "count": 1})
			picture := w.readyPicture(t)
			post := w.draft(t, object{"text": "Refused", "assetIds": []crier.ID{picture}})
			send := func() *crier.ScheduledPost {
				return as[crier.ScheduleResult](t, w.call(t, http.MethodPost, w.team("/posts/%s/post-now", post.ID),
					object{"socialAccountIds": []crier.ID{w.account(t, network)}, "waitSeconds": 30}).want(t,
					200)).Data[0].ScheduledPost
			}
			failed := send()
			if failed.Status != crier.Failed {
				t.Fatalf("%s: it is %+v", network, failed)
			}
			w.call(t, http.MethodDelete, w.team("/assets/%s", picture), nil).want(t, 200)
			w.call(t, http.MethodPost, w.team("/scheduled-posts/%s/retry", failed.ID), nil).
				wantError(t, crier.KindConflict, "A file that it needs was deleted.")
			other := object{"assetIds": []crier.ID{w.readyPicture(t)}}
			w.call(t, http.MethodPatch, w.team("/posts/%s", post.ID), other).want(t, 200)
			if mended := send(); mended.Status != crier.Published || len(w.timeline(t, network)) != 1 {
				t.Errorf("%s: with another file it is %+v", network, mended)
			}
		}
	})
}
