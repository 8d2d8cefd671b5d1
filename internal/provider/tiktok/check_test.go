package tiktok

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/providertest"
)

func TestCheckContent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	video := func(change func(m *provider.Media)) provider.Content {
		c := clip(public)
		change(&c.Parts[0].Media[0])
		return c
	}
	photo := func(width, height int, mimeType string) provider.Content {
		c := photos(public)
		c.Parts[0].Media[0].Width, c.Parts[0].Media[0].Height, c.Parts[0].Media[0].MIMEType = width, height, mimeType
		return c
	}
	text := func(c provider.Content, text string) provider.Content {
		c.Parts[0].Text = text
		return c
	}
	mixed := photos(public)
	mixed.Parts[0].Media = append(mixed.Parts[0].Media, providertest.NewMedia("v.mp4", "video/mp4", []byte("v")))
	for _, tc := range []struct {
		name    string
		content provider.Content
		path    string // of the issue; empty means that there is none
	}{
		{"a video", clip(public), ""},
		{"pictures", photos(public), ""},
		{"text alone", provider.Content{Action: provider.Post, Parts: []provider.Part{{Text: "Hello"}}},
			"postInput.attachments"},
		{"a thread", provider.Content{Action: provider.Post, Parts: []provider.Part{{Text: "1"}, {Text: "2"}}},
			"postInput.posts"},
		{"a comment", provider.Content{Action: provider.Comment, Parts: []provider.Part{{Text: "1"}}}, "comment"},
		{"a repost", provider.Content{Action: provider.Repost}, "repostAfter"},
		{"pictures and a video", mixed, "postInput.attachments.0"},
		{"no privacy level", clip(`{}`), "platformSettings.tiktokPrivacyLevel"},
		{"no privacy level for a draft", clip(`{"tiktokPostMode":"inbox"}`), ""},
		{"something undisclosed", clip(
			`{"tiktokPrivacyLevel":"PUBLIC_TO_EVERYONE","tiktokDisclosesContent":true}`),
			"platformSettings.tiktokDisclosesContent"},
		{"a brand in a post that promotes nothing", clip(
			`{"tiktokPrivacyLevel":"PUBLIC_TO_EVERYONE","tiktokDisclosesContent":false,"tiktokBrandOrganic":true}`),
			"platformSettings.tiktokDisclosesContent"},
		{"private partnership", clip(`{"tiktokPrivacyLevel":"SELF_ONLY","tiktokBrandContent":true}`),
			"platformSettings.tiktokBrandContent"},
		{"caption of 2,200 units", text(clip(public), strings.Repeat("😀", 1100)), ""},
		{"caption of 2,201 units", text(clip(public), strings.Repeat("😀", 1100)+"x"), "postInput.text"},
		{"description of 4,000 units", text(photos(public), strings.Repeat("x", 4000)), ""},
		{"description of 4,001 units", text(photos(public), strings.Repeat("x", 4001)), "postInput.text"},
		{"title of 91 units", photos(`{"tiktokPrivacyLevel":"SELF_ONLY","tiktokTitle":"` + strings.Repeat("😀", 45) +
			`x"}`), "platformSettings.tiktokTitle"},
		{"11 minutes", video(func(m *provider.Media) { m.Duration = 11 * time.Minute }), "postInput.attachments.0"},
		{"two seconds", video(func(m *provider.Media) { m.Duration = 2 * time.Second }), "postInput.attachments.0"},
		{"too small", video(func(m *provider.Media) { m.Width, m.Height = 320, 640 }), "postInput.attachments.0"},
		{"too slow", video(func(m *provider.Media) { m.FrameRate = 15 }), "postInput.attachments.0"},
		{"AV1", video(func(m *provider.Media) { m.VideoCodec = "av1" }), "postInput.attachments.0"},
		{"PNG", photo(100, 100, "image/png"), "postInput.attachments.0"},
		{"1080p upright", photo(1080, 1920, "image/jpeg"), ""},
		{"too many pixels", photo(4032, 3024, "image/jpeg"), "postInput.attachments.0"},
		{"too large a square", photo(1400, 1400, "image/jpeg"), "postInput.attachments.0"},
		{"cover that is not there", photos(`{"tiktokPrivacyLevel":"SELF_ONLY","tiktokPhotoCoverIndex":2}`),
			"platformSettings.tiktokPhotoCoverIndex"},
		{"cover behind the end", withSettings(video(func(m *provider.Media) { m.Duration = 5 * time.Second }),
			`{"tiktokPrivacyLevel":"SELF_ONLY","tiktokVideoCoverTimestampMs":5001}`),
			"platformSettings.tiktokVideoCoverTimestampMs"},
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

func TestConnectionLimitsOptions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	drafts := b.account
	drafts.Scopes = []string{scopeBasic, scopeUpload}
	direct := b.account
	direct.Scopes = []string{scopeBasic, scopePublish}
	private := b.account
	private.Details = json.RawMessage(`{"privacyLevelOptions":["FOLLOWER_OF_CREATOR","SELF_ONLY"]}`)
	noDuets := b.account
	noDuets.Details = json.RawMessage(`{"duetDisabled":true}`)
	for _, tc := range []struct {
		name             string
		account          provider.Account
		content          provider.Content
		issues, warnings int
	}{
		{"direct without the scope", drafts, clip(public), 1, 0},
		{"draft with its scope", drafts, clip(`{"tiktokPostMode":"inbox"}`), 0, 1},
		{"draft without the scope", direct, clip(`{"tiktokPostMode":"inbox"}`), 1, 1},
		{"a level that is not offered", private, clip(public), 1, 0},
		{"duets that the account does not allow", noDuets,
			clip(`{"tiktokPrivacyLevel":"SELF_ONLY","tiktokAllowDuet":true,"tiktokAllowComment":true}`), 0, 1},
		{"settings of pictures on a video", b.account,
			clip(`{"tiktokPrivacyLevel":"SELF_ONLY","tiktokTitle":"T","tiktokAutoAddMusic":true}`), 0, 2},
		{"settings of a video on pictures", b.account,
			photos(`{"tiktokPrivacyLevel":"SELF_ONLY","tiktokAllowDuet":true,"tiktokIsAiGenerated":true}`), 0, 2},
	} {
		found := b.Check(tc.account, tc.content)
		if len(found.Issues) != tc.issues || len(found.Warnings) != tc.warnings {
			t.Errorf("%s: %+v; want %d issues and %d warnings", tc.name, found, tc.issues, tc.warnings)
		}
	}
}

func TestLinksGoIntoTheCaption(t *testing.T) {
	t.Parallel()
	part := provider.Part{Text: "See https://crier.dev/a",
		Links: []provider.Link{{URL: "https://crier.dev/a"}, {URL: "https://crier.dev/b"}}}
	if got, want := part.TextWithLinks(), "See https://crier.dev/a\nhttps://crier.dev/b"; got != want {
		t.Errorf("caption %q, want %q", got, want)
	}
}
