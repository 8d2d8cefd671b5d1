package youtube

import (
	"sync"
	"time"
	_ "time/tzdata" // quotas reset at midnight in California, even on machines without a zone database

	"crier/internal/sandbox/sim"
)

// bucket is a separate quota.
type bucket string

// The buckets of a project.
const (
	insertBucket bucket = "videos.insert"
	statsBucket  bucket = "videos.batchGetStats"
	unitBucket   bucket = "units"
)

// dailyQuota is the daily quota of a project.
var dailyQuota = map[bucket]int{insertBucket: 100, statsBucket: 10_000, unitBucket: 10_000}

// quota counts what the project has used today. It is in memory only: a restart resets it.
type quota struct {
	now    func() time.Time
	zone   *time.Location
	factor int

	mu   sync.Mutex
	day  string
	used map[bucket]int
}

func newQuota(options sim.Options) *quota {
	zone, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		options.Logger.Warn("sandbox knows no Pacific time, quotas end at midnight of its winter", "error", err)
		zone = time.FixedZone("PST", -8*60*60)
	}
	return &quota{now: options.Now, zone: zone, factor: options.LimitFactor, used: map[bucket]int{}}
}

// spend charges a call's cost to its bucket; it reports false if the rest is too small.
func (q *quota) spend(b bucket, cost int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if today := q.now().In(q.zone).Format(time.DateOnly); today != q.day {
		q.day = today
		clear(q.used)
	}
	if q.used[b]+cost > dailyQuota[b]*q.factor {
		return false
	}
	q.used[b] += cost
	return true
}
