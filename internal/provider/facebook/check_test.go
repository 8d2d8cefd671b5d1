package facebook

import (
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/provider"
)

func TestCheckContent(t *testing.T) {
	t.Parallel()
	sized := func(width, height int, seconds float64) provider.Media {
		m := video()
		m.Width, m.Height, m.Duration = width, height, time.Duration(seconds*float64(time.Second))
		return m
	}
	eleven := make([]provider.Media, 11)
	for i := range eleven {
		eleven[i] = image("a.jpg", "")
	}
	a := image("a.jpg", "")
	capitals := withSettings(post("", video()), `{"facebookThumbnailMediaId":"`+
		strings.ToUpper(string(thumbnail))+`"}`)
	capitals.Assets = map[crier.ID]provider.Media{thumbnail: a}
	large := a
	large.Size = 10<<20 + 1
	for _, tc := range []struct {
		name    string
		content provider.Content
		path    string // of the issue; empty when there is none
	}{
		{"text", post("Hello"), ""},
		{"nothing", post(" "), "postInput/text"},
		{"a link alone", withSettings(post(""), `{"facebookLink":"https://a.test"}`), ""},
		{"too long", post(strings.Repeat("a", 63_207)), "postInput/text"},
		{"eleven photos", post("", eleven...), "postInput/attachments"},
		{"a large photo", post("", large), "postInput/attachments/0"},
		{"a photo and a video", post("", a, video()), "postInput/attachments"},
		{"a wide video", post("", sized(1920, 1080, 600)), ""},
		{"a wide reel", withSettings(post("", sized(1920, 1080, 60)), `{"facebookPostType":"reel"}`),
			"postInput/attachments/0"},
		{"an upright reel", withSettings(post("", sized(1080, 1920, 60)), `{"facebookPostType":"reel"}`), ""},
		{"a reel of 91 seconds", withSettings(post("", sized(1080, 1920, 91)), `{"facebookPostType":"reel"}`),
			"postInput/attachments/0"},
		{"a story of 61 seconds", withSettings(post("", sized(1080, 1920, 61)), `{"facebookPostType":"story"}`),
			"postInput/attachments/0"},
		{"a story without media", withSettings(post(""), `{"facebookPostType":"story"}`), "postInput/attachments"},
		{"a link with a photo", withSettings(post("", a), `{"facebookLink":"https://a.test"}`),
			"platformSettings/facebookLink"},
		{"a background of a photo", withSettings(post("x", a), `{"facebookBackgroundPresetId":"1"}`),
			"platformSettings/facebookBackgroundPresetId"},
		{"a background of a long text", withSettings(post(strings.Repeat("a", 131)),
			`{"facebookBackgroundPresetId":"1"}`), "platformSettings/facebookBackgroundPresetId"},
		{"a draft of a text", withSettings(post("x"), `{"facebookDraft":true}`), "platformSettings/facebookDraft"},
		{"a country", withSettings(post("x"), `{"facebookTargeting":{"countries":["ca"]}}`),
			"platformSettings/facebookTargeting"},
		{"a thumbnail that is no asset of the team", withSettings(post("", video()), `{"facebookThumbnailMediaId":"`+
			string(thumbnail)+`"}`), "platformSettings/facebookThumbnailMediaId"},
		{"a thumbnail in capitals", capitals, ""},
		{"a thread", provider.Content{Action: provider.Post, Parts: []provider.Part{{Text: "1"}, {Text: "2"}}},
			"postInput/posts"},
		{"a comment", comment("x", a), ""},
		{"an empty comment", comment(""), "comment/text"},
		{"a comment with a video", comment("x", video()), "comment/attachments/0"},
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
			if len(found.Issues) == 0 || strings.Join(found.Issues[0].Path, "/") != tc.path {
				t.Errorf("issues %v, want one at %s", found.Issues, tc.path)
			}
		})
	}
}

func TestIneffectiveSettingsAreWarnedAbout(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, c := range map[string]provider.Content{
		"title of a text": withSettings(post("x"), `{"facebookVideoTitle":"T"}`),
		"text of a story": withSettings(post("x", image("a.jpg", "")), `{"facebookPostType":"story"}`),
		"co-authors":      withSettings(post("x"), `{"facebookCollaboratorPageIds":["1"]}`),
	} {
		if found := b.Check(b.account, c); !found.OK() || len(found.Warnings) != 1 {
			t.Errorf("%s: issues %v, warnings %v; want one warning", name, found.Issues, found.Warnings)
		}
	}
}

func TestFeaturesNeedTheirScopes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	info := b.InfoFor(provider.Account{Scopes: []string{"pages_show_list", "pages_manage_posts"}})
	if info.Comment != nil || info.Abilities.Comment || info.Abilities.AccountMetrics {
		t.Errorf("abilities %+v of a connection that may only publish", info.Abilities)
	}
}
