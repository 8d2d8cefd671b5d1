package facebook

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/providertest"
	sandbox "crier/internal/sandbox/facebook"
	"crier/internal/sandbox/graph/graphtest"
	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
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
	p, err := New(Config{
		Credentials: provider.Credentials{ClientID: "app", ClientSecret: "secret"},
		Caller:      providertest.NewCaller(clock), Now: clock.Now,
	}.WithBase(s.URL + "/facebook"))
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

// media serves bytes at an address from which the sandbox can fetch them, for comments; other media are uploaded.
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

func (p playground) clip() provider.Media {
	return p.media("v.mp4", "video/mp4", graphtest.MP4(graphtest.Video{Bytes: 3 << 20}))
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

func commentOn(st provider.State, text string, media ...provider.Media) provider.Content {
	return provider.Content{
		Action: provider.Comment, Target: provider.Target{PlatformPostID: st.PlatformPostID,
			Permalink: st.Published[0].Permalink},
		Parts: []provider.Part{{Text: text, Media: media}},
	}
}

func TestSandboxAcceptsEveryPostKind(t *testing.T) {
	t.Parallel()
	p := play(t)
	described := p.picture(t)
	described.AltText = "A grey picture"
	first := p.mustPublish(t, post("Hello"))
	linked := post("Read")
	linked.Parts[0].Links = []provider.Link{{URL: "https://crier.dev"}}
	thumbnailed := withSettings(post("A video", p.clip()),
		`{"facebookVideoTitle":"Title","facebookThumbnailMediaId":"`+string(thumbnail)+`"}`)
	thumbnailed.Assets = withThumbnail(post("")).Assets
	thumbnailed.Assets[thumbnail] = p.picture(t)
	for _, tc := range []struct {
		name    string
		content provider.Content
	}{
		{"link", linked},
		{"targeted", withSettings(post("For some"), `{"facebookTargeting":{"countries":["CA"]}}`)},
		{"photo", post("A picture", described)},
		{"photos", post("Two", p.picture(t), p.picture(t))},
		{"video", thumbnailed},
		{"reel", withSettings(post("A reel", p.clip()), `{"facebookPostType":"reel"}`)},
		{"photo as a story", withSettings(post("", p.picture(t)), `{"facebookPostType":"story"}`)},
		{"video as a story", withSettings(post("", p.clip()), `{"facebookPostType":"story"}`)},
		{"comment", commentOn(first, "First!", p.picture(t))},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if st := p.mustPublish(t, tc.content); st.Published[0].Permalink == "" {
				t.Errorf("state %+v, want a permalink", st)
			}
		})
	}
	if posts := p.sandbox.Posts(); len(posts) != 10 {
		t.Errorf("%d posts on the timeline, want 10", len(posts))
	}
}

func TestSandboxMetricsAndDelete(t *testing.T) {
	t.Parallel()
	p, ctx := play(t), context.Background()
	id := p.mustPublish(t, post("Hello")).PlatformPostID
	clip := p.mustPublish(t, post("A video", p.clip())).PlatformPostID
	p.sandbox.Like(id, 3)
	metrics, err := p.PostMetrics(ctx, p.account, []string{id, clip})
	if err != nil || metrics[id].Likes == nil || *metrics[id].Likes != 3 || metrics[clip].Comments == nil ||
		metrics[id].Views == nil || *metrics[id].Views != 60 {
		t.Errorf("PostMetrics = %+v, %v; want 3 likes and 60 views", metrics, err)
	}
	if account, err := p.AccountMetrics(ctx, p.account, p.clock.Now().Add(-time.Hour), p.clock.Now()); err != nil ||
		account.Followers == nil {
		t.Errorf("AccountMetrics = %+v, %v", account, err)
	}
	draft := p.mustPublish(t, withSettings(post("A draft", p.clip()),
		`{"facebookPostType":"reel","facebookDraft":true}`)).PlatformPostID
	for _, id := range []string{id, clip, draft} {
		for _, want := range []provider.Deletion{provider.Deleted, provider.AlreadyGone} {
			if got, err := p.Delete(ctx, p.account, id); err != nil || got != want {
				t.Errorf("Delete of %s = %q, %v; want %q", id, got, err, want)
			}
		}
	}
	story := p.mustPublish(t, withSettings(post("", p.picture(t)), `{"facebookPostType":"story"}`)).PlatformPostID
	got, err := p.Delete(ctx, p.account, story)
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.Rejected {
		t.Errorf("Delete of a story, which apps cannot delete = %q, %v; want a refusal", got, err)
	}
	if profile, err := p.Profile(ctx, p.account); err != nil ||
		profile.ProviderAccountID != p.account.ProviderAccountID {
		t.Errorf("Profile = %+v, %v", profile, err)
	}
}

func TestSandboxLostAnswerIsReconciled(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"text", "photo", "video", "reel", "story", "comment"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := play(t)
			c, operation := post("Hello"), sim.Publish
			switch name {
			case "photo":
				c = post("", p.picture(t))
			case "video":
				c = post("A video", p.clip())
			case "reel":
				c = withSettings(post("A reel", p.clip()), `{"facebookPostType":"reel"}`)
			case "story":
				c = withSettings(post("", p.picture(t)), `{"facebookPostType":"story"}`)
			case "comment":
				c, operation = commentOn(p.mustPublish(t, c), "First!"), sim.Comment
			}
			before := len(p.sandbox.Posts())
			p.sandbox.Fault(operation, sim.LostResponse, nil)
			started := p.clock.Now()
			st, err := p.drive(t, c)
			if provider.AsError(err).Kind != provider.OutcomeUnknown {
				t.Fatalf("publish error = %v, want an unknown outcome", err)
			}
			p.clock.Advance(time.Minute)
			outcome := provider.OutcomePending
			for i := 0; outcome == provider.OutcomePending && i < 5; i++ {
				outcome, st = reconcile(t, p.bundle, c, st, started)
				p.clock.Advance(10 * time.Second)
			}
			if outcome != provider.OutcomePublished || !st.Done || len(p.sandbox.Posts()) != before+1 {
				t.Errorf("outcome %q, state %+v, timeline %+v; want one post", outcome, st, p.sandbox.Posts())
			}
		})
	}
}

func TestSandboxOutagePublishesOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []provider.Content{post("Hello"),
		withSettings(post("A reel", play(t).clip()), `{"facebookPostType":"reel"}`)} {
		p := play(t)
		p.sandbox.Fault(sim.Publish, sim.Outage, nil)
		started := p.clock.Now()
		st, err := p.drive(t, c)
		if provider.AsError(err).Kind != provider.OutcomeUnknown {
			t.Fatalf("publish error = %v, want an unknown outcome", err)
		}
		p.clock.Advance(time.Minute)
		outcome, st := reconcile(t, p.bundle, c, st, started)
		if outcome != provider.OutcomeAbsent {
			t.Fatalf("outcome %q, want absent; state %+v", outcome, st)
		}
		if _, err = providertest.Drive(t, p, p.account, c, st, p.clock); err != nil || len(p.sandbox.Posts()) != 1 {
			t.Errorf("second attempt: %v, timeline %+v", err, p.sandbox.Posts())
		}
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
		_, err := p.drive(t, post("Hello"))
		if failure := provider.AsError(err); failure == nil || !slices.Contains(want, failure.Kind) {
			t.Errorf("%s: %v, want %v", kind, err, want)
		}
	}
}

func TestSandboxConsentConnectsSeveralPages(t *testing.T) {
	t.Parallel()
	p, ctx := play(t), context.Background()
	address, err := p.ConsentURL(provider.ConsentRequest{RedirectURL: "https://crier.test/cb", State: "S"})
	if err != nil {
		t.Fatalf("ConsentURL: %v", err)
	}
	back := p.sandbox.Do(simtest.Request{Method: "POST", Path: address,
		Form: url.Values{"decision": {"allow"}, "name": {"grace"}}}).Location()
	token, err := p.Exchange(ctx, provider.CodeExchange{Code: provider.Secret(back.Query().Get("code")),
		RedirectURL: "https://crier.test/cb"})
	if err != nil || len(token.Scopes) != len(p.info.Scopes) {
		t.Fatalf("Exchange = %+v, %v; want all scopes", token, err)
	}
	accounts, err := p.Accounts(ctx, token)
	var names []string
	for _, a := range accounts {
		names = append(names, a.DisplayName)
	}
	if want := []string{"Grace Page", "Grace Shop", "Grace Brand", "Grace Agency"}; err != nil ||
		!slices.Equal(names, want) {
		t.Fatalf("Accounts = %v, %v; want %v: those of the portfolio as well, each once, and only with a token", names,
			err,
			want)
	}
	for _, a := range accounts {
		p.account = provider.Account{ProviderAccountID: a.ProviderAccountID, Handle: a.Handle, Scopes: a.Token.Scopes,
			Details: a.Details, Token: a.Token}
		p.mustPublish(t, post("Hello from "+a.DisplayName))
	}
}

func TestPortfoliosCanBeDisabled(t *testing.T) {
	t.Parallel()
	p, ctx := play(t), context.Background()
	without, err := New(Config{Credentials: p.login.Tokens.Credentials, WithoutPortfolios: true, Caller: p.api.Caller,
		Now: p.clock.Now}.WithBase(p.sandbox.URL + "/facebook"))
	if err != nil {
		t.Fatal(err)
	}
	address, err := without.ConsentURL(provider.ConsentRequest{RedirectURL: "https://crier.test/cb", State: "S"})
	if err != nil || strings.Contains(address, "business_management") {
		t.Fatalf("ConsentURL = %s, %v", address, err)
	}
	back := p.sandbox.Do(simtest.Request{Method: "POST", Path: address,
		Form: url.Values{"decision": {"allow"}, "name": {"grace"}}}).Location()
	token, err := without.Exchange(ctx, provider.CodeExchange{Code: provider.Secret(back.Query().Get("code")),
		RedirectURL: "https://crier.test/cb"})
	if err != nil {
		t.Fatal(err)
	}
	if accounts, err := without.Accounts(ctx, token); err != nil || len(accounts) != 2 {
		t.Errorf("Accounts = %+v, %v; want the person's own Pages", accounts, err)
	}
}

func TestReachIsNotSummed(t *testing.T) {
	t.Parallel()
	p, ctx := play(t), context.Background()
	id := p.mustPublish(t, post("Hello")).PlatformPostID
	p.sandbox.Like(id, 3)
	p.clock.Advance(60 * 24 * time.Hour)
	now := p.clock.Now()
	for days, reach := range map[int]*int64{1: new(int64(30)), 7: new(int64(30)), 28: new(int64(30)), 3: nil, 30: nil} {
		account, err := p.AccountMetrics(ctx, p.account, now.Add(-time.Duration(days)*24*time.Hour), now)
		if err != nil || (account.Reach == nil) != (reach == nil) || reach != nil && *account.Reach != *reach {
			t.Errorf("%d days: reach %v, %v; want %v", days, account.Reach, err, reach)
		}
	}
}
