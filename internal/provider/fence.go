package provider

import (
	"context"
	"io"
	"time"
)

type sendBeforeKey struct{}

// ErrNotSent is the error of a call that was not made because its time was over.
var ErrNotSent = &Error{Kind: Temporary, Code: CodeProviderUnavailable,
	Message: "the call was not made: its time was over"}

// notSentError is ErrNotSent in a form that its receiver may change.
func notSentError() *Error {
	return &Error{Kind: ErrNotSent.Kind, Code: ErrNotSent.Code, Message: ErrNotSent.Message, Err: ErrNotSent}
}

// WithSendBefore has requests that are made under the context refuse to leave after a time. A process that was frozen
// in the middle of a call and wakes up later sends nothing any more.
func WithSendBefore(ctx context.Context, before time.Time) context.Context {
	return context.WithValue(ctx, sendBeforeKey{}, before)
}

func (c *Caller) fencePassed(ctx context.Context) bool {
	before, ok := ctx.Value(sendBeforeKey{}).(time.Time)
	return ok && c.now().After(before)
}

// fenced checks the fence at the last moment: net/http reads a body when it writes the request, and what it has
// buffered of a request whose body fails is never flushed.
func (c *Caller) fenced(ctx context.Context, body Body) io.Reader {
	return &fencedReader{body: body.open(), left: body.length, passed: func() bool { return c.fencePassed(ctx) }}
}

// fencedReader fails once the fence has passed, as long as a byte is missing: an incomplete request is not carried out.
// Behind the last byte it must not fail, because the whole request may have left by then.
type fencedReader struct {
	body   io.Reader
	left   int64
	passed func() bool
}

// Read hands out bytes until the fence has passed.
func (r *fencedReader) Read(p []byte) (int, error) {
	if r.left > 0 && r.passed() {
		return 0, ErrNotSent
	}
	n, err := r.body.Read(p)
	r.left -= int64(n)
	return n, err
}
