package publish

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"crier"
	"crier/internal/auth"
	"crier/internal/job"
	"crier/internal/provider"
	"crier/internal/store"
)

// Observer receives measurements for operators.
type Observer interface {
	// Late is called with the delay between a post's scheduled time and its call to the network.
	Late(network crier.Provider, by time.Duration)
	// Attempt is called for every attempt at a network.
	Attempt(network crier.Provider, operation, outcome string)
}

// Publisher publishes publications, exactly once. Its methods are for jobs: they take no scope and have no route.
//
// The order is always the same: state first, effect second, result third, each committed. A call that can publish is
// preceded by an attempt row; an attempt without a result is never repeated blindly.
type Publisher struct {
	store     *store.Store
	keys      *auth.Keyring
	queue     job.Queue
	providers *provider.Registry
	content   *Content
	tokens    *Tokens
	quotas    *Quotas
	observer  Observer
	timings   Timings
	limiter   *accountLimiter
	clock     crier.Clock
	log       *slog.Logger
	// leases, starts and settlements group the commits of publications that are due in the same second; leased groups
	// the reads that follow a lease.
	leases, starts, settlements *groupCommit[write]
	leased                      *groupCommit[*store.LeaseRequest]
	// restored caches whether the store was restored.
	restored struct {
		sync.Mutex
		known bool
		at    *store.Restoration
	}
	// checkpoint is Config.Checkpoint.
	checkpoint func(crier.ID, Step)
}

func newPublisher(cfg Config, content *Content, tokens *Tokens, quotas *Quotas) *Publisher {
	p := &Publisher{
		store: cfg.Store, keys: cfg.Keys, queue: cfg.Queue, providers: cfg.Providers, content: content, tokens: tokens,
		quotas: quotas, observer: cfg.Observer, timings: cfg.Timings, limiter: newAccountLimiter(),
		clock: cfg.Clock, log: cfg.Logger, checkpoint: cfg.Checkpoint,
	}
	p.groupWrites()
	return p
}

// Advance works on a publication until it has to wait or ends. It returns when to continue; zero means never.
func (s *Publisher) Advance(ctx context.Context, job job.Publish, run store.Run) (time.Time, error) {
	id := job.ID
	if !s.limiter.admit(job.SocialAccountID) {
		return s.postpone(ctx, id, job.Epoch)
	}
	defer s.limiter.leave(job.SocialAccountID)
	for start := s.clock(); !s.limiter.closing(); {
		next, err := s.step(ctx, id, job.Epoch, run)
		if err != nil || next.IsZero() {
			return next, err
		}
		if next.After(s.clock()) || s.clock().Sub(start) > runBudget {
			return next, nil
		}
	}
	return s.clock(), nil // another node continues, or the next start
}

// Drain lets calls in progress finish, and also the call of a publication that is ready and waits for its second, which
// is near. All other publications are handed back to other nodes or the next start between two exchanges with their
// network, so that shutdown does not wait for them. It may be called once.
func (s *Publisher) Drain() { s.limiter.close() }

// postpone reschedules a publication whose account is at its concurrency limit.
func (s *Publisher) postpone(ctx context.Context, id crier.ID, epoch int64) (time.Time, error) {
	wake := crier.TimeOf(s.clock().Add(s.limiter.pause()))
	return wake.Time, s.store.Postpone(ctx, id, epoch, s.clock.Now(), wake)
}
