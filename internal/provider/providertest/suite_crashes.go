package providertest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"crier/internal/provider"
)

// testCrashes loses the result of each step in turn, like a process that dies after it.
func testCrashes(t *testing.T, n Network) {
	t.Helper()
	for name, content := range newStage(t, n).things() {
		t.Run(name, func(t *testing.T) { t.Parallel(); crashEverywhere(t, n, content, slices.Contains(n.Blind, name)) })
	}
}

// things returns the different kinds of content that the network publishes, by name.
func (s *stage) things() map[string]func(*stage) provider.Content {
	list := map[string]func(*stage) provider.Content{"simplest": (*stage).simplest}
	for _, post := range s.n.Posts(s.info) {
		if post.Name != "text_post" && post.Name != "text_image" { // the simplest is one of them
			list[post.Name] = func(s *stage) provider.Content { return s.content(post) }
		}
	}
	for _, action := range s.actions() {
		list[string(action)] = func(s *stage) provider.Content {
			return s.follow(action, s.publish(s.simplest()).mustPublish())
		}
	}
	return list
}

// crashEverywhere publishes once to count the steps, and then once for each of them. Unless blind, the client must
// always determine the outcome.
func crashEverywhere(t *testing.T, n Network, content func(*stage) provider.Content, blind bool) {
	t.Helper()
	s := newStage(t, n)
	whole := s.publish(content(s))
	whole.mustPublish()
	for step := range whole.steps {
		t.Run(fmt.Sprint("after step ", step), func(t *testing.T) {
			t.Parallel()
			s := newStage(t, n)
			p := s.publish(content(s))
			p.crashAt = step
			end := p.run(context.Background())
			if end != Published && (end != Unknown || !blind || p.crashed != "commit") {
				t.Errorf("after a crash in %s: %s, after %v", p.crashed, end, p.failed)
			}
			p.exactlyOnce(end)
		})
	}
}
