// Package instagram publishes to professional accounts on Instagram: images, carousels, reels and stories, with a first
// comment. Instagram fetches media from a URL; a post is prepared in a container, which is published by a second call.
//
// An app connects accounts in one of two ways, which differ in their abilities: Instagram's own login, or Facebook
// Login for accounts behind a Page.
package instagram

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/graph"
)

// Mode is how accounts are connected.
type Mode string

// The ways to connect accounts.
const (
	// InstagramLogin needs no Facebook Page, and cannot delete.
	InstagramLogin Mode = "instagram_login"
	// FacebookLogin connects the accounts behind the Pages that a person manages.
	FacebookLogin Mode = "facebook_login"
)

// Config configures the provider.
type Config struct {
	provider.Credentials
	// Mode is how accounts are connected; empty means InstagramLogin. An app has only one mode.
	Mode Mode
	// APIURL, ConsentURL and CodeURL are the base URLs; empty means those of the mode. Facebook Login has no CodeURL.
	APIURL     string
	ConsentURL string
	CodeURL    string
	// Version is the version of the Graph API; empty means v25.0.
	Version string
	// WithoutPortfolios excludes the accounts of Business portfolios, and the permission that they need (Facebook
	// Login).
	WithoutPortfolios bool
	// OptionalScopes are further permissions that the app was granted (Facebook Login).
	OptionalScopes []string
	// SecretProof means that the app requires every call to prove that it knows the app's secret (Facebook Login).
	SecretProof bool
	Limits      Limits
	Caller      *provider.Caller
	Now         func() time.Time
}

// Limits are limits that Instagram does not document firmly; zero means the default.
type Limits struct {
	// CommentLength limits a comment in UTF-16 units.
	CommentLength int
	// Hashtags is the maximum number, HashtagsAdvised the number above which there is a warning.
	Hashtags, HashtagsAdvised int
	// CommitTimeout is how long to wait for the response to a publication.
	CommitTimeout time.Duration
	// Patience is how long Instagram may process a container before an error is reported.
	Patience time.Duration
}

func (l Limits) withDefaults() Limits {
	l.CommentLength = cmp.Or(l.CommentLength, 2200)
	l.Hashtags = cmp.Or(l.Hashtags, 30)
	l.HashtagsAdvised = cmp.Or(l.HashtagsAdvised, 5)
	l.CommitTimeout = cmp.Or(l.CommitTimeout, time.Minute)
	l.Patience = cmp.Or(l.Patience, 15*time.Minute)
	return l
}

// WithBase returns the configuration with all URLs below one base, as in the sandbox.
func (c Config) WithBase(base string) Config {
	c.APIURL, c.ConsentURL, c.CodeURL = base, base, base
	return c
}

// usualVersion is the API version that this package was written for.
const usualVersion = "v25.0"

var versionPattern = regexp.MustCompile(`^v\d+\.\d+$`)

// Provider is Instagram.
type Provider struct {
	mode       Mode
	hostURL    string
	consentURL string
	codeURL    string
	limits     Limits
	api        graph.Client
	tokens     provider.OAuth2
	login      graph.Login // of FacebookLogin
	containers graph.Containers
	now        func() time.Time
	info       provider.Info
}

// New returns the provider. Caller and Now are required; credentials only for connecting.
func New(c Config) (*Provider, error) {
	if c.Caller == nil || c.Now == nil {
		return nil, errors.New("instagram: a caller and a clock are needed")
	}
	version, mode := cmp.Or(c.Version, usualVersion), Mode(cmp.Or(string(c.Mode), string(InstagramLogin)))
	if !versionPattern.MatchString(version) {
		return nil, fmt.Errorf("instagram: API version %q must be like %s", version, usualVersion)
	}
	if mode != InstagramLogin && mode != FacebookLogin {
		return nil, fmt.Errorf("instagram: mode %q must be %s or %s", mode, InstagramLogin, FacebookLogin)
	}
	if err := checkScopes(mode, c.OptionalScopes); err != nil {
		return nil, err
	}
	host, consent := "https://graph.instagram.com", "https://www.instagram.com"
	if mode == FacebookLogin {
		host, consent = "https://graph.facebook.com", "https://www.facebook.com"
	}
	limits := c.Limits.withDefaults()
	p := &Provider{
		mode:       mode,
		hostURL:    provider.BaseURL(c.APIURL, host),
		consentURL: provider.BaseURL(c.ConsentURL, consent),
		codeURL:    provider.BaseURL(c.CodeURL, "https://api.instagram.com"),
		limits:     limits,
		now:        c.Now,
		info:       newInfo(mode, limits, mode == FacebookLogin && !c.WithoutPortfolios, c.OptionalScopes),
	}
	client := graph.ClientConfig{Caller: c.Caller, BaseURL: p.hostURL + "/" + version, Rules: rules}
	if c.SecretProof && mode == FacebookLogin {
		client.ProofKey = c.ClientSecret
	}
	p.api, p.tokens = graph.NewClient(client), graph.NewTokens("Instagram", c.Caller, c.Now, c.Credentials)
	p.login = graph.Login{
		Client: p.api, Tokens: p.tokens, DialogURL: p.consentURL + "/" + version,
		Scopes: provider.ScopeNames(p.info.Scopes),
	}
	p.containers = graph.Containers{
		Network: "Instagram", Create: p.createContainer, Read: p.readContainer, Explain: explain, Now: c.Now,
		Patience: limits.Patience, RefusalPause: 30 * time.Second,
	}
	return p, nil
}

// checkScopes rejects optional permissions that Instagram does not have.
func checkScopes(mode Mode, optional []string) error {
	if len(optional) > 0 && mode != FacebookLogin {
		return fmt.Errorf("instagram: optional scopes need the mode %s", FacebookLogin)
	}
	for _, scope := range optional {
		if !slices.ContainsFunc(optionalScopes, func(g provider.Grant) bool { return g.Scope == scope }) {
			return fmt.Errorf("instagram: optional scope %q must be one of %s", scope,
				strings.Join(provider.ScopeNames(optionalScopes), ", "))
		}
	}
	return nil
}

// Info describes Instagram with Facebook Login.
func (p *Provider) Info() provider.Info { return p.info }

// InfoFor omits what the account's mode and permissions do not allow.
func (p *Provider) InfoFor(a provider.Account) provider.Info { return p.narrow(a) }

// Check applies the rules of posts, reels, stories and comments.
func (p *Provider) Check(a provider.Account, c provider.Content) provider.Findings {
	return p.check(a, c)
}

// Prepare reads the daily quota, then creates the containers and waits until they are finished. Comments need no
// preparation.
func (p *Provider) Prepare(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	st = st.Clone()
	st.Ready = false
	if c.Action != provider.Comment {
		if st.Data[noteQuota] == "" {
			return p.checkQuota(ctx, a, st)
		}
		if done, err := p.containers.Prepare(ctx, a, c, &st); err != nil || !done {
			return st, err
		}
	}
	st.StopWaiting()
	st.Ready = true
	return st, nil
}

// Commit publishes the container, or writes the comment.
func (p *Provider) Commit(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	if c.Action == provider.Comment {
		return p.comment(ctx, a, c, st.Clone())
	}
	return p.publish(ctx, a, c, st.Clone())
}

// Poll closes the comments of the new post if requested, and reads its permalink, which the response to publishing does
// not contain.
func (p *Provider) Poll(ctx context.Context, a provider.Account, _ provider.Content, st provider.State) (provider.State,
	error) {
	st = st.Clone()
	if st.Data[noteCloseComments] != "" {
		return p.closeComments(ctx, a, st), nil
	}
	return p.api.ReadPermalink(ctx, a.Token.Access, st), nil
}

// modeOf returns how the account was connected.
func (p *Provider) modeOf(a provider.Account) Mode {
	if mode := decodeDetails(a).AuthMode; mode != "" {
		return mode
	}
	return p.mode
}
