package api_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/media/mediatest"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

func TestChangedActionsApplyToThePublication(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, e *engine) {
		x := e.Accounts[0]
		post := e.Call(t, e.crew, "POST", "posts", object{"text": "a post", "postPublishActions": object{
			"firstComment": object{"text": "the old comment"}, "recurrenceIntervalDays": 1}}).Want(t,
			http.StatusCreated).Text(t, "id")
		on := crier.Targets{SocialAccountIDs: []crier.ID{x.ID}}
		created, _ := e.ScheduleIn(t, e.crew, post, 24*time.Hour, on)
		id := created.Data[0].ScheduledPost.ID
		e.Call(t, e.crew, "PATCH", "posts/"+post, object{"postPublishActions": object{
			"firstComment": object{"text": "the new comment"}}}).Want(t, http.StatusOK)
		e.ScheduleIn(t, e.crew, post, time.Second, on) // moves it and keeps the rest
		published := e.Await(t, e.crew, id, crier.Published)
		e.AwaitAction(t, e.crew, id, store.FirstComment, crier.Published)
		if got := servertest.Texts(e.box.Timeline(t, x)); !slices.Equal(got, []string{"a post", "the new comment"}) {
			t.Errorf("timeline %q", got)
		}
		if n := e.Number(t, `SELECT count(*) FROM publications WHERE post_id = $1 AND kind = 'post'`, post); n != 1 {
			t.Errorf("the old series goes on: %d publications", n)
		}
		since := "posts?updatedSince=" + url.QueryEscape(published.PublishedAt.String())
		if found := e.Call(t, e.crew, "GET", since, nil).IDs(t); !slices.Equal(found, []string{post}) {
			t.Errorf("the outcome is not found by updatedSince: %q", found)
		}
	})
}

func TestTikTokPublicationsReportTheirResult(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, e *engine) {
		c := e.NewCrew(t, 0, "tiktok")
		on := c.Accounts[0]
		e.box.Fault(t, on, "publish", "reject", nil)
		refused := e.PostOn(t, c, e.NewVideoPost(t, c, "refused"), on,
			object{"platformSettings": servertest.Everywhere})
		e.Await(t, c, refused, crier.Failed)
		state := e.Call(t, c, "GET", path("scheduled-posts/%s", refused), nil).Get(t, "providerPublishState",
			"requiresPolling")
		if state != false {
			t.Errorf("a failed publication says requiresPolling: %v", state)
		}
		post := e.NewVideoPost(t, c, "for me alone")
		private := e.PostOn(t, c, post, on, object{"platformSettings": object{"tiktokPrivacyLevel": "SELF_ONLY"}})
		e.Await(t, c, private, crier.Published)
		shown := e.Call(t, c, "GET", path("scheduled-posts/%s", private), nil)
		if ids, ok := shown.Get(t, "publishResults", "platformPostIds").([]any); !ok || len(ids) != 0 {
			t.Errorf("the ids of a post that TikTok names none of: %s", shown.Body)
		}
		gone := e.Call(t, c, "DELETE", "posts/"+post+"?alsoDeleteFromPlatform=true", nil).Want(t, http.StatusOK)
		if gone.Text(t, "platformDelete", "verdict") != "not_supported" ||
			gone.Text(t, "platformDelete", "scheduledPostId") != string(private) ||
			gone.Text(t, "platformDelete", "platformPostId") != "" {
			t.Errorf("deleted with %s", gone.Body)
		}
	})
}

func TestPublishSettingAssetsMustBelongToTheTeam(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, e *engine) {
		c, stranger := e.NewCrew(t, 0, "instagram", "facebook", "youtube"), e.NewCrew(t, 0)
		picture := mediatest.JPEG(1280, 720)
		own, foreign := e.File(t, c, "cover.jpg", picture), e.File(t, stranger, "cover.jpg", picture)
		film := e.NewVideoPost(t, c, "a film")
		for i, key := range []string{"instagramCoverMediaId", "facebookThumbnailMediaId", "youtubeThumbnailMediaId"} {
			for asset, good := range map[string]bool{own: true, foreign: false, unknownID: false} {
				verdict := e.dryRun(t, c, film, c.Accounts[i], object{key: asset})
				if verdict.OK != good || !good && !strings.Contains(verdict.Error.Message, key) {
					t.Errorf("%s of an asset that is the team's (%v): %+v", key, good, verdict)
				}
			}
		}
		text := e.NewPost(t, c, "Hello")
		for _, asset := range []string{foreign, unknownID} {
			comment := object{"text": "Look", "mediaIds": []string{own, asset}}
			body := object{"socialAccountIds": []crier.ID{c.Accounts[1].ID}, "scheduledAt": servertest.Soon(time.Hour),
				"firstComment":             comment,
				"engagementCommentTrigger": object{"likeThreshold": 1, "windowHours": 1, "comment": comment}}
			e.Call(t, c, "POST", "posts/"+text+"/schedule", body).WantIssues(t, "firstComment.mediaIds.1",
				"engagementCommentTrigger.comment.mediaIds.1")
		}
	})
}

func TestLiveAnalyticsRefreshARejectedToken(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db, withRole("api")) // a worker's first reading of the account would hit the fault
		c := e.NewCrew(t, 0, "youtube")
		live := path("social-accounts/%s/analytics", c.Accounts[0].ID)
		renewals := e.box.Calls(t, "youtube", "refresh")
		e.box.Fault(t, c.Accounts[0], "read", "auth_expired", nil)
		e.Call(t, c, "GET", live, nil).Want(t, http.StatusOK)
		if n := e.box.Calls(t, "youtube", "refresh") - renewals; n != 1 {
			t.Errorf("%d renewals after one refusal", n)
		}
		for body, want := range map[string]int{
			`{"name":"Key","role":"viewer"}`:                                        http.StatusForbidden,
			`{"name":"Key","role":"owner","permissions":["read","read_analytics"]}`: http.StatusForbidden,
			`{"name":"Key","role":"owner","permissions":["read_live_analytics"]}`:   http.StatusOK,
			`{"name":"Key","role":"editor"}`:                                        http.StatusOK,
		} {
			key := e.As(t, c.Key, "POST", path("/v1/organizations/%s/api-keys", c.Organization), body).Want(t,
				http.StatusCreated).Text(t, "secret")
			e.As(t, key, "GET", path("/v1/teams/%s/", c.Team)+live, nil).Want(t, want)
		}
	})
}
