package providertest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"crier/internal/provider"
)

// testCrashes loses the result of each step in turn, as a process does that dies after it.
func testCrashes(t *testing.T, n Network) {
	t.Helper()
	probe := newStage(t, n)
	cases := map[string]func(*stage) provider.Content{"simplest": (*stage).simplest}
	for _, postType := range []string{"carousel", "text_video"} {
		if slices.Contains(probe.info.PostTypes(), postType) {
			cases[postType] = func(s *stage) provider.Content { return s.content(postType, "A "+postType) }
		}
	}
	if probe.info.Abilities.Threads {
		cases["thread"] = (*stage).thread
	}
	for _, action := range probe.actions() {
		cases[string(action)] = func(s *stage) provider.Content {
			return s.follow(action, s.publish(s.simplest()).mustPublish())
		}
	}
	for name, content := range cases {
		t.Run(name, func(t *testing.T) { t.Parallel(); crashEverywhere(t, n, content, slices.Contains(n.Blind, name)) })
	}
}

// crashEverywhere publishes once to count the steps, and then once for each of them. Where the client is not blind it
// always finds out.
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
			if end != published && (end != unknown || !blind || p.crashed != "commit") {
				t.Errorf("after a crash in %s: %s, after %v", p.crashed, end, p.failed)
			}
			p.exactlyOnce(end)
		})
	}
}
