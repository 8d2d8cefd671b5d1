package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

	"crier/internal/sandbox"
)

// box is a sandbox that listens on a loopback port, seen through its controls.
type box struct{ url string }

// startBox serves a sandbox in this process until the test ends. It keeps everything in memory.
func startBox(tb testing.TB) *box {
	tb.Helper()
	return startBoxWith(tb, sandbox.Options{})
}

// startBoxWith serves a sandbox that works in its own way, apart from limits, which tests reach too soon.
func startBoxWith(tb testing.TB, o sandbox.Options) *box {
	tb.Helper()
	o.LimitFactor = 10_000
	simulator, err := sandbox.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	server := &http.Server{Handler: simulator}
	ended := make(chan error, 1)
	go func() { ended <- ignoreClosed(server.Serve(listener)) }()
	tb.Cleanup(func() {
		for _, err := range []error{simulator.Close(), server.Close(), <-ended} {
			if err != nil {
				tb.Error(err)
			}
		}
	})
	return &box{url: "http://" + listener.Addr().String()}
}

// withBox points a server at a sandbox.
func withBox(b *box) option {
	return func(a *app) { a.config.sandbox, a.config.sandboxAt = true, b.url }
}

// boxPost is something on a timeline.
type boxPost struct {
	Provider, AccountID, PlatformPostID, Kind, ParentID, Text string
	CreatedAt                                                 time.Time
	DeletedAt                                                 *time.Time
	Media                                                     []boxMedia
}

// boxMedia is a file as it reached a network.
type boxMedia struct {
	Type          string
	Width, Height int
}

// timeline is all that an account has published, the oldest first.
func (b *box) timeline(tb testing.TB, of account) []boxPost {
	tb.Helper()
	return b.posts(tb, url.Values{"provider": {of.network}, "accountId": {of.remote}})
}

func (b *box) posts(tb testing.TB, query url.Values) []boxPost {
	tb.Helper()
	var found struct{ Data []boxPost }
	b.control(tb, "GET", "posts?"+query.Encode(), nil, &found)
	return found.Data
}

// texts are the texts of a timeline.
func texts(posts []boxPost) []string {
	list := []string{}
	for _, p := range posts {
		list = append(list, p.Text)
	}
	return list
}

// fault has the next calls of an account fail; fields are those of the sandbox's control.
func (b *box) fault(tb testing.TB, of account, operation, kind string, more object) {
	tb.Helper()
	body := object{"provider": of.network, "accountId": of.remote, "operation": operation, "kind": kind, "count": 1}
	maps.Copy(body, more)
	if operation == "refresh" { // which comes from nobody's account
		delete(body, "accountId")
	}
	b.control(tb, "POST", "faults", body, nil)
}

// heal ends all faults.
func (b *box) heal(tb testing.TB) {
	tb.Helper()
	b.control(tb, "DELETE", "faults", nil, nil)
}

// spared are the accounts whose faults have not struck, as their networks call them.
func (b *box) spared(tb testing.TB) []string {
	tb.Helper()
	var found struct{ Data []struct{ AccountID string } }
	b.control(tb, "GET", "faults", nil, &found)
	list := []string{}
	for _, fault := range found.Data {
		list = append(list, fault.AccountID)
	}
	return list
}

// like gives a post some likes.
func (b *box) like(tb testing.TB, network, id string, count int) {
	tb.Helper()
	b.control(tb, "POST", "likes", object{"provider": network, "platformPostId": id, "count": count}, nil)
}

// calls is how often an operation of a network was called.
func (b *box) calls(tb testing.TB, network, operation string) int {
	tb.Helper()
	var found struct {
		Data []struct {
			Operation string
			Count     int
		}
	}
	b.control(tb, "GET", "calls?provider="+network, nil, &found)
	for _, c := range found.Data {
		if c.Operation == operation {
			return c.Count
		}
	}
	tb.Fatalf("the sandbox does not count %s", operation)
	return 0
}

func (b *box) control(tb testing.TB, method, path string, body, into any) {
	tb.Helper()
	if err := b.tryControl(method, path, body, into); err != nil {
		tb.Fatal(err)
	}
}

// tryControl may be called from any goroutine.
func (b *box) tryControl(method, path string, body, into any) error {
	var data bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&data).Encode(body); err != nil {
			return err
		}
	}
	req, err := http.NewRequest(method, b.url+"/_control/"+path, &data)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
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
