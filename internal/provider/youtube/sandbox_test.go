package youtube

import (
	"bytes"
	"context"
	"encoding/binary"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"crier"
	"crier/internal/media/mediatest"
	"crier/internal/provider"
	"crier/internal/provider/providertest"
	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
	sandbox "crier/internal/sandbox/youtube"
)

// simulated is a provider that runs against the YouTube of the sandbox.
type simulated struct {
	bundle
	network *simtest.Sandbox
}

func simulate(t *testing.T, settings sandbox.Settings) simulated {
	t.Helper()
	b := setup(t)
	network := simtest.Start(t, sandbox.Network(settings), sim.Options{Now: b.clock.Now})
	p, err := New(Config{
		Credentials: provider.Credentials{ClientID: "client-1", ClientSecret: "client-secret"},
		Limits:      Limits{ChunkBytes: unit},
		Caller:      providertest.NewCaller(b.clock),
		Now:         b.clock.Now,
	}.WithBase(network.URL + "/youtube"))
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	seed := network.Seed("wanderer")
	b.Provider = p
	b.account = provider.Account{
		ProviderAccountID: seed.AccountID, Handle: seed.Handle, Scopes: seed.Scopes,
		Token: provider.Token{Access: provider.Secret(seed.AccessToken), Refresh: provider.Secret(seed.RefreshToken)},
	}
	return simulated{bundle: b, network: network}
}

// videoPost returns a playable video, padded to several chunks.
func videoPost() provider.Content {
	padding := binary.BigEndian.AppendUint32(nil, 700_000)
	padding = append(padding, "free"...)
	padding = append(padding, bytes.Repeat([]byte{1}, 700_000-8)...)
	c := clip()
	c.Parts[0].Media[0] = providertest.NewMedia("v.mp4", "video/mp4", append(mediatest.VerticalMP4(), padding...))
	return c
}

func (s simulated) wantOnePost(t *testing.T, text string) {
	t.Helper()
	posts := s.network.Posts()
	if len(posts) != 1 || !strings.Contains(posts[0].Text, text) {
		t.Errorf("timeline %+v; want %q once", posts, text)
	}
}

func TestSandboxVideoWithMetadata(t *testing.T) {
	t.Parallel()
	s := simulate(t, sandbox.Settings{})
	c := withSettings(videoPost(), `{"youtubeTitle":"Woods","youtubeThumbnailMediaId":"`+string(pictureID)+`","youtubeTags":["a b"],"youtubeHasPaidProductPlacement":true}`)
	c.Assets = map[crier.ID]provider.Media{pictureID: providertest.NewMedia("t.png", "image/png",
		mediatest.PNG(1280, 720))}
	st, err := s.drive(t, c, provider.State{})
	if err != nil || !st.Done || st.ProviderStatus != "processed" || len(st.Warnings) > 0 {
		t.Fatalf("state %+v, %v; want the video published and processed", st, err)
	}
	s.wantOnePost(t, "Woods")
	ctx := context.Background()
	reply := comment()
	reply.Target = provider.Target{PlatformPostID: st.PlatformPostID}
	said, err := s.drive(t, reply, provider.State{})
	if err != nil || !said.Done {
		t.Fatalf("comment %+v, %v; want it below the video", said, err)
	}
	s.network.Like(st.PlatformPostID, 3)
	metrics, err := s.PostMetrics(ctx, s.account, []string{st.PlatformPostID, "gone1234567"})
	if err != nil || len(metrics) != 1 || *metrics[st.PlatformPostID].Likes != 3 ||
		*metrics[st.PlatformPostID].Comments != 1 {
		t.Errorf("PostMetrics = %+v, %v", metrics, err)
	}
	for _, id := range []string{said.PlatformPostID, st.PlatformPostID} {
		if deletion, err := s.Delete(ctx, s.account, id); err != nil || deletion != provider.Deleted {
			t.Errorf("Delete(%s) = %q, %v", id, deletion, err)
		}
	}
	if deletion, err := s.Delete(ctx, s.account, st.PlatformPostID); err != nil || deletion != provider.AlreadyGone {
		t.Errorf("second Delete = %q, %v", deletion, err)
	}
}

func TestCrashAfterEachStepPublishesOnce(t *testing.T) {
	t.Parallel()
	s := simulate(t, sandbox.Settings{})
	st := providertest.DriveCrashing(t, s, s.account, videoPost(), s.clock, shortestWatch)
	if !st.Done || len(st.Published) != 1 {
		t.Errorf("state %+v; want it published", st)
	}
	s.wantOnePost(t, "A walk")
}

func TestSandboxLostAnswerIsReconciled(t *testing.T) {
	t.Parallel()
	for kind, want := range map[sim.FaultKind]provider.Outcome{
		sim.LostResponse: provider.OutcomePublished,
		sim.Outage:       provider.OutcomeAbsent,
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			s := simulate(t, sandbox.Settings{})
			s.network.Fault(sim.Publish, kind, nil)
			c := videoPost()
			st, at := s.lose(t, c)
			outcome, st, err := s.Reconcile(context.Background(), s.account, c, st, at)
			if err != nil || outcome != want {
				t.Fatalf("Reconcile = %q, %v; want %q", outcome, err, want)
			}
			if st, err = s.drive(t, c, st); err != nil || !st.Done {
				t.Errorf("state %+v, %v; want it published", st, err)
			}
			s.wantOnePost(t, "A walk")
		})
	}
}

func TestLostVideoIsFoundInTheChannelWithoutItsSession(t *testing.T) {
	t.Parallel()
	s := simulate(t, sandbox.Settings{})
	s.network.Fault(sim.Publish, sim.LostResponse, nil)
	c := videoPost()
	st, at := s.lose(t, c)
	st.Secrets = nil
	outcome, st, err := s.Reconcile(context.Background(), s.account, c, st, at)
	if err != nil || outcome != provider.OutcomePublished || st.PlatformPostID == "" {
		t.Errorf("Reconcile = %q, %+v, %v; want it published", outcome, st, err)
	}
}

func TestLostCommentIsFoundBelowTheVideo(t *testing.T) {
	t.Parallel()
	s := simulate(t, sandbox.Settings{})
	st, err := s.drive(t, videoPost(), provider.State{})
	if err != nil {
		t.Fatalf("publish: %v", err)
	}
	s.network.Fault(sim.Comment, sim.LostResponse, nil)
	c := comment()
	c.Target = provider.Target{PlatformPostID: st.PlatformPostID}
	lost, at := s.lose(t, c)
	outcome, lost, err := s.Reconcile(context.Background(), s.account, c, lost, at)
	if err != nil || outcome != provider.OutcomePublished || !isComment(lost.PlatformPostID) {
		t.Errorf("Reconcile = %q, %+v, %v; want the comment found", outcome, lost, err)
	}
}

func TestTokenRefreshDuringUpload(t *testing.T) {
	t.Parallel()
	s := simulate(t, sandbox.Settings{})
	s.network.Fault(sim.Upload, sim.AuthExpired, map[string]any{"skip": 2})
	st, err := s.drive(t, videoPost(), provider.State{})
	if e := provider.AsError(err); e == nil || e.Kind != provider.AuthExpired || st.Upload(0, 0).NextByte != unit {
		t.Fatalf("state %+v, %v; want the token refused after the first chunk", st, err)
	}
	token, err := s.Refresh(context.Background(), s.account)
	if err != nil || token.Access == s.account.Token.Access || token.Refresh != s.account.Token.Refresh {
		t.Fatalf("Refresh = %+v, %v", token, err)
	}
	s.account.Token = token
	if st, err = s.drive(t, videoPost(), st); err != nil || !st.Done {
		t.Errorf("state %+v, %v; want it published", st, err)
	}
	s.wantOnePost(t, "A walk")
}

func TestUnauditedProjectIsWarnedAbout(t *testing.T) {
	t.Parallel()
	s := simulate(t, sandbox.Settings{Unaudited: true})
	st, err := s.drive(t, videoPost(), provider.State{})
	if err != nil || len(st.Warnings) != 1 || !strings.Contains(st.Warnings[0], "private instead of public") {
		t.Errorf("state %+v, %v; want the warning that the video is private", st, err)
	}
}

func TestSandboxConsentReturnsAChannel(t *testing.T) {
	t.Parallel()
	s := simulate(t, sandbox.Settings{})
	const callback = "https://crier.test/oauth/youtube/callback"
	verifier := provider.Secret(strings.Repeat("v", 43))
	address, err := s.ConsentURL(provider.ConsentRequest{RedirectURL: callback, State: "S", Verifier: verifier})
	if err != nil {
		t.Fatalf("ConsentURL: %v", err)
	}
	answer := s.network.Do(simtest.Request{Method: http.MethodPost, Path: address,
		Form: url.Values{"decision": {"allow"}, "name": {"wanderer"}}})
	ctx := context.Background()
	token, err := s.Exchange(ctx, provider.CodeExchange{Code: provider.Secret(answer.Location().Query().Get("code")),
		RedirectURL: callback, Verifier: verifier})
	if err != nil {
		t.Fatalf("Exchange: %v", err)
	}
	accounts, err := s.Accounts(ctx, token)
	if err != nil || len(accounts) != 1 || accounts[0].ProviderAccountID != s.account.ProviderAccountID {
		t.Fatalf("Accounts = %+v, %v; want the channel", accounts, err)
	}
	connected := provider.Account{ProviderAccountID: accounts[0].ProviderAccountID, Details: accounts[0].Details,
		Scopes: token.Scopes, Token: token}
	if s.InfoFor(connected).Formats[0].Media[0].MaxSeconds != s.limits.LongVideoSeconds {
		t.Errorf("details %s; want long videos for a verified channel", accounts[0].Details)
	}
	for range 2 {
		if err := s.Revoke(ctx, connected); err != nil {
			t.Errorf("Revoke: %v", err)
		}
	}
	if _, err := s.Refresh(ctx, connected); err == nil || provider.AsError(err).Kind != provider.AuthExpired {
		t.Errorf("Refresh after the connection was revoked: %v", err)
	}
}

func TestPlaylistsAndCategoriesCanBeChosen(t *testing.T) {
	t.Parallel()
	s, ctx := simulate(t, sandbox.Settings{}), context.Background()
	playlists, err := s.Choices(ctx, s.account, keyPlaylists, "")
	if err != nil || len(playlists.List) == 0 || !strings.HasPrefix(playlists.List[0].Value, "PL") ||
		playlists.List[0].Label == "" || playlists.List[0].Detail == "" {
		t.Errorf("playlists %+v, %v", playlists, err)
	}
	b := setup(t, "playlists")
	if all, err := b.Choices(ctx, b.account, keyPlaylists, ""); err != nil || len(all.List) != 2 ||
		all.List[1].Value != "PL2" {
		t.Errorf("playlists of two pages %+v, %v", all, err)
	}
	categories, err := s.Choices(ctx, s.account, keyCategory, "DE")
	known := map[string]string{}
	for _, c := range categories.List {
		known[c.Value] = c.Label
	}
	if err != nil || known["22"] != "People & Blogs" || known["30"] != "" {
		t.Errorf("categories %v, %v; want those that can be assigned", known, err)
	}
}
