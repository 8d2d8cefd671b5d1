package threads

import (
	"strings"
	"testing"

	"crier/internal/provider"
)

func TestEmojisCountAsBytes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 0, "hello": 5, "grüße": 5, "日本語": 3, "👍": 4, "👨‍👩‍👧": 18, "❤️": 6, "1️⃣": 7,
	} {
		if got := weigh(text); got != want {
			t.Errorf("weigh(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestCheckContent(t *testing.T) {
	t.Parallel()
	many := make([]provider.Media, 21)
	for i := range many {
		many[i] = image("a.jpg", "")
	}
	long := video()
	long.Duration = 301e9
	for _, tc := range []struct {
		name    string
		content provider.Content
		path    string // of the issue; empty when there is none
	}{
		{"500 characters", text(strings.Repeat("a", 500)), ""},
		{"501 characters", text(strings.Repeat("a", 501)), "postInput/text"},
		{"126 emojis", text(strings.Repeat("👍", 126)), "postInput/text"},
		{"nothing", text(" "), "postInput/text"},
		{"a link alone", provider.Content{Action: provider.Post,
			Parts: []provider.Part{{Links: []provider.Link{{URL: "https://a.test"}}}}}, ""},
		{"six links", text("http://a.test http://b.test http://c.test http://d.test http://e.test http://f.test"),
			"postInput/text"},
		{"one link six times", text(strings.Repeat("http://a.test ", 6)), ""},
		{"21 media", withMedia("x", many...), "postInput/attachments"},
		{"image and video", withMedia("x", image("a.jpg", ""), video()), ""},
		{"a video of more than five minutes", withMedia("x", long), "postInput/attachments/0"},
		{"a document", withMedia("x", provider.Media{MIMEType: "application/pdf", Size: 1}), "postInput/attachments/0"},
		{"poll with media", withSettings(withMedia("x", image("a.jpg", "")),
			`{"threadsPoll":{"options":["a","b"]}}`), "platformSettings/threadsPoll"},
		{"poll with a card", withSettings(text("x"),
			`{"threadsPoll":{"options":["a","b"]},"threadsLinkAttachment":"https://a.test"}`),
			"platformSettings/threadsLinkAttachment"},
		{"topic with a dot", withSettings(text("x"), `{"threadsTopicTag":"a.b"}`),
			"platformSettings/threadsTopicTag"},
		{"country", withSettings(text("x"), `{"threadsAllowlistedCountryCodes":["de"]}`),
			"platformSettings/threadsAllowlistedCountryCodes"},
		{"ghost thread", withSettings(text("1", "2"), `{"threadsGhostPost":true}`),
			"platformSettings/threadsGhostPost"},
		{"spoiler behind the text", withSettings(text("abc"), `{"threadsTextSpoilers":[{"offset":1,"length":3}]}`),
			"platformSettings/threadsTextSpoilers"},
		{"location without permission", withSettings(text("x"), `{"threadsLocationId":"1"}`),
			"platformSettings/threadsLocationId"},
		{"a thread of 51", text(strings.Split(strings.Repeat("x ", 50)+"x", " ")...), "postInput/posts"},
		{"a repost", provider.Content{Action: provider.Repost, Target: target}, ""},
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

func TestFeaturesNeedTheirScopes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	few := provider.Account{Scopes: []string{"threads_basic", "threads_content_publish"}}
	info := b.InfoFor(few)
	if info.Comment != nil || info.Abilities.Comment || info.Abilities.Threads || info.Abilities.Delete ||
		info.Abilities.PostMetrics {
		t.Errorf("abilities %+v of a connection that may only publish", info.Abilities)
	}
	if all := b.InfoFor(b.account); !all.Abilities.Threads || !all.Abilities.Delete || all.Comment == nil {
		t.Errorf("abilities %+v of a connection that may do everything", all.Abilities)
	}
	if found := b.Check(few, text("1", "2")); found.OK() {
		t.Error("a thread passed without the permission to reply")
	}
}
