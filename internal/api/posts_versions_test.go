package api

import (
	"net/http"
	"testing"
	"time"

	"crier"
)

// editText changes the text of a post.
func (w *world) editText(t *testing.T, post crier.ID, text string, headers ...header) answer {
	t.Helper()
	return w.call(t, http.MethodPatch, w.team("/posts/%s", post), object{"text": text}, headers...)
}

// versions returns the texts of the versions of a post, the newest first.
func (w *world) versions(t *testing.T, post crier.ID) []crier.PostVersion {
	t.Helper()
	page := as[crier.Page[crier.PostVersion]](t, w.call(t, http.MethodGet, w.team("/posts/%s/versions", post), nil).
		want(t, 200))
	if page.Total != int64(len(page.Data)) {
		t.Fatalf("total %d of %d versions", page.Total, len(page.Data))
	}
	return page.Data
}

// newKey returns the secret of a further API key.
func (w *world) newKey(t *testing.T, body object) string {
	t.Helper()
	return as[crier.APIKeyWithSecret](t,
		w.call(t, http.MethodPost, w.organization("/api-keys"), body).want(t, 201)).Secret
}

func TestAutosaveReplacesTheLastVersion(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		post := w.draft(t, object{"text": "One"})
		second := as[crier.Post](t, w.editText(t, post.ID, "Two").want(t, 200))
		if second.ContentPayloadID == post.ContentPayloadID {
			t.Error("a change keeps the id of the version")
		}
		list := w.versions(t, post.ID)
		if len(list) != 1 || list[0].Text != "Two" || list[0].Version != 1 || !list[0].Current ||
			list[0].ContentPayloadID != second.ContentPayloadID {
			t.Fatalf("autosave leaves %+v", list)
		}
		w.call(t, http.MethodGet, w.team("/posts/%s/versions/%s", post.ID, post.ContentPayloadID), nil).want(t, 404)

		// Another credential's change is a separate version, and so is the one after it.
		other := header{"Authorization", "Bearer " + w.newKey(t, object{"name": "Other", "role": "editor"})}
		w.editText(t, post.ID, "Three", other).want(t, 200)
		w.editText(t, post.ID, "Four").want(t, 200)
		if list = w.versions(t, post.ID); len(list) != 3 || list[0].Text != "Four" || list[2].Text != "Two" {
			t.Fatalf("two credentials leave %+v", list)
		}
		// So is one that comes later than ten minutes after the version was started.
		w.wait(crier.AutosaveWindow + time.Second)
		w.editText(t, post.ID, "Five").want(t, 200)
		w.editText(t, post.ID, "Six").want(t, 200)
		if list = w.versions(t, post.ID); len(list) != 4 || list[0].Text != "Six" || list[0].Version != 4 {
			t.Fatalf("a late change leaves %+v", list)
		}
		// A scheduled version stays readable, even after it was canceled.
		scheduled := w.schedule(t, post.ID, object{}, crier.ProviderX)[0]
		w.call(t, http.MethodPost, w.team("/posts/%s/move-to-draft", post.ID), nil).want(t, 200)
		w.editText(t, post.ID, "Seven").want(t, 200)
		kept := as[crier.PostVersion](t, w.call(t, http.MethodGet, w.team("/posts/%s/versions/%s", post.ID,
			scheduled.ContentPayloadID), nil).want(t, 200))
		if kept.Text != "Six" || kept.Current || kept.PostInput == nil || kept.PostInput.Atomic.Text != "Six" {
			t.Errorf("the scheduled version is %+v", kept)
		}
		if list = w.versions(t, post.ID); len(list) != 5 {
			t.Errorf("%d versions", len(list))
		}
	})
}

func TestIfMatchMakesAChangeConditional(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		post := w.draft(t, object{"text": "One"})
		match := func(value string) header { return header{"If-Match", value} }
		quoted := func(id crier.ID) string { return `"` + string(id) + `"` }
		second := as[crier.Post](t, w.editText(t, post.ID, "Two", match(quoted(post.ContentPayloadID))).want(t, 200))

		refused := w.editText(t, post.ID, "Three", match(quoted(post.ContentPayloadID))).want(t, 412)
		refused.wantError(t, crier.KindPreconditionFailed, string(second.ContentPayloadID))
		body := as[struct {
			ContentPayloadID crier.ID `json:"contentPayloadId"`
		}](t, refused)
		if body.ContentPayloadID != second.ContentPayloadID {
			t.Errorf("the present version is told as %q", body.ContentPayloadID)
		}
		w.call(t, http.MethodPatch, w.team("/posts/%s", post.ID), object{"title": "T"},
			match(quoted(post.ContentPayloadID))).want(t, 412)

		w.editText(t, post.ID, "Three", match("*")).want(t, 200)
		now := as[crier.Post](t, w.call(t, http.MethodGet, w.team("/posts/%s", post.ID), nil).want(t, 200))
		w.editText(t, post.ID, "Four",
			match(quoted(post.ContentPayloadID)+", "+quoted(now.ContentPayloadID))).want(t, 200)
		for _, bad := range []string{string(post.ContentPayloadID), `""`, `W/"x"`, `"` + string(post.ID)} {
			w.editText(t, post.ID, "Five", match(bad)).want(t, 400).wantError(t, crier.KindInvalid, `["If-Match"]`)
		}
		if got := as[crier.Post](t, w.call(t, http.MethodGet, w.team("/posts/%s", post.ID), nil)); got.Text != "Four" {
			t.Errorf("a refused change wrote %q", got.Text)
		}
	})
}

// What was not seen is not scheduled, published or approved.
func TestIfMatchPublishesTheVersionThatWasSeen(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		seen := w.draft(t, object{"text": "Seen"})
		match := header{"If-Match", `"` + string(seen.ContentPayloadID) + `"`}
		w.editText(t, seen.ID, "Not seen").want(t, 200)
		now := as[crier.Post](t, w.call(t, http.MethodGet, w.team("/posts/%s", seen.ID), nil).want(t, 200))
		current := header{"If-Match", `"` + string(now.ContentPayloadID) + `"`}
		on := []crier.ID{w.account(t, crier.ProviderX)}
		later := object{"socialAccountIds": on, "scheduledAt": w.later(48 * time.Hour)}
		approved := object{"status": "approved"}
		for _, c := range []struct {
			path string
			body object
		}{
			{"schedule", later}, {"post-now", object{"socialAccountIds": on, "waitSeconds": 0}}, {"status", approved},
		} {
			refused := w.call(t, http.MethodPost, w.team("/posts/%s/%s", seen.ID, c.path), c.body, match).want(t, 412)
			refused.wantError(t, crier.KindPreconditionFailed, string(now.ContentPayloadID))
		}
		after := as[crier.Post](t, w.call(t, http.MethodGet, w.team("/posts/%s", seen.ID), nil).want(t, 200))
		if after.Status != crier.PostDraft || after.DeliveryState != crier.DeliveryUnscheduled {
			t.Errorf("refused, it is %s and %s", after.Status, after.DeliveryState)
		}
		w.call(t, http.MethodPost, w.team("/posts/%s/status", seen.ID), approved, current).want(t, 200)
		w.call(t, http.MethodPost, w.team("/posts/%s/schedule", seen.ID), later, current).want(t, 200)
	})
}

func TestVersionsAreScopedToTheTeam(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		post, other := w.draft(t, object{"text": "One"}), w.draft(t, object{"text": "Two"})
		address := w.team("/posts/%s/versions/%s", post.ID, post.ContentPayloadID)
		viewer := header{"Authorization", "Bearer " + w.newKey(t, object{"name": "Viewer", "role": "viewer"})}
		nobody := header{"Authorization", ""}
		for _, c := range []struct {
			path   string
			header header
			status int
		}{
			{address, viewer, 200},
			{w.team("/posts/%s/versions", post.ID), viewer, 200},
			{address, nobody, 401},
			{w.team("/posts/%s/versions", post.ID), nobody, 401},
			{w.team("/posts/%s/versions/%s", other.ID, post.ContentPayloadID), viewer, 404},
			{w.team("/posts/%s/versions/%s", post.ID, crier.NewID()), viewer, 404},
			{w.team("/posts/%s/versions", crier.NewID()), viewer, 404},
			{w.team("/posts/%s/versions/%s", post.ID, "nonsense"), viewer, 400},
			{w.team("/posts/%s/versions?limit=0", post.ID), viewer, 400},
			{w.team("/posts/%s/versions?sortBy=text", post.ID), viewer, 400},
		} {
			if a := w.call(t, http.MethodGet, c.path, nil, c.header); a.status != c.status {
				t.Errorf("%s: %d, want %d: %s", c.path, a.status, c.status, a.body)
			}
		}
		w.editText(t, post.ID, "Mine", viewer).want(t, 403)
	})
}
