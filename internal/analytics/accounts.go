package analytics

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"time"

	"crier"
	"crier/internal/job"
	"crier/internal/ledger"
	"crier/internal/provider"
	"crier/internal/publish"
	"crier/internal/store"
)

const (
	// planBatch is the number of accounts per batch.
	planBatch = 100
	// minPause is the minimum time between two daily readings of an account.
	minPause = 6 * time.Hour
	// tryFor is how long a failed reading is retried: the next day has its own.
	tryFor = 12 * time.Hour
	// An account on the sandbox is read every minute while it is new, then every hour, so that the charts of somebody
	// who tries out crier are not empty.
	youngSandbox = 15 * time.Minute
	// justConnected is how long after connecting the first reading of an account is made at once.
	justConnected = time.Hour
	// catchUp is the period over which readings are spread whose minute passed more than onTime ago: after an update or
	// a downtime they would all be due at once.
	catchUp = 2 * time.Hour
	onTime  = 10 * time.Minute
)

// PlanAccounts enqueues the readings of accounts that are due, and reports whether there may be more.
func (s *Analytics) PlanAccounts(ctx context.Context) (more bool, err error) {
	now := s.clock.Now()
	due, err := s.store.AccountsToRead(ctx, now, planBatch)
	if err != nil {
		return false, err
	}
	for _, id := range due {
		if err := s.planAccount(ctx, id, now); err != nil {
			return false, err
		}
	}
	return len(due) == planBatch, nil
}

func (s *Analytics) planAccount(ctx context.Context, id crier.ID, now crier.Time) error {
	return s.store.WithTx(ctx, func(tx *store.Tx) error {
		a, err := tx.Account(ctx, id)
		if err != nil {
			return err
		}
		at := dueRead(a, now)
		planned, err := tx.PlanAccountRead(ctx, id, now, nextRead(a, at))
		if err != nil || !planned {
			return err
		}
		return s.queue.Enqueue(ctx, tx, job.Job{At: at.Time, Args: job.AccountSnapshot{SocialAccountID: id,
			Provider: a.Provider, Before: crier.TimeOf(at.Add(tryFor)), TeamID: a.TeamID}})
	})
}

// dueRead returns when a due account is read: at once, unless its minute of the day passed long ago.
func dueRead(a store.Account, now crier.Time) crier.Time {
	if a.Sandbox || now.Sub(a.ConnectedAt.Time) < justConnected {
		return now
	}
	minute := minuteOf(a.ID)
	late := now.Sub(now.UTC().Truncate(24*time.Hour).Add(minute)) % (24 * time.Hour)
	if late < 0 {
		late += 24 * time.Hour
	}
	if late < onTime {
		return now
	}
	return crier.TimeOf(now.Add(minute % catchUp))
}

// minuteOf returns the minute of the day, UTC, at which an account is read. It is derived from the account's id, so
// that the accounts of an installation are spread over the day.
func minuteOf(account crier.ID) time.Duration {
	h := fnv.New64a()
	_, _ = h.Write([]byte(account))
	return time.Duration(binary.BigEndian.Uint64(h.Sum(nil))%(24*60)) * time.Minute
}

// nextRead returns when an account is read after a reading at now.
func nextRead(a store.Account, now crier.Time) crier.Time {
	if a.Sandbox {
		if now.Sub(a.ConnectedAt.Time) < youngSandbox {
			return crier.TimeOf(now.Add(time.Minute))
		}
		return crier.TimeOf(now.Add(time.Hour))
	}
	next := now.UTC().Truncate(24 * time.Hour).Add(minuteOf(a.ID))
	for next.Sub(now.Time) < minPause {
		next = next.Add(24 * time.Hour)
	}
	return crier.TimeOf(next)
}

// AccountSnapshot reads the metrics of an account: its current followers, and yesterday's activity. It runs as a job
// and takes no scope.
func (s *Analytics) AccountSnapshot(ctx context.Context, job job.AccountSnapshot) error {
	now := s.clock.Now()
	a, err := s.store.Account(ctx, job.SocialAccountID)
	if crier.IsKind(err, crier.KindNotFound) {
		return nil
	}
	if err != nil || a.Status != crier.AccountConnected || now.After(job.Before.Time) {
		return err
	}
	network, ok := s.providers.Get(string(a.Provider))
	meter := s.providers.Features(network).AccountMeter
	if !ok || meter == nil {
		return nil
	}
	may := s.providers.InfoFor(network, publish.NetworkAccount(a)).Abilities
	if !may.AccountMetrics {
		return s.hint(ctx, a, &noAccountMetrics)
	}
	team, err := s.store.Team(ctx, a.TeamID)
	if crier.IsKind(err, crier.KindNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	cost := network.Info().Cost(provider.CostAccountMetrics)
	if may, err := s.mayRead(ctx, team.OrganizationID, cost); err != nil || !may {
		return err
	}
	location, err := crier.Zone(teamZone(team.Timezone)).Location()
	if err != nil {
		return err
	}
	today := dayOf(now, location)
	m, err := s.fetchAccount(ctx, meter, a, startOf(today-1, location), startOf(today, location))
	if err != nil {
		err = s.refused(ctx, a, err)
		if s.tryAgain(err).After(job.Before.Time) { // the next day has its own
			err = nil
		}
		return err
	}
	return s.store.WithTx(ctx, func(tx *store.Tx) error {
		charge := ledger.Charge{Organization: team.OrganizationID, Amount: cost, At: now}
		if err := tx.AddCredits(ctx, ledger.Spent(charge)...); err != nil {
			return err
		}
		if err := tx.SetMetricsHint(ctx, a.ID, postHint(network, may)); err != nil {
			return err
		}
		return putAccount(ctx, tx, a, today, now, m)
	})
}

// putAccount stores the totals under the day of the reading, and the rest under the day before, which is complete.
func putAccount(ctx context.Context, tx *store.Tx, a store.Account, today int64, now crier.Time,
	m provider.AccountMetrics) error {
	day := store.AccountDay{SocialAccountID: a.ID, TeamID: a.TeamID, Provider: a.Provider, ReadAt: now}
	yesterday := day
	yesterday.Day, yesterday.Views, yesterday.Reach, yesterday.Engagements = today-1, m.Impressions, m.Reach,
		m.Engagements
	day.Day, day.Followers, day.Following, day.Posts = today, m.Followers, m.Following, m.Posts
	if m.Impressions != nil || m.Reach != nil || m.Engagements != nil {
		if err := tx.PutAccountDay(ctx, yesterday); err != nil {
			return err
		}
	}
	return tx.PutAccountDay(ctx, day)
}

// Why the metrics of an account, or of its posts, cannot be read.
var (
	noAccountMetrics = "The connection does not allow reading the account's metrics. Connect the account again and " +
		"grant the permission for insights, if its kind has any."
	noPostMetrics = "The connection does not allow reading the metrics of posts. Connect the account again and grant " +
		"the permission for insights, if its kind has any."
)

// postHint returns the hint for an account whose connection does not allow reading the metrics of posts, although its
// network has them.
func postHint(network provider.Provider, may provider.Abilities) *string {
	if may.PostMetrics || !network.Info().Abilities.PostMetrics {
		return nil
	}
	return &noPostMetrics
}

// refused handles a failed reading. A missing permission becomes a hint to people; a temporary error is retried later.
func (s *Analytics) refused(ctx context.Context, a store.Account, err error) error {
	failure := provider.AsError(err)
	switch {
	case failure.Code == provider.CodePermissionMissing:
		hint := "The network refuses to report metrics: " + failure.Message
		return s.hint(ctx, a, &hint)
	case failure.Kind == provider.Temporary || failure.Kind == provider.RateLimited:
		return &Later{After: max(failure.RetryAfter, retryPause), Reason: failure}
	}
	return nil // retrying does not help: the next reading may succeed
}

// retryPause is how long to wait for a network that is unavailable or whose quota is used up.
const retryPause = 10 * time.Minute

// Later means that a reading failed temporarily and has to be retried. It is not a failure of crier.
type Later struct {
	After  time.Duration
	Reason error
}

// Error returns the reason.
func (l *Later) Error() string { return fmt.Sprintf("read again in %s: %v", l.After, l.Reason) }

// Unwrap returns the reason.
func (l *Later) Unwrap() error { return l.Reason }

func (s *Analytics) hint(ctx context.Context, a store.Account, hint *string) error {
	return s.store.WithTx(ctx, func(tx *store.Tx) error { return tx.SetMetricsHint(ctx, a.ID, hint) })
}
