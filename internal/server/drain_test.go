package server_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"

	"crier/internal/server"
	"crier/internal/server/servertest"
)

// untilJobsStop is the body of a request whose client sends it when the server has begun to stop its jobs.
type untilJobsStop struct {
	io.Reader
	s   *servertest.Server
	ctx context.Context //nolint:containedctx // of the test; a reader has no other way to get it
}

func (b untilJobsStop) Read(p []byte) (int, error) {
	for b.s.Node.Queue.Running() {
		select {
		case <-b.ctx.Done():
			return 0, b.ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
	return b.Reader.Read(p)
}

func TestJobsStopWhileARequestIsStillReceived(t *testing.T) {
	t.Parallel()
	servertest.EachDatabase(t, func(t *testing.T, db servertest.Database) {
		s := servertest.Start(t, db)
		s.Client.Transport.(*http.Transport).ExpectContinueTimeout = time.Minute
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // less than the server has to drain
		defer cancel()
		reading := make(chan struct{})
		request, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx,
			&httptrace.ClientTrace{Got100Continue: func() { close(reading) }}), http.MethodPost,
			s.URL+"/v1/teams/"+string(s.Team)+"/posts", untilJobsStop{strings.NewReader(`{"text": "slow"}`), s, ctx})
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+s.Key)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Expect", "100-continue")
		status := make(chan int, 1)
		go func() {
			answer, err := s.Client.Do(request)
			if err != nil {
				t.Error(err)
				status <- 0
				return
			}
			status <- answer.StatusCode
			_ = answer.Body.Close()
		}()
		<-reading
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
		if got := <-status; got != http.StatusCreated {
			t.Errorf("the request was answered with %d", got)
		}
	})
}

// The store is closed when Run returns; workers would lose the answers of their calls.
func TestANodeThatCannotStartRunsNoJobs(t *testing.T) {
	t.Parallel()
	servertest.EachDatabase(t, func(t *testing.T, db servertest.Database) {
		for name, change := range map[string]func(*server.Config){
			"certificate": func(c *server.Config) { c.TLS.CertFile, c.TLS.KeyFile = "missing.pem", "missing.pem" },
			"metrics":     func(c *server.Config) { c.MetricsListen = "256.0.0.1:0" },
		} {
			config := servertest.Config(db, io.Discard)
			change(&config)
			n, err := server.Open(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			if err := n.Run(t.Context(), listener); err == nil {
				t.Errorf("%s: it ran", name)
			}
			if n.Queue.Running() {
				t.Errorf("%s: the workers run", name)
			}
			if err := listener.Close(); !errors.Is(err, net.ErrClosed) {
				t.Errorf("%s: the listener is still open: %v", name, err)
			}
			if err := n.Store.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}
