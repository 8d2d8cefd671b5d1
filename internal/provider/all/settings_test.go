package all_test

import (
	"os"
	"strings"
	"testing"

	"crier"
	"crier/internal/provider/all"
)

func TestNetworkSettingsAreApplied(t *testing.T) {
	t.Parallel()
	var c all.Config
	for name, text := range map[string]string{
		"x-costs": "post=7", "tiktok-pull-videos": "on", "instagram-login": "facebook_login",
		"instagram-code-url": "https://code.test/",
		"facebook-video-url": "https://video.test", "youtube-token-url": "https://token.test",
		"youtube-daily-units": "20000",
		"linkedin-app":        "organizations", "threads-optional-scopes": "a,b",
	} {
		if err := settingOf(t, name).Apply(&c, text); err != nil {
			t.Errorf("%s=%s: %v", name, text, err)
		}
	}
	if c.X.Costs["post"] != 7 || !c.TikTok.PullVideos || c.Instagram.Mode != "facebook_login" ||
		c.Instagram.CodeURL != "https://code.test" ||
		c.Facebook.VideoURL != "https://video.test" || c.YouTube.TokenURL != "https://token.test" ||
		c.YouTube.Limits.UnitsPerDay != 20_000 ||
		c.LinkedIn.App != "organizations" || len(c.Threads.OptionalScopes) != 2 {
		t.Errorf("configuration %+v", c)
	}
}

func TestNetworkSettingErrorsListAllowedValues(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, want string }{
		{"x-costs", "post", "such as post=15"},
		{"x-costs", "post=-1", "such as post=15"},
		{"tiktok-pull-videos", "yes", "must be one of on, off"},
		{"instagram-login", "both", "must be one of instagram_login, facebook_login"},
		{"youtube-site-url", "ftp://a.test", "must be an http or https address"},
		{"youtube-daily-videos", "0", "must be a whole number from 1"},
		{"youtube-daily-videos", "many", "must be a whole number from 1"},
	} {
		if err := settingOf(t, tc.name).Apply(&all.Config{}, tc.text); err == nil ||
			!strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s=%s: %v, want %s", tc.name, tc.text, err, tc.want)
		}
	}
}

func TestSettingNamesStartWithTheirNetwork(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, p := range crier.Providers() {
		known[string(p)] = true
	}
	for _, s := range all.Settings() {
		if network, _, _ := strings.Cut(s.Name, "-"); !known[network] || s.Help == "" {
			t.Errorf("setting %q: network %q, help %q", s.Name, network, s.Help)
		}
	}
}

func settingOf(t *testing.T, name string) all.Setting {
	t.Helper()
	for _, s := range all.Settings() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("there is no setting %s", name)
	return all.Setting{}
}

func TestEveryNetworkHasADocPageWithItsSettings(t *testing.T) {
	t.Parallel()
	named := map[string][]string{}
	for _, p := range crier.Providers() {
		for _, common := range []string{"client-id", "client-secret", "api-url", "consent-url"} {
			named[string(p)] = append(named[string(p)], string(p)+"-"+common)
		}
	}
	for _, s := range all.Settings() {
		network, _, _ := strings.Cut(s.Name, "-")
		named[network] = append(named[network], s.Name)
	}
	for network, names := range named {
		page, err := os.ReadFile("../../../docs/providers/" + network + ".md")
		if err != nil {
			t.Errorf("%s has no page: %v", network, err)
			continue
		}
		for _, name := range names {
			if variable := "`CRIER_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")) +
				"`"; !strings.Contains(string(page), variable) {
				t.Errorf("the page of %s does not list %s", network, variable)
			}
		}
	}
	for _, p := range newRegistry(t).All() {
		page, err := os.ReadFile("../../../docs/providers/" + p.Info().Name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Info().Settings {
			if !strings.Contains(string(page), "`"+s.Key+"`") {
				t.Errorf("the page of %s does not list the publish setting %s", p.Info().Name, s.Key)
			}
		}
	}
}
