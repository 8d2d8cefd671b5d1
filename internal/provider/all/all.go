// Package all lists the networks that crier supports.
package all

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/facebook"
	"crier/internal/provider/instagram"
	"crier/internal/provider/linkedin"
	"crier/internal/provider/threads"
	"crier/internal/provider/tiktok"
	"crier/internal/provider/x"
	"crier/internal/provider/youtube"
)

// Config configures the networks: shared fields, and one part per network. Caller and Now of the parts are filled in.
type Config struct {
	Caller *provider.Caller
	Now    func() time.Time

	X         x.Config
	TikTok    tiktok.Config
	Instagram instagram.Config
	Facebook  facebook.Config
	YouTube   youtube.Config
	LinkedIn  linkedin.Config
	Threads   threads.Config
}

// Access holds the credentials of this installation at a network, and its URLs; empty URLs mean the network's own.
type Access struct {
	provider.Credentials
	APIURL, ConsentURL string
}

// WithAccess sets the access to a network by name.
func (c Config) WithAccess(name string, a Access) Config {
	switch name {
	case "x":
		c.X.Credentials, c.X.APIURL, c.X.ConsentURL = a.Credentials, a.APIURL, a.ConsentURL
	case "tiktok":
		c.TikTok.Credentials, c.TikTok.APIURL, c.TikTok.ConsentURL = a.Credentials, a.APIURL, a.ConsentURL
	case "instagram":
		c.Instagram.Credentials, c.Instagram.APIURL, c.Instagram.ConsentURL = a.Credentials, a.APIURL, a.ConsentURL
	case "facebook":
		c.Facebook.Credentials, c.Facebook.APIURL, c.Facebook.ConsentURL = a.Credentials, a.APIURL, a.ConsentURL
	case "youtube":
		c.YouTube.Credentials, c.YouTube.APIURL, c.YouTube.ConsentURL = a.Credentials, a.APIURL, a.ConsentURL
	case "linkedin":
		c.LinkedIn.Credentials, c.LinkedIn.APIURL, c.LinkedIn.ConsentURL = a.Credentials, a.APIURL, a.ConsentURL
	case "threads":
		c.Threads.Credentials, c.Threads.APIURL, c.Threads.ConsentURL = a.Credentials, a.APIURL, a.ConsentURL
	}
	return c
}

// sandboxAllowance is the factor by which the simulation's limits exceed those of the networks.
const sandboxAllowance = 100

// WithSandbox points every network to a sandbox, which serves each under a path of its name, with higher limits.
func (c Config) WithSandbox(base string) Config {
	base = strings.TrimRight(base, "/")
	c.X = c.X.WithBase(base + "/x")
	c.TikTok = c.TikTok.WithBase(base + "/tiktok")
	c.Instagram = c.Instagram.WithBase(base + "/instagram")
	c.Facebook = c.Facebook.WithBase(base + "/facebook")
	c.YouTube = c.YouTube.WithBase(base + "/youtube")
	c.LinkedIn = c.LinkedIn.WithBase(base + "/linkedin")
	c.Threads = c.Threads.WithBase(base + "/threads")
	c.TikTok.Limits.PostsPerMinute = cmp.Or(c.TikTok.Limits.PostsPerMinute, sandboxAllowance*tiktok.UsualPostsPerMinute)
	c.YouTube.Limits.UploadsPerDay = cmp.Or(c.YouTube.Limits.UploadsPerDay, sandboxAllowance*youtube.UsualUploadsPerDay)
	c.YouTube.Limits.UnitsPerDay = cmp.Or(c.YouTube.Limits.UnitsPerDay, sandboxAllowance*youtube.UsualUnitsPerDay)
	return c
}

// New returns the registry of all networks, in display order.
func New(c Config) (*provider.Registry, error) {
	c.X.Caller, c.X.Now = c.Caller, c.Now
	c.TikTok.Caller, c.TikTok.Now = c.Caller, c.Now
	c.Instagram.Caller, c.Instagram.Now = c.Caller, c.Now
	c.Facebook.Caller, c.Facebook.Now = c.Caller, c.Now
	c.YouTube.Caller, c.YouTube.Now = c.Caller, c.Now
	c.LinkedIn.Caller, c.LinkedIn.Now = c.Caller, c.Now
	c.Threads.Caller, c.Threads.Now = c.Caller, c.Now

	var providers []provider.Provider
	for _, build := range []func() (provider.Provider, error){
		func() (provider.Provider, error) { return x.New(c.X) },
		func() (provider.Provider, error) { return tiktok.New(c.TikTok) },
		func() (provider.Provider, error) { return instagram.New(c.Instagram) },
		func() (provider.Provider, error) { return facebook.New(c.Facebook) },
		func() (provider.Provider, error) { return youtube.New(c.YouTube) },
		func() (provider.Provider, error) { return linkedin.New(c.LinkedIn) },
		func() (provider.Provider, error) { return threads.New(c.Threads) },
	} {
		p, err := build()
		if err != nil {
			return nil, fmt.Errorf("build provider: %w", err)
		}
		providers = append(providers, p)
	}
	return provider.NewRegistry(providers...)
}
