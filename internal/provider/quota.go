package provider

import (
	"context"
	"fmt"
	"time"
)

// Use is how much of a limit was used up around a time.
type Use struct {
	At    time.Time `json:"at"`
	Units int64     `json:"units"`
}

// windowPieces is into how many pieces a sliding window is cut: what was used within one piece is remembered as one
// use.
const windowPieces = 60

// Take enters a use at a time behind those before, and forgets what no longer counts. When the limit has no room for
// it, ok is false and free is when it will have.
func (l RateLimit) Take(uses []Use, at time.Time, units int64) (kept []Use, free time.Time, ok bool) {
	kept, used := l.counting(uses, at)
	if used+units > l.Max {
		return kept, l.freeAt(kept, at, used+units-l.Max), false
	}
	piece := l.pieceOf(at)
	if n := len(kept); n > 0 && kept[n-1].At.Equal(piece) {
		kept[n-1].Units += units
		return kept, at, true
	}
	return append(kept, Use{At: piece, Units: units}), at, true
}

// Used returns how much of the limit is used up at a time.
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

// freeAt returns when so many units will have been given back.
func (l RateLimit) freeAt(kept []Use, at time.Time, missing int64) time.Time {
	for _, u := range kept {
		if missing -= u.Units; missing <= 0 {
			return l.endOf(u)
		}
	}
	return l.endOf(Use{At: l.pieceOf(at)}) // it never fits: look again when everything is free
}

// endOf returns when a use stops to count. Of a sliding window all of a piece is taken to have been used at its end.
func (l RateLimit) endOf(u Use) time.Time {
	if l.ResetZone == "" {
		return u.At.Add(l.window() + l.piece())
	}
	_, end := l.Day(u.At)
	return end
}

// Day returns the day of a limit that begins anew at midnight: from when to when it counts what is used at a time.
func (l RateLimit) Day(at time.Time) (from, to time.Time) {
	zone, err := time.LoadLocation(l.ResetZone)
	if err != nil {
		zone = time.UTC // the registry refuses zones that do not exist
	}
	y, m, d := at.In(zone).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, zone), time.Date(y, m, d+1, 0, 0, 0, 0, zone)
}

func (l RateLimit) window() time.Duration { return time.Duration(l.Seconds) * time.Second }

func (l RateLimit) piece() time.Duration { return max(time.Second, l.window()/windowPieces) }

func (l RateLimit) pieceOf(at time.Time) time.Time {
	if l.ResetZone == "" {
		return at.UTC().Truncate(l.piece())
	}
	from, _ := l.Day(at)
	return from.UTC()
}

// Exhausted returns the error of a call that was not made because a limit has no room for it until a time.
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

// WithGate has every request that is made under the context ask before it leaves. What the gate returns is returned in
// place of an answer: nothing was sent.
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
