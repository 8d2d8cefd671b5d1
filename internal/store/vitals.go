package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"crier"
)

// Vitals are the metrics that alerts are based on. All are counted by partial indexes and up to a limit, so that
// reading them costs the same on every installation.
type Vitals struct {
	// Due counts the posts whose time has come and that are not done, OldestDue is when the oldest of them was due, by
	// network. OldestDue ignores posts that wait for their account to be reconnected.
	Due       map[crier.Provider]int64
	OldestDue map[crier.Provider]crier.Time
	// ReadySince is since when a publication has been ready without being taken by a worker; zero if there is none.
	ReadySince crier.Time
	Unhealthy  map[UnhealthyAccounts]int64
	// FailingWebhooks are retried; DeadWebhooks were disabled because they failed for too long or are gone.
	FailingWebhooks, DeadWebhooks int64
}

// UnhealthyAccounts are the accounts of a network with the same problem.
type UnhealthyAccounts struct {
	Provider crier.Provider
	Issue    string
}

// Vitals reads the metrics that alerts are based on.
func (s *Store) Vitals(ctx context.Context, now time.Time) (Vitals, error) {
	v := Vitals{Due: map[crier.Provider]int64{}, OldestDue: map[crier.Provider]crier.Time{},
		Unhealthy: map[UnhealthyAccounts]int64{}}
	if err := s.q.Ask(ctx, vitalsQuestions(&v, crier.TimeOf(now))...); err != nil {
		return Vitals{}, fmt.Errorf("read vitals: %w", err)
	}
	return v, nil
}

func vitalsQuestions(v *Vitals, now crier.Time) []question {
	return []question{dueQuestion(v, now), oldestDueQuestion(v, now), readyQuestion(v, now), unhealthyQuestion(v),
		failingQuestion(v)}
}

func dueQuestion(v *Vitals, now crier.Time) question {
	return newQuestion(`SELECT d.provider, count(*) FROM (SELECT p.provider FROM publications p
			WHERE p.kind = 'post' AND p.wake_at IS NOT NULL AND p.wake_at <= $1 AND p.scheduled_at <= $1 LIMIT $2) AS d
		GROUP BY d.provider`, []any{now, maxCounted},
		func(row scanner) error {
			var network crier.Provider
			var n int64
			err := row.Scan(&network, &n)
			v.Due[network] = n
			return err
		})
}

// maxLookedThrough is how many old posts of a network are searched for one that can still be published.
const maxLookedThrough = 1_000

// oldestDueQuestion reads the oldest due post of each network. An aggregate of a time would lose its type on SQLite, so
// rows are selected by id.
func oldestDueQuestion(v *Vitals, now crier.Time) question {
	networks := crier.Providers()
	oldest, args := make([]string, len(networks)), []any{now, maxLookedThrough}
	for i, network := range networks {
		args = append(args, network)
		oldest[i] = fmt.Sprintf(`(SELECT o.id FROM (SELECT p.id, p.scheduled_at, p.wake_at, p.status, p.error_code
				FROM publications p WHERE p.kind = 'post' AND p.live AND p.provider = $%d AND p.scheduled_at <= $1
				ORDER BY p.scheduled_at LIMIT $2) AS o
			WHERE o.wake_at IS NOT NULL AND o.status <> 'unknown' AND (o.error_code IS NULL OR o.error_code NOT IN
				(`+waitsForAccount+`)) ORDER BY o.scheduled_at LIMIT 1)`, len(args))
	}
	return newQuestion(`SELECT p.provider, p.scheduled_at FROM publications p WHERE p.id IN (`+
		strings.Join(oldest, ", ")+`)`, args,
		func(row scanner) error {
			var network crier.Provider
			var due crier.Time
			err := row.Scan(&network, &due)
			v.OldestDue[network] = due
			return err
		})
}

func readyQuestion(v *Vitals, now crier.Time) question {
	return newQuestion(`SELECT p.wake_at FROM publications p WHERE p.wake_at IS NOT NULL AND p.wake_at <= $1
		AND (p.lease_owner IS NULL OR p.lease_until <= $1) ORDER BY p.wake_at LIMIT 1`, []any{now},
		func(row scanner) error { return row.Scan(&v.ReadySince) })
}

func unhealthyQuestion(v *Vitals) question {
	return newQuestion(`SELECT u.provider, u.health_issue, count(*) FROM (SELECT a.provider, a.health_issue
			FROM social_accounts a WHERE a.health_issue IS NOT NULL AND a.status IN ('connected', 'refresh_needed')
			LIMIT $1) AS u
		GROUP BY u.provider, u.health_issue`, []any{maxCounted},
		func(row scanner) error {
			var u UnhealthyAccounts
			var n int64
			err := row.Scan(&u.Provider, &u.Issue, &n)
			v.Unhealthy[u] = n
			return err
		})
}

func failingQuestion(v *Vitals) question {
	return newQuestion(`SELECT f.status, count(*) FROM (SELECT w.status FROM webhooks w
			WHERE w.failing_since IS NOT NULL LIMIT $1) AS f GROUP BY f.status`, []any{maxCounted},
		func(row scanner) error {
			var status crier.WebhookStatus
			var n int64
			err := row.Scan(&status, &n)
			if status == crier.WebhookDisabledStatus {
				v.DeadWebhooks = n
			} else {
				v.FailingWebhooks = n
			}
			return err
		})
}
