package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"crier"
	"crier/internal/server/servertest"
)

func TestSettingOptionsComeFromTheNetwork(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, e *engine) {
		c := e.NewCrew(t, 0, "youtube", "threads:approved", "tiktok", "x", "threads")
		youtube, threads, tiktok, x := c.Accounts[0], c.Accounts[1], c.Accounts[2], c.Accounts[3]
		unapproved := c.Accounts[4]
		choices := func(a servertest.Account, query string, status int) crier.AccountChoices {
			t.Helper()
			var out crier.AccountChoices
			got := e.Call(t, c, "GET", path("social-accounts/%s/choices?", a.ID)+query, nil).Want(t, status)
			if status == http.StatusOK {
				got.Into(t, &out)
			}
			return out
		}
		labels := func(list crier.AccountChoices) string {
			var all []string
			for _, choice := range list.Data {
				all = append(all, choice.Label)
			}
			return strings.Join(all, ", ")
		}
		if got := choices(youtube, "setting=youtubePlaylistIds", http.StatusOK); labels(got) != "Favorites" {
			t.Errorf("playlists: %+v", got)
		}
		if got := choices(youtube, "setting=youtubeCategoryId&q=DE", http.StatusOK); len(got.Data) == 0 {
			t.Errorf("categories: %+v", got)
		}
		if got := choices(threads, "setting=threadsLocationId&q=crier", http.StatusOK); labels(got) !=
			"Crier Square, Crier Station" || got.Data[0].Detail == "" {
			t.Errorf("places: %+v", got)
		}
		if got := choices(threads, "setting=threadsLocationId", http.StatusOK); got.Data == nil || len(got.Data) != 0 {
			t.Errorf("places without a query: %+v, want an empty list", got)
		}
		got := choices(tiktok, "setting=tiktokPrivacyLevel", http.StatusOK)
		if got.Face == nil || got.Face.DisplayName == "" || !slices.ContainsFunc(got.Data,
			func(choice crier.AccountChoice) bool { return choice.Value == "PUBLIC_TO_EVERYONE" }) {
			t.Errorf("privacy levels: %+v", got)
		}
		choices(unapproved, "setting=threadsLocationId&q=crier", http.StatusConflict)
		choices(youtube, "setting=youtubeTitle", http.StatusBadRequest)
		choices(youtube, "", http.StatusBadRequest)
		choices(x, "setting=xPoll", http.StatusConflict)
		choices(servertest.Account{ID: crier.NewID()}, "setting=youtubePlaylistIds", http.StatusNotFound)
		other := e.NewCrew(t, 0, "youtube")
		e.Call(t, other, "GET", path("social-accounts/%s/choices?setting=youtubePlaylistIds", youtube.ID), nil).
			Want(t, http.StatusNotFound)
		e.box.Fault(t, youtube, "read", "outage", object{"count": 5})
		choices(youtube, "setting=youtubePlaylistIds", http.StatusConflict)
	})
}

func TestMentionSearchAsksTheNetwork(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, e *engine) {
		c := e.NewCrew(t, 0, "linkedin:organization", "x")
		organization, x := c.Accounts[0], c.Accounts[1]
		var shown struct{ ProfileHandle string }
		e.Call(t, c, "GET", path("social-accounts/%s", organization.ID), nil).Want(t, http.StatusOK).Into(t, &shown)
		handle := shown.ProfileHandle
		var found crier.MentionList
		e.Call(t, c, "GET", path("social-accounts/%s/mentions?q=%s", organization.ID, handle), nil).
			Want(t, http.StatusOK).Into(t, &found)
		if len(found.Data) == 0 || found.Data[0].ID != organization.Remote || found.Data[0].Kind != "organization" ||
			found.Data[0].ImageURL == "" {
			t.Errorf("mentions of %s: %+v", handle, found)
		}
		e.Call(t, c, "GET", path("social-accounts/%s/mentions?q=nobody-at-all", organization.ID), nil).
			Want(t, http.StatusOK).Into(t, &found)
		if found.Data == nil || len(found.Data) != 0 {
			t.Errorf("mentions of nobody: %+v, want an empty list", found)
		}
		e.Call(t, c, "GET", path("social-accounts/%s/mentions", organization.ID), nil).Want(t, http.StatusBadRequest)
		e.Call(t, c, "GET", path("social-accounts/%s/mentions?q=a", x.ID), nil).Want(t, http.StatusConflict)
		e.Call(t, e.NewCrew(t, 0, "x"), "GET", path("social-accounts/%s/mentions?q=a", organization.ID), nil).
			Want(t, http.StatusNotFound)
	})
}
