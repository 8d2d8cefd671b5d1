// Package oauth implements how programs sign in their user: device login (RFC 8628) for the shell, the authorization
// code flow with PKCE for MCP clients, and the tokens of both.
package oauth

import (
	"crier"
	"crier/internal/auth"
	"crier/internal/store"
)

// Config holds the dependencies and settings of the package.
type Config struct {
	Store *store.Store
	Keys  *auth.Keyring
	Clock crier.Clock
	// PublicURL is the public base URL of this installation, without a trailing slash.
	PublicURL string
	// Clients may request access without metadata of their own.
	Clients []Client
	// Registration lets any program register itself as a client.
	Registration bool
	// Documents fetches the metadata of clients.
	Documents Documents
}

// Rules groups the two flows.
type Rules struct {
	Devices        *Devices
	Authorizations *Authorizations
}

// New returns the Rules.
func New(cfg Config) Rules {
	devices := &Devices{store: cfg.Store, clock: cfg.Clock, publicURL: cfg.PublicURL}
	clients := clientDirectory{configured: cfg.Clients, registration: cfg.Registration, keys: cfg.Keys,
		documents: cfg.Documents}
	return Rules{Devices: devices, Authorizations: &Authorizations{store: cfg.Store, keys: cfg.Keys, clock: cfg.Clock,
		devices: devices, publicURL: cfg.PublicURL, clients: clients}}
}
