package api

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
)

// sandboxPost is a post on a simulated network.
type sandboxPost struct {
	Provider crier.Provider `json:"provider"`
	Kind     string         `json:"kind"`
	Text     string         `json:"text"`
	Media    []any          `json:"media"`
}

// timeline returns the sandbox's posts of a network.
func (w *world) timeline(t *testing.T, network crier.Provider) []sandboxPost {
	t.Helper()
	resp, err := http.Get(w.sandbox + "/_control/posts?provider=" + string(network))
	requireNoError(t, err)
	defer resp.Body.Close()
	var list struct {
		Data []sandboxPost `json:"data"`
	}
	requireNoError(t, json.NewDecoder(resp.Body).Decode(&list))
	return list.Data
}

// picture uploads an image without waiting: the workers have to run for it to become ready.
func (w *world) picture(t *testing.T) crier.ID {
	t.Helper()
	var file bytes.Buffer
	requireNoError(t, png.Encode(&file, image.NewGray(image.Rect(0, 0, 640, 640))))
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	part, err := writer.CreateFormFile("file", "picture.png")
	requireNoError(t, err)
	_, err = part.Write(file.Bytes())
	requireNoError(t, err)
	requireNoError(t, writer.Close())
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, w.team("/assets"), &form)
	r.Header.Set("Content-Type", writer.FormDataContentType())
	r.Header.Set("Authorization", "Bearer "+w.key)
	recorder := httptest.NewRecorder()
	w.ServeHTTP(recorder, r)
	if recorder.Code != http.StatusCreated {
		t.Fatalf("upload: %d %s", recorder.Code, recorder.Body)
	}
	return as[crier.Asset](t, answer{body: recorder.Body.Bytes()}).ID
}

// readyPicture uploads an image and waits until it is ready.
func (w *world) readyPicture(t *testing.T) crier.ID {
	t.Helper()
	id := w.picture(t)
	deadline := time.Now().Add(2 * time.Minute)
	for {
		a := as[crier.Asset](t, w.call(t, http.MethodGet, w.team("/assets/%s", id), nil).want(t, 200))
		if a.Status == crier.AssetReady {
			return id
		}
		if time.Now().After(deadline) {
			t.Fatalf("the asset stays %s", a.Status)
		}
		<-time.After(20 * time.Millisecond)
	}
}

func TestEachAccountPublishesItsVariant(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.work(t)
		picture := w.readyPicture(t)
		post := w.draft(t, object{"postInput": object{"kind": "atomic", "text": "For all",
			"attachments": []object{}, "variants": []object{
				{"provider": "x", "text": "For X"},
				{"provider": "threads", "posts": []object{{"kind": "atomic", "text": "One"},
					{"kind": "atomic", "text": "Two"}}},
				{"socialAccountId": w.account(t, crier.ProviderLinkedIn), "text": "For this account"},
				{"provider": "linkedin", "text": "For LinkedIn"},
				{"provider": "facebook", "attachments": []object{{"kind": "media",
					"asset": object{"assetId": picture}}}},
			}}})
		if post.Text != "For all" || len(post.AssetIDs) != 0 || len(post.PostInput.Variants) != 5 ||
			post.PostInput.Variants[4].PostType != crier.TextImage ||
			post.PostInput.Variants[0].PostType != crier.TextPost {
			t.Fatalf("stored as %+v", post)
		}
		shown := (*post.PostInput.Variants[4].Attachments)[0].Media.Asset
		if shown.MimeType != "image/png" || shown.ThumbnailURL == "" {
			t.Errorf("the variant's asset is not filled in: %+v", shown)
		}
		var ids []crier.ID
		networks := []crier.Provider{crier.ProviderX, crier.ProviderThreads, crier.ProviderLinkedIn,
			crier.ProviderFacebook}
		for _, n := range networks {
			ids = append(ids, w.account(t, n))
		}
		w.call(t, http.MethodPost, w.team("/posts/%s/post-now", post.ID), object{"socialAccountIds": ids,
			"waitSeconds": 0}).want(t, 200)
		list := as[crier.Post](t, w.call(t, http.MethodGet, w.team("/posts/%s?include=scheduledPosts", post.ID), nil).
			want(t, 200))
		for _, p := range *list.ScheduledPosts {
			w.until(t, p.ID, func(p crier.ScheduledPost) bool { return p.Status == crier.Published })
		}
		for network, want := range map[crier.Provider][]string{crier.ProviderX: {"For X"},
			crier.ProviderThreads: {"One", "Two"}, crier.ProviderLinkedIn: {"For this account"},
			crier.ProviderFacebook: {"For all"}} {
			var texts []string
			for _, p := range w.timeline(t, network) {
				texts = append(texts, p.Text)
			}
			slices.Sort(texts)
			if !slices.Equal(texts, want) {
				t.Errorf("%s shows %q, want %q", network, texts, want)
			}
		}
		if page := w.timeline(t, crier.ProviderFacebook); len(page) != 1 || len(page[0].Media) != 1 {
			t.Errorf("the Page shows %+v", page)
		}
	})
}

func TestVariantsArePublishedAfterARetryAndInASeries(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.work(t)
		publish := func(more object) (post, scheduled crier.ID) {
			post = w.draft(t, object{"postInput": object{"kind": "atomic", "text": "For all",
				"attachments": []object{}, "variants": []object{{"provider": "threads", "text": "For Threads"}}}}).ID
			more["socialAccountIds"], more["waitSeconds"] = []crier.ID{w.account(t, crier.ProviderThreads)}, 0
			result := as[crier.ScheduleResult](t, w.call(t, http.MethodPost, w.team("/posts/%s/post-now", post), more).
				want(t, 200))
			return post, result.Data[0].ScheduledPost.ID
		}
		w.fault(t, object{"provider": "threads", "operation": "publish", "kind": "reject", "count": 1})
		_, failed := publish(object{})
		w.until(t, failed, func(p crier.ScheduledPost) bool { return p.Status == crier.Failed })
		w.call(t, http.MethodPost, w.team("/scheduled-posts/%s/retry", failed), nil).want(t, 200)
		w.until(t, failed, func(p crier.ScheduledPost) bool { return p.Status == crier.Published })
		post, first := publish(object{"recurrenceIntervalDays": 1})
		w.until(t, first, func(p crier.ScheduledPost) bool { return p.Status == crier.Published })
		next := as[crier.Page[crier.ScheduledPost]](t, w.call(t, http.MethodGet,
			w.team("/scheduled-posts?postId=%s&status=scheduled", post), nil).want(t, 200))
		if len(next.Data) != 1 {
			t.Fatalf("%d follow in the series", len(next.Data))
		}
		w.wait(next.Data[0].ScheduledAt.Sub(w.now()))
		w.until(t, next.Data[0].ID, func(p crier.ScheduledPost) bool { return p.Status == crier.Published })
		shown := w.timeline(t, crier.ProviderThreads)
		if len(shown) != 3 || slices.ContainsFunc(shown, func(p sandboxPost) bool { return p.Text != "For Threads" }) {
			t.Errorf("Threads shows %+v", shown)
		}
	})
}

func TestCalendarAndDryRunShowVariants(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		body := object{"kind": "thread", "posts": []object{{"kind": "atomic", "text": "One"},
			{"kind": "atomic", "text": "Two"}}, "variants": []object{{"provider": "linkedin", "text": "Both"}}}
		post := w.draft(t, object{"postInput": body})
		w.schedule(t, post.ID, object{"recurrenceIntervalDays": 7}, crier.ProviderX, crier.ProviderLinkedIn)
		calendar := as[crier.Calendar](t, w.call(t, http.MethodGet, w.team("/calendar?from=%s&to=%s",
			w.later(time.Hour).UTC().Format(time.RFC3339), w.later(10*24*time.Hour).UTC().Format(time.RFC3339)), nil).
			want(t, 200))
		for _, e := range calendar.Entries {
			want := map[crier.Provider]string{crier.ProviderX: "One\n\nTwo", crier.ProviderLinkedIn: "Both"}[e.Provider]
			if e.Text != want {
				t.Errorf("%s on %s: %q, want %q", e.Kind, e.Provider, e.Text, want)
			}
		}
		if len(calendar.Entries) != 4 {
			t.Errorf("%d entries", len(calendar.Entries))
		}
		accounts := []crier.ID{w.account(t, crier.ProviderX), w.account(t, crier.ProviderLinkedIn)}
		stored := as[crier.ValidationResult](t, w.call(t, http.MethodPost, w.team("/posts/%s/validate", post.ID),
			object{"socialAccountIds": accounts, "useNextSlot": true}).want(t, 200))
		unstored := as[crier.ValidationResult](t, w.call(t, http.MethodPost, w.team("/posts/validate"),
			object{"socialAccountIds": accounts, "postInput": body}).want(t, 200))
		for _, result := range []crier.ValidationResult{stored, unstored} {
			x, linkedin := result.Data[0], result.Data[1]
			if !x.OK || !linkedin.OK || len(x.Texts) != 2 || len(linkedin.Texts) != 1 || x.Texts[1].Text != "Two" ||
				linkedin.Texts[0].Text != "Both" || linkedin.Texts[0].Count != 4 {
				t.Errorf("dry run: %+v", result)
			}
		}
		if cost := stored.Data[0].CreditCost; cost <= stored.Data[1].CreditCost {
			t.Errorf("the thread costs %d, the single post %d", cost, stored.Data[1].CreditCost)
		}
	})
}

func TestVariantsAreValidatedAndSearched(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		atomic := func(variants ...object) object {
			return object{"postInput": object{"kind": "atomic", "text": "Base", "variants": variants}}
		}
		for _, c := range []struct {
			body     object
			wantText string
		}{
			{atomic(object{"text": "Nobody's"}), `["postInput","variants","0"]`},
			{atomic(object{"provider": "x", "socialAccountId": w.account(t, crier.ProviderX), "text": "Two"}),
				`["postInput","variants","0"]`},
			{atomic(object{"provider": "x"}), "changes nothing"},
			{atomic(object{"provider": "myspace", "text": "Old"}), `["postInput","variants","0","provider"]`},
			{atomic(object{"provider": "x", "text": "A"}, object{"provider": "x", "text": "B"}),
				`["postInput","variants","1","provider"]`},
			{atomic(object{"provider": "x", "text": "A", "posts": []object{{"kind": "atomic", "text": "1"},
				{"kind": "atomic", "text": "2"}}}), `["postInput","variants","0","posts"]`},
			{atomic(object{"provider": "x", "posts": []object{{"kind": "atomic", "text": "1"}}}), "2 to 50 items"},
			{atomic(object{"socialAccountId": crier.NewID(), "text": "Away"}),
				`["postInput","variants","0","socialAccountId"]`},
			{atomic(object{"provider": "x", "attachments": []object{{"kind": "media",
				"asset": object{"assetId": crier.NewID()}}}}),
				`["postInput","variants","0","attachments","0","asset","assetId"]`},
			{object{"postInput": object{"kind": "thread", "posts": []object{{"kind": "atomic"}, {"kind": "atomic"}},
				"variants": []object{{"provider": "x", "attachments": []object{}}}}},
				`["postInput","variants","0","attachments"]`},
		} {
			a := w.call(t, http.MethodPost, w.team("/posts"), c.body).want(t, 400)
			a.wantError(t, crier.KindInvalid, c.wantText)
		}

		post := w.draft(t, atomic(object{"provider": "x", "text": "Übermorgen #herbst"}))
		for _, q := range []string{"base", "ubermorgen"} {
			found := as[crier.Page[crier.Post]](t,
				w.call(t, http.MethodGet, w.team("/posts?q=%s", q), nil).want(t, 200))
			if len(found.Data) != 1 {
				t.Errorf("%q finds %d posts", q, len(found.Data))
			}
		}
		w.schedule(t, post.ID, object{}, crier.ProviderX)
		// Too long for X only: the issue is at the variant's text in the request.
		long := strings.Repeat("long ", 80)
		w.call(t, http.MethodPatch, w.team("/posts/%s", post.ID), atomic(object{"provider": "x", "text": long})).
			want(t, 400).wantError(t, crier.KindInvalid, `["postInput","variants","0","text"]`)
		// The post may be longer than X allows, since X has a separate text.
		changed := as[crier.Post](t, w.call(t, http.MethodPatch, w.team("/posts/%s", post.ID), object{"text": long}).
			want(t, 200))
		if changed.Text != long || len(changed.PostInput.Variants) != 1 {
			t.Errorf("a new text changes the variants: %+v", changed.PostInput)
		}
		flat := as[crier.Post](t, w.call(t, http.MethodPatch, w.team("/posts/%s", post.ID),
			object{"postInput": nil, "text": "Plain"}).want(t, 200))
		if len(flat.PostInput.Variants) != 0 {
			t.Errorf("plain text keeps variants: %+v", flat.PostInput)
		}
	})
}

func TestAssetsOfVariantsAreInUse(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.work(t)
		picture := w.readyPicture(t)
		post := w.draft(t, object{"postInput": object{"kind": "atomic", "text": "Base", "variants": []object{
			{"provider": "x", "attachments": []object{{"kind": "media", "asset": object{"assetId": picture}}}}}}})
		w.schedule(t, post.ID, object{}, crier.ProviderX)
		w.call(t, http.MethodDelete, w.team("/assets/%s", picture), nil).want(t, 409)
		calendar := as[crier.Calendar](t, w.call(t, http.MethodGet, w.team("/calendar?from=%s&to=%s",
			w.later(time.Hour).UTC().Format(time.RFC3339), w.later(10*24*time.Hour).UTC().Format(time.RFC3339)), nil).
			want(t, 200))
		if len(calendar.Entries) != 1 || calendar.Entries[0].ThumbnailURL == nil ||
			calendar.Entries[0].PostType != crier.TextImage {
			t.Errorf("the calendar shows %+v", calendar.Entries)
		}
	})
}
