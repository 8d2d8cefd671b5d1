package instagram

import (
	"context"
	"net/url"
	"slices"
	"testing"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/providertest"
	"crier/internal/sandbox/graph/graphtest"
	sandbox "crier/internal/sandbox/instagram"
	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

// playground is a provider that runs against the sandbox, with the same clock.
type playground struct {
	bundle
	sandbox *simtest.Sandbox
	host    *graphtest.Host
}

func play(t *testing.T, mode Mode) playground {
	t.Helper()
	clock := providertest.NewClock()
	s := simtest.Start(t, sandbox.Network(), sim.Options{Now: clock.Now})
	p, err := New(Config{
		Mode: mode, Credentials: provider.Credentials{ClientID: "app", ClientSecret: "secret"},
		Caller: providertest.NewCaller(clock), Now: clock.Now,
	}.WithBase(s.URL + "/instagram"))
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	handle := "ada"
	if mode == FacebookLogin {
		handle = "facebook:ada"
	}
	seed := s.Seed(handle)
	return playground{sandbox: s, host: graphtest.NewHost(t),
		bundle: bundle{Provider: p, clock: clock, account: provider.Account{
			ProviderAccountID: seed.AccountID, Handle: seed.Handle, Scopes: seed.Scopes,
			Token: provider.Token{Access: provider.Secret(seed.AccessToken), Scopes: seed.Scopes},
		}}}
}

// media serves bytes at an address from which the sandbox can fetch them.
func (p playground) media(path, mimeType string, content []byte) provider.Media {
	m := providertest.NewMedia(path, mimeType, content)
	address := p.host.Serve("/"+path, mimeType, content)
	m.URL = func(context.Context) (string, error) { return address, nil }
	return m
}

func (p playground) picture(t *testing.T) provider.Media {
	t.Helper()
	return p.media("a.jpg", "image/jpeg", graphtest.JPEG(t, 800, 800))
}

func (p playground) mustPublish(t *testing.T, c provider.Content) provider.State {
	t.Helper()
	if found := p.Check(p.account, c); !found.OK() {
		t.Fatalf("Check: %v", found.Issues)
	}
	st, err := p.drive(t, c)
	if err != nil || !st.Done || len(st.Warnings) > 0 {
		t.Fatalf("publish: %v, state %+v", err, st)
	}
	return st
}

func TestSandboxAcceptsEveryPostKind(t *testing.T) {
	t.Parallel()
	for _, mode := range []Mode{InstagramLogin, FacebookLogin} {
		p := play(t, mode)
		picture := p.picture(t)
		picture.AltText = "A grey picture"
		video := p.media("v.mp4", "video/mp4", graphtest.MP4(graphtest.Video{}))
		first := p.mustPublish(t, withSettings(post("A picture", picture),
			`{"instagramUserTags":[{"username":"grace","x":0.5,"y":0.5}]}`))
		for name, c := range map[string]provider.Content{
			"carousel": post("Both", picture, video),
			"reel": withSettings(post("A reel", video),
				`{"instagramShareToFeed":false,"instagramThumbOffsetMs":500,"instagramCommentsEnabled":false}`),
			"picture as a story": withSettings(post("", picture), `{"instagramPostType":"story"}`),
			"video as a story":   withSettings(post("", video), `{"instagramPostType":"story"}`),
			"comment": {Action: provider.Comment, Target: provider.Target{PlatformPostID: first.PlatformPostID,
				Permalink: first.Published[0].Permalink},
				Parts: []provider.Part{{Text: "First!"}}},
		} {
			t.Run(string(mode)+" "+name, func(t *testing.T) {
				if st := p.mustPublish(t, c); st.Published[0].Permalink == "" {
					t.Errorf("state %+v, want a permalink", st)
				}
			})
		}
		if posts := p.sandbox.Posts(); len(posts) != 6 {
			t.Errorf("%s: %d posts on the timeline, want 6", mode, len(posts))
		}
	}
}

func TestProductsAndPaidPartnershipsNeedFacebookLogin(t *testing.T) {
	t.Parallel()
	const partnership = `"instagramPaidPartnership":true,"instagramSponsorIds":["17841401441775531"]`
	p := play(t, FacebookLogin)
	seed := p.sandbox.Seed("facebook:shop:ada")
	p.account.Scopes, p.account.Token.Access = seed.Scopes, provider.Secret(seed.AccessToken)
	video := p.media("v.mp4", "video/mp4", graphtest.MP4(graphtest.Video{}))
	for name, c := range map[string]provider.Content{
		"image": withSettings(post("Buy", p.picture(t)),
			`{"instagramProductTags":[{"productId":"3231775643511089","x":0.5,"y":0.8}],`+partnership+`}`),
		"carousel": withSettings(post("Buy both", p.picture(t), video),
			`{"instagramProductTags":[{"productId":"1","x":0.5,"y":0.8},{"productId":"2","mediaIndex":1}],`+
				partnership+`}`),
		"reel": withSettings(post("Buy", video),
			`{"instagramProductTags":[{"productId":"1","x":0.1,"y":0.1}],`+partnership+`}`),
		"story": withSettings(post("", p.picture(t)), `{"instagramPostType":"story",`+partnership+`}`),
	} {
		t.Run(name, func(t *testing.T) { p.mustPublish(t, c) })
	}
	without := play(t, FacebookLogin) // an app without the permission
	sold := withSettings(post("Buy", without.picture(t)), `{"instagramProductTags":[{"productId":"1","x":0,"y":0}]}`)
	if found := without.Check(without.account, sold); found.OK() {
		t.Error("Check accepts products without the permission")
	}
	if _, err := without.drive(t, sold); provider.AsError(err) == nil {
		t.Error("the sandbox accepts products without the permission")
	}
	plain := play(t, InstagramLogin)
	labelled := withSettings(post("Buy", plain.picture(t)), `{`+partnership+`}`)
	if found := plain.Check(plain.account, labelled); len(found.Issues) != 2 {
		t.Errorf("Check = %+v, want both settings refused", found)
	}
	if _, err := plain.drive(t, labelled); provider.AsError(err) == nil {
		t.Error("the sandbox accepts a partnership from Instagram Login")
	}
}

func TestSandboxRefreshMetricsAndDelete(t *testing.T) {
	t.Parallel()
	p, ctx := play(t, InstagramLogin), context.Background()
	id := p.mustPublish(t, post("Hello", p.picture(t))).PlatformPostID
	story := p.mustPublish(t, withSettings(post("", p.picture(t)), `{"instagramPostType":"story"}`)).PlatformPostID
	p.sandbox.Like(id, 3)
	metrics, err := p.PostMetrics(ctx, p.account, []string{id})
	if err != nil || metrics[id].Likes == nil || *metrics[id].Likes != 3 {
		t.Errorf("PostMetrics = %+v, %v; want 3 likes", metrics, err)
	}
	if metrics, err = p.PostMetrics(ctx, p.account, []string{story}); err != nil {
		t.Errorf("PostMetrics of a story = %+v, %v", metrics, err)
	}
	video := p.mustPublish(t, post("A reel", p.media("v.mp4", "video/mp4",
		graphtest.MP4(graphtest.Video{})))).PlatformPostID
	p.sandbox.Like(video, 2)
	if metrics, err = p.PostMetrics(ctx, p.account, []string{video}); err != nil ||
		metrics[video].Extra["averageWatchMillis"] == 0 || metrics[video].Extra["watchMillis"] == 0 {
		t.Errorf("PostMetrics of a reel = %+v, %v; want the watch time", metrics, err)
	}
	if account, err := p.AccountMetrics(ctx, p.account, p.clock.Now().Add(-time.Hour), p.clock.Now()); err != nil ||
		account.Followers == nil {
		t.Errorf("AccountMetrics = %+v, %v", account, err)
	}
	p.clock.Advance(25 * time.Hour)
	renewed, err := p.Refresh(ctx, p.account)
	if err != nil || !renewed.ExpiresAt.After(p.clock.Now().Add(59*24*time.Hour)) {
		t.Fatalf("Refresh = %+v, %v", renewed, err)
	}
	p.account.Token = renewed
	if profile, err := p.Profile(ctx, p.account); err != nil ||
		profile.ProviderAccountID != p.account.ProviderAccountID || profile.Handle != "ada" {
		t.Errorf("Profile = %+v, %v", profile, err)
	}
	other := play(t, FacebookLogin)
	id = other.mustPublish(t, post("Hello", other.picture(t))).PlatformPostID
	for _, want := range []provider.Deletion{provider.Deleted, provider.AlreadyGone} {
		if got, err := other.Delete(ctx, other.account, id); err != nil || got != want {
			t.Errorf("Delete = %q, %v; want %q", got, err, want)
		}
	}
}

func TestSandboxLostAnswerIsReconciled(t *testing.T) {
	t.Parallel()
	for _, operation := range []sim.Operation{sim.Publish, sim.Comment} {
		t.Run(string(operation), func(t *testing.T) {
			t.Parallel()
			p := play(t, InstagramLogin)
			c, want := post("Hello", p.picture(t)), 1
			if operation == sim.Comment {
				root := p.mustPublish(t, c)
				c, want = provider.Content{Action: provider.Comment,
					Target: provider.Target{PlatformPostID: root.PlatformPostID},
					Parts:  []provider.Part{{Text: "First!"}}}, 2
			}
			p.sandbox.Fault(operation, sim.LostResponse, nil)
			started := p.clock.Now()
			st, err := p.drive(t, c)
			if provider.AsError(err).Kind != provider.OutcomeUnknown {
				t.Fatalf("publish error = %v, want an unknown outcome", err)
			}
			outcome := provider.OutcomePending
			for i := 0; outcome == provider.OutcomePending && i < 5; i++ {
				if outcome, st, err = p.Reconcile(context.Background(), p.account, c, providertest.Reload(t, st),
					provider.Attempt{StartedAt: started}); err != nil {
					t.Fatalf("Reconcile: %v", err)
				}
			}
			posts := p.sandbox.Posts()
			if outcome != provider.OutcomePublished || len(posts) != want ||
				posts[want-1].PlatformPostID != st.PlatformPostID {
				t.Errorf("outcome %q, state %+v, timeline %+v; want one post", outcome, st, posts)
			}
		})
	}
}

func TestSandboxOutagePublishesOnce(t *testing.T) {
	t.Parallel()
	p := play(t, InstagramLogin)
	c := post("Hello", p.picture(t))
	p.sandbox.Fault(sim.Publish, sim.Outage, nil)
	started := p.clock.Now()
	st, err := p.drive(t, c)
	if provider.AsError(err).Kind != provider.OutcomeUnknown {
		t.Fatalf("publish error = %v, want an unknown outcome", err)
	}
	outcome, st, err := p.Reconcile(context.Background(), p.account, c, st, provider.Attempt{StartedAt: started})
	if err != nil || outcome != provider.OutcomeAbsent {
		t.Fatalf("Reconcile = %q, %v; want absent", outcome, err)
	}
	if _, err = providertest.Drive(t, p, p.account, c, st, p.clock); err != nil || len(p.sandbox.Posts()) != 1 {
		t.Errorf("second attempt: %v, timeline %+v", err, p.sandbox.Posts())
	}
}

func TestSandboxFaultsAreClassified(t *testing.T) {
	t.Parallel()
	for kind, want := range map[sim.FaultKind][]provider.Kind{
		sim.RateLimit: {provider.RateLimited}, sim.AuthExpired: {provider.AuthExpired}, sim.Reject: {provider.Rejected},
		sim.Restricted: {provider.Rejected, provider.Temporary},
	} {
		p := play(t, InstagramLogin)
		p.sandbox.Fault(sim.Publish, kind, nil)
		_, err := p.drive(t, post("Hello", p.picture(t)))
		if failure := provider.AsError(err); failure == nil || !slices.Contains(want, failure.Kind) {
			t.Errorf("%s: %v, want %v", kind, err, want)
		}
	}
}

func TestSandboxConsent(t *testing.T) {
	t.Parallel()
	for mode, want := range map[Mode]int{InstagramLogin: 1, FacebookLogin: 2} {
		p, ctx := play(t, mode), context.Background()
		address, err := p.ConsentURL(provider.ConsentRequest{RedirectURL: "https://crier.test/cb", State: "S"})
		if err != nil {
			t.Fatalf("ConsentURL: %v", err)
		}
		back := p.sandbox.Do(simtest.Request{Method: "POST", Path: address,
			Form: url.Values{"decision": {"allow"}, "name": {"grace"}}}).Location()
		token, err := p.Exchange(ctx, provider.CodeExchange{Code: provider.Secret(back.Query().Get("code")),
			RedirectURL: "https://crier.test/cb"})
		if err != nil || len(token.Scopes) != len(p.info.Scopes) {
			t.Fatalf("%s: Exchange = %+v, %v; want all scopes", mode, token, err)
		}
		accounts, err := p.Accounts(ctx, token)
		if err != nil || len(accounts) != want {
			t.Fatalf("%s: Accounts = %+v, %v; want %d", mode, accounts, err, want)
		}
		for _, a := range accounts {
			p.account = provider.Account{ProviderAccountID: a.ProviderAccountID, Handle: a.Handle,
				Scopes: a.Token.Scopes, Details: a.Details, Token: a.Token}
			p.mustPublish(t, post("Hello", p.picture(t)))
		}
	}
}

func TestLongMetricWindowsAreLimitedToThirtyDays(t *testing.T) {
	t.Parallel()
	p, ctx := play(t, FacebookLogin), context.Background()
	p.clock.Advance(100 * 24 * time.Hour)
	now := p.clock.Now()
	account, err := p.AccountMetrics(ctx, p.account, now.Add(-90*24*time.Hour), now)
	if err != nil || account.Reach == nil || !account.From.Equal(now.Add(-30*24*time.Hour)) || !account.To.Equal(now) {
		t.Errorf("AccountMetrics = %+v, %v; want 30 days", account, err)
	}
}
