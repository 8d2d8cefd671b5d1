package api

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"crier"
)

// eventsOf returns the events of a type, oldest first.
func (w *world) eventsOf(t *testing.T, kind crier.EventType) []crier.Event {
	t.Helper()
	_, err := w.store.SequenceEvents(t.Context())
	requireNoError(t, err)
	return as[crier.EventPage](t, w.call(t, http.MethodGet, w.organization("/events?limit=100&types=%s", kind), nil).
		want(t, 200)).Data
}

func TestFirstCreditsAreAnEvent(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		list := w.eventsOf(t, crier.CreditsGranted)
		if len(list) != 1 {
			t.Fatalf("%d grants were recorded", len(list))
		}
		var got crier.CreditsEvent
		requireNoError(t, json.Unmarshal(list[0].Data.Object, &got))
		if want := (crier.CreditsEvent{CreditsBalance: 10_000, AvailableCredits: 10_000, Amount: 10_000}); got != want {
			t.Errorf("granted %+v, want %+v", got, want)
		}
	})
}

// The event is the last that anybody sees of the post.
func TestDeletedPostIsShownInFull(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.call(t, http.MethodDelete, w.team("/posts/%s", w.draft(t, object{}).ID), nil).want(t, 200)
		tag := as[crier.Tag](t, w.call(t, http.MethodPost, w.team("/tags"), object{"name": "Spring"}).want(t, 201))
		post := w.draft(t, object{"text": "Hello", "assetIds": []crier.ID{w.upload(t, "pixel.png")}})
		w.call(t, http.MethodPut, w.team("/posts/%s/tags", post.ID), object{"tagIds": []crier.ID{tag.ID}}).want(t, 200)
		w.schedule(t, post.ID, object{}, crier.ProviderX)
		w.call(t, http.MethodDelete, w.team("/posts/%s", post.ID), nil).want(t, 200)
		list := w.eventsOf(t, crier.PostDeletedEvent)
		if len(list) != 2 {
			t.Fatalf("%d deletions were recorded", len(list))
		}
		empty := as[map[string]json.RawMessage](t, answer{body: list[0].Data.Object})
		for field, want := range map[string]string{"assetIds": "[]", "assetTags": "[]", "userTags": "[]",
			"scheduledDestinationAccountIds": "[]", "status": `"deleted"`} {
			if got := string(empty[field]); got != want {
				t.Errorf("%s of an empty post is %s, want %s", field, got, want)
			}
		}
		got := as[crier.Post](t, answer{body: list[1].Data.Object})
		if got.Status != crier.PostDeleted || got.DeliveryState != crier.DeliveryUnscheduled ||
			len(got.UserTags) != 1 || len(got.AssetIDs) != 1 || got.LatestScheduledPost == nil ||
			got.LatestScheduledPost.Status != crier.Canceled || !got.UpdatedAt.After(post.UpdatedAt.Time) {
			t.Errorf("it was %s", list[1].Data.Object)
		}
		was := as[crier.Post](t, answer{body: list[1].Data.Previous})
		if was.Status != crier.PostApproved || was.DeliveryState != crier.DeliveryScheduled {
			t.Errorf("before it was %s", list[1].Data.Previous)
		}
	})
}

func TestPostEventsHaveThePreviousValuesOfAllChangedFields(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		tag := as[crier.Tag](t, w.call(t, http.MethodPost, w.team("/tags"), object{"name": "Spring"}).want(t, 201))
		post := w.draft(t, object{"title": "Title", "text": "One"})
		path := w.team("/posts/%s", post.ID)
		shown := func() map[string]json.RawMessage {
			return as[map[string]json.RawMessage](t, w.call(t, http.MethodGet, path, nil).want(t, 200))
		}
		asset := w.upload(t, "pixel.png")
		for _, change := range []struct {
			method, path string
			body         object
			kind         crier.EventType
			some         string // of the fields that change
		}{
			{http.MethodPatch, "", object{"title": nil}, crier.PostUpdated, "title"},
			{http.MethodPatch, "", object{"text": "Two"}, crier.PostUpdated, "contentPayloadId postInput text"},
			{http.MethodPatch, "", object{"assetIds": []crier.ID{asset}}, crier.PostUpdated,
				"assetIds contentPayloadId postInput postType"},
			{http.MethodPut, "/tags", object{"tagIds": []crier.ID{tag.ID}}, crier.PostUpdated, "userTags"},
			{http.MethodPatch, "", object{"postPublishActions": object{"firstComment": object{"text": "First"}}},
				crier.PostUpdated, "postPublishActions"},
			{http.MethodPost, "/status", object{"status": "archived"}, crier.PostStatusChanged, "status"},
			{http.MethodPost, "/move-to-draft", object{}, crier.PostStatusChanged, "status"},
		} {
			before := shown()
			w.call(t, change.method, path+change.path, change.body).want(t, 200)
			after, list := shown(), w.eventsOf(t, change.kind)
			want := object{}
			for field := range after {
				if string(before[field]) != string(after[field]) && field != "updatedAt" {
					want[field] = before[field] // nil is null
				}
			}
			for field := range strings.FieldsSeq(change.some) {
				if _, changed := want[field]; !changed {
					t.Errorf("%v leaves %s as it was", change.body, field)
				}
			}
			previous := as[map[string]json.RawMessage](t, answer{body: list[len(list)-1].Data.Previous})
			if got, all := slices.Sorted(maps.Keys(previous)), slices.Sorted(maps.Keys(want)); !slices.Equal(got, all) {
				t.Errorf("after %v, previous has %v, want %v", change.body, got, all)
			}
		}
	})
}
