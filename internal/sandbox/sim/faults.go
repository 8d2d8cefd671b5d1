package sim

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// FaultKind is a way in which a network can fail on demand.
type FaultKind string

// The kinds of faults. Slow and LostResponse do the work; the others answer instead of doing it.
const (
	RateLimit    FaultKind = "rate_limit"
	Outage       FaultKind = "outage"
	Slow         FaultKind = "slow"
	LostResponse FaultKind = "lost_response"
	AuthExpired  FaultKind = "auth_expired"
	Reject       FaultKind = "reject"
	Restricted   FaultKind = "restricted"
)

// Fault is a scripted failure of the next Count calls of an operation, after Skip of them.
type Fault struct {
	Operation Operation
	Kind      FaultKind
	Count     int
	Skip      int
	// AccountID narrows the fault to one account's calls; empty means all.
	AccountID string
	// Delay is how long a slow answer takes.
	Delay time.Duration
	// RetryAfter is when a rate limit says that it ends.
	RetryAfter time.Duration
}

// script is the faults to come and the calls so far of one network. It lives in memory only: a restart forgets both.
type script struct {
	mu     sync.Mutex
	faults []*Fault
	calls  map[Operation]int
}

func newScript() *script { return &script{calls: map[Operation]int{}} }

func (s *script) add(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &f)
}

func (s *script) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// pending returns what is left of the faults.
func (s *script) pending() []Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Fault, 0, len(s.faults))
	for _, f := range s.faults {
		list = append(list, *f)
	}
	return list
}

func (s *script) callCount(op Operation) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[op]
}

// uncount takes a call back that never arrived whole.
func (s *script) uncount(op Operation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[op]--
}

// next counts a call and returns the fault that hits it. Every waiting fault sees every call of its operation; of those
// that are due, the oldest strikes.
func (s *script) next(op Operation, caller func() string) (Fault, bool) {
	account := ""
	if s.needsCaller(op) {
		account = caller()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[op]++
	var hit Fault
	struck := false
	kept := s.faults[:0]
	for _, f := range s.faults {
		if f.Operation == op && (f.AccountID == "" || f.AccountID == account) {
			switch {
			case f.Skip > 0:
				f.Skip--
			case !struck:
				struck, hit = true, *f
				f.Count--
			}
		}
		if f.Count > 0 {
			kept = append(kept, f)
		}
	}
	clear(s.faults[len(kept):])
	s.faults = kept
	return hit, struck
}

func (s *script) needsCaller(op Operation) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.faults {
		if f.Operation == op && f.AccountID != "" {
			return true
		}
	}
	return false
}

// serve counts one call, lets the script strike, and does the work.
func (e *Env) serve(w http.ResponseWriter, r *http.Request, op Operation, h Handler) {
	body := &arrivingBody{ReadCloser: r.Body}
	r.Body = body
	defer func() {
		if body.cut {
			e.script.uncount(op)
		}
	}()
	fault, struck := e.script.next(op, func() string { return e.callerOf(r) })
	if !struck {
		reply := h(r)
		drain(r)
		reply.write(w)
		return
	}
	e.Log.Debug("sandbox fault", "operation", op, "kind", fault.Kind)
	switch fault.Kind {
	case Slow:
		e.serveSlowly(w, r, fault.Delay, h)
	case LostResponse:
		h(r.WithContext(context.WithoutCancel(r.Context())))
		dropConnection(w)
	default:
		drain(r)
		e.service.Fault(r, fault).write(w)
	}
}

// arrivingBody notes that the caller went before it had sent everything.
type arrivingBody struct {
	io.ReadCloser
	cut bool
}

// Read reads on.
func (b *arrivingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.cut = true
	}
	return n, err //nolint:wrapcheck // a reader's own error
}

// drainBytes is how much of an unread body is read before the answer.
const drainBytes = 64 << 20

// drain reads what is left of a body and forgets it. A caller that is still sending would otherwise see its connection
// break instead of the answer.
func drain(r *http.Request) {
	_, _ = io.CopyN(io.Discard, r.Body, drainBytes) // a caller that stops sending gets its answer all the same
}

// slowBody is how much of a body is taken in before a slow call waits. What the caller has not sent by then is lost
// when it goes, as it would be on a real network.
const slowBody = 8 << 20

// serveSlowly waits and then does the work, even when the caller has gone meanwhile. Closing the sandbox ends the wait
// without the work.
func (e *Env) serveSlowly(w http.ResponseWriter, r *http.Request, delay time.Duration, h Handler) {
	head, err := io.ReadAll(io.LimitReader(r.Body, slowBody))
	if err != nil {
		return // the caller went before it had sent its request
	}
	select {
	case <-e.Options.After(delay):
	case <-e.done:
		dropConnection(w)
		return
	}
	detached := r.WithContext(context.WithoutCancel(r.Context()))
	detached.Body = rejoined{Reader: io.MultiReader(bytes.NewReader(head), r.Body), Closer: r.Body}
	h(detached).write(w)
}

// rejoined is a body of which the beginning was read ahead.
type rejoined struct {
	io.Reader
	io.Closer
}

// dropConnection closes the caller's connection without an answer.
func dropConnection(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if errors.Is(err, http.ErrNotSupported) {
		panic(http.ErrAbortHandler) // how net/http lets a handler abort where there is no connection to take over
	}
	if err == nil {
		_ = conn.Close() // the connection is to be lost anyway
	}
}
