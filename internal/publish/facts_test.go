package publish

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

func TestEventsOfVerdicts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind   store.PublicationKind
		status crier.ScheduledPostStatus
		v      verdict
		want   []crier.EventType
	}{
		"published": {status: crier.Publishing, v: verdict{result: published},
			want: []crier.EventType{crier.ScheduledPostPublished}},
		"failed": {status: crier.Publishing, v: verdict{result: failed},
			want: []crier.EventType{crier.ScheduledPostFailed}},
		"missed": {status: crier.Scheduled, v: verdict{result: missed},
			want: []crier.EventType{crier.ScheduledPostMissed}},
		"canceled by hand": {status: crier.Scheduled, v: verdict{result: canceled, manual: true},
			want: []crier.EventType{crier.ScheduledPostCanceled}},
		"unclear": {status: crier.Publishing, v: verdict{result: unclear},
			want: []crier.EventType{crier.ScheduledPostUnknown}},
		"resolved as public": {status: crier.Unknown, v: verdict{result: published, manual: true},
			want: []crier.EventType{crier.ScheduledPostResolved, crier.ScheduledPostPublished}},
		"resolved as failed": {status: crier.Unknown, v: verdict{result: failed, manual: true},
			want: []crier.EventType{crier.ScheduledPostResolved, crier.ScheduledPostFailed}},
		"resolved to retry": {status: crier.Unknown, v: verdict{result: revived, manual: true},
			want: []crier.EventType{crier.ScheduledPostResolved}},
		"retried by hand": {status: crier.Failed, v: verdict{result: revived, manual: true},
			want: []crier.EventType{crier.ScheduledPostChanged}},
		"tried again": {status: crier.Publishing, v: verdict{result: retrying},
			want: []crier.EventType{crier.ScheduledPostChanged}},
		"the network works": {status: crier.Publishing, v: verdict{result: accepted},
			want: []crier.EventType{crier.ScheduledPostChanged}},
		"an answer is lost": {status: crier.Publishing, v: verdict{result: lost}},
		"too early":         {status: crier.Scheduled, v: verdict{result: waiting}},
		"an action is done": {kind: store.FirstComment, status: crier.Publishing, v: verdict{result: published},
			want: []crier.EventType{crier.ScheduledPostActionDone}},
		"an action failed": {kind: store.FirstComment, status: crier.Publishing, v: verdict{result: failed},
			want: []crier.EventType{crier.ScheduledPostActionFailed}},
		"an action is retried": {kind: store.FirstComment, status: crier.Publishing, v: verdict{result: retrying}},
	} {
		p := store.Publication{Kind: c.kind, Status: c.status}
		if c.kind == "" {
			p.Kind = store.PostPublication
		}
		after := p
		applyVerdict(&after, provider.State{}, c.v)
		if got := eventTypes(p, after, c.v); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// The object and the previous fields of an event tell the object of before: no field changes untold.
func TestEventsHaveThePreviousValuesOfAllChangedFields(t *testing.T) {
	t.Parallel()
	for _, status := range allStatuses {
		for _, res := range []result{published, failed, missed, canceled, unclear, accepted, retrying, revived} {
			for _, manual := range []bool{false, true} {
				v := verdict{result: res, manual: manual, code: "code", message: "message", now: testNow,
					attempt: &store.Attempt{Attempt: crier.Attempt{Operation: opPublish, StartedAt: testNow}}}
				p := testPublication(store.PostPublication, status)
				p.State = EmptyState()
				after := p
				st := publishedState(2)
				st.ProviderStatus = "FINISHED"
				if err := (&Publisher{}).encodeState(&after, st, Progress{}); err != nil {
					t.Fatal(err)
				}
				s, err := outcome(after, st, v)
				if err != nil {
					t.Fatal(err)
				}
				s.before.State = p.State
				was, now := objectOf(t, s.shownBefore()), objectOf(t, s.shown(s.Publication))
				want := map[string]string{}
				for field := range now {
					if was[field] != now[field] && field != "updatedAt" {
						want[field] = cmp.Or(was[field], "null")
					}
				}
				for field, value := range was {
					if now[field] == "" {
						want[field] = value
					}
				}
				if got := objectOf(t, changes(s.shownBefore(), s.shown(s.Publication))); !maps.Equal(got, want) {
					t.Errorf("%s, %s: previously %v, want %v", status, res, got, want)
				}
			}
		}
	}
}

// objectOf returns the fields of an object as JSON.
func objectOf(t *testing.T, object any) map[string]string {
	t.Helper()
	data, err := json.Marshal(object)
	var fields map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(data, &fields)
	}
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for name, value := range fields {
		out[name] = string(value)
	}
	return out
}

func TestPublishedEventSaysWhatWasAbsent(t *testing.T) {
	t.Parallel()
	p := testPublication(store.PostPublication, crier.Publishing)
	p.ErrorCode, p.ErrorMessage, p.Actions.FirstComment, p.State = nil, nil, nil, EmptyState()
	after, st := p, publishedState(2)
	if err := (&Publisher{}).encodeState(&after, st, Progress{}); err != nil {
		t.Fatal(err)
	}
	s, err := outcome(after, st, verdict{result: published, now: testNow,
		attempt: &store.Attempt{Attempt: crier.Attempt{Operation: opPublish, StartedAt: testNow}}})
	if err != nil {
		t.Fatal(err)
	}
	s.before.State = p.State
	if err := s.encodeEvents(testNow); err != nil || len(s.encoded) != 1 {
		t.Fatalf("%d events, %v", len(s.encoded), err)
	}
	const want = `"previous":{"lateMillis":null,"permalink":null,"platformPostId":null,` +
		`"providerPublishState":{"requiresPolling":false},"publishResults":{"platformPostIds":[]},` +
		`"publishedAt":null,"status":"publishing"}}`
	if got := string(s.encoded[0].Data); !strings.HasSuffix(got, want) {
		t.Errorf("the event ends with %s, want %s", got[strings.Index(got, `"previous"`):], want)
	}
}

func TestEventsShowWhetherTheSeriesContinues(t *testing.T) {
	t.Parallel()
	week, soon := 7, crier.TimeOf(testNow.AddDate(0, 0, 1))
	for _, c := range []struct {
		res  result
		ends *crier.Time
		want string
	}{
		{published, nil, "active"}, {failed, nil, "active"}, {missed, nil, "active"},
		{published, &soon, "ended"}, {canceled, nil, "ended"}, {accepted, nil, "active"}, {unclear, &soon, "active"},
	} {
		p := testPublication(store.PostPublication, crier.Publishing)
		p.Actions.RecurrenceIntervalDays, p.Actions.RecurrenceEndsAt = &week, c.ends
		s, err := outcome(p, publishedState(2), verdict{result: c.res, now: testNow})
		if err != nil {
			t.Fatal(err)
		}
		shown := s.shown(s.Publication)
		_, changed := changes(s.shownBefore(), shown)["recurrence"]
		if shown.Recurrence.Status != c.want || changed != (c.want == "ended") {
			t.Errorf("%s, until %v: the series is %s, changed %t", c.res, c.ends, shown.Recurrence.Status, changed)
		}
	}
}

// What a person decides about may have been dismissed.
func TestEventOfADecisionHasWhatWasShownBefore(t *testing.T) {
	t.Parallel()
	refused := answer{err: &provider.Error{Kind: provider.Rejected, Code: provider.CodeContentRejected, Message: "no"}}
	decide := map[string]func(*Publisher, context.Context, *store.Tx, *store.Publication) error{
		"retried": (*Publisher).Retry,
		"resolved": func(s *Publisher, ctx context.Context, tx *store.Tx, p *store.Publication) error {
			return s.Resolve(ctx, tx, p, crier.Resolution{Outcome: "failed"})
		},
	}
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		for name, apply := range decide {
			for _, dismissed := range []bool{false, true} {
				n := newTestNetwork(refused)
				if name == "resolved" {
					n = newTestNetwork(answer{err: unanswered})
					n.strategy = provider.Strategy{Method: provider.Impossible}
				}
				f := withNetwork(t, st, n)
				p := f.run(t, f.insert(t).ID)
				var was crier.ScheduledPost
				f.tx(t, func(ctx context.Context, tx *store.Tx) error {
					if dismissed {
						if _, _, err := tx.Dismiss(ctx, p.ID, testNow); err != nil {
							return err
						}
					}
					shown, err := tx.ScheduledPosts(ctx, []crier.ID{p.ID})
					if err != nil {
						return err
					}
					was = shown[p.ID]
					return apply(f.Publisher, ctx, tx, &p)
				})
				if was.NeedsAttention == dismissed {
					t.Fatalf("%s, dismissed %t: it was %+v", name, dismissed, was)
				}
				event := f.lastEvent(t, p)
				before, object, previous := objectOf(t, was), objectOf(t, event.Object), objectOf(t, event.Previous)
				for field, value := range before {
					if got, told := previous[field]; told && got != value ||
						!told && object[field] != value && field != "updatedAt" {
						t.Errorf("%s, dismissed %t: %s was %s, previous has %q, the object %q", name, dismissed, field,
							value, got, object[field])
					}
				}
			}
		}
	})
}

// lastEvent returns the newest event about a publication.
func (f *fixture) lastEvent(t *testing.T, p store.Publication) (event crier.EventData) {
	t.Helper()
	var data []byte
	about := `{"object":{"id":"` + string(p.ID) + `"%`
	err := f.store.Reader().QueryRowContext(t.Context(), `SELECT e.data FROM events e WHERE e.team_id = $1
		AND e.data LIKE $2 ORDER BY e.written DESC LIMIT 1`, p.TeamID, about).Scan(&data)
	if err == nil {
		err = json.Unmarshal(data, &event)
	}
	if err != nil {
		t.Fatal(err)
	}
	return event
}
