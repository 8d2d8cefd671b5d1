// Package social holds the rules of social accounts: connecting them by a network's consent, showing what they can do
// and what will keep them from it, and asking their networks about them.
package social

import (
	"log/slog"

	"crier"
	"crier/internal/access"
	"crier/internal/auth"
	"crier/internal/job"
	"crier/internal/provider"
	"crier/internal/publish"
	"crier/internal/store"
)

// Config is what the rules need of the world.
type Config struct {
	Store     *store.Store
	Writes    *access.Idempotency
	Keys      *auth.Keyring
	Providers *provider.Registry
	Engine    *publish.Engine
	Queue     job.Queue
	// PublicURL is where networks send people back to.
	PublicURL string
	// Sandbox says that the networks are simulated.
	Sandbox bool
	Clock   crier.Clock
	Logger  *slog.Logger
}

// Rules are the rules, one value per noun.
type Rules struct {
	Accounts    *Accounts
	Connections *Connections
	Profiles    *Profiles
	Views       *Views
}

// New builds the rules.
func New(cfg Config) Rules {
	views := &Views{providers: cfg.Providers, clock: cfg.Clock}
	connections := &Connections{store: cfg.Store, writes: cfg.Writes, keys: cfg.Keys, providers: cfg.Providers,
		engine: cfg.Engine, queue: cfg.Queue, views: views, clock: cfg.Clock, log: cfg.Logger,
		publicURL: cfg.PublicURL, sandbox: cfg.Sandbox}
	return Rules{
		Accounts: &Accounts{store: cfg.Store, writes: cfg.Writes, providers: cfg.Providers, engine: cfg.Engine,
			views: views, clock: cfg.Clock, connections: connections},
		Connections: connections,
		Profiles:    newProfiles(cfg.Store, cfg.Providers, cfg.Engine, cfg.Clock, cfg.Logger),
		Views:       views,
	}
}
