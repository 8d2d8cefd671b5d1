package youtube

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
		Limits:      Limits{ChunkBytes: unit},
		Caller:      providertest.NewCaller(clock),
		Now:         clock.Now,
	}.WithBase(base))
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return bundle{Provider: p, clock: clock, account: provider.Account{
		ProviderAccountID: "UCabc",
		Handle:            "@mychannel",
		Scopes:            []string{scopeUpload, scopeForceSSL},
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

// clip returns a video of a little more than two units, so that it has a last chunk after two others.
func clip() provider.Content {
	content := make([]byte, 600_000)
	for i := range content {
		content[i] = byte(i % 251)
	}
	return provider.Content{Action: provider.Post, PostType: "text_video", Parts: []provider.Part{{
		Text: "A walk\nthrough the woods", Media: []provider.Media{providertest.NewMedia("v.mp4", "video/mp4",
			content)},
	}}}
}

const pictureID = crier.ID("01890a5d-ac96-774b-bcce-b302099a8057")

func comment() provider.Content {
	return provider.Content{
		Action: provider.Comment, Target: provider.Target{PlatformPostID: "dQw4w9WgXcQ"},
		Parts: []provider.Part{{Text: "First!"}},
	}
}

func TestWireFormatOfEveryPostKind(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		golden  string
		content provider.Content
		id      string
		link    string
	}{
		{"video", clip(), "dQw4w9WgXcQ", "/watch?v=dQw4w9WgXcQ"},
		{"settings", withSettings(clip(), `{"youtubeTitle":"Tom & Ada","youtubeDescription":"Made by hand",`+
			`"youtubeTags":["woods","a walk"],
			"youtubeCategoryId":"19","youtubePrivacyStatus":"private","youtubePublishAt":"2026-12-01T10:00:00Z",`+
			`"youtubeMadeForKids":true,
			"youtubeContainsSyntheticMedia":true,"youtubeHasPaidProductPlacement":true,`+
			`"youtubeLicense":"creativeCommon","youtubeEmbeddable":false,
			"youtubePublicStatsViewable":false,"youtubeNotifySubscribers":false,"youtubeDefaultLanguage":"en",`+
			`"youtubeDefaultAudioLanguage":"pt-BR",
			"youtubeThumbnailMediaId":"`+string(pictureID)+`","youtubePlaylistIds":["PL1","PL2"],`+
			`"youtubeIsShort":true}`), "dQw4w9WgXcQ", "/shorts/dQw4w9WgXcQ"},
		{"comment", comment(), "UgxKREWxIgDrw8w2e_Z4AaABAg", "/watch?v=dQw4w9WgXcQ&lc=UgxKREWxIgDrw8w2e_Z4AaABAg"},
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
			if st.PlatformPostID != tc.id || !st.Done || len(st.Warnings) > 0 || len(st.Secrets) > 0 {
				t.Errorf("published %q, want %q; state %+v", st.PlatformPostID, tc.id, st)
			}
			if !strings.HasSuffix(st.Published[0].Permalink, tc.link) {
				t.Errorf("permalink %q does not end in %q", st.Published[0].Permalink, tc.link)
			}
		})
	}
}

func TestLastChunkIsHeldBackUntilCommit(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ size, next, want int64 }{
		{1, 0, 0}, {unit, 0, 0}, {unit + 1, 0, unit}, {2 * unit, 0, unit}, {600_000, 0, 2 * unit},
		{600_000, 2 * unit, 0},
		{600_000, 100, 2 * unit}, {600_000, 600_000, 0},
	} {
		if got := sendable(&provider.Upload{Size: tc.size, NextByte: tc.next}); got != tc.want {
			t.Errorf("of %d bytes from %d, %d may be sent beforehand; want %d", tc.size, tc.next, got, tc.want)
		}
	}
}

func TestChunkCountIsBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.limits.ChunkBytes = 8 << 20
	for _, size := range []int64{1, 1 << 30, 40 << 30, 256 << 30} {
		chunk := b.chunkSize(size)
		if chunk%unit != 0 || chunk < 8<<20 || size/chunk > maxPieces {
			t.Errorf("a file of %d bytes is sent in chunks of %d", size, chunk)
		}
	}
}

func TestUploadResumesAtYouTubesOffset(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		golden   string
		failures int
	}{
		{"resume", 2}, {"session-gone", 2}, {"short-last", 1}, {"refused-piece", 1}, {"complete-early", 1},
	} {
		t.Run(tc.golden, func(t *testing.T) {
			t.Parallel()
			b := setup(t, tc.golden)
			st, failures := b.driveOn(t, clip())
			if st.PlatformPostID != "dQw4w9WgXcQ" || !st.Done || failures != tc.failures {
				t.Errorf("after %d failures, want %d: %+v", failures, tc.failures, st)
			}
		})
	}
}

func TestReadyStateIsKeptUntilItsSessionExpires(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := clip()
	ready := provider.State{
		Ready:   true,
		Secrets: map[string]provider.Secret{secretSession: "https://example.test/session"},
		Uploads: []provider.Upload{{Step: stepSending, NextByte: 2 * unit, Size: 600_000,
			ExpiresAt: b.clock.Now().Add(time.Hour)}},
	}
	st, err := b.Prepare(context.Background(), b.account, c, ready)
	if err != nil || !st.Ready {
		t.Errorf("Prepare = %+v, %v; want it still ready", st, err)
	}
	lost := ready.Clone()
	lost.Secrets = nil
	if u := b.currentUpload(&lost, c.Parts[0].Media[0]); u.Step != stepNew {
		t.Errorf("upload %+v; without its session it must restart", u)
	}
	b.clock.Advance(55 * time.Minute)
	if u := b.currentUpload(&ready, c.Parts[0].Media[0]); u.Step != stepNew || u.NextByte != 0 {
		t.Errorf("upload %+v; want it forgotten", u)
	}
}

func TestFailedFollowupsAreWarnings(t *testing.T) {
	t.Parallel()
	b := setup(t, "follow-fails")
	c := withSettings(clip(), `{"youtubeThumbnailMediaId":"`+string(pictureID)+`","youtubePlaylistIds":["PL1"]}`)
	st, err := b.drive(t, c, provider.State{})
	if err != nil || !st.Done || len(st.Warnings) != 3 {
		t.Fatalf("state %+v, %v; want a published video with three warnings", st, err)
	}
	for i, want := range []string{"private instead of public", "thumbnail", "playlist PL1"} {
		if !strings.Contains(st.Warnings[i], want) {
			t.Errorf("warning %q does not say %q", st.Warnings[i], want)
		}
	}
}

func TestLateRejectionIsAFailure(t *testing.T) {
	t.Parallel()
	b := setup(t, "rejected")
	st, err := b.drive(t, clip(), provider.State{})
	failure := provider.AsError(err)
	if failure == nil || failure.Kind != provider.Rejected || failure.Code != provider.CodeDuplicateContent ||
		st.FailureCode != "duplicate" {
		t.Errorf("error %v, state %+v; want the duplicate reported", err, st)
	}
	if st.PlatformPostID == "" {
		t.Error("the id of the video is lost")
	}
	if st.Done || len(st.Published) > 0 {
		t.Errorf("a rejected video counts as published: %+v", st)
	}
}

// YouTube has taken the video. Nobody knows what became of it, so it is neither published nor failed.
func TestVideoThatYouTubeLosesIsUnknown(t *testing.T) {
	t.Parallel()
	b := answering(t, 200, nil, `{"items":[]}`)
	began := b.clock.Now()
	st := provider.State{Done: true, RequiresPolling: true, PlatformPostID: "dQw4w9WgXcQ",
		Published: []provider.Published{{PlatformPostID: "dQw4w9WgXcQ"}}, Data: map[string]string{noteNext: nextWatch}}
	st.WaitUntil(began, began, watchReason)
	st, err := b.drive(t, clip(), st)
	failure := provider.AsError(err)
	if failure == nil || failure.Kind != provider.OutcomeUnknown || st.Done || len(st.Published) > 0 ||
		st.PlatformPostID != "dQw4w9WgXcQ" {
		t.Errorf("error %v, state %+v", err, st)
	}
	if waited := b.clock.Now().Sub(began); waited < time.Minute || waited > 30*time.Minute {
		t.Errorf("given up after %s", waited)
	}
}

func TestProcessingWaitIsBounded(t *testing.T) {
	t.Parallel()
	b := answering(t, 200, nil, `{"items":[{"id":"dQw4w9WgXcQ","status":{"uploadStatus":"uploaded"}}]}`)
	st := provider.State{Done: true, RequiresPolling: true, PlatformPostID: "dQw4w9WgXcQ",
		Data: map[string]string{noteNext: nextWatch}}
	st.WaitUntil(b.clock.Now(), b.clock.Now(), watchReason)
	st, err := b.drive(t, clip(), st)
	if err != nil || st.RequiresPolling || len(st.Warnings) != 1 {
		t.Errorf("state %+v, %v; want it done with a warning", st, err)
	}
}

func TestConnectingRefreshingAndRevoking(t *testing.T) {
	t.Parallel()
	b := setup(t, "connect")
	ctx := context.Background()
	token, err := b.Exchange(ctx, provider.CodeExchange{Code: "code-1", Verifier: "verifier-1",
		RedirectURL: "https://crier.test/oauth/youtube/callback"})
	if err != nil {
		t.Fatalf("Exchange: %v", err)
	}
	if token.Refresh != "refresh-1" || !token.ExpiresAt.Equal(b.clock.Now().Add(3599*time.Second)) ||
		len(token.Scopes) != 2 {
		t.Errorf("token %+v", token)
	}
	accounts, err := b.Accounts(ctx, token)
	if err != nil {
		t.Fatalf("Accounts: %v", err)
	}
	want := []provider.ConnectedAccount{{
		ProviderAccountID: "UCabc", DisplayName: "My channel", Handle: "@mychannel",
		ImageURL: "https://yt3.ggpht.com/a",
		Details:  json.RawMessage(`{"uploadsPlaylistId":"UUabc","longUploadsStatus":"allowed"}`),
		Token:    token,
	}}
	if diff := cmp.Diff(want, accounts); diff != "" {
		t.Errorf("accounts (-want +got):\n%s", diff)
	}
	renewed, err := b.Refresh(ctx, provider.Account{Token: token})
	if err != nil || renewed.Access != "access-2" || renewed.Refresh != "refresh-1" || len(renewed.Scopes) != 2 {
		t.Errorf("Refresh = %+v, %v; want the refresh token and the scopes unchanged", renewed, err)
	}
	if err := b.Revoke(ctx, provider.Account{Token: token}); err != nil {
		t.Errorf("Revoke: %v", err)
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

func TestLoginWithoutAChannelIsReported(t *testing.T) {
	t.Parallel()
	b := setup(t, "no-channel")
	_, err := b.Accounts(context.Background(), b.account.Token)
	if failure := provider.AsError(err); failure == nil || failure.Code != provider.CodeAccountRestricted {
		t.Errorf("Accounts error = %v, want a missing channel", err)
	}
}

func TestConsentURLRequestsOfflineAccess(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got, err := b.ConsentURL(provider.ConsentRequest{RedirectURL: "https://app.example/cb", State: "S",
		Verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"})
	want := "https://accounts.google.com/o/oauth2/v2/auth?client_id=client-1" +
		"&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&response_type=code" +
		"&scope=https%3A%2F%2Fwww.googleapis.com%2Fauth%2Fyoutube.upload%20" +
		"https%3A%2F%2Fwww.googleapis.com%2Fauth%2Fyoutube.force-ssl&state=S" +
		"&access_type=offline&prompt=consent&include_granted_scopes=true" +
		"&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"
	if err != nil || got != want {
		t.Errorf("ConsentURL = %q, %v; want %q", got, err, want)
	}
}

func TestDeletingTwiceIsNoError(t *testing.T) {
	t.Parallel()
	b := setup(t, "delete")
	for _, tc := range []struct {
		id   string
		want provider.Deletion
	}{
		{"dQw4w9WgXcQ", provider.Deleted}, {"dQw4w9WgXcQ", provider.AlreadyGone},
		{"UgxKREWxIgDrw8w2e_Z4AaABAg", provider.Deleted},
	} {
		got, err := b.Delete(context.Background(), b.account, tc.id)
		if err != nil || got != tc.want {
			t.Errorf("Delete(%s) = %q, %v; want %q", tc.id, got, err, tc.want)
		}
	}
}

func TestMetricsDistinguishUnknownFromZero(t *testing.T) {
	t.Parallel()
	b := setup(t, "metrics")
	ctx := context.Background()
	metrics, err := b.PostMetrics(ctx, b.account, []string{"dQw4w9WgXcQ", "gone1234567"})
	if err != nil || len(metrics) != 1 {
		t.Fatalf("PostMetrics = %+v, %v; want one video", metrics, err)
	}
	m := metrics["dQw4w9WgXcQ"]
	if *m.Views != 9_007_199_254_740_993 || *m.Likes != 0 || m.Comments != nil {
		t.Errorf("metrics %+v", m)
	}
	account, err := b.AccountMetrics(ctx, b.account, time.Time{}, time.Time{})
	if err != nil || *account.Followers != 2 || *account.Posts != 1 || account.Extra["views"] != 10 {
		t.Errorf("AccountMetrics = %+v, %v", account, err)
	}
}

func TestDeclarationIsRegistered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if _, err := provider.NewRegistry(b.Provider); err != nil {
		t.Errorf("NewRegistry: %v", err)
	}
	if _, err := New(Config{}); err == nil {
		t.Error("New accepted a configuration without caller and clock")
	}
}

func TestVerifiedChannelsMayUploadLongVideos(t *testing.T) {
	t.Parallel()
	b := setup(t)
	verified := b.account
	verified.Details = json.RawMessage(`{"longUploadsStatus":"allowed"}`)
	limit := func(a provider.Account) float64 { return b.InfoFor(a).Formats[0].Media[0].MaxSeconds }
	if limit(b.account) != 900 || limit(verified) != 43_200 || b.Info().Formats[0].Media[0].MaxSeconds != 900 {
		t.Errorf("limits %v and %v; want 15 minutes, and 12 hours when verified", limit(b.account), limit(verified))
	}
	narrow := b.account
	narrow.Scopes = []string{scopeUpload}
	if info := b.InfoFor(narrow); info.Abilities.Comment || info.Comment != nil || info.Abilities.Delete {
		t.Errorf("abilities %+v; want none without its scope", info.Abilities)
	}
}

func TestErrorsAndExchangesHideSecrets(t *testing.T) {
	t.Parallel()
	b := setup(t, "connect-dead", "video")
	var seen []provider.Exchange
	ctx := provider.WithExchanges(context.Background(), func(e provider.Exchange) { seen = append(seen, e) })
	_, refreshErr := b.Refresh(ctx, b.account)
	if revokeErr := b.Revoke(ctx, b.account); revokeErr != nil {
		t.Fatalf("Revoke: %v", revokeErr)
	}
	_, operatorErr := b.Refresh(ctx, b.account)
	var err error
	var st provider.State
	for !st.Ready {
		if st, err = b.Prepare(ctx, b.account, clip(), st); err != nil {
			t.Fatalf("Prepare: %v", err)
		}
	}
	if st, err = b.Commit(ctx, b.account, clip(), st); err != nil {
		t.Fatalf("Commit: %v", err)
	}
	for st.RequiresPolling {
		if st, err = b.Poll(ctx, b.account, clip(), st); err != nil {
			t.Fatalf("Poll: %v", err)
		}
	}
	shown := fmt.Sprintf("%v %v %+v %v %#v %+v", refreshErr, operatorErr, seen, b.account, b.account, st)
	for _, secret := range []string{"access-1", "refresh-1", "client-secret", "xa298sd_f"} {
		if strings.Contains(shown, secret) {
			t.Errorf("%s appears in %s", secret, shown)
		}
	}
	if len(seen) != 9 {
		t.Errorf("%d exchanges were recorded, want 9", len(seen))
	}
}

// withSettings adds the picture that settings may name.
func withSettings(c provider.Content, settings string) provider.Content {
	c = providertest.WithSettings(c, settings)
	c.Assets = map[crier.ID]provider.Media{pictureID: providertest.NewMedia("t.jpg", "image/jpeg", []byte("a picture"))}
	return c
}
