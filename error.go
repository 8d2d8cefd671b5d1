package crier

import (
	"errors"
	"fmt"
	"strings"
)

// Kind sorts errors by what the caller can do about them. Its value is the `_tag` of the error body.
type Kind string

// The kinds of errors, one per `_tag` of the API.
const (
	KindInvalid         Kind = "HttpApiDecodeError"
	KindUnauthorized    Kind = "Unauthorized"
	KindPaymentRequired Kind = "PaymentRequired"
	KindForbidden       Kind = "Forbidden"
	KindNotFound        Kind = "NotFound"
	KindConflict        Kind = "Conflict"
	// KindPreconditionFailed means that something is no longer as the request's If-Match says.
	KindPreconditionFailed Kind = "PreconditionFailed"
	KindTooManyRequests    Kind = "TooManyRequests"
	KindInternal           Kind = "InternalError"
)

// Issue is one thing that is wrong with a request. Path leads to the value, as strings; it is empty when the request
// as a whole is meant.
type Issue struct {
	Path    []string `json:"path"`
	Message string   `json:"message"`
}

// At makes an issue at a path.
func At(message string, path ...string) Issue {
	if path == nil {
		path = []string{}
	}
	return Issue{Path: path, Message: message}
}

// Error is an error that a caller of the service may see: its message is written for people outside.
type Error struct {
	Kind    Kind
	Message string
	Issues  []Issue // of KindInvalid only
	// ContentPayloadID is the present version of a post's content, of KindPreconditionFailed only.
	ContentPayloadID *ID
}

// Error returns the message, with the issues behind it.
func (e *Error) Error() string {
	if len(e.Issues) == 0 {
		return e.Message
	}
	parts := make([]string, len(e.Issues))
	for i, issue := range e.Issues {
		parts[i] = strings.TrimPrefix(strings.Join(issue.Path, ".")+": "+issue.Message, ": ")
	}
	return e.Message + " " + strings.Join(parts, "; ")
}

// Invalid says which values of a request are not allowed.
func Invalid(issues ...Issue) *Error {
	message := "The request is not valid."
	if len(issues) > 1 {
		message = fmt.Sprintf("The request is not valid: %d problems.", len(issues))
	}
	return &Error{Kind: KindInvalid, Message: message, Issues: issues}
}

// Unauthorized says that the caller could not be told.
func Unauthorized(format string, args ...any) *Error { return newError(KindUnauthorized, format, args) }

// PaymentRequired says that credits are missing.
func PaymentRequired(format string, args ...any) *Error {
	return newError(KindPaymentRequired, format, args)
}

// Forbidden says that the caller is known and may not do this.
func Forbidden(format string, args ...any) *Error { return newError(KindForbidden, format, args) }

// NotFound says that there is no such thing.
func NotFound(format string, args ...any) *Error { return newError(KindNotFound, format, args) }

// Conflict says that the request does not fit the present state.
func Conflict(format string, args ...any) *Error { return newError(KindConflict, format, args) }

// PreconditionFailed says that a post's content is no longer the version that the request was made for.
func PreconditionFailed(present ID) *Error {
	return &Error{Kind: KindPreconditionFailed, ContentPayloadID: &present,
		Message: fmt.Sprintf("The content has changed since: its present version is %s. Read it, and decide again.",
			present)}
}

// TooManyRequests says that a rate limit was exceeded.
func TooManyRequests(format string, args ...any) *Error {
	return newError(KindTooManyRequests, format, args)
}

func newError(kind Kind, format string, args []any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// IsKind reports whether err is an error of the kind.
func IsKind(err error, kind Kind) bool {
	var known *Error
	return errors.As(err, &known) && known.Kind == kind
}
