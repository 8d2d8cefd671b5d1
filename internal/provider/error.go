package provider

import (
	"errors"
	"fmt"
	"time"
)

// Kind classifies errors by how the engine can handle them.
type Kind string

// The kinds of errors.
const (
	// Temporary errors resolve themselves; nothing was published.
	Temporary Kind = "temporary"
	// RateLimited errors last until a quota is free again; nothing was published.
	RateLimited Kind = "rate_limited"
	// AuthExpired errors need a new token, by refresh or by reconnecting; nothing was published.
	AuthExpired Kind = "auth_expired"
	// Rejected errors recur for the same request; nothing was published.
	Rejected Kind = "rejected"
	// OutcomeUnknown errors leave open whether something was published.
	OutcomeUnknown Kind = "outcome_unknown"
)

// Code is an errorCode of the API.
type Code string

// The error codes of the API that a network can cause.
const (
	CodeAuthExpired         Code = "auth_expired"
	CodeAccountDisconnected Code = "account_disconnected"
	CodePermissionMissing   Code = "permission_missing"
	CodeRateLimited         Code = "rate_limited"
	CodeQuotaExhausted      Code = "quota_exhausted"
	CodeDuplicateContent    Code = "duplicate_content"
	CodeContentRejected     Code = "content_rejected"
	CodeMediaRejected       Code = "media_rejected"
	CodeAccountRestricted   Code = "account_restricted"
	CodeProviderUnavailable Code = "provider_unavailable"
	CodeOutcomeUnknown      Code = "outcome_unknown"
)

// Scope is what else would fail in the same way, and therefore has to pause.
type Scope string

// The scopes of an error.
const (
	// ScopePost affects this post alone.
	ScopePost Scope = ""
	// ScopeAccount affects every post of the account: its owner has to act, or time has to pass.
	ScopeAccount Scope = "account"
	// ScopeInstallation affects every account of the network in this installation: its operator has to act, or a shared
	// quota has to become free.
	ScopeInstallation Scope = "installation"
)

// Error is an error of a network.
type Error struct {
	Kind  Kind
	Code  Code
	Scope Scope
	// RetryAfter is how long the network asks to wait; zero leaves it to the engine.
	RetryAfter time.Duration
	// Message is for people: the network's message, or what is known. It never holds a credential.
	Message string
	// Status is the HTTP status; zero if there was no response.
	Status int
	// Err is the cause, for the log; it never holds a credential either.
	Err error
}

// Error returns the message and the cause.
func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("%s: %s", e.Code, e.Message)
	}
	return fmt.Sprintf("%s: %s (%v)", e.Code, e.Message, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// OperatorProblem reports whether only the operator of this installation can solve it.
func (e *Error) OperatorProblem() bool { return e.Scope == ScopeInstallation }

// AsError returns the *Error in err. Any other error is a bug of the provider package: it is returned as an unknown
// outcome, because nothing is known about what was sent.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	return &Error{Kind: OutcomeUnknown, Code: CodeOutcomeUnknown, Message: "the outcome is not known", Err: err}
}
