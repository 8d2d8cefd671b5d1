package x

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/internal/provider"
)

func media(mimeType string, change func(*provider.Media)) provider.Media {
	m := provider.Media{MIMEType: mimeType, Size: 1000, Width: 640, Height: 480}
	if change != nil {
		change(&m)
	}
	return m
}

func withMedia(media ...provider.Media) provider.Content {
	return provider.Content{Action: provider.Post, Parts: []provider.Part{{Text: "Hello", Media: media}}}
}

// limitCase is a content and the path of the only issue it has; empty when there is none.
type limitCase struct {
	name    string
	account provider.Account
	content provider.Content
	path    string
}

func textCases() []limitCase {
	premium := provider.Account{Details: json.RawMessage(`{"subscriptionType":"Premium"}`)}
	return []limitCase{
		{"text at the limit", provider.Account{}, text(strings.Repeat("a", 280)), ""},
		{"text above the limit", provider.Account{}, text(strings.Repeat("a", 281)), "postInput.text"},
		{"CJK at the limit", provider.Account{}, text(strings.Repeat("の", 140)), ""},
		{"CJK above the limit", provider.Account{}, text(strings.Repeat("の", 141)), "postInput.text"},
		{"long text of a subscriber", premium, text(strings.Repeat("a", 25_000)), ""},
		{"too long text of a subscriber", premium, text(strings.Repeat("a", 25_001)), "postInput.text"},
		{"subscription None", provider.Account{Details: json.RawMessage(`{"subscriptionType":"None"}`)},
			text(strings.Repeat("a", 281)), "postInput.text"},
		{"empty", provider.Account{}, text(" \n"), "postInput.text"},
		{"no content at all", provider.Account{}, provider.Content{Action: provider.Post}, "postInput"},
		{"byte order mark", provider.Account{}, text("a\uFEFFb"), "postInput.text"},
		{"invalid UTF-8", provider.Account{}, text("a\xff"), "postInput.text"},
		{"one cashtag", provider.Account{}, text("$ACME is up 5$"), ""},
		{"two cashtags", provider.Account{}, text("$ACME and $EVIL"), "postInput.text"},
		{"part of a thread", provider.Account{}, text("a", strings.Repeat("a", 281)), "postInput.posts.1.text"},
		{"50 parts", provider.Account{}, text(strings.Split(strings.Repeat("a ", 50), " ")[:50]...), ""},
		{"51 parts", provider.Account{}, text(strings.Split(strings.Repeat("a ", 51), " ")[:51]...), "postInput.posts"},
		{"link pushes over the limit", provider.Account{},
			provider.Content{Parts: []provider.Part{{Text: strings.Repeat("a", 270),
				Links: []provider.Link{{URL: "https://crier.dev"}}}}}, "postInput.text"},
	}
}

func mediaCases() []limitCase {
	jpeg := media("image/jpeg", nil)
	gif := func(frames int) provider.Media {
		return media("image/gif", func(m *provider.Media) { m.Width, m.Height, m.Frames = 1280, 1080, frames })
	}
	clip := func(change func(*provider.Media)) provider.Media {
		return media("video/mp4", func(m *provider.Media) {
			m.Duration, m.VideoCodec, m.AudioCodec, m.FrameRate = 10*time.Second, "h264", "aac", 30
			if change != nil {
				change(m)
			}
		})
	}
	alt := func(n int) provider.Media {
		return media("image/png", func(m *provider.Media) { m.AltText = strings.Repeat("ä", n) })
	}
	premium := provider.Account{Details: json.RawMessage(`{"subscriptionType":"Premium"}`)}
	return []limitCase{
		{"four images", provider.Account{}, withMedia(jpeg, jpeg, jpeg, jpeg), ""},
		{"five images", provider.Account{}, withMedia(jpeg, jpeg, jpeg, jpeg, jpeg), "postInput.attachments"},
		{"image and video", provider.Account{}, withMedia(jpeg, clip(nil)), "postInput.attachments"},
		{"two videos", provider.Account{}, withMedia(clip(nil), clip(nil)), "postInput.attachments"},
		{"two GIFs", provider.Account{}, withMedia(gif(1), gif(1)), "postInput.attachments"},
		{"image at 5 MiB", provider.Account{},
			withMedia(media("image/webp", func(m *provider.Media) { m.Size = 5 << 20 })), ""},
		{"image above 5 MiB", provider.Account{},
			withMedia(media("image/webp", func(m *provider.Media) { m.Size = 5<<20 + 1 })), "postInput.attachments.0"},
		{"document", provider.Account{}, withMedia(media("application/pdf", nil)), "postInput.attachments.0"},
		{"alt text at the limit", provider.Account{}, withMedia(alt(1000)), ""},
		{"alt text above the limit", provider.Account{}, withMedia(alt(1001)), "postInput.attachments.0.altText"},
		{"GIF at its volume", provider.Account{}, withMedia(gif(217)), ""},
		{"GIF above its volume", provider.Account{}, withMedia(gif(218)), "postInput.attachments.0"},
		{"GIF too wide", provider.Account{}, withMedia(media("image/gif", func(m *provider.Media) { m.Width = 1281 })),
			"postInput.attachments.0"},
		{"shortest video", provider.Account{},
			withMedia(clip(func(m *provider.Media) { m.Duration = 500 * time.Millisecond })), ""},
		{"too short a video", provider.Account{},
			withMedia(clip(func(m *provider.Media) { m.Duration = 499 * time.Millisecond })),
			"postInput.attachments.0"},
		{"longest video", provider.Account{},
			withMedia(clip(func(m *provider.Media) { m.Duration = 140 * time.Second })), ""},
		{"too long a video", provider.Account{},
			withMedia(clip(func(m *provider.Media) { m.Duration = 141 * time.Second })), "postInput.attachments.0"},
		{"long video of a subscriber", premium,
			withMedia(clip(func(m *provider.Media) { m.Duration = 125 * time.Minute })), ""},
		{"aspect at 3:1", provider.Account{}, withMedia(clip(func(m *provider.Media) { m.Width, m.Height = 900, 300 })),
			""},
		{"aspect above 3:1", provider.Account{},
			withMedia(clip(func(m *provider.Media) { m.Width, m.Height = 901, 300 })), "postInput.attachments.0"},
		{"too many frames per second", provider.Account{},
			withMedia(clip(func(m *provider.Media) { m.FrameRate = 61 })), "postInput.attachments.0"},
		{"wrong codec", provider.Account{}, withMedia(clip(func(m *provider.Media) { m.VideoCodec = "vp9" })),
			"postInput.attachments.0"},
	}
}

func settingCases() []limitCase {
	jpeg := media("image/jpeg", nil)
	return []limitCase{
		{"poll with media", provider.Account{}, withSettings(withMedia(jpeg),
			`{"xPoll":{"options":["a","b"],"durationMinutes":5}}`), "platformSettings.xPoll"},
		{"poll with quote", provider.Account{}, withSettings(text("a"),
			`{"xPoll":{"options":["a","b"],"durationMinutes":5},"xQuotePostId":"1"}`), "platformSettings.xPoll"},
		{"quote with media", provider.Account{}, withSettings(withMedia(jpeg), `{"xQuotePostId":"1"}`),
			"platformSettings.xQuotePostId"},
		{"followers without community", provider.Account{}, withSettings(text("a"), `{"xShareWithFollowers":true}`),
			"platformSettings.xShareWithFollowers"},
		{"exclusions without reply", provider.Account{}, withSettings(text("a"), `{"xExcludeReplyUserIds":["1"]}`),
			"platformSettings.xExcludeReplyUserIds"},
		{"tags without media", provider.Account{}, withSettings(text("a"), `{"xTaggedUserIds":["1"]}`),
			"platformSettings.xTaggedUserIds"},
		{"unreadable settings", provider.Account{}, withSettings(text("a"), `{"xTaggedUserIds":1}`),
			"platformSettings"},
		{"repost", provider.Account{}, provider.Content{Action: provider.Repost, Target: target("1")}, ""},
		{"quote action with media", provider.Account{},
			provider.Content{Action: provider.Quote,
				Parts: []provider.Part{{Text: "a", Media: []provider.Media{jpeg}}}}, "repostAfter.attachments"},
		{"comment above the limit", provider.Account{},
			provider.Content{Action: provider.Comment, Parts: []provider.Part{{Text: strings.Repeat("a", 281)}}},
			"comment.text"},
	}
}

func TestCheckLimits(t *testing.T) {
	t.Parallel()
	for _, tc := range slices.Concat(textCases(), mediaCases(), settingCases()) {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			found := b.Check(tc.account, tc.content)
			var paths []string
			for _, issue := range found.Issues {
				paths = append(paths, strings.Join(issue.Path, "."))
			}
			if got := strings.Join(paths, " "); got != tc.path {
				t.Errorf("issues at %q, want %q: %v", got, tc.path, found.Issues)
			}
		})
	}
}

func TestLargeVideosAreWarnedAboutNotRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	found := b.Check(provider.Account{}, withMedia(media("video/mp4", func(m *provider.Media) {
		m.Width,
			m.Height = 1080, 1920
	})))
	if !found.OK() || len(found.Warnings) != 1 {
		t.Errorf("findings %+v, want one warning", found)
	}
}
