package linkedin

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crier"
	"crier/internal/provider"
	"crier/internal/provider/providertest"
)

// bundle is a provider that runs against replayed exchanges, with an account of either kind.
type bundle struct {
	*Provider
	clock        *providertest.Clock
	member       provider.Account
	organization provider.Account
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
	token := provider.Token{Access: "access-1", Refresh: "refresh-1"}
	return bundle{
		Provider: p, clock: clock,
		member: provider.Account{ProviderAccountID: "urn:li:person:782bbtaQ",
			Scopes: []string{scopeOpenID, scopeProfile, scopeMemberWrite}, Token: token},
		organization: provider.Account{ProviderAccountID: "urn:li:organization:2414183",
			Scopes: []string{scopeOrgWrite, scopeOrgRead, scopeOrgFeed}, Token: token},
	}
}

func text(s string) provider.Content {
	return provider.Content{Action: provider.Post, PostType: "text_post", Parts: []provider.Part{{Text: s}}}
}

func withMedia(s string, media ...provider.Media) provider.Content {
	c := text(s)
	c.Parts[0].Media = media
	return c
}

func file(name, mimeType, content, altText string) provider.Media {
	m := providertest.NewMedia(name, mimeType, []byte(content))
	m.AltText = altText
	return m
}

const (
	share     = "urn:li:share:6844785523593134080"
	someAsset = crier.ID("0193a5b0-0000-7000-8000-000000000001")
)

func on(action provider.Action, s string) provider.Content {
	c := provider.Content{Action: action, Target: provider.Target{PlatformPostID: share}}
	if s != "" {
		c.Parts = []provider.Part{{Text: s}}
	}
	return c
}

func TestWireFormatOfEveryPostKind(t *testing.T) {
	t.Parallel()
	withThumbnail := withSettings(text("Read this"),
		`{"linkedinArticle":{"url":"https://crier.dev/a","title":"A title","description":"What it says","thumbnailMediaId":"`+string(someAsset)+`"}}`)
	withThumbnail.Assets = map[crier.ID]provider.Media{someAsset: file("t.jpg", "image/jpeg", "thumbnail", "")}
	links := text("Read this")
	links.Parts[0].Links = []provider.Link{{URL: "https://crier.dev/a"}, {URL: "https://crier.dev/b"}}
	for _, tc := range []struct {
		golden       string
		organization bool
		content      provider.Content
		id           string
	}{
		{"text", false, text("Hello (world) #launch"), share},
		{"image", false, withMedia("One photo", file("a.jpg", "image/jpeg", "first image", "A dancing cat")),
			"urn:li:ugcPost:6844785523593134081"},
		{"images", true, withMedia("Two photos", file("a.jpg", "image/jpeg", "first image", ""),
			file("b.png", "image/png", "second image", "A second cat")), "urn:li:ugcPost:6844785523593134082"},
		{"video", false, withSettings(withMedia("A video", file("v.mp4", "video/mp4", "0123456789abcdefghij", "")),
			`{"linkedinVideoTitle":"The title"}`), "urn:li:ugcPost:6844785523593134083"},
		{"document", false, withMedia("A deck", file("deck.pdf", "application/pdf", "%PDF", "")),
			"urn:li:ugcPost:6844785523593134084"},
		{"article", false, withThumbnail, share},
		{"link", false, links, share},
		{"poll", true, withSettings(text("Vote"), `{"linkedinPoll":{"question":"Which?","options":["Red","Blue"],"duration":"threeDays"},
			"linkedinVisibility":"loggedIn","linkedinFeedDistribution":"none","linkedinDisableReshare":true,
			"linkedinTargetEntities":[{"geoLocations":["urn:li:geo:103644278"],"industries":["urn:li:industry:3"]}],
			"linkedinLandingPageUrl":"https://crier.dev/l","linkedinCallToActionLabel":"LEARN_MORE"}`), "urn:li:ugcPost:6844785523593134085"},
		{"mention", false, withSettings(text("Thanks @Dev (Europe)! a_b #tag_1 C#"),
			`{"linkedinMentions":[{"urn":"urn:li:organization:2414183","name":"Dev (Europe)"}]}`), share},
		{"repost", false, on(provider.Repost, ""), "urn:li:share:6844785523593134090"},
		{"quote", false, on(provider.Quote, "So true"), "urn:li:share:6844785523593134091"},
		{"quote", false, withSettings(text("So true"), `{"linkedinReshareUrn":"`+share+`"}`),
			"urn:li:share:6844785523593134091"},
		{"close-comments", false, withSettings(text("Quiet"), `{"linkedinCommentsState":"closed"}`), share},
	} {
		t.Run(tc.golden, func(t *testing.T) {
			t.Parallel()
			b := setup(t, tc.golden)
			account := b.member
			if tc.organization {
				account = b.organization
			}
			st, err := providertest.Drive(t, b, account, tc.content, provider.State{}, b.clock)
			if err != nil {
				t.Fatalf("publish: %v", err)
			}
			if st.PlatformPostID != tc.id || !st.Done || len(st.Warnings) > 0 || len(st.Secrets) > 0 {
				t.Errorf("state %+v, want %s and no other state", st, tc.id)
			}
			if want := "/feed/update/" + tc.id + "/"; !strings.HasSuffix(st.Published[0].Permalink, want) {
				t.Errorf("permalink %q does not end in %q", st.Published[0].Permalink, want)
			}
		})
	}
}

func TestUploadsWithoutStatusGetADelay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := withMedia("a", file("a.jpg", "image/jpeg", "first image", ""))
	st := provider.State{Uploads: []provider.Upload{{ID: "urn:li:image:1", Step: stepReady}}}
	st.Note(noteSettled, b.clock.Now().Add(settleTime).Format(time.RFC3339Nano))
	st, err := b.Prepare(context.Background(), b.member, c, st)
	if err != nil || st.Ready || !st.NextPollAfter.Equal(b.clock.Now().Add(settleTime)) {
		t.Fatalf("Prepare = %+v, %v; want it polled again in %v", st, err, settleTime)
	}
	b.clock.Advance(settleTime)
	if st, err = b.Prepare(context.Background(), b.member, c, st); err != nil || !st.Ready ||
		!st.NextPollAfter.IsZero() {
		t.Errorf("Prepare = %+v, %v; want it ready", st, err)
	}
}

const wantedComment = "urn:li:comment:(urn:li:activity:6631349431612559360,6636062862760562688)"

func TestCommentsUseTheAvailableAPI(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		golden string
		scopes []string
	}{
		{"comment", []string{scopeMemberWrite, scopeMemberFeed}},
		{"comment", nil},
		{"comment-legacy", []string{scopeMemberWrite}},
	} {
		t.Run(tc.golden, func(t *testing.T) {
			t.Parallel()
			b := setup(t, tc.golden)
			b.member.Scopes = tc.scopes
			st, err := providertest.Drive(t, b, b.member, on(provider.Comment, "First!"), provider.State{}, b.clock)
			if err != nil || st.PlatformPostID != wantedComment {
				t.Errorf("state %+v, error %v; want comment %s", st, err, wantedComment)
			}
		})
	}
}

func TestCommentFallsBackToTheOldAPI(t *testing.T) {
	t.Parallel()
	b := setup(t, "comment-fallback")
	b.member.Scopes = []string{scopeMemberWrite, scopeMemberFeed}
	c := on(provider.Comment, "First!")
	st, err := providertest.Drive(t, b, b.member, c, provider.State{}, b.clock)
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.Temporary {
		t.Fatalf("first attempt: %v, want a temporary error", err)
	}
	st, err = providertest.Drive(t, b, b.member, c, st, b.clock)
	if err != nil || st.PlatformPostID != wantedComment {
		t.Errorf("second attempt: %+v, %v", st, err)
	}
}

func TestConsentReturnsAnAccountPerOrganization(t *testing.T) {
	t.Parallel()
	b := setup(t, "connect")
	ctx := context.Background()
	token, err := b.Exchange(ctx, provider.CodeExchange{Code: "code-1",
		RedirectURL: "https://crier.test/oauth/linkedin/callback"})
	if err != nil {
		t.Fatalf("Exchange: %v", err)
	}
	if !token.ExpiresAt.Equal(b.clock.Now().Add(60*24*time.Hour)) ||
		!token.RefreshExpiresAt.Equal(b.clock.Now().Add(365*24*time.Hour)) || len(token.Scopes) != 4 {
		t.Errorf("token %+v", token)
	}
	accounts, err := b.Accounts(ctx, token)
	if err != nil {
		t.Fatalf("Accounts: %v", err)
	}
	want := []provider.ConnectedAccount{
		{
			ProviderAccountID: "urn:li:person:782bbtaQ", DisplayName: "John Doe",
			ImageURL: "https://media.licdn.com/dms/image/1", SubType: "person",
			Details: json.RawMessage(`{"canRefresh":true}`), Token: token,
		},
		{
			ProviderAccountID: "urn:li:organization:2414183", DisplayName: "Acme", Handle: "acme",
			ImageURL: "https://media.licdn.test/logo.png",
			SubType:  "organization",
			Details:  json.RawMessage(`{"canRefresh":true,"role":"ADMINISTRATOR"}`), Token: token,
		},
	}
	if diff := cmp.Diff(want, accounts); diff != "" {
		t.Errorf("accounts (-want +got):\n%s", diff)
	}
	renewed, err := b.Refresh(ctx, provider.Account{Token: token})
	if err != nil || renewed.Access != "access-2" || renewed.Refresh != "refresh-1" ||
		!renewed.RefreshExpiresAt.Equal(b.clock.Now().Add(306*24*time.Hour)) {
		t.Errorf("Refresh = %+v, %v", renewed, err)
	}
	if err := b.Revoke(ctx, provider.Account{Token: token}); err != nil {
		t.Errorf("Revoke: %v", err)
	}
}

func TestAppWithoutOpenIDReadsTheOlderProfile(t *testing.T) {
	t.Parallel()
	b := setup(t, "connect-basic")
	account, err := b.Profile(context.Background(), provider.Account{
		ProviderAccountID: "urn:li:person:782bbtaQ", Scopes: []string{"r_basicprofile", scopeMemberWrite},
		Token: provider.Token{Access: "access-1"},
	})
	if err != nil || account.DisplayName != "John Doe" || account.Handle != "johndoe" ||
		account.ImageURL != "https://media.licdn.com/800" {
		t.Errorf("Profile = %+v, %v", account, err)
	}
}

func TestWithoutARefreshTokenReconnectIsNeeded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.Refresh(context.Background(), provider.Account{Token: provider.Token{Access: "access-1"}})
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.AuthExpired {
		t.Errorf("Refresh error = %v, want auth expired", err)
	}
}

func TestConsentURLRequestsTheAppsScopes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got, err := b.ConsentURL(provider.ConsentRequest{RedirectURL: "https://app.example/cb", State: "S"})
	want := "https://www.linkedin.com/oauth/v2/authorization?response_type=code&client_id=client-1&redirect_uri=https%3A%2F%2Fapp.example%2Fcb" +
		"&state=S&scope=openid%20profile%20w_member_social"
	if err != nil || got != want {
		t.Errorf("ConsentURL = %q, %v; want %q", got, err, want)
	}
	with, err := New(Config{App: OrganizationsApp, Credentials: b.tokens.Credentials, Caller: b.api.Caller, Now: b.now})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := with.ConsentURL(provider.ConsentRequest{}); !strings.Contains(got, "w_organization_social") ||
		strings.Contains(got, "_feed") {
		t.Errorf("ConsentURL = %q, want the scopes for organizations and no optional ones", got)
	}
	for _, wrong := range []Config{{App: "everybody"}, {OptionalScopes: []string{"r_member_social"}}} {
		wrong.Caller, wrong.Now = b.api.Caller, b.now
		if _, err := New(wrong); err == nil {
			t.Errorf("New accepted %+v", wrong)
		}
	}
}

func TestDeletingTwiceIsNoError(t *testing.T) {
	t.Parallel()
	b := setup(t, "delete")
	b.member.Scopes = append(b.member.Scopes, scopeMemberFeed)
	for _, tc := range []struct {
		id   string
		want provider.Deletion
	}{{share, provider.Deleted}, {share, provider.AlreadyGone}, {wantedComment, provider.Deleted}} {
		got, err := b.Delete(context.Background(), b.member, tc.id)
		if err != nil || got != tc.want {
			t.Errorf("Delete(%s) = %q, %v; want %q", tc.id, got, err, tc.want)
		}
	}
}

func TestMetricsOfOrganizationsAndMembers(t *testing.T) {
	t.Parallel()
	b := setup(t, "metrics-organization", "metrics-member")
	ctx := context.Background()
	got, err := b.PostMetrics(ctx, b.organization, []string{"urn:li:share:2", "urn:li:share:3", "urn:li:ugcPost:4"})
	if err != nil {
		t.Fatalf("PostMetrics: %v", err)
	}
	if m := got["urn:li:share:2"]; *m.Impressions != 14490 || *m.Reach != 327 || *m.Clicks != 109 || *m.Likes != 52 ||
		*m.Comments != 70 || *m.Shares != 0 || m.Saves != nil {
		t.Errorf("metrics %+v", m)
	}
	if *got["urn:li:share:3"].Impressions != 0 || *got["urn:li:ugcPost:4"].Likes != 1 {
		t.Errorf("a post without activity must have zeros: %+v", got)
	}
	member, err := b.PostMetrics(ctx, b.member, []string{"urn:li:share:2"})
	if err != nil {
		t.Fatalf("PostMetrics: %v", err)
	}
	if m := member["urn:li:share:2"]; *m.Impressions != 100 || *m.Reach != 90 || *m.Likes != 0 || *m.Saves != 3 ||
		m.Clicks != nil {
		t.Errorf("metrics %+v", m)
	}
}

func TestMemberLostAnswerIsReconciledByResending(t *testing.T) {
	t.Parallel()
	b := setup(t, "resend")
	c := text("Hello")
	strategy := b.Strategy(b.member, c, provider.State{})
	if strategy != (provider.Strategy{Method: provider.ByResending, NotBefore: 5 * time.Second,
		NotAfter: 8 * time.Minute}) {
		t.Errorf("strategy %+v", strategy)
	}
	st, err := providertest.Drive(t, b, b.member, c, provider.State{}, b.clock)
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.OutcomeUnknown {
		t.Fatalf("Commit error = %v, want an unknown outcome", err)
	}
	st, err = b.Resend(context.Background(), b.member, c, st)
	if err != nil || st.PlatformPostID != "urn:li:share:7295588489876647936" || !st.Done {
		t.Errorf("Resend = %+v, %v; want the existing post", st, err)
	}
}

func TestDuplicateOfAPostThatDoesNotExistIsUnknown(t *testing.T) {
	t.Parallel()
	b := setup(t, "resend-gone")
	c := text("Hello")
	st, err := providertest.Drive(t, b, b.member, c, provider.State{}, b.clock)
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.OutcomeUnknown {
		t.Fatalf("Commit error = %v, want an unknown outcome", err)
	}
	st, err = b.Resend(context.Background(), b.member, c, st)
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.OutcomeUnknown ||
		len(st.Published) > 0 {
		t.Errorf("Resend = %+v, %v; want the outcome to stay unknown", st, err)
	}
}

func TestOrganizationLostAnswerIsReconciledByReading(t *testing.T) {
	t.Parallel()
	b := setup(t, "reconcile-organization")
	c := text("Hello #launch (now)")
	started := b.clock.Now()
	st, err := providertest.Drive(t, b, b.organization, c, provider.State{}, b.clock)
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.OutcomeUnknown {
		t.Fatalf("Commit error = %v, want an unknown outcome", err)
	}
	if s := b.Strategy(b.organization, c, st); s.Method != provider.ByReading || s.Absences != 2 {
		t.Errorf("strategy %+v", s)
	}
	outcome, st, err := b.Reconcile(context.Background(), b.organization, c, st, provider.Attempt{StartedAt: started})
	if err != nil || outcome != provider.OutcomePublished || st.PlatformPostID != "urn:li:share:6" {
		t.Errorf("Reconcile = %q, %+v, %v; want it published", outcome, st, err)
	}
}

func TestDuplicateAfterAnUnknownAttemptResolvesIt(t *testing.T) {
	t.Parallel()
	b := setup(t, "reconcile-absent")
	c := text("Hello")
	ctx := context.Background()
	outcome, st, err := b.Reconcile(ctx, b.organization, c, provider.State{Ready: true},
		provider.Attempt{StartedAt: b.clock.Now()})
	if err != nil || outcome != provider.OutcomeAbsent {
		t.Fatalf("Reconcile = %q, %v; want it absent", outcome, err)
	}
	st, err = b.Commit(ctx, b.organization, c, st)
	if err != nil || st.PlatformPostID != "urn:li:share:7" {
		t.Errorf("Commit = %+v, %v; want the existing post", st, err)
	}
}

// TestCommentsAreKnownByTheirURN: LinkedIn's header has the plain id, which does not say where to delete the comment.
func TestCommentsAreKnownByTheirURN(t *testing.T) {
	t.Parallel()
	const urn = "urn:li:comment:(" + share + ",663)"
	for _, answer := range []string{``, `{}`, `{"id":"663"}`, `{"commentUrn":"` + urn + `"}`} {
		b := setup(t)
		b.api.BaseURL = providertest.NewAnswering(t, 201, map[string]string{"X-Restli-Id": "663"}, answer)
		st, err := b.Commit(t.Context(), b.member, on(provider.Comment, "First!"), provider.State{Ready: true})
		if err != nil || st.PlatformPostID != urn {
			t.Errorf("%s: %+v, %v; want %s", answer, st.Published, err, urn)
		}
		if post, id, ok := splitComment(st.PlatformPostID); !ok || post != share || id != "663" {
			t.Errorf("%s: %s is the comment %q of %q", answer, st.PlatformPostID, id, post)
		}
	}
}

// TestDuplicateOfTheOthersPostIsRefused: the lost call and its repetition look like the post of another publication, so
// LinkedIn has taken neither.
func TestDuplicateOfTheOthersPostIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, "reconcile-other")
	c := text("Hello")
	outcome, st, err := b.Reconcile(t.Context(), b.organization, c, provider.State{Ready: true},
		provider.Attempt{StartedAt: b.clock.Now(), Taken: map[string]bool{"urn:li:share:7": true}})
	if err != nil || outcome != provider.OutcomeAbsent {
		t.Fatalf("Reconcile = %q, %v; want it absent", outcome, err)
	}
	st, err = b.Commit(t.Context(), b.organization, c, providertest.Reload(t, st))
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.Rejected ||
		failure.Code != provider.CodeDuplicateContent || len(st.Published) > 0 {
		t.Errorf("Commit = %+v, %v; want a refused duplicate", st, err)
	}
}

func TestCommentsAreFoundWhereTheyCanBeRead(t *testing.T) {
	t.Parallel()
	b := setup(t, "reconcile-comment")
	c := on(provider.Comment, "First!")
	if s := b.Strategy(b.member, c, provider.State{}); s.Method != provider.Impossible {
		t.Errorf("strategy of a member's comment %+v, want an impossible one", s)
	}
	outcome, st, err := b.Reconcile(context.Background(), b.organization, c, provider.State{},
		provider.Attempt{StartedAt: b.clock.Now()})
	if err != nil || outcome != provider.OutcomePublished || st.PlatformPostID != wantedComment {
		t.Errorf("Reconcile = %q, %+v, %v", outcome, st, err)
	}
}

func TestDeclarationIsRegistered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	registry, err := provider.NewRegistry(b.Provider)
	if err != nil {
		t.Fatalf("NewRegistry: %v", err)
	}
	if c := registry.Capabilities(b.Provider, b.member); c.PostMetrics || c.Refresh || !c.Abilities.Comment {
		t.Errorf("capabilities of a member with a self-serve app: %+v", c.Abilities)
	}
	if c := registry.Capabilities(b.Provider, b.organization); !c.PostMetrics || !c.Abilities.Comment || c.Threads {
		t.Errorf("capabilities of an organization: %+v", c.Abilities)
	}
}

func TestInvalidConfigurationsAreRejected(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, config := range []Config{{}, {Caller: b.api.Caller, Now: b.now, Version: "2026-09"},
		{Caller: b.api.Caller, Now: b.now, Version: "202613"}} {
		if _, err := New(config); err == nil {
			t.Errorf("New accepted %+v", config)
		}
	}
}

func TestErrorsStateAndExchangesHideSecrets(t *testing.T) {
	t.Parallel()
	b := setup(t, "image")
	var seen []provider.Exchange
	ctx := provider.WithExchanges(context.Background(), func(e provider.Exchange) { seen = append(seen, e) })
	c := withMedia("One photo", file("a.jpg", "image/jpeg", "first image", "A dancing cat"))
	st := provider.State{}
	var states []string
	for !st.Ready {
		b.clock.Advance(settleTime)
		var err error
		if st, err = b.Prepare(ctx, b.member, c, st); err != nil {
			t.Fatalf("Prepare: %v", err)
		}
		data, err := json.Marshal(st)
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, string(data))
	}
	if _, err := b.Commit(ctx, b.member, c, st); err != nil {
		t.Fatalf("Commit: %v", err)
	}
	shown := fmt.Sprintf("%+v %v", seen, states)
	for _, secret := range []string{"access-1", "sig=", "client-secret"} {
		if strings.Contains(shown, secret) {
			t.Errorf("%s appears in %s", secret, shown)
		}
	}
	if len(seen) != 3 || seen[2].ResponseHeader["X-Restli-Id"] == "" {
		t.Errorf("exchanges %+v; want three, the last with the id", seen)
	}
}

func withSettings(c provider.Content, settings string) provider.Content {
	return providertest.WithSettings(c, settings)
}
