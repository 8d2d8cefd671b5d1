// Package oauth holds the rules by which programs sign their person in: device login (RFC 8628) for the shell, the
// authorization code flow with PKCE for the clients of agents, and the tokens that both give.
package oauth

import (
	"crier"
	"crier/internal/auth"
	"crier/internal/store"
)

// Config is what the rules need of the world.
type Config struct {
	Store *store.Store
	Keys  *auth.Keyring
	Clock crier.Clock
	// PublicURL is where people and programs reach this installation, without a slash at the end.
	PublicURL string
	// Clients may ask people for access without a description of their own.
	Clients []Client
	// Registration lets any program register itself as a client.
	Registration bool
	// Documents reads the descriptions of clients.
	Documents Documents
}

// Rules are the two ways in.
type Rules struct {
	Devices        *Devices
	Authorizations *Authorizations
}

// New builds the rules.
func New(cfg Config) Rules {
	devices := &Devices{store: cfg.Store, clock: cfg.Clock, publicURL: cfg.PublicURL}
	clients := clientDirectory{configured: cfg.Clients, registration: cfg.Registration, keys: cfg.Keys,
		documents: cfg.Documents}
	return Rules{Devices: devices, Authorizations: &Authorizations{store: cfg.Store, keys: cfg.Keys, clock: cfg.Clock,
		devices: devices, publicURL: cfg.PublicURL, clients: clients}}
}
