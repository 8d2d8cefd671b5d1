package provider

import (
	"errors"
	"fmt"
	"time"
)

// Kind is what the engine can do about an error.
type Kind string

// The kinds of errors.
const (
	// Temporary errors pass by themselves; nothing became public.
	Temporary Kind = "temporary"
	// RateLimited errors pass when a quota frees; nothing became public.
	RateLimited Kind = "rate_limited"
	// AuthExpired errors need a new token, by refresh or by connecting again; nothing became public.
	AuthExpired Kind = "auth_expired"
	// Rejected errors will come again for the same request; nothing became public.
	Rejected Kind = "rejected"
	// OutcomeUnknown errors leave open whether something became public.
	OutcomeUnknown Kind = "outcome_unknown"
)

// Code is an errorCode of the public interface.
type Code string

// The published error codes that a network can cause.
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

// Scope is what else would fail in the same way, and so what to pause.
type Scope string

// The scopes of an error.
const (
	// ScopePost concerns this post alone.
	ScopePost Scope = ""
	// ScopeAccount concerns every post of the account: its owner has to act, or time has to pass.
	ScopeAccount Scope = "account"
	// ScopeInstallation concerns every account of the network in this installation: its operator has to act, or a quota
	// that all share has to free.
	ScopeInstallation Scope = "installation"
)

// Error is how a network failed.
type Error struct {
	Kind  Kind
	Code  Code
	Scope Scope
	// RetryAfter is how long the network wants to be left alone; zero leaves it to the engine.
	RetryAfter time.Duration
	// Message is for people: what the network said, or what is known. It never holds a credential.
	Message string
	// Status is the HTTP status that came with it; zero when there was no answer.
	Status int
	// Err is what lies behind, for the log; it never holds a credential either.
	Err error
}

// Error returns the message, with what lies behind.
func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("%s: %s", e.Code, e.Message)
	}
	return fmt.Sprintf("%s: %s (%v)", e.Code, e.Message, e.Err)
}

// Unwrap gives access to what lies behind.
func (e *Error) Unwrap() error { return e.Err }

// OperatorProblem reports whether only who runs this installation can do something about it.
func (e *Error) OperatorProblem() bool { return e.Scope == ScopeInstallation }

// AsError finds the *Error in err. An error that is none is a fault of the provider package itself: it comes back as
// an unknown outcome, because nothing can be said about what was sent.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	return &Error{Kind: OutcomeUnknown, Code: CodeOutcomeUnknown, Message: "the outcome is not known", Err: err}
}
