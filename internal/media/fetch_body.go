package media

import (
	"context"
	"errors"
	"io"
	"net"
	"time"
)

// fetchedBody is the body of a download with its size and time limits.
type fetchedBody struct {
	ctx      context.Context //nolint:containedctx // of the whole download
	cancel   context.CancelFunc
	idle     time.Duration
	response io.ReadCloser
	limited  io.Reader
}

// Read implements io.Reader. A read that exceeds the idle time ends the download: closing the response unblocks a read
// that waits for the network.
func (b *fetchedBody) Read(p []byte) (int, error) {
	stalled := make(chan struct{})
	timer := time.AfterFunc(b.idle, func() {
		close(stalled)
		b.cancel()
	})
	n, err := b.limited.Read(p)
	if !timer.Stop() {
		<-stalled
		return n, tooSlow(b.idle)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = explainFetch(b.ctx, err)
	}
	return n, err
}

// Close ends the download.
func (b *fetchedBody) Close() error {
	b.cancel()
	return b.response.Close()
}

func tooSlow(limit time.Duration) *Refusal {
	return refuse(ReasonTooSlow, "The server of the address is too slow: it took longer than %s.", limit)
}

// explainFetch turns a network error into a refusal. If the caller has canceled, the error is returned unchanged.
func explainFetch(ctx context.Context, err error) error {
	var refusal *Refusal
	if errors.As(err, &refusal) {
		return refusal
	}
	if cause := context.Cause(ctx); errors.As(cause, &refusal) {
		return refusal
	}
	if ctx.Err() != nil {
		return err
	}
	refusal = refuse(ReasonUnreachable, "The file cannot be fetched from this address.")
	var timeout net.Error
	var unknown *net.DNSError
	switch {
	case errors.As(err, &unknown) && unknown.IsNotFound:
		refusal.Message = "The host of the address is not known."
	case errors.As(err, &timeout) && timeout.Timeout():
		refusal = refuse(ReasonTooSlow, "The server of the address does not answer in time.")
	case errors.Is(err, io.ErrUnexpectedEOF):
		refusal.Message = "The connection broke before the file was complete."
	}
	refusal.Err = err
	return refusal
}
