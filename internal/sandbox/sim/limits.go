package sim

import (
	"sync"
	"time"
)

// Limits counts calls in fixed windows. It is in memory only: a restart opens new windows.
type Limits struct {
	now    func() time.Time
	factor int

	mu      sync.Mutex
	windows map[string]window
}

type window struct {
	used int
	ends time.Time
}

func newLimits(now func() time.Time, factor int) *Limits {
	return &Limits{now: now, factor: factor, windows: map[string]window{}}
}

// Usage is the use of a limit.
type Usage struct {
	Limit     int
	Remaining int
	Reset     time.Time
	// Exceeded is set if the call exceeded the limit; it was not counted.
	Exceeded bool
}

// windowsKept is the number of open windows above which closed ones are removed.
const windowsKept = 10_000

// Take counts one call against the limit of a key. Limits are the network's own, times the sandbox's factor. Windows
// start with the first call, or at multiples of the length if aligned is set (a calendar day of 24 hours).
func (l *Limits) Take(key string, limit int, length time.Duration, aligned bool) Usage {
	limit *= l.factor
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	w, ok := l.windows[key]
	if !ok || !now.Before(w.ends) {
		if len(l.windows) >= windowsKept {
			l.sweep(now)
		}
		w = window{ends: now.Add(length)}
		if aligned {
			w.ends = now.Truncate(length).Add(length)
		}
	}
	u := Usage{Limit: limit, Reset: w.ends, Exceeded: w.used >= limit}
	if !u.Exceeded {
		w.used++
	}
	u.Remaining = limit - w.used
	l.windows[key] = w
	return u
}

func (l *Limits) sweep(now time.Time) {
	for key, w := range l.windows {
		if !now.Before(w.ends) {
			delete(l.windows, key)
		}
	}
}
