package all_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/all"
	"crier/internal/provider/providertest"
)

// client are the app credentials that the sandbox accepts.
var client = provider.Credentials{ClientID: "client", ClientSecret: "secret"}

// newRegistry returns a registry of all networks of a sandbox; some have credentials.
func newRegistry(t *testing.T, known ...string) *provider.Registry {
	t.Helper()
	clock := providertest.NewClock()
	config := all.Config{Caller: providertest.NewCaller(clock), Now: clock.Now}
	for _, name := range known {
		config = config.WithAccess(name, all.Access{Credentials: client})
	}
	registry, err := all.New(config.WithSandbox("http://sandbox.test/"))
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return registry
}

func TestAllNetworksAreConsistent(t *testing.T) {
	t.Parallel()
	registry := newRegistry(t)
	if names := registry.Names(); !slices.Contains(names, "x") || !slices.Contains(names, "linkedin") {
		t.Errorf("networks %v", names)
	}
	if _, err := all.New(all.Config{}); err == nil {
		t.Error("New accepted a configuration without caller and clock")
	}
}

// What a lookup compares is not the same on all networks.
func TestNetworksKnowWhichPostsALookupMixesUp(t *testing.T) {
	t.Parallel()
	registry := newRegistry(t)
	content := func(text string, settings map[string]string) provider.Content {
		c := provider.Content{Parts: []provider.Part{{Text: text}}, Settings: provider.Settings{}}
		for key, value := range settings {
			c.Settings[key] = json.RawMessage(strconv.Quote(value))
		}
		return c
	}
	type settings = map[string]string
	for _, tc := range []struct {
		network       string
		wanted, other provider.Content
		want          bool
	}{
		{"youtube", content("Episode\npart 1", nil), content("Episode\npart 2", nil), true},
		{"youtube", content("Same", settings{"youtubeTitle": "One"}), content("Same", nil), false},
		{"youtube", content("A", settings{"youtubeTitle": "One"}), content("One", nil), true},
		{"instagram", content("A", settings{"instagramPostType": "story"}),
			content("B", settings{"instagramPostType": "story"}), true},
		{"instagram", content("A", settings{"instagramPostType": "story"}), content("A", nil), false},
		{"instagram", content("A ", nil), content("A", nil), true},
		{"instagram", content("A", nil), content("B", nil), false},
		{"tiktok", content("", settings{"tiktokTitle": "A"}), content("A", settings{"tiktokTitle": "B"}), true},
		{"tiktok", content("A", nil), content("B", settings{"tiktokTitle": "A"}), true},
		{"tiktok", content("A", settings{"tiktokTitle": "C"}), content("B", settings{"tiktokTitle": "C"}), false},
		{"tiktok", content("A b", nil), content("A  b", nil), true},
		{"tiktok", content("", nil), content("B", nil), false},
	} {
		p, _ := registry.Get(tc.network)
		if got := registry.Features(p).Matcher.Matches(tc.wanted, tc.other); got != tc.want {
			t.Errorf("%s: %+v and %+v: %v, want %v", tc.network, tc.wanted, tc.other, got, tc.want)
		}
	}
}

// TestEveryNetworkMayNameAPause: a proxy in front of a network, too. No usual pause replaces it.
func TestEveryNetworkMayNameAPause(t *testing.T) {
	t.Parallel()
	busy := providertest.NewAnswering(t, http.StatusTooManyRequests, map[string]string{"Retry-After": "1234"}, "busy")
	clock := providertest.NewClock()
	registry, err := all.New(all.Config{Caller: providertest.NewCaller(clock), Now: clock.Now}.WithSandbox(busy))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range registry.All() {
		_, err := registry.Features(p).Meter.PostMetrics(t.Context(), provider.Account{}, []string{"1"})
		if failure := provider.AsError(err); failure == nil || failure.Kind != provider.RateLimited ||
			failure.RetryAfter != 1234*time.Second {
			t.Errorf("%s: %+v, want a pause of 1234 s", p.Info().Name, failure)
		}
	}
}

// TestPagesOfProxiesAreNoRefusals: neither does the post fail for good, nor does the account have to be connected
// again.
func TestPagesOfProxiesAreNoRefusals(t *testing.T) {
	t.Parallel()
	html := map[string]string{"Content-Type": "text/html; charset=UTF-8"}
	page := providertest.NewAnswering(t, http.StatusForbidden, html, "<html>Attention required</html>")
	clock := providertest.NewClock()
	registry, err := all.New(all.Config{Caller: providertest.NewCaller(clock), Now: clock.Now}.WithSandbox(page))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range registry.All() {
		_, err := registry.Features(p).Meter.PostMetrics(t.Context(), provider.Account{}, []string{"1"})
		if failure := provider.AsError(err); failure == nil || failure.Kind != provider.Temporary ||
			failure.Scope != provider.ScopePost {
			t.Errorf("%s: %+v, want a temporary error", p.Info().Name, failure)
		}
	}
}

func TestSomePostsTakeNoComments(t *testing.T) {
	t.Parallel()
	registry := newRegistry(t)
	for _, tc := range []struct {
		network, settings string
		want              bool
	}{
		{"instagram", `{}`, false},
		{"instagram", `{"instagramPostType":"story"}`, true},
		{"instagram", `{"instagramCommentsEnabled":false}`, true},
		{"facebook", `{"facebookPostType":"reel"}`, false},
		{"facebook", `{"facebookPostType":"story"}`, true},
		{"facebook", `{"facebookPostType":"reel","facebookDraft":true}`, true},
		{"linkedin", `{"linkedinCommentsState":"open"}`, false},
		{"linkedin", `{"linkedinCommentsState":"closed"}`, true},
		{"youtube", `{"youtubePrivacyStatus":"unlisted"}`, false},
		{"youtube", `{"youtubePrivacyStatus":"private"}`, true},
		{"youtube", `{"youtubeMadeForKids":true}`, true},
		{"threads", `{}`, false},
		{"threads", `{"threadsGhostPost":true}`, true},
	} {
		var c provider.Content
		if err := json.Unmarshal([]byte(tc.settings), &c.Settings); err != nil {
			t.Fatal(err)
		}
		p, _ := registry.Get(tc.network)
		if why := registry.Features(p).CommentChecker.NoComments(c); (why != "") != tc.want {
			t.Errorf("%s %s: %q", tc.network, tc.settings, why)
		}
	}
}

func TestEveryDeclarationCanBeShown(t *testing.T) {
	t.Parallel()
	for _, p := range newRegistry(t).All() {
		info := p.Info()
		t.Run(info.Name, func(t *testing.T) {
			t.Parallel()
			if _, err := json.Marshal(info); err != nil {
				t.Errorf("encode: %v", err)
			}
			if info.DisplayName == "" || len(info.PostTypes()) == 0 || len(info.Scopes) == 0 {
				t.Errorf("declaration is incomplete: %+v", info)
			}
			for _, s := range info.Settings {
				checkDeclaration(t, s)
			}
		})
	}
}

func checkDeclaration(t *testing.T, s provider.Setting) {
	t.Helper()
	if s.Key != "" && !strings.HasPrefix(s.Key, strings.ToLower(s.Key[:1])) {
		t.Errorf("setting %s starts with a capital", s.Key)
	}
	if s.Type == provider.TypeArray && s.Items == nil || s.Type == provider.TypeObject && len(s.Fields) == 0 {
		t.Errorf("setting %s does not describe its contents", s.Key)
	}
	if len(s.Enum) > 0 && s.Default != nil && !slices.Contains(s.Enum, s.Default.(string)) {
		t.Errorf("setting %s: default %v is not allowed", s.Key, s.Default)
	}
	if s.Key != "" && s.Description == "" {
		t.Errorf("setting %s is not described", s.Key)
	}
	if !isBounded(s) {
		t.Errorf("setting %s %s has no bounds: %+v", s.Key, s.Type, s)
	}
	for _, inner := range s.Fields {
		checkDeclaration(t, inner)
	}
	if s.Items != nil {
		checkDeclaration(t, *s.Items)
	}
}

// isBounded reports whether the size of a value is limited. Formats imply lengths.
func isBounded(s provider.Setting) bool {
	switch s.Type {
	case provider.TypeString:
		return len(s.Enum) > 0 || s.Format != "" || s.Maximum != nil
	case provider.TypeInteger, provider.TypeNumber:
		return s.Minimum != nil && s.Maximum != nil
	case provider.TypeArray:
		return s.Maximum != nil
	}
	return true
}

func TestConsentURLsPointToTheSandbox(t *testing.T) {
	t.Parallel()
	registry := newRegistry(t, newRegistry(t).Names()...)
	for _, p := range registry.All() {
		address, err := registry.Features(p).Connector.ConsentURL(provider.ConsentRequest{State: "s"})
		if want := "http://sandbox.test/" + p.Info().Name + "/"; err != nil || !strings.HasPrefix(address, want) {
			t.Errorf("consent address %q, %v; want it below %s", address, err, want)
		}
	}
}

func TestWithoutCredentialsThereIsNoConsent(t *testing.T) {
	t.Parallel()
	registry := newRegistry(t)
	for _, p := range registry.All() {
		address, err := registry.Features(p).Connector.ConsentURL(provider.ConsentRequest{State: "s"})
		if !errors.Is(err, provider.ErrNoCredentials) {
			t.Errorf("%s: consent address %q, %v", p.Info().Name, address, err)
		}
	}
}
