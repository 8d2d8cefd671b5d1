package provider

import (
	"context"
	"io"
	"time"
)

type sendBeforeKey struct{}

// ErrNotSent is the error of a call that was not made because its fence had passed.
var ErrNotSent = &Error{Kind: Temporary, Code: CodeProviderUnavailable,
	Message: "the call was not made: its time was over"}

// notSentError returns a copy of ErrNotSent that the caller may change.
func notSentError() *Error {
	return &Error{Kind: ErrNotSent.Kind, Code: ErrNotSent.Code, Message: ErrNotSent.Message, Err: ErrNotSent}
}

// WithSendBefore makes requests under the context fail after a time without being sent. A process that was frozen
// during a call sends nothing when it wakes up.
func WithSendBefore(ctx context.Context, before time.Time) context.Context {
	return context.WithValue(ctx, sendBeforeKey{}, before)
}

func (c *Caller) fencePassed(ctx context.Context) bool {
	before, ok := ctx.Value(sendBeforeKey{}).(time.Time)
	return ok && c.now().After(before)
}

// fenced returns a reader that checks the fence at the last moment: net/http reads a body while it writes the request,
// and never flushes its buffer if the body fails.
func (c *Caller) fenced(ctx context.Context, body Body) io.Reader {
	return &fencedReader{body: body.open(), left: body.length, passed: func() bool { return c.fencePassed(ctx) }}
}

// fencedReader fails once the fence has passed, as long as a byte is missing: an incomplete request is not carried out.
// After the last byte it must not fail, because the whole request may already have been sent.
type fencedReader struct {
	body   io.Reader
	left   int64
	passed func() bool
}

// Read returns bytes until the fence has passed.
func (r *fencedReader) Read(p []byte) (int, error) {
	if r.left > 0 && r.passed() {
		return 0, ErrNotSent
	}
	n, err := r.body.Read(p)
	r.left -= int64(n)
	return n, err
}
