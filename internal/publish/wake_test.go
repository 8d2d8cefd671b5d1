package publish_test

import (
	"testing"
	"time"

	"crier/internal/provider"
	"crier/internal/publish"
)

// A post that its network has to prepare must be started early enough to be published on its second.
func TestLeadTimeDependsOnNetwork(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 17, 9, 0, 0, 0, time.UTC)
	text := provider.Content{Parts: []provider.Part{{Text: "hello"}}}
	video := provider.Content{Parts: []provider.Part{{Media: []provider.Media{{Size: 200 << 20}}}}}
	for _, c := range []struct {
		name    string
		info    provider.Info
		content provider.Content
		want    time.Duration
	}{
		{"a text with nothing to prepare", provider.Info{}, text, 2500 * time.Millisecond},
		{"a text that is prepared", provider.Info{PrepareLead: 12 * time.Second}, text, 12 * time.Second},
		{"a video", provider.Info{PrepareLead: 12 * time.Second}, video, 145 * time.Second},
	} {
		if got := at.Sub(publish.WakeTime(at, c.info, c.content)); got != c.want {
			t.Errorf("%s: work begins %v before its time, want %v", c.name, got, c.want)
		}
	}
}
