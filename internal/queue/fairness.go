package queue

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/riverqueue/river"

	"crier"
)

// fairShares prevents one owner from taking over a queue: while it uses its share of the workers, its further jobs are
// postponed, and the other workers are free for everybody else. It counts on this node only.
type fairShares struct {
	most    int
	mu      sync.Mutex
	running map[crier.ID]int
	refused int
}

// newFairShares divides a queue with the given number of workers: one owner gets at most half of them.
func newFairShares(workers int) *fairShares { return newShares(max(1, workers/2)) }

// newShares gives each owner at most the given number of workers.
func newShares(most int) *fairShares { return &fairShares{most: most, running: map[crier.ID]int{}} }

// run runs the job of an owner, or snoozes it while the owner uses its share. Jobs of older versions without an owner
// share one share.
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

// groupShares divides workers between groups, such as networks, and each group's workers between owners, with at most
// half for one. A group that hangs does not block the others.
type groupShares struct{ groups, owners *fairShares }

// newGroupShares gives each group at most the given number of workers.
func newGroupShares(most int) *groupShares {
	return &groupShares{groups: newShares(most), owners: newFairShares(most)}
}

// run runs the job of an owner, or snoozes it while its group or the owner in it uses its share.
func (s *groupShares) run(group string, owner crier.ID, fn func() error) error {
	return s.owners.run(crier.ID(group)+" "+owner, func() error { return s.groups.run(crier.ID(group), fn) })
}

// defaultShares divides the default queue. No post waits for its jobs; maintenance jobs have their own queue.
type defaultShares struct {
	tenants         *fairShares // all jobs of one team or organization
	removals, mails *groupShares
	purges          *fairShares
}

const (
	// removalShare is how many posts are deleted from one network concurrently, so that a network that hangs cannot
	// block more workers.
	removalShare = 4
	// mailShare is how many mails are sent concurrently, because the mail server may hang too.
	mailShare = 8
	// purgeShare is how many deleted teams are purged concurrently.
	purgeShare = 2
)

func newDefaultShares() *defaultShares {
	return &defaultShares{tenants: newFairShares(defaultWorkers), removals: newGroupShares(removalShare),
		mails: newGroupShares(mailShare), purges: newShares(purgeShare)}
}

// run runs a job of a team or an organization.
func (s *defaultShares) run(owner crier.ID, fn func() error) error { return s.tenants.run(owner, fn) }

// remove runs a job of a team that deletes something from a network.
func (s *defaultShares) remove(network crier.Provider, team crier.ID, fn func() error) error {
	return s.run(team, func() error { return s.removals.run(string(network), team, fn) })
}

// mail runs a job that sends a mail for an organization or a person.
func (s *defaultShares) mail(owner crier.ID, fn func() error) error {
	return s.run(owner, func() error { return s.mails.run("mail", owner, fn) })
}

// pause returns how long to snooze a postponed job: longer when many are waiting, because each retry costs a write.
func (s *fairShares) pause() time.Duration {
	s.mu.Lock()
	waiting := s.refused
	s.mu.Unlock()
	spread := 500*time.Millisecond + time.Duration(min(waiting, 1000))*20*time.Millisecond
	return spread/2 + rand.N(spread) //nolint:gosec // jitter, not a secret
}
