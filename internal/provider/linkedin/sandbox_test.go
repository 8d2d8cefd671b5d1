package linkedin

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/internal/media/mediatest"
	"crier/internal/provider"
	"crier/internal/provider/providertest"
	sandbox "crier/internal/sandbox/linkedin"
	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

// playground is a provider that runs against the sandbox, with the same clock.
type playground struct {
	*Provider
	clock   *providertest.Clock
	account provider.Account
	sandbox *simtest.Sandbox
}

func play(t *testing.T, handle string, settings sandbox.Settings, config Config) playground {
	t.Helper()
	clock := providertest.NewClock()
	s := simtest.Start(t, sandbox.Network(settings), sim.Options{Now: clock.Now})
	config.Credentials = provider.Credentials{ClientID: "app", ClientSecret: "secret"}
	config.Caller, config.Now = providertest.NewCaller(clock), clock.Now
	p, err := New(config.WithBase(s.URL + "/linkedin"))
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	seed := s.Seed(handle)
	return playground{Provider: p, clock: clock, sandbox: s, account: provider.Account{
		ProviderAccountID: seed.AccountID, Handle: seed.Handle, Scopes: seed.Scopes,
		Token: provider.Token{Access: provider.Secret(seed.AccessToken), Scopes: seed.Scopes},
	}}
}

// picture returns a post with a picture of size bytes.
func picture(size int) provider.Content {
	content := make([]byte, size)
	copy(content, mediatest.JPEG(64, 64))
	c := text("Look")
	c.PostType = "text_image"
	c.Parts[0].Media = []provider.Media{providertest.NewMedia("p.jpg", "image/jpeg", content)}
	return c
}

func TestLargeMemberImagesGetALongerDelay(t *testing.T) {
	t.Parallel()
	for _, size := range []int{10_000, 2_000_000, 7_900_000} {
		p := play(t, "ada", sandbox.Settings{}, Config{})
		st, err := providertest.Drive(t, p, p.account, picture(size), provider.State{}, p.clock)
		if err != nil || !st.Done {
			t.Errorf("%d bytes: %+v, %v; want it published at the first attempt", size, st, err)
		}
	}
	for size, want := range map[int64]time.Duration{10_000: 3 * time.Second, 2_000_000: 8 * time.Second,
		7_900_000: 20 * time.Second, 90_000_000: 20 * time.Second} {
		if got := settleTimeOf(size); got != want {
			t.Errorf("delay of %d bytes is %s, want %s", size, got, want)
		}
	}
}

func TestImageNotYetReadyIsRetried(t *testing.T) {
	t.Parallel()
	p, ctx := play(t, "ada", sandbox.Settings{}, Config{}), context.Background()
	c := picture(7_900_000)
	st := provider.State{}
	for len(st.Uploads) == 0 || st.Uploads[0].Step != stepReady {
		var err error
		if st, err = p.Prepare(ctx, p.account, c, st); err != nil {
			t.Fatal(err)
		}
	}
	st, err := p.Commit(ctx, p.account, c, st)
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.Temporary ||
		failure.RetryAfter != youngMediaPause {
		t.Fatalf("Commit = %v; want it retried", err)
	}
	p.clock.Advance(youngMediaPause)
	if st, err = p.Commit(ctx, p.account, c, st); err != nil || !st.Done {
		t.Errorf("second attempt: %+v, %v", st, err)
	}
}

func TestImageThatStaysForbiddenIsRejected(t *testing.T) {
	t.Parallel()
	b := answering(t, 403, body(403, "", "Accessing this image resource is forbidden"))
	st := provider.State{Ready: true, Uploads: []provider.Upload{{Step: stepReady, ID: "urn:li:image:1"}}}
	var kinds []provider.Kind
	for range maxYoungMedia + 1 {
		var err error
		st, err = b.Commit(context.Background(), b.member, picture(10_000), st)
		kinds = append(kinds, provider.AsError(err).Kind)
	}
	want := []provider.Kind{provider.Temporary, provider.Temporary, provider.Temporary, provider.Rejected}
	if !slices.Equal(kinds, want) {
		t.Errorf("the attempts end with %v, want %v", kinds, want)
	}
}

func TestConsentRequestsTheAppsScopes(t *testing.T) {
	t.Parallel()
	organizations := []string{"r_basicprofile", "w_member_social", "w_organization_social", "r_organization_social",
		"rw_organization_admin"}
	for _, tc := range []struct {
		name  string
		app   App
		given []string
		extra []string
		code  bool
	}{
		{"a members' app", MembersApp, []string{"openid", "profile", "w_member_social"}, nil, true},
		{"an organizations' app", OrganizationsApp, organizations, nil, true},
		{"an organizations' app with one more", OrganizationsApp, append(organizations, "r_member_postAnalytics"),
			[]string{"r_member_postAnalytics"}, true},
		{"both", BothApp, append(organizations, "openid", "profile"), nil, true},
		{"a scope that was not given", OrganizationsApp, organizations, []string{"w_member_social_feed"}, false},
	} {
		p := play(t, "ada", sandbox.Settings{Scopes: tc.given}, Config{App: tc.app, OptionalScopes: tc.extra})
		address, err := p.ConsentURL(provider.ConsentRequest{RedirectURL: "https://crier.test/cb", State: "S"})
		if err != nil {
			t.Fatal(err)
		}
		back := p.sandbox.Do(simtest.Request{Method: "POST", Path: address,
			Form: url.Values{"decision": {"allow"}, "name": {"grace"}}}).Location()
		if got := back.Query().Get("code") != ""; got != tc.code {
			t.Errorf("%s: the consent redirects to %s", tc.name, back)
		}
	}
}

func TestOrganizationsAndFollowersCanBeMentioned(t *testing.T) {
	t.Parallel()
	p, ctx := play(t, "organization:acme", sandbox.Settings{}, Config{App: OrganizationsApp}), context.Background()
	own, err := p.Profile(ctx, p.account)
	if err != nil || own.ImageURL == "" {
		t.Fatalf("Profile = %+v, %v; want a logo", own, err)
	}
	found, err := p.Mentions(ctx, p.account, own.Handle)
	if err != nil || len(found) == 0 || found[0].ID != p.account.ProviderAccountID ||
		found[0].Name != own.DisplayName ||
		found[0].Kind != "organization" || found[0].ImageURL == "" {
		t.Errorf("Mentions(%s) = %+v, %v", own.Handle, found, err)
	}
	people, err := p.Mentions(ctx, p.account, "acm")
	if err != nil || len(people) != 1 || people[0].Kind != "person" || people[0].Name != "Acme Sandbox" ||
		!strings.HasPrefix(people[0].ID, personPrefix) {
		t.Errorf("Mentions(acm) = %+v, %v", people, err)
	}
}
