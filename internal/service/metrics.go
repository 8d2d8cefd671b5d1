package service

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

// snapshotTimes are when the numbers of a post are read, counted from its publication: often while it is young.
var snapshotTimes = []time.Duration{
	time.Hour, 6 * time.Hour, 24 * time.Hour, 3 * 24 * time.Hour, 7 * 24 * time.Hour, 14 * 24 * time.Hour, 30 * 24 * time.Hour,
}

const (
	maxSnapshots = 50
	// maxAnalyticsDays bounds the time that live analytics are asked for.
	maxAnalyticsDays = 366
)

// Metrics are the rules of numbers: stored ones of posts, live ones of accounts.
type Metrics struct {
	*core
	tokens *Tokens
}

// Post returns the stored numbers of a post.
func (s *Metrics) Post(ctx context.Context, scope TeamScope, post crier.ID) (crier.PostMetrics, error) {
	out := crier.PostMetrics{Data: []crier.PublicationMetrics{}}
	if err := scope.check(); err != nil {
		return out, err
	}
	if _, err := s.store.Post(ctx, scope.team.ID, post, false); err != nil {
		return out, err
	}
	published, err := s.store.PublishedOf(ctx, scope.team.ID, post)
	if err != nil {
		return out, err
	}
	for _, p := range published {
		snapshots, err := s.store.Metrics(ctx, p.ID, maxSnapshots)
		if err != nil {
			return out, err
		}
		out.Data = append(out.Data, crier.PublicationMetrics{
			ScheduledPostID: p.ID, SocialAccountID: p.SocialAccountID, Provider: p.Provider, PlatformPostID: text(p.PlatformPostID),
			PublishedAt: *p.PublishedAt, Snapshots: snapshots,
		})
	}
	return out, nil
}

// snapshotJob is the next reading of a publication's numbers; ok is false after the last.
func snapshotJob(p store.Publication, round int) (Job, bool) {
	if round >= len(snapshotTimes) || p.PublishedAt == nil {
		return Job{}, false
	}
	return Job{Args: SnapshotJob{ScheduledPostID: p.ID, Round: round}, At: p.PublishedAt.Add(snapshotTimes[round])}, true
}

// Snapshot reads the numbers of a publication once and plans the next reading. It is a job: it takes no scope.
func (s *Metrics) Snapshot(ctx context.Context, job SnapshotJob) error {
	p, err := s.store.Publication(ctx, store.Ref{ID: job.ScheduledPostID})
	if err != nil {
		if isNotFound(err) {
			return nil
		}
		return err
	}
	if gone, err := s.store.PostGone(ctx, p.PostID); err != nil || gone || p.Status != crier.Published || p.PlatformPostID == nil {
		return err
	}
	numbers, err := s.read(ctx, p)
	if err != nil {
		return err
	}
	return s.store.WithTx(ctx, func(tx *store.Tx) error {
		if numbers != nil {
			if err := tx.InsertMetrics(ctx, p.ID, s.now(), numbers); err != nil {
				return err
			}
		}
		next, ok := snapshotJob(p, job.Round+1)
		if !ok {
			return nil
		}
		return s.queue.Enqueue(ctx, tx, next)
	})
}

// read asks the network; nil when it does not tell or the account cannot be used.
func (s *Metrics) read(ctx context.Context, p store.Publication) (json.RawMessage, error) {
	network, ok := s.providers.Get(string(p.Provider))
	if !ok {
		return nil, nil
	}
	meter := s.providers.Features(network).Meter
	account, err := s.store.Account(ctx, p.SocialAccountID)
	if err != nil || meter == nil || account.Status != crier.AccountConnected {
		return nil, err
	}
	client, err := s.tokens.For(ctx, account)
	if err != nil {
		return nil, refusedQuietly(err)
	}
	found, err := meter.PostMetrics(s.metered(ctx, account), client, []string{*p.PlatformPostID})
	if err != nil {
		return nil, refusedQuietly(err)
	}
	m, ok := found[*p.PlatformPostID]
	if !ok {
		return nil, nil
	}
	return json.Marshal(m)
}

// refusedQuietly drops errors that trying again does not mend: the next reading may fare better.
func refusedQuietly(err error) error {
	if kind := provider.AsError(err).Kind; kind == provider.Temporary || kind == provider.RateLimited {
		return err
	}
	return nil
}

// Account reads live numbers of an account. It costs credits where the network charges; a failed reading costs nothing.
func (s *Metrics) Account(ctx context.Context, scope TeamScope, id crier.ID, from, to crier.Time) (crier.AccountAnalytics, error) {
	var none crier.AccountAnalytics
	if err := scope.check(); err != nil {
		return none, err
	}
	a, err := s.store.SocialAccount(ctx, scope.team.ID, id)
	if err != nil {
		return none, err
	}
	network, ok := s.providers.Get(string(a.Provider))
	meter := s.providers.Features(network).AccountMeter
	if !ok || meter == nil {
		return none, crier.Conflict("%s does not tell numbers of accounts.", a.Provider)
	}
	if a.Status != crier.AccountConnected {
		return none, crier.Conflict("The account is %s. Connect it first.", a.Status)
	}
	cost := network.Info().Cost(provider.CostAccountMetrics)
	if err := s.pay(ctx, scope.team.OrganizationID, cost, s.afford); err != nil {
		return none, err
	}
	numbers, err := s.readAccount(ctx, meter, a, from, to)
	if err != nil {
		return none, err
	}
	// Paid for afterwards: a process that dies in between leaves nothing reserved that nobody would hand back.
	if err := s.pay(context.WithoutCancel(ctx), scope.team.OrganizationID, cost, s.spend); err != nil {
		return none, err
	}
	return crier.AccountAnalytics{SocialAccountID: id, Provider: a.Provider, From: from, To: to, CreditCost: cost, Metrics: numbers}, nil
}

// pay does something about the credits that a reading costs, if it costs any.
func (s *Metrics) pay(ctx context.Context, organization crier.ID, cost int64, do func(context.Context, *store.Tx, crier.ID, int64) error) error {
	if cost == 0 {
		return nil
	}
	return s.store.WithTx(ctx, func(tx *store.Tx) error { return do(ctx, tx, organization, cost) })
}

// spend takes credits for what has happened already.
func (s *Metrics) spend(ctx context.Context, tx *store.Tx, organization crier.ID, cost int64) error {
	if err := s.reserve(ctx, tx, organization, cost, nil); err != nil {
		return err
	}
	return tx.AddCredits(ctx, s.booked(organization, "capture", -cost, -cost, nil)...)
}

func (s *Metrics) readAccount(ctx context.Context, meter provider.AccountMeter, a store.Account, from, to crier.Time) (json.RawMessage, error) {
	client, err := s.tokens.For(ctx, a)
	if err == nil {
		var m provider.AccountMetrics
		if m, err = meter.AccountMetrics(s.metered(ctx, a), client, from.Time, to.Time); err == nil {
			return json.Marshal(m)
		}
	}
	failure := provider.AsError(err)
	if failure.Kind == provider.RateLimited {
		return nil, crier.TooManyRequests("The network limits how often it is asked: %s", failure.Message)
	}
	return nil, crier.Conflict("The network did not tell its numbers (%s): %s", failure.Code, failure.Message)
}

// CheckWindow says what is wrong with the time that analytics are asked for.
func (s *Metrics) CheckWindow(from, to crier.Time) []crier.Issue {
	if !from.Before(to.Time) {
		return []crier.Issue{crier.At("must be before to", "from")}
	}
	if to.Sub(from.Time) > maxAnalyticsDays*24*time.Hour {
		return []crier.Issue{crier.At(fmt.Sprintf("the time may be at most %d days long", maxAnalyticsDays), "to")}
	}
	return nil
}
