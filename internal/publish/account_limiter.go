package publish

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"crier"
)

const (
	// maxAccountCalls is how many calls of one account a node makes at once.
	maxAccountCalls = 24
	// maxAccountWaiting is how many more of its publications may wait for a call. The rest are postponed, so a slow
	// account cannot occupy more workers, however much it has to publish. Each network has its own queue.
	maxAccountWaiting = 276
	// crowdedAccountWaiting replaces maxAccountWaiting on a node that has admitted crowdedThreshold publications.
	crowdedAccountWaiting = 76
	crowdedThreshold      = 1000
	// maxCallWait bounds the wait for a call: the job's timeout must not end it, or the call after it.
	maxCallWait = 2 * time.Minute
)

// accountLimiter bounds how many publications of one account this node works on concurrently.
type accountLimiter struct {
	mu       sync.Mutex
	accounts map[crier.ID]*accountLoad
	// admitted is the number of admitted publications of all accounts.
	admitted int
	// refused counts recently postponed publications, to spread their return.
	refused int
	// timeout is maxCallWait, less in tests.
	timeout time.Duration
	// closed is closed when no new call may start.
	closed chan struct{}
}

// accountLoad is the load of one account: its admitted publications, and a token for each call in progress.
type accountLoad struct {
	admitted int
	calls    chan struct{}
}

func newAccountLimiter() *accountLimiter {
	return &accountLimiter{accounts: map[crier.ID]*accountLoad{}, timeout: maxCallWait, closed: make(chan struct{})}
}

// close makes all waiting callers give up. It may be called once.
func (l *accountLimiter) close() { close(l.closed) }

// closing reports whether new calls are no longer allowed.
func (l *accountLimiter) closing() bool {
	select {
	case <-l.closed:
		return true
	default:
		return false
	}
}

// admit reports false when the account is at its limit. Callers that were admitted must call leave.
func (l *accountLimiter) admit(account crier.ID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	waiting := maxAccountWaiting
	if l.admitted >= crowdedThreshold {
		waiting = crowdedAccountWaiting
	}
	load := l.load(account)
	if load.admitted >= maxAccountCalls+waiting {
		l.refused++
		return false
	}
	load.admitted++
	l.admitted++
	return true
}

// running returns the number of admitted publications.
func (l *accountLimiter) running() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.admitted
}

func (l *accountLimiter) load(account crier.ID) *accountLoad {
	load := l.accounts[account]
	if load == nil {
		load = &accountLoad{calls: make(chan struct{}, maxAccountCalls)}
		l.accounts[account] = load
	}
	return load
}

// leave makes room for another publication.
func (l *accountLimiter) leave(account crier.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refused > 0 {
		l.refused--
	}
	l.admitted--
	load := l.accounts[account]
	if load.admitted--; load.admitted == 0 {
		delete(l.accounts, account)
	}
}

var (
	// errClosing means that the process is stopping and another node should continue.
	errClosing = errors.New("this node stops")
	// errAccountBusy means that the account's other calls took too long.
	errAccountBusy = errors.New("the account has too many slow calls")
)

// acquire waits until one of the account's calls may be made; release ends it. It fails with errClosing when it would
// have to wait and the limiter closes first, and with errAccountBusy when its patience ends.
func (l *accountLimiter) acquire(ctx context.Context, account crier.ID) (release func(), err error) {
	l.mu.Lock()
	calls := l.load(account).calls
	l.mu.Unlock()
	select {
	case calls <- struct{}{}: // also on a node that stops: for this publication any other node would be late
		return func() { <-calls }, nil
	default:
	}
	patience := time.NewTimer(l.timeout)
	defer patience.Stop()
	select {
	case calls <- struct{}{}:
		return func() { <-calls }, nil
	case <-patience.C:
		return nil, errAccountBusy
	case <-l.closed:
		return nil, errClosing
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// pause returns how long to postpone a publication: briefly when few are waiting, and so that at most about a hundred
// return per second, because each check costs the database a few writes.
func (l *accountLimiter) pause() time.Duration {
	l.mu.Lock()
	waiting := l.refused
	l.mu.Unlock()
	spread := 500*time.Millisecond + time.Duration(min(waiting, 2000))*10*time.Millisecond
	return spread/2 + rand.N(spread) //nolint:gosec // jitter, not a secret
}
