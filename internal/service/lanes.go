package service

import (
	"math/rand/v2"
	"sync"
	"time"

	"crier"
)

// accountLane is how many publications of one account a node works on at once: a slow account takes no more of the
// workers than that, however much it has to publish. Networks have queues of their own.
const accountLane = 24

// lanes counts who works for which account.
type lanes struct {
	mu   sync.Mutex
	busy map[crier.ID]int
	// refused counts those that were turned away lately, so that they come back spread out.
	refused int
}

func newLanes() *lanes { return &lanes{busy: map[crier.ID]int{}} }

// enter is false when the account's lane is full.
func (l *lanes) enter(account crier.ID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy[account] >= accountLane {
		l.refused++
		return false
	}
	l.busy[account]++
	return true
}

// leave makes room.
func (l *lanes) leave(account crier.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refused > 0 {
		l.refused--
	}
	if l.busy[account]--; l.busy[account] <= 0 {
		delete(l.busy, account)
	}
}

// wait is when one that was turned away should come back: sooner when few wait.
func (l *lanes) wait() time.Duration {
	l.mu.Lock()
	waiting := l.refused
	l.mu.Unlock()
	spread := 500*time.Millisecond + time.Duration(min(waiting, 2000))*4*time.Millisecond
	return spread/2 + rand.N(spread) //nolint:gosec // jitter, not a secret
}
