package main

import (
	"fmt"

	"crier"
	"crier/internal/provider"
	"crier/internal/provider/all"
)

// sandboxClient is what this installation is to the simulated networks, which know every client.
const sandboxClient = "crier-sandbox"

// networkConfig is what a network gave to this installation, and where it is reached.
type networkConfig struct {
	clientID, clientSecret string
	apiURL, consentURL     string
}

// network is the configuration of one network; it is made when it is first asked for.
func (c *config) network(p crier.Provider) *networkConfig {
	if c.networks == nil {
		c.networks = map[crier.Provider]*networkConfig{}
	}
	if c.networks[p] == nil {
		c.networks[p] = &networkConfig{}
	}
	return c.networks[p]
}

// hasCredentials is true when this installation is known to any network.
func (c *config) hasCredentials() bool {
	for _, n := range c.networks {
		if n.clientID != "" {
			return true
		}
	}
	return false
}

// networkSettings are the settings that every network has.
func networkSettings() []setting {
	var list []setting
	for _, p := range crier.Providers() {
		field := func(pick func(*networkConfig) *string) func(*config) *string {
			return func(c *config) *string { return pick(c.network(p)) }
		}
		name := string(p)
		list = append(list,
			setting{flag: name + "-client-id", help: "client id that " + name + " gave to this installation", set: text(field(func(n *networkConfig) *string { return &n.clientID }))},
			setting{flag: name + "-client-secret", help: "client secret that " + name + " gave to this installation", secret: true, set: text(field(func(n *networkConfig) *string { return &n.clientSecret }))},
			setting{flag: name + "-api-url", help: "base address of " + name + "'s interface; empty: its own", set: baseURL(field(func(n *networkConfig) *string { return &n.apiURL }))},
			setting{flag: name + "-consent-url", help: "base address of " + name + "'s consent page; empty: its own", set: baseURL(field(func(n *networkConfig) *string { return &n.consentURL }))},
		)
	}
	return append(list, ownSettings()...)
}

// ownSettings are the settings that one network alone has.
func ownSettings() []setting {
	var list []setting
	for _, own := range all.Settings() {
		list = append(list, setting{flag: own.Name, help: own.Help, set: func(c *config, text string) error {
			if text == "" {
				return nil
			}
			return own.Apply(&c.ownNetworks, text)
		}})
	}
	return list
}

// networks wires the clients of all networks, pointed at the sandbox when it is on.
func (a *app) networks() (*provider.Registry, error) {
	cfg := a.config.ownNetworks
	cfg.Caller, cfg.Now = provider.NewCaller(provider.CallerConfig{Version: version, Now: a.now}), a.now
	for _, p := range crier.Providers() {
		n := a.config.network(p)
		access := all.Access{
			Credentials: provider.Credentials{ClientID: n.clientID, ClientSecret: provider.Secret(n.clientSecret)},
			APIURL:      n.apiURL, ConsentURL: n.consentURL,
		}
		if a.config.sandbox && access.ClientID == "" {
			access.Credentials = provider.Credentials{ClientID: sandboxClient, ClientSecret: sandboxClient}
		}
		cfg = cfg.WithAccess(string(p), access)
	}
	if a.config.sandbox {
		cfg = cfg.WithSandbox(a.sandboxURL())
	}
	registry, err := all.New(cfg)
	if err != nil {
		return nil, fmt.Errorf("wire the networks: %w", err)
	}
	return registry, nil
}

// sandboxURL is where the simulator is reached: one that runs elsewhere, or this process's own.
func (a *app) sandboxURL() string {
	if a.config.sandboxAt != "" {
		return a.config.sandboxAt
	}
	return "http://" + reachable(a.config.sandboxListen)
}
