package publish

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

var (
	testNow   = crier.TimeOf(time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC))
	testLater = testNow.Add(time.Minute)
)

var allStatuses = []crier.ScheduledPostStatus{
	crier.Scheduled, crier.Publishing, crier.Processing, crier.Published, crier.Failed, crier.Missed, crier.Unknown,
	crier.Canceled,
}

var allKinds = []store.PublicationKind{
	store.PostPublication, store.FirstComment, store.EngagementComment, store.RepostPublication,
}

// testPublication returns a publication of a kind that costs 10 credits: a thread of two parts for 4 and 3, with a
// first comment for 3, or an action for 10.
func testPublication(kind store.PublicationKind, status crier.ScheduledPostStatus) store.Publication {
	code, message := "before", "what went wrong before"
	p := store.Publication{
		ID: "p", Kind: kind, ScheduledPostID: "p", TeamID: "t",
		OrganizationID: "o", PostID: "post", SocialAccountID: "a", Provider: crier.ProviderX, Status: status,
		ScheduledAt: testNow, Timezone: "UTC", PayloadID: "payload", Epoch: 7, Tries: 2, ErrorCode: &code,
		ErrorMessage: &message, WakeAt: &testNow, Reserved: 10, SlotAt: &testNow,
	}
	if p.IsAction() {
		p.ScheduledPostID = "parent"
		return p
	}
	p.Actions.PartCosts = []int64{4, 3}
	p.Actions.ActionCosts = map[string]int64{string(store.FirstComment): 3}
	p.Actions.FirstComment = &crier.Comment{Text: "First"}
	return p
}

// publishedState returns the state after some parts of two have been published.
func publishedState(parts int) provider.State {
	var st provider.State
	for i := range parts {
		st.Publish(provider.Published{PlatformPostID: fmt.Sprint("n", i), Permalink: "https://x.test/n",
			PublishedAt: testNow.Time}, 2)
	}
	return st
}

// expectation is the expected effect of a result on a publication of which one part, or nothing, is public.
type expectation struct {
	// status maps statuses that change; all others become the status under "".
	status map[crier.ScheduledPostStatus]crier.ScheduledPostStatus
	wakes  bool
	code   string // "before" means unchanged
	tries  int
	pays   bool // for the parts that are public
	ends   bool
}

// everywhere returns one status for all earlier ones.
func everywhere(status crier.ScheduledPostStatus) map[crier.ScheduledPostStatus]crier.ScheduledPostStatus {
	return map[crier.ScheduledPostStatus]crier.ScheduledPostStatus{"": status}
}

// backFrom changes publishing to scheduled; everything else stays.
var backFrom = map[crier.ScheduledPostStatus]crier.ScheduledPostStatus{crier.Publishing: crier.Scheduled}

var expectations = map[result]expectation{
	published:     {status: everywhere(crier.Published), tries: 0, pays: true, ends: true},
	failed:        {status: everywhere(crier.Failed), code: "now", tries: 2, pays: true, ends: true},
	missed:        {status: everywhere(crier.Missed), code: "now", tries: 2, pays: true, ends: true},
	canceled:      {status: everywhere(crier.Canceled), code: "now", tries: 2, pays: true, ends: true},
	partPublished: {status: everywhere(crier.Publishing), wakes: true, pays: true},
	accepted:      {status: everywhere(crier.Processing), wakes: true, pays: true},
	retrying:      {status: backFrom, wakes: true, code: "now", tries: 3},
	blocked:       {wakes: true, code: "now", tries: 2},
	lost:          {status: everywhere(crier.Publishing), wakes: true, code: "now", tries: 2},
	undecided:     {wakes: true, code: "before", tries: 3},
	absent:        {status: backFrom, wakes: true, tries: 2},
	unclear:       {status: everywhere(crier.Unknown), code: "now", tries: 2},
}

// after returns the status that a result leads to.
func (e expectation) after(before crier.ScheduledPostStatus, parts int) crier.ScheduledPostStatus {
	if status, ok := e.status[""]; ok {
		return status
	}
	if status, ok := e.status[before]; ok && parts == 0 {
		return status
	}
	return before
}

func TestOutcomeOfEveryStatusVerdictAndKind(t *testing.T) {
	t.Parallel()
	for _, kind := range allKinds {
		for _, status := range allStatuses {
			for result, want := range expectations {
				for parts := range 2 {
					t.Run(fmt.Sprintf("%s %s %s %d", kind, status, result, parts), func(t *testing.T) {
						t.Parallel()
						checkOutcome(t, testPublication(kind, status), result, parts, want)
					})
				}
			}
		}
	}
}

func checkOutcome(t *testing.T, before store.Publication, r result, parts int, want expectation) {
	t.Helper()
	v := verdict{result: r, attempt: &store.Attempt{}, outcome: "said", code: "now", message: "what went wrong now",
		at: testLater, tries: 3, now: testNow}
	s, err := outcome(before, publishedState(parts), v)
	if err != nil {
		t.Fatal(err)
	}
	p := s.Publication
	if status := want.after(before.Status, parts); p.Status != status {
		t.Errorf("it is %s, want %s", p.Status, status)
	}
	if woken := p.WakeAt != nil && p.WakeAt.Equal(testLater); woken != want.wakes || !want.wakes && p.WakeAt != nil {
		t.Errorf("it is looked at again at %v", p.WakeAt)
	}
	if crier.Text(p.ErrorCode) != want.code || p.Tries != want.tries || p.Epoch != before.Epoch || s.Epoch != p.Epoch {
		t.Errorf("code %q, %d tries, epoch %d", crier.Text(p.ErrorCode), p.Tries, p.Epoch)
	}
	if s.Attempt.Outcome != "said" || s.Attempt.EndedAt == nil || *s.Attempt.EndedAt != testNow {
		t.Errorf("attempt %+v", s.Attempt)
	}
	checkCredits(t, before, s, parts, want)
	checkFollowing(t, s)
}

// checkCredits checks that credits are only moved, and never lost.
func checkCredits(t *testing.T, before store.Publication, s *settlement, parts int, want expectation) {
	t.Helper()
	p := s.Publication
	var captured, released int64
	if want.pays && parts == 1 && !p.IsAction() {
		captured = 4
	}
	if want.ends {
		released = before.Reserved - captured
		if p.Status == crier.Published && !p.IsAction() {
			released -= 3 // for the comment
		}
	}
	left := before.Reserved - captured
	if want.ends {
		left = 0
	}
	if p.Captured != captured || p.Reserved != left {
		t.Errorf("captured %d, reserved %d; want %d, %d", p.Captured, p.Reserved, captured, left)
	}
	var balance, reserved int64
	for _, b := range s.bookings {
		balance, reserved = balance+b.Amount, reserved+b.ReservedAmount
		if b.OrganizationID != "o" || *b.ScheduledPostID != p.ScheduledPostID {
			t.Errorf("booked on %s for %s", b.OrganizationID, *b.ScheduledPostID)
		}
	}
	if balance != -captured || reserved != -captured-released {
		t.Errorf("booked %d and %d, want %d and %d", balance, reserved, -captured, -captured-released)
	}
}

// checkFollowing checks that only public posts have follow-up actions.
func checkFollowing(t *testing.T, s *settlement) {
	t.Helper()
	p := s.Publication
	public := p.Status == crier.Published
	follows := public && !p.IsAction() && s.Attempt.Outcome == "said" &&
		slices.Contains(s.events, crier.ScheduledPostPublished)
	if follows != (len(s.Actions) == 1) || follows && (s.Actions[0].Reserved != 3 || len(s.jobs) != 1) {
		t.Errorf("actions %+v, jobs %+v", s.Actions, s.jobs)
	}
	if s.Next != nil {
		t.Errorf("a publication outside a series is followed by %+v", s.Next)
	}
	if noted := s.ParentResults != nil; noted && (!public || !p.IsAction() || p.Kind == store.EngagementComment) {
		t.Errorf("%s %s notes %+v with its parent", p.Status, p.Kind, s.ParentResults)
	}
}

func TestPublishedOutcomeRecordsAllPartIDs(t *testing.T) {
	t.Parallel()
	p := testPublication(store.PostPublication, crier.Publishing)
	p.Results.FirstCommentID = "c"
	s, err := outcome(p, publishedState(2), verdict{result: published, now: crier.TimeOf(testLater)})
	if err != nil {
		t.Fatal(err)
	}
	p = s.Publication
	if crier.Text(p.PlatformPostID) != "n0" || len(p.Results.PlatformPostIDs) != 2 || p.Results.FirstCommentID != "c" ||
		*p.PublishedAt != testNow || p.Captured != 7 || s.Public {
		t.Errorf("%+v", p)
	}
}

func TestFailedThreadOutcomeKeepsPublishedParts(t *testing.T) {
	t.Parallel()
	for _, r := range []result{failed, missed, unclear} {
		s, err := outcome(testPublication(store.PostPublication, crier.Publishing), publishedState(1),
			verdict{result: r, now: testNow})
		if err != nil {
			t.Fatal(err)
		}
		if p := s.Publication; crier.Text(p.PlatformPostID) != "n0" || len(p.Results.PlatformPostIDs) != 1 ||
			p.PublishedAt != nil {
			t.Errorf("%s: %+v", r, p.Results)
		}
	}
}

func TestOutcomeMarksAttemptsThatPublished(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		outcome string
		fenced  bool
		want    bool
	}{
		{outcomePublished, true, true}, {outcomeAccepted, true, true}, {outcomePublished, false, false},
		{"temporary", true, false}, {store.OutcomeUnknown, true, false},
	} {
		a := &store.Attempt{}
		if c.fenced {
			a.SendBefore = &testNow
		}
		s, err := outcome(testPublication(store.PostPublication, crier.Publishing), publishedState(2),
			verdict{result: published, attempt: a, outcome: c.outcome, now: testNow})
		if err != nil || s.Public != c.want {
			t.Errorf("%+v: %v (%v)", c, s.Public, err)
		}
	}
}

func TestOutcomeOfManualResolution(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		status   crier.ScheduledPostStatus
		verdict  verdict
		parts    int
		reserved int64 // before
		want     crier.ScheduledPostStatus
		code     string
		jobs     int
		booked   int64 // from the reserved credits
	}{
		{name: "retry", status: crier.Failed, verdict: verdict{result: revived}, want: crier.Scheduled, jobs: 1,
			booked: 10},
		{name: "retry a thread with a hole", status: crier.Failed, verdict: verdict{result: revived}, parts: 1,
			want: crier.Publishing, jobs: 1, booked: 10},
		{name: "retry what is unknown", status: crier.Unknown, verdict: verdict{result: revived}, reserved: 10,
			want: crier.Scheduled, jobs: 1},
		{name: "published", status: crier.Unknown, verdict: verdict{result: published}, parts: 2, reserved: 10,
			want: crier.Published, jobs: 1, booked: -7},
		{name: "a part is published", status: crier.Unknown, verdict: verdict{result: partPublished, at: testLater},
			parts: 1, reserved: 10, want: crier.Publishing, jobs: 1, booked: -4},
		{name: "failed", status: crier.Unknown, verdict: verdict{result: failed}, reserved: 10, want: crier.Failed,
			code: "before", booked: -10},
		{name: "canceled", status: crier.Scheduled, verdict: verdict{result: canceled}, reserved: 10,
			want: crier.Canceled, code: "before", booked: -10},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := testPublication(store.PostPublication, c.status)
			p.Reserved = c.reserved
			c.verdict.manual, c.verdict.now = true, testNow
			s, err := outcome(p, publishedState(c.parts), c.verdict)
			if err != nil {
				t.Fatal(err)
			}
			p = s.Publication
			if p.Status != c.want || p.Epoch != 8 || s.Epoch != 7 || s.Owner != "" || len(s.jobs) != c.jobs ||
				crier.Text(p.ErrorCode) != c.code {
				t.Errorf("%s, epoch %d, code %q, jobs %+v", p.Status, p.Epoch, crier.Text(p.ErrorCode), s.jobs)
			}
			var booked int64
			for _, b := range s.bookings {
				booked += b.ReservedAmount
			}
			if booked != c.booked {
				t.Errorf("booked %d, want %d", booked, c.booked)
			}
		})
	}
}

func TestRevivedPublicationKeepsTheSeriesOnItsPlannedTime(t *testing.T) {
	t.Parallel()
	p := testPublication(store.PostPublication, crier.Failed)
	s, err := outcome(p, provider.State{}, verdict{result: revived, manual: true, now: crier.TimeOf(testLater)})
	if err != nil {
		t.Fatal(err)
	}
	got := s.Publication
	if *got.Actions.SeriesStart != testNow || !got.ScheduledAt.Equal(testLater) || got.SlotAt != nil ||
		got.Tries != 0 || !got.WakeAt.Equal(testLater) {
		t.Errorf("%+v", got)
	}
}
