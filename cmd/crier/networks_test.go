package main

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"crier"
	"crier/internal/job"
	"crier/internal/media/mediatest"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// publishNow publishes at once on accounts, waits until all are public, and returns the publications by network.
func (e *engine) publishNow(tb testing.TB, c crew, post string, on []servertest.Account,
	more object) map[string]crier.ScheduledPost {
	tb.Helper()
	var ids []crier.ID
	for _, a := range on {
		ids = append(ids, a.ID)
	}
	more["platformSettings"] = servertest.Everywhere
	published := map[string]crier.ScheduledPost{}
	for i, entry := range e.PostNow(tb, c, post, ids, more).Data {
		if entry.Error != nil {
			tb.Fatalf("%s refused: %+v", on[i].Network, entry.Error)
		}
		published[on[i].Network] = e.Await(tb, c, entry.ScheduledPost.ID, crier.Published)
	}
	return published
}

func TestOneRequestPublishesOnAllSevenNetworks(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db, servertest.WithReachableMedia(t))
		c := e.NewCrew(t, 100_000, servertest.SevenNetworks()...)
		film := e.File(t, c, "film.mp4", mediatest.VerticalMP4())
		post := e.Call(t, c, "POST", "posts", object{"text": "A film for everybody",
			"assetIds": []string{film}}).Want(t, http.StatusCreated).Text(t, "id")
		published := e.publishNow(t, c, post, c.Accounts,
			object{"firstComment": object{"text": "And a comment", "mediaIds": []string{}}})
		for _, a := range c.Accounts {
			want := []string{"A film for everybody"}
			if e.can(t, c, a, "firstComment") {
				e.AwaitAction(t, c, published[a.Network].ID, store.FirstComment, crier.Published)
				want = append(want, "And a comment")
			}
			shown := servertest.Texts(e.box.Timeline(t, a))
			if len(shown) != len(want) || !strings.Contains(strings.Join(shown, "|"), strings.Join(want, "|")) {
				t.Errorf("the timeline on %s shows %q, want %q", a.Network, shown, want)
			}
		}
		e.As(t, c.Key, "PATCH", path("/v1/organizations/%s", c.Organization),
			object{"metricsPolicy": "all"}).Want(t, http.StatusOK)
		e.wantLikes(t, c, post, published)
		e.wantRemoved(t, c, post)
		e.Balanced(t, c)
	})
}

func TestImagesAndTextsArePublishedWhereSupported(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db, servertest.WithReachableMedia(t))
		c := e.NewCrew(t, 100_000, servertest.SevenNetworks()...)
		for text, tc := range pictures() {
			assets := []string{}
			if tc.file != nil {
				assets = append(assets, e.File(t, c, text, tc.file))
			}
			on := c.On(slices.Collect(maps.Keys(tc.on))...)
			post := e.Call(t, c, "POST", "posts", object{"text": text, "assetIds": assets}).Want(t,
				http.StatusCreated).Text(t, "id")
			e.publishNow(t, c, post, on, object{})
			for _, a := range on {
				e.wantPicture(t, a, text, tc.on[a.Network])
			}
			refused := e.PostNow(t, c, post, c.IDs(), object{"platformSettings": servertest.Everywhere})
			for _, entry := range refused.Data {
				if entry.Error == nil {
					t.Errorf("%q was accepted a second time, or where it cannot be: %+v", text, entry)
				}
			}
		}
	})
}

// pictures returns files, the networks that accept them, and the format that each network receives: TikTok accepts no
// PNG and nothing above 1080p, Instagram accepts only JPEG, and WebP is for X and TikTok only.
func pictures() map[string]struct {
	file []byte
	on   map[string]servertest.BoxMedia
} {
	picture := func(kind string, width, height int) servertest.BoxMedia {
		return servertest.BoxMedia{Type: kind, Width: width, Height: height}
	}
	jpeg, png, webp := picture("image/jpeg", 640, 640), picture("image/png", 640, 640), picture("image/webp", 640, 640)
	large, fitted := picture("image/jpeg", 1400, 1120), picture("image/jpeg", 1350, 1080)
	return map[string]struct {
		file []byte
		on   map[string]servertest.BoxMedia
	}{
		"Words alone": {nil, map[string]servertest.BoxMedia{"x": {}, "facebook": {}, "linkedin": {}, "threads": {}}},
		"A PNG": {mediatest.PNG(640, 640), map[string]servertest.BoxMedia{
			"x": png, "tiktok": jpeg, "instagram": jpeg, "facebook": png, "linkedin": png, "threads": png}},
		"A WebP": {mediatest.WebP(640, 640), map[string]servertest.BoxMedia{
			"x": webp, "tiktok": webp, "instagram": jpeg, "facebook": jpeg, "linkedin": jpeg, "threads": jpeg}},
		"A large picture": {mediatest.JPEG(1400, 1120), map[string]servertest.BoxMedia{
			"x": large, "tiktok": fitted, "instagram": large, "facebook": large, "linkedin": large, "threads": large}},
	}
}

// wantPicture fails the test unless the timeline shows the text with the picture in the format expected by the network.
func (e *engine) wantPicture(tb testing.TB, on servertest.Account, text string, want servertest.BoxMedia) {
	tb.Helper()
	for _, post := range e.box.Timeline(tb, on) {
		switch {
		case post.Text != text:
		case want == servertest.BoxMedia{} && len(post.Media) == 0, len(post.Media) == 1 && post.Media[0] == want:
			return
		default:
			tb.Errorf("%q reached %s as %+v, want %+v", text, on.Network, post.Media, want)
			return
		}
	}
	tb.Errorf("the timeline on %s shows no %q", on.Network, text)
}

// can reports whether the account has the capability.
func (e *engine) can(tb testing.TB, c crew, a servertest.Account, ability string) bool {
	tb.Helper()
	got := e.Call(tb, c, "GET", path("social-accounts/%s", a.ID), nil).Want(tb, http.StatusOK)
	able, _ := got.Get(tb, "capabilities", ability).(bool)
	return able
}

// wantLikes makes the sandbox like the posts, takes snapshots and fails the test unless they show the likes where the
// network reports them.
func (e *engine) wantLikes(tb testing.TB, c crew, post string, published map[string]crier.ScheduledPost) {
	tb.Helper()
	for network, p := range published {
		e.box.Like(tb, network, p.PlatformPostID, 3)
		if err := e.Node.Services.Analytics.Snapshot(context.Background(),
			job.Snapshot{ScheduledPostID: p.ID}); err != nil {
			tb.Errorf("snapshot of %s: %v", network, err)
		}
	}
	var metrics crier.PostMetrics
	e.Call(tb, c, "GET", "posts/"+post+"/metrics", nil).Want(tb, http.StatusOK).Into(tb, &metrics)
	for _, m := range metrics.Data {
		account := c.On(string(m.Provider))[0]
		if reported := len(m.Snapshots) > 0; reported != e.can(tb, c, account, "metrics") {
			tb.Errorf("%s: snapshots %v", m.Provider, m.Snapshots)
			continue
		}
		for _, snapshot := range m.Snapshots[:min(1, len(m.Snapshots))] { // earlier ones were taken before the likes
			numbers, err := snapshot.Metrics.Value()
			if err != nil || numbers.Likes == nil || *numbers.Likes != 3 {
				tb.Errorf("%s: %s, %v; want 3 likes", m.Provider, snapshot.Metrics.Raw(), err)
			}
		}
	}
	if len(metrics.Data) != len(published) {
		tb.Errorf("metrics of %d publications, want %d", len(metrics.Data), len(published))
	}
}

// wantRemoved deletes a post and fails the test unless it is gone from the networks that allow apps to delete.
func (e *engine) wantRemoved(tb testing.TB, c crew, post string) {
	tb.Helper()
	able := map[string]bool{}
	for _, a := range c.Accounts {
		able[a.Network] = e.can(tb, c, a, "delete")
	}
	e.Call(tb, c, "DELETE", "posts/"+post+"?alsoDeleteFromPlatform=true", nil).Want(tb, http.StatusOK)
	for _, a := range c.Accounts {
		servertest.Until(tb, func() bool {
			return !able[a.Network] || e.box.Timeline(tb, a)[0].DeletedAt != nil
		}, func() string { return "the post is still on " + a.Network })
	}
}
