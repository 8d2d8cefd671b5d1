package sim

import (
	"net/http"
	"time"
)

// Network describes one simulated social network. It is constant data plus the constructor of the running part.
type Network struct {
	// Name is the provider's name in the controls and the first path segment of all its addresses.
	Name string
	// Title is the name that people read.
	Title string
	// Addresses are the hosts of the real network and where the sandbox serves each of them.
	Addresses []Address
	// Account returns the account that a handle stands for. The same handle always gives the same account, so that an
	// account can be made before any sandbox runs. A handle that the network would not allow is an error.
	Account func(handle string) (Account, error)
	// Seed returns a connected account for a handle, with tokens that every sandbox accepts.
	Seed func(handle string) (Seed, error)
	// New registers the network's routes and tables on env and returns its running part. It is called before the
	// journal is read.
	New func(env *Env) Service
}

// Service is the running part of a network: what the core has to ask it.
type Service interface {
	// Fault returns the answer of a scripted failure, in the network's own error format. It is asked for every kind but
	// [Slow] and [LostResponse], which need no answer of their own.
	Fault(r *http.Request, f Fault) Reply
	// NotFound returns the answer to a path or method that the network does not have.
	NotFound() Reply
	// PostPath returns the path of a post's public page below the network's prefix, as the real network forms it. The
	// network registers a page there with [Env.PostPage].
	PostPath(p Post, author Account) string
	// Welcome is called in the transaction that creates an account, for networks where an account brings others with
	// it (pages, organizations).
	Welcome(tx *Tx, a Account)
}

// Recognizer is a Service with calls that carry no token of the network's.
type Recognizer interface {
	// CallerOf returns the account that such a call belongs to, or nothing.
	CallerOf(r *http.Request) string
}

// Address is one base address of a real network and the path under which the sandbox serves it.
type Address struct {
	// Role says what the host is for: "api", "consent", "upload", ….
	Role string
	// Real is the base address of the real network.
	Real string
	// Path is the sandbox's path for it, beginning with the network's prefix.
	Path string
}

// Operation is what a call to a network does. Faults are scripted and calls are counted per operation.
type Operation string

// The operations. Publish covers everything that makes something public under an account's own name, reposts included,
// and replies where the network posts them like posts. Upload covers all that brings media in and asks how far it is.
// Connect is the exchange of a code and the end of a connection: it is counted, and cannot be made to fail.
const (
	Publish Operation = "publish"
	Upload  Operation = "upload"
	Refresh Operation = "refresh"
	Read    Operation = "read"
	Delete  Operation = "delete"
	Comment Operation = "comment"
	Connect Operation = "connect"
)

// Seed is an account that is connected without a consent page and without a running sandbox. A sandbox that has never
// seen its tokens accepts them and creates the account at first sight; from then on they expire, rotate and can be
// revoked like all others. Lifetimes count from that first sight.
type Seed struct {
	Network     string
	AccountID   string
	Handle      string
	DisplayName string
	// AccountKind is the network's own word for the kind of account; empty where it has only one.
	AccountKind string
	AccessToken string
	// RefreshToken is empty where the network gives none.
	RefreshToken string
	Scopes       []string
	// ExpiresIn is the life of the access token; zero means that it has no end.
	ExpiresIn time.Duration
	// RefreshExpiresIn is the life of the refresh token; zero means that it has no end, or that there is none.
	RefreshExpiresIn time.Duration
	// Details is the JSON of what a consent tells about the account and the account does not tell itself, such as a
	// person's tasks on a Page; nil where there is nothing of the kind.
	Details []byte
}
