// Package all is the list of the networks that crier knows. Adding one is one line in each of its three lists.
package all

import (
	"strings"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/x"
)

// Config is what the networks need: what they share, and each its own part. Caller and Now of the parts are filled in.
type Config struct {
	Caller *provider.Caller
	Now    func() time.Time

	X x.Config
}

// WithSandbox points every network at a sandbox, which has each under a path of its name.
func (c Config) WithSandbox(base string) Config {
	base = strings.TrimRight(base, "/")
	c.X = c.X.WithBase(base + "/x")
	return c
}

// New makes all networks and their registry.
func New(c Config) (*provider.Registry, error) {
	c.X.Caller, c.X.Now = c.Caller, c.Now

	xProvider, err := x.New(c.X)
	if err != nil {
		return nil, err
	}
	return provider.NewRegistry(xProvider)
}
