package servertest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

	"crier/internal/sandbox"
	"crier/internal/server"
)

// Box is a sandbox that listens on a loopback port, used through its control API.
type Box struct {
	URL  string
	held held
}

// StartBox serves a sandbox in this process until the test ends. It stores everything in memory.
func StartBox(tb testing.TB) *Box {
	tb.Helper()
	return StartBoxWith(tb, sandbox.Options{})
}

// StartBoxWith serves a sandbox with options, and with limits too high for tests to reach.
func StartBoxWith(tb testing.TB, o sandbox.Options) *Box {
	tb.Helper()
	box, stop, err := launchBox(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := stop(); err != nil {
			tb.Error(err)
		}
	})
	return box
}

// launchBox serves a sandbox until it is stopped.
func launchBox(o sandbox.Options) (*Box, func() error, error) {
	o.LimitFactor = 10_000
	simulator, err := sandbox.New(o)
	if err != nil {
		return nil, nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, errors.Join(err, simulator.Close())
	}
	box := &Box{URL: "http://" + listener.Addr().String()}
	server := &http.Server{Handler: box.held.before(simulator)}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	stop := func() error {
		err := errors.Join(simulator.Close(), server.Close())
		if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
		return err
	}
	return box, stop, nil
}

// WithBox points a server at a sandbox.
func WithBox(b *Box) Option {
	return func(a *server.Config) { a.Sandbox, a.SandboxAt = true, b.URL }
}

// BoxPost is a post on a timeline.
type BoxPost struct {
	Provider, AccountID, PlatformPostID, Kind, ParentID, Text string
	CreatedAt                                                 time.Time
	DeletedAt                                                 *time.Time
	Media                                                     []BoxMedia
}

// BoxMedia is a file as the network received it.
type BoxMedia struct {
	Type          string
	Width, Height int
}

// Timeline returns all posts of an account, the oldest first.
func (b *Box) Timeline(tb testing.TB, of Account) []BoxPost {
	tb.Helper()
	return b.Posts(tb, url.Values{"provider": {of.Network}, "accountId": {of.Remote}})
}

// Posts returns the sandbox's posts for a query.
func (b *Box) Posts(tb testing.TB, query url.Values) []BoxPost {
	tb.Helper()
	var found struct{ Data []BoxPost }
	b.Control(tb, "GET", "posts?"+query.Encode(), nil, &found)
	return found.Data
}

// Texts returns the texts of a timeline.
func Texts(posts []BoxPost) []string {
	list := []string{}
	for _, p := range posts {
		list = append(list, p.Text)
	}
	return list
}

// Fault makes the next calls of an account fail; the fields of more are those of the sandbox's control API.
func (b *Box) Fault(tb testing.TB, of Account, operation, kind string, more Object) {
	tb.Helper()
	body := Object{"provider": of.Network, "accountId": of.Remote, "operation": operation, "kind": kind, "count": 1}
	maps.Copy(body, more)
	if operation == "refresh" { // which belongs to no account
		delete(body, "accountId")
	}
	b.Control(tb, "POST", "faults", body, nil)
}

// ClearFaults removes all faults.
func (b *Box) ClearFaults(tb testing.TB) {
	tb.Helper()
	b.Control(tb, "DELETE", "faults", nil, nil)
}

// PendingFaults returns the accounts whose faults have not occurred yet, by their ids on the networks.
func (b *Box) PendingFaults(tb testing.TB) []string {
	tb.Helper()
	var found struct{ Data []struct{ AccountID string } }
	b.Control(tb, "GET", "faults", nil, &found)
	list := []string{}
	for _, fault := range found.Data {
		list = append(list, fault.AccountID)
	}
	return list
}

// Like adds likes to a post.
func (b *Box) Like(tb testing.TB, network, id string, count int) {
	tb.Helper()
	b.Control(tb, "POST", "likes", Object{"provider": network, "platformPostId": id, "count": count}, nil)
}

// Calls returns how often an operation of a network was called.
func (b *Box) Calls(tb testing.TB, network, operation string) int {
	tb.Helper()
	var found struct {
		Data []struct {
			Operation string
			Count     int
		}
	}
	b.Control(tb, "GET", "calls?provider="+network, nil, &found)
	for _, c := range found.Data {
		if c.Operation == operation {
			return c.Count
		}
	}
	tb.Fatalf("the sandbox does not count %s", operation)
	return 0
}

// Control calls the sandbox's control API.
func (b *Box) Control(tb testing.TB, method, path string, body, into any) {
	tb.Helper()
	if err := b.TryControl(method, path, body, into); err != nil {
		tb.Fatal(err)
	}
}

// controls is not the default client: any test server that closes also closes the idle connections of the default
// client, one of which a request may be about to use.
var controls = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}

// TryControl is Control for any goroutine: it returns the error.
func (b *Box) TryControl(method, path string, body, into any) error {
	var data bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&data).Encode(body); err != nil {
			return err
		}
	}
	req, err := http.NewRequest(method, b.URL+"/_control/"+path, &data)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := controls.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return fmt.Errorf("sandbox: %s %s: status %d", method, path, resp.StatusCode)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(into)
}
