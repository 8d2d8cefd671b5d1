// Package social implements social accounts: connecting them by a network's consent, showing their capabilities and
// problems, and querying their networks.
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

// Config holds the dependencies and settings of the package.
type Config struct {
	Store     *store.Store
	Writes    *access.Idempotency
	Keys      *auth.Keyring
	Providers *provider.Registry
	Engine    *publish.Engine
	Queue     job.Queue
	// PublicURL is the base of the URL that networks redirect people to.
	PublicURL string
	// Sandbox means that the networks are simulated.
	Sandbox bool
	Clock   crier.Clock
	Logger  *slog.Logger
}

// Rules groups the parts of the package.
type Rules struct {
	Accounts    *Accounts
	Connections *Connections
	Profiles    *Profiles
	Views       *Views
}

// New returns the Rules.
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
