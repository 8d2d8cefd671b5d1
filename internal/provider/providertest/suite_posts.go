package providertest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/internal/provider"
)

// testPosts publishes every post type that the network declares, and its variants.
func testPosts(t *testing.T, n Network) {
	t.Helper()
	s := newStage(t, n)
	for _, post := range n.Posts(s.info) {
		t.Run(post.Name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, n)
			c := s.content(post)
			if found := s.Check(s.account, c); !found.OK() {
				t.Fatalf("refused beforehand: %v", found.Issues)
			}
			s.wantShown(post, s.publish(c).mustPublish())
		})
	}
	if found := s.Check(s.account, s.content(n.thread(s.info))); found.OK() != s.info.Abilities.Threads {
		t.Errorf("a thread is checked with %v; the network has them: %v", found.Issues, s.info.Abilities.Threads)
	}
}

// wantShown fails unless the timeline shows only the post, each part as a reply to the one before, and the client knows
// its ids.
func (s *stage) wantShown(p Post, st provider.State) {
	s.t.Helper()
	posts := s.timeline()
	if len(posts) != len(p.Texts) || len(st.Published) != len(p.Texts) || st.PlatformPostID != posts[0].PlatformPostID {
		s.t.Fatalf("the state says %+v, the timeline shows %+v", st.Published, posts)
	}
	for i, shown := range posts {
		if len(shown.Media) != p.Pictures+p.Films || !p.Hides && !strings.Contains(shown.Text, p.Texts[i]) {
			s.t.Errorf("part %d is shown as %+v", i, shown)
		}
		if st.Published[i].PlatformPostID != shown.PlatformPostID || i == 0 && st.Published[i].Permalink == "" {
			s.t.Errorf("the state says %+v, the timeline has %s", st.Published[i], shown.PlatformPostID)
		}
		if i > 0 && (shown.ParentID == nil || *shown.ParentID != posts[i-1].PlatformPostID) {
			s.t.Errorf("part %d hangs below %v, not below %s", i, shown.ParentID, posts[i-1].PlatformPostID)
		}
	}
}

// testHeldBack prepares everything and waits: whatever is uploaded in advance, nothing is public before its time.
func testHeldBack(t *testing.T, n Network) {
	t.Helper()
	for name, content := range newStage(t, n).things() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, n)
			p := s.publish(content(s))
			for p.steps < mostSteps && !p.state.Ready {
				if _, err := p.step(context.Background()); err != nil {
					t.Fatal(err)
				}
				p.clock.AdvanceTo(p.state.NextPollAfter)
			}
			p.clock.Advance(10 * time.Minute)
			if posts := s.timeline(); !p.state.Ready || len(posts) != len(p.before) {
				t.Errorf("ready: %v; the timeline shows %q before the time has come", p.state.Ready, texts(posts))
			}
		})
	}
}

// testLimits publishes content just within the limits, and expects content beyond them to be rejected by Check and by
// the network.
func testLimits(t *testing.T, n Network) {
	t.Helper()
	for _, f := range newStage(t, n).info.Formats {
		if !slices.ContainsFunc(n.Variants, func(v Variant) bool { return v.Name == f.Name }) {
			t.Run("text of "+f.Name, func(t *testing.T) { t.Parallel(); testTextLimit(t, n, f) })
			t.Run("media of "+f.Name, func(t *testing.T) { t.Parallel(); testMediaLimit(t, n, f) })
		}
	}
}

func testTextLimit(t *testing.T, n Network, f provider.Format) {
	t.Helper()
	s := newStage(t, n)
	c := s.content(n.post(f.PostTypes[0], strings.Repeat("a", f.Text.Max)))
	if found := s.Check(s.account, c); !found.OK() {
		t.Fatalf("%d characters are refused: %v", f.Text.Max, found.Issues)
	}
	s.publish(c).mustPublish()
	c.Parts[0].Text += "b"
	if found := s.Check(s.account, c); found.OK() {
		t.Errorf("%d characters are accepted", f.Text.Max+1)
	}
	if n.RefusesLongText {
		p := s.publish(c)
		if end := p.run(context.Background()); end != Refused || len(s.timeline()) != 1 {
			t.Errorf("the network: %s, after %v", end, p.failed)
		}
	}
}

func testMediaLimit(t *testing.T, n Network, f provider.Format) {
	t.Helper()
	s := newStage(t, n)
	postType := f.PostTypes[len(f.PostTypes)-1]
	if i := slices.Index(f.PostTypes, "carousel"); i >= 0 {
		postType = "carousel"
	}
	c := s.content(n.post(postType, "As many as there may be"))
	if postType == "carousel" {
		c.Parts[0].Media = s.pictures(most(provider.Info{Formats: []provider.Format{f}}, s.n.Picture.Media.MIMEType))
	}
	if found := s.Check(s.account, c); !found.OK() {
		t.Fatalf("%d media are refused: %v", len(c.Parts[0].Media), found.Issues)
	}
	s.publish(c).mustPublish()
	if posts := s.timeline(); len(posts) != 1 || len(posts[0].Media) != len(c.Parts[0].Media) {
		t.Errorf("the timeline shows %+v", posts)
	}
	for one := c.Parts[0].Media[0]; len(c.Parts[0].Media) <= most(s.info, one.MIMEType); {
		one.Position = len(c.Parts[0].Media)
		c.Parts[0].Media = append(c.Parts[0].Media, one)
	}
	if found := s.Check(s.account, c); found.OK() {
		t.Errorf("%d media are accepted", len(c.Parts[0].Media))
	}
}

// most returns the maximum number of media of a type in any post of the network.
func most(info provider.Info, mimeType string) int {
	count := 0
	for _, f := range info.Formats {
		if limit, ok := f.LimitFor(mimeType); ok {
			count = max(count, min(f.MaxMedia, limit.MaxCount))
		}
	}
	return count
}

// testActions comments, reposts and quotes, reads metrics and deletes, where the network supports it.
func testActions(t *testing.T, n Network) {
	t.Helper()
	for _, action := range newStage(t, n).actions() {
		t.Run(string(action), func(t *testing.T) {
			t.Parallel()
			s := newStage(t, n)
			c := s.follow(action, s.publish(s.simplest()).mustPublish())
			if found := s.Check(s.account, c); !found.OK() {
				t.Fatalf("refused beforehand: %v", found.Issues)
			}
			s.publish(c).mustPublish()
			if posts := s.timeline(); len(posts) != 2 || posts[1].Text != c.Parts[0].Text {
				t.Errorf("the timeline shows %+v", posts)
			}
		})
	}
	t.Run("metrics", func(t *testing.T) { t.Parallel(); testMetrics(t, n) })
	t.Run("delete", func(t *testing.T) { t.Parallel(); testDelete(t, n) })
}

// actions returns the actions that the account supports.
func (s *stage) actions() []provider.Action {
	var list []provider.Action
	for _, a := range []struct {
		can    bool
		action provider.Action
	}{
		{s.info.Abilities.Comment, provider.Comment}, {s.info.Abilities.Repost, provider.Repost},
		{s.info.Abilities.Quote, provider.Quote},
	} {
		if a.can {
			list = append(list, a.action)
		}
	}
	return list
}

// follow returns an action on a published post.
func (s *stage) follow(action provider.Action, st provider.State) provider.Content {
	part := provider.Part{Text: "What follows"}
	if action == provider.Repost {
		part.Text = ""
	}
	return provider.Content{
		Action: action, Parts: []provider.Part{part},
		Target: provider.Target{PlatformPostID: st.PlatformPostID, Permalink: st.Published[0].Permalink},
	}
}

func testMetrics(t *testing.T, n Network) {
	t.Helper()
	s := newStage(t, n)
	if !s.info.Abilities.PostMetrics {
		return
	}
	st := s.publish(s.simplest()).mustPublish()
	s.control("POST", "likes", map[string]any{"provider": s.info.Name, "platformPostId": st.PlatformPostID, "count": 3},
		nil)
	found, err := s.features.Meter.PostMetrics(context.Background(), s.account, []string{st.PlatformPostID})
	if m, ok := found[st.PlatformPostID]; err != nil || !ok || m.Likes == nil || *m.Likes != 3 {
		t.Errorf("metrics %+v, %v; want 3 likes", found, err)
	}
}

func testDelete(t *testing.T, n Network) {
	t.Helper()
	s := newStage(t, n)
	if !s.info.Abilities.Delete {
		return
	}
	st := s.publish(s.simplest()).mustPublish()
	for _, want := range []provider.Deletion{provider.Deleted, provider.AlreadyGone} {
		got, err := s.features.Deleter.Delete(context.Background(), s.account, st.PlatformPostID)
		if err != nil || got != want && got != provider.Deleted {
			t.Errorf("deletion %q, %v; want %q", got, err, want)
		}
	}
	if posts := s.timeline(); len(posts) != 1 || posts[0].DeletedAt == nil {
		t.Errorf("the timeline shows %+v", posts)
	}
}
