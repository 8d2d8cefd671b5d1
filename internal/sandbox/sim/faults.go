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

// FaultKind is a kind of fault on demand.
type FaultKind string

// The kinds of faults. Slow and LostResponse carry out the request; the others respond instead.
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
	// AccountID limits the fault to one account's calls; empty means all.
	AccountID string
	// Delay is the delay of a slow response.
	Delay time.Duration
	// RetryAfter is the stated duration of a rate limit.
	RetryAfter time.Duration
}

// script holds the pending faults and the call counts of one network. It is in memory only: a restart clears both.
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

// pending returns the remaining faults.
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

// uncount uncounts a call that never arrived completely.
func (s *script) uncount(op Operation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[op]--
}

// next counts a call and returns the fault that affects it. Every waiting fault sees every call of its operation; of
// those that are due, the oldest applies.
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

// serve counts one call, applies a fault if there is one, and carries out the request.
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

// arrivingBody records that the client disconnected before it had sent everything.
type arrivingBody struct {
	io.ReadCloser
	cut bool
}

// Read implements io.Reader.
func (b *arrivingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.cut = true
	}
	return n, err
}

// drainBytes is how much of an unread body is read before the response.
const drainBytes = 64 << 20

// drain reads and discards the rest of a body. Otherwise a client that is still sending would see a broken connection
// instead of the response.
func drain(r *http.Request) {
	_, _ = io.CopyN(io.Discard, r.Body, drainBytes) // a client that stops sending gets its response anyway
}

// slowBody is how much of a body is read before a slow call waits. What the client has not sent by then is lost when it
// disconnects, as on a real network.
const slowBody = 8 << 20

// serveSlowly waits and then carries out the request, even if the client has disconnected meanwhile. Closing the
// sandbox ends the wait without carrying it out.
func (e *Env) serveSlowly(w http.ResponseWriter, r *http.Request, delay time.Duration, h Handler) {
	head, err := io.ReadAll(io.LimitReader(r.Body, slowBody))
	if err != nil {
		return // the client disconnected before it had sent its request
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

// rejoined is a body whose start was read ahead.
type rejoined struct {
	io.Reader
	io.Closer
}

// dropConnection closes the client's connection without a response.
func dropConnection(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if errors.Is(err, http.ErrNotSupported) {
		panic(http.ErrAbortHandler) // how net/http lets a handler abort if the connection cannot be hijacked
	}
	if err == nil {
		_ = conn.Close() // the connection is to be lost anyway
	}
}
