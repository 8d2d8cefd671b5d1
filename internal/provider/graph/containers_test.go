package graph

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/providertest"
)

var (
	picture  = provider.Media{MIMEType: "image/jpeg"}
	video    = provider.Media{MIMEType: "video/mp4"}
	carousel = provider.Content{Parts: []provider.Part{{Media: []provider.Media{picture, video}}}}
	reel     = provider.Content{Parts: []provider.Part{{Media: []provider.Media{video}}}}
)

// prepare runs one step of Prepare, which must succeed.
func prepare(t *testing.T, k Containers, c provider.Content, st *provider.State) bool {
	t.Helper()
	done, err := k.Prepare(context.Background(), provider.Account{}, c, st)
	if err != nil {
		t.Fatalf("Prepare: %v", err)
	}
	return done
}

// TestCarouselItemsAreCreatedFirst: all items are created before the first is polled, and the carousel comes last.
func TestCarouselItemsAreCreatedFirst(t *testing.T) {
	t.Parallel()
	clock, status := providertest.NewClock(), InProgress
	k := containers(clock, &status)
	var created []int
	create := k.Create
	k.Create = func(ctx context.Context, a provider.Account, c provider.Content, st provider.State, media int) (
		string, error) {
		created = append(created, media)
		return create(ctx, a, c, st, media)
	}
	var st provider.State
	prepare(t, k, carousel, &st)
	if st.PollingReason != "" {
		t.Errorf("waiting after the first item: %s", st.PollingReason)
	}
	prepare(t, k, carousel, &st)
	if !slices.Equal(created, []int{0, 1}) || st.PollingReason != "Test is processing the post" ||
		st.ContainerID != "" {
		t.Errorf("created %v, state %+v", created, st)
	}
	if got := Items(carousel, st); !slices.Equal(got, []string{"container-1", "container-2"}) {
		t.Errorf("items %v", got)
	}
	status = Finished
	for range 2 {
		if prepare(t, k, carousel, &st) {
			t.Fatal("ready before the carousel is created")
		}
	}
	prepare(t, k, carousel, &st)
	if !slices.Equal(created, []int{0, 1, Whole}) || st.ContainerID != "container-3" ||
		st.ProviderStatus != InProgress {
		t.Errorf("created %v, state %+v", created, st)
	}
	if prepare(t, k, carousel, &st) || st.ProviderStatus != Finished {
		t.Errorf("status %s", st.ProviderStatus)
	}
	if !prepare(t, k, carousel, &st) || st.PollingReason != "" || !st.NextPollAfter.IsZero() {
		t.Errorf("not ready: %+v", st)
	}
	if id, err := Publishable(st); err != nil || id != "container-3" {
		t.Errorf("Publishable = %s, %v", id, err)
	}
	if single := Items(reel, provider.State{}); single != nil {
		t.Errorf("a single video has the items %v", single)
	}
}

func TestFinishedContainersGetADelay(t *testing.T) {
	t.Parallel()
	clock, status := providertest.NewClock(), Finished
	k := containers(clock, &status)
	k.Settle = 5 * time.Second
	var st provider.State
	prepare(t, k, onePart, &st)
	prepare(t, k, onePart, &st)
	if want := clock.Now().Add(5 * time.Second); !st.NextPollAfter.Equal(want) ||
		st.PollingReason != "Test has finished the post" {
		t.Errorf("next poll at %v: %s", st.NextPollAfter, st.PollingReason)
	}
	clock.Advance(5*time.Second - 1)
	if prepare(t, k, onePart, &st) {
		t.Error("ready too early")
	}
	if _, err := Publishable(st); provider.AsError(err) == nil || provider.AsError(err).Kind != provider.Temporary {
		t.Errorf("Publishable error %v, want a temporary one", err)
	}
	clock.Advance(1)
	if !prepare(t, k, onePart, &st) {
		t.Error("not ready after the delay")
	}
}

// TestPollIntervalGrows: every few seconds for pictures, up to a minute for videos.
func TestPollIntervalGrows(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		content provider.Content
		waited  time.Duration
		want    time.Duration
	}{
		{"a text at first", onePart, 0, time.Second}, {"a text after 10 s", onePart, 10 * time.Second, 5 * time.Second},
		{"a text after an hour", onePart, 50 * time.Minute, 10 * time.Second},
		{"a video at first", reel, 0, 3 * time.Second}, {"a video after 10 s", reel, 10 * time.Second, 5 * time.Second},
		{"a video after a minute", reel, time.Minute, 30 * time.Second},
		{"a video after an hour", reel, 50 * time.Minute, time.Minute},
	} {
		clock, status := providertest.NewClock(), InProgress
		k := containers(clock, &status)
		var st provider.State
		prepare(t, k, tc.content, &st)
		clock.Advance(tc.waited)
		prepare(t, k, tc.content, &st)
		if got := st.NextPollAfter.Sub(clock.Now()); got != tc.want {
			t.Errorf("%s: polled after %v, want %v", tc.name, got, tc.want)
		}
	}
	if slow(carousel.Parts[0], Whole) || !slow(carousel.Parts[0], 1) {
		t.Error("only the items of a carousel are slow, not the carousel")
	}
}

func TestExpiredContainersAreRecreated(t *testing.T) {
	t.Parallel()
	clock, status := providertest.NewClock(), Finished
	k := containers(clock, &status)
	var st provider.State
	ready(t, k, &st, clock)
	st.Ready = true
	st.Note(noteRefusals, "2")
	created := clock.Now()
	clock.AdvanceTo(st.Upload(0, Whole).ExpiresAt.Add(-expiryMargin))
	if !prepare(t, k, onePart, &st) || st.ContainerID != "container-1" {
		t.Errorf("forgotten %v after it was created", clock.Now().Sub(created))
	}
	clock.Advance(1)
	if prepare(t, k, onePart, &st) || st.ContainerID != "container-2" || st.Ready || st.Data[noteRefusals] != "" {
		t.Errorf("a container that expires in ten minutes is used: %+v", st)
	}
	// An expiry that the network reports counts as well.
	status = Expired
	prepare(t, k, onePart, &st)
	if st.ContainerID != "" || st.Upload(0, Whole).Step != stepNew {
		t.Errorf("an expired container is still used: %+v", st)
	}
}

func TestOtherContainersStayWhenOneExpires(t *testing.T) {
	t.Parallel()
	clock, status := providertest.NewClock(), Finished
	k := containers(clock, &status)
	st := provider.State{Uploads: []provider.Upload{
		{Part: 0, Media: Whole, ID: "published", ExpiresAt: clock.Now().Add(-time.Hour), Step: stepReady},
		{Part: 1, Media: Whole, ID: "next", ExpiresAt: clock.Now().Add(time.Hour), Step: stepReady}},
		Published: []provider.Published{{PlatformPostID: "1"}}}
	thread := provider.Content{Parts: []provider.Part{{Text: "1"}, {Text: "2"}}}
	if !prepare(t, k, thread, &st) || st.Upload(1, Whole).ID != "next" {
		t.Errorf("state %+v", st)
	}
}

// TestFailedContainersAreRetriedOnce: a failure of the network itself gets a second container, any other failure is
// reported at once.
func TestFailedContainersAreRetriedOnce(t *testing.T) {
	t.Parallel()
	clock, status := providertest.NewClock(), Failed
	k := containers(clock, &status)
	var st provider.State
	for try, want := range []provider.Kind{provider.Temporary, provider.Rejected} {
		prepare(t, k, onePart, &st)
		_, err := k.Prepare(context.Background(), provider.Account{}, onePart, &st)
		if failure := provider.AsError(err); failure == nil || failure.Kind != want || st.ContainerID != "" {
			t.Errorf("failure %d is %v, want %s; state %+v", try+1, err, want, st)
		}
		if got := st.Upload(0, Whole).Redone; got != try+1 {
			t.Errorf("restarted %d times, want %d", got, try+1)
		}
	}
	k.Explain = func(s ContainerStatus) *provider.Error {
		return &provider.Error{Kind: provider.Rejected, Code: provider.CodeMediaRejected, Message: s.Reason}
	}
	k.Read = func(context.Context, provider.Account, string) (ContainerStatus, error) {
		return ContainerStatus{Word: Failed, Reason: "2207026"}, nil
	}
	st = provider.State{}
	prepare(t, k, onePart, &st)
	_, err := k.Prepare(context.Background(), provider.Account{}, onePart, &st)
	if failure := provider.AsError(err); failure == nil || failure.Message != "2207026" ||
		st.FailureCode != "2207026" || st.Upload(0, Whole).Redone != 0 {
		t.Errorf("error %v of a bad video, state %+v", err, st)
	}
}

func TestFailedCreationLeavesNoContainer(t *testing.T) {
	t.Parallel()
	clock, status := providertest.NewClock(), Finished
	k := containers(clock, &status)
	for name, tc := range map[string]struct {
		failure error
		kinds   []provider.Kind
	}{
		"refused": {&provider.Error{Kind: provider.Rejected},
			[]provider.Kind{provider.Rejected, provider.Rejected}},
		"a limit": {&provider.Error{Kind: provider.RateLimited},
			[]provider.Kind{provider.RateLimited, provider.RateLimited}},
		"retry": {&provider.Error{Kind: provider.Temporary, Err: ErrTryAnew},
			[]provider.Kind{provider.Temporary, provider.Rejected}},
		"another error": {errors.New("oops"), []provider.Kind{provider.OutcomeUnknown, provider.OutcomeUnknown}},
	} {
		k.Create = func(context.Context, provider.Account, provider.Content, provider.State, int) (string, error) {
			return "", tc.failure
		}
		var st provider.State
		for i, want := range tc.kinds {
			_, err := k.Prepare(context.Background(), provider.Account{}, onePart, &st)
			if failure := provider.AsError(err); failure == nil || failure.Kind != want || st.ContainerID != "" ||
				st.Upload(0, Whole).Step != stepNew {
				t.Errorf("%s, try %d: %v, want %s; state %+v", name, i+1, err, want, st)
			}
		}
	}
}

func TestLostContainersAreRecreated(t *testing.T) {
	t.Parallel()
	clock, status := providertest.NewClock(), Finished
	k := containers(clock, &status)
	var failure error = &provider.Error{Kind: provider.Rejected, Err: ErrMissing}
	k.Read = func(context.Context, provider.Account, string) (ContainerStatus, error) {
		return ContainerStatus{}, failure
	}
	var st provider.State
	prepare(t, k, onePart, &st)
	_, err := k.Prepare(context.Background(), provider.Account{}, onePart, &st)
	if got := provider.AsError(err); got == nil || got.Kind != provider.Temporary || st.ContainerID != "" ||
		got.Message != "Test has lost the container; a new one is made" || !errors.Is(got, ErrMissing) {
		t.Errorf("error %v of a lost container, state %+v", err, st)
	}
	failure = &provider.Error{Kind: provider.AuthExpired}
	prepare(t, k, onePart, &st)
	_, err = k.Prepare(context.Background(), provider.Account{}, onePart, &st)
	if got := provider.AsError(err); got == nil || got.Kind != provider.AuthExpired || st.ContainerID != "container-2" {
		t.Errorf("another error: %v, state %+v", err, st)
	}
}

// TestOutcomeFollowsTheContainer: the status of the container decides whether a lost attempt published.
func TestOutcomeFollowsTheContainer(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		status  string
		failure error
		stale   bool
		without bool
		want    provider.Outcome
		listing bool
		kept    bool
	}{
		{name: "published", status: Published, want: provider.OutcomePending, listing: true, kept: true},
		{name: "finished", status: Finished, want: provider.OutcomeAbsent, kept: true},
		{name: "failed", status: Failed, want: provider.OutcomeAbsent},
		{name: "expired", status: Expired, want: provider.OutcomeAbsent},
		{name: "in progress", status: InProgress, want: provider.OutcomePending, kept: true},
		{name: "an unknown status", status: "SCHEDULED", want: provider.OutcomePending, kept: true},
		{name: "not known", failure: ErrMissing, want: provider.OutcomePending, listing: true, kept: true},
		{name: "not found", failure: ErrUnknownContainer, want: provider.OutcomePending, listing: true, kept: true},
		{name: "no answer", failure: errors.New("down"), kept: true},
		{name: "stale", status: Finished, stale: true, want: provider.OutcomePending, listing: true, kept: true},
		{name: "without a container", without: true, want: provider.OutcomeAbsent},
	} {
		clock, status := providertest.NewClock(), Finished
		k := containers(clock, &status)
		var st provider.State
		if !tc.without {
			ready(t, k, &st, clock)
		}
		k.Read = func(context.Context, provider.Account, string) (ContainerStatus, error) {
			return ContainerStatus{Word: tc.status}, tc.failure
		}
		got, err := k.Outcome(context.Background(), provider.Account{}, &st,
			provider.Attempt{StartedAt: clock.Now(), Stale: tc.stale})
		if got != tc.want || (err != nil) != (tc.want == "") || NeedsListing(st) != tc.listing ||
			(st.ContainerID != "") != tc.kept {
			t.Errorf("%s: %q, %v, listing %t, container %q", tc.name, got, err, NeedsListing(st), st.ContainerID)
		}
	}
}

func TestOutcomeRecreatesTheContainerAfterManyRefusals(t *testing.T) {
	t.Parallel()
	clock, status := providertest.NewClock(), Finished
	k := containers(clock, &status)
	var st provider.State
	ready(t, k, &st, clock)
	st.Note(noteRefusals, strconv.Itoa(maxRefusals))
	got, err := k.Outcome(context.Background(), provider.Account{}, &st, provider.Attempt{StartedAt: clock.Now()})
	if err != nil || got != provider.OutcomeAbsent || st.ContainerID != "" || IsSuspect(st) ||
		st.Upload(0, Whole).Redone != 1 {
		t.Errorf("%q, %v, state %+v", got, err, st)
	}
}

// reading returns containers whose reads always fail.
func reading(clock *providertest.Clock, failure error) (k Containers, created *int) {
	status := Finished
	k = containers(clock, &status)
	created = new(int)
	create := k.Create
	k.Create = func(ctx context.Context, a provider.Account, c provider.Content, st provider.State, media int) (
		string, error) {
		*created++
		return create(ctx, a, c, st, media)
	}
	k.Read = func(context.Context, provider.Account, string) (ContainerStatus, error) {
		return ContainerStatus{}, failure
	}
	return k, created
}

// A status that cannot be read says nothing about the container: it is read again, and no other is created.
func TestContainersOutliveReadingsThatFail(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		failure *provider.Error
		want    provider.Kind
	}{
		"an outage":    {&provider.Error{Kind: provider.Temporary}, provider.Temporary},
		"a limit":      {&provider.Error{Kind: provider.RateLimited, RetryAfter: time.Minute}, provider.RateLimited},
		"a dead token": {&provider.Error{Kind: provider.AuthExpired}, provider.AuthExpired},
		"some refusal": {&provider.Error{Kind: provider.Rejected, Code: provider.CodeContentRejected},
			provider.Temporary},
		"a restriction": {&provider.Error{Kind: provider.Rejected, Scope: provider.ScopeAccount}, provider.Rejected},
	} {
		clock := providertest.NewClock()
		k, created := reading(clock, tc.failure)
		var st provider.State
		prepare(t, k, onePart, &st)
		for range 5 {
			failure := *tc.failure
			k.Read = func(context.Context, provider.Account, string) (ContainerStatus, error) {
				return ContainerStatus{}, &failure
			}
			clock.Advance(time.Minute)
			_, err := k.Prepare(context.Background(), provider.Account{}, onePart, &st)
			if got := provider.AsError(err); got == nil || got.Kind != tc.want {
				t.Errorf("%s: %v, want %s", name, err, tc.want)
			}
		}
		if *created != 1 || st.ContainerID != "container-1" {
			t.Errorf("%s: %d containers, state %+v", name, *created, st)
		}
	}
}

// The network may need a moment until it knows its container everywhere.
func TestContainersThatAreNotFoundAreRecreatedAFewTimes(t *testing.T) {
	t.Parallel()
	clock := providertest.NewClock()
	k, created := reading(clock, nil)
	var st provider.State
	var kinds []provider.Kind
	for range 30 {
		k.Read = func(context.Context, provider.Account, string) (ContainerStatus, error) {
			return ContainerStatus{}, &provider.Error{Kind: provider.Temporary, Err: ErrUnknownContainer}
		}
		clock.Advance(time.Minute)
		_, err := k.Prepare(context.Background(), provider.Account{}, onePart, &st)
		if failure := provider.AsError(err); failure != nil {
			kinds = append(kinds, failure.Kind)
			if failure.Kind == provider.Rejected {
				break
			}
		}
	}
	want := slices.Repeat([]provider.Kind{provider.Temporary}, maxRefusals*(maxRedone+1)-1)
	if want = append(want, provider.Rejected); !slices.Equal(kinds, want) || *created != maxRedone+1 {
		t.Errorf("%d containers after %v; want %d after %v", *created, kinds, maxRedone+1, want)
	}
}

// An attempt had an unknown outcome, and was not found to have succeeded. If its container is gone now, it may have: no
// other one may be created before the network has refused to publish it.
func TestSuspectContainersAreNotReplaced(t *testing.T) {
	t.Parallel()
	for _, lost := range []error{ErrMissing, ErrUnknownContainer} {
		clock := providertest.NewClock()
		k, created := reading(clock, &provider.Error{Kind: provider.Rejected, Err: lost})
		var st provider.State
		prepare(t, k, onePart, &st)
		Suspect(&st, clock.Now())
		clock.Advance(time.Minute)
		prepare(t, k, onePart, &st)
		if !prepare(t, k, onePart, &st) || *created != 1 || st.ContainerID != "container-1" {
			t.Errorf("%v: %d containers, state %+v", lost, *created, st)
		}
		got := k.Refused(&st, &provider.Error{Kind: provider.Temporary, Err: ErrUnknownContainer})
		if got.Kind != provider.OutcomeUnknown || st.ContainerID != "container-1" {
			t.Errorf("%v: the refusal is %v, state %+v", lost, got, st)
		}
	}
	clock, status := providertest.NewClock(), Finished
	k := containers(clock, &status)
	var st provider.State
	ready(t, k, &st, clock)
	Suspect(&st, clock.Now())
	got := k.Refused(&st, &provider.Error{Kind: provider.Temporary, Err: ErrExpired})
	if got.Kind != provider.OutcomeUnknown || st.ContainerID != "container-1" {
		t.Errorf("expired: the refusal is %v, state %+v", got, st)
	}
}

// The container cannot tell: the list of posts can.
func TestRefusedReadingOfALostAttemptLeadsToTheList(t *testing.T) {
	t.Parallel()
	clock, status := providertest.NewClock(), Finished
	k := containers(clock, &status)
	var st provider.State
	ready(t, k, &st, clock)
	for _, tc := range []struct {
		failure *provider.Error
		want    provider.Outcome
	}{
		{&provider.Error{Kind: provider.Temporary}, ""}, {&provider.Error{Kind: provider.RateLimited}, ""},
		{&provider.Error{Kind: provider.Rejected, Scope: provider.ScopeAccount}, ""},
		{&provider.Error{Kind: provider.Rejected}, provider.OutcomePending},
	} {
		k.Read = func(context.Context, provider.Account, string) (ContainerStatus, error) {
			return ContainerStatus{}, tc.failure
		}
		got, err := k.Outcome(context.Background(), provider.Account{}, &st, provider.Attempt{StartedAt: clock.Now()})
		if got != tc.want || (err != nil) != (tc.want == "") || NeedsListing(st) != (tc.want != "") {
			t.Errorf("%+v: %q, %v, listing %t", tc.failure, got, err, NeedsListing(st))
		}
	}
}
