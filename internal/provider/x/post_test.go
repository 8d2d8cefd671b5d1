package x

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/providertest"
)

// replaying returns a provider that runs against the given exchanges.
func replaying(t *testing.T, exchanges string) bundle {
	t.Helper()
	b := setup(t)
	p, err := New(Config{Credentials: provider.Credentials{ClientID: "client-1", ClientSecret: "client-secret"},
		Caller: providertest.NewCaller(b.clock), Now: b.clock.Now, Quotes: true}.WithBase(
		providertest.NewReplayOf(t, exchanges).URL))
	if err != nil {
		t.Fatal(err)
	}
	b.Provider = p
	return b
}

func TestUnrepost(t *testing.T) {
	t.Parallel()
	const request = "DELETE /2/users/2244994945/retweets/77\nAuthorization: Bearer access-1\n---\n"
	for _, tc := range []struct {
		answer string
		want   provider.Deletion
		kind   provider.Kind
	}{
		{"200\n\n" + `{"data":{"retweeted":false}}`, provider.Deleted, ""},
		{"200\n\n" + `{"data":{"retweeted":true}}`, "", provider.Temporary},
		{"404\n\n" + `{"title":"Not Found Error"}`, provider.AlreadyGone, ""},
		{"401\n\n" + `{"title":"Unauthorized"}`, "", provider.AuthExpired},
		{"503\n\n" + `{}`, "", provider.Temporary},
		{"200\n\n<html>", "", provider.Temporary},
	} {
		b := replaying(t, request+tc.answer)
		got, err := b.Unrepost(context.Background(), b.account, "77")
		failure := provider.AsError(err)
		if got != tc.want || (failure == nil) != (tc.kind == "") || failure != nil && failure.Kind != tc.kind {
			t.Errorf("%s: %q, %v; want %q, %s", tc.answer, got, err, tc.want, tc.kind)
		}
	}
}

func TestFailedDeletionsAreErrors(t *testing.T) {
	t.Parallel()
	const request = "DELETE /2/tweets/a%2Fb\nAuthorization: Bearer access-1\n---\n"
	for answer, kind := range map[string]provider.Kind{"200\n\n{\"data\":{\"deleted\":false}}": provider.Temporary,
		"200\n\n{}": provider.Temporary, "403\n\n{\"detail\":\"Forbidden\"}": provider.AuthExpired,
		"429\n\n{}": provider.RateLimited} {
		b := replaying(t, request+answer)
		got, err := b.Delete(context.Background(), b.account, "a/b")
		if failure := provider.AsError(err); got != "" || failure == nil || failure.Kind != kind {
			t.Errorf("%s: %q, %v; want %s", answer, got, err, kind)
		}
	}
}

// TestRepostIDs: newer responses have the id of the repost, older ones only confirm it.
func TestRepostIDs(t *testing.T) {
	t.Parallel()
	const request = "POST /2/users/2244994945/retweets\nAuthorization: Bearer access-1\n" +
		"Content-Type: application/json\n\n" + `{"tweet_id":"77"}` + "\n---\n200\n\n"
	repost := provider.Content{Action: provider.Repost, Target: target("77")}
	for answer, want := range map[string]string{
		`{"data":{"retweeted":true,"rest_id":"88"}}`: "88", `{"data":{"retweeted":true,"id":"89"}}`: "89",
		`{"data":{"retweeted":true}}`: "77", `{"data":{"rest_id":"88"}}`: "88", `{"data":{"retweeted":false}}`: "", `{}`: "",
	} {
		b := replaying(t, request+answer)
		st, err := b.Commit(context.Background(), b.account, repost, provider.State{Ready: true})
		if want == "" {
			if failure := provider.AsError(err); failure == nil || failure.Kind != provider.OutcomeUnknown || st.Done {
				t.Errorf("%s: %v, done %t; want an unknown outcome", answer, err, st.Done)
			}
			continue
		}
		if err != nil || st.PlatformPostID != want || !st.Done || !strings.HasSuffix(st.Published[0].Permalink,
			"/XDevelopers/status/"+want) {
			t.Errorf("%s: %+v, %v; want %s", answer, st, err, want)
		}
	}
}

func TestPermalinksWorkWithoutAHandle(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for handle, want := range map[string]string{"": "/i/web/status/7", "ada": "/ada/status/7",
		"a/b": "/a%2Fb/status/7"} {
		if got := b.permalink(provider.Account{Handle: handle}, "7"); got != "https://x.com"+want {
			t.Errorf("%q: %s, want %s", handle, got, want)
		}
	}
}

// TestCreateRequestSettings: settings for replies, polls and places apply to the first part, labels to
// all.
func TestCreateRequestSettings(t *testing.T) {
	t.Parallel()
	const all = `{"xReplySettings":"following","xCommunityId":"5","xShareWithFollowers":true,"xMadeWithAi":true,` +
		`"xPaidPartnership":true,"xSuperFollowersOnly":true,"xPlaceId":"p","xReplyToPostId":"6","xExcludeReplyUserIds":["8"],` +
		`"xPoll":{"options":["a","b"],"durationMinutes":5}}`
	const labels = `"for_super_followers_only":true,"made_with_ai":true,"paid_partnership":true`
	comment, quote := text("c"), text("q")
	comment.Action, comment.Target = provider.Comment, target("9")
	quote.Action, quote.Target = provider.Quote, target("9")
	second := provider.State{Published: []provider.Published{{PlatformPostID: "1"}}}
	for _, tc := range []struct {
		name    string
		content provider.Content
		state   provider.State
		want    string
	}{
		{"nothing set", text("a"), provider.State{}, `{"text":"a"}`},
		{"everyone may reply", withSettings(text("a"), `{"xReplySettings":"everyone"}`), provider.State{}, `{"text":"a"}`},
		{"the first part", withSettings(text("a", "b"), all), provider.State{}, `{"text":"a","poll":{"options":["a","b"],` +
			`"duration_minutes":5},"reply":{"in_reply_to_tweet_id":"6","exclude_reply_user_ids":["8"]},` +
			`"reply_settings":"following","community_id":"5","share_with_followers":true,` + labels + `,"geo":{"place_id":"p"}}`},
		{"the second part", withSettings(text("a", "b"), all), second,
			`{"text":"b","reply":{"in_reply_to_tweet_id":"1"},` + labels + `}`},
		{"a comment", withSettings(comment, all), provider.State{}, `{"text":"c","reply":{"in_reply_to_tweet_id":"9"},` + labels + `}`},
		{"a quote", withSettings(quote, all), provider.State{}, `{"text":"q","quote_tweet_id":"9",` + labels + `}`},
		{"a quote by setting", withSettings(text("a"), `{"xQuotePostId":"7"}`), provider.State{}, `{"text":"a","quote_tweet_id":"7"}`},
	} {
		request, err := newCreateRequest(tc.content, tc.state)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if got, err := json.Marshal(request); err != nil || string(got) != tc.want {
			t.Errorf("%s: %s, %v; want %s", tc.name, got, err, tc.want)
		}
	}
}

func TestCreateRequestsWaitForTheirMedia(t *testing.T) {
	t.Parallel()
	content := withMedia(media("image/png", nil), media("image/png", nil))
	ready := provider.State{Uploads: []provider.Upload{
		{Media: 1, ID: "2", Step: stepReady}, {Media: 0, ID: "1", Step: stepReady}}}
	request, err := newCreateRequest(content, ready)
	if err != nil || !slices.Equal(request.Media.MediaIDs, []string{"1", "2"}) {
		t.Errorf("media %+v, %v", request.Media, err)
	}
	for name, st := range map[string]provider.State{"none": {}, "one": {Uploads: ready.Uploads[:1]},
		"one is still processed": {Uploads: []provider.Upload{
			{ID: "1", Step: stepStored}, {Media: 1, ID: "2", Step: stepReady}}}} {
		_, err := newCreateRequest(content, st)
		if failure := provider.AsError(err); failure == nil || failure.Kind != provider.Temporary {
			t.Errorf("%s: %v, want a temporary error", name, err)
		}
	}
	done := provider.State{Published: []provider.Published{{PlatformPostID: "1"}}}
	if _, err := newCreateRequest(text("a"), done); provider.AsError(err) == nil ||
		provider.AsError(err).Kind != provider.Rejected {
		t.Errorf("a part after the last: %v", err)
	}
	if _, err := newCreateRequest(withSettings(text("a"), `{"xPoll":7}`), provider.State{}); provider.AsError(err) == nil ||
		provider.AsError(err).Message != "the publish settings cannot be read" {
		t.Errorf("invalid settings: %v", err)
	}
}

func TestMissingLinksAreAppended(t *testing.T) {
	t.Parallel()
	link := func(addresses ...string) []provider.Link {
		var links []provider.Link
		for _, a := range addresses {
			links = append(links, provider.Link{URL: a})
		}
		return links
	}
	for _, tc := range []struct {
		text  string
		links []provider.Link
		want  string
	}{
		{"Read", nil, "Read"}, {"Read", link("https://a.dev"), "Read\nhttps://a.dev"}, {"", link("https://a.dev"), "https://a.dev"},
		{"Read https://a.dev now", link("https://a.dev"), "Read https://a.dev now"},
		{"Read", link("https://a.dev", "https://b.dev", "https://a.dev"), "Read\nhttps://a.dev\nhttps://b.dev"},
		{" Read ", nil, " Read "},
	} {
		if got := (provider.Part{Text: tc.text, Links: tc.links}).TextWithLinks(); got != tc.want {
			t.Errorf("%q with %v is %q, want %q", tc.text, tc.links, got, tc.want)
		}
	}
}

func TestUnreadableMediaIsRetried(t *testing.T) {
	t.Parallel()
	b := setup(t)
	broken := func(mimeType string) provider.Content {
		return withMedia(media(mimeType, func(m *provider.Media) {
			m.Open = func(context.Context) (provider.MediaReader, error) { return nil, errors.New("the store is down") }
		}))
	}
	for mimeType, st := range map[string]provider.State{"image/png": {}, "video/mp4": {Uploads: []provider.Upload{
		{ID: "1", Step: stepAppending, ChunkSize: smallestChunk, Size: 1000}}}} {
		after, err := b.Prepare(context.Background(), b.account, broken(mimeType), st)
		failure := provider.AsError(err)
		if failure == nil || failure.Kind != provider.Temporary || after.Ready ||
			failure.Message != "the media cannot be read from the media store" {
			t.Errorf("%s: %v", mimeType, err)
		}
	}
}

// TestUploadsWithoutAnIDRestart: media without an id cannot be published.
func TestUploadsWithoutAnIDRestart(t *testing.T) {
	t.Parallel()
	b := answering(t, 200, nil, `{"data":{}}`)
	for name, content := range map[string]provider.Content{
		"an image": withMedia(image("a.png", "image/png", "bytes", "")), "a video": videoPost()} {
		st, err := b.Prepare(context.Background(), b.account, content, provider.State{})
		if failure := provider.AsError(err); failure == nil || failure.Kind != provider.Temporary ||
			st.Uploads[0].Step != stepNew || failure.Message != "X answered without the id of the media" {
			t.Errorf("%s: %v, upload %+v", name, err, st.Uploads)
		}
	}
}

func TestUploadLifetimes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	now := b.clock.Now()
	for _, tc := range []struct {
		lifetime int64
		known    time.Time
		want     time.Time
	}{
		{lifetime: 3600, want: now.Add(time.Hour)}, {lifetime: 0, want: now.Add(usualLifetime)},
		{lifetime: 0, known: now.Add(time.Minute), want: now.Add(time.Minute)},
		{lifetime: 60, known: now.Add(time.Hour), want: now.Add(time.Minute)},
	} {
		u := provider.Upload{ID: "1", ExpiresAt: tc.known}
		var answer mediaAnswer
		answer.Data.ExpiresAfterSecs = tc.lifetime
		if err := b.note(&u, answer); err != nil || !u.ExpiresAt.Equal(tc.want) || u.ID != "1" {
			t.Errorf("lifetime %d s: %+v, %v; want %v", tc.lifetime, u, err, tc.want)
		}
	}
	for seconds, want := range map[int64]time.Duration{-1: 2 * time.Second, 0: 2 * time.Second, 1: time.Second,
		15: 15 * time.Second, 16: 15 * time.Second, 86_400: 15 * time.Second} {
		if got := pollDelay(seconds); got != want {
			t.Errorf("pollDelay(%d) = %v, want %v", seconds, got, want)
		}
	}
	for size, want := range map[int64]int64{1: smallestChunk, smallestChunk * maxSegments: smallestChunk,
		smallestChunk*maxSegments + 1: smallestChunk + 1, maxFile: largestChunk} {
		if got := chunkSize(size); got != want || (size+got-1)/got > maxSegments {
			t.Errorf("%d bytes are sent in chunks of %d, want %d", size, got, want)
		}
	}
}

func TestSensitiveMediaWithoutMediaIsAWarning(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const warned = `{"xSensitiveMedia":{"other":true}}`
	if found := b.Check(provider.Account{}, withSettings(text("a", "b"), warned)); !found.OK() ||
		len(found.Warnings) != 1 ||
		strings.Join(found.Warnings[0].Path, ".") != "platformSettings.xSensitiveMedia" {
		t.Errorf("without media: %+v", found)
	}
	second := text("a", "b")
	second.Parts[1].Media = []provider.Media{media("image/png", nil)}
	if found := b.Check(provider.Account{}, withSettings(second, warned)); !found.OK() || len(found.Warnings) != 0 {
		t.Errorf("with media in the second part: %+v", found)
	}
	if d := decodeDetails(provider.Account{Details: json.RawMessage(`{"subscriptionType":7}`)}); d.subscribed() {
		t.Error("invalid details are those of a subscriber")
	}
}

func TestTimelinePathStartsBeforeTheAttempt(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, 11, 15, 13, 0, 0, 0, time.FixedZone("", 3600))
	const head = "/2/users/1%2F2/tweets?max_results=100&start_time=2026-11-15T11%3A59%3A30Z" +
		"&tweet.fields=attachments,conversation_id,created_at,entities,referenced_tweets,note_tweet"
	a := provider.Account{ProviderAccountID: "1/2"}
	for want, got := range map[string]string{
		head + "&exclude=retweets": timelinePath(a, text("a"), since, ""),
		head:                       timelinePath(a, provider.Content{Action: provider.Repost}, since, ""),
		head + "&exclude=retweets&pagination_token=a%2B%3D": timelinePath(a, text("a"), since, "a+="),
	} {
		if got != want {
			t.Errorf("path %s, want %s", got, want)
		}
	}
}

func TestURLComparisonIgnoresXsChanges(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{"https://Crier.dev/": "crier.dev", "HTTP://crier.dev": "crier.dev",
		"crier.dev/A/": "crier.dev/A", "https://crier.dev/a?b=c": "crier.dev/a?b=c", "": "", "https://": "",
		"ftp://crier.dev": "ftp://crier.dev"} {
		if got := canonicalURL(address); got != want {
			t.Errorf("%q is compared as %q, want %q", address, got, want)
		}
	}
	for path, want := range map[string]int{"/abc": 4, "/abc's": 4, "?a": 0, "/": 1, "/a-b": 2} {
		if got := shortLinkLength(path); got != want {
			t.Errorf("shortLinkLength(%q) = %d, want %d", path, got, want)
		}
	}
	for text, want := range map[string]int{"": 0, ":": 0, ":8080/a": 5, ":x": 0, "8080": 0} {
		if got := portLength(text); got != want {
			t.Errorf("portLength(%q) = %d, want %d", text, got, want)
		}
	}
}
