package main

import (
	"fmt"

	"crier/internal/provider"
	"crier/internal/provider/all"
)

// networks wires the clients of all networks, pointed at the sandbox when it is on.
func (a *app) networks() (*provider.Registry, error) {
	cfg := all.Config{Caller: provider.NewCaller(provider.CallerConfig{Version: version, Now: a.now}), Now: a.now}
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
