// Package linkedin publishes to LinkedIn through its versioned REST API: posts of members and of organizations with
// images, a video, a document, an article or a poll, reshares and comments. Comments name the page of LinkedIn's
// documentation for unusual rules.
//
// The abilities of an account depend on the product that the operator's app was granted: self-serve apps write as
// members and read nothing; the Community Management API adds organizations and reading.
package linkedin

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
)

// Config configures the provider.
type Config struct {
	provider.Credentials
	// APIURL and ConsentURL are the base URLs; empty means LinkedIn's own.
	APIURL     string
	ConsentURL string
	// Version is the API version as YYYYMM; each is supported for a year. Empty means the newest that crier supports.
	Version string
	// App is which products the app has; empty means MembersApp.
	App App
	// OptionalScopes are further scopes that the app was granted. LinkedIn rejects a consent that requests any other.
	OptionalScopes []string
	Limits         Limits
	Caller         *provider.Caller
	Now            func() time.Time
}

// App is the kind of the operator's app at LinkedIn. The product for organizations has to be the only one of its app,
// so most installations have one of the first two.
type App string

// The kinds of apps.
const (
	// MembersApp has the self-serve products: sign-in and sharing.
	MembersApp App = "members"
	// OrganizationsApp has the Community Management API.
	OrganizationsApp App = "organizations"
	// BothApp has all of them.
	BothApp App = "both"
)

// Limits are limits that LinkedIn does not document; zero means the default.
type Limits struct {
	ImageBytes     int64
	CommentLength  int
	QuestionLength int
	OptionLength   int
}

// WithBase returns the configuration with all URLs below one base, as in the sandbox.
func (c Config) WithBase(base string) Config {
	c.APIURL, c.ConsentURL = base, base
	return c
}

// usualVersion is the API version that this package was written for.
const usualVersion = "202609"

var versionPattern = regexp.MustCompile(`^20\d{2}(?:0[1-9]|1[0-2])$`)

// Provider is LinkedIn.
type Provider struct {
	api        provider.APIClient
	tokens     provider.OAuth2
	consentURL string
	version    string
	limits     Limits
	now        func() time.Time
	info       provider.Info
}

// New returns the provider. Caller and Now are required; credentials only for connecting and refreshing.
func New(c Config) (*Provider, error) {
	if c.Caller == nil || c.Now == nil {
		return nil, errors.New("linkedin: a caller and a clock are needed")
	}
	version := cmp.Or(c.Version, usualVersion)
	if !versionPattern.MatchString(version) {
		return nil, fmt.Errorf("linkedin: API version %q must be a year and a month, such as %s", version, usualVersion)
	}
	app := cmp.Or(c.App, MembersApp)
	if app != MembersApp && app != OrganizationsApp && app != BothApp {
		return nil, fmt.Errorf("linkedin: app %q must be %s, %s or %s", app, MembersApp, OrganizationsApp, BothApp)
	}
	for _, scope := range c.OptionalScopes {
		if !slices.ContainsFunc(optionalScopes, func(g provider.Grant) bool { return g.Scope == scope }) {
			return nil, fmt.Errorf("linkedin: optional scope %q must be one of %s", scope,
				strings.Join(provider.ScopeNames(optionalScopes), ", "))
		}
	}
	limits := c.Limits.withDefaults()
	p := &Provider{
		consentURL: provider.BaseURL(c.ConsentURL, "https://www.linkedin.com"),
		version:    version,
		limits:     limits,
		now:        c.Now,
		info:       newInfo(limits, app, c.OptionalScopes),
	}
	p.api = provider.APIClient{
		Caller: c.Caller, BaseURL: provider.BaseURL(c.APIURL, "https://api.linkedin.com"),
		Failure: provider.FailureOf(p.classify),
	}
	p.tokens = provider.OAuth2{
		Caller: c.Caller, Now: c.Now, Network: "LinkedIn", Credentials: c.Credentials,
		TokenURL: p.consentURL + "/oauth/v2/accessToken", RevokeURL: p.consentURL + "/oauth/v2/revoke",
		Classify:       p.classifyToken,
		NoRefreshToken: "LinkedIn gave no refresh token: the account has to be connected again every 60 days",
	}
	return p, nil
}

// Info describes LinkedIn with all abilities of an organization's connection.
func (p *Provider) Info() provider.Info { return p.info }

// InfoFor omits what the connection was not granted.
func (p *Provider) InfoFor(a provider.Account) provider.Info { return narrow(p.info, a) }

// Check applies the rules of posts, comments and reshares.
func (p *Provider) Check(a provider.Account, c provider.Content) provider.Findings {
	return p.check(a, c)
}

// Prepare uploads the media, step by step.
func (p *Provider) Prepare(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	st = st.Clone()
	st.Ready = false
	files, err := uploads(ctx, c)
	if err != nil {
		return st, err
	}
	for i, file := range files {
		if u := st.Upload(0, i); u == nil || u.Step != stepReady {
			return p.uploadStep(ctx, a, st, i, file)
		}
	}
	if p.settling(&st) {
		return st, nil
	}
	st.StopWaiting()
	st.Ready, st.UploadProgress = true, nil
	return st, nil
}

// Commit creates the post, the reshare or the comment.
func (p *Provider) Commit(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	if c.Action == provider.Comment {
		return p.comment(ctx, a, c, st.Clone())
	}
	return p.createPost(ctx, a, c, st.Clone())
}

// Poll closes the comments of a new post if requested.
func (p *Provider) Poll(ctx context.Context, a provider.Account, _ provider.Content, st provider.State) (provider.State,
	error) {
	return p.closeComments(ctx, a, st.Clone())
}

// isOrganization checks the author's URN, which is also the account's id at LinkedIn.
func isOrganization(a provider.Account) bool {
	return strings.HasPrefix(a.ProviderAccountID, organizationPrefix)
}

// Prefixes of the URNs of authors.
const (
	organizationPrefix = "urn:li:organization:"
	personPrefix       = "urn:li:person:"
)
