// Package threads publishes to Threads through its Graph API: posts with text, an image, a video or a carousel, chains
// of replies, polls, quotes and reposts. Threads fetches media from a URL; a post is prepared in a container, which is
// published by a second call.
package threads

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
	// APIURL and ConsentURL are the base URLs; empty means those of Threads.
	APIURL     string
	ConsentURL string
	// Version is the API version; empty means v1.0.
	Version string
	// OptionalScopes are further permissions that the app was granted, such as threads_location_tagging.
	OptionalScopes []string
	Limits         Limits
	Caller         *provider.Caller
	Now            func() time.Time
}

// Limits are limits that Threads does not document firmly; zero means the default.
type Limits struct {
	// ThreadParts is the maximum number of posts in a chain.
	ThreadParts int
	// CommitTimeout is how long to wait for the response to a publication.
	CommitTimeout time.Duration
	// Settle is how long to wait after a container is finished before it is published.
	Settle time.Duration
	// Patience is how long Threads may process a container before an error is reported.
	Patience time.Duration
}

// prepareSlack is how long creating and reading a container may take besides the time to settle: some calls, and the
// job engine's pauses between them.
const prepareSlack = 10 * time.Second

func (l Limits) withDefaults() Limits {
	l.ThreadParts = cmp.Or(l.ThreadParts, 50)
	l.CommitTimeout = cmp.Or(l.CommitTimeout, time.Minute)
	l.Settle = cmp.Or(l.Settle, 2*time.Second)
	l.Patience = cmp.Or(l.Patience, 15*time.Minute)
	return l
}

// WithBase returns the configuration with all URLs below one base, as in the sandbox.
func (c Config) WithBase(base string) Config {
	c.APIURL, c.ConsentURL = base, base
	return c
}

// usualVersion is the API version that this package was written for.
const usualVersion = "v1.0"

var versionPattern = regexp.MustCompile(`^v\d+\.\d+$`)

// Provider is Threads.
type Provider struct {
	hostURL    string
	consentURL string
	limits     Limits
	api        graph.Client
	tokens     provider.OAuth2
	containers graph.Containers
	now        func() time.Time
	info       provider.Info
}

// New returns the provider. Caller and Now are required; credentials only for connecting.
func New(c Config) (*Provider, error) {
	if c.Caller == nil || c.Now == nil {
		return nil, errors.New("threads: a caller and a clock are needed")
	}
	version := cmp.Or(c.Version, usualVersion)
	if !versionPattern.MatchString(version) {
		return nil, fmt.Errorf("threads: API version %q must be like %s", version, usualVersion)
	}
	limits := c.Limits.withDefaults()
	host := provider.BaseURL(c.APIURL, "https://graph.threads.net")
	p := &Provider{
		hostURL:    host,
		consentURL: provider.BaseURL(c.ConsentURL, "https://threads.com"),
		limits:     limits,
		api: graph.NewClient(graph.ClientConfig{Caller: c.Caller, BaseURL: host + "/" + version,
			Rules: rules}),
		tokens: graph.NewTokens("Threads", c.Caller, c.Now, c.Credentials),
		now:    c.Now,
		info:   newInfo(limits, c.OptionalScopes),
	}
	p.containers = graph.Containers{
		Network: "Threads", Create: p.createContainer, Read: p.readContainer, Explain: explain, Now: c.Now,
		Settle: limits.Settle, Patience: limits.Patience, RefusalPause: 5 * time.Second,
	}
	return p, nil
}

// Info describes Threads.
func (p *Provider) Info() provider.Info { return p.info }

// InfoFor omits what the connection was not granted.
func (p *Provider) InfoFor(a provider.Account) provider.Info { return narrow(p.info, a) }

// Check applies the rules of posts, replies, reposts and quotes.
func (p *Provider) Check(a provider.Account, c provider.Content) provider.Findings {
	return p.check(a, c)
}

// Prepare reads the daily quota, then creates the containers of the next part and waits until they are finished.
func (p *Provider) Prepare(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	st = st.Clone()
	st.Ready = false
	if st.Data[noteQuota] == "" {
		return p.checkQuota(ctx, a, c, st)
	}
	if c.Action != provider.Repost {
		if done, err := p.containers.Prepare(ctx, a, c, &st); err != nil || !done {
			return st, err
		}
	}
	st.StopWaiting()
	st.Ready = true
	return st, nil
}

// Commit publishes the container of the next part, or reposts.
func (p *Provider) Commit(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	if c.Action == provider.Repost {
		return p.repost(ctx, a, c, st.Clone())
	}
	return p.publish(ctx, a, c, st.Clone())
}

// Poll reads the permalink of the first post, which the response to publishing does not contain.
func (p *Provider) Poll(ctx context.Context, a provider.Account, _ provider.Content, st provider.State) (provider.State,
	error) {
	return p.api.ReadPermalink(ctx, a.Token.Access, st.Clone()), nil
}
