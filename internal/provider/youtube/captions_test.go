package youtube

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/providertest"
	"crier/internal/sandbox/simtest"
	sandbox "crier/internal/sandbox/youtube"
)

const twoCaptions = `{"youtubeCaptions":[{"language":"en","name":"English",
	"text":"1\n00:00:01,000 --> 00:00:04,000\nHello\n"},
	{"language":"pt-BR","text":"WEBVTT\n\n00:01.000 --> 00:04.000\nOi\n"}]}`

func TestVideosHaveCaptions(t *testing.T) {
	t.Parallel()
	s := simulate(t, sandbox.Settings{})
	c := withSettings(videoPost(), twoCaptions)
	if found := s.Check(s.account, c); !found.OK() {
		t.Fatalf("Check: %v", found.Issues)
	}
	st, err := s.drive(t, c, provider.State{})
	if err != nil || !st.Done || len(st.Warnings) > 0 {
		t.Fatalf("publish: %+v, %v", st, err)
	}
	list := s.network.Must(http.StatusOK, simtest.Request{Method: "GET", Token: s.account.Token.Access.Reveal(),
		Path: "/youtube/youtube/v3/captions?part=snippet&videoId=" + st.PlatformPostID})
	for i, want := range []string{"en", "pt-BR"} {
		if got := list.Text("items", i, "snippet", "language"); got != want {
			t.Errorf("language of captions %d is %q, want %q: %s", i, got, want, list.Body)
		}
	}
	// The response to the first captions was lost: captions that already exist count as a success.
	again := provider.State{Done: true, RequiresPolling: true, PlatformPostID: st.PlatformPostID}
	again.Note(noteNext, nextCaption)
	again.Note(noteCaption, "0")
	if again, err = s.Poll(context.Background(), s.account, c, again); err != nil || len(again.Warnings) > 0 ||
		again.Data[noteCaption] != "1" {
		t.Errorf("the same captions again: %+v, %v", again, err)
	}
}

func TestRefusedCaptionsLeaveAWarning(t *testing.T) {
	t.Parallel()
	s := simulate(t, sandbox.Settings{})
	st, err := s.drive(t, withSettings(videoPost(), `{"youtubeCaptions":[{"language":"en","text":"nothing"}]}`),
		provider.State{})
	if err != nil || !st.Done || len(st.Warnings) != 1 || !strings.Contains(st.Warnings[0], "captions in en") {
		t.Errorf("publish: %+v, %v; want the video with a warning", st, err)
	}
}

func TestCaptionsAreCheckedBeforehand(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for settings, want := range map[string]string{
		twoCaptions: "",
		`{"youtubeCaptions":[{"language":"en","text":"nothing"}]}`:                            "youtubeCaptions/0/text",
		`{"youtubeCaptions":[{"language":"en","text":"-->"},{"language":"EN","text":"-->"}]}`: "youtubeCaptions/1",
	} {
		found := b.Check(b.account, withSettings(clip(), settings))
		var got string
		for _, issue := range found.Issues {
			got += strings.Join(issue.Path[1:], "/")
		}
		if got != want {
			t.Errorf("%s: issues at %q, want %q", settings, got, want)
		}
	}
}

func TestWatchTimeNeedsItsScope(t *testing.T) {
	t.Parallel()
	s, ctx := simulate(t, sandbox.Settings{}), context.Background()
	st, err := s.drive(t, videoPost(), provider.State{})
	if err != nil {
		t.Fatal(err)
	}
	id := st.PlatformPostID
	s.network.Like(id, 4)
	for handle, want := range map[string]int64{"wanderer": 0, "analytics:wanderer": 6} {
		seed := s.network.Seed(handle)
		a := s.account
		a.Scopes, a.Token.Access = seed.Scopes, provider.Secret(seed.AccessToken)
		metrics, err := s.PostMetrics(ctx, a, []string{id})
		if err != nil || *metrics[id].Views != 4 || metrics[id].Extra["watchMinutes"] != want ||
			want > 0 && metrics[id].Extra["averageViewSeconds"] != 90 {
			t.Errorf("%s: PostMetrics = %+v, %v; want %d minutes", handle, metrics, err, want)
		}
		account, err := s.AccountMetrics(ctx, a, s.clock.Now().Add(-48*time.Hour), s.clock.Now())
		if err != nil || account.Extra["watchMinutes"] != want || account.From.IsZero() != (want == 0) {
			t.Errorf("%s: AccountMetrics = %+v, %v; want %d minutes", handle, account, err, want)
		}
	}
}

func TestDeadTokenIsReportedByWatchTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":{"code":401,"errors":[{"reason":"authError"}],"status":"UNAUTHENTICATED"}}`)
	}))
	t.Cleanup(server.Close)
	b.analytics.BaseURL, b.account.Scopes = server.URL, []string{scopeAnalytics}
	_, err := b.readReport(context.Background(), b.account, time.Time{}, time.Time{}, "")
	if failure := provider.AsError(err); failure == nil || failure.Code != provider.CodeAuthExpired {
		t.Errorf("readReport: %v, want the token refreshed", err)
	}
}

func TestConsentRequestsAnalyticsOnlyWhenConfigured(t *testing.T) {
	t.Parallel()
	clock := providertest.NewClock()
	for _, analytics := range []bool{false, true} {
		p, err := New(Config{Credentials: provider.Credentials{ClientID: "c", ClientSecret: "s"},
			Caller: providertest.NewCaller(clock), Now: clock.Now, Analytics: analytics})
		if err != nil {
			t.Fatal(err)
		}
		address, err := p.ConsentURL(provider.ConsentRequest{RedirectURL: "https://app.example/cb", State: "S",
			Verifier: "v"})
		if err != nil || strings.Contains(address, "yt-analytics") != analytics {
			t.Errorf("analytics %v: ConsentURL = %s, %v", analytics, address, err)
		}
	}
}
