package main

import (
	"fmt"

	"crier"
	"crier/internal/provider"
	"crier/internal/provider/all"
)

// sandboxClient is what this installation is to the simulated networks, which know every client.
const sandboxClient = "crier-sandbox"

// networks wires the clients of all networks, pointed at the sandbox when it is on.
func (a *app) networks() (*provider.Registry, error) {
	cfg := all.Config{Caller: provider.NewCaller(provider.CallerConfig{Version: version, Now: a.now}), Now: a.now}
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
