package sim_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
)

func TestLostResponseAppliesTheCallAndDropsTheConnection(t *testing.T) {
	t.Parallel()
	b := setup(t, sim.Options{})
	b.must(http.StatusCreated, "POST", "/_control/faults",
		`{"provider":"toy","operation":"publish","kind":"lost_response","count":1}`)
	if status, text := b.do("POST", "/toy/posts", `{"text":"lost"}`); status != 0 {
		t.Fatalf("got a response: %d %s", status, text)
	}
	if posts := b.posts(); len(posts) != 1 || posts[0].Text != "lost" {
		t.Fatalf("timeline is %+v, want the lost post once", posts)
	}
	b.must(http.StatusCreated, "POST", "/toy/posts", `{"text":"next"}`)
}

func TestSlowAppliesTheCallAfterTheCallerHasGone(t *testing.T) {
	t.Parallel()
	waiting, release := make(chan struct{}), make(chan time.Time)
	b := setup(t, sim.Options{After: func(time.Duration) <-chan time.Time {
		close(waiting)
		return release
	}})
	b.must(http.StatusCreated, "POST", "/_control/faults",
		`{"provider":"toy","operation":"publish","kind":"slow","count":1,"delayMs":5000}`)
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() {
		req, err := http.NewRequestWithContext(ctx, "POST", b.url+"/toy/posts", strings.NewReader(`{"text":"late"}`))
		if err == nil {
			req.Header.Set("Authorization", "Bearer "+b.seed.AccessToken)
			_, err = http.DefaultClient.Do(req)
		}
		gone <- err
	}()
	<-waiting
	cancel()
	if err := <-gone; err == nil {
		t.Fatal("the caller got a response before it left")
	}
	if posts := b.posts(); len(posts) != 0 {
		t.Fatalf("the work was done before the wait ended: %+v", posts)
	}
	release <- time.Time{}
	eventually(t, func() bool { return len(b.posts()) == 1 })
}

// eventually polls a condition: the work continues after the request, without a signal to wait for.
func eventually(t *testing.T, yes func() bool) {
	t.Helper()
	for range 100_000 {
		if yes() {
			return
		}
	}
	t.Fatal("the condition never became true")
}

func TestFaultsApplyAfterSkippedCalls(t *testing.T) {
	t.Parallel()
	b := setup(t, sim.Options{})
	b.must(http.StatusCreated, "POST", "/_control/faults",
		`{"provider":"toy","operation":"publish","kind":"outage","count":2,"skip":1}`)
	b.must(http.StatusCreated, "POST", "/_control/faults",
		`{"provider":"toy","operation":"publish","kind":"reject","count":1,"skip":2}`)
	want := []int{201, 503, 503, 503, 201}
	for i, status := range want {
		if got, text := b.do("POST", "/toy/posts", `{"text":"x"}`); got != status {
			t.Errorf("call %d: status %d, want %d: %s", i+1, got, status, text)
		}
	}
	if n := len(b.posts()); n != 2 {
		t.Errorf("%d posts, want 2: an outage publishes nothing", n)
	}
}

func TestFaultAnswersLargeRequests(t *testing.T) {
	t.Parallel()
	b := setup(t, sim.Options{})
	b.must(http.StatusCreated, "POST", "/_control/faults",
		`{"provider":"toy","operation":"publish","kind":"outage","count":1}`)
	b.must(http.StatusServiceUnavailable, "POST", "/toy/posts", strings.Repeat("x", 20<<20))
}

func TestFaultsAreScopedToTheirAccount(t *testing.T) {
	t.Parallel()
	b := setup(t, sim.Options{})
	b.must(http.StatusCreated, "POST", "/_control/faults",
		`{"provider":"toy","operation":"publish","kind":"outage","count":1,"accountId":"`+b.seed.AccountID+`"}`)
	ada := b.seed
	var err error
	if b.seed, err = toySeed("bob"); err != nil {
		t.Fatal(err)
	}
	b.must(http.StatusCreated, "POST", "/toy/posts", `{"text":"bob"}`)
	b.seed = ada
	b.must(http.StatusServiceUnavailable, "POST", "/toy/posts", `{"text":"ada"}`)
}

func TestFaultsAndCallsAreCountedExactlyUnderConcurrency(t *testing.T) {
	t.Parallel()
	b := setup(t, sim.Options{})
	b.must(http.StatusCreated, "POST", "/_control/faults",
		`{"provider":"toy","operation":"publish","kind":"outage","count":40,"skip":7}`)
	const calls = 100
	statuses := make([]int, calls)
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() { statuses[i], _ = b.do("POST", "/toy/posts", `{"text":"x"}`) })
	}
	wg.Wait()
	count := map[int]int{}
	for _, s := range statuses {
		count[s]++
	}
	if count[201] != 60 || count[503] != 40 {
		t.Errorf("statuses %v, want 60 times 201 and 40 times 503", count)
	}
	if text := b.must(http.StatusOK, "GET", "/_control/calls?provider=toy", ""); !strings.Contains(text,
		`"operation":"publish","count":100`) {
		t.Errorf("calls %s, want 100 publishes", text)
	}
}

func TestIncompleteCallsAreNotCounted(t *testing.T) {
	t.Parallel()
	b := setup(t, sim.Options{})
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(b.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, err = io.WriteString(conn, "POST /toy/posts HTTP/1.1\r\nHost: toy\r\nConnection: close\r\n"+
		"Authorization: Bearer "+b.seed.AccessToken+"\r\nContent-Length: 100\r\n\r\n{\"text\"")
	if err = errors.Join(err, conn.(*net.TCPConn).CloseWrite()); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(conn); err != nil { // the response: the call was handled and counted
		t.Fatal(err)
	}
	for deadline := time.Now().Add(2 * time.Minute); ; <-time.After(time.Millisecond) {
		text := b.must(http.StatusOK, "GET", "/_control/calls?provider=toy", "")
		if strings.Contains(text, `"operation":"publish","count":0`) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("calls %s, want no publish", text)
		}
	}
}

func TestControlsRejectBadInput(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		method, path, body, want string
	}{
		"unknown provider": {"POST", "/_control/faults",
			`{"provider":"myspace","operation":"publish","kind":"outage","count":1}`, "toy"},
		"unknown operation": {"POST", "/_control/faults",
			`{"provider":"toy","operation":"dance","kind":"outage","count":1}`, "publish, upload"},
		"unknown kind": {"POST", "/_control/faults",
			`{"provider":"toy","operation":"publish","kind":"fire","count":1}`, "rate_limit, outage"},
		"no count": {"POST", "/_control/faults", `{"provider":"toy","operation":"publish","kind":"outage"}`,
			"count"},
		"negative skip": {"POST", "/_control/faults",
			`{"provider":"toy","operation":"publish","kind":"outage","count":1,"skip":-1}`, "skip"},
		"slow without delay": {"POST", "/_control/faults",
			`{"provider":"toy","operation":"publish","kind":"slow","count":1}`, "delayMs"},
		"unknown key": {"POST", "/_control/faults",
			`{"provider":"toy","operation":"publish","kind":"outage","count":1,"often":true}`, "often"},
		"no JSON":         {"POST", "/_control/faults", `count=1`, "JSON"},
		"likes of nobody": {"POST", "/_control/likes", `{"provider":"x.com","platformPostId":"1","count":1}`, "toy"},
		"zero likes":      {"POST", "/_control/likes", `{"provider":"toy","platformPostId":"1","count":0}`, "count"},
		"posts of nobody": {"GET", "/_control/posts?provider=nobody", "", "toy"},
		"calls of nobody": {"GET", "/_control/calls?provider=nobody", "", "toy"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, sim.Options{})
			if text := b.must(http.StatusBadRequest, c.method, c.path, c.body); !strings.Contains(text, c.want) {
				t.Errorf("the response does not mention %s: %s", c.want, text)
			}
		})
	}
}

func TestClearedFaultsNoLongerApply(t *testing.T) {
	t.Parallel()
	b := setup(t, sim.Options{})
	b.must(http.StatusCreated, "POST", "/_control/faults",
		`{"provider":"toy","operation":"publish","kind":"outage","count":9}`)
	b.must(http.StatusOK, "DELETE", "/_control/faults", "")
	b.must(http.StatusCreated, "POST", "/toy/posts", `{"text":"fine"}`)
}
