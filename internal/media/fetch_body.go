package media

import (
	"context"
	"errors"
	"io"
	"net"
	"time"
)

// fetchedBody is the body of a download with its limits of size and time.
type fetchedBody struct {
	ctx      context.Context //nolint:containedctx // of the whole download, which this is
	cancel   context.CancelFunc
	idle     time.Duration
	response io.ReadCloser
	limited  io.Reader
}

// Read implements io.Reader. A read that takes longer than the idle time ends the download: closing the response is
// what wakes a read that waits for the network.
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

// explainFetch turns an error of the network into a refusal. When the caller itself has given up, the error stays.
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
