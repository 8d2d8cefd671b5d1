package instagram

import (
	"slices"
	"strings"
	"testing"
	"time"

	"crier/internal/provider"
)

func TestCheckContent(t *testing.T) {
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
		{"2:1 in a story", withSettings(post("", wide), `{"instagramPostType":"story"}`), ""},
		{"PNG", post("", png), "postInput/attachments/0"},
		{"11 media", post("", eleven...), "postInput/attachments"},
		{"a reel of 61 seconds", post("", long), ""},
		{"a story of 61 seconds", withSettings(post("", long), `{"instagramPostType":"story"}`),
			"postInput/attachments/0"},
		{"a reel of an image", withSettings(post("", a), `{"instagramPostType":"reel"}`), "postInput/attachments/0"},
		{"two stories", withSettings(post("", a, a), `{"instagramPostType":"story"}`), "postInput/attachments"},
		{"co-authors of a story", withSettings(post("", a),
			`{"instagramPostType":"story","instagramCollaborators":["ann"]}`),
			"platformSettings/instagramCollaborators"},
		{"a tag without a place", withSettings(post("", a), `{"instagramUserTags":[{"username":"ann"}]}`),
			"platformSettings/instagramUserTags"},
		{"a tag in no media", withSettings(post("", a, a),
			`{"instagramUserTags":[{"username":"ann","x":0,"y":0,"mediaIndex":2}]}`),
			"platformSettings/instagramUserTags"},
		{"a cover that is no asset of the team", withSettings(post("", video()), `{"instagramCoverMediaId":"`+
			string(cover)+`"}`), "platformSettings/instagramCoverMediaId"},
		{"a thread", provider.Content{Action: provider.Post, Parts: []provider.Part{{Text: "1"}, {Text: "2"}}},
			"postInput/posts"},
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

func TestCheckProductsAndSponsors(t *testing.T) {
	t.Parallel()
	six := strings.Repeat(`{"productId":"1","x":0,"y":0},`, 6)
	for _, tc := range []struct{ name, settings, path string }{
		{"a product in an image", `{"instagramProductTags":[{"productId":"1","x":0.5,"y":0.5}]}`, ""},
		{"without its place", `{"instagramProductTags":[{"productId":"1"}]}`, "instagramProductTags"},
		{"six in one image", `{"instagramProductTags":[` + strings.TrimSuffix(six, ",") + `]}`, "instagramProductTags"},
		{"in a story", `{"instagramPostType":"story","instagramProductTags":[{"productId":"1","x":0,"y":0}]}`,
			"instagramProductTags"},
		{"its own sponsor", `{"instagramSponsorIds":["17841400000000001"]}`, "instagramSponsorIds"},
		{"a partnership without a brand", `{"instagramPaidPartnership":true}`, ""},
	} {
		b := setupMode(t, FacebookLogin)
		b.account.Scopes = append(b.account.Scopes, scopeProducts)
		found := b.Check(b.account, withSettings(post("", image("a.jpg", "")), tc.settings))
		if tc.path == "" && !found.OK() || tc.path != "" && (len(found.Issues) != 1 ||
			found.Issues[0].Path[1] != tc.path) {
			t.Errorf("%s: issues %v, want %q", tc.name, found.Issues, tc.path)
		}
	}
	c := Config{Caller: setup(t).api.Caller, Now: time.Now, OptionalScopes: []string{scopeProducts}}
	if _, err := New(c); err == nil {
		t.Error("New accepts optional scopes with Instagram Login")
	}
	c.Mode = FacebookLogin
	if p, err := New(c); err != nil || !slices.Contains(provider.ScopeNames(p.Info().Scopes), scopeProducts) {
		t.Errorf("New with an optional scope: %v", err)
	}
	c.OptionalScopes = []string{"no_such_scope"}
	if _, err := New(c); err == nil {
		t.Error("New accepts an unknown scope")
	}
}

func TestIneffectiveSettingsAreWarnedAbout(t *testing.T) {
	t.Parallel()
	b := setup(t)
	link := post("x", image("a.jpg", ""))
	link.Parts[0].Links = []provider.Link{{URL: "https://crier.dev"}}
	for name, c := range map[string]provider.Content{
		"many hashtags":  post(strings.Repeat("#a ", 6), image("a.jpg", "")),
		"story text":     withSettings(post("Hi", image("a.jpg", "")), `{"instagramPostType":"story"}`),
		"cover of image": withSettings(post("", image("a.jpg", "")), `{"instagramCoverUrl":"https://a.test/c.jpg"}`),
		"link":           link,
	} {
		if found := b.Check(b.account, c); !found.OK() || len(found.Warnings) != 1 {
			t.Errorf("%s: issues %v, warnings %v; want one warning", name, found.Issues, found.Warnings)
		}
	}
}
