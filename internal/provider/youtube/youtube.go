// Package youtube publishes to YouTube through its Data API v3: one video per post, with title, description, thumbnail
// and playlists, and comments. Comments name the page of YouTube's documentation for unusual rules.
//
// A video is published when YouTube has its last byte. So everything but a small last chunk is uploaded in advance, and
// only that chunk is sent at the second the post is due.
package youtube

import (
	"context"
	"errors"
	"fmt"
	"time"
	_ "time/tzdata" // YouTube's day starts at midnight in California, wherever crier runs

	"crier/internal/provider"
)

// Config configures the provider.
type Config struct {
	provider.Credentials
	// APIURL, ConsentURL, TokenURL and SiteURL are the base URLs; empty means YouTube's own.
	APIURL     string
	ConsentURL string
	TokenURL   string
	SiteURL    string
	// AnalyticsURL is the base URL of the Analytics API; empty means YouTube's own.
	AnalyticsURL string
	// Analytics means that the consent also requests the metrics of the Analytics API, such as watch time.
	Analytics bool
	Limits    Limits
	Caller    *provider.Caller
	Now       func() time.Time
}

// Limits are limits that YouTube does not document firmly or grants individually; zero means the default.
type Limits struct {
	// VideoSeconds applies to unverified channels, LongVideoSeconds to verified ones.
	VideoSeconds     float64
	LongVideoSeconds float64
	VideoBytes       int64
	ThumbnailBytes   int64
	CommentLength    int
	// ChunkBytes is the chunk size; it is rounded up to a multiple that YouTube accepts.
	ChunkBytes int64
	// SessionLifetime is how long an upload can be continued.
	SessionLifetime time.Duration
	// ProcessingPatience is how long the processing of an uploaded video is polled.
	ProcessingPatience time.Duration
	// UploadsPerDay and UnitsPerDay are the quotas of this installation's Google project.
	UploadsPerDay int64
	UnitsPerDay   int64
}

// WithBase returns the configuration with all URLs below one base, as in the sandbox.
func (c Config) WithBase(base string) Config {
	c.APIURL, c.ConsentURL, c.TokenURL, c.SiteURL, c.AnalyticsURL = base, base, base, base, base
	return c
}

// Provider is YouTube.
type Provider struct {
	api        provider.APIClient
	analytics  provider.APIClient
	tokens     provider.OAuth2
	consentURL string
	siteURL    string
	limits     Limits
	now        func() time.Time
	quotaZone  *time.Location
	info       provider.Info
}

// New returns the provider. Caller and Now are required; credentials only for connecting and refreshing.
func New(c Config) (*Provider, error) {
	if c.Caller == nil || c.Now == nil {
		return nil, errors.New("youtube: a caller and a clock are needed")
	}
	zone, err := time.LoadLocation(quotaZone)
	if err != nil {
		return nil, fmt.Errorf("youtube: load the zone of the quota: %w", err)
	}
	limits := c.Limits.withDefaults()
	p := &Provider{
		consentURL: provider.BaseURL(c.ConsentURL, "https://accounts.google.com"),
		siteURL:    provider.BaseURL(c.SiteURL, "https://www.youtube.com"),
		limits:     limits,
		now:        c.Now,
		quotaZone:  zone,
		info:       newInfo(limits, c.Analytics),
	}
	p.api = provider.APIClient{
		Caller: c.Caller, BaseURL: provider.BaseURL(c.APIURL, "https://www.googleapis.com"),
		Failure: provider.FailureOf(p.classify),
	}
	p.analytics = p.api
	p.analytics.BaseURL = provider.BaseURL(c.AnalyticsURL, "https://youtubeanalytics.googleapis.com")
	tokens := provider.BaseURL(c.TokenURL, "https://oauth2.googleapis.com")
	p.tokens = provider.OAuth2{
		Caller: c.Caller, Now: c.Now, Network: "Google", Credentials: c.Credentials, PKCE: true,
		TokenURL: tokens + "/token", RevokeURL: tokens + "/revoke", Classify: p.classifyToken,
	}
	return p, nil
}

// Info describes YouTube for an unverified channel.
func (p *Provider) Info() provider.Info { return p.info }

// InfoFor adds long videos if the channel may have them, and omits what the connection was not granted.
func (p *Provider) InfoFor(a provider.Account) provider.Info { return narrow(p.info, p.limits, a) }

// Check applies the rules of videos and comments.
func (p *Provider) Check(a provider.Account, c provider.Content) provider.Findings {
	return p.check(a, c)
}

// Prepare uploads the video except for its last chunk, step by step.
func (p *Provider) Prepare(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	st = st.Clone()
	st.Ready = false
	if c.Action != provider.Comment && st.Data[noteVideo] == "" {
		video, err := videoOf(c)
		if err != nil {
			return st, err
		}
		if u := p.currentUpload(&st, video); !onlyLastPieceMissing(u) {
			return p.uploadStep(ctx, a, c, st, video)
		}
	}
	st.StopWaiting()
	st.Ready = true
	return st, nil
}

// Commit sends the last chunk of the video, or the comment.
func (p *Provider) Commit(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	if c.Action == provider.Comment {
		return p.comment(ctx, a, c, st.Clone())
	}
	return p.publishVideo(ctx, a, c, st.Clone())
}

// Poll sets the thumbnail, adds captions, adds the video to playlists, and reads its processing status.
func (p *Provider) Poll(ctx context.Context, a provider.Account, c provider.Content, st provider.State) (provider.State,
	error) {
	return p.follow(ctx, a, c, st.Clone())
}
