package provider_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"crier/internal/provider"
)

// fencedCaller returns a caller whose clock can jump, as in a process that was frozen.
func fencedCaller(clock *atomic.Int64) *provider.Caller {
	return provider.NewCaller(provider.CallerConfig{
		Now: func() time.Time { return now.Add(time.Duration(clock.Load())) }})
}

func TestRequestBeforeItsFenceIsSent(t *testing.T) {
	t.Parallel()
	var clock atomic.Int64
	address := serve(t, func(http.ResponseWriter, *http.Request) {})
	ctx := provider.WithSendBefore(context.Background(), now.Add(time.Second))
	_, err := fencedCaller(&clock).Send(ctx, provider.Request{Method: http.MethodPost, URL: address,
		Body: provider.NoBody("text/plain"), Publishes: true})
	if err != nil {
		t.Errorf("Send: %v", err)
	}
}

func TestRequestAfterItsFenceIsNotSent(t *testing.T) {
	t.Parallel()
	var clock atomic.Int64
	address := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the request was sent") })
	clock.Store(int64(time.Minute))
	ctx := provider.WithSendBefore(context.Background(), now.Add(time.Second))
	_, err := fencedCaller(&clock).Send(ctx, provider.Request{Method: http.MethodDelete, URL: address, Publishes: true})
	checkNotSent(t, err)
}

func TestRequestFrozenWhileWritingDoesNotArrive(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{10, 1 << 20} {
		var clock atomic.Int64
		arrived := make(chan bool, 1)
		address := serve(t, func(_ http.ResponseWriter, r *http.Request) {
			_, err := io.ReadAll(r.Body)
			arrived <- err == nil
		})
		file := freezingFile{ReaderAt: strings.NewReader(strings.Repeat("a", int(size))), at: size / 2, clock: &clock}
		ctx := provider.WithSendBefore(context.Background(), now.Add(time.Second))
		_, err := fencedCaller(&clock).Send(ctx, provider.Request{
			Method: http.MethodPut, URL: address, Body: provider.SectionBody("text/plain", file, 0, size),
			Publishes: true,
		})
		checkNotSent(t, err)
		select {
		case whole := <-arrived:
			if whole {
				t.Errorf("a body of %d bytes arrived in full", size)
			}
		default:
		}
	}
}

func checkNotSent(t *testing.T, err error) {
	t.Helper()
	failure := provider.AsError(err)
	if failure == nil || failure.Kind != provider.Temporary || !errors.Is(err, provider.ErrNotSent) {
		t.Errorf("Send error = %v, want ErrNotSent", err)
	}
	if failure == provider.ErrNotSent {
		t.Error("the error is the shared ErrNotSent, not a copy")
	}
}

// freezingFile returns the first half and then makes the clock jump.
type freezingFile struct {
	io.ReaderAt
	at    int64
	clock *atomic.Int64
}

func (f freezingFile) ReadAt(p []byte, offset int64) (int, error) {
	if offset >= f.at {
		return f.ReaderAt.ReadAt(p, offset)
	}
	n, err := f.ReaderAt.ReadAt(p[:min(int64(len(p)), f.at-offset)], offset)
	if offset+int64(n) >= f.at {
		f.clock.Store(int64(time.Minute))
		err = nil
	}
	return n, err
}
