// Package linkedin publishes to LinkedIn through its versioned REST API: posts of members and of organizations with
// images, a video, a document, an article or a poll, reshares and comments. Comments name the page of LinkedIn's
// documentation behind a rule where it is an odd one.
//
// What an account can do depends on the product that the operator's app was granted: self-serve apps write as members
// and read nothing; the Community Management API adds organizations and reading.
package linkedin

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"crier/internal/provider"
)

// Config is what the provider needs to know.
type Config struct {
	provider.Credentials
	// APIURL and ConsentURL are the base addresses; empty means LinkedIn's own.
	APIURL     string
	ConsentURL string
	// Version is the API version as YYYYMM; each lives for a year. Empty means the newest that crier knows.
	Version string
	// CommunityManagement says that the app has that product: its scopes are asked for and organizations are offered.
	CommunityManagement bool
	Limits              Limits
	Caller              *provider.Caller
	Now                 func() time.Time
}

// Limits are bounds that LinkedIn does not state; zero means the usual value.
type Limits struct {
	ImageBytes     int64
	CommentLength  int
	QuestionLength int
	OptionLength   int
}

// WithBase is the configuration with every address below one base, as in the sandbox.
func (c Config) WithBase(base string) Config {
	c.APIURL, c.ConsentURL = base, base
	return c
}

// usualVersion is the API version that this package was written for.
const usualVersion = "202609"

var versionPattern = regexp.MustCompile(`^20\d{2}(?:0[1-9]|1[0-2])$`)

// Provider is LinkedIn.
type Provider struct {
	credentials provider.Credentials
	apiURL      string
	consentURL  string
	version     string
	limits      Limits
	caller      *provider.Caller
	now         func() time.Time
	info        provider.Info
}

// New makes the provider. Caller and Now are needed; credentials only for connecting and refreshing.
func New(c Config) (*Provider, error) {
	if c.Caller == nil || c.Now == nil {
		return nil, errors.New("linkedin: a caller and a clock are needed")
	}
	version := firstOf(c.Version, usualVersion)
	if !versionPattern.MatchString(version) {
		return nil, fmt.Errorf("linkedin: API version %q must be a year and a month, such as %s", version, usualVersion)
	}
	limits := c.Limits.withDefaults()
	return &Provider{
		credentials: c.Credentials,
		apiURL:      baseURL(c.APIURL, "https://api.linkedin.com"),
		consentURL:  baseURL(c.ConsentURL, "https://www.linkedin.com"),
		version:     version,
		limits:      limits,
		caller:      c.Caller,
		now:         c.Now,
		info:        newInfo(limits, c.CommunityManagement),
	}, nil
}

func baseURL(configured, usual string) string {
	if configured == "" {
		return usual
	}
	return strings.TrimRight(configured, "/")
}

// Info describes LinkedIn with all that an organization's connection can do.
func (p *Provider) Info() provider.Info { return p.info }

// InfoFor leaves out what the connection was not granted.
func (p *Provider) InfoFor(a provider.Account) provider.Info { return narrow(p.info, a) }

// Check applies the rules of posts, comments and reshares.
func (p *Provider) Check(a provider.Account, c provider.Content) provider.Findings {
	return p.check(a, c)
}

// Prepare uploads the media, step by step.
func (p *Provider) Prepare(ctx context.Context, a provider.Account, c provider.Content, st provider.State) (provider.State, error) {
	st = st.Clone()
	st.Ready = false
	files, err := uploads(c)
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
func (p *Provider) Commit(ctx context.Context, a provider.Account, c provider.Content, st provider.State) (provider.State, error) {
	if c.Action == provider.Comment {
		return p.comment(ctx, a, c, st.Clone())
	}
	return p.createPost(ctx, a, c, st.Clone())
}

// Poll closes the comments of a new post, where that was asked for.
func (p *Provider) Poll(ctx context.Context, a provider.Account, _ provider.Content, st provider.State) (provider.State, error) {
	return p.closeComments(ctx, a, st.Clone())
}

// isOrganization tells by the author's URN, which is also the account's id at LinkedIn.
func isOrganization(a provider.Account) bool {
	return strings.HasPrefix(a.ProviderAccountID, organizationPrefix)
}

// Prefixes of the URNs of authors.
const (
	organizationPrefix = "urn:li:organization:"
	personPrefix       = "urn:li:person:"
)
