package main

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"crier"
	"crier/internal/media/mediatest"
	"crier/internal/service"
	"crier/internal/store"
)

// sevenNetworks are the names of all networks.
func sevenNetworks() []string {
	var names []string
	for _, p := range crier.Providers() {
		names = append(names, string(p))
	}
	return names
}

// withReachableMedia serves at an address that is known beforehand, so that networks can fetch media from it.
func withReachableMedia(tb testing.TB) option {
	tb.Helper()
	address := freeAddress(tb)
	return func(a *app) { a.config.listen, a.config.publicURL = address, "http://"+address }
}

// everywhere are settings that each of the networks needs.
var everywhere = object{"tiktokPrivacyLevel": "PUBLIC_TO_EVERYONE", "youtubeTitle": "A film"}

// file puts a file into the library of a crew.
func (e *engine) file(tb testing.TB, c crew, name string, data []byte) string {
	tb.Helper()
	body, contentType := form(formPart{field: "file", fileName: name, data: data})
	return e.call(tb, c, "POST", "assets", body, "Content-Type", contentType).want(tb, http.StatusCreated).text(tb, "id")
}

// publishNow publishes at once on accounts, waits until all are public, and returns the publications by network.
func (e *engine) publishNow(tb testing.TB, c crew, post string, on []account, more object) map[string]crier.ScheduledPost {
	tb.Helper()
	var ids []crier.ID
	for _, a := range on {
		ids = append(ids, a.id)
	}
	more["platformSettings"] = everywhere
	published := map[string]crier.ScheduledPost{}
	for i, entry := range e.postNow(tb, c, post, ids, more).Data {
		if entry.Error != nil {
			tb.Fatalf("%s refused: %+v", on[i].network, entry.Error)
		}
		published[on[i].network] = e.await(tb, c, entry.ScheduledPost.ID, crier.Published)
	}
	return published
}

// on are the crew's accounts on some networks.
func (c crew) on(networks ...string) []account {
	return slices.DeleteFunc(slices.Clone(c.accounts), func(a account) bool { return !slices.Contains(networks, a.network) })
}

func TestOneRequestPublishesOnAllSevenNetworks(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db, withReachableMedia(t))
		c := e.newCrew(t, 100_000, sevenNetworks()...)
		film := e.file(t, c, "film.mp4", mediatest.VerticalMP4())
		post := e.call(t, c, "POST", "posts", object{"text": "A film for everybody", "assetIds": []string{film}}).want(t, http.StatusCreated).text(t, "id")
		published := e.publishNow(t, c, post, c.accounts, object{"firstComment": object{"text": "And a comment", "mediaIds": []string{}}})
		for _, a := range c.accounts {
			want := []string{"A film for everybody"}
			if e.can(t, c, a, "firstComment") {
				e.awaitAction(t, c, published[a.network].ID, store.FirstComment, crier.Published)
				want = append(want, "And a comment")
			}
			shown := texts(e.box.timeline(t, a))
			if len(shown) != len(want) || !strings.Contains(strings.Join(shown, "|"), strings.Join(want, "|")) {
				t.Errorf("the timeline on %s shows %q, want %q", a.network, shown, want)
			}
		}
		e.wantLikes(t, c, post, published)
		e.wantRemoved(t, c, post)
		e.balanced(t, c)
	})
}

func TestPicturesAndTextsGoWhereTheyCan(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db, withReachableMedia(t))
		c := e.newCrew(t, 100_000, sevenNetworks()...)
		for text, tc := range pictures() {
			assets := []string{}
			if tc.file != nil {
				assets = append(assets, e.file(t, c, text, tc.file))
			}
			on := c.on(slices.Collect(maps.Keys(tc.on))...)
			post := e.call(t, c, "POST", "posts", object{"text": text, "assetIds": assets}).want(t, http.StatusCreated).text(t, "id")
			e.publishNow(t, c, post, on, object{})
			for _, a := range on {
				e.wantPicture(t, a, text, tc.on[a.network])
			}
			refused := e.postNow(t, c, post, c.ids(), object{"platformSettings": everywhere})
			for _, entry := range refused.Data {
				if entry.Error == nil {
					t.Errorf("%q was accepted a second time, or where it cannot be: %+v", text, entry)
				}
			}
		}
	})
}

// pictures are files and the networks that take them, with what reaches each of these: TikTok takes no PNG and nothing above
// 1080p, Instagram takes JPEGs alone, and WebP is for X and TikTok only.
func pictures() map[string]struct {
	file []byte
	on   map[string]boxMedia
} {
	jpeg, png, webp := boxMedia{"image/jpeg", 640, 640}, boxMedia{"image/png", 640, 640}, boxMedia{"image/webp", 640, 640}
	large, fitted := boxMedia{"image/jpeg", 1400, 1120}, boxMedia{"image/jpeg", 1350, 1080}
	return map[string]struct {
		file []byte
		on   map[string]boxMedia
	}{
		"Words alone": {nil, map[string]boxMedia{"x": {}, "facebook": {}, "linkedin": {}, "threads": {}}},
		"A PNG": {mediatest.PNG(640, 640), map[string]boxMedia{
			"x": png, "tiktok": jpeg, "instagram": jpeg, "facebook": png, "linkedin": png, "threads": png}},
		"A WebP": {mediatest.WebP(640, 640), map[string]boxMedia{
			"x": webp, "tiktok": webp, "instagram": jpeg, "facebook": jpeg, "linkedin": jpeg, "threads": jpeg}},
		"A large picture": {mediatest.JPEG(1400, 1120), map[string]boxMedia{
			"x": large, "tiktok": fitted, "instagram": large, "facebook": large, "linkedin": large, "threads": large}},
	}
}

// wantPicture fails unless the timeline shows the text, with the picture as it should have reached the network.
func (e *engine) wantPicture(tb testing.TB, on account, text string, want boxMedia) {
	tb.Helper()
	for _, post := range e.box.timeline(tb, on) {
		switch {
		case post.Text != text:
		case want == boxMedia{} && len(post.Media) == 0, len(post.Media) == 1 && post.Media[0] == want:
			return
		default:
			tb.Errorf("%q reached %s as %+v, want %+v", text, on.network, post.Media, want)
			return
		}
	}
	tb.Errorf("the timeline on %s shows no %q", on.network, text)
}

// can is true when the account's capabilities say so.
func (e *engine) can(tb testing.TB, c crew, a account, ability string) bool {
	tb.Helper()
	got := e.call(tb, c, "GET", path("social-accounts/%s", a.id), nil).want(tb, http.StatusOK)
	able, _ := got.get(tb, "capabilities", ability).(bool)
	return able
}

// wantLikes has the sandbox like the posts, takes snapshots and fails unless they show the likes where the network tells.
func (e *engine) wantLikes(tb testing.TB, c crew, post string, published map[string]crier.ScheduledPost) {
	tb.Helper()
	for network, p := range published {
		e.box.like(tb, network, p.PlatformPostID, 3)
		if err := e.node.services.Metrics.Snapshot(context.Background(), service.SnapshotJob{ScheduledPostID: p.ID}); err != nil {
			tb.Errorf("snapshot of %s: %v", network, err)
		}
	}
	var metrics crier.PostMetrics
	e.call(tb, c, "GET", "posts/"+post+"/metrics", nil).want(tb, http.StatusOK).into(tb, &metrics)
	for _, m := range metrics.Data {
		account := c.on(string(m.Provider))[0]
		if told := len(m.Snapshots) > 0; told != e.can(tb, c, account, "metrics") {
			tb.Errorf("%s: snapshots %v", m.Provider, m.Snapshots)
			continue
		}
		for _, snapshot := range m.Snapshots {
			var numbers struct{ Likes *int64 }
			if err := json.Unmarshal(snapshot.Metrics, &numbers); err != nil || numbers.Likes == nil || *numbers.Likes != 3 {
				tb.Errorf("%s: %s, %v; want 3 likes", m.Provider, snapshot.Metrics, err)
			}
		}
	}
	if len(metrics.Data) != len(published) {
		tb.Errorf("metrics of %d publications, want %d", len(metrics.Data), len(published))
	}
}

// wantRemoved deletes a post and fails unless it is gone from the networks that let apps delete.
func (e *engine) wantRemoved(tb testing.TB, c crew, post string) {
	tb.Helper()
	able := map[string]bool{}
	for _, a := range c.accounts {
		able[a.network] = e.can(tb, c, a, "delete")
	}
	e.call(tb, c, "DELETE", "posts/"+post+"?alsoDeleteFromPlatform=true", nil).want(tb, http.StatusOK)
	for _, a := range c.accounts {
		until(tb, func() bool {
			return !able[a.network] || e.box.timeline(tb, a)[0].DeletedAt != nil
		}, func() string { return "the post is still on " + a.network })
	}
}
