package threads

import (
	"context"
	"encoding/json"
	"slices"
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
	}.WithBase(base))
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return bundle{Provider: p, clock: clock, account: provider.Account{
		ProviderAccountID: "17841405793187218",
		Handle:            "threads_dev",
		Scopes:            provider.ScopeNames(p.info.Scopes),
		Token:             provider.Token{Access: "access-1", Scopes: provider.ScopeNames(p.info.Scopes)},
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

func withMedia(text string, media ...provider.Media) provider.Content {
	return provider.Content{Action: provider.Post, Parts: []provider.Part{{Text: text, Media: media}}}
}

func image(fileName, altText string) provider.Media {
	m := providertest.NewMedia(fileName, "image/jpeg", []byte("an image"))
	m.AltText = altText
	return m
}

func video() provider.Media { return providertest.NewMedia("v.mp4", "video/mp4", []byte("a video")) }

var target = provider.Target{PlatformPostID: "18000000000000001",
	Permalink: "https://www.threads.net/@threads_dev/post/A"}

func TestWireFormatOfEveryPostKind(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		golden  string
		content provider.Content
		ids     []string
	}{
		{"text", text("Hello & welcome"), []string{"18000000000000001"}},
		{"image", withMedia("A cat", image("a.jpg", "A dancing cat")), []string{"18000000000000002"}},
		{"video", withMedia("A video", video()), []string{"18000000000000003"}},
		{"carousel", withSettings(withMedia("Both", image("a.jpg", "A cat"), video()),
			`{"threadsSpoilerMedia":true}`), []string{"18000000000000004"}},
		{"thread", withSettings(text("1/2", "2/2"), `{"threadsReplyControl":"accountsYouFollow"}`),
			[]string{"18000000000000005", "18000000000000006"}},
		{"settings", withSettings(text("Vote"), `{"threadsReplyControl":"followersOnly",`+
			`"threadsTopicTag":"cats","threadsQuotePostId":"11",
			"threadsReplyToId":"12","threadsTextSpoilers":[{"offset":0,"length":4}],`+
			`"threadsPoll":{"options":["Red","Blue","Green"]},
			"threadsAllowlistedCountryCodes":["DE","AT"],"threadsEnableReplyApprovals":true}`),
			[]string{"18000000000000007"}},
		{"attachments", withSettings(text(""), `{"threadsGif":{"id":"gif-1"},"threadsTextAttachment":{"plaintext":"Long",
			"linkUrl":"https://crier.dev","styles":[{"offset":0,"length":4,"styles":["bold"]}]},"threadsGhostPost":true}`), []string{"18000000000000008"}},
		{"link", provider.Content{Action: provider.Post,
			Parts: []provider.Part{{Text: "Read", Links: []provider.Link{{URL: "https://crier.dev/a"},
				{URL: "https://crier.dev/b"}}}}},
			[]string{"18000000000000009"}},
		{"quote", provider.Content{Action: provider.Quote, Target: target, Parts: []provider.Part{{Text: "Look"}}},
			[]string{"18000000000000010"}},
		{"comment", provider.Content{Action: provider.Comment, Target: target,
			Parts: []provider.Part{{Text: "First!"}}}, []string{"18000000000000011"}},
		{"repost", provider.Content{Action: provider.Repost, Target: target}, []string{"18000000000000012"}},
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
			if want := "https://www.threads.net/@threads_dev/post/A"; st.Published[0].Permalink != want {
				t.Errorf("permalink %q, want %q", st.Published[0].Permalink, want)
			}
		})
	}
}

func TestExhaustedQuotaPreventsContainers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		golden  string
		content provider.Content
		ok      bool
	}{
		{"a post when posts are used up", "quota-posts", text("x"), false},
		{"a comment when posts are used up", "quota-comment",
			provider.Content{Action: provider.Comment, Target: target, Parts: []provider.Part{{Text: "x"}}}, true},
		{"a chain that could not be ended", "quota-replies", text("1", "2", "3"), false},
		{"a chain that fits", "quota-replies", text("1", "2"), true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, tc.golden)
			_, err := b.Prepare(context.Background(), b.account, tc.content, provider.State{})
			failure := provider.AsError(err)
			if tc.ok != (failure == nil) {
				t.Fatalf("Prepare error = %v, want none: %v", err, tc.ok)
			}
			if failure != nil && (failure.Kind != provider.RateLimited || failure.Code != provider.CodeQuotaExhausted ||
				failure.Scope != provider.ScopeAccount) {
				t.Errorf("failure %+v, want a used up quota of the account", failure)
			}
		})
	}
}

func TestLateContainerIsRetriedThenRecreated(t *testing.T) {
	t.Parallel()
	b := setup(t, "refused")
	c := text("Hello")
	st, refusals := provider.State{}, 0
	for !st.Done {
		var err error
		if st, err = providertest.Drive(t, b, b.account, c, st, b.clock); err != nil {
			failure := provider.AsError(err)
			if refusals++; failure.Kind != provider.Temporary || refusals > maxExpectedRefusals {
				t.Fatalf("failure %+v after %d refusals", failure, refusals)
			}
			b.clock.Advance(failure.RetryAfter)
		}
	}
	if refusals != maxExpectedRefusals || st.PlatformPostID != "18000000000000001" {
		t.Errorf("%d refusals, published %q", refusals, st.PlatformPostID)
	}
}

// maxExpectedRefusals is the number of refusals in the golden file.
const maxExpectedRefusals = 3

func TestReadyStateIsKeptUntilItsContainerExpires(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ready := provider.State{Ready: true, ContainerID: "c", Data: map[string]string{noteQuota: "read"},
		Uploads: []provider.Upload{
			{Media: -1, ID: "c", Step: "ready", ExpiresAt: b.clock.Now().Add(time.Hour)},
		}}
	st, err := b.Prepare(context.Background(), b.account, text("x"), ready)
	if err != nil || !st.Ready {
		t.Errorf("Prepare = %+v, %v; want it still ready", st, err)
	}
	b.clock.Advance(55 * time.Minute)
	// The request fails; it only matters that the old container is dropped.
	st, _ = b.Prepare(context.Background(), b.account, text("x"), ready)
	if st.Ready || st.ContainerID != "" {
		t.Errorf("state %+v; want a new container to be created", st)
	}
}

func TestFailedContainerIsRecreatedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, "container-fails")
	c := withMedia("A video", video())
	st, err := b.drive(t, c)
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.Temporary || st.ContainerID != "" {
		t.Fatalf("first failure %v, state %+v; want a retry", err, st)
	}
	_, err = providertest.Drive(t, b, b.account, c, st, b.clock)
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.Rejected ||
		failure.Code != provider.CodeMediaRejected {
		t.Errorf("second failure %v; want the media rejected", err)
	}
}

func TestConnectingAndRefreshing(t *testing.T) {
	t.Parallel()
	b := setup(t, "connect")
	ctx := context.Background()
	token, err := b.Exchange(ctx, provider.CodeExchange{Code: "code-1#_",
		RedirectURL: "https://crier.test/oauth/threads/callback"})
	if err != nil {
		t.Fatalf("Exchange: %v", err)
	}
	if token.Access != "long-1" || !token.ExpiresAt.Equal(b.clock.Now().Add(5183944*time.Second)) ||
		!slices.Equal(token.Scopes, []string{"threads_basic", "threads_content_publish"}) {
		t.Errorf("token %+v", token)
	}
	accounts, err := b.Accounts(ctx, token)
	if err != nil {
		t.Fatalf("Accounts: %v", err)
	}
	want := []provider.ConnectedAccount{{
		ProviderAccountID: "17841405793187218", DisplayName: "Threads Dev", Handle: "threads_dev",
		ImageURL: "https://cdn.threads.test/p.jpg", Details: json.RawMessage(`{"verified":true}`), Token: token,
	}}
	if diff := cmp.Diff(want, accounts); diff != "" {
		t.Errorf("accounts (-want +got):\n%s", diff)
	}
	renewed, err := b.Refresh(ctx, provider.Account{Token: token})
	if err != nil || renewed.Access != "long-2" || len(renewed.Scopes) != 2 {
		t.Errorf("Refresh = %+v, %v", renewed, err)
	}
	if _, err := b.Refresh(ctx, provider.Account{Token: renewed}); provider.AsError(err).Kind != provider.AuthExpired {
		t.Errorf("Refresh of an invalid token = %v, want auth expired", err)
	}
}

func TestConsentURLHasTheScopes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got, err := b.ConsentURL(provider.ConsentRequest{RedirectURL: "https://app.example/cb", State: "S"})
	want := "https://threads.com/oauth/authorize?client_id=client-1&redirect_uri=https%3A%2F%2Fapp.example%2Fcb" +
		"&scope=threads_basic%2Cthreads_content_publish%2Cthreads_manage_replies%2Cthreads_read_replies%2Cthreads_manage_insights%2Cthreads_delete" +
		"&response_type=code&state=S"
	if err != nil || got != want {
		t.Errorf("ConsentURL = %q, %v; want %q", got, err, want)
	}
}

func TestDeletingTwiceIsNoError(t *testing.T) {
	t.Parallel()
	b := setup(t, "delete")
	for _, want := range []provider.Deletion{provider.Deleted, provider.AlreadyGone, provider.AlreadyGone} {
		got, err := b.Delete(context.Background(), b.account, "18000000000000001")
		if err != nil || got != want {
			t.Errorf("Delete = %q, %v; want %q", got, err, want)
		}
	}
}

func TestMissingMetricsAreNull(t *testing.T) {
	t.Parallel()
	b := setup(t, "metrics")
	ctx := context.Background()
	posts, err := b.PostMetrics(ctx, b.account, []string{"18000000000000001"})
	if err != nil {
		t.Fatalf("PostMetrics: %v", err)
	}
	n := func(v int64) *int64 { return &v }
	want := map[string]provider.Metrics{"18000000000000001": {Views: n(12), Likes: n(3), Comments: n(0),
		Extra: map[string]int64{"sends": 2}}}
	if diff := cmp.Diff(want, posts); diff != "" {
		t.Errorf("post metrics (-want +got):\n%s", diff)
	}
	from := b.clock.Now().Add(-24 * time.Hour)
	account, err := b.AccountMetrics(ctx, b.account, from, b.clock.Now())
	if err != nil || account.Followers == nil || *account.Followers != 120 || *account.Impressions != 30 ||
		*account.Engagements != 5 || account.Extra["clicks"] != 7 {
		t.Errorf("AccountMetrics = %+v, %v", account, err)
	}
	account, err = b.AccountMetrics(ctx, b.account, time.Time{}, time.Time{})
	if err != nil || account.Impressions != nil || account.Engagements != nil {
		t.Errorf("AccountMetrics without reactions = %+v, %v; want null", account, err)
	}
}

func TestLostAnswerIsReconciledByContainer(t *testing.T) {
	t.Parallel()
	b := setup(t, "reconcile-found")
	ctx, c := context.Background(), text("Hello")
	started := b.clock.Now()
	st, err := b.drive(t, c)
	if provider.AsError(err).Kind != provider.OutcomeUnknown {
		t.Fatalf("publish error = %v, want an unknown outcome", err)
	}
	var outcome provider.Outcome
	for range 3 {
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
	ctx, c := context.Background(), text("Hello")
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

func TestLostRepostIsFoundInTheList(t *testing.T) {
	t.Parallel()
	b := setup(t, "reconcile-repost")
	c := provider.Content{Action: provider.Repost, Target: target}
	for _, want := range []provider.Outcome{provider.OutcomeAbsent, provider.OutcomePublished} {
		outcome, _, err := b.Reconcile(context.Background(), b.account, c, provider.State{},
			provider.Attempt{StartedAt: b.clock.Now()})
		if err != nil || outcome != want {
			t.Errorf("Reconcile = %q, %v; want %q", outcome, err, want)
		}
	}
}

func withSettings(c provider.Content, settings string) provider.Content {
	return providertest.WithSettings(c, settings)
}
