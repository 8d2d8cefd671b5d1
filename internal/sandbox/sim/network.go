package sim

import (
	"net/http"
	"time"
)

// Network describes one simulated social network. It is constant data plus the constructor of its service.
type Network struct {
	// Name is the provider's name in the controls and the first path segment of all its addresses.
	Name string
	// Title is the display name.
	Title string
	// Addresses are the hosts of the real network and where the sandbox serves each of them.
	Addresses []Address
	// Account returns the account of a handle. The same handle always yields the same account, so that an account can
	// be created before any sandbox runs. It fails for a handle that the network would not allow.
	Account func(handle string) (Account, error)
	// Seed returns a connected account for a handle, with tokens that every sandbox accepts.
	Seed func(handle string) (Seed, error)
	// New registers the network's routes and tables on env and returns its service. It is called before the journal is
	// read.
	New func(env *Env) Service
}

// Service is the running part of a network.
type Service interface {
	// Fault returns the response of a scripted failure, in the network's own error format. It is called for every kind
	// except [Slow] and [LostResponse], which need no response of their own.
	Fault(r *http.Request, f Fault) Reply
	// NotFound returns the response to an unknown path or method.
	NotFound() Reply
	// PostPath returns the path of a post's public page below the network's prefix, as on the real network. The network
	// registers a page there with [Env.PostPage].
	PostPath(p Post, author Account) string
	// Welcome is called in the transaction that creates an account, for networks where an account comes with others
	// (pages, organizations).
	Welcome(tx *Tx, a Account)
}

// Recognizer is a Service with calls that carry no token of the network.
type Recognizer interface {
	// CallerOf returns the account of such a call, or "".
	CallerOf(r *http.Request) string
}

// Address is one base address of a real network and the path under which the sandbox serves it.
type Address struct {
	// Role is the purpose of the host: "api", "consent", "upload", ….
	Role string
	// Real is the base address of the real network.
	Real string
	// Path is the sandbox's path for it, starting with the network's prefix.
	Path string
}

// Operation is the operation of a call. Faults are scripted and calls are counted per operation.
type Operation string

// The operations. Publish covers everything that publishes under an account's own name, including reposts, and replies
// where the network handles them like posts. Upload covers uploads and reading their status. Connect is the exchange of
// a code and the end of a connection: it is counted, and cannot fail on demand.
const (
	Publish Operation = "publish"
	Upload  Operation = "upload"
	Refresh Operation = "refresh"
	Read    Operation = "read"
	Delete  Operation = "delete"
	Comment Operation = "comment"
	Connect Operation = "connect"
)

// Seed is an account that is connected without a consent page and without a running sandbox. A sandbox that does not
// know its tokens accepts them and creates the account at first use; from then on they expire, rotate and can be
// revoked like all others. Lifetimes count from that first use.
type Seed struct {
	Network     string
	AccountID   string
	Handle      string
	DisplayName string
	// AccountKind is the network's own name of the kind of account; empty where there is only one.
	AccountKind string
	AccessToken string
	// RefreshToken is empty where the network issues none.
	RefreshToken string
	Scopes       []string
	// ExpiresIn is the lifetime of the access token; zero means that it does not expire.
	ExpiresIn time.Duration
	// RefreshExpiresIn is the lifetime of the refresh token; zero means that it does not expire, or that there is none.
	RefreshExpiresIn time.Duration
	// Details is JSON with what a consent reveals about the account and the account itself does not, such as a person's
	// tasks on a Page; nil if there is nothing of the kind.
	Details []byte
}
