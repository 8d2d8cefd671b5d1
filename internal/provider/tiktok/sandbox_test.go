package tiktok

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"crier/internal/media/mediatest"
	"crier/internal/provider"
	"crier/internal/provider/providertest"
	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
	sandbox "crier/internal/sandbox/tiktok"
)

// simulated is a provider that runs against the TikTok of the sandbox.
type simulated struct {
	bundle
	network *simtest.Sandbox
}

func simulate(t *testing.T, handle string, settings sandbox.Settings) simulated {
	t.Helper()
	b := setup(t)
	network := simtest.Start(t, sandbox.Network(settings), sim.Options{Now: b.clock.Now})
	p, err := New(Config{
		Credentials: provider.Credentials{ClientID: "client-1", ClientSecret: "client-secret"},
		Caller:      providertest.NewCaller(b.clock),
		Now:         b.clock.Now,
		Limits:      chunked,
	}.WithBase(network.URL + "/tiktok"))
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	seed := network.Seed(handle)
	b.Provider = p
	b.account = provider.Account{
		ProviderAccountID: seed.AccountID, Handle: seed.Handle, Scopes: seed.Scopes,
		Token: provider.Token{Access: provider.Secret(seed.AccessToken), Refresh: provider.Secret(seed.RefreshToken)},
	}
	return simulated{bundle: b, network: network}
}

// videoBytes returns a playable video, padded to two chunks.
var videoBytes = sync.OnceValue(func() []byte {
	const size = 11_000_000
	padding := binary.BigEndian.AppendUint32(nil, size)
	padding = append(padding, "free"...)
	padding = append(padding, bytes.Repeat([]byte{1}, size-8)...)
	return append(mediatest.VerticalMP4(), padding...)
})

// videoPost returns a playable video of two chunks.
func videoPost(settings string) provider.Content {
	c := clip(settings)
	c.Parts[0].Media[0] = providertest.NewMedia("v.mp4", "video/mp4", videoBytes())
	return c
}

// photoPost returns a post with pictures that the sandbox can fetch.
func photoPost(t *testing.T, settings string) provider.Content {
	t.Helper()
	picture := mediatest.JPEG(1080, 1350)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/jpeg")
		_, _ = w.Write(picture) // the sandbox fetches after its answer: the test may be over
	}))
	t.Cleanup(server.Close)
	c := photos(settings)
	for i := range c.Parts[0].Media {
		m := providertest.NewMedia("p.jpg", "image/jpeg", picture)
		m.URL = func(context.Context) (string, error) { return server.URL + "/p.jpg", nil }
		c.Parts[0].Media[i] = m
	}
	return c
}

func (s simulated) wantOnePost(t *testing.T, text string) {
	t.Helper()
	posts := s.network.Posts()
	if len(posts) != 1 || !strings.Contains(posts[0].Text, text) {
		t.Errorf("timeline %+v; want %q once", posts, text)
	}
}

func TestSandboxVideo(t *testing.T) {
	t.Parallel()
	s := simulate(t, "wanderer", sandbox.Settings{})
	st, err := s.drive(t, videoPost(public), provider.State{})
	if err != nil || !st.Done || st.PlatformPostID == "" || len(st.Warnings) > 0 {
		t.Fatalf("state %+v, %v; want the video published", st, err)
	}
	if want := "/tiktok/@wanderer/video/" + st.PlatformPostID; !strings.HasSuffix(st.Published[0].Permalink, want) {
		t.Errorf("permalink %q does not end in %q", st.Published[0].Permalink, want)
	}
	s.wantOnePost(t, "A walk")
	s.network.Like(st.PlatformPostID, 3)
	metrics, err := s.PostMetrics(context.Background(), s.account, []string{st.PlatformPostID, "1"})
	if err != nil || len(metrics) != 1 || *metrics[st.PlatformPostID].Likes != 3 {
		t.Errorf("PostMetrics = %+v, %v", metrics, err)
	}
	account, err := s.AccountMetrics(context.Background(), s.account, time.Time{}, time.Time{})
	if err != nil || *account.Posts != 1 {
		t.Errorf("AccountMetrics = %+v, %v", account, err)
	}
}

func TestSandboxPhotos(t *testing.T) {
	t.Parallel()
	s := simulate(t, "wanderer", sandbox.Settings{})
	st, err := s.drive(t, photoPost(t, public), provider.State{})
	if err != nil || st.PlatformPostID == "" {
		t.Fatalf("state %+v, %v; want the pictures published", st, err)
	}
	s.wantOnePost(t, "Two cats")
}

func TestPrivatePostsAndDraftsEndWithoutAnID(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]string{"private": `{"tiktokPrivacyLevel":"SELF_ONLY"}`,
		"draft": `{"tiktokPostMode":"inbox"}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := simulate(t, "wanderer", sandbox.Settings{})
			st, err := s.drive(t, videoPost(settings), provider.State{})
			if err != nil || !st.Done || st.PlatformPostID != "" {
				t.Errorf("state %+v, %v; want it done", st, err)
			}
		})
	}
}

func TestPrivateAccountDoesNotPostToEveryone(t *testing.T) {
	t.Parallel()
	s := simulate(t, "private_wanderer", sandbox.Settings{})
	_, err := s.drive(t, videoPost(public), provider.State{})
	if e := provider.AsError(err); e == nil || e.Code != provider.CodeContentRejected ||
		!strings.Contains(e.Message, privacyFollowers) {
		t.Errorf("error %v; want the privacy levels of the account", err)
	}
}

func TestCrashAfterEachStepPublishesOnce(t *testing.T) {
	t.Parallel()
	s := simulate(t, "wanderer", sandbox.Settings{})
	st := providertest.DriveCrashing(t, s, s.account, videoPost(public), s.clock, 2*time.Second)
	if !st.Done || len(st.Published) != 1 || st.PlatformPostID == "" {
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
			s := simulate(t, "wanderer", sandbox.Settings{})
			s.network.Fault(sim.Publish, kind, nil)
			c := videoPost(public)
			st, at := s.lose(t, c)
			outcome, st, err := s.Reconcile(context.Background(), s.account, c, st, at)
			if err != nil || outcome != want {
				t.Fatalf("Reconcile = %q, %v; want %q", outcome, err, want)
			}
			if st, err = s.drive(t, c, st); err != nil || st.PlatformPostID == "" {
				t.Errorf("state %+v, %v; want it published", st, err)
			}
			s.wantOnePost(t, "A walk")
		})
	}
}

func TestSandboxLostPhotoPostIsFoundInTheList(t *testing.T) {
	t.Parallel()
	s := simulate(t, "wanderer", sandbox.Settings{})
	s.network.Fault(sim.Publish, sim.LostResponse, nil)
	c := photoPost(t, public)
	st, at := s.lose(t, c)
	outcome := provider.OutcomePending
	for range 3 {
		s.clock.Advance(listDelay)
		var err error
		if outcome, st, err = s.Reconcile(context.Background(), s.account, c, providertest.Reload(t, st),
			at); err != nil {
			t.Fatalf("Reconcile: %v", err)
		}
		if outcome != provider.OutcomePending {
			break
		}
	}
	if outcome != provider.OutcomePublished || st.PlatformPostID == "" {
		t.Errorf("Reconcile = %q, %+v; want it published", outcome, st)
	}
	s.wantOnePost(t, "Two cats")
}

func TestSandboxRejectionAfterTheLastChunkHasAReason(t *testing.T) {
	t.Parallel()
	for kind, want := range map[sim.FaultKind]provider.Code{
		sim.Reject:     provider.CodeContentRejected,
		sim.Restricted: provider.CodeAccountRestricted,
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			s := simulate(t, "wanderer", sandbox.Settings{})
			s.network.Fault(sim.Publish, kind, nil)
			_, err := s.drive(t, videoPost(public), provider.State{})
			if e := provider.AsError(err); e == nil || e.Kind != provider.Rejected || e.Code != want {
				t.Errorf("error %v, want %s", err, want)
			}
		})
	}
}

func TestPostWithRevokedAuthorizationRestarts(t *testing.T) {
	t.Parallel()
	s := simulate(t, "wanderer", sandbox.Settings{})
	s.network.Fault(sim.Publish, sim.AuthExpired, nil)
	st, err := s.drive(t, videoPost(public), provider.State{})
	if err != nil || st.PlatformPostID == "" {
		t.Errorf("state %+v, %v; want it published at the second attempt", st, err)
	}
	s.wantOnePost(t, "A walk")
}

func TestSandboxRefreshTokensWorkOnce(t *testing.T) {
	t.Parallel()
	s := simulate(t, "wanderer", sandbox.Settings{AccessLifetime: 2 * time.Hour})
	ctx := context.Background()
	token, err := s.Refresh(ctx, s.account)
	if err != nil || token.Refresh == s.account.Token.Refresh ||
		!token.ExpiresAt.Equal(s.clock.Now().Add(2*time.Hour)) {
		t.Fatalf("Refresh = %+v, %v; want a new pair", token, err)
	}
	if _, err := s.Refresh(ctx, s.account); err == nil || provider.AsError(err).Kind != provider.AuthExpired {
		t.Errorf("second use of the refresh token: %v; want it invalid", err)
	}
	s.account.Token = token
	if _, err := s.drive(t, photoPost(t, public), provider.State{}); err != nil {
		t.Errorf("publish with the new pair: %v", err)
	}
}

func TestSandboxConsentReturnsAnAccount(t *testing.T) {
	t.Parallel()
	s := simulate(t, "private_wanderer", sandbox.Settings{})
	const callback = "https://crier.test/oauth/tiktok/callback"
	verifier := provider.Secret(strings.Repeat("v", 43))
	address, err := s.ConsentURL(provider.ConsentRequest{RedirectURL: callback, State: "S", Verifier: verifier})
	if err != nil {
		t.Fatalf("ConsentURL: %v", err)
	}
	answer := s.network.Do(simtest.Request{Method: http.MethodPost, Path: address,
		Form: url.Values{"decision": {"allow"}, "name": {"private_wanderer"}}})
	ctx := context.Background()
	token, err := s.Exchange(ctx, provider.CodeExchange{Code: provider.Secret(answer.Location().Query().Get("code")),
		RedirectURL: callback, Verifier: verifier})
	if err != nil {
		t.Fatalf("Exchange: %v", err)
	}
	accounts, err := s.Accounts(ctx, token)
	if err != nil || len(accounts) != 1 || accounts[0].ProviderAccountID != s.account.ProviderAccountID ||
		accounts[0].Handle != "private_wanderer" {
		t.Fatalf("Accounts = %+v, %v; want the account", accounts, err)
	}
	connected := provider.Account{ProviderAccountID: accounts[0].ProviderAccountID, Details: accounts[0].Details,
		Scopes: token.Scopes, Token: token}
	if found := s.Check(connected, videoPost(public)); found.OK() {
		t.Error("a private account may post to everyone")
	}
	for range 2 {
		if err := s.Revoke(ctx, connected); err != nil {
			t.Errorf("Revoke: %v", err)
		}
	}
}

// videoOfSize returns a playable video of size bytes.
func videoOfSize(size int64) provider.Content {
	data := mediatest.VerticalMP4()
	padding := binary.BigEndian.AppendUint32(nil, uint32(size-int64(len(data))))
	data = append(append(data, padding...), "free"...)
	data = append(data, make([]byte, size-int64(len(data)))...)
	c := clip(public)
	c.Parts[0].Media[0] = providertest.NewMedia("v.mp4", "video/mp4", data)
	return c
}

func TestSandboxAcceptsVideosOfEverySize(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{100_000, 4_999_999, 7_000_000, 9_999_999, 12_000_005} {
		for _, limits := range []Limits{{}, chunked} {
			t.Run(fmt.Sprintf("%d bytes, %d in one", size, limits.SingleChunkBytes), func(t *testing.T) {
				t.Parallel()
				b := simulate(t, "ada", sandbox.Settings{})
				b.limits = limits.withDefaults()
				st, err := b.drive(t, videoOfSize(size), provider.State{})
				if err != nil || !st.Done {
					t.Errorf("state %+v, %v; want it published", st, err)
				}
			})
		}
	}
}

func TestSecondAccountCanBeConnectedInTheSameBrowser(t *testing.T) {
	t.Parallel()
	b := simulate(t, "ada", sandbox.Settings{})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	for _, handle := range []string{"ada", "bob"} {
		address, err := b.ConsentURL(provider.ConsentRequest{RedirectURL: "http://crier.test/cb", State: "s",
			Verifier: "verifier"})
		if err != nil {
			t.Fatal(err)
		}
		page, err := browser.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		page.Body.Close()
		if page.StatusCode != http.StatusOK {
			t.Fatalf("%s: TikTok shows no consent page: %d, %s", handle, page.StatusCode, page.Header.Get("Location"))
		}
		agreed, err := browser.PostForm(address, url.Values{"decision": {"allow"}, "account": {handle}})
		if err != nil {
			t.Fatal(err)
		}
		agreed.Body.Close()
		to, err := agreed.Location()
		if err != nil || to.Query().Get("code") == "" {
			t.Errorf("%s: the consent redirects to %v, %v", handle, to, err)
		}
	}
}

func TestCreatorInfoOptions(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for handle, want := range map[string][]string{
		"ada":         {privacyPublic, privacyFriends, privacySelf},
		"private_ada": {privacyFollowers, privacyFriends, privacySelf},
	} {
		b := simulate(t, handle, sandbox.Settings{})
		levels, err := b.Choices(ctx, b.account, keyPrivacyLevel, "")
		var values []string
		for _, c := range levels.List {
			values = append(values, c.Value)
		}
		if err != nil || !slices.Equal(values, want) || levels.Face == nil || levels.Face.Handle != handle ||
			levels.Face.DisplayName == "" || levels.Face.ImageURL == "" || levels.List[0].Label == "" {
			t.Errorf("%s: %+v, %v", handle, levels, err)
		}
		duets, err := b.Choices(ctx, b.account, keyAllowDuet, "")
		if private := handle != "ada"; err != nil || private != (len(duets.List) == 1) {
			t.Errorf("%s: duets %+v, %v", handle, duets, err)
		}
	}
	moments := map[string]bool{}
	for _, d := range setup(t).Info().Declarations {
		moments[d.Moment] = true
		for name := range d.Links {
			if !strings.Contains(d.Text, "{"+name+"}") || d.Labels[name] == "" {
				t.Errorf("declaration %+v does not have its link %s", d, name)
			}
		}
	}
	if !moments[provider.BeforePosting] || !moments[provider.AfterPosting] {
		t.Errorf("declarations for %v", moments)
	}
}
