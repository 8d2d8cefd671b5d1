package provider

import (
	"context"
	"html"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// Reconciler is a network on which the outcome of a Commit without a response can be determined.
type Reconciler interface {
	// Strategy returns how to do so for this account and content.
	Strategy(a Account, c Content, st State) Strategy

	// Reconcile reads what the network knows about the attempt and publishes nothing. It is called under a strategy
	// ByReading. With OutcomePublished, the State is what Commit would have returned; with OutcomeAbsent it is one from
	// which Commit may be retried; with OutcomePending, call again after NextPollAfter.
	Reconcile(ctx context.Context, a Account, c Content, st State, at Attempt) (Outcome, State, error)
}

// Matcher is a network whose lookups recognize a post by something else than the texts of its parts.
type Matcher interface {
	// Matches reports whether Reconcile could take the post of another content of the account for the wanted one. The
	// media of the other one have ids alone.
	Matches(wanted, other Content) bool
}

// SameText reports whether a text is the one that a network shows, or that of another post which a network would show
// like it. It is the only comparison of texts, so that a lookup and the search for posts that it mixes up agree.
// Networks change white space, compose characters and escape HTML; whatever else one changes, it undoes before.
func SameText(a, b string) bool { return slices.Equal(words(a), words(b)) }

// words returns the words of a text: unescaped until nothing is escaped, because some texts are written with escapes
// and escaped once more by the network, and others are not.
func words(text string) []string {
	for plain := html.UnescapeString(text); plain != text; plain = html.UnescapeString(text) {
		text = plain
	}
	return strings.Fields(norm.NFC.String(text))
}

// Resender is a network that recognizes a repeated request and responds with the existing post.
type Resender interface {
	// Resend sends the identical request of the lost attempt again, under a strategy ByResending. It publishes the post
	// if the first attempt did not, so it needs the same care as Commit: its own attempt, a fence, and the window of
	// the strategy. The result is that of Commit.
	Resend(ctx context.Context, a Account, c Content, st State) (State, error)
}

// Attempt is a Commit without a response.
type Attempt struct {
	StartedAt time.Time
	// Stale means that the State is older than the attempt, as after a restore: it does not know what was prepared for
	// the attempt, so a missing upload or container proves nothing.
	Stale bool
	// Taken are the ids of posts that belong to other publications of the account, which may look the same.
	Taken map[string]bool
}

// MayBe reports whether the post with an id may be that of the attempt.
func (a Attempt) MayBe(id string) bool { return !a.Taken[id] }

// Outcome is the result of reconciling.
type Outcome string

// The outcomes of reconciling.
const (
	OutcomePublished Outcome = "published"
	OutcomeAbsent    Outcome = "absent"
	OutcomePending   Outcome = "pending"
	OutcomeUnclear   Outcome = "unclear" // cannot be determined: a person has to check
)

// Method is a way to determine the outcome of an attempt.
type Method string

// The ways to determine the outcome of an attempt.
const (
	Impossible  Method = "impossible"
	ByReading   Method = "reading"   // call Reconcile
	ByResending Method = "resending" // call Resend, as a fenced attempt
)

// Strategy is how to determine the outcome of an attempt. Times count from the start of the attempt.
type Strategy struct {
	Method Method
	// NotBefore is the minimum wait: before that, a published post may not be visible yet.
	NotBefore time.Duration
	// NotAfter is when the method stops working; zero means never.
	NotAfter time.Duration
	// Absences is the number of consecutive readings, Apart from each other, that have to miss the post before
	// OutcomeAbsent is trusted.
	Absences int
	Apart    time.Duration
	// Scarce means that reading costs money or much of a quota, so it is not repeated while the post is not visible.
	Scarce bool
}

// ReachesBack reports whether a list of the newest entries is complete since a time: it has fewer entries than were
// requested, or the last one is older. An entry missing in any other list may still exist. An old entry before the last
// one proves nothing: networks show pinned or changed entries first.
func ReachesBack[T any](list []T, asked int, created func(T) time.Time, since time.Time) bool {
	return len(list) < asked || len(list) > 0 && created(list[len(list)-1]).Before(since)
}
