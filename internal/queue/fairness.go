package queue

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/riverqueue/river"

	"crier"
)

// fairShares keeps one owner from taking a whole queue: while it has its share of the workers, its further jobs are put
// off, and the rest is free for everybody else. It counts on this node only.
type fairShares struct {
	most    int
	mu      sync.Mutex
	running map[crier.ID]int
	refused int
}

// newFairShares divides a queue of so many workers: one owner has half of them at most.
func newFairShares(workers int) *fairShares { return newShares(max(1, workers/2)) }

// newShares gives each owner so many workers at most.
func newShares(most int) *fairShares { return &fairShares{most: most, running: map[crier.ID]int{}} }

// run runs the job of an owner, or has it come back later while the owner has its share. Jobs without an owner, which
// older versions have enqueued, have one share together.
func (s *fairShares) run(owner crier.ID, fn func() error) error {
	release, ok := s.acquire(owner)
	if !ok {
		return river.JobSnooze(s.pause())
	}
	defer release()
	return fn()
}

// acquire takes one of the owner's workers. Callers that get one must call release.
func (s *fairShares) acquire(owner crier.ID) (release func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[owner] >= s.most {
		s.refused++
		return nil, false
	}
	s.running[owner]++
	return func() { s.release(owner) }, true
}

func (s *fairShares) release(owner crier.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused = max(0, s.refused-1)
	if s.running[owner]--; s.running[owner] == 0 {
		delete(s.running, owner)
	}
}

// groupShares divide workers between groups, such as networks, and each group's between owners: one has half of them at
// most. Whatever a group waits for, the others go on.
type groupShares struct{ groups, owners *fairShares }

// newGroupShares gives each group so many workers at most.
func newGroupShares(most int) *groupShares {
	return &groupShares{groups: newShares(most), owners: newFairShares(most)}
}

// run runs the job of an owner, or has it come back later while its group or the owner in it has its share.
func (s *groupShares) run(group string, owner crier.ID, fn func() error) error {
	return s.owners.run(crier.ID(group)+" "+owner, func() error { return s.groups.run(crier.ID(group), fn) })
}

// defaultShares divide the queue of all jobs that have no other. Nothing in it is waited for by posts; what keeps the
// installation going is in a queue of its own.
type defaultShares struct {
	tenants         *fairShares // everything of one team or organization together
	removals, mails *groupShares
	purges          *fairShares
}

const (
	// removalShare is how many posts are removed from one network at once. A network that hangs keeps no more workers.
	removalShare = 4
	// mailShare is how many mails are sent at once: the mail server may hang too.
	mailShare = 8
	// purgeShare is how many deleted teams are removed from the database at once.
	purgeShare = 2
)

func newDefaultShares() *defaultShares {
	return &defaultShares{tenants: newFairShares(defaultWorkers), removals: newGroupShares(removalShare),
		mails: newGroupShares(mailShare), purges: newShares(purgeShare)}
}

// run runs a job of a team or an organization.
func (s *defaultShares) run(owner crier.ID, fn func() error) error { return s.tenants.run(owner, fn) }

// remove runs a job of a team that asks a network to remove something.
func (s *defaultShares) remove(network crier.Provider, team crier.ID, fn func() error) error {
	return s.run(team, func() error { return s.removals.run(string(network), team, fn) })
}

// mail runs a job that sends a mail for an organization or a person.
func (s *defaultShares) mail(owner crier.ID, fn func() error) error {
	return s.run(owner, func() error { return s.mails.run("mail", owner, fn) })
}

// pause returns when a job that was put off should come back: later when many wait, because each look costs a write.
func (s *fairShares) pause() time.Duration {
	s.mu.Lock()
	waiting := s.refused
	s.mu.Unlock()
	spread := 500*time.Millisecond + time.Duration(min(waiting, 1000))*20*time.Millisecond
	return spread/2 + rand.N(spread) //nolint:gosec // jitter, not a secret
}
