package provider

import (
	"context"
	"io"
	"time"
)

type sendBeforeKey struct{}

// ErrNotSent is the error of a call that was not made because its time was over.
var ErrNotSent = &Error{Kind: Temporary, Code: CodeProviderUnavailable, Message: "the call was not made: its time was over"}

// WithSendBefore has requests that are made under the context refuse to leave after a time. A process that was frozen
// in the middle of a call and wakes up later sends nothing any more.
func WithSendBefore(ctx context.Context, before time.Time) context.Context {
	return context.WithValue(ctx, sendBeforeKey{}, before)
}

// fenced checks the fence at the last moment: net/http reads a body when it writes the request, and what it has
// buffered of a request whose body fails is never flushed.
func (c *Caller) fenced(ctx context.Context, body io.Reader) io.Reader {
	before, ok := ctx.Value(sendBeforeKey{}).(time.Time)
	if !ok {
		return body
	}
	return &fencedReader{Reader: body, before: before, now: c.now}
}

type fencedReader struct {
	io.Reader
	before time.Time
	now    func() time.Time
}

// Read fails once the fence has passed.
func (r *fencedReader) Read(p []byte) (int, error) {
	if r.now().After(r.before) {
		return 0, ErrNotSent
	}
	return r.Reader.Read(p)
}
