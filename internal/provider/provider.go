// Package provider defines the interface between crier and social networks: the steps of publishing, optional
// abilities, limits and errors. It also holds the code that all networks share: the registry, the HTTP caller and the
// checks derived from declared limits.
//
// It knows no network by name, stores nothing and never waits: the publishing engine decides when a step runs, how
// often, and what is saved between steps.
package provider

import (
	"context"
	"time"
)

// Provider is one social network. Methods are safe for concurrent use, make at most one exchange with the network (one
// request and its response, or one chunk of a file), never sleep and never loop over the network: waiting is up to the
// engine. Errors are *Error.
//
// To publish, the engine calls Prepare until the State is Ready, then Commit, then Poll while the State
// RequiresPolling; while it is not Done, it starts over with Prepare. The engine saves the State after every call, even
// a failed one: the State returned with an error says what to discard and what to try next.
type Provider interface {
	// Info returns constant data: name, formats, limits, settings, scopes, costs.
	Info() Info

	// Check applies every rule that can be checked in advance, without the network and without a token.
	Check(a Account, c Content) Findings

	// Prepare does the next step of what must precede publishing: uploads, containers, reading their processing status.
	// It is safe to repeat after a crash. On a Ready State it makes no exchange, unless something prepared has expired.
	Prepare(ctx context.Context, a Account, c Content, st State) (State, error)

	// Commit publishes exactly one thing: the post, the next missing part of a thread, the comment, the repost. It is
	// called on a Ready State only and never repeated blindly: after an error of kind OutcomeUnknown, the outcome is
	// determined first.
	Commit(ctx context.Context, a Account, c Content, st State) (State, error)

	// Poll reads the status of what was committed, and does what is only possible afterwards (a thumbnail, closing
	// comments). It is safe to repeat. The error of a status that says that the post failed is Rejected; that of a
	// network that no longer knows what it accepted is OutcomeUnknown: it is not asked again, and a person has to look.
	Poll(ctx context.Context, a Account, c Content, st State) (State, error)
}

// Defaults can be embedded by a network that needs no preparation and publishes synchronously.
type Defaults struct{}

// Prepare returns a Ready State.
func (Defaults) Prepare(_ context.Context, _ Account, _ Content, st State) (State, error) {
	st.Ready = true
	return st, nil
}

// Poll does nothing.
func (Defaults) Poll(_ context.Context, _ Account, _ Content, st State) (State, error) {
	st.RequiresPolling = false
	return st, nil
}

// Narrower is a network whose abilities and limits differ between accounts.
type Narrower interface {
	// InfoFor returns the Info that applies to one account.
	InfoFor(a Account) Info
}

// Pricer is a network that charges for calls. Networks without it cost nothing. Amounts are credits.
type Pricer interface {
	// Cost returns the price of each part of the content, in order; a comment, repost or quote has one part.
	Cost(c Content) []int64
}

// Connector is a network whose accounts are connected by consent in a browser.
type Connector interface {
	// ConsentURL returns the URL to send the person to.
	ConsentURL(r ConsentRequest) (string, error)
	// Exchange exchanges the code of the callback for a token. It may make a second request where a network issues a
	// long-lived token only in exchange for a short-lived one.
	Exchange(ctx context.Context, r CodeExchange) (Token, error)
	// Accounts lists the accounts that the consent grants access to: one, or several to choose from. It only reads,
	// with one request per page of the network's lists.
	Accounts(ctx context.Context, t Token) ([]ConnectedAccount, error)
}

// Profiler is a network that returns an account's current name, picture and the facts that its limits depend on.
type Profiler interface {
	// Profile reads the account; the result carries no token.
	Profile(ctx context.Context, a Account) (ConnectedAccount, error)
}

// Refresher is a network on which a token can be refreshed without the person.
type Refresher interface {
	// Refresh returns the new token. An error of kind AuthExpired means that the person has to reconnect; after any
	// other error the old token remains in use. A refresh token that the network did not replace is returned unchanged.
	Refresh(ctx context.Context, a Account) (Token, error)
}

// Revoker is a network on which a token can be revoked.
type Revoker interface {
	// Revoke revokes the token; an invalid token is no error.
	Revoke(ctx context.Context, a Account) error
}

// CommentChecker is a network on which some posts take no comments.
type CommentChecker interface {
	// NoComments returns why nobody can comment on the post of a content, or "".
	NoComments(c Content) string
}

// Deleter is a network from which a published post can be deleted.
type Deleter interface {
	// Delete deletes one post, comment or repost. It is safe to repeat.
	Delete(ctx context.Context, a Account, postID string) (Deletion, error)
}

// Unreposter is a network on which a repost is undone by the id of the original post. On others it is deleted like a
// post.
type Unreposter interface {
	// Unrepost undoes the account's repost of a post. It is safe to repeat.
	Unrepost(ctx context.Context, a Account, postID string) (Deletion, error)
}

// Deletion is the outcome of a deletion.
type Deletion string

// The outcomes of a deletion.
const (
	Deleted     Deletion = "deleted"
	AlreadyGone Deletion = "already_gone"
)

// Meter is a network that returns metrics of posts.
type Meter interface {
	// PostMetrics reads the metrics of at most Info.MetricsBatch posts. Posts unknown to the network are missing in the
	// result.
	PostMetrics(ctx context.Context, a Account, postIDs []string) (map[string]Metrics, error)
}

// AccountMeter is a network that returns metrics of an account.
type AccountMeter interface {
	// AccountMetrics reads the metrics of the account, limited to the given period where the network supports it.
	AccountMetrics(ctx context.Context, a Account, from, to time.Time) (AccountMetrics, error)
}
