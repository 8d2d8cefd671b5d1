// Package tiktok publishes to TikTok through its Content Posting API: one video or up to 35 pictures a post, directly
// or into the inbox of the account's app. Comments name the page of TikTok's documentation behind a rule where it is an
// odd one.
//
// A video that is uploaded is posted when TikTok has its last chunk. So all others are uploaded beforehand, and only
// the last one is sent at the second the post is due. Pictures are fetched by TikTok: asking for them is posting them.
package tiktok

import (
	"context"
	"errors"
	"time"

	"crier/internal/provider"
)

// Config is what the provider needs to know.
type Config struct {
	provider.Credentials
	// APIURL and ConsentURL are the base addresses; empty means TikTok's own. Posts are shown below ConsentURL.
	APIURL     string
	ConsentURL string
	// PullVideos has TikTok fetch videos from crier's media addresses, whose domain must be verified with TikTok. A
	// lost answer is harder to find out about then.
	PullVideos bool
	// WithoutPKCE leaves out the code challenge, which TikTok does not ask of web apps.
	WithoutPKCE bool
	Limits      Limits
	Caller      *provider.Caller
	Now         func() time.Time
}

// Limits are bounds that TikTok does not state firmly; zero means the usual value.
type Limits struct {
	VideoBytes      int64
	MinVideoSeconds float64
	// MaxVideoSeconds holds where TikTok does not tell what the account may.
	MaxVideoSeconds float64
	// PhotoLongSide and PhotoShortSide are what 1080p means.
	PhotoLongSide  int
	PhotoShortSide int
	// SingleChunkBytes is up to which size a video is sent as a whole, at most 64 million bytes.
	SingleChunkBytes int64
	// ChunkBytes is how much of a larger video is sent at once, 5 to 64 million bytes. The last chunk, which is sent at
	// the second, can be nearly twice as large, so small ones are better.
	ChunkBytes int64
	// UploadLifetime is how long an upload address works.
	UploadLifetime time.Duration
	// ProcessingPatience is how long TikTok may work on a post.
	ProcessingPatience time.Duration
	// PostIDPatience is how long the id of a post that is public already is waited for.
	PostIDPatience time.Duration
	PostsPerDay    int64
	// PostsPerMinute is how many posts of an account may be begun within a minute.
	PostsPerMinute int64
}

// WithBase returns the configuration with every address below one base, as in the sandbox.
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

// New makes the provider. Caller and Now are needed; credentials only for connecting and refreshing.
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

// Info describes TikTok as it is for most accounts.
func (p *Provider) Info() provider.Info { return p.info }

// InfoFor adds what TikTok told about the account when it was connected: how long its videos may be, and for whom.
func (p *Provider) InfoFor(a provider.Account) provider.Info { return narrow(p.info, a) }

// Check applies the rules of videos and pictures.
func (p *Provider) Check(a provider.Account, c provider.Content) provider.Findings {
	return p.check(a, c)
}

// Prepare asks what the account may post, then uploads the video except for its last chunk, step by step.
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

// Commit sends the last chunk of the video, or has TikTok fetch the files.
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

// Poll reads how far TikTok is with the post, and what its id is.
func (p *Provider) Poll(ctx context.Context, a provider.Account, c provider.Content, st provider.State) (provider.State,
	error) {
	return p.follow(ctx, a, c, st.Clone())
}
