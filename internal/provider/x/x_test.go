package x

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
		Quotes:      true,
	}.WithBase(base))
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return bundle{Provider: p, clock: clock, account: provider.Account{
		ProviderAccountID: "2244994945",
		Handle:            "XDevelopers",
		Scopes:            []string{"tweet.read", "tweet.write", "users.read", "media.write", "offline.access"},
		Token:             provider.Token{Access: "access-1", Refresh: "refresh-1"},
	}}
}

func (b bundle) drive(t *testing.T, c provider.Content) (provider.State, error) {
	t.Helper()
	return providertest.Drive(t, b, b.account, c, provider.State{}, b.clock)
}

func text(parts ...string) provider.Content {
	c := provider.Content{Action: provider.Post, PostType: "text_post"}
	for _, p := range parts {
		c.Parts = append(c.Parts, provider.Part{Text: p})
	}
	return c
}

func image(fileName, mimeType, content, altText string) provider.Media {
	m := providertest.NewMedia(fileName, mimeType, []byte(content))
	m.AltText = altText
	return m
}

func video() provider.Media {
	content := make([]byte, 1<<20+10)
	for i := range content {
		content[i] = byte(i % 251)
	}
	return providertest.NewMedia("v.mp4", "video/mp4", content)
}

func target(id string) provider.Target { return provider.Target{PlatformPostID: id} }

func TestWireFormatOfEveryPostKind(t *testing.T) {
	t.Parallel()
	post := target("1445880548472328192")
	for _, tc := range []struct {
		golden  string
		content provider.Content
		ids     []string
	}{
		{"text", text("Hello <world> & more"), []string{"1445880548472328192"}},
		{"images", withSettings(provider.Content{Action: provider.Post, Parts: []provider.Part{{Text: "Two photos",
			Media: []provider.Media{
				image("a.jpg", "image/jpeg", "first image", "A dancing cat"),
				image("b.png", "image/png", "second image", ""),
			}}}}, `{"xTaggedUserIds":["2244994945"]}`), []string{"1445880548472328193"}},
		{"video", withSettings(provider.Content{Action: provider.Post, Parts: []provider.Part{{Text: "A video",
			Media: []provider.Media{video()}}}},
			`{"xMadeWithAi":true}`), []string{"1445880548472328195"}},
		{"thread", withSettings(text("1/3", "2/3", "3/3"), `{"xReplySettings":"following"}`),
			[]string{"1445880548472328201", "1445880548472328202", "1445880548472328203"}},
		{"settings", withSettings(text("Vote"), `{"xReplySettings":"mentionedUsers","xCommunityId":"1493446837214187523",
			"xShareWithFollowers":true,"xMadeWithAi":true,"xPaidPartnership":true,"xSuperFollowersOnly":true,
			"xPoll":{"options":["Red","Blue"],"durationMinutes":1440},"xReplyToPostId":"1445880548472328192",
			"xExcludeReplyUserIds":["12","34"],"xPlaceId":"5a110d312052166f"}`), []string{"1445880548472328204"}},
		{"quote", withSettings(text("Look"), `{"xQuotePostId":"1445880548472328192","xReplySettings":"everyone"}`),
			[]string{"1445880548472328205"}},
		{"quote", provider.Content{Action: provider.Quote, Target: post, Parts: []provider.Part{{Text: "Look"}}},
			[]string{"1445880548472328205"}},
		{"comment", provider.Content{Action: provider.Comment, Target: post, Parts: []provider.Part{{Text: "First!"}}},
			[]string{"1445880548472328206"}},
		{"repost", provider.Content{Action: provider.Repost, Target: post}, []string{"1445880548472328207"}},
		{"link", provider.Content{Action: provider.Post,
			Parts: []provider.Part{{Text: "Read this", Links: []provider.Link{{URL: "https://crier.dev/a"}}}}},
			[]string{"1445880548472328208"}},
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
			var ids []string
			for _, p := range st.Published {
				ids = append(ids, p.PlatformPostID)
			}
			if !slices.Equal(ids, tc.ids) || st.PlatformPostID != tc.ids[0] || !st.Done || len(st.Warnings) > 0 {
				t.Errorf("published %v, want %v; state %+v", ids, tc.ids, st)
			}
			if want := "/XDevelopers/status/" + tc.ids[0]; !strings.HasSuffix(st.Published[0].Permalink, want) {
				t.Errorf("permalink %q does not end in %q", st.Published[0].Permalink, want)
			}
		})
	}
}

func TestFailedAltTextIsAWarning(t *testing.T) {
	t.Parallel()
	b := setup(t, "alttext-fails")
	c := withSettings(provider.Content{Action: provider.Post, Parts: []provider.Part{{Media: []provider.Media{
		image("a.jpg", "image/jpeg", "first image", "A dancing cat"),
	}}}}, `{"xSensitiveMedia":{"graphicViolence":true}}`)
	st, err := b.drive(t, c)
	if err != nil || !st.Done || len(st.Warnings) != 1 {
		t.Errorf("state %+v, error %v; want a published post with one warning", st, err)
	}
}

func TestReadyStateIsKeptUntilItsMediaExpires(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := provider.Content{Action: provider.Post,
		Parts: []provider.Part{{Media: []provider.Media{image("a.jpg", "image/jpeg", "x", "")}}}}
	ready := provider.State{Ready: true, Uploads: []provider.Upload{
		{ID: "1", Step: stepReady, ExpiresAt: b.clock.Now().Add(time.Hour)},
	}}
	st, err := b.Prepare(context.Background(), b.account, c, ready)
	if err != nil || !st.Ready {
		t.Errorf("Prepare = %+v, %v; want it still ready", st, err)
	}
	b.clock.Advance(58 * time.Minute)
	forgetExpired(&ready, b.clock.Now())
	if ready.Uploads[0].ID != "" || ready.Uploads[0].Step != stepNew {
		t.Errorf("upload %+v; want it forgotten", ready.Uploads[0])
	}
}

func TestConnectingRefreshingAndRevoking(t *testing.T) {
	t.Parallel()
	b := setup(t, "connect")
	ctx := context.Background()
	token, err := b.Exchange(ctx, provider.CodeExchange{Code: "code-1", Verifier: "verifier-1",
		RedirectURL: "https://crier.test/oauth/x/callback"})
	if err != nil {
		t.Fatalf("Exchange: %v", err)
	}
	if token.Refresh != "refresh-1" || !token.ExpiresAt.Equal(b.clock.Now().Add(2*time.Hour)) ||
		len(token.Scopes) != 5 {
		t.Errorf("token %+v", token)
	}
	accounts, err := b.Accounts(ctx, token)
	if err != nil {
		t.Fatalf("Accounts: %v", err)
	}
	want := []provider.ConnectedAccount{{
		ProviderAccountID: "2244994945", DisplayName: "Dev", Handle: "XDevelopers",
		ImageURL: "https://pbs.twimg.com/profile_images/1/a.jpg",
		Details:  json.RawMessage(`{"subscriptionType":"Premium","verifiedType":"blue"}`),
		Token:    token,
	}}
	if diff := cmp.Diff(want, accounts); diff != "" {
		t.Errorf("accounts (-want +got):\n%s", diff)
	}
	renewed, err := b.Refresh(ctx, provider.Account{Token: token})
	if err != nil || renewed.Access != "access-2" || renewed.Refresh != "refresh-2" {
		t.Errorf("Refresh = %+v, %v", renewed, err)
	}
	if err := b.Revoke(ctx, provider.Account{Token: token}); err != nil {
		t.Errorf("Revoke: %v", err)
	}
}

func TestSpentRefreshTokenNeedsReconnecting(t *testing.T) {
	t.Parallel()
	b := setup(t, "connect-public")
	b.tokens.Credentials.ClientSecret = ""
	_, err := b.Refresh(context.Background(), b.account)
	failure := provider.AsError(err)
	if failure == nil || failure.Kind != provider.AuthExpired || failure.Code != provider.CodeAuthExpired {
		t.Errorf("Refresh error = %v, want auth expired", err)
	}
}

func TestConsentURLHasScopesAndChallenge(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got, err := b.ConsentURL(provider.ConsentRequest{RedirectURL: "https://app.example/cb", State: "S",
		Verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"})
	want := "https://x.com/i/oauth2/authorize?response_type=code&client_id=client-1&redirect_uri=https%3A%2F%2Fapp.example%2Fcb" +
		"&scope=tweet.read%20tweet.write%20users.read%20media.write%20offline.access&state=S" +
		"&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"
	if err != nil || got != want {
		t.Errorf("ConsentURL = %q, %v; want %q", got, err, want)
	}
}

func TestDeletingTwiceIsNoError(t *testing.T) {
	t.Parallel()
	b := setup(t, "delete")
	for _, want := range []provider.Deletion{provider.Deleted, provider.AlreadyGone} {
		got, err := b.Delete(context.Background(), b.account, "1445880548472328192")
		if err != nil || got != want {
			t.Errorf("Delete = %q, %v; want %q", got, err, want)
		}
	}
}

func TestMetricsDistinguishUnknownFromZero(t *testing.T) {
	t.Parallel()
	b := setup(t, "metrics")
	ctx := context.Background()
	old, err := b.PostMetrics(ctx, b.account, []string{"1445880548472328192"})
	if err != nil {
		t.Fatalf("PostMetrics: %v", err)
	}
	m := old["1445880548472328192"]
	if *m.Shares != 1 || *m.Comments != 2 || *m.Likes != 3 || *m.Quotes != 0 || *m.Saves != 5 ||
		*m.Impressions != 600 || m.Clicks != nil {
		t.Errorf("metrics of the old post: %+v", m)
	}
	young := fmt.Sprint((b.clock.Now().Add(-24*time.Hour).UnixMilli() - snowflakeEpoch) << 22)
	gone := fmt.Sprint((b.clock.Now().Add(-24*time.Hour).UnixMilli()-snowflakeEpoch)<<22 + 1)
	recent, err := b.PostMetrics(ctx, b.account, []string{young, gone})
	if err != nil || len(recent) != 1 || *recent[young].Shares != 7 || *recent[young].Clicks != 4 ||
		recent[young].Extra["engagements"] != 9 {
		t.Errorf("metrics of the new post: %+v, %v", recent, err)
	}
	account, err := b.AccountMetrics(ctx, b.account, time.Time{}, time.Time{})
	if err != nil || *account.Followers != 100 || *account.Posts != 3 {
		t.Errorf("AccountMetrics = %+v, %v", account, err)
	}
}

func TestLostAnswerIsFoundOnTheTimeline(t *testing.T) {
	t.Parallel()
	b := setup(t, "reconcile-found")
	c := text("Tom & Ada: see crier.dev/a")
	started := b.clock.Now()
	st, err := b.drive(t, c)
	if provider.AsError(err).Kind != provider.OutcomeUnknown {
		t.Fatalf("Commit error = %v, want an unknown outcome", err)
	}
	outcome, st, err := b.Reconcile(context.Background(), b.account, c, st, provider.Attempt{StartedAt: started})
	if err != nil || outcome != provider.OutcomePublished || !st.Done || st.PlatformPostID == "" {
		t.Errorf("Reconcile = %q, %+v, %v; want it published", outcome, st, err)
	}
}

// A comment is identified by its text and its parent, on any page of the timeline.
func TestLostCommentIsFoundOnALaterPage(t *testing.T) {
	t.Parallel()
	b := setup(t, "reconcile-comment")
	ctx, at := context.Background(), provider.Attempt{StartedAt: b.clock.Now()}
	c := provider.Content{Action: provider.Comment, Target: provider.Target{PlatformPostID: "1445880548472328192"},
		Parts: []provider.Part{{Text: "First!"}}}
	st, err := b.drive(t, c)
	if provider.AsError(err).Kind != provider.OutcomeUnknown {
		t.Fatalf("Commit error = %v, want an unknown outcome", err)
	}
	outcome, st, err := b.Reconcile(ctx, b.account, c, st, at)
	if err != nil || outcome != provider.OutcomePending {
		t.Fatalf("Reconcile = %q, %v; want the next page read", outcome, err)
	}
	outcome, st, err = b.Reconcile(ctx, b.account, c, providertest.Reload(t, st), at)
	if err != nil || outcome != provider.OutcomePublished || st.PlatformPostID != "2121573860766646274" {
		t.Errorf("second Reconcile = %q, %+v, %v; want it published", outcome, st, err)
	}
}

func TestDuplicateAfterAnUnknownAttemptIsNotAFailure(t *testing.T) {
	t.Parallel()
	b := setup(t, "reconcile-duplicate")
	ctx := context.Background()
	c := text("Hello")
	started := b.clock.Now()
	st, err := b.drive(t, c)
	if provider.AsError(err).Kind != provider.OutcomeUnknown {
		t.Fatalf("Commit error = %v, want an unknown outcome", err)
	}
	outcome, st, err := b.Reconcile(ctx, b.account, c, st, provider.Attempt{StartedAt: started})
	if err != nil || outcome != provider.OutcomeAbsent {
		t.Fatalf("Reconcile = %q, %v; want it absent", outcome, err)
	}
	b.clock.Advance(time.Minute)
	st, err = b.Commit(ctx, b.account, c, st)
	if provider.AsError(err).Kind != provider.OutcomeUnknown {
		t.Fatalf("second Commit error = %v, want an unknown outcome", err)
	}
	outcome, _, err = b.Reconcile(ctx, b.account, c, st, provider.Attempt{StartedAt: b.clock.Now()})
	if err != nil || outcome != provider.OutcomeUnclear {
		t.Errorf("second Reconcile = %q, %v; want it unclear", outcome, err)
	}
}

func TestCostsFollowTheRateCard(t *testing.T) {
	t.Parallel()
	b := setup(t)
	withAlt := provider.Part{Text: "see crier.dev",
		Media: []provider.Media{image("a", "image/jpeg", "", "alt"), image("b", "image/jpeg", "", "")}}
	for _, tc := range []struct {
		name    string
		content provider.Content
		want    []int64
	}{
		{"text", text("Hello"), []int64{15}},
		{"thread with a bare domain", text("Hello", "see crier.dev"), []int64{15, 200}},
		{"URL and one alt text", provider.Content{Parts: []provider.Part{withAlt}}, []int64{205}},
		{"content warnings", withSettings(provider.Content{Parts: []provider.Part{withAlt}},
			`{"xSensitiveMedia":{"other":true}}`), []int64{210}},
		{"link attachment", provider.Content{Parts: []provider.Part{{Text: "a",
			Links: []provider.Link{{URL: "https://crier.dev"}}}}}, []int64{200}},
		{"repost", provider.Content{Action: provider.Repost}, []int64{15}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := b.Cost(tc.content); !slices.Equal(got, tc.want) {
				t.Errorf("Cost = %v, want %v", got, tc.want)
			}
		})
	}
	for key, want := range map[string]int64{provider.CostPostRead: 5, provider.CostDelete: 10,
		provider.CostAccountMetrics: 10} {
		if got := b.Info().Cost(key); got != want {
			t.Errorf("%s costs %d, want %d", key, got, want)
		}
	}
}

func TestConfiguredCostsReplaceTheUsualOnes(t *testing.T) {
	t.Parallel()
	clock := providertest.NewClock()
	config := Config{Caller: providertest.NewCaller(clock), Now: clock.Now, Costs: map[string]int64{costPost: 0}}
	p, err := New(config)
	if err != nil || p.Cost(text("Hello"))[0] != 0 {
		t.Errorf("New with a cost of 0: %v", err)
	}
	config.Costs = map[string]int64{"tweet": 1}
	if _, err := New(config); err == nil {
		t.Error("New accepted an unknown cost")
	}
	if _, err := New(Config{}); err == nil {
		t.Error("New accepted a configuration without caller and clock")
	}
}

func TestDeclarationIsRegistered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if _, err := provider.NewRegistry(b.Provider); err != nil {
		t.Errorf("NewRegistry: %v", err)
	}
}

func TestErrorsAndExchangesHideSecrets(t *testing.T) {
	t.Parallel()
	b := setup(t, "connect-public", "text")
	b.tokens.Credentials.ClientSecret = ""
	var seen []provider.Exchange
	ctx := provider.WithExchanges(context.Background(), func(e provider.Exchange) { seen = append(seen, e) })
	_, err := b.Refresh(ctx, b.account)
	if _, commitErr := b.Commit(ctx, b.account, text("Hello <world> & more"),
		provider.State{Ready: true}); commitErr != nil {
		t.Fatalf("Commit: %v", commitErr)
	}
	shown := fmt.Sprintf("%v %+v %v %#v", err, seen, b.account, b.account)
	for _, secret := range []string{"access-1", "refresh-1"} {
		if strings.Contains(shown, secret) {
			t.Errorf("%s appears in %s", secret, shown)
		}
	}
	if len(seen) != 2 || seen[1].Status != 201 || !strings.Contains(seen[1].RequestBody, "Hello <world>") {
		t.Errorf("exchanges %+v; want both, with their bodies", seen)
	}
}

func TestErrorsAreProviderErrors(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.Refresh(context.Background(), provider.Account{})
	if _, ok := errors.AsType[*provider.Error](err); !ok {
		t.Errorf("Refresh without a token: %v", err)
	}
}

func withSettings(c provider.Content, settings string) provider.Content {
	return providertest.WithSettings(c, settings)
}
