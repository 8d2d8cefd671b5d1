package tiktok

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
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
		Limits:      chunked,
	}.WithBase(base))
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return bundle{Provider: p, clock: clock, account: provider.Account{
		ProviderAccountID: "723f24d7",
		Handle:            "ada",
		Scopes:            provider.ScopeNames(scopes()),
		Token:             provider.Token{Access: "access-1", Refresh: "refresh-1"},
	}}
}

func (b bundle) drive(t *testing.T, c provider.Content, st provider.State) (provider.State, error) {
	t.Helper()
	return providertest.Drive(t, b, b.account, c, st, b.clock)
}

// driveOn is drive that retries temporary errors, as the engine does.
func (b bundle) driveOn(t *testing.T, c provider.Content) (provider.State, int) {
	t.Helper()
	return providertest.DriveOn(t, b, b.account, c, b.clock)
}

// chunked makes videos of ten million bytes use several chunks.
var chunked = Limits{SingleChunkBytes: 1, ChunkBytes: 5_000_000}

// clipBytes has two chunks.
var clipBytes = sync.OnceValue(func() []byte {
	content := make([]byte, 12_000_005)
	for i := range content {
		content[i] = byte(i % 251)
	}
	return content
})

// clip returns a video of two chunks.
func clip(settings string) provider.Content {
	return withSettings(provider.Content{Action: provider.Post, PostType: "text_video", Parts: []provider.Part{{
		Text: "A walk #woods", Media: []provider.Media{providertest.NewMedia("v.mp4", "video/mp4", clipBytes())},
	}}}, settings)
}

func photos(settings string) provider.Content {
	return withSettings(provider.Content{Action: provider.Post, PostType: "carousel", Parts: []provider.Part{{
		Text: "Two cats #cats", Media: []provider.Media{
			providertest.NewMedia("1.webp", "image/webp", []byte("one")),
			providertest.NewMedia("2.jpg", "image/jpeg", []byte("two")),
		},
	}}}, settings)
}

const (
	public     = `{"tiktokPrivacyLevel":"PUBLIC_TO_EVERYONE"}`
	catsPublic = `{"tiktokPrivacyLevel":"PUBLIC_TO_EVERYONE","tiktokTitle":"Cats","tiktokPhotoCoverIndex":1,"tiktokAutoAddMusic":true,
		"tiktokAllowComment":true,"tiktokBrandContent":true}`
	knownID = "7123456789012345678"
)

func TestWireFormatOfEveryPostKind(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		golden   string
		content  provider.Content
		id       string
		link     string
		warnings int
	}{
		{"video", clip(public), knownID, "/@ada/video/" + knownID, 0},
		{"settings", clip(`{"tiktokPrivacyLevel":"SELF_ONLY","tiktokAllowComment":true,"tiktokAllowDuet":true,"tiktokVideoCoverTimestampMs":1000,
			"tiktokBrandOrganic":true,"tiktokIsAiGenerated":true}`), "", "", 0},
		{"inbox", clip(`{"tiktokPostMode":"inbox"}`), "", "", 1},
		{"photos", photos(catsPublic), knownID, "/@ada/photo/" + knownID, 0},
		{"photos-inbox", photos(`{"tiktokPostMode":"inbox"}`), "", "", 1},
		{"off", clip(`{"tiktokPrivacyLevel":"PUBLIC_TO_EVERYONE","tiktokAllowDuet":true,"tiktokAllowStitch":true}`),
			knownID, "/@ada/video/" + knownID, 1},
	} {
		t.Run(tc.golden, func(t *testing.T) {
			t.Parallel()
			b := setup(t, tc.golden)
			if found := b.Check(b.account, tc.content); !found.OK() {
				t.Fatalf("Check: %v", found.Issues)
			}
			st, err := b.drive(t, tc.content, provider.State{})
			if err != nil {
				t.Fatalf("publish: %v", err)
			}
			if st.PlatformPostID != tc.id || !st.Done || len(st.Published) != 1 || len(st.Warnings) != tc.warnings ||
				len(st.Secrets) > 0 {
				t.Errorf("published %q, want %q; state %+v", st.PlatformPostID, tc.id, st)
			}
			if !strings.HasSuffix(st.Published[0].Permalink, tc.link) {
				t.Errorf("permalink %q does not end in %q", st.Published[0].Permalink, tc.link)
			}
		})
	}
}

func TestVideosCanBePulled(t *testing.T) {
	t.Parallel()
	b := setup(t, "pull")
	b.pullVideos = true
	st, err := b.drive(t, clip(public), provider.State{})
	if err != nil || st.PlatformPostID != knownID {
		t.Errorf("state %+v, %v; want it published", st, err)
	}
}

func TestChunksFollowTheReferenceVectors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		size, chunk int64
		starts      []int64
	}{
		{50_000_123, 10_000_000, []int64{0, 10_000_000, 20_000_000, 30_000_000, 40_000_000}},
		{64_000_001, 10_000_000, []int64{0, 10_000_000, 20_000_000, 30_000_000, 40_000_000, 50_000_000}},
		{7_000_000, 7_000_000, []int64{0}},
		{150_000_000, 64_000_000, []int64{0, 64_000_000}},
		{4_999_999, 4_999_999, []int64{0}},
	} {
		var starts []int64
		for first := int64(0); first < tc.size; first = chunkEnd(first, tc.size, tc.chunk) + 1 {
			starts = append(starts, first)
		}
		if diff := cmp.Diff(tc.starts, starts); diff != "" || chunkCount(tc.size, tc.chunk) != int64(len(starts)) {
			t.Errorf("%d bytes in chunks of %d (-want +got):\n%s", tc.size, tc.chunk, diff)
		}
	}
}

func TestChunkSizesStayWithinBounds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, limits := range []Limits{{}, chunked, {SingleChunkBytes: 1, ChunkBytes: 64_000_000}} {
		b.limits = limits.withDefaults()
		for _, size := range []int64{1, 4_999_999, 5_000_000, 9_999_999, 10_000_000, 64_000_000, 64_000_001,
			100_000_000,
			1_000_000_000, 4_000_000_000} {
			chunk := b.chunkSize(size)
			count := chunkCount(size, chunk)
			last := size - (count-1)*chunk
			if count == 1 && chunk != size || count > 1 && chunk < smallestChunk || chunk > largestChunk ||
				count > maxChunks || last > 2*largestChunk || last < chunk {
				t.Errorf("%+v: %d bytes are sent in %d chunks of %d, the last of %d", limits, size, count, chunk, last)
			}
			if single := size <= 64_000_000; limits == (Limits{}) && single != (count == 1) {
				t.Errorf("%d bytes are sent in %d chunks", size, count)
			}
			if limits == (Limits{}) && count > 1 && chunk != 10_000_000 {
				t.Errorf("%d bytes are sent in chunks of %d, want 10,000,000", size, chunk)
			}
		}
	}
	for _, limits := range []Limits{{ChunkBytes: 1 << 20}, {ChunkBytes: 1 << 30}, {SingleChunkBytes: 64_000_001}} {
		if _, err := New(Config{Caller: b.api.Caller, Now: b.now, Limits: limits}); err == nil {
			t.Errorf("New accepted %+v", limits)
		}
	}
}

func TestUploadResumesAtTikToksOffset(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		golden   string
		failures int
	}{
		{"resume", 2}, {"crash-resend", 0}, {"upload-gone", 2}, {"already-taken", 1}, {"internal", 0},
	} {
		t.Run(tc.golden, func(t *testing.T) {
			t.Parallel()
			b := setup(t, tc.golden)
			st, failures := b.driveOn(t, clip(public))
			if st.PlatformPostID != knownID || len(st.Published) != 1 || failures != tc.failures {
				t.Errorf("after %d failures, want %d: %+v", failures, tc.failures, st)
			}
		})
	}
}

func TestUnavailableOptionsAreRejectedBeforeUpload(t *testing.T) {
	t.Parallel()
	long := clip(public)
	long.Parts[0].Media[0].Duration = 301 * time.Second
	for name, tc := range map[string]struct {
		content provider.Content
		code    provider.Code
	}{
		"privacy level": {clip(`{"tiktokPrivacyLevel":"FOLLOWER_OF_CREATOR"}`), provider.CodeContentRejected},
		"duration":      {long, provider.CodeMediaRejected},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, "mismatch")
			_, err := b.drive(t, tc.content, provider.State{})
			if e := provider.AsError(err); e == nil || e.Kind != provider.Rejected || e.Code != tc.code {
				t.Errorf("error %v, want it rejected as %s", err, tc.code)
			}
		})
	}
}

func TestLateRejectionIsAFailure(t *testing.T) {
	t.Parallel()
	b := setup(t, "failed")
	st, err := b.drive(t, clip(public), provider.State{})
	if e := provider.AsError(err); e == nil || e.Code != provider.CodeMediaRejected ||
		st.FailureCode != "frame_rate_check_failed" || st.Done {
		t.Errorf("error %v, state %+v; want the reason reported", err, st)
	}
}

func TestTransientFailuresRestartABoundedNumberOfTimes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, reason := range []string{"internal", "auth_removed", "photo_pull_failed", "spam_risk_too_many_posts"} {
		st := provider.State{RequiresPolling: true, PublishID: "p"}
		var err error
		restarts := 0
		for ; err == nil && restarts < 10; restarts++ {
			st, err = b.afterFailure(st, reason)
			if err == nil && (st.RequiresPolling || st.Ready || st.PublishID != "") {
				t.Fatalf("state %+v; want the post restarted", st)
			}
		}
		if e := provider.AsError(err); e == nil || e.Kind != provider.Rejected || restarts != maxRedone+1 {
			t.Errorf("%s: restarted %d times, then %v", reason, restarts, err)
		}
	}
}

func TestWaitForThePostIDIsBounded(t *testing.T) {
	t.Parallel()
	b := answering(t, 200, `{"data":{"status":"PUBLISH_COMPLETE"},"error":{"code":"ok"}}`)
	st, err := b.drive(t, clip(public), provider.State{RequiresPolling: true, PublishID: "p"})
	if err != nil || !st.Done || st.RequiresPolling || len(st.Warnings) != 1 {
		t.Errorf("state %+v, %v; want it done with a warning", st, err)
	}
	waited := b.clock.Now().Sub(st.Published[0].PublishedAt)
	if waited < 6*time.Hour || waited > 7*time.Hour {
		t.Errorf("waited %s for the id", waited)
	}
}

func TestUnreadablePostIDIsNotAFailure(t *testing.T) {
	t.Parallel()
	b := answering(t, 401, `{"data":{},"error":{"code":"access_token_invalid"}}`)
	done := provider.State{Done: true, RequiresPolling: true, PublishID: "p", Published: []provider.Published{{}}}
	st, err := b.Poll(context.Background(), b.account, clip(public), done)
	if e := provider.AsError(err); e == nil || e.Kind != provider.AuthExpired {
		t.Fatalf("first error %v; want the token refreshed", err)
	}
	st, err = b.Poll(context.Background(), b.account, clip(public), st)
	if err != nil || st.RequiresPolling || len(st.Warnings) != 1 {
		t.Errorf("state %+v, %v; want it done with a warning", st, err)
	}
}

func TestReadyStateIsKeptUntilItsUploadExpires(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := clip(public)
	ready := provider.State{
		Ready:   true,
		Secrets: map[string]provider.Secret{secretUpload: "https://example.test/upload"},
		Data:    map[string]string{noteCreatorAt: b.clock.Now().Format(time.RFC3339)},
		Uploads: []provider.Upload{{Step: stepSending, NextByte: 5_000_000, ChunkSize: 5_000_000, Size: 12_000_005,
			ExpiresAt: b.clock.Now().Add(time.Hour)}},
	}
	st, err := b.Prepare(context.Background(), b.account, c, ready)
	if err != nil || !st.Ready {
		t.Errorf("Prepare = %+v, %v; want it still ready", st, err)
	}
	lost := ready.Clone()
	lost.Secrets = nil
	if u := b.currentUpload(&lost, c.Parts[0].Media[0]); u.Step != stepNew {
		t.Errorf("upload %+v; without its address it must restart", u)
	}
	b.clock.Advance(56 * time.Minute)
	if u := b.currentUpload(&ready, c.Parts[0].Media[0]); u.Step != stepNew {
		t.Errorf("upload %+v; want it forgotten", u)
	}
}

func TestConnectingRefreshingAndRevoking(t *testing.T) {
	t.Parallel()
	b := setup(t, "connect")
	ctx := context.Background()
	token, err := b.Exchange(ctx, provider.CodeExchange{Code: "code-1", Verifier: "verifier-1",
		RedirectURL: "https://crier.test/oauth/tiktok/callback"})
	if err != nil {
		t.Fatalf("Exchange: %v", err)
	}
	if token.Refresh != "refresh-1" || !token.ExpiresAt.Equal(b.clock.Now().Add(24*time.Hour)) ||
		!token.RefreshExpiresAt.Equal(b.clock.Now().Add(365*24*time.Hour)) || len(token.Scopes) != 6 {
		t.Errorf("token %+v", token)
	}
	accounts, err := b.Accounts(ctx, token)
	if err != nil {
		t.Fatalf("Accounts: %v", err)
	}
	want := []provider.ConnectedAccount{{
		ProviderAccountID: "723f24d7", DisplayName: "Ada", Handle: "ada", ImageURL: "https://p16/a",
		Details: json.RawMessage(`{"unionId":"u-1","creatorNickname":"Ada","privacyLevelOptions":["PUBLIC_TO_EVERYONE","MUTUAL_FOLLOW_FRIENDS","SELF_ONLY"],"stitchDisabled":true,"maxVideoDurationSec":300}`),
		Token:   token,
	}}
	if diff := cmp.Diff(want, accounts); diff != "" {
		t.Errorf("accounts (-want +got):\n%s", diff)
	}
	renewed, err := b.Refresh(ctx, provider.Account{Token: token})
	if err != nil || renewed.Access != "access-2" || renewed.Refresh != "refresh-2" ||
		!renewed.ExpiresAt.Equal(b.clock.Now().Add(2*time.Hour)) {
		t.Errorf("Refresh = %+v, %v; want the new pair", renewed, err)
	}
	if err := b.Revoke(ctx, provider.Account{Token: token}); err != nil {
		t.Errorf("Revoke: %v", err)
	}
}

func TestFieldsWithoutTheirScopeAreNotRequested(t *testing.T) {
	t.Parallel()
	b := setup(t, "connect-narrow")
	accounts, err := b.Accounts(context.Background(),
		provider.Token{Access: "access-1", Scopes: []string{scopeBasic, scopeUpload}})
	if err != nil || accounts[0].DisplayName != "Ada" || accounts[0].Handle != "" {
		t.Errorf("Accounts = %+v, %v", accounts, err)
	}
}

func TestOnlyADeadRefreshTokenNeedsReconnecting(t *testing.T) {
	t.Parallel()
	b := setup(t, "connect-dead")
	ctx := context.Background()
	_, err := b.Refresh(ctx, b.account)
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.AuthExpired {
		t.Errorf("Refresh error = %v, want auth expired", err)
	}
	if err := b.Revoke(ctx, b.account); err != nil {
		t.Errorf("Revoke of an invalid token: %v", err)
	}
	_, err = b.Refresh(ctx, b.account)
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.Temporary ||
		!failure.OperatorProblem() {
		t.Errorf("Refresh error = %v, want a problem of the operator", err)
	}
}

func TestConsentURLHasAHexadecimalChallenge(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got, err := b.ConsentURL(provider.ConsentRequest{RedirectURL: "https://app.example/cb", State: "S",
		Verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"})
	want := "https://www.tiktok.com/v2/auth/authorize/?client_key=client-1&response_type=code" +
		"&scope=user.info.basic%2Cvideo.publish%2Cvideo.upload%2Cuser.info.profile%2Cuser.info.stats%2Cvideo.list" +
		"&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=S&disable_auto_auth=1" +
		"&code_challenge=13d31e961a1ad8ec2f16b10c4c982e0876a878ad6df144566ee1894acb70f9c3&code_challenge_method=S256"
	if err != nil || got != want {
		t.Errorf("ConsentURL = %q, %v; want %q", got, err, want)
	}
}

func TestMetricsDistinguishUnknownFromZero(t *testing.T) {
	t.Parallel()
	b := setup(t, "metrics")
	ctx := context.Background()
	metrics, err := b.PostMetrics(ctx, b.account, []string{knownID, "1"})
	if err != nil || len(metrics) != 1 {
		t.Fatalf("PostMetrics = %+v, %v; want one post", metrics, err)
	}
	if m := metrics[knownID]; *m.Views != 600 || *m.Likes != 3 || *m.Comments != 0 || m.Shares != nil {
		t.Errorf("metrics %+v", m)
	}
	account, err := b.AccountMetrics(ctx, b.account, time.Time{}, time.Time{})
	if err != nil || *account.Followers != 100 || *account.Following != 5 || *account.Posts != 3 ||
		account.Extra["likes"] != 70 {
		t.Errorf("AccountMetrics = %+v, %v", account, err)
	}
}

func TestDeclarationIsRegistered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	registry, err := provider.NewRegistry(b.Provider)
	if err != nil {
		t.Fatalf("NewRegistry: %v", err)
	}
	if registry.Features(b.Provider).Deleter != nil {
		t.Error("delete ability is declared, but TikTok cannot delete")
	}
	if _, err := New(Config{}); err == nil {
		t.Error("New accepted a configuration without caller and clock")
	}
}

func TestCreatorInfoNarrowsLimits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.account
	a.Details = json.RawMessage(`{"privacyLevelOptions":["SELF_ONLY"],"maxVideoDurationSec":60}`)
	a.Scopes = []string{scopeBasic, scopePublish}
	info := b.InfoFor(a)
	if info.Formats[0].Media[0].MaxSeconds != 60 || b.Info().Formats[0].Media[0].MaxSeconds != 600 {
		t.Errorf("limits %v and %v", info.Formats[0].Media[0].MaxSeconds, b.Info().Formats[0].Media[0].MaxSeconds)
	}
	if diff := cmp.Diff([]string{"SELF_ONLY"}, info.Settings[1].Enum); diff != "" ||
		len(b.Info().Settings[1].Enum) != 4 {
		t.Errorf("privacy levels (-want +got):\n%s", diff)
	}
	if info.Abilities.PostMetrics || info.Abilities.AccountMetrics {
		t.Errorf("abilities %+v; want none without its scope", info.Abilities)
	}
}

func TestErrorsAndExchangesHideSecrets(t *testing.T) {
	t.Parallel()
	b := setup(t, "connect-dead", "settings")
	var seen []provider.Exchange
	ctx := provider.WithExchanges(context.Background(), func(e provider.Exchange) { seen = append(seen, e) })
	_, refreshErr := b.Refresh(ctx, b.account)
	if revokeErr := b.Revoke(ctx, b.account); revokeErr != nil {
		t.Fatalf("Revoke: %v", revokeErr)
	}
	_, operatorErr := b.Refresh(ctx, b.account)
	var err error
	c := clip(`{"tiktokPrivacyLevel":"SELF_ONLY","tiktokAllowComment":true,"tiktokAllowDuet":true,"tiktokVideoCoverTimestampMs":1000,
		"tiktokBrandOrganic":true,"tiktokIsAiGenerated":true}`)
	var st provider.State
	for !st.Ready {
		if st, err = b.Prepare(ctx, b.account, c, st); err != nil {
			t.Fatalf("Prepare: %v", err)
		}
	}
	shown := fmt.Sprintf("%+v", st)
	if st, err = b.Commit(ctx, b.account, c, st); err != nil {
		t.Fatalf("Commit: %v", err)
	}
	if st, err = b.Poll(ctx, b.account, c, st); err != nil {
		t.Fatalf("Poll: %v", err)
	}
	shown += fmt.Sprintf("%v %v %+v %v %#v %+v", refreshErr, operatorErr, seen, b.account, b.account, st)
	for _, secret := range []string{"access-1", "refresh-1", "client-secret", "Xza123"} {
		if strings.Contains(shown, secret) {
			t.Errorf("%s appears in %s", secret, shown)
		}
	}
	if len(seen) != 8 {
		t.Errorf("%d exchanges were recorded, want 8", len(seen))
	}
}

func withSettings(c provider.Content, settings string) provider.Content {
	return providertest.WithSettings(c, settings)
}
