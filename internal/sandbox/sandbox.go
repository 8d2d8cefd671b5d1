// Package sandbox is a simulator of the social networks that crier publishes to. It implements their wire formats, has
// its own consent pages and public timelines, and can fail on demand; a fresh installation uses it by default, and
// tests publish to it.
//
// It imports only the standard library and shares no type with the clients: a mistake in a client must not be repeated
// here. It does not model a network's ranking, search or people.
//
// # Addresses
//
// One listener serves all networks, each below its own name: https://api.x.com/2/tweets of X is /x/2/tweets here.
// [Addresses] lists the replacement of every real host; hosts that a network names in its responses (for uploads) are
// named in the sandbox's responses too. Pages for people: / shows all timelines, /x the one of X, /_faults makes
// networks fail.
//
// # Accounts
//
// A person creates an account on a network's consent page with any name. A test posts the form of that page to the same
// address: decision=allow (or deny), name=ada, and scope once for each scope that stays selected (all if there is
// none). A program uses [SeedAccount], which needs no running sandbox.
//
// # Controls
//
//	GET    /_control/posts?provider=&accountId=  everything that was posted, oldest first
//	POST   /_control/faults                      {provider, operation, kind, count, skip?, accountId?, delayMs?, retryAfterSeconds?}
//	GET    /_control/faults                      the pending faults
//	DELETE /_control/faults                      removes all faults
//	POST   /_control/likes                       {provider, platformPostId, count}
//	POST   /_control/metrics                     {provider, platformPostId, likes?, views?} or {provider, accountId, followers}
//	GET    /_control/calls?provider=             the number of calls per operation
//
// Operations are publish, upload, refresh, read, delete and comment; kinds are rate_limit, outage, slow, lost_response,
// auth_expired, reject and restricted. A fault affects the next count calls of its operation, after skip of them.
// Accounts, tokens, posts, media and likes survive a restart; faults and call counts do not.
//
// Each network is a package below this one and a line in networks. What they share is in package sim.
package sandbox

import (
	"fmt"
	"net/http"
	"strings"

	"crier/internal/sandbox/facebook"
	"crier/internal/sandbox/instagram"
	"crier/internal/sandbox/linkedin"
	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/threads"
	"crier/internal/sandbox/tiktok"
	"crier/internal/sandbox/x"
	"crier/internal/sandbox/youtube"
)

// networks returns all simulated networks, in display order.
func networks() []sim.Network {
	return []sim.Network{
		x.Network(x.Settings{}),
		tiktok.Network(tiktok.Settings{}),
		instagram.Network(),
		facebook.Network(),
		youtube.Network(youtube.Settings{}),
		linkedin.Network(linkedin.Settings{}),
		threads.Network(),
	}
}

// Options configures a sandbox; with the zero value it keeps everything in memory.
type Options = sim.Options

// Seed is an account that is connected without a consent page and without a running sandbox.
type Seed = sim.Seed

// Sandbox is a running simulator of all networks. It is safe for concurrent use.
type Sandbox struct {
	world *sim.World
}

var _ http.Handler = (*Sandbox)(nil)

// New starts a sandbox and loads the state from its data directory.
func New(options Options) (*Sandbox, error) {
	world, err := sim.Open(options, networks())
	if err != nil {
		return nil, err
	}
	return &Sandbox{world: world}, nil
}

// ServeHTTP serves all networks, the pages for people and the controls.
func (s *Sandbox) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.world.ServeHTTP(w, r) }

// Close ends waiting calls and closes the journal. Later calls fail.
func (s *Sandbox) Close() error { return s.world.Close() }

// Networks returns the names of all simulated networks.
func Networks() []string {
	var names []string
	for _, n := range networks() {
		names = append(names, n.Name)
	}
	return names
}

// MadeUpHandle returns a readable handle that every network allows, derived from a unique seed.
func MadeUpHandle(seed string) string { return sim.MadeUpHandle(seed) }

// SeedAccount returns a connected account of a network, derived from the handle only. The same handle always yields the
// same account and tokens, and every sandbox accepts them. It fails for an unknown network and a handle that the
// network would not allow.
func SeedAccount(network, handle string) (Seed, error) {
	for _, n := range networks() {
		if n.Name == network {
			return n.Seed(handle)
		}
	}
	return Seed{}, fmt.Errorf("the sandbox has no network %q, only %s", network, strings.Join(Networks(), ", "))
}

// Address is one base address of a network.
type Address struct {
	Network string
	// Role is the purpose of the host: "api", "consent", "upload", ….
	Role string
	// Real is the base address of the real network.
	Real string
	// Sandbox is its replacement.
	Sandbox string
}

// Addresses returns the base addresses of all networks in a sandbox at baseURL.
func Addresses(baseURL string) []Address {
	var list []Address
	for _, n := range networks() {
		for _, a := range n.Addresses {
			list = append(list, Address{Network: n.Name, Role: a.Role, Real: a.Real,
				Sandbox: strings.TrimSuffix(baseURL, "/") + a.Path})
		}
	}
	return list
}
