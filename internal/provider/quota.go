package provider

import (
	"context"
	"fmt"
	"time"
)

// Use is how much of a limit was used around a time.
type Use struct {
	At    time.Time `json:"at"`
	Units int64     `json:"units"`
}

// windowBuckets is the number of buckets of a sliding window: everything used within a bucket is stored as one use.
const windowBuckets = 60

// Take records a use at a time after the previous ones, and drops those that no longer count. If the limit has no room
// for it, ok is false and free is when it will.
func (l RateLimit) Take(uses []Use, at time.Time, units int64) (kept []Use, free time.Time, ok bool) {
	kept, used := l.counting(uses, at)
	if used+units > l.Max {
		return kept, l.freeAt(kept, at, used+units-l.Max), false
	}
	bucket := l.bucketOf(at)
	if n := len(kept); n > 0 && kept[n-1].At.Equal(bucket) {
		kept[n-1].Units += units
		return kept, at, true
	}
	return append(kept, Use{At: bucket, Units: units}), at, true
}

// Used returns how much of the limit is used at a time.
func (l RateLimit) Used(uses []Use, at time.Time) int64 {
	_, used := l.counting(uses, at)
	return used
}

// counting returns the uses that still count at a time, and their sum.
func (l RateLimit) counting(uses []Use, at time.Time) (kept []Use, used int64) {
	for _, u := range uses {
		if l.endOf(u).After(at) {
			kept = append(kept, u)
			used += u.Units
		}
	}
	return kept, used
}

// freeAt returns when the missing units will be free.
func (l RateLimit) freeAt(kept []Use, at time.Time, missing int64) time.Time {
	for _, u := range kept {
		if missing -= u.Units; missing <= 0 {
			return l.endOf(u)
		}
	}
	return l.endOf(Use{At: l.bucketOf(at)}) // it never fits: check again when everything is free
}

// endOf returns when a use stops counting. In a sliding window, a whole bucket counts as used at its end.
func (l RateLimit) endOf(u Use) time.Time {
	if l.ResetZone == "" {
		return u.At.Add(l.window() + l.bucket())
	}
	_, end := l.Day(u.At)
	return end
}

// Day returns the day of a limit that resets at midnight: the period that contains a time.
func (l RateLimit) Day(at time.Time) (from, to time.Time) {
	zone, err := time.LoadLocation(l.ResetZone)
	if err != nil {
		zone = time.UTC // the registry rejects unknown zones
	}
	y, m, d := at.In(zone).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, zone), time.Date(y, m, d+1, 0, 0, 0, 0, zone)
}

func (l RateLimit) window() time.Duration { return time.Duration(l.Seconds) * time.Second }

func (l RateLimit) bucket() time.Duration { return max(time.Second, l.window()/windowBuckets) }

func (l RateLimit) bucketOf(at time.Time) time.Time {
	if l.ResetZone == "" {
		return at.UTC().Truncate(l.bucket())
	}
	from, _ := l.Day(at)
	return from.UTC()
}

// Exhausted returns the error of a call that was not made because a limit has no room for it until free.
func (l RateLimit) Exhausted(now, free time.Time) *Error {
	code := CodeRateLimited
	if l.ResetZone != "" {
		code = CodeQuotaExhausted
	}
	return &Error{
		Kind: RateLimited, Code: code, Scope: l.Scope, RetryAfter: max(free.Sub(now), time.Second),
		Message: fmt.Sprintf("the network allows %d %s, and they are used up", l.Max, l.Name),
	}
}

type gateKey struct{}

// WithGate makes every request under the context call gate before it is sent. An error of the gate is returned instead
// of a response: nothing was sent.
func WithGate(ctx context.Context, gate func(context.Context, Operation) *Error) context.Context {
	return context.WithValue(ctx, gateKey{}, gate)
}

func passGate(ctx context.Context, op Operation) *Error {
	gate, ok := ctx.Value(gateKey{}).(func(context.Context, Operation) *Error)
	if !ok {
		return nil
	}
	return gate(ctx, op)
}
