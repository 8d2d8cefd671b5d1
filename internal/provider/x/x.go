// Package x publishes to X through its API v2: posts with up to four images, one GIF or one video, threads, polls,
// quotes, replies and reposts. Comments name the section of X's documentation for unusual rules.
package x

import (
	"context"
	"errors"
	"fmt"
	"time"

	"crier/internal/provider"
)

// Config configures the provider.
type Config struct {
	provider.Credentials
	// APIURL and ConsentURL are the base URLs; empty means X's own.
	APIURL     string
	ConsentURL string
	// Costs are prices in credits by key, overriding the defaults.
	Costs map[string]int64
	// Quotes means that the app may quote posts. Self-serve apps may not.
	Quotes bool
	Limits Limits
	Caller *provider.Caller
	Now    func() time.Time
}

// Limits are limits that X does not document firmly; zero means the default.
type Limits struct {
	// VideoSeconds and VideoBytes apply to accounts without a subscription.
	VideoSeconds float64
	VideoBytes   int64
	// SubscriberVideoSeconds and SubscriberVideoBytes apply to accounts with one.
	SubscriberVideoSeconds float64
	SubscriberVideoBytes   int64
}

// WithBase returns the configuration with all URLs below one base, as in the sandbox.
func (c Config) WithBase(base string) Config {
	c.APIURL, c.ConsentURL = base, base
	return c
}

// Provider is X.
type Provider struct {
	api        provider.APIClient
	tokens     provider.OAuth2
	consentURL string
	limits     Limits
	now        func() time.Time
	info       provider.Info
}

// New returns the provider. Caller and Now are required; credentials only for connecting and refreshing.
func New(c Config) (*Provider, error) {
	if c.Caller == nil || c.Now == nil {
		return nil, errors.New("x: a caller and a clock are needed")
	}
	costs, err := newCosts(c.Costs)
	if err != nil {
		return nil, err
	}
	limits := c.Limits.withDefaults()
	if most := max(limits.VideoBytes, limits.SubscriberVideoBytes); most > maxFile {
		return nil, fmt.Errorf("x: videos of %d bytes are not possible: %d segments have room for %d", most,
			maxSegments, maxFile)
	}
	base := provider.BaseURL(c.APIURL, "https://api.x.com")
	p := &Provider{
		consentURL: provider.BaseURL(c.ConsentURL, "https://x.com"),
		limits:     limits,
		now:        c.Now,
		info:       newInfo(c, costs, limits),
	}
	p.api = provider.APIClient{Caller: c.Caller, BaseURL: base, Failure: provider.FailureOf(p.classify)}
	p.tokens = provider.OAuth2{
		Caller: c.Caller, Now: c.Now, Network: "X", Credentials: c.Credentials, BasicAuth: true, PKCE: true,
		TokenURL: base + "/2/oauth2/token", RevokeURL: base + "/2/oauth2/revoke", Classify: p.classifyToken,
	}
	return p, nil
}

// Info describes X for an account without a subscription.
func (p *Provider) Info() provider.Info { return p.info }

// InfoFor adds the features of a subscription: long posts and long videos.
func (p *Provider) InfoFor(a provider.Account) provider.Info {
	if !decodeDetails(a).subscribed() {
		return p.info
	}
	return forSubscriber(p.info, p.limits)
}

// Check applies the rules of posts, replies, reposts and quotes.
func (p *Provider) Check(a provider.Account, c provider.Content) provider.Findings {
	return check(p.InfoFor(a), c)
}

// Prepare uploads the media of all unpublished parts, step by step.
func (p *Provider) Prepare(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	st = st.Clone()
	st.Ready = false
	if c.Action != provider.Repost {
		forgetExpired(&st, p.now())
		for part := st.NextPart(); part < len(c.Parts); part++ {
			for media := range c.Parts[part].Media {
				if u := st.Upload(part, media); u == nil || u.Step != stepReady {
					return p.uploadStep(ctx, a, c, st, part, media)
				}
			}
		}
	}
	st.StopWaiting()
	st.Ready, st.UploadProgress = true, nil
	return st, nil
}

// Commit creates the next post, or the repost.
func (p *Provider) Commit(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	if c.Action == provider.Repost {
		return p.repost(ctx, a, c, st.Clone())
	}
	return p.createPost(ctx, a, c, st.Clone())
}

// Poll does nothing: X publishes synchronously.
func (p *Provider) Poll(ctx context.Context, a provider.Account, c provider.Content, st provider.State) (provider.State,
	error) {
	return provider.Defaults{}.Poll(ctx, a, c, st)
}
