package threads

import (
	"context"
	"net/url"
	"slices"
	"testing"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/providertest"
	"crier/internal/sandbox/graph/graphtest"
	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
	sandbox "crier/internal/sandbox/threads"
)

// playground is a provider that runs against the sandbox, with the same clock.
type playground struct {
	bundle
	sandbox *simtest.Sandbox
	host    *graphtest.Host
}

func play(t *testing.T) playground {
	t.Helper()
	clock := providertest.NewClock()
	s := simtest.Start(t, sandbox.Network(), sim.Options{Now: clock.Now})
	p, err := New(Config{Caller: providertest.NewCaller(clock), Now: clock.Now}.WithBase(s.URL + "/threads"))
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	seed := s.Seed("ada")
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
	p := play(t)
	picture := p.media("a.jpg", "image/jpeg", graphtest.JPEG(t, 800, 600))
	picture.AltText = "A grey picture"
	clip := p.media("v.mp4", "video/mp4", graphtest.MP4(graphtest.Video{}))
	root := p.mustPublish(t, text("Hello 👍"))
	post := provider.Target{PlatformPostID: root.PlatformPostID}
	for name, c := range map[string]provider.Content{
		"image":    withMedia("A picture", picture),
		"video":    withMedia("A video", clip),
		"carousel": withSettings(withMedia("Both", picture, clip), `{"threadsSpoilerMedia":true}`),
		"thread":   withSettings(text("1/3", "2/3", "3/3"), `{"threadsReplyControl":"mentionedOnly"}`),
		"poll": withSettings(text("Vote"),
			`{"threadsPoll":{"options":["Red","Blue"]},"threadsTopicTag":"colours"}`),
		"link": {Action: provider.Post, Parts: []provider.Part{{Text: "Read",
			Links: []provider.Link{{URL: "https://crier.dev"}}}}},
		"comment": {Action: provider.Comment, Target: post,
			Parts: []provider.Part{{Text: "First!", Media: []provider.Media{picture}}}},
		"quote": {Action: provider.Quote, Target: post, Parts: []provider.Part{{Text: "Look"}}},
		"repost": {Action: provider.Repost, Target: provider.Target{PlatformPostID: root.PlatformPostID,
			Permalink: "https://x"}},
	} {
		t.Run(name, func(t *testing.T) {
			if st := p.mustPublish(t, c); st.Published[0].Permalink == "" || len(st.Published) != max(1, len(c.Parts)) {
				t.Errorf("state %+v, want all parts with a permalink", st)
			}
		})
	}
	if posts := p.sandbox.Posts(); len(posts) != 1+9+2 {
		t.Errorf("%d posts on the timeline, want 12", len(posts))
	}
}

func TestSandboxRefreshMetricsAndDelete(t *testing.T) {
	t.Parallel()
	p, ctx := play(t), context.Background()
	id := p.mustPublish(t, text("Hello")).PlatformPostID
	p.sandbox.Like(id, 3)
	metrics, err := p.PostMetrics(ctx, p.account, []string{id})
	if err != nil || metrics[id].Likes == nil || *metrics[id].Likes != 3 {
		t.Errorf("PostMetrics = %+v, %v; want 3 likes", metrics, err)
	}
	if account, err := p.AccountMetrics(ctx, p.account, p.clock.Now().Add(-time.Hour), p.clock.Now()); err != nil ||
		account.Followers == nil {
		t.Errorf("AccountMetrics = %+v, %v", account, err)
	}
	for _, want := range []provider.Deletion{provider.Deleted, provider.AlreadyGone} {
		if got, err := p.Delete(ctx, p.account, id); err != nil || got != want {
			t.Errorf("Delete = %q, %v; want %q", got, err, want)
		}
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
}

func TestSandboxLostAnswerIsReconciled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]provider.Content{
		"post": text("Hello"), "thread": text("1/2", "2/2"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := play(t)
			last := len(c.Parts) - 1
			p.sandbox.Fault(sim.Publish, sim.LostResponse, map[string]any{"skip": last})
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
			if outcome != provider.OutcomePublished || !st.Done {
				t.Fatalf("outcome %q, state %+v; want it published", outcome, st)
			}
			posts := p.sandbox.Posts()
			if len(posts) != len(c.Parts) || posts[last].PlatformPostID != st.Published[last].PlatformPostID {
				t.Errorf("timeline %+v, state %+v; want each part once", posts, st.Published)
			}
		})
	}
}

func TestSandboxOutagePublishesOnce(t *testing.T) {
	t.Parallel()
	p := play(t)
	c := text("Hello")
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
		p := play(t)
		p.sandbox.Fault(sim.Publish, kind, nil)
		_, err := p.drive(t, text("Hello"))
		if failure := provider.AsError(err); failure == nil || !slices.Contains(want, failure.Kind) {
			t.Errorf("%s: %v, want %v", kind, err, want)
		}
	}
}

func TestSandboxConsent(t *testing.T) {
	t.Parallel()
	p, ctx := play(t), context.Background()
	p.tokens.Credentials = provider.Credentials{ClientID: "app", ClientSecret: "secret"}
	address, err := p.ConsentURL(provider.ConsentRequest{RedirectURL: "https://crier.test/cb", State: "S"})
	if err != nil {
		t.Fatalf("ConsentURL: %v", err)
	}
	back := p.sandbox.Do(simtest.Request{Method: "POST", Path: address, Form: url.Values{
		"decision": {"allow"}, "name": {"grace"}, "scope": {"threads_basic", "threads_content_publish"},
	}}).Location()
	token, err := p.Exchange(ctx, provider.CodeExchange{Code: provider.Secret(back.Query().Get("code")),
		RedirectURL: "https://crier.test/cb"})
	if err != nil || !slices.Equal(token.Scopes, []string{"threads_basic", "threads_content_publish"}) {
		t.Fatalf("Exchange = %+v, %v; want the two scopes", token, err)
	}
	accounts, err := p.Accounts(ctx, token)
	if err != nil || len(accounts) != 1 || accounts[0].Handle != "grace" {
		t.Errorf("Accounts = %+v, %v", accounts, err)
	}
}

func TestTextNeedsNoReplyPermission(t *testing.T) {
	t.Parallel()
	p, ctx := play(t), context.Background()
	p.tokens.Credentials = provider.Credentials{ClientID: "app", ClientSecret: "secret"}
	address, err := p.ConsentURL(provider.ConsentRequest{RedirectURL: "https://crier.test/cb", State: "S"})
	if err != nil {
		t.Fatal(err)
	}
	back := p.sandbox.Do(simtest.Request{Method: "POST", Path: address, Form: url.Values{"decision": {"allow"},
		"name": {"grace"}, "scope": {scopeBasic, scopePublish}}}).Location()
	token, err := p.Exchange(ctx, provider.CodeExchange{Code: provider.Secret(back.Query().Get("code")),
		RedirectURL: "https://crier.test/cb"})
	if err != nil || len(token.Scopes) != 2 {
		t.Fatalf("Exchange = %+v, %v", token, err)
	}
	accounts, err := p.Accounts(ctx, token)
	if err != nil {
		t.Fatal(err)
	}
	p.account = provider.Account{ProviderAccountID: accounts[0].ProviderAccountID, Handle: accounts[0].Handle,
		Scopes: token.Scopes, Token: token}
	p.mustPublish(t, text("Hello"))
	// The quota of replies cannot be read without the scope, whatever is published.
	if _, err := p.checkQuota(ctx, p.account, text("1/2", "2/2"), provider.State{}); err != nil {
		t.Errorf("checkQuota of a thread: %v", err)
	}
}

func TestPlacesCanBeSearchedFor(t *testing.T) {
	t.Parallel()
	p, ctx := play(t), context.Background()
	if _, err := p.Choices(ctx, p.account, keyLocation, "crier"); provider.AsError(err) == nil {
		t.Error("places can be searched for without the permission")
	}
	p.tokens.Credentials = provider.Credentials{ClientID: "app", ClientSecret: "secret"}
	p.info = newInfo(p.limits, []string{scopeLocation})
	address, err := p.ConsentURL(provider.ConsentRequest{RedirectURL: "https://crier.test/cb", State: "S"})
	if err != nil {
		t.Fatal(err)
	}
	back := p.sandbox.Do(simtest.Request{Method: "POST", Path: address, Form: url.Values{"decision": {"allow"},
		"name": {"grace"}}}).Location()
	token, err := p.Exchange(ctx, provider.CodeExchange{Code: provider.Secret(back.Query().Get("code")),
		RedirectURL: "https://crier.test/cb"})
	if err != nil {
		t.Fatal(err)
	}
	places, err := p.Choices(ctx, provider.Account{Token: token}, keyLocation, "crier")
	if err != nil || len(places.List) != 2 || places.List[0].Label != "Crier Square" ||
		places.List[0].Detail != "1 Market Street, Sandbox, Nowhere" {
		t.Errorf("places %+v, %v", places, err)
	}
}
