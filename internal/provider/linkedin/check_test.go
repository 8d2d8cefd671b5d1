package linkedin

import (
	"slices"
	"strings"
	"testing"
	"time"

	"crier/internal/provider"
)

func media(mimeType string, change func(*provider.Media)) provider.Media {
	m := provider.Media{MIMEType: mimeType, Size: 100_000, Width: 640, Height: 480}
	if change != nil {
		change(&m)
	}
	return m
}

func repeat(m provider.Media, n int) []provider.Media {
	list := make([]provider.Media, n)
	for i := range list {
		list[i] = m
		list[i].Position = i
	}
	return list
}

// limitCase is a content and the path of the only issue it has; empty when there is none.
type limitCase struct {
	name         string
	organization bool
	content      provider.Content
	path         string
}

func textCases() []limitCase {
	const member, page = false, true
	return []limitCase{
		{"text at the limit", member, text(strings.Repeat("a", 3000)), ""},
		{"text above the limit", member, text(strings.Repeat("a", 3001)), "postInput.text"},
		{"escapes do not count", member, text(strings.Repeat("(", 3000)), ""},
		{"UTF-16 at the limit", member, text(strings.Repeat("😀", 1500)), ""},
		{"UTF-16 above the limit", member, text(strings.Repeat("😀", 1501)), "postInput.text"},
		{"empty", member, text(" "), "postInput.text"},
		{"no content at all", member, provider.Content{Action: provider.Post}, "postInput"},
		{"thread", member, provider.Content{Action: provider.Post, Parts: []provider.Part{{Text: "1"}, {Text: "2"}}},
			"postInput.posts"},
	}
}

func mediaCases() []limitCase {
	jpeg := media("image/jpeg", nil)
	clip := func(change func(*provider.Media)) provider.Media {
		return media("video/mp4", func(m *provider.Media) {
			m.Duration = 10 * time.Second
			if change != nil {
				change(m)
			}
		})
	}
	const member, page = false, true
	return []limitCase{
		{"20 images", member, withMedia("a", repeat(jpeg, 20)...), ""},
		{"21 images", member, withMedia("a", repeat(jpeg, 21)...), "postInput.attachments"},
		{"image without text", member, withMedia("", jpeg), ""},
		{"image and video", member, withMedia("a", jpeg, clip(nil)), "postInput.attachments"},
		{"two videos", member, withMedia("a", clip(nil), clip(nil)), "postInput.attachments"},
		{"two documents", member, withMedia("a", repeat(media("application/pdf", nil), 2)...), "postInput.attachments"},
		{"WebP", member, withMedia("a", media("image/webp", nil)), "postInput.attachments.0"},
		{"most pixels", member, withMedia("a",
			media("image/png", func(m *provider.Media) { m.Width, m.Height = 36_152_319, 1 })), ""},
		{"too many pixels", member, withMedia("a",
			media("image/png", func(m *provider.Media) { m.Width, m.Height = 36_152_320, 1 })),
			"postInput.attachments.0"},
		{"image above 8 MiB", member, withMedia("a",
			media("image/png", func(m *provider.Media) { m.Size = 8<<20 + 1 })), "postInput.attachments.0"},
		{"GIF with too many frames", member, withMedia("a",
			media("image/gif", func(m *provider.Media) { m.Frames = 251 })), "postInput.attachments.0"},
		{"alt text at the limit", member, withMedia("a",
			media("image/png", func(m *provider.Media) { m.AltText = strings.Repeat("a", 4086) })), ""},
		{"alt text above the limit", member, withMedia("a",
			media("image/png", func(m *provider.Media) { m.AltText = strings.Repeat("a", 4087) })),
			"postInput.attachments.0.altText"},
		{"shortest video", member, withMedia("a", clip(func(m *provider.Media) { m.Duration = 3 * time.Second })), ""},
		{"too short a video", member, withMedia("a",
			clip(func(m *provider.Media) { m.Duration = 2900 * time.Millisecond })), "postInput.attachments.0"},
		{"longest video", member, withMedia("a", clip(func(m *provider.Media) { m.Duration = 30 * time.Minute })), ""},
		{"too long a video", member, withMedia("a",
			clip(func(m *provider.Media) { m.Duration = 30*time.Minute + time.Second })), "postInput.attachments.0"},
		{"smallest video", member, withMedia("a", clip(func(m *provider.Media) { m.Size = 75_000 })), ""},
		{"too small a video", member, withMedia("a", clip(func(m *provider.Media) { m.Size = 74_999 })),
			"postInput.attachments.0"},
		{"largest video", member, withMedia("a", clip(func(m *provider.Media) { m.Size = 500 << 20 })), ""},
		{"too large a video", member, withMedia("a", clip(func(m *provider.Media) { m.Size = 500<<20 + 1 })),
			"postInput.attachments.0"},
		{"vertical video", member, withMedia("a", clip(func(m *provider.Media) { m.Width, m.Height = 1080, 1920 })),
			""},
		{"too narrow a video", member, withMedia("a", clip(func(m *provider.Media) { m.Width, m.Height = 100, 241 })),
			"postInput.attachments.0"},
		{"document above 100 MiB", member, withMedia("a",
			media("application/pdf", func(m *provider.Media) { m.Size = 100<<20 + 1 })), "postInput.attachments.0"},
	}
}

func settingCases() []limitCase {
	jpeg := media("image/jpeg", nil)
	linked := func(title, description string) provider.Content {
		c := text("a")
		c.Parts[0].Links = []provider.Link{{URL: "https://crier.dev", Title: title, Description: description}}
		return c
	}
	const member, page = false, true
	return []limitCase{
		{"poll with media", member, withSettings(withMedia("a", jpeg),
			`{"linkedinPoll":{"question":"q","options":["a","b"],"duration":"oneDay"}}`), "postInput.attachments"},
		{"reshare with an article", member, withSettings(text("a"),
			`{"linkedinReshareUrn":"urn:li:share:1","linkedinArticle":{"url":"https://a.test","title":"t"}}`),
			"postInput.attachments"},
		{"reshare alone", member, withSettings(text(""), `{"linkedinReshareUrn":"urn:li:share:1"}`), ""},
		{"link title at the limit", member, linked(strings.Repeat("a", 399), strings.Repeat("a", 4085)), ""},
		{"link title above the limit", member, linked(strings.Repeat("a", 400), ""), "postInput.attachments"},
		{"link description above the limit", member, linked("t", strings.Repeat("a", 4086)), "postInput.attachments"},
		{"connections of a member", member, withSettings(text("a"), `{"linkedinVisibility":"connections"}`), ""},
		{"connections of an organization", page, withSettings(text("a"), `{"linkedinVisibility":"connections"}`),
			"platformSettings.linkedinVisibility"},
		{"dark post of a member", member, withSettings(text("a"), `{"linkedinFeedDistribution":"none"}`),
			"platformSettings.linkedinFeedDistribution"},
		{"dark post of an organization", page, withSettings(text("a"), `{"linkedinFeedDistribution":"none"}`), ""},
		{"targeting by a member", member, withSettings(text("a"),
			`{"linkedinTargetEntities":[{"industries":["urn:li:industry:3"]}]}`),
			"platformSettings.linkedinTargetEntities"},
		{"button of a member", member, withSettings(text("a"), `{"linkedinLandingPageUrl":"https://a.test"}`),
			"platformSettings.linkedinLandingPageUrl"},
		{"label without a button", page, withSettings(text("a"), `{"linkedinCallToActionLabel":"LEARN_MORE"}`),
			"platformSettings.linkedinCallToActionLabel"},
		{"captions that are none", member, withSettings(withMedia("a", media("video/mp4", nil)),
			`{"linkedinVideoCaptions":"Hello"}`), "platformSettings.linkedinVideoCaptions"},
		{"a thumbnail that is no asset", member, withSettings(withMedia("a", media("video/mp4", nil)),
			`{"linkedinVideoThumbnailMediaId":"`+string(someAsset)+`"}`),
			"platformSettings.linkedinVideoThumbnailMediaId"},
		{"a carousel of images", member, withSettings(withMedia("a", jpeg, jpeg), `{"linkedinCarousel":true}`), ""},
		{"a carousel with a GIF", member, withSettings(withMedia("a", jpeg, media("image/gif", nil)),
			`{"linkedinCarousel":true}`), "postInput.attachments.0"},
		{"a carousel above 100 MiB", member, withSettings(withMedia("a", slices.Repeat([]provider.Media{
			media("image/jpeg", func(m *provider.Media) { m.Size = 8 << 20 })}, 13)...), `{"linkedinCarousel":true}`),
			"postInput.attachments"},
		{"unreadable settings", member, withSettings(text("a"), `{"linkedinMentions":1}`), "platformSettings"},
		{"repost", member, on(provider.Repost, ""), ""},
		{"quote", member, on(provider.Quote, "a"), ""},
		{"quote without text", member, on(provider.Quote, " "), "repostAfter.text"},
		{"comment at the limit", member, on(provider.Comment, strings.Repeat("a", 1250)), ""},
		{"comment above the limit", member, on(provider.Comment, strings.Repeat("a", 1251)), "comment.text"},
		{"empty comment", member, on(provider.Comment, " "), "comment.text"},
	}
}

func TestCheckLimits(t *testing.T) {
	t.Parallel()
	for _, tc := range slices.Concat(textCases(), mediaCases(), settingCases()) {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			account := b.member
			if tc.organization {
				account = b.organization
			}
			found := b.Check(account, tc.content)
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

func TestIneffectiveSettingsAreWarnedAbout(t *testing.T) {
	t.Parallel()
	b := setup(t)
	found := b.Check(b.member, withSettings(text("a"),
		`{"linkedinVideoTitle":"t","linkedinDocumentTitle":"t","linkedinCarousel":true,
		"linkedinVideoCaptions":"00:00:01,000 --> 00:00:04,000",
		"linkedinMentions":[{"urn":"urn:li:person:1","name":"Ada"}]}`))
	if !found.OK() || len(found.Warnings) != 5 {
		t.Errorf("findings %+v, want five warnings", found)
	}
}
