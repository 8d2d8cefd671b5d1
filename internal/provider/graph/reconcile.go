package graph

import (
	"context"
	"strconv"
	"time"

	"crier/internal/provider"
)

// Notes in the State about an attempt without a response.
const (
	// noteSuspect is when the first attempt started that was not found to have succeeded.
	noteSuspect = "suspectSince"
	// notePublished means that the container was published; only the id of the post is missing.
	notePublished = "containerPublished"
	// noteUntold means that the container gives no information: the list of posts has to be read.
	noteUntold = "containerUntold"
	// noteListings counts how often the post was searched in the list.
	noteListings = "listings"
)

const (
	// maxListings is how often a post that is known to be public is searched.
	maxListings = 6
	// listingPause is the pause between two searches.
	listingPause = 10 * time.Second
	// ReadBack is how far before the attempt lists are searched: clocks differ.
	ReadBack = 30 * time.Second
)

// Strategy returns how to determine the outcome of a lost attempt: by the container, whose status says whether it was
// published.
func Strategy() provider.Strategy {
	return provider.Strategy{Method: provider.ByReading, NotBefore: 10 * time.Second, Absences: 2,
		Apart: 30 * time.Second}
}

// Since returns when the first attempt started that may have succeeded.
func Since(st provider.State, at provider.Attempt) time.Time {
	if suspect, err := time.Parse(time.RFC3339, st.Data[noteSuspect]); err == nil && suspect.Before(at.StartedAt) {
		return suspect
	}
	return at.StartedAt
}

// Suspect records that an attempt was not found, in case it turns out later that it had succeeded.
func Suspect(st *provider.State, since time.Time) {
	st.Note(noteSuspect, since.UTC().Format(time.RFC3339))
}

// IsSuspect reports whether an earlier attempt may have succeeded.
func IsSuspect(st provider.State) bool { return st.Data[noteSuspect] != "" }

// Settled drops the notes about lost attempts, once the post is known to be public.
func Settled(st *provider.State) {
	for _, note := range []string{noteSuspect, notePublished, noteUntold, noteListings, noteRefusals} {
		delete(st.Data, note)
	}
	if len(st.Data) == 0 {
		st.Data = nil
	}
}

// NeedsListing reports whether the container gives no more information, and the list of posts has to be read.
func NeedsListing(st provider.State) bool {
	return st.Data[notePublished] != "" || st.Data[noteUntold] != ""
}

// Outcome reads the container of the lost attempt. If it was published, or gives no information, the outcome is pending
// and the list of posts is next.
func (k Containers) Outcome(ctx context.Context, a provider.Account, st *provider.State,
	at provider.Attempt) (provider.Outcome, error) {
	if at.Stale { // the attempt may have had another container
		st.Note(noteUntold, "true")
		st.NextPollAfter = k.Now().UTC()
		return provider.OutcomePending, nil
	}
	u := st.Upload(st.NextPart(), Whole)
	if u == nil || u.ID == "" {
		return provider.OutcomeAbsent, nil // without a container nothing can have been published
	}
	status, err := k.Read(ctx, a, u.ID)
	switch failure := provider.AsError(err); {
	case failure == nil:
	case IsMissing(failure) || IsUnknownContainer(failure),
		failure.Kind == provider.Rejected && failure.Scope == provider.ScopePost:
		st.Note(noteUntold, "true")
		return provider.OutcomePending, nil
	default:
		return "", failure
	}
	st.ProviderStatus = status.Word
	switch status.Word {
	case Published:
		st.Note(notePublished, "true")
		st.NextPollAfter = k.Now().UTC()
		return provider.OutcomePending, nil
	case Finished:
		k.afterAbsence(st, at)
		return provider.OutcomeAbsent, nil
	case Failed, Expired:
		forget(st, st.NextPart())
		return provider.OutcomeAbsent, nil
	}
	st.NextPollAfter = k.Now().UTC().Add(listingPause)
	return provider.OutcomePending, nil
}

// afterAbsence leaves a State from which the same container can be published, or, if the network refuses it, a new one
// created.
func (k Containers) afterAbsence(st *provider.State, at provider.Attempt) {
	refusals, _ := strconv.Atoi(st.Data[noteRefusals]) // absent means none
	if refusals >= maxRefusals {
		entry(st, st.NextPart(), Whole).Redone++
		forget(st, st.NextPart())
		return
	}
	Suspect(st, Since(*st, at))
}

// Unlisted returns the outcome if the list does not show the post. One that is known to be public may appear later;
// after several readings only its id remains unknown.
func Unlisted(st *provider.State, now time.Time) provider.Outcome {
	listings, _ := strconv.Atoi(st.Data[noteListings]) // absent means none
	st.Note(noteListings, strconv.Itoa(listings+1))
	switch {
	case listings+1 < maxListings:
		st.NextPollAfter = now.UTC().Add(listingPause)
		return provider.OutcomePending
	case st.Data[notePublished] != "":
		return provider.OutcomePublished
	}
	return provider.OutcomeUnclear
}

// Nearest returns the matching entry whose date is nearest to the attempt: there may be similar ones a moment before or
// after it. Entries that are older than clocks can differ are ignored.
func Nearest[T any](list []T, attempt time.Time, created func(T) time.Time, fits func(T) bool) (nearest T, found bool) {
	for _, candidate := range list {
		at := created(candidate)
		if at.Before(attempt.Add(-ReadBack)) || !fits(candidate) {
			continue
		}
		if !found || at.Sub(attempt).Abs() < created(nearest).Sub(attempt).Abs() {
			nearest, found = candidate, true
		}
	}
	return nearest, found
}
