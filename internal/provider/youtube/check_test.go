package youtube

import (
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/provider/providertest"
)

func TestCheckContent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	with := func(change func(m *provider.Media)) provider.Content {
		c := clip()
		change(&c.Parts[0].Media[0])
		return c
	}
	text := func(text string) provider.Content {
		c := clip()
		c.Parts[0].Text = text
		return c
	}
	webp := withSettings(clip(), `{"youtubeThumbnailMediaId":"`+string(pictureID)+`"}`)
	webp.Assets = map[crier.ID]provider.Media{pictureID: {MIMEType: "image/webp", Size: 10}}
	converted := webp
	converted.Assets = map[crier.ID]provider.Media{pictureID: {MIMEType: "image/webp", Size: 10,
		JPEG: &provider.Media{MIMEType: "image/jpeg", Size: 9}}}
	missing := withSettings(clip(), `{"youtubeThumbnailMediaId":"`+string(pictureID)+`"}`)
	missing.Assets = nil
	for _, tc := range []struct {
		name    string
		content provider.Content
		path    string // of the issue; empty means that there is none
	}{
		{"a video", clip(), ""},
		{"no video", provider.Content{Action: provider.Post, Parts: []provider.Part{{Text: "Hello"}}},
			"postInput.attachments"},
		{"a picture", with(func(m *provider.Media) { m.MIMEType = "image/png" }), "postInput.attachments.0"},
		{"15 minutes and more", with(func(m *provider.Media) { m.Duration = 16 * time.Minute }),
			"postInput.attachments.0"},
		{"empty", with(func(m *provider.Media) { m.Size = 0 }), "postInput.attachments.0"},
		{"a thread", provider.Content{Action: provider.Post, Parts: []provider.Part{{Text: "1"}, {Text: "2"}}},
			"postInput.posts"},
		{"a repost", provider.Content{Action: provider.Repost}, "repostAfter"},
		{"nothing to make a title of", text("  \n "), "platformSettings.youtubeTitle"},
		{"title instead of a text", withSettings(text(""), `{"youtubeTitle":"T"}`), ""},
		{"brackets in the text", text("Hello\na < b"), "postInput.text"},
		{"brackets in the title", withSettings(clip(), `{"youtubeTitle":"a > b"}`), "platformSettings.youtubeTitle"},
		{"brackets in the description", withSettings(clip(), `{"youtubeDescription":"a > b"}`),
			"platformSettings.youtubeDescription"},
		{"description of 5,000 bytes", text("T\n" + strings.Repeat("é", 2499)), ""},
		{"description of 5,001 bytes", text("T\n" + strings.Repeat("é", 2499) + "x"), "postInput.text"},
		{"tags of 501", withSettings(clip(), `{"youtubeTags":["`+strings.Repeat("a", 300)+`","`+strings.Repeat("b",
			196)+` c"]}`), "platformSettings.youtubeTags"},
		{"tags of 500", withSettings(clip(), `{"youtubeTags":["`+strings.Repeat("a", 300)+`","`+strings.Repeat("b",
			195)+` c"]}`), ""},
		{"later, but public", withSettings(clip(), `{"youtubePublishAt":"2026-12-01T10:00:00Z"}`),
			"platformSettings.youtubePublishAt"},
		{"later, in the past", withSettings(clip(),
			`{"youtubePublishAt":"2026-11-01T10:00:00Z","youtubePrivacyStatus":"private"}`),
			"platformSettings.youtubePublishAt"},
		{"later", withSettings(clip(), `{"youtubePublishAt":"2026-12-01T10:00:00Z","youtubePrivacyStatus":"private"}`),
			""},
		{"thumbnail of another type", webp, "platformSettings.youtubeThumbnailMediaId"},
		{"thumbnail with a JPEG", converted, ""},
		{"thumbnail that is not there", missing, "platformSettings.youtubeThumbnailMediaId"},
		{"Short that is too long", withSettings(with(func(m *provider.Media) { m.Duration = 181 * time.Second }),
			`{"youtubeIsShort":true}`), "postInput.attachments.0"},
		{"Short that is too wide", withSettings(with(func(m *provider.Media) { m.Width, m.Height = 1920, 1080 }),
			`{"youtubeIsShort":true}`), "postInput.attachments.0"},
		{"square Short", withSettings(with(func(m *provider.Media) { m.Width, m.Height = 1080, 1080 }),
			`{"youtubeIsShort":true}`), ""},
		{"a comment", comment(), ""},
		{"an empty comment", provider.Content{Action: provider.Comment, Parts: []provider.Part{{}}}, "comment.text"},
		{"a comment with media", provider.Content{Action: provider.Comment,
			Parts: []provider.Part{{Text: "a", Media: []provider.Media{providertest.NewMedia("a", "image/png", nil)}}}},
			"comment.attachments"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			found := b.Check(b.account, tc.content)
			paths := make([]string, len(found.Issues))
			for i, issue := range found.Issues {
				paths[i] = strings.Join(issue.Path, ".")
			}
			if tc.path == "" && !found.OK() || tc.path != "" && !slices.Contains(paths, tc.path) {
				t.Errorf("issues %v; want one at %q", found.Issues, tc.path)
			}
		})
	}
}

func TestTitleIsTheFirstLineOfTheText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 120)
	for _, tc := range []struct{ setting, text, want string }{
		{"", "\n A walk \nthrough the woods", "A walk"},
		{"Mine", "A walk", "Mine"},
		{"", long, strings.Repeat("ä", 99) + "…"},
	} {
		if got := (settings{Title: tc.setting}).title(provider.Part{Text: tc.text}); got != tc.want {
			t.Errorf("title %q, want %q", got, tc.want)
		}
	}
	b := setup(t)
	c := clip()
	c.Parts[0].Text = long
	if found := b.Check(b.account, c); !found.OK() || len(found.Warnings) != 1 {
		t.Errorf("findings %+v; want a warning that the title is shortened", found)
	}
}

func TestLinksGoIntoTheDescription(t *testing.T) {
	t.Parallel()
	part := provider.Part{Text: "See https://crier.dev/a",
		Links: []provider.Link{{URL: "https://crier.dev/a"}, {URL: "https://crier.dev/b"}}}
	if got, want := (settings{}).description(part), "See https://crier.dev/a\nhttps://crier.dev/b"; got != want {
		t.Errorf("description %q, want %q", got, want)
	}
}
