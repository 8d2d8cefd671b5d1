package provider

import (
	"context"
	"time"
)

// Reconciler is a network on which the outcome of a Commit whose answer was lost can be found out.
type Reconciler interface {
	// Strategy says how, for this account and this content.
	Strategy(a Account, c Content, st State) Strategy

	// Reconcile reads what the network knows about the attempt and publishes nothing. It is called under a strategy
	// ByReading. With OutcomePublished, the State is what Commit would have returned; with OutcomeAbsent it is one
	// from which Commit may be tried again; with OutcomePending, call again after NextPollAfter.
	Reconcile(ctx context.Context, a Account, c Content, st State, at Attempt) (Outcome, State, error)
}

// Resender is a network that recognises the repetition of a request and answers with the post that exists already.
type Resender interface {
	// Resend sends the very request of the lost attempt again, under a strategy ByResending. It can make the post
	// public if the first attempt did not, so it needs the same care as Commit: an attempt of its own, a fence, and
	// the window of the strategy. The result is as from Commit.
	Resend(ctx context.Context, a Account, c Content, st State) (State, error)
}

// Attempt is a Commit whose answer is missing.
type Attempt struct {
	StartedAt time.Time
	// Stale means that the State is older than the attempt, as after a restore: it does not know what was prepared for
	// the attempt, so that the absence of an upload or a container proves nothing.
	Stale bool
}

// Outcome is what reconciling found out.
type Outcome string

// The outcomes of reconciling.
const (
	OutcomePublished Outcome = "published"
	OutcomeAbsent    Outcome = "absent"
	OutcomePending   Outcome = "pending"
	OutcomeUnclear   Outcome = "unclear" // nothing can tell: a person has to look
)

// Method is a way to find out the outcome of an attempt.
type Method string

// The ways to find out the outcome of an attempt.
const (
	Impossible  Method = "impossible"
	ByReading   Method = "reading"   // call Reconcile
	ByResending Method = "resending" // call Resend, as a fenced attempt
)

// Strategy is how the outcome of an attempt can be found out. Times count from the start of the attempt.
type Strategy struct {
	Method Method
	// NotBefore is how long to wait at least: before that, what was published may not show yet.
	NotBefore time.Duration
	// NotAfter is when the way closes; zero means never.
	NotAfter time.Duration
	// Absences is how many readings in a row, Apart from each other, have to miss the post until OutcomeAbsent may be
	// believed.
	Absences int
	Apart    time.Duration
	// Scarce means that reading costs money or much of a quota: what is not there yet is not looked for again and
	// again.
	Scarce bool
}

// ReachesBack reports whether a list of the newest shows everything since a time: it has fewer entries than were asked
// for, or the last of them is older. What is missing in any other list may be there all the same. An old entry before
// the last one says nothing: networks show some first because somebody pinned or changed them.
func ReachesBack[T any](list []T, asked int, created func(T) time.Time, since time.Time) bool {
	return len(list) < asked || len(list) > 0 && created(list[len(list)-1]).Before(since)
}
