// Package facebook publishes to Facebook Pages: texts, links, photos, videos, reels and stories, with a first comment.
// Photos and videos are uploaded unpublished; the last call publishes the post. Publishing to profiles and groups is
// not possible.
package facebook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/graph"
)

// Config configures the provider.
type Config struct {
	provider.Credentials
	// APIURL, ConsentURL, VideoURL and UploadURL are the base URLs; empty means Facebook's own.
	APIURL     string
	ConsentURL string
	VideoURL   string
	UploadURL  string
	// Version is the version of the Graph API; empty means v25.0.
	Version string
	// LoginConfigID is a configuration of Facebook Login for Business, used instead of the scopes.
	LoginConfigID string
	// WithoutPortfolios excludes the Pages of Business portfolios, and the permission that they need.
	WithoutPortfolios bool
	// SecretProof means that the app requires every call to prove that it knows the app's secret.
	SecretProof bool
	Limits      Limits
	Caller      *provider.Caller
	Now         func() time.Time
}

// Limits are limits that Facebook does not document firmly; zero means the default.
type Limits struct {
	// TextLength bounds a message in characters.
	TextLength int
	// Photos is the maximum number of photos of a post.
	Photos int
	// PhotoBytes and VideoBytes limit files; VideoSeconds limits videos other than reels.
	PhotoBytes, VideoBytes int64
	VideoSeconds           float64
	// PhotoLifetime is how long an unpublished photo is kept.
	PhotoLifetime time.Duration
	// CommitTimeout is how long to wait for the response to a publication.
	CommitTimeout time.Duration
	// Patience is how long a published video may be processed before polling stops with a warning.
	Patience time.Duration
}

func (l Limits) withDefaults() Limits {
	l.TextLength = cmp.Or(l.TextLength, 63_206)
	l.Photos = cmp.Or(l.Photos, 10)
	l.PhotoBytes = cmp.Or(l.PhotoBytes, 10<<20)
	l.VideoBytes = cmp.Or(l.VideoBytes, 10<<30)
	l.VideoSeconds = cmp.Or(l.VideoSeconds, 4*60*60)
	l.PhotoLifetime = cmp.Or(l.PhotoLifetime, 24*time.Hour)
	l.CommitTimeout = cmp.Or(l.CommitTimeout, time.Minute)
	l.Patience = cmp.Or(l.Patience, 15*time.Minute)
	return l
}

// WithBase returns the configuration with all URLs below one base, as in the sandbox.
func (c Config) WithBase(base string) Config {
	c.APIURL, c.ConsentURL, c.VideoURL, c.UploadURL = base, base, base, base
	return c
}

// usualVersion is the API version that this package was written for.
const usualVersion = "v25.0"

var versionPattern = regexp.MustCompile(`^v\d+\.\d+$`)

// Provider is Facebook.
type Provider struct {
	consentURL string
	uploadURL  string
	limits     Limits
	api        graph.Client
	videos     graph.Client // the host for videos
	login      graph.Login
	now        func() time.Time
	info       provider.Info
}

// New returns the provider. Caller and Now are required; credentials only for connecting.
func New(c Config) (*Provider, error) {
	if c.Caller == nil || c.Now == nil {
		return nil, errors.New("facebook: a caller and a clock are needed")
	}
	version := cmp.Or(c.Version, usualVersion)
	if !versionPattern.MatchString(version) {
		return nil, fmt.Errorf("facebook: API version %q must be like %s", version, usualVersion)
	}
	limits := c.Limits.withDefaults()
	p := &Provider{
		consentURL: provider.BaseURL(c.ConsentURL, "https://www.facebook.com"),
		uploadURL:  provider.BaseURL(c.UploadURL, "https://rupload.facebook.com"),
		limits:     limits,
		now:        c.Now,
		info:       newInfo(limits, !c.WithoutPortfolios),
	}
	client := graph.ClientConfig{Caller: c.Caller, Rules: rules,
		BaseURL: provider.BaseURL(c.APIURL, "https://graph.facebook.com") + "/" + version}
	if c.SecretProof {
		client.ProofKey = c.ClientSecret
	}
	p.api = graph.NewClient(client)
	p.videos = p.api.WithBase(provider.BaseURL(c.VideoURL, "https://graph-video.facebook.com") + "/" + version)
	p.login = graph.Login{
		Client: p.api, Tokens: graph.NewTokens("Facebook", c.Caller, c.Now, c.Credentials),
		DialogURL: p.consentURL + "/" + version, Scopes: provider.ScopeNames(p.info.Scopes), ConfigID: c.LoginConfigID,
	}
	return p, nil
}

// Info describes Facebook.
func (p *Provider) Info() provider.Info { return p.info }

// InfoFor omits what the connection was not granted.
func (p *Provider) InfoFor(a provider.Account) provider.Info { return narrow(p.info, a) }

// Check applies the rules of posts, reels, stories and comments.
func (p *Provider) Check(a provider.Account, c provider.Content) provider.Findings {
	return p.check(a, c)
}

// Prepare uploads photos and videos, step by step. None of that is public.
func (p *Provider) Prepare(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	st = st.Clone()
	st.Ready = false
	plan, err := newPlan(c)
	if err != nil {
		return st, err
	}
	if c.Action != provider.Comment {
		p.forgetExpired(&st)
		for media := range plan.media {
			if u := st.Upload(0, media); u == nil || u.Step != stepReady {
				return p.uploadStep(ctx, a, plan, st, media)
			}
		}
	}
	st.StopWaiting()
	st.Ready, st.UploadProgress = true, nil
	return st, nil
}

// Commit publishes the post, reel, story or comment.
func (p *Provider) Commit(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	st = st.Clone()
	if c.Action == provider.Comment {
		return p.comment(ctx, a, c, st)
	}
	plan, err := newPlan(c)
	if err != nil {
		return st, err
	}
	switch {
	case plan.isVideo():
		return p.finishVideo(ctx, a, plan, st)
	case plan.format == story:
		return p.photoStory(ctx, a, st)
	}
	return p.feedPost(ctx, a, plan, st)
}

// Poll waits until a video is published, then does what is only possible afterwards.
func (p *Provider) Poll(ctx context.Context, a provider.Account, c provider.Content, st provider.State) (provider.State,
	error) {
	st = st.Clone()
	plan, err := newPlan(c)
	if err != nil {
		return st, err
	}
	if !st.Done {
		return p.followVideo(ctx, a, plan, st)
	}
	return p.afterwards(ctx, a, plan, st), nil
}
