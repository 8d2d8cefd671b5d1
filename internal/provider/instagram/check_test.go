package instagram

import (
	"strings"
	"testing"
	"time"

	"crier/internal/provider"
)

func TestContentIsCheckedBeforehand(t *testing.T) {
	t.Parallel()
	wide := image("a.jpg", "")
	wide.Width, wide.Height = 2000, 1000
	png := image("a.png", "")
	png.MIMEType = "image/png"
	long := video()
	long.Duration = 61 * time.Second
	eleven := make([]provider.Media, 11)
	for i := range eleven {
		eleven[i] = image("a.jpg", "")
	}
	a := image("a.jpg", "")
	for _, tc := range []struct {
		name    string
		content provider.Content
		path    string // of the issue; empty when there is none
	}{
		{"text alone", post("Hello"), "postInput/attachments"},
		{"an image", post("", a), ""},
		{"2200 characters", post(strings.Repeat("a", 2200), a), ""},
		{"2201 characters", post(strings.Repeat("a", 2201), a), "postInput/text"},
		{"1101 emojis", post(strings.Repeat("👍", 1101), a), "postInput/text"},
		{"31 hashtags", post(strings.Repeat("#a ", 31), a), "postInput/text"},
		{"30 hashtags", post(strings.Repeat("#a ", 30), a), ""},
		{"21 mentions", post(strings.Repeat("@a ", 21), a), "postInput/text"},
		{"2:1 in the feed", post("", wide), "postInput/attachments/0"},
		{"2:1 in a story", withSettings(t, post("", wide), `{"instagramPostType":"story"}`), ""},
		{"PNG", post("", png), "postInput/attachments/0"},
		{"11 media", post("", eleven...), "postInput/attachments"},
		{"a reel of 61 seconds", post("", long), ""},
		{"a story of 61 seconds", withSettings(t, post("", long), `{"instagramPostType":"story"}`), "postInput/attachments/0"},
		{"a reel of an image", withSettings(t, post("", a), `{"instagramPostType":"reel"}`), "postInput/attachments/0"},
		{"two stories", withSettings(t, post("", a, a), `{"instagramPostType":"story"}`), "postInput/attachments"},
		{"co-authors of a story", withSettings(t, post("", a), `{"instagramPostType":"story","instagramCollaborators":["ann"]}`), "platformSettings/instagramCollaborators"},
		{"a tag without a place", withSettings(t, post("", a), `{"instagramUserTags":[{"username":"ann"}]}`), "platformSettings/instagramUserTags"},
		{"a tag in no media", withSettings(t, post("", a, a), `{"instagramUserTags":[{"username":"ann","x":0,"y":0,"mediaIndex":2}]}`), "platformSettings/instagramUserTags"},
		{"a thread", provider.Content{Action: provider.Post, Parts: []provider.Part{{Text: "1"}, {Text: "2"}}}, "postInput/posts"},
		{"a comment", comment("x"), ""},
		{"a comment without text", comment(" "), "comment/text"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			found := b.Check(b.account, tc.content)
			if tc.path == "" {
				if !found.OK() {
					t.Errorf("issues %v, want none", found.Issues)
				}
				return
			}
			if len(found.Issues) != 1 || strings.Join(found.Issues[0].Path, "/") != tc.path {
				t.Errorf("issues %v, want one at %s", found.Issues, tc.path)
			}
		})
	}
}

func TestWhatHasNoEffectIsWarnedAbout(t *testing.T) {
	t.Parallel()
	b := setup(t)
	link := post("x", image("a.jpg", ""))
	link.Parts[0].Links = []provider.Link{{URL: "https://crier.dev"}}
	for name, c := range map[string]provider.Content{
		"many hashtags":  post(strings.Repeat("#a ", 6), image("a.jpg", "")),
		"story text":     withSettings(t, post("Hi", image("a.jpg", "")), `{"instagramPostType":"story"}`),
		"cover of image": withSettings(t, post("", image("a.jpg", "")), `{"instagramCoverUrl":"https://a.test/c.jpg"}`),
		"link":           link,
	} {
		if found := b.Check(b.account, c); !found.OK() || len(found.Warnings) != 1 {
			t.Errorf("%s: issues %v, warnings %v; want one warning", name, found.Issues, found.Warnings)
		}
	}
}
