package social

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"crier"
	"crier/internal/access"
	"crier/internal/provider"
	"crier/internal/publish"
	"crier/internal/store"
)

const (
	// profileTimeout limits how long a request waits for networks' profiles of its accounts.
	profileTimeout = 5 * time.Second
	// profileReaders is how many profiles a request reads concurrently.
	profileReaders = 10
	// profilePause is how long a network that failed is not called again.
	profilePause = time.Minute
	// maxNetworks is the number of accounts whose network a node caches.
	maxNetworks = 10_000
)

// Profiles keeps the profiles of accounts up to date, on networks where they change from hour to hour.
type Profiles struct {
	store     *store.Store
	providers *provider.Registry
	engine    *publish.Engine
	clock     crier.Clock
	log       *slog.Logger
	tokens    *publish.Tokens
	timeout   time.Duration // profileTimeout, less in tests

	mu       sync.Mutex
	tried    map[crier.ID]time.Time      // when this node last asked, so that it does not ask twice at once
	networks map[crier.ID]crier.Provider // an account never changes its network
}

func newProfiles(st *store.Store, networks *provider.Registry, engine *publish.Engine, clock crier.Clock,
	log *slog.Logger) *Profiles {
	return &Profiles{store: st, providers: networks, engine: engine, clock: clock, log: log, tokens: engine.Tokens,
		timeout: profileTimeout, tried: map[crier.ID]time.Time{}, networks: map[crier.ID]crier.Provider{}}
}

// Refresh reads the profiles of a request's accounts whose network requires it before scheduling. A network that does
// not respond blocks nothing: the previous profile is used, and the network decides in the end.
func (s *Profiles) Refresh(ctx context.Context, scope access.TeamScope, ids []crier.ID) error {
	stale, err := s.stale(ctx, scope.Team().ID, ids)
	if err != nil || len(stale) == 0 {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout) // of all together: the request goes on after it
	defer cancel()
	var reads errgroup.Group
	reads.SetLimit(profileReaders)
	for _, one := range stale {
		reads.Go(func() error {
			s.tryRead(ctx, one)
			return nil
		})
	}
	return reads.Wait()
}

// staleProfile is an account whose profile is to be read.
type staleProfile struct {
	store.Account
	profiler provider.Profiler
}

// tryRead reads a profile, unless the time is over or it was tried a moment ago.
func (s *Profiles) tryRead(ctx context.Context, a staleProfile) {
	if ctx.Err() != nil || !s.mayRead(a.ID) {
		return
	}
	if err := s.read(ctx, a.profiler, a.Account); err != nil {
		s.log.WarnContext(ctx, "could not read the profile of an account", "account", a.ID, "provider", a.Provider,
			"error", err)
	}
}

// stale returns those of a team's accounts whose profile is too old for scheduling.
func (s *Profiles) stale(ctx context.Context, team crier.ID, ids []crier.ID) (list []staleProfile, err error) {
	networks, err := s.networksOf(ctx, team, ids)
	if err != nil {
		return nil, err
	}
	for _, p := range s.providers.All() {
		info := p.Info()
		profiler := s.providers.Features(p).Profiler
		if info.ProfileLife == 0 || profiler == nil {
			continue
		}
		theirs := slices.DeleteFunc(slices.Clone(ids),
			func(id crier.ID) bool { return networks[id] != crier.Provider(info.Name) })
		accounts, err := s.store.StaleProfiles(ctx, team, theirs, crier.Provider(info.Name),
			crier.TimeOf(s.clock().Add(-info.ProfileLife)))
		if err != nil {
			return nil, err
		}
		for _, a := range accounts {
			list = append(list, staleProfile{a, profiler})
		}
	}
	return list, nil
}

// networksOf returns the networks of a team's accounts. Most requests are for accounts that this node has cached, and
// cost no query.
func (s *Profiles) networksOf(ctx context.Context, team crier.ID, ids []crier.ID) (map[crier.ID]crier.Provider, error) {
	found := map[crier.ID]crier.Provider{}
	var unmet []crier.ID
	s.mu.Lock()
	for _, id := range ids {
		if network, ok := s.networks[id]; ok {
			found[id] = network
		} else {
			unmet = append(unmet, id)
		}
	}
	s.mu.Unlock()
	if len(unmet) == 0 {
		return found, nil
	}
	read, err := s.store.AccountNetworks(ctx, team, unmet)
	if err != nil {
		return nil, err
	}
	maps.Copy(found, read)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.networks)+len(read) > maxNetworks {
		clear(s.networks)
	}
	maps.Copy(s.networks, read)
	return found, nil
}

// mayRead limits how often an account is read.
func (s *Profiles) mayRead(id crier.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock()
	if last, ok := s.tried[id]; ok && now.Sub(last) < profilePause {
		return false
	}
	for other, last := range s.tried {
		if now.Sub(last) >= profilePause {
			delete(s.tried, other)
		}
	}
	s.tried[id] = now
	return true
}

// read reads one account from its network and stores the profile.
func (s *Profiles) read(ctx context.Context, profiler provider.Profiler, a store.Account) error {
	client, err := s.tokens.Unrenewed(a) // which the job does in time
	if err != nil {
		return err
	}
	seen, err := profiler.Profile(s.engine.Quotas.Metered(ctx, a), client)
	if err != nil {
		return err
	}
	return s.store.WithTx(ctx, func(tx *store.Tx) error {
		locked, err := tx.LockAccounts(ctx, a.TeamID, []crier.ID{a.ID})
		if err != nil {
			return err
		}
		current, ok := locked[a.ID]
		if !ok || current.ProviderAccountID != seen.ProviderAccountID {
			return nil
		}
		now := s.clock.Now()
		current.ProfileAt, current.UpdatedAt = &now, now
		current.DisplayName = seen.DisplayName
		current.ProfileHandle = crier.TextOrNil(seen.Handle)
		current.ProfileImageURL = crier.TextOrNil(seen.ImageURL)
		if len(seen.Details) > 0 {
			current.ProviderSettings = seen.Details
		}
		return tx.UpdateAccount(ctx, current)
	})
}
