package all

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"crier/internal/provider/instagram"
	"crier/internal/provider/linkedin"
)

// Setting is a server setting of a single network.
type Setting struct {
	// Name starts with the network's name, in the form of a flag.
	Name string
	Help string
	// Apply parses a non-empty text into the configuration; the error says what is allowed.
	Apply func(c *Config, text string) error
}

// Settings lists the networks' settings besides credentials and the two URLs that all of them have.
func Settings() []Setting {
	return []Setting{
		{"x-costs", "credits charged by X, by key, instead of the defaults, such as post=15,post_with_url=200",
			costs(func(c *Config) *map[string]int64 { return &c.X.Costs })},
		{"x-quotes", "on: the app may quote posts, which self-serve apps may not; empty: off",
			onOff(func(c *Config) *bool { return &c.X.Quotes })},
		{"tiktok-pull-videos",
			"on: TikTok fetches videos from crier, whose domain is verified there; off: crier uploads them; empty: off",
			onOff(func(c *Config) *bool { return &c.TikTok.PullVideos })},
		{"tiktok-single-chunk-bytes", "maximum size of a video that is sent in one chunk; empty: 64000000",
			number(func(c *Config) *int64 { return &c.TikTok.Limits.SingleChunkBytes })},
		{"tiktok-chunk-bytes", "chunk size of larger videos, 5000000 to 64000000; empty: 10000000",
			number(func(c *Config) *int64 { return &c.TikTok.Limits.ChunkBytes })},
		{"tiktok-posts-per-minute", "posts per account and minute; empty: 6",
			number(func(c *Config) *int64 { return &c.TikTok.Limits.PostsPerMinute })},
		{"instagram-login", "how accounts are connected: instagram_login or facebook_login; empty: instagram_login",
			oneOf(func(c *Config, s string) { c.Instagram.Mode = instagram.Mode(s) }, string(instagram.InstagramLogin),
				string(instagram.FacebookLogin))},
		{"instagram-code-url", "base URL for the exchange of codes; empty: Instagram's",
			address(func(c *Config) *string { return &c.Instagram.CodeURL })},
		{"instagram-api-version",
			"version of Instagram's API, such as v25.0; empty: the one crier was written for",
			text(func(c *Config) *string { return &c.Instagram.Version })},
		{"instagram-portfolios",
			"off: do not list accounts of Business portfolios or request business_management; empty: on",
			oneOf(func(c *Config, s string) { c.Instagram.WithoutPortfolios = s == "off" }, "on", "off")},
		{"instagram-optional-scopes",
			"additional permissions of the app, separated by commas (facebook_login)",
			list(func(c *Config) *[]string { return &c.Instagram.OptionalScopes })},
		{"instagram-secret-proof", "on: send appsecret_proof with every call (facebook_login); empty: off",
			onOff(func(c *Config) *bool { return &c.Instagram.SecretProof })},
		{"facebook-video-url", "base URL for uploads of videos; empty: Facebook's",
			address(func(c *Config) *string { return &c.Facebook.VideoURL })},
		{"facebook-upload-url", "base URL for uploads of reels and stories; empty: Facebook's",
			address(func(c *Config) *string { return &c.Facebook.UploadURL })},
		{"facebook-api-version", "version of Facebook's API, such as v25.0; empty: the one crier was written for",
			text(func(c *Config) *string { return &c.Facebook.Version })},
		{"facebook-login-config-id", "Facebook Login for Business configuration, instead of scopes; empty: scopes",
			text(func(c *Config) *string { return &c.Facebook.LoginConfigID })},
		{"facebook-portfolios",
			"off: do not list Pages of Business portfolios or request business_management; empty: on",
			oneOf(func(c *Config, s string) { c.Facebook.WithoutPortfolios = s == "off" }, "on", "off")},
		{"facebook-secret-proof", "on: send appsecret_proof with every call; empty: off",
			onOff(func(c *Config) *bool { return &c.Facebook.SecretProof })},
		{"youtube-token-url", "base URL of the token endpoint; empty: Google's",
			address(func(c *Config) *string { return &c.YouTube.TokenURL })},
		{"youtube-site-url", "base URL of links to videos; empty: YouTube's",
			address(func(c *Config) *string { return &c.YouTube.SiteURL })},
		{"youtube-analytics",
			"on: also request yt-analytics.readonly, for watch time; empty: off",
			onOff(func(c *Config) *bool { return &c.YouTube.Analytics })},
		{"youtube-analytics-url", "base URL of the YouTube Analytics API; empty: YouTube's",
			address(func(c *Config) *string { return &c.YouTube.AnalyticsURL })},
		{"youtube-daily-videos", "videos per day that Google grants to the project; empty: 100",
			number(func(c *Config) *int64 { return &c.YouTube.Limits.UploadsPerDay })},
		{"youtube-daily-units", "quota units per day that Google grants to the project; empty: 10000",
			number(func(c *Config) *int64 { return &c.YouTube.Limits.UnitsPerDay })},
		{"linkedin-api-version",
			"version of LinkedIn's API as year and month; empty: the one crier was written for",
			text(func(c *Config) *string { return &c.LinkedIn.Version })},
		{"linkedin-app", "accounts that the app can publish to: members, organizations or both; empty: members",
			oneOf(func(c *Config, s string) { c.LinkedIn.App = linkedin.App(s) }, string(linkedin.MembersApp),
				string(linkedin.OrganizationsApp), string(linkedin.BothApp))},
		{"linkedin-optional-scopes",
			"additional scopes of the app, separated by commas; LinkedIn refuses a consent with any other",
			list(func(c *Config) *[]string { return &c.LinkedIn.OptionalScopes })},
		{"threads-api-version", "version of Threads' API, such as v1.0; empty: the one crier was written for",
			text(func(c *Config) *string { return &c.Threads.Version })},
		{"threads-optional-scopes", "additional permissions of the app, separated by commas",
			list(func(c *Config) *[]string { return &c.Threads.OptionalScopes })},
	}
}

func text(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, s string) error {
		*field(c) = s
		return nil
	}
}

func list(field func(*Config) *[]string) func(*Config, string) error {
	return func(c *Config, s string) error {
		*field(c) = strings.Split(s, ",")
		return nil
	}
}

func address(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, s string) error {
		u, err := url.Parse(s)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" {
			return errors.New("must be an http or https address without a query, such as https://api.example.com")
		}
		*field(c) = strings.TrimRight(s, "/")
		return nil
	}
}

func number(field func(*Config) *int64) func(*Config, string) error {
	return func(c *Config, s string) error {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n < 1 {
			return errors.New("must be a whole number from 1")
		}
		*field(c) = n
		return nil
	}
}

func onOff(field func(*Config) *bool) func(*Config, string) error {
	return oneOf(func(c *Config, s string) { *field(c) = s == "on" }, "on", "off")
}

func oneOf(set func(*Config, string), allowed ...string) func(*Config, string) error {
	return func(c *Config, s string) error {
		if slices.Contains(allowed, s) {
			set(c, s)
			return nil
		}
		return fmt.Errorf("must be one of %s", strings.Join(allowed, ", "))
	}
}

func costs(field func(*Config) *map[string]int64) func(*Config, string) error {
	return func(c *Config, s string) error {
		prices := map[string]int64{}
		for pair := range strings.SplitSeq(s, ",") {
			key, amount, _ := strings.Cut(pair, "=")
			n, err := strconv.ParseInt(amount, 10, 64)
			if key == "" || err != nil || n < 0 {
				return errors.New("must be keys with whole numbers, such as post=15,post_with_url=200")
			}
			prices[key] = n
		}
		*field(c) = prices
		return nil
	}
}
