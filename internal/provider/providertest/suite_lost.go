package providertest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"crier/internal/provider"
)

// loss makes the publishing call go missing: its response, or the call itself.
type loss struct {
	name string
	// unsent means that the request never reached the network.
	unsent bool
	// taken is true once it has happened; a loss without a name never happens.
	taken bool
}

// take reports true the first time.
func (l *loss) take() bool {
	if l.name == "" || l.taken {
		return false
	}
	l.taken = true
	return true
}

// fastClock is how far a network's clock may be ahead, so that its posts look newer than they are.
const fastClock = 20 * time.Second

// hides reports whether the network does not show the text of a kind of post.
func (n Network) hides(name string) bool {
	return slices.ContainsFunc(n.Variants, func(v Variant) bool { return v.Name == name && v.Hides })
}

// testLost loses the publishing call on a timeline with similar posts. The client must neither mistake one of these for
// its own nor publish again.
func testLost(t *testing.T, n Network) {
	t.Helper()
	t.Run("answer of a comment among many", func(t *testing.T) { t.Parallel(); testBuried(t, n) })
	t.Run("call of a comment like another", func(t *testing.T) { t.Parallel(); testTwins(t, n) })
	for name, content := range newStage(t, n).things() {
		for _, l := range []loss{{name: "answer"}, {name: "call", unsent: true}} {
			t.Run(l.name+" of "+name, func(t *testing.T) { t.Parallel(); loseOne(t, n, name, content, l) })
		}
	}
}

// testBuried loses the response to a comment among more comments than a list shows, whichever end it starts at. A
// client that does not find it must not conclude that it is absent.
func testBuried(t *testing.T, n Network) {
	t.Helper()
	s := newStage(t, n)
	if !s.info.Abilities.Comment {
		return
	}
	c := s.follow(provider.Comment, s.publish(s.simplest()).mustPublish())
	s.comments(c, "Before")
	p := s.publish(c)
	p.loses = loss{name: "answer"}
	p.beforeLook = func() { p.before = append(p.before, s.comments(c, "After")...) }
	end := p.run(context.Background())
	if end != Published && end != Unknown {
		t.Errorf("ended %s, after %v", end, p.failed)
	}
	p.exactlyOnce(end)
}

// testTwins loses the call of a comment a moment after another comment with its text on the same post, which belongs to
// another publication. Networks may refuse the second one.
func testTwins(t *testing.T, n Network) {
	t.Helper()
	s := newStage(t, n)
	if !s.info.Abilities.Comment {
		return
	}
	c := s.follow(provider.Comment, s.publish(s.simplest()).mustPublish())
	twin := s.publish(c).mustPublish().PlatformPostID
	p := s.publish(c)
	p.loses, p.taken = loss{name: "call", unsent: true}, map[string]bool{twin: true}
	end := p.run(context.Background())
	if end != Published && end != Refused && end != Unknown {
		t.Errorf("ended %s, after %v", end, p.failed)
	}
	p.exactlyOnce(end)
}

// comments writes many comments on the content's target.
func (s *stage) comments(c provider.Content, text string) (written []string) {
	s.t.Helper()
	for i := range 60 {
		c.Parts = []provider.Part{{Text: fmt.Sprint(text, " ", i)}}
		one := publication{stage: s, content: c, crashAt: never} // the timeline does not matter
		written = append(written, one.mustPublish().PlatformPostID)
	}
	return written
}

func loseOne(t *testing.T, n Network, name string, content func(*stage) provider.Content, l loss) {
	t.Helper()
	s := newStage(t, n)
	if !n.hides(name) { // posts without a visible text are identified by time only
		s.ahead.Store(int64(fastClock))
	}
	c := content(s)
	s.crowd(c)
	p := s.publish(c)
	p.loses = l
	end := p.run(context.Background())
	if !p.loses.taken {
		t.Fatal("nothing was lost")
	}
	mayDoubt := slices.Contains(n.Blind, name) || l.unsent && n.NeverSureOfAbsence
	if end != Published && (end != Unknown || !mayDoubt) {
		t.Errorf("ended %s, after %v", end, p.failed)
	}
	p.exactlyOnce(end)
}

// crowd publishes content that can be mistaken for the given one: the same a day ago, the same text elsewhere, and
// others in the same place a moment ago.
func (s *stage) crowd(c provider.Content) {
	s.t.Helper()
	if c.Action != provider.Repost { // nothing can be reposted twice
		s.publish(c).mustPublish()
	}
	s.nextDay()
	if c.Action == provider.Comment || c.Action == provider.Repost {
		elsewhere := c
		elsewhere.Target = s.follow(c.Action, s.publish(reworded(s.simplest())).mustPublish()).Target
		s.publish(elsewhere).mustPublish()
	}
	if c.Action != provider.Repost {
		s.publish(reworded(c)).mustPublish()
	}
}

// nextDay advances the clock by a day, and refreshes the token where possible.
func (s *stage) nextDay() {
	s.t.Helper()
	s.clock.Advance(25 * time.Hour)
	if !s.info.Abilities.Refresh {
		return
	}
	token, err := s.features.Refresher.Refresh(context.Background(), s.account)
	if err != nil {
		s.t.Fatalf("renew the token: %v", err)
	}
	s.account.Token = token
}

// reworded returns the content with another text.
func reworded(c provider.Content) provider.Content {
	c.Parts = slices.Clone(c.Parts)
	for i := range c.Parts {
		c.Parts[i].Text = "Other words: " + c.Parts[i].Text
	}
	return c
}
