package api

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"testing"

	"crier"
)

// pixel is a PNG of one pixel.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// upload uploads a picture to the team's library.
func (w *world) upload(t *testing.T, name string) crier.ID {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(pixel)
	requireNoError(t, err)
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	part, err := writer.CreateFormFile("file", name)
	requireNoError(t, err)
	_, err = part.Write(data)
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
	var asset crier.Asset
	requireNoError(t, json.Unmarshal(recorder.Body.Bytes(), &asset))
	return asset.ID
}

func TestPostsAreFilteredByAsset(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owl, cat := w.upload(t, "owl.png"), w.upload(t, "cat.png")
		create := func(text string, assets ...crier.ID) crier.ID {
			var post crier.Post
			body := w.call(t, http.MethodPost, w.team("/posts"),
				object{"text": text, "assetIds": append([]crier.ID{}, assets...)}).
				want(t, http.StatusCreated).body
			requireNoError(t, json.Unmarshal(body, &post))
			return post.ID
		}
		both, one := create("both", owl, cat), create("one", owl)
		create("none")
		found := func(query string) []crier.ID {
			var page crier.Page[crier.Post]
			body := w.call(t, http.MethodGet, w.team("/posts?%s", query), nil).want(t, http.StatusOK).body
			requireNoError(t, json.Unmarshal(body, &page))
			ids := make([]crier.ID, 0, len(page.Data))
			for _, p := range page.Data {
				ids = append(ids, p.ID)
			}
			if int(page.Total) != len(ids) {
				t.Errorf("%s: total %v of %d", query, page.Total, len(ids))
			}
			return ids
		}
		if got := found("assetId=" + string(owl)); len(got) != 2 || got[0] != one || got[1] != both {
			t.Errorf("posts with the owl: %v", got)
		}
		if got := found("assetId=" + string(cat) + "&q=both"); len(got) != 1 || got[0] != both {
			t.Errorf("posts with the cat: %v", got)
		}
		w.call(t, http.MethodPatch, w.team("/posts/%s", both), object{"assetIds": []crier.ID{owl}}).want(t,
			http.StatusOK)
		if got := found("assetId=" + string(cat)); len(got) != 0 {
			t.Errorf("posts that once had the cat: %v", got)
		}
		w.call(t, http.MethodGet, w.team("/posts?assetId=owl"), nil).want(t, http.StatusBadRequest)
	})
}
