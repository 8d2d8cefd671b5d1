// Package provider says what a social network is to crier: the steps that make something public on it, what it can
// do besides, what it accepts, and how it fails. It also holds what all networks share: the registry, the HTTP caller
// and the checks that follow from declared limits.
//
// It knows no network by name, keeps nothing, and never waits: when a step runs, how often, and what is written down
// between two steps is the publishing engine's business.
package provider

import (
	"context"
	"time"
)

// Provider is one social network. Methods are safe for concurrent use, make at most one exchange with the network
// (one request and its answer, or one chunk of a file), never sleep and never loop over the network: waiting is the
// engine's work. Errors are *Error.
//
// A publication runs like this: Prepare, again and again until the State is Ready; Commit; while the State
// RequiresPolling, Poll; while it is not Done, from the beginning. The engine saves the State after every call, also
// after one that failed: the State that comes with an error says what to forget and what to try next.
type Provider interface {
	// Info is constant data: name, formats, limits, settings, scopes, costs.
	Info() Info

	// Check applies every rule that can be known beforehand, without the network and without a token.
	Check(a Account, c Content) Findings

	// Prepare does the next step of what has to happen before anything is public: uploads, containers, reading how
	// far the network is with them. It is safe to repeat after a crash. On a Ready State it makes no exchange, unless
	// something prepared has expired meanwhile.
	Prepare(ctx context.Context, a Account, c Content, st State) (State, error)

	// Commit makes exactly one thing public: the post, the next missing part of a thread, the comment, the repost. It
	// is called on a Ready State only and never repeated blindly: after an error of kind OutcomeUnknown, the outcome
	// is found out first.
	Commit(ctx context.Context, a Account, c Content, st State) (State, error)

	// Poll reads how the network is getting on with what was committed, and does what may only be done afterwards
	// (a thumbnail, closing comments). It is safe to repeat.
	Poll(ctx context.Context, a Account, c Content, st State) (State, error)
}

// Defaults can be embedded by a network that needs no preparation and answers at once.
type Defaults struct{}

// Prepare is ready at once.
func (Defaults) Prepare(_ context.Context, _ Account, _ Content, st State) (State, error) {
	st.Ready = true
	return st, nil
}

// Poll has nothing to ask.
func (Defaults) Poll(_ context.Context, _ Account, _ Content, st State) (State, error) {
	st.RequiresPolling = false
	return st, nil
}

// Narrower is a network on which accounts differ in what they can do and how much they may write.
type Narrower interface {
	// InfoFor is Info as it holds for one account.
	InfoFor(a Account) Info
}

// Pricer is a network that charges for calls. Networks without it cost nothing. Amounts are credits.
type Pricer interface {
	// Cost is the price of each part of the content, in their order; a comment, repost or quote has one part.
	Cost(c Content) []int64
}

// Connector is a network that people connect by giving consent in a browser.
type Connector interface {
	// ConsentURL is where to send the person.
	ConsentURL(r ConsentRequest) (string, error)
	// Exchange turns the code of the callback into a token. It may make a second request where a network hands out a
	// long-lived token only in exchange for a short-lived one.
	Exchange(ctx context.Context, r CodeExchange) (Token, error)
	// Accounts lists what the consent gives access to: one account, or several to choose from. It only reads, as often
	// as the network's lists have pages.
	Accounts(ctx context.Context, t Token) ([]ConnectedAccount, error)
}

// Profiler is a network that tells how an account looks now: its name and picture, and the facts that its limits
// depend on.
type Profiler interface {
	// Profile reads the account anew; the result carries no token.
	Profile(ctx context.Context, a Account) (ConnectedAccount, error)
}

// Refresher is a network on which a token can be renewed without the person.
type Refresher interface {
	// Refresh returns the new token. An error of kind AuthExpired means that the person has to connect again; after any
	// other one the old token is still the one to use. A refresh token that the network did not renew is handed back as
	// it was.
	Refresh(ctx context.Context, a Account) (Token, error)
}

// Revoker is a network that takes a token back.
type Revoker interface {
	// Revoke ends the token; one that is dead already is no error.
	Revoke(ctx context.Context, a Account) error
}

// Deleter is a network from which a published post can be removed.
type Deleter interface {
	// Delete removes one post, comment or repost. It is safe to repeat.
	Delete(ctx context.Context, a Account, postID string) (Deletion, error)
}

// Unreposter is a network on which a repost is taken back by naming the post that it shows. On others it is deleted
// like a post.
type Unreposter interface {
	// Unrepost takes the account's repost of a post back. It is safe to repeat.
	Unrepost(ctx context.Context, a Account, postID string) (Deletion, error)
}

// Deletion is what became of a post that was to be removed.
type Deletion string

// The outcomes of a deletion.
const (
	Deleted     Deletion = "deleted"
	AlreadyGone Deletion = "already_gone"
)

// Meter is a network that tells how posts do.
type Meter interface {
	// PostMetrics reads the numbers of at most Info.MetricsBatch posts. Posts the network does not know are missing
	// in the result.
	PostMetrics(ctx context.Context, a Account, postIDs []string) (map[string]Metrics, error)
}

// AccountMeter is a network that tells how an account does.
type AccountMeter interface {
	// AccountMetrics reads the numbers of the account, of the time from from to to where the network can tell it apart.
	AccountMetrics(ctx context.Context, a Account, from, to time.Time) (AccountMetrics, error)
}
