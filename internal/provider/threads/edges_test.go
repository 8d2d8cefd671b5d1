package threads

import (
	"context"
	"errors"
	"slices"
	"testing"

	"crier/internal/provider"
	"crier/internal/provider/graph"
)

func TestWeightCountsEmojisByTheirBytes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "abc": 3, "äöü": 3, "漢字": 2, "🦉": 4, "a🦉b": 6, "❤️": 6,
		"👨‍👩‍👧": 18, "1️⃣": 7, "🇩🇪": 8, "€": 1, "–": 1} {
		if got := weigh(text); got != want {
			t.Errorf("weigh(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestLinksAreCountedOnce(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"": nil, "no link": nil, "http://": nil,
		"https://a.dev and https://a.dev.":        {"https://a.dev"},
		"(see HTTPS://a.dev/x) <http://b.dev>":    {"HTTPS://a.dev/x", "http://b.dev"},
		"https://a.dev/?q=1, https://a.dev/?q=2!": {"https://a.dev/?q=1", "https://a.dev/?q=2"},
		"xhttps://a.dev":                          nil,
	} {
		var got []string
		for address := range links(text) {
			got = append(got, address)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("links of %q: %q, want %q", text, got, want)
		}
	}
}

func TestFirstLinkIsTheCard(t *testing.T) {
	t.Parallel()
	two := []provider.Link{{URL: "https://a.dev"}, {URL: "https://b.dev"}}
	for _, tc := range []struct {
		part       provider.Part
		hasCard    bool
		text, card string
	}{
		{part: provider.Part{Text: "T"}, text: "T"},
		{part: provider.Part{Text: "T", Links: two}, text: "T\nhttps://b.dev", card: "https://a.dev"},
		{part: provider.Part{Links: two[:1]}, card: "https://a.dev"},
		{part: provider.Part{Text: "T https://a.dev", Links: two}, text: "T https://a.dev", card: "https://b.dev"},
		{part: provider.Part{Text: "T", Links: two}, hasCard: true, text: "T\nhttps://a.dev\nhttps://b.dev"},
		{part: provider.Part{Text: "T", Links: two, Media: []provider.Media{video()}}, text: "T\nhttps://a.dev\nhttps://b.dev"},
	} {
		if text, card := compose(tc.part, tc.hasCard); text != tc.text || card != tc.card {
			t.Errorf("%+v: %q with the card %q, want %q with %q", tc.part.Links, text, card, tc.text, tc.card)
		}
	}
}

func TestListedMediaTypes(t *testing.T) {
	t.Parallel()
	for want, media := range map[string][]provider.Media{"TEXT_POST": nil, "IMAGE": {image("a.jpg", "")},
		"VIDEO": {video()}, "CAROUSEL_ALBUM": {video(), image("a.jpg", "")}} {
		if got := listedType(provider.Part{Media: media}); got != want {
			t.Errorf("type of %d media: %s, want %s", len(media), got, want)
		}
	}
}

// TestLostPostsAreRecognized by the post that they reply to, their media and their text.
func TestLostPostsAreRecognized(t *testing.T) {
	t.Parallel()
	object := func(id graph.ID) *idAnswer { return &idAnswer{ID: id} }
	for _, tc := range []struct {
		name   string
		wanted wanted
		post   listedPost
		want   bool
	}{
		{"the same", wanted{text: "A", mediaType: "TEXT_POST"}, listedPost{Text: "A ", MediaType: "TEXT_POST"}, true},
		{"another text", wanted{text: "A", mediaType: "TEXT_POST"},
			listedPost{Text: "B", MediaType: "TEXT_POST"}, false},
		{"another type", wanted{text: "A", mediaType: "TEXT_POST"}, listedPost{Text: "A", MediaType: "IMAGE"}, false},
		{"a reply", wanted{text: "A", mediaType: "TEXT_POST", repliesTo: "7"},
			listedPost{Text: "A", MediaType: "TEXT_POST", RepliedTo: object("7")}, true},
		{"a reply to another", wanted{text: "A", mediaType: "TEXT_POST", repliesTo: "7"},
			listedPost{Text: "A", MediaType: "TEXT_POST", RepliedTo: object("8")}, false},
		{"a reply without its target", wanted{text: "A", mediaType: "TEXT_POST", repliesTo: "7"},
			listedPost{Text: "A", MediaType: "TEXT_POST"}, true},
		{"a repost", wanted{repostOf: "7"}, listedPost{RepostedPost: object("7")}, true},
		{"a repost of another", wanted{repostOf: "7"}, listedPost{RepostedPost: object("8")}, false},
		{"no repost", wanted{repostOf: "7"}, listedPost{Text: "A"}, false},
	} {
		if got := tc.wanted.matches(tc.post); got != tc.want {
			t.Errorf("%s: %t", tc.name, got)
		}
	}
}

// TestPartWithoutAnIDEndsTheThread: a post whose id is unknown cannot be replied to.
func TestPartWithoutAnIDEndsTheThread(t *testing.T) {
	t.Parallel()
	b := setup(t)
	published := func() provider.State {
		return provider.State{Data: map[string]string{"containerPublished": "true", "listings": "5"}}
	}
	if outcome, st, err := b.unlisted(text("a"), published()); err != nil || outcome != provider.OutcomePublished ||
		!st.Done || st.PlatformPostID != "" {
		t.Errorf("a single post: %q, %+v, %v", outcome, st, err)
	}
	if outcome, st, err := b.unlisted(text("a", "b"), published()); err != nil ||
		outcome != provider.OutcomeUnclear || st.Done {
		t.Errorf("the first of two: %q, %+v, %v", outcome, st, err)
	}
	last := published()
	last.Published = []provider.Published{{PlatformPostID: "1"}}
	if outcome, st, err := b.unlisted(text("a", "b"), last); err != nil || outcome != provider.OutcomePublished ||
		!st.Done {
		t.Errorf("the last of two: %q, %+v, %v", outcome, st, err)
	}
	if outcome, st, err := b.unlisted(text("a"), provider.State{}); err != nil || outcome != provider.OutcomePending ||
		!st.NextPollAfter.After(b.clock.Now()) {
		t.Errorf("the first read: %q, %+v, %v", outcome, st, err)
	}
}

func TestListPath(t *testing.T) {
	t.Parallel()
	const fields = "?fields=id,media_type,text,permalink,timestamp,replied_to,quoted_post,reposted_post&limit=50&since=7"
	for want, got := range map[string]string{"/me/threads" + fields: listPath(false, 7, ""),
		"/me/replies" + fields:                    listPath(true, 7, ""),
		"/me/threads" + fields + "&after=a%2B%3D": listPath(false, 7, "a+=")} {
		if got != want {
			t.Errorf("path %s, want %s", got, want)
		}
	}
}

func TestPlaceSearch(t *testing.T) {
	t.Parallel()
	b := answering(t, 200, `{"data":[{"id":1,"name":"Zoo","address":"Street 1","city":"Berlin","country":"DE"},{"id":"2","name":"Sea"}]}`)
	choices, err := b.Choices(context.Background(), b.account, keyLocation, "zoo")
	want := []provider.Choice{{Value: "1", Label: "Zoo", Detail: "Street 1, Berlin, DE"}, {Value: "2", Label: "Sea"}}
	if err != nil || !slices.Equal(choices.List, want) {
		t.Errorf("choices %+v, %v", choices.List, err)
	}
	refusing := answering(t, 500, "")
	if choices, err := refusing.Choices(context.Background(), b.account, keyLocation, " "); err != nil ||
		choices.List != nil {
		t.Errorf("without a query: %+v, %v", choices, err)
	}
	if _, err := refusing.Choices(context.Background(), b.account, keyLocation, "zoo"); provider.AsError(err) == nil {
		t.Error("Choices hides a failure")
	}
}

func TestFailedContainersAreExplained(t *testing.T) {
	t.Parallel()
	for reason, tc := range map[string]struct {
		message string
		again   bool
	}{
		"FAILED_DOWNLOADING_VIDEO": {"Threads could not fetch the video", true},
		"INVALID_DURATION":         {"the length is not accepted", false},
		"INVALID_ASPEC_RATIO":      {"the aspect ratio is not accepted", false},
		"UNKNOWN":                  {"Threads could not process the post: UNKNOWN", true},
		"":                         {"Threads could not process the post: it does not say why", true},
		"A_NEW_REASON":             {"Threads could not process the post: A_NEW_REASON", false},
	} {
		e := explain(graph.ContainerStatus{Word: graph.Failed, Reason: reason})
		if e.Message != tc.message || errors.Is(e, graph.ErrTryAnew) != tc.again ||
			(e.Kind == provider.Temporary) != tc.again || e.Code != provider.CodeMediaRejected {
			t.Errorf("%q: %+v, want %q, retry %t", reason, e, tc.message, tc.again)
		}
	}
	if s := setup(t).Strategy(provider.Account{}, provider.Content{}, provider.State{}); s != graph.Strategy() {
		t.Errorf("strategy %+v", s)
	}
}
