package instagram

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
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
	return setupMode(t, InstagramLogin, golden...)
}

func setupMode(t *testing.T, mode Mode, golden ...string) bundle {
	t.Helper()
	clock, base := providertest.NewReplayed(t, golden...)
	p, err := New(Config{
		Credentials: providertest.Credentials(),
		Mode:        mode,
		Caller:      providertest.NewCaller(clock),
		Now:         clock.Now,
	}.WithBase(base))
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return bundle{Provider: p, clock: clock, account: provider.Account{
		ProviderAccountID: "17841400000000001",
		Handle:            "crier",
		Scopes:            provider.ScopeNames(p.info.Scopes),
		Token:             provider.Token{Access: "access-1", Scopes: provider.ScopeNames(p.info.Scopes)},
	}}
}

func (b bundle) drive(t *testing.T, c provider.Content) (provider.State, error) {
	t.Helper()
	return providertest.Drive(t, b, b.account, c, provider.State{}, b.clock)
}

func post(text string, media ...provider.Media) provider.Content {
	return provider.Content{Action: provider.Post, Parts: []provider.Part{{Text: text, Media: media}}}
}

func comment(text string) provider.Content {
	return provider.Content{Action: provider.Comment, Target: target, Parts: []provider.Part{{Text: text}}}
}

func image(fileName, altText string) provider.Media {
	m := providertest.NewMedia(fileName, "image/jpeg", []byte("an image"))
	m.AltText = altText
	return m
}

func video() provider.Media { return providertest.NewMedia("v.mp4", "video/mp4", []byte("a video")) }

const permalink = "https://www.instagram.com/p/A/"

var (
	target = provider.Target{PlatformPostID: "18000000000000001", Permalink: permalink}
	cover  = crier.ID("01890a5d-ac96-774b-bcce-b302099a8057")
)

func TestWireFormatOfEveryPostKind(t *testing.T) {
	t.Parallel()
	covered := withSettings(post("A reel", video()), `{"instagramShareToFeed":false,"instagramCoverMediaId":"`+string(cover)+`",
		"instagramThumbOffsetMs":1500,"instagramAudioName":"Song","instagramCollaborators":["ann","bob"],`+
		`"instagramUserTags":[{"username":"eve","x":0.5,"y":0.5}],
		"instagramLocationId":"77","instagramTrialReel":{"enabled":true},"instagramIsAiGenerated":true,"instagramCommentsEnabled":false}`)
	covered.Assets = map[crier.ID]provider.Media{cover: image("cover.jpg", "")}
	for _, tc := range []struct {
		golden  string
		content provider.Content
		id      string
	}{
		{"image", withSettings(post("A cat", image("a.jpg", "A dancing cat")),
			`{"instagramUserTags":[{"username":"ann","x":0.5,"y":0.8}]}`), "18000000000000001"},
		{"carousel", withSettings(post("Both", image("a.jpg", "A cat"), video()),
			`{"instagramUserTags":[{"username":"bob","mediaIndex":1}],"instagramLocationId":"77"}`),
			"18000000000000002"},
		{"reel", post("A reel", video()), "18000000000000003"},
		{"reel-settings", covered, "18000000000000004"},
		{"story-image", withSettings(post("", image("a.jpg", "")), `{"instagramPostType":"story"}`),
			"18000000000000005"},
		{"story-video", withSettings(post("", video()), `{"instagramPostType":"story"}`), "18000000000000006"},
		{"comment", comment("First!"), "18000000000000007"},
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
			if st.PlatformPostID != tc.id || !st.Done || len(st.Warnings) > 0 ||
				st.Published[0].Permalink != permalink {
				t.Errorf("state %+v, want %s published", st, tc.id)
			}
		})
	}
}

func TestFacebookLoginAddsLicensedAudioAndDeletion(t *testing.T) {
	t.Parallel()
	b := setupMode(t, FacebookLogin, "audio", "delete")
	c := withSettings(post("A reel", video()),
		`{"instagramAudio":{"id":"song-1","audioVolume":80,"videoVolume":20},"instagramThumbOffsetMs":1500}`)
	if found := b.Check(b.account, c); !found.OK() {
		t.Fatalf("Check: %v", found.Issues)
	}
	st, err := b.drive(t, c)
	if err != nil || st.PlatformPostID != "18000000000000001" {
		t.Fatalf("publish: %+v, %v", st, err)
	}
	for _, want := range []provider.Deletion{provider.Deleted, provider.AlreadyGone} {
		if got, err := b.Delete(context.Background(), b.account, "18000000000000001"); err != nil || got != want {
			t.Errorf("Delete = %q, %v; want %q", got, err, want)
		}
	}
	other := setup(t)
	if found := other.Check(other.account, c); found.OK() {
		t.Error("licensed audio passed without Facebook Login")
	}
	if _, err := other.Delete(context.Background(), other.account,
		"1"); provider.AsError(err).Kind != provider.Rejected {
		t.Errorf("Delete without Facebook Login = %v, want a refusal", err)
	}
	if other.InfoFor(other.account).Abilities.Delete || !b.InfoFor(b.account).Abilities.Delete ||
		b.InfoFor(b.account).Abilities.Refresh {
		t.Error("abilities do not depend on the login")
	}
}

func TestExhaustedQuotaPreventsContainers(t *testing.T) {
	t.Parallel()
	b := setup(t, "quota")
	st, err := b.Prepare(context.Background(), b.account, post("x", image("a.jpg", "")), provider.State{})
	failure := provider.AsError(err)
	if failure == nil || failure.Kind != provider.RateLimited || failure.Code != provider.CodeQuotaExhausted ||
		failure.Scope != provider.ScopeAccount || st.Ready {
		t.Errorf("failure %+v, want a used up quota of the account", failure)
	}
}

func TestCommentsThatCannotBeClosedAreAWarning(t *testing.T) {
	t.Parallel()
	b := setup(t, "close-fails")
	st, err := b.drive(t, withSettings(post("x", image("a.jpg", "")), `{"instagramCommentsEnabled":false}`))
	if err != nil || !st.Done || len(st.Warnings) != 1 || st.Published[0].Permalink != permalink {
		t.Errorf("state %+v, error %v; want a published post with one warning", st, err)
	}
}

func TestEarlyPublishIsRetried(t *testing.T) {
	t.Parallel()
	b := setup(t, "not-ready")
	c := post("x", image("a.jpg", ""))
	st, err := b.drive(t, c)
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.Temporary || st.Ready {
		t.Fatalf("failure %v, state %+v; want the container polled again", err, st)
	}
	st, err = providertest.Drive(t, b, b.account, c, st, b.clock)
	if err != nil || st.PlatformPostID != "18000000000000001" {
		t.Errorf("second attempt: %+v, %v", st, err)
	}
}

func TestConnectingAndRefreshing(t *testing.T) {
	t.Parallel()
	b := setup(t, "connect")
	ctx := context.Background()
	token, err := b.Exchange(ctx, provider.CodeExchange{Code: "code-1#_",
		RedirectURL: "https://crier.test/oauth/instagram/callback"})
	if err != nil {
		t.Fatalf("Exchange: %v", err)
	}
	if token.Access != "long-1" || !token.ExpiresAt.Equal(b.clock.Now().Add(5183944*time.Second)) ||
		!slices.Equal(token.Scopes, []string{"instagram_business_basic", "instagram_business_content_publish"}) {
		t.Errorf("token %+v", token)
	}
	accounts, err := b.Accounts(ctx, token)
	if err != nil {
		t.Fatalf("Accounts: %v", err)
	}
	want := []provider.ConnectedAccount{{
		ProviderAccountID: "17841400000000001", DisplayName: "Crier", Handle: "crier",
		ImageURL: "https://cdn.instagram.test/p.jpg", SubType: "creator",
		Details: json.RawMessage(`{"authMode":"instagram_login","accountType":"MEDIA_CREATOR"}`), Token: token,
	}}
	if diff := cmp.Diff(want, accounts); diff != "" {
		t.Errorf("accounts (-want +got):\n%s", diff)
	}
	renewed, err := b.Refresh(ctx, provider.Account{Token: token})
	if err != nil || renewed.Access != "long-2" || len(renewed.Scopes) != 2 {
		t.Errorf("Refresh = %+v, %v", renewed, err)
	}
}

func TestConsentReturnsAccountsOfAllPages(t *testing.T) {
	t.Parallel()
	b := setupMode(t, FacebookLogin, "connect-pages")
	ctx := context.Background()
	token, err := b.Exchange(ctx, provider.CodeExchange{Code: "code-1",
		RedirectURL: "https://crier.test/oauth/instagram/callback"})
	if err != nil || !slices.Equal(token.Scopes, []string{"instagram_basic", "instagram_content_publish"}) {
		t.Fatalf("Exchange = %+v, %v", token, err)
	}
	accounts, err := b.Accounts(ctx, token)
	if err != nil || len(accounts) != 2 {
		t.Fatalf("Accounts = %+v, %v; want the two with a role and an Instagram account", accounts, err)
	}
	first := accounts[0]
	if first.ProviderAccountID != "17841400000000001" || first.Token.Access != "page-token-1" ||
		!first.Token.ExpiresAt.IsZero() || first.Token.Extra["user"] != "long-1" {
		t.Errorf("account %+v; want the token of its Page, without an expiry", first)
	}
	if !strings.Contains(string(first.Details), `"pageId":"11"`) || accounts[1].Handle != "other" {
		t.Errorf("accounts %+v", accounts)
	}
	if _, err := b.Refresh(ctx, provider.Account{Details: first.Details,
		Token: first.Token}); provider.AsError(err).Kind != provider.AuthExpired {
		t.Errorf("Refresh = %v, want auth expired", err)
	}
}

func TestConsentURLsFollowTheMode(t *testing.T) {
	t.Parallel()
	for mode, want := range map[Mode]string{
		InstagramLogin: "https://www.instagram.com/oauth/authorize?client_id=client-1&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&response_type=code" +
			"&scope=instagram_business_basic%2Cinstagram_business_content_publish%2Cinstagram_business_manage_comments%2Cinstagram_business_manage_insights&state=S",
		FacebookLogin: "https://www.facebook.com/v25.0/dialog/oauth?client_id=client-1&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=S&response_type=code" +
			"&scope=instagram_basic%2Cpages_show_list%2Cpages_read_engagement%2Cinstagram_content_publish%2Cinstagram_manage_comments%2Cinstagram_manage_insights%2Cinstagram_manage_contents%2Cbusiness_management",
	} {
		b := setupMode(t, mode)
		got, err := b.ConsentURL(provider.ConsentRequest{RedirectURL: "https://app.example/cb", State: "S"})
		if err != nil || got != want {
			t.Errorf("%s: ConsentURL = %q, %v; want %q", mode, got, err, want)
		}
	}
}

func TestMissingMetricsAreNull(t *testing.T) {
	t.Parallel()
	b := setup(t, "metrics")
	ctx := context.Background()
	n := func(v int64) *int64 { return &v }
	want := []provider.Metrics{
		{Reach: n(13), Views: n(20), Likes: n(3), Comments: n(0), Saves: n(1), Shares: n(2),
			Extra: map[string]int64{"totalInteractions": 6}},
		{Reach: n(5), Views: n(6), Likes: n(3), Comments: n(1)},
		{Views: n(20), Likes: n(3), Comments: n(0),
			Extra: map[string]int64{"reposts": 2, "averageWatchMillis": 4200, "watchMillis": 84000}},
		{Likes: n(3), Comments: n(0)}, // a story that few people have seen
		{Likes: n(7), Comments: n(2)}, // a post that is too new for insights
		{Likes: n(3)},                 // a story whose day is over
	}
	for i, id := range []string{"18000000000000001", "18000000000000002", "18000000000000004", "18000000000000005",
		"18000000000000006", "18000000000000007"} {
		metrics, err := b.PostMetrics(ctx, b.account, []string{id})
		if err != nil {
			t.Fatalf("PostMetrics: %v", err)
		}
		if diff := cmp.Diff(want[i], metrics[id]); diff != "" {
			t.Errorf("metrics of %s (-want +got):\n%s", id, diff)
		}
	}
	few := b.account
	few.Scopes = []string{"instagram_business_basic"}
	metrics, err := b.PostMetrics(ctx, few, []string{"18000000000000003"})
	if err != nil || *metrics["18000000000000003"].Comments != 4 || metrics["18000000000000003"].Likes != nil {
		t.Errorf("PostMetrics without the permission = %+v, %v", metrics, err)
	}
	from := b.clock.Now().Add(-24 * time.Hour)
	account, err := b.AccountMetrics(ctx, b.account, from, b.clock.Now())
	if err != nil || *account.Followers != 120 || *account.Posts != 7 || *account.Impressions != 30 ||
		*account.Reach != 12 || *account.Engagements != 5 {
		t.Errorf("AccountMetrics = %+v, %v", account, err)
	}
}

func TestLostAnswerIsReconciledByContainer(t *testing.T) {
	t.Parallel()
	b := setup(t, "reconcile-found")
	ctx, c := context.Background(), post("Hello", image("a.jpg", ""))
	started := b.clock.Now()
	st, err := b.drive(t, c)
	if provider.AsError(err).Kind != provider.OutcomeUnknown {
		t.Fatalf("publish error = %v, want an unknown outcome", err)
	}
	var outcome provider.Outcome
	for range 2 {
		outcome, st, err = b.Reconcile(ctx, b.account, c, providertest.Reload(t, st),
			provider.Attempt{StartedAt: started})
		if err != nil {
			t.Fatalf("Reconcile: %v", err)
		}
	}
	if outcome != provider.OutcomePublished || st.PlatformPostID != "18000000000000001" || !st.Done ||
		st.RequiresPolling {
		t.Errorf("outcome %q, state %+v", outcome, st)
	}
}

func TestUnpublishedContainerIsPublishedAgain(t *testing.T) {
	t.Parallel()
	b := setup(t, "reconcile-absent")
	ctx, c := context.Background(), post("Hello", image("a.jpg", ""))
	started := b.clock.Now()
	st, err := b.drive(t, c)
	if provider.AsError(err).Kind != provider.OutcomeUnknown {
		t.Fatalf("publish error = %v, want an unknown outcome", err)
	}
	outcome, st, err := b.Reconcile(ctx, b.account, c, providertest.Reload(t, st), provider.Attempt{StartedAt: started})
	if err != nil || outcome != provider.OutcomeAbsent {
		t.Fatalf("Reconcile = %q, %v; want absent", outcome, err)
	}
	st, err = providertest.Drive(t, b, b.account, c, st, b.clock)
	if err != nil || st.PlatformPostID != "18000000000000001" {
		t.Errorf("second attempt: %+v, %v", st, err)
	}
}

func TestLostCommentIsFoundUnderThePost(t *testing.T) {
	t.Parallel()
	b := setup(t, "reconcile-comment")
	for _, want := range []provider.Outcome{provider.OutcomeAbsent, provider.OutcomePublished} {
		outcome, st, err := b.Reconcile(context.Background(), b.account, comment("First!"), provider.State{},
			provider.Attempt{StartedAt: b.clock.Now()})
		if err != nil || outcome != want {
			t.Errorf("Reconcile = %q, %v; want %q (state %+v)", outcome, err, want, st)
		}
	}
}

func withSettings(c provider.Content, settings string) provider.Content {
	return providertest.WithSettings(c, settings)
}
