package crier

import (
	"errors"
	"fmt"
	"strings"
)

// Kind classifies errors by what the caller can do about them. Its value is the `_tag` of the error body.
type Kind string

// The kinds of errors, one per `_tag` of the API.
const (
	KindInvalid         Kind = "HttpApiDecodeError"
	KindUnauthorized    Kind = "Unauthorized"
	KindPaymentRequired Kind = "PaymentRequired"
	KindForbidden       Kind = "Forbidden"
	KindNotFound        Kind = "NotFound"
	KindConflict        Kind = "Conflict"
	// KindPreconditionFailed means that the request's If-Match does not match the current version.
	KindPreconditionFailed Kind = "PreconditionFailed"
	KindTooManyRequests    Kind = "TooManyRequests"
	KindInternal           Kind = "InternalError"
)

// Issue is one problem of a request. Path is the path of the value, as strings; it is empty for the request as a whole.
type Issue struct {
	Path    []string `json:"path"`
	Message string   `json:"message"`
}

// At returns an issue at a path.
func At(message string, path ...string) Issue {
	if path == nil {
		path = []string{}
	}
	return Issue{Path: path, Message: message}
}

// Error is an error that is shown to callers of the service: its message is written for them.
type Error struct {
	Kind    Kind
	Message string
	Issues  []Issue // of KindInvalid only
	// ContentPayloadID is the current version of a post's content, of KindPreconditionFailed only.
	ContentPayloadID *ID
}

// Error returns the message, followed by the issues.
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

// Invalid returns an error with the invalid values of a request.
func Invalid(issues ...Issue) *Error {
	message := "The request is not valid."
	if len(issues) > 1 {
		message = fmt.Sprintf("The request is not valid: %d problems.", len(issues))
	}
	return &Error{Kind: KindInvalid, Message: message, Issues: issues}
}

// Unauthorized returns an error for a caller that could not be authenticated.
func Unauthorized(format string, args ...any) *Error { return newError(KindUnauthorized, format, args) }

// PaymentRequired returns an error for missing credits.
func PaymentRequired(format string, args ...any) *Error {
	return newError(KindPaymentRequired, format, args)
}

// Forbidden returns an error for a caller without permission.
func Forbidden(format string, args ...any) *Error { return newError(KindForbidden, format, args) }

// NotFound returns an error for a missing object.
func NotFound(format string, args ...any) *Error { return newError(KindNotFound, format, args) }

// Conflict returns an error for a request that conflicts with the current state.
func Conflict(format string, args ...any) *Error { return newError(KindConflict, format, args) }

// PreconditionFailed returns an error for a request that is based on an older version of a post's content.
func PreconditionFailed(present ID) *Error {
	return &Error{Kind: KindPreconditionFailed, ContentPayloadID: &present,
		Message: fmt.Sprintf("The content has changed: its current version is %s. Read it and try again.",
			present)}
}

// TooManyRequests returns an error for an exceeded rate limit.
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
