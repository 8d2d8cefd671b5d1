package youtube

import (
	"sync"
	"time"
	_ "time/tzdata" // quotas end at midnight in California, on machines without a zone database too

	"crier/internal/sandbox/sim"
)

// bucket is a quota of its own.
type bucket string

// The buckets of a project.
const (
	insertBucket bucket = "videos.insert"
	statsBucket  bucket = "videos.batchGetStats"
	unitBucket   bucket = "units"
)

// dailyQuota is what a project has a day.
var dailyQuota = map[bucket]int{insertBucket: 100, statsBucket: 10_000, unitBucket: 10_000}

// quota counts what the project has used today. It lives in memory only: a restart begins anew.
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

// spend takes a call's cost from its bucket; false means that it does not hold so much.
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
