package service

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"crier"
)

const (
	// accountLane is how many calls of one account a node makes at once.
	accountLane = 24
	// accountLine is how many more of its publications may stand in line. What comes beyond that is sent away for a while:
	// a slow account never takes more of the workers, however much it has to publish. Networks have queues of their own.
	accountLine = 76
)

// lanes counts who works for which account.
type lanes struct {
	mu       sync.Mutex
	accounts map[crier.ID]*lane
	// refused counts those that were sent away lately, so that they come back spread out.
	refused int
	// closed is closed when nobody may begin a call any more.
	closed chan struct{}
}

// lane is one account: who is in, and a token for each call that is being made.
type lane struct {
	inside int
	calls  chan struct{}
}

func newLanes() *lanes { return &lanes{accounts: map[crier.ID]*lane{}, closed: make(chan struct{})} }

// close sends home who stands in line. It may be called once.
func (l *lanes) close() { close(l.closed) }

// closing is true when nobody may begin a call any more.
func (l *lanes) closing() bool {
	select {
	case <-l.closed:
		return true
	default:
		return false
	}
}

// enter is false when too many work for the account or stand in line for it. Who enters must leave.
func (l *lanes) enter(account crier.ID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.lane(account)
	if one.inside >= accountLane+accountLine {
		l.refused++
		return false
	}
	one.inside++
	return true
}

// atWork is how many publications are at work or in line.
func (l *lanes) atWork() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	sum := 0
	for _, one := range l.accounts {
		sum += one.inside
	}
	return sum
}

func (l *lanes) lane(account crier.ID) *lane {
	one := l.accounts[account]
	if one == nil {
		one = &lane{calls: make(chan struct{}, accountLane)}
		l.accounts[account] = one
	}
	return one
}

// leave makes room for another.
func (l *lanes) leave(account crier.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refused > 0 {
		l.refused--
	}
	one := l.accounts[account]
	if one.inside--; one.inside == 0 {
		delete(l.accounts, account)
	}
}

// errClosing means that the process stops and that others should go on.
var errClosing = errors.New("this node stops")

// turn waits until one of the account's calls may be made; done ends it. It fails with errClosing when the lanes close first.
func (l *lanes) turn(ctx context.Context, account crier.ID) (done func(), err error) {
	l.mu.Lock()
	calls := l.lane(account).calls
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

// pause is when one that was sent away should come back: sooner when few wait, and about a hundred a second at most, because
// each look costs the database a few writes.
func (l *lanes) pause() time.Duration {
	l.mu.Lock()
	waiting := l.refused
	l.mu.Unlock()
	spread := 500*time.Millisecond + time.Duration(min(waiting, 2000))*10*time.Millisecond
	return spread/2 + rand.N(spread) //nolint:gosec // jitter, not a secret
}
