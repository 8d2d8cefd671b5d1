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
	// maxAccountWaiting is how many more of its publications may wait for a call. The rest is postponed: a slow account
	// never takes more of the workers, however much it has to publish. Networks have queues of their own.
	maxAccountWaiting = 76
)

// accountLimiter bounds how many publications of one account are in work on this node.
type accountLimiter struct {
	mu       sync.Mutex
	accounts map[crier.ID]*accountLoad
	// refused counts recently postponed publications, so that they come back spread out.
	refused int
	// closed is closed when no call may begin any more.
	closed chan struct{}
}

// accountLoad is what is in work for one account: admitted publications, and a token for each call being made.
type accountLoad struct {
	admitted int
	calls    chan struct{}
}

func newAccountLimiter() *accountLimiter {
	return &accountLimiter{accounts: map[crier.ID]*accountLoad{}, closed: make(chan struct{})}
}

// close makes everybody who waits for a call give up. It may be called once.
func (l *accountLimiter) close() { close(l.closed) }

// closing reports whether no call may begin any more.
func (l *accountLimiter) closing() bool {
	select {
	case <-l.closed:
		return true
	default:
		return false
	}
}

// admit is false when the account is at its limit. Callers that were admitted must call leave.
func (l *accountLimiter) admit(account crier.ID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	load := l.load(account)
	if load.admitted >= maxAccountCalls+maxAccountWaiting {
		l.refused++
		return false
	}
	load.admitted++
	return true
}

// inWork is how many publications are admitted.
func (l *accountLimiter) inWork() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	sum := 0
	for _, load := range l.accounts {
		sum += load.admitted
	}
	return sum
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
	load := l.accounts[account]
	if load.admitted--; load.admitted == 0 {
		delete(l.accounts, account)
	}
}

// errClosing means that the process stops and that another node should continue.
var errClosing = errors.New("this node stops")

// acquire waits until one of the account's calls may be made; release ends it. It fails with errClosing when the
// limiter closes first.
func (l *accountLimiter) acquire(ctx context.Context, account crier.ID) (release func(), err error) {
	l.mu.Lock()
	calls := l.load(account).calls
	l.mu.Unlock()
	select {
	case calls <- struct{}{}:
		return func() { <-calls }, nil
	case <-l.closed:
		return nil, errClosing
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// pause is when a postponed publication should come back: soon when few wait, and about a hundred a second at most,
// because each look costs the database a few writes.
func (l *accountLimiter) pause() time.Duration {
	l.mu.Lock()
	waiting := l.refused
	l.mu.Unlock()
	spread := 500*time.Millisecond + time.Duration(min(waiting, 2000))*10*time.Millisecond
	return spread/2 + rand.N(spread) //nolint:gosec // jitter, not a secret
}
