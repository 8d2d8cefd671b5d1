package analytics

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/events"
	"crier/internal/job"
	"crier/internal/ledger"
	"crier/internal/provider"
	"crier/internal/publish"
	"crier/internal/store"
)

// maxSnapshots is the maximum number of readings shown of a publication.
const maxSnapshots = 50

// Post returns the stored readings of a post.
func (s *Analytics) Post(ctx context.Context, scope access.TeamScope, post crier.ID) (crier.PostMetrics, error) {
	out := crier.PostMetrics{Data: []crier.PublicationMetrics{}}
	if err := scope.Check(); err != nil {
		return out, err
	}
	team := scope.Team()
	if _, err := s.store.Post(ctx, team.ID, post, false); err != nil {
		return out, err
	}
	published, err := s.store.PublishedOf(ctx, team.ID, post)
	if err != nil {
		return out, err
	}
	for _, p := range published {
		snapshots, err := s.store.Metrics(ctx, p.ID, maxSnapshots)
		if err != nil {
			return out, err
		}
		out.Data = append(out.Data, crier.PublicationMetrics{
			ScheduledPostID: p.ID, SocialAccountID: p.SocialAccountID, Provider: p.Provider,
			PlatformPostID: crier.Text(p.PlatformPostID),
			PublishedAt:    *p.PublishedAt, Snapshots: snapshots,
		})
	}
	return out, nil
}

// Snapshot reads the metrics of a publication once and schedules the next reading. It runs as a job and takes no scope.
func (s *Analytics) Snapshot(ctx context.Context, job job.Snapshot) error {
	p, err := s.store.Publication(ctx, job.ScheduledPostID)
	if crier.IsKind(err, crier.KindNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	network, ok := s.providers.Get(string(p.Provider))
	if !ok {
		return nil
	}
	if gone, err := s.store.PostGone(ctx, p.PostID); err != nil || gone || p.Status != crier.Published ||
		p.PlatformPostID == nil {
		return err
	}
	cost := network.Info().Cost(provider.CostPostRead)
	may, err := s.mayRead(ctx, p.OrganizationID, cost)
	if err != nil {
		return err
	}
	var numbers json.RawMessage
	if may {
		if numbers, err = s.read(ctx, network, p); err != nil && s.tryAgain(err).Before(s.givenUpAt(p, job)) {
			return err
		}
	}
	return s.store.WithTx(ctx, func(tx *store.Tx) error {
		if numbers != nil {
			if err := s.storeMetrics(ctx, tx, p, cost, numbers); err != nil {
				return err
			}
		}
		return s.planNext(ctx, tx, p, job)
	})
}

// mayRead reports whether a reading costs nothing, or the organization has enabled and can pay it.
func (s *Analytics) mayRead(ctx context.Context, organization crier.ID, cost int64) (bool, error) {
	if cost == 0 {
		return true, nil
	}
	o, err := s.store.Organization(ctx, organization)
	if err != nil || o.MetricsPolicy != crier.MetricsAll {
		return false, err
	}
	err = s.pay(ctx, organization, cost, ledger.CheckFree)
	if crier.IsKind(err, crier.KindPaymentRequired) {
		return false, nil
	}
	return err == nil, err
}

// tryAgain returns when a failed reading is tried again: a network may ask for a pause of a month.
func (s *Analytics) tryAgain(err error) time.Time {
	if later, ok := errors.AsType[*Later](err); ok {
		return s.clock().Add(later.After)
	}
	return s.clock()
}

// givenUpAt returns when a reading that has not succeeded is given up: when the next one of the publication is due, or
// a day after the last.
func (s *Analytics) givenUpAt(p store.Publication, done job.Snapshot) time.Time {
	if next, ok := s.nextReading(p, done); ok {
		return next.At
	}
	last, known := publish.SnapshotJob(p, done.Round)
	if !known || done.Early > 0 {
		return time.Time{}
	}
	return last.At.Add(24 * time.Hour)
}

// nextReading returns the reading after one; ok is false after the last.
func (s *Analytics) nextReading(p store.Publication, done job.Snapshot) (next job.Job, ok bool) {
	if done.Early > 0 {
		return earlySnapshot(store.PublicationStats{PublicationID: p.ID, TeamID: p.TeamID, Provider: p.Provider,
			PublishedAt: *p.PublishedAt}, done.Early+1)
	}
	return publish.SnapshotJob(p, done.Round+1)
}

// earlyTimes are the additional readings of a post on the sandbox, counted from its publication, so that a new
// installation has charts that move while somebody watches.
var earlyTimes = []time.Duration{5 * time.Second, 15 * time.Second, 30 * time.Second, 45 * time.Second, time.Minute,
	2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 40 * time.Minute}

// earlySnapshot returns the n-th early reading of a publication, counted from 1; ok is false after the last.
func earlySnapshot(s store.PublicationStats, n int) (next job.Job, ok bool) {
	if n > len(earlyTimes) {
		return job.Job{}, false
	}
	args := job.Snapshot{ScheduledPostID: s.PublicationID, Early: n, Provider: s.Provider, TeamID: s.TeamID}
	return job.Job{Args: args, At: s.PublishedAt.Add(earlyTimes[n-1])}, true
}

func (s *Analytics) planNext(ctx context.Context, tx *store.Tx, p store.Publication, done job.Snapshot) error {
	next, ok := s.nextReading(p, done)
	if !ok {
		return nil
	}
	return s.queue.Enqueue(ctx, tx, next)
}

// storeMetrics writes a reading with the changed sums, its cost, and its event.
func (s *Analytics) storeMetrics(ctx context.Context, tx *store.Tx, p store.Publication, cost int64,
	raw json.RawMessage) error {
	now := s.clock.Now()
	charge := ledger.Charge{Organization: p.OrganizationID, Publication: &p.ID, Amount: cost, At: now}
	if err := tx.AddCredits(ctx, ledger.Spent(charge)...); err != nil {
		return err
	}
	stored, err := s.storeReading(ctx, tx, p.ID, now, raw)
	if err != nil || !stored {
		return err
	}
	return events.Record(tx, now, events.Fact{Type: crier.MetricsUpdated, OrganizationID: p.OrganizationID,
		TeamID: &p.TeamID, Object: crier.MetricsEvent{ScheduledPostID: p.ID, ContentItemID: p.PostID,
			SocialAccountID: p.SocialAccountID, ReadAt: now, Metrics: crier.RawJSON[crier.Metrics](raw)}})
}

// storeReading stores a reading of a publication, and counts the publication if it was not counted before.
func (s *Analytics) storeReading(ctx context.Context, tx *store.Tx, publication crier.ID, at crier.Time,
	raw json.RawMessage) (stored bool, err error) {
	list, err := tx.Countables(ctx, []crier.ID{publication})
	if err != nil || len(list) == 0 {
		return false, err
	}
	location, err := zoneOf(list[0])
	if err != nil {
		return false, err
	}
	if _, err := s.count(ctx, tx, list); err != nil {
		return false, err
	}
	numbers, err := store.DecodeNumbers(raw)
	if err != nil {
		return false, err
	}
	return tx.AddReading(ctx, store.Reading{PublicationID: publication, At: at, Day: dayOf(at, location),
		Numbers: numbers, Raw: raw})
}

// read reads from the network; nil if it has no metrics or the account cannot be used.
func (s *Analytics) read(ctx context.Context, network provider.Provider, p store.Publication) (json.RawMessage, error) {
	meter := s.providers.Features(network).Meter
	account, err := s.store.Account(ctx, p.SocialAccountID)
	if err != nil || meter == nil || account.Status != crier.AccountConnected {
		return nil, err
	}
	may := s.providers.InfoFor(network, publish.NetworkAccount(account)).Abilities
	if hint := postHint(network, may); hint != nil {
		return nil, s.hint(ctx, account, hint)
	}
	var found map[string]provider.Metrics
	err = s.tokens.Call(ctx, account, func(client provider.Account) (err error) {
		found, err = meter.PostMetrics(s.quotas.Metered(ctx, account), client, []string{*p.PlatformPostID})
		return err
	})
	if err != nil {
		return nil, s.refused(ctx, account, err)
	}
	m, ok := found[*p.PlatformPostID]
	if !ok {
		return nil, nil
	}
	return json.Marshal(m)
}
