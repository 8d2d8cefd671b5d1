package server

import (
	"fmt"

	"crier"
	"crier/internal/provider"
	"crier/internal/provider/all"
)

// sandboxClient is the client id of this installation on the simulated networks, which accept every client.
const sandboxClient = "crier-sandbox"

// Network holds the credentials that a network issued to this installation, and the network's addresses.
type Network struct {
	ClientID, ClientSecret string
	APIURL, ConsentURL     string
}

// Network returns the configuration of one network, creating it at the first call.
func (c *Config) Network(p crier.Provider) *Network {
	if c.Networks == nil {
		c.Networks = map[crier.Provider]*Network{}
	}
	if c.Networks[p] == nil {
		c.Networks[p] = &Network{}
	}
	return c.Networks[p]
}

// HasCredentials reports whether this installation has credentials of any network.
func (c *Config) HasCredentials() bool {
	for _, n := range c.Networks {
		if n.ClientID != "" {
			return true
		}
	}
	return false
}

// Registry returns the clients of all networks, pointed at the sandbox when it is on.
func (c *Config) Registry() (*provider.Registry, error) { return c.registryAt(c.SandboxURL()) }

func (c *Config) registryAt(sandboxURL string) (*provider.Registry, error) {
	cfg := c.OwnNetworks
	cfg.Caller, cfg.Now = provider.NewCaller(provider.CallerConfig{Version: c.Version, Now: c.Now}), c.Now
	for _, p := range crier.Providers() {
		n := c.Network(p)
		access := all.Access{
			Credentials: provider.Credentials{ClientID: n.ClientID, ClientSecret: provider.Secret(n.ClientSecret)},
			APIURL:      n.APIURL, ConsentURL: n.ConsentURL,
		}
		if c.Sandbox && access.ClientID == "" {
			access.Credentials = provider.Credentials{ClientID: sandboxClient, ClientSecret: sandboxClient}
		}
		cfg = cfg.WithAccess(string(p), access)
	}
	if c.Sandbox {
		cfg = cfg.WithSandbox(sandboxURL)
	}
	registry, err := all.New(cfg)
	if err != nil {
		return nil, fmt.Errorf("wire the networks: %w", err)
	}
	return registry, nil
}

// SandboxURL returns the address of the simulator: an external one, or the one of this process.
func (c *Config) SandboxURL() string {
	if c.SandboxAt != "" {
		return c.SandboxAt
	}
	return "http://" + Reachable(c.SandboxListen)
}
