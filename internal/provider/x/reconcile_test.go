package x

import (
	"testing"
	"time"

	"crier/internal/provider"
)

func TestTimelineMatchToleratesXsTextChanges(t *testing.T) {
	t.Parallel()
	link := func(short, long string) entities { return entities{URLs: []urlEntity{{URL: short, ExpandedURL: long}}} }
	refers := func(kind, id string) []reference { return []reference{{Type: kind, ID: id}} }
	reply := provider.Content{Action: provider.Comment, Target: target("7"), Parts: []provider.Part{{Text: "First!"}}}
	thread := text("1/2", "same")
	uploaded := func(id string) provider.State { return provider.State{Uploads: []provider.Upload{{ID: id}}} }
	shown := func(keys ...string) timelinePost {
		return timelinePost{Text: "Hello", Attachments: attachments{MediaKeys: keys}}
	}
	for _, tc := range []struct {
		name    string
		content provider.Content
		state   provider.State
		post    timelinePost
		want    bool
	}{
		{"plain", text("Hello"), provider.State{}, timelinePost{Text: "Hello"}, true},
		{"other text", text("Hello"), provider.State{}, timelinePost{Text: "Hello!"}, false},
		{"escaped", text("a < b & c > d"), provider.State{}, timelinePost{Text: "a &lt; b &amp; c &gt; d"}, true},
		{"escaped by the author", text("write &amp; for &"), provider.State{},
			timelinePost{Text: "write &amp;amp; for &amp;"}, true},
		{"composed differently", text("A\u0301"), provider.State{}, timelinePost{Text: "\u00c1"}, true},
		{"shortened", text("see https://crier.dev/a?b=c"), provider.State{},
			timelinePost{Text: "see https://t.co/x", Entities: link("https://t.co/x", "https://crier.dev/a?b=c")},
			true},
		{"shortened bare domain", text("see Crier.dev now"), provider.State{},
			timelinePost{Text: "see https://t.co/x now", Entities: link("https://t.co/x", "http://crier.dev/")}, true},
		{"shortened to another address", text("see crier.dev"), provider.State{},
			timelinePost{Text: "see https://t.co/x", Entities: link("https://t.co/x", "http://crier.org")}, false},
		{"media link behind the text", text("Photo"), provider.State{},
			timelinePost{Text: "Photo https://t.co/m",
				Entities: link("https://t.co/m", "https://x.com/u/status/1/photo/1")}, true},
		{"media link by key", text("Photo"), provider.State{},
			timelinePost{Text: "Photo https://t.co/m",
				Entities: entities{URLs: []urlEntity{{URL: "https://t.co/m", ExpandedURL: "https://x.com/a",
					MediaKey: "3_1"}}}}, true},
		{"long post in its note", text("Hello long world"), provider.State{},
			timelinePost{Text: "Hello lo… https://t.co/n", NoteTweet: &note{Text: "Hello long world"}}, true},
		{"long post under the new name", text("Hello long world"), provider.State{},
			timelinePost{Text: "Hello", NotePost: &note{Text: "Hello long world"}}, true},
		{"reply", reply, provider.State{}, timelinePost{Text: "First!", References: refers("replied_to", "7")}, true},
		{"reply with mentions", reply, provider.State{},
			timelinePost{Text: "@ada @tom First!", References: refers("replied_to", "7")}, true},
		{"reply to another post", reply, provider.State{},
			timelinePost{Text: "First!", References: refers("replied_to", "8")}, false},
		{"reply under the new name", reply, provider.State{},
			timelinePost{Text: "First!", PostReferences: refers("replied_to", "7")}, true},
		{"a post is not a reply", text("First!"), provider.State{},
			timelinePost{Text: "First!", References: refers("replied_to", "7")}, false},
		{"second part of a thread", thread, provider.State{Published: []provider.Published{{PlatformPostID: "5"}}},
			timelinePost{Text: "same", References: refers("replied_to", "5")}, true},
		{"second part with forgotten media", provider.Content{Parts: []provider.Part{{Text: "1/2"}, {Text: "same",
			Media: []provider.Media{media("image/png", nil)}}}},
			provider.State{Published: []provider.Published{{PlatformPostID: "5"}}},
			timelinePost{Text: "same", References: refers("replied_to", "6")}, false},
		{"second part without its reply", thread,
			provider.State{Published: []provider.Published{{PlatformPostID: "5"}}}, timelinePost{Text: "same"}, false},
		{"quote", withSettings(text("Look"), `{"xQuotePostId":"9"}`), provider.State{},
			timelinePost{Text: "Look https://t.co/q", Entities: link("https://t.co/q", "https://x.com/u/status/9"),
				References: refers("quoted", "9")}, true},
		{"quote of another post", withSettings(text("Look"), `{"xQuotePostId":"9"}`), provider.State{},
			timelinePost{Text: "Look", References: refers("quoted", "8")}, false},
		{"repost", provider.Content{Action: provider.Repost, Target: target("9")}, provider.State{},
			timelinePost{Text: "RT @u: …", References: refers("retweeted", "9")}, true},
		{"repost of another post", provider.Content{Action: provider.Repost, Target: target("9")}, provider.State{},
			timelinePost{Text: "RT", References: refers("retweeted", "8")}, false},
		{"media whose upload is forgotten", withMedia(media("image/png", nil)), provider.State{},
			timelinePost{Text: "Hello https://t.co/m",
				Entities: link("https://t.co/m", "https://x.com/u/status/1/photo/1")}, true},
		{"its own media", withMedia(media("image/png", nil)), uploaded("7"), shown("3_7"), true},
		{"the media of another post", withMedia(media("image/png", nil)), uploaded("7"), shown("3_8"), false},
		{"media that X does not tell", withMedia(media("image/png", nil)), uploaded("7"), shown(), true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := wantedPost(tc.content, tc.state, false).matches(tc.post); got != tc.want {
				t.Errorf("matches = %v, want %v", got, tc.want)
			}
		})
	}
}

func TestTimelineMatchAfterARestoreIgnoresUploads(t *testing.T) {
	t.Parallel()
	state := provider.State{Uploads: []provider.Upload{{ID: "7"}}} // of an earlier attempt
	post := timelinePost{Text: "Hello", Attachments: attachments{MediaKeys: []string{"3_8"}}}
	if !wantedPost(withMedia(media("image/png", nil)), state, true).matches(post) {
		t.Error("the post of a later upload is not recognized")
	}
}

// X takes an upload for one post only. A post that was lost and is found late shows the upload that was then replaced.
func TestTimelineMatchKnowsTheUploadsOfALostAttempt(t *testing.T) {
	t.Parallel()
	content := withMedia(media("image/png", nil))
	for name, replace := range map[string]func(provider.State) provider.State{
		"refused": func(st provider.State) provider.State {
			st, _ = (&Provider{}).afterRefusal(content, st, &provider.Error{Err: errMediaIDs})
			return st
		},
		"expired": func(st provider.State) provider.State {
			forgetExpired(&st, st.Uploads[0].ExpiresAt)
			return st
		},
	} {
		for _, lost := range []bool{true, false} {
			st := provider.State{Uploads: []provider.Upload{{ID: "7", ExpiresAt: time.Unix(1, 0)}}}
			if lost {
				st.Note(noteSuspect, "2026-11-15T12:00:00Z")
			}
			st = replace(st)
			if st.Uploads[0].ID != "" {
				t.Fatalf("%s: the upload is kept", name)
			}
			st.Uploads[0].ID = "8"
			for key, want := range map[string]bool{"3_7": lost, "3_8": true, "3_9": false} {
				post := timelinePost{Text: "Hello", Attachments: attachments{MediaKeys: []string{key}}}
				if got := wantedPost(content, st, false).matches(post); got != want {
					t.Errorf("%s, lost %t: a post with the medium %s matches: %t", name, lost, key, got)
				}
			}
		}
	}
}

func TestWithoutTheScopeToReadTheOutcomeStaysUnknown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if s := b.Strategy(provider.Account{Scopes: []string{"tweet.write"}}, provider.Content{},
		provider.State{}); s.Method != provider.Impossible {
		t.Errorf("strategy %+v, want an impossible one", s)
	}
	if s := b.Strategy(b.account, provider.Content{}, provider.State{}); s.Method != provider.ByReading ||
		s.Absences != 2 {
		t.Errorf("strategy %+v, want two reads", s)
	}
}
