package youtube_test

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

func threadBody(videoID, text string) string {
	return `{"snippet":{"channelId":"UCsomebody","videoId":"` + videoID +
		`","topLevelComment":{"snippet":{"textOriginal":"` + text + `"}}}}`
}

func TestCommentsAreUnderTheirVideo(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.publish(metadata, file(100))
	thread := a.post(http.StatusOK, "commentThreads?part=snippet", threadBody(id, "first"))
	threadID := thread.Text("id")
	if !strings.HasPrefix(threadID, "Ugx") || thread.Text("snippet", "topLevelComment", "id") != threadID ||
		thread.Text("snippet", "topLevelComment", "snippet", "textDisplay") != "first" {
		t.Fatalf("thread is %s", thread.Body)
	}
	posts := a.Posts()
	if len(posts) != 2 || posts[1].Kind != sim.KindComment || *posts[1].ParentID != id {
		t.Fatalf("posts are %+v", posts)
	}
	if list := a.get(http.StatusOK, "commentThreads?part=snippet&videoId="+id); list.Value("items", 0, "snippet",
		"totalReplyCount") != 0.0 {
		t.Errorf("threads are %s", list.Body)
	}
	if count := a.get(http.StatusOK, "videos?part=statistics&id="+id).Text("items", 0, "statistics",
		"commentCount"); count != "1" {
		t.Errorf("%s comments", count)
	}
	remove := simtest.Request{Method: "DELETE", Path: "/youtube/youtube/v3/comments?id=" + threadID,
		Token: a.seed.AccessToken}
	a.Must(http.StatusNoContent, remove)
	a.Must(http.StatusNotFound, remove)
}

func TestRejectedComments(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	open := a.publish(metadata, file(100))
	private := a.publish(strings.Replace(metadata, "public", "private", 1), file(100))
	kids := a.publish(strings.Replace(metadata, `Kids":false`, `Kids":true`, 1), file(100))
	cases := map[string]struct {
		status       int
		body, reason string
	}{
		"no video":     {404, threadBody("other", "hi"), "videoNotFound"},
		"video unsaid": {400, threadBody("", "hi"), "channelOrVideoIdMissing"},
		"channel unsaid": {400, strings.Replace(threadBody(open, "hi"), "UCsomebody", "", 1),
			"channelOrVideoIdMissing"},
		"no text":   {400, threadBody(open, " "), "commentTextRequired"},
		"long text": {400, threadBody(open, strings.Repeat("a", 10_001)), "commentTextTooLong"},
		"private":   {403, threadBody(private, "hi"), "commentsDisabled"},
		"for kids":  {403, threadBody(kids, "hi"), "commentsDisabled"},
	}
	for name, c := range cases {
		if resp := a.post(c.status, "commentThreads?part=snippet", c.body); reason(resp) != c.reason {
			t.Errorf("%s: %s", name, resp.Body)
		}
	}
}

func TestThumbnails(t *testing.T) {
	t.Parallel()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 64, 36))); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		handle string
		body   []byte
		status int
		reason string
	}{
		"picture":    {"ada", picture.Bytes(), 200, ""},
		"no picture": {"ada", []byte("hello"), 400, "invalidImage"},
		"nothing":    {"ada", nil, 400, "mediaBodyRequired"},
		"unverified": {"unverified_ada", picture.Bytes(), 403, "forbidden"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := setup(t, sim.Options{})
			a.seed = a.Seed(c.handle)
			id := a.publish(metadata, file(100))
			resp := a.Must(c.status, simtest.Request{Method: "POST",
				Path:  "/youtube/upload/youtube/v3/thumbnails/set?uploadType=media&videoId=" + id,
				Token: a.seed.AccessToken, Body: c.body, Header: map[string]string{"Content-Type": "image/png"}})
			if reason(resp) != c.reason || (c.reason == "" && resp.Value("items", 0, "default", "width") != 120.0) {
				t.Errorf("response %s", resp.Body)
			}
			has := a.get(http.StatusOK, "videos?part=contentDetails&id="+id).Value("items", 0, "contentDetails",
				"hasCustomThumbnail")
			if has != (c.reason == "") {
				t.Errorf("the video has a custom thumbnail: %v", has)
			}
		})
	}
}

func TestPlaylists(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.publish(metadata, file(100))
	list := a.get(http.StatusOK, "playlists?part=snippet,status&mine=true&maxResults=50").Text("items", 0, "id")
	body := `{"snippet":{"playlistId":"` + list + `","resourceId":{"kind":"youtube#video","videoId":"` + id +
		`"},"position":0}}`
	if resp := a.post(http.StatusOK, "playlistItems?part=snippet", body); resp.Text("snippet", "resourceId",
		"videoId") != id {
		t.Errorf("item is %s", resp.Body)
	}
	if resp := a.get(http.StatusOK,
		"playlistItems?part=snippet&playlistId="+list+"&videoId="+id); resp.Value("pageInfo", "totalResults") != 1.0 {
		t.Errorf("items are %s", resp.Body)
	}
	a.seed = a.Seed("bob")
	if resp := a.post(http.StatusForbidden, "playlistItems?part=snippet",
		body); reason(resp) != "playlistItemsNotAccessible" {
		t.Errorf("a stranger: %s", resp.Body)
	}
	if resp := a.get(http.StatusNotFound,
		"playlistItems?part=snippet&playlistId=PLother"); reason(resp) != "playlistNotFound" {
		t.Errorf("response %s", resp.Body)
	}
}

func TestUploadsAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	oldest := a.publish(metadata, file(100))
	private := a.publish(strings.Replace(metadata, "public", "private", 1), file(100))
	newest := a.publish(metadata, file(100))
	path := "playlistItems?part=snippet,contentDetails&maxResults=2&playlistId=UU" + a.seed.AccountID[2:]
	first := a.get(http.StatusOK, path)
	if first.Text("items", 0, "contentDetails", "videoId") != newest ||
		first.Text("items", 1, "contentDetails", "videoId") != private {
		t.Errorf("first page is %s", first.Body)
	}
	second := a.get(http.StatusOK, path+"&pageToken="+first.Text("nextPageToken"))
	if second.Text("items", 0, "contentDetails", "videoId") != oldest || second.Value("nextPageToken") != nil {
		t.Errorf("second page is %s", second.Body)
	}
	a.seed = a.Seed("bob")
	if resp := a.get(http.StatusOK, path); resp.Value("pageInfo", "totalResults") != 2.0 {
		t.Errorf("a stranger sees %s", resp.Body)
	}
}
