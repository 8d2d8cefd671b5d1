package facebook

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crier"
	"crier/internal/provider"
	"crier/internal/provider/providertest"
)

// bundle is a provider that runs against replayed exchanges.
type bundle struct {
	*Provider
	clock   *providertest.Clock
	account provider.Account
}

func setup(t *testing.T, golden ...string) bundle {
	t.Helper()
	clock, base := providertest.NewReplayed(t, golden...)
	p, err := New(Config{
		Credentials: providertest.Credentials(),
		Caller:      providertest.NewCaller(clock),
		Now:         clock.Now,
	}.WithBase(base))
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return bundle{Provider: p, clock: clock, account: provider.Account{
		ProviderAccountID: "1755",
		Handle:            "cafe",
		Scopes:            provider.ScopeNames(p.info.Scopes),
		Token:             provider.Token{Access: "page-token", Scopes: provider.ScopeNames(p.info.Scopes)},
	}}
}

func (b bundle) drive(t *testing.T, c provider.Content) (provider.State, error) {
	t.Helper()
	return providertest.Drive(t, b, b.account, c, provider.State{}, b.clock)
}

func post(text string, media ...provider.Media) provider.Content {
	return provider.Content{Action: provider.Post, Parts: []provider.Part{{Text: text, Media: media}}}
}

func comment(text string, media ...provider.Media) provider.Content {
	return provider.Content{Action: provider.Comment, Target: target,
		Parts: []provider.Part{{Text: text, Media: media}}}
}

func withThumbnail(c provider.Content) provider.Content {
	c.Assets = map[crier.ID]provider.Media{thumbnail: image("thumb.jpg", "")}
	return c
}

func image(fileName, altText string) provider.Media {
	m := providertest.NewMedia(fileName, "image/jpeg", []byte("an image"))
	m.AltText = altText
	return m
}

func video() provider.Media {
	content := make([]byte, 2000)
	for i := range content {
		content[i] = byte(i % 251)
	}
	return providertest.NewMedia("v.mp4", "video/mp4", content)
}

const thumbnail = crier.ID("01890a5d-ac96-774b-bcce-b302099a8057")

var target = provider.Target{PlatformPostID: "1755_1", Permalink: "https://www.facebook.com/1755_1"}

func TestWireFormatOfEveryPostKind(t *testing.T) {
	t.Parallel()
	linked := post("Read this")
	linked.Parts[0].Links = []provider.Link{{URL: "https://crier.dev/a"}, {URL: "https://crier.dev/b"}}
	for _, tc := range []struct {
		golden    string
		content   provider.Content
		id        string
		permalink string
	}{
		{"text", withSettings(post("Hello"), `{"facebookPlaceId":"77","facebookBackgroundPresetId":"106","facebookTargeting":{"countries":["CA"],"cities":[{"key":"296875","name":"Toronto"}],"ageMin":18},
			"facebookFeedTargeting":{"regions":[{"key":"3847"}]}}`), "1755_1", "/1755_1"},
		{"link", linked, "1755_2", "/1755_2"},
		{"photo", post("A cat", image("a.jpg", "A dancing cat")), "1755_3", "/1755_3"},
		{"photos", post("Two", image("a.jpg", ""), image("b.jpg", "Another")), "1755_4", "/1755_4"},
		{"video", withThumbnail(withSettings(post("A video", video()),
			`{"facebookVideoTitle":"Title","facebookThumbnailMediaId":"`+string(thumbnail)+`"}`)), "901",
			"/cafe/videos/901/"},
		{"reel", withSettings(post("A reel", video()),
			`{"facebookPostType":"reel","facebookCollaboratorPageIds":["88"]}`), "902", "/reel/902"},
		{"reel-draft", withSettings(post("A reel", video()), `{"facebookPostType":"reel","facebookDraft":true}`),
			"902", "/reel/902"},
		{"story-photo", withSettings(post("", image("a.jpg", "")), `{"facebookPostType":"story"}`), "7001",
			"https://facebook.com/stories/7001"},
		{"story-video", withSettings(post("", video()), `{"facebookPostType":"story"}`), "7002",
			"https://facebook.com/stories/7002"},
		{"comment", comment("First!", image("a.jpg", "")), "1755_1_5", target.Permalink},
	} {
		t.Run(tc.golden, func(t *testing.T) {
			t.Parallel()
			b := setup(t, tc.golden)
			if found := b.Check(b.account, tc.content); !found.OK() {
				t.Fatalf("Check: %v", found.Issues)
			}
			st, err := b.drive(t, tc.content)
			if err != nil {
				t.Fatalf("publish: %v", err)
			}
			if st.PlatformPostID != tc.id || !st.Done || len(st.Warnings) > 0 || len(st.Published) != 1 {
				t.Errorf("state %+v, want %s published", st, tc.id)
			}
			want := tc.permalink
			if want[0] == '/' {
				want = b.consentURL + want
			}
			if got := st.Published[0].Permalink; got != want {
				t.Errorf("permalink %q, want %q", got, want)
			}
		})
	}
}

func TestInterruptedReelIsResumed(t *testing.T) {
	t.Parallel()
	b := setup(t, "reel-resumed")
	st, err := b.drive(t, withSettings(post("A reel", video()), `{"facebookPostType":"reel"}`))
	if err != nil || st.PlatformPostID != "902" {
		t.Errorf("state %+v, error %v; want the reel published", st, err)
	}
}

func TestChunkAtTheWrongOffsetIsResent(t *testing.T) {
	t.Parallel()
	b := setup(t, "video-resync")
	st, err := b.drive(t, post("A video", video()))
	if err != nil || st.PlatformPostID != "901" {
		t.Errorf("state %+v, error %v; want the video published", st, err)
	}
}

func TestUnprocessableVideoIsRejected(t *testing.T) {
	t.Parallel()
	b := setup(t, "reel-fails")
	_, err := b.drive(t, withSettings(post("A reel", video()), `{"facebookPostType":"reel"}`))
	failure := provider.AsError(err)
	if failure == nil || failure.Kind != provider.Rejected || failure.Code != provider.CodeMediaRejected ||
		failure.Message != "Resolution too low. Video must have a minimum resolution of 540p." {
		t.Errorf("failure %+v, want the media rejected with Facebook's message", failure)
	}
}

func TestForeignUploadURLIsNotUsed(t *testing.T) {
	t.Parallel()
	b := setup(t, "reel-elsewhere")
	st, err := b.drive(t, withSettings(post("A reel", video()), `{"facebookPostType":"reel"}`))
	if err == nil || st.Secrets[secretUpload] != "" {
		t.Errorf("state %+v, error %v; want no upload", st, err)
	}
}

func TestConnectReturnsEveryPageWithItsToken(t *testing.T) {
	t.Parallel()
	b := setup(t, "connect")
	ctx := context.Background()
	token, err := b.Exchange(ctx, provider.CodeExchange{Code: "code-1#_=_",
		RedirectURL: "https://crier.test/oauth/facebook/callback"})
	if err != nil || token.Access != "long-1" || !slices.Equal(token.Scopes,
		[]string{"pages_show_list", "pages_manage_posts"}) {
		t.Fatalf("Exchange = %+v, %v", token, err)
	}
	accounts, err := b.Accounts(ctx, token)
	if err != nil {
		t.Fatalf("Accounts: %v", err)
	}
	want := []provider.ConnectedAccount{{
		ProviderAccountID: "1755", DisplayName: "Cafe", Handle: "cafe", ImageURL: "https://cdn.facebook.test/p.jpg",
		SubType: "page",
		Details: json.RawMessage(`{"pageId":"1755","category":"Cafe","tasks":["CREATE_CONTENT","MODERATE"]}`),
		Token: provider.Token{Access: "page-1", Scopes: token.Scopes,
			Extra: map[string]provider.Secret{"user": "long-1"}},
	}, {
		ProviderAccountID: "1757", DisplayName: "Bar", SubType: "page",
		Details: json.RawMessage(`{"pageId":"1757","tasks":["MANAGE"]}`),
		Token: provider.Token{Access: "page-3", Scopes: token.Scopes,
			Extra: map[string]provider.Secret{"user": "long-1"}},
	}}
	if diff := cmp.Diff(want, accounts); diff != "" {
		t.Errorf("accounts (-want +got):\n%s", diff)
	}
	if profile, err := b.Profile(ctx, b.account); err != nil || profile.DisplayName != "Cafe & Bar" {
		t.Errorf("Profile = %+v, %v", profile, err)
	}
}

func TestConsentURLHasTheScopes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got, err := b.ConsentURL(provider.ConsentRequest{RedirectURL: "https://app.example/cb", State: "S"})
	want := "https://www.facebook.com/v25.0/dialog/oauth?client_id=client-1&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=S&response_type=code" +
		"&scope=pages_show_list%2Cpages_manage_posts%2Cpages_read_engagement%2Cpages_manage_engagement%2Cpages_read_user_content%2Cread_insights%2Cbusiness_management"
	if err != nil || got != want {
		t.Errorf("ConsentURL = %q, %v; want %q", got, err, want)
	}
}

func TestDeletingTwiceIsNoError(t *testing.T) {
	t.Parallel()
	b := setup(t, "delete")
	for _, want := range []provider.Deletion{provider.Deleted, provider.AlreadyGone} {
		if got, err := b.Delete(context.Background(), b.account, "1755_1"); err != nil || got != want {
			t.Errorf("Delete = %q, %v; want %q", got, err, want)
		}
	}
}

func TestMissingMetricsAreNull(t *testing.T) {
	t.Parallel()
	b := setup(t, "metrics")
	ctx := context.Background()
	n := func(v int64) *int64 { return &v }
	for id, want := range map[string]provider.Metrics{"1755_1": {Likes: n(5), Comments: n(1), Shares: n(0),
		Reach: n(13), Clicks: n(3)}} {
		got, err := b.PostMetrics(ctx, b.account, []string{id})
		if err != nil {
			t.Fatalf("PostMetrics: %v", err)
		}
		if diff := cmp.Diff(want, got[id]); diff != "" {
			t.Errorf("metrics of %s (-want +got):\n%s", id, diff)
		}
	}
	got, err := b.PostMetrics(ctx, b.account, []string{"901"})
	if err != nil || *got["901"].Likes != 2 || *got["901"].Shares != 4 || got["901"].Reach != nil ||
		*got["901"].Views != 89 || got["901"].Extra["averageWatchMillis"] != 3100 {
		t.Errorf("metrics of a video = %+v, %v", got, err)
	}
	got, err = b.PostMetrics(ctx, b.account, []string{"7001"})
	if err != nil || *got["7001"].Views != 40 || got["7001"].Likes != nil {
		t.Errorf("metrics of a story = %+v, %v", got, err)
	}
	account, err := b.AccountMetrics(ctx, b.account, b.clock.Now().Add(-24*time.Hour), b.clock.Now())
	if err != nil || *account.Followers != 120 || *account.Impressions != 30 || *account.Engagements != 5 ||
		*account.Reach != 9 {
		t.Errorf("AccountMetrics = %+v, %v", account, err)
	}
}

func reconcile(t *testing.T, b bundle, c provider.Content, st provider.State, started time.Time) (provider.Outcome,
	provider.State) {
	t.Helper()
	outcome, st, err := b.Reconcile(context.Background(), b.account, c, providertest.Reload(t, st),
		provider.Attempt{StartedAt: started})
	if err != nil {
		t.Fatalf("Reconcile: %v", err)
	}
	return outcome, st
}

func TestLostPostIsFoundByItsTextOrItsPhotos(t *testing.T) {
	t.Parallel()
	for golden, c := range map[string]provider.Content{
		"reconcile-text": post("Hello"), "reconcile-photo": post("", image("a.jpg", "")),
		"reconcile-story": withSettings(post("", image("a.jpg", "")), `{"facebookPostType":"story"}`),
		"reconcile-reel":  withSettings(post("A reel", video()), `{"facebookPostType":"reel"}`),
	} {
		t.Run(golden, func(t *testing.T) {
			t.Parallel()
			b := setup(t, golden)
			started := b.clock.Now()
			st, err := b.drive(t, c)
			if provider.AsError(err).Kind != provider.OutcomeUnknown {
				t.Fatalf("publish error = %v, want an unknown outcome", err)
			}
			outcome, st := reconcile(t, b, c, st, started)
			if outcome != provider.OutcomeAbsent && outcome != provider.OutcomePending {
				t.Fatalf("first read: %q, want it pending", outcome)
			}
			outcome, st = reconcile(t, b, c, st, started)
			if outcome != provider.OutcomePublished || !st.Done || st.PlatformPostID == "" {
				t.Errorf("second read: %q, state %+v; want it found", outcome, st)
			}
		})
	}
}

func TestDuplicateAfterALostAttemptResolvesIt(t *testing.T) {
	t.Parallel()
	b := setup(t, "reconcile-duplicate")
	c, started := post("Hello"), b.clock.Now()
	st, err := b.drive(t, c)
	if provider.AsError(err).Kind != provider.OutcomeUnknown {
		t.Fatalf("publish error = %v, want an unknown outcome", err)
	}
	outcome, st := reconcile(t, b, c, st, started)
	if outcome != provider.OutcomeAbsent {
		t.Fatalf("first read: %q", outcome)
	}
	st, err = providertest.Drive(t, b, b.account, c, st, b.clock)
	if provider.AsError(err).Kind != provider.OutcomeUnknown {
		t.Fatalf("duplicate = %v, want an unknown outcome", err)
	}
	if outcome, _ = reconcile(t, b, c, st, started); outcome != provider.OutcomeUnclear {
		t.Errorf("second read: %q, want it unclear", outcome)
	}
}

func TestLostCommentIsFoundUnderThePost(t *testing.T) {
	t.Parallel()
	b := setup(t, "reconcile-comment")
	for _, want := range []provider.Outcome{provider.OutcomeAbsent, provider.OutcomePublished} {
		if outcome, _ := reconcile(t, b, comment("First!"), provider.State{}, b.clock.Now()); outcome != want {
			t.Errorf("outcome %q, want %q", outcome, want)
		}
	}
}

func withSettings(c provider.Content, settings string) provider.Content {
	return providertest.WithSettings(c, settings)
}
