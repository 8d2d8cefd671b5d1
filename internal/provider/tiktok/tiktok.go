// Package tiktok publishes to TikTok through its Content Posting API: one video or up to 35 pictures per post, directly
// or into the inbox of the account's app. Comments name the page of TikTok's documentation for unusual rules.
//
// An uploaded video is posted when TikTok has its last chunk. So all others are uploaded in advance, and only the last
// one is sent at the second the post is due. Pictures are fetched by TikTok: the request itself publishes them.
package tiktok

import (
	"context"
	"errors"
	"time"

	"crier/internal/provider"
)

// Config configures the provider.
type Config struct {
	provider.Credentials
	// APIURL and ConsentURL are the base URLs; empty means TikTok's own. Posts are shown below ConsentURL.
	APIURL     string
	ConsentURL string
	// PullVideos makes TikTok fetch videos from crier's media URLs, whose domain must be verified with TikTok. The
	// outcome of a lost response is then harder to determine.
	PullVideos bool
	// WithoutPKCE omits the code challenge, which TikTok does not require of web apps.
	WithoutPKCE bool
	Limits      Limits
	Caller      *provider.Caller
	Now         func() time.Time
}

// Limits are limits that TikTok does not document firmly; zero means the default.
type Limits struct {
	VideoBytes      int64
	MinVideoSeconds float64
	// MaxVideoSeconds applies if TikTok does not return the account's limit.
	MaxVideoSeconds float64
	// PhotoLongSide and PhotoShortSide are the sides of 1080p.
	PhotoLongSide  int
	PhotoShortSide int
	// SingleChunkBytes is the maximum size of a video that is sent as a whole, at most 64 million bytes.
	SingleChunkBytes int64
	// ChunkBytes is the chunk size of a larger video, 5 to 64 million bytes. The last chunk, which is sent at the due
	// second, can be nearly twice as large, so small ones are better.
	ChunkBytes int64
	// UploadLifetime is how long an upload URL is valid.
	UploadLifetime time.Duration
	// ProcessingPatience is how long TikTok may process a post.
	ProcessingPatience time.Duration
	// PostIDPatience is how long to wait for the id of a post that is already public.
	PostIDPatience time.Duration
	PostsPerDay    int64
	// PostsPerMinute is how many posts of an account can be started per minute.
	PostsPerMinute int64
}

// WithBase returns the configuration with all URLs below one base, as in the sandbox.
func (c Config) WithBase(base string) Config {
	c.APIURL, c.ConsentURL = base, base
	return c
}

// Provider is TikTok.
type Provider struct {
	api        provider.APIClient
	tokens     provider.OAuth2
	consentURL string
	pullVideos bool
	limits     Limits
	now        func() time.Time
	info       provider.Info
}

// New returns the provider. Caller and Now are required; credentials only for connecting and refreshing.
func New(c Config) (*Provider, error) {
	if c.Caller == nil || c.Now == nil {
		return nil, errors.New("tiktok: a caller and a clock are needed")
	}
	limits := c.Limits.withDefaults()
	if limits.ChunkBytes < smallestChunk || limits.ChunkBytes > largestChunk {
		return nil, errors.New("tiktok: chunks must have 5,000,000 to 64,000,000 bytes")
	}
	if limits.SingleChunkBytes > largestChunk {
		return nil, errors.New("tiktok: a video that is sent as a whole can have at most 64,000,000 bytes")
	}
	base := provider.BaseURL(c.APIURL, "https://open.tiktokapis.com")
	return &Provider{
		api: provider.APIClient{Caller: c.Caller, BaseURL: base, Failure: failure},
		tokens: provider.OAuth2{
			Caller: c.Caller, Now: c.Now, Network: "TikTok", Credentials: c.Credentials, ClientIDName: "client_key",
			TokenURL: base + "/v2/oauth/token/", RevokeURL: base + "/v2/oauth/revoke/", PKCE: !c.WithoutPKCE,
			Classify: classifyToken,
		},
		consentURL: provider.BaseURL(c.ConsentURL, "https://www.tiktok.com"),
		pullVideos: c.PullVideos,
		limits:     limits,
		now:        c.Now,
		info:       newInfo(limits, !c.WithoutPKCE),
	}, nil
}

// Info describes TikTok for most accounts.
func (p *Provider) Info() provider.Info { return p.info }

// InfoFor adds what TikTok returned about the account when it was connected: the maximum length of its videos, and the
// privacy levels.
func (p *Provider) InfoFor(a provider.Account) provider.Info { return narrow(p.info, a) }

// Check applies the rules of videos and pictures.
func (p *Provider) Check(a provider.Account, c provider.Content) provider.Findings {
	return p.check(a, c)
}

// Prepare reads what the account may post, then uploads the video except for its last chunk, step by step.
func (p *Provider) Prepare(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	st = st.Clone()
	st.Ready = false
	plan, err := p.newPlan(c)
	if err != nil {
		return st, err
	}
	if st.Data[noteTaken] == "" {
		if !plan.inbox() && !p.knowsCreator(st) {
			err := p.readCreator(ctx, a, plan, &st)
			return st, err
		}
		if !plan.pulled {
			if u := p.currentUpload(&st, plan.video); !onlyLastChunkMissing(u) {
				return p.uploadStep(ctx, a, plan, st)
			}
		}
	}
	st.StopWaiting()
	st.Ready = true
	return st, nil
}

// Commit sends the last chunk of the video, or makes TikTok fetch the files.
func (p *Provider) Commit(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	st = st.Clone()
	plan, err := p.newPlan(c)
	switch {
	case err != nil:
		return st, err
	case st.Data[noteTaken] != "":
		p.accept(&st)
		return st, nil
	case plan.pulled:
		return p.postByAddress(ctx, a, plan, st)
	}
	return p.sendLastChunk(ctx, plan, st)
}

// Poll reads the status of the post, and its id.
func (p *Provider) Poll(ctx context.Context, a provider.Account, c provider.Content, st provider.State) (provider.State,
	error) {
	return p.follow(ctx, a, c, st.Clone())
}
