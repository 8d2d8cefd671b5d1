package webhook

import (
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
)

func TestWantsEventFollowsTypesTeamsAndTheBeginning(t *testing.T) {
	t.Parallel()
	team, other, own := crier.NewID(), crier.NewID(), crier.NewID()
	testOf := func(id crier.ID) string { return `{"object":{"webhookId":"` + string(id) + `"}}` }
	hook := func(types []string, teams ...crier.ID) store.Webhook {
		return store.Webhook{AfterSequence: 10, Webhook: crier.Webhook{ID: own, Types: types, TeamIDs: teams}}
	}
	all, created := []string{crier.AllEvents}, []string{string(crier.PostCreated)}
	event := func(sequence int64, kind crier.EventType, of *crier.ID, data string) store.Event {
		return store.Event{Event: crier.Event{Sequence: sequence, ID: "e", Type: kind, TeamID: of}, Data: []byte(data)}
	}
	for _, c := range []struct {
		name  string
		hook  store.Webhook
		event store.Event
		want  bool
	}{
		{"everything", hook(all), event(11, crier.PostCreated, &team, ""), true},
		{"what was before it", hook(all), event(10, crier.PostCreated, &team, ""), false},
		{"a type that it names", hook(created), event(11, crier.PostCreated, &team, ""), true},
		{"another type", hook(created), event(11, crier.PostDeletedEvent, &team, ""), false},
		{"no type", hook(nil), event(11, crier.PostCreated, &team, ""), false},
		{"its team", hook(all, team), event(11, crier.PostCreated, &team, ""), true},
		{"one of its teams", hook(all, other, team), event(11, crier.PostCreated, &team, ""), true},
		{"another team", hook(all, other), event(11, crier.PostCreated, &team, ""), false},
		{"the organization, for all teams", hook(all), event(11, crier.PostCreated, nil, ""), true},
		{"the organization, for a team", hook(all, team), event(11, crier.PostCreated, nil, ""), false},
		{"its own test", hook(created, team), event(11, crier.WebhookTest, nil, testOf(own)), true},
		{"another's test", hook(all), event(11, crier.WebhookTest, nil, testOf(other)), false},
		{"a test of nobody", hook(all), event(11, crier.WebhookTest, nil, `{}`), false},
		{"a test that cannot be read", hook(all), event(11, crier.WebhookTest, nil, `[`), false},
	} {
		if got := receivesEvent(c.hook, c.event); got != c.want {
			t.Errorf("%s: %t, want %t", c.name, got, c.want)
		}
	}
}

func TestFanOutTellsEachWebhookOfItsOwnOrganization(t *testing.T) {
	t.Parallel()
	hook := func(id, organization crier.ID) store.Webhook {
		return store.Webhook{Webhook: crier.Webhook{ID: id, OrganizationID: organization,
			Types: []string{crier.AllEvents}}}
	}
	event := func(sequence int64, id, organization crier.ID) store.Event {
		return store.Event{Event: crier.Event{Sequence: sequence, ID: id, OrganizationID: organization,
			Type: crier.PostCreated}}
	}
	deliveries, receivers := fanOutEvents([]store.Webhook{hook("z", "o1"), hook("a", "o1"), hook("m", "o2"), hook("q",
		"o3")},
		[]store.Event{event(1, "e1", "o1"), event(2, "e2", "o2"), event(3, "e3", "o1"), event(4, "e4", "none")})
	if !slices.Equal(receivers, []crier.ID{"a", "m", "z"}) { // in a fixed order, so that two nodes do not deadlock
		t.Errorf("told are %v", receivers)
	}
	type pair struct{ hook, event crier.ID }
	var got []pair
	ids := map[crier.ID]bool{}
	for _, d := range deliveries {
		got = append(got, pair{d.WebhookID, d.EventID})
		ids[d.ID] = true
		if d.EventType != crier.PostCreated || d.EventSequence == 0 || d.OrganizationID == "" {
			t.Errorf("a delivery is %+v", d)
		}
	}
	if want := []pair{{"z", "e1"}, {"a", "e1"}, {"m", "e2"}, {"z", "e3"}, {"a", "e3"}}; !slices.Equal(got, want) ||
		len(ids) != len(want) {
		t.Errorf("the deliveries are %v, want %v", got, want)
	}
	deliveries, receivers = fanOutEvents(nil, []store.Event{event(1, "e1", "o1")})
	if deliveries != nil || receivers != nil {
		t.Errorf("without webhooks, %v receive %v", receivers, deliveries)
	}
}

func TestReplayFilterIsWhatTheWebhookIsToldOf(t *testing.T) {
	t.Parallel()
	from := crier.TimeOf(time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC))
	in := crier.WebhookReplay{From: from, To: crier.TimeOf(from.Add(time.Hour))}
	f := replayFilter(store.Webhook{Webhook: crier.Webhook{Types: []string{"post.created", "post.deleted"},
		TeamIDs: []crier.ID{"t"}}}, in)
	if !slices.Equal(f.Types, []crier.EventType{"post.created", "post.deleted"}) || *f.From != in.From ||
		*f.To != in.To ||
		!slices.Equal(f.TeamIDs, []crier.ID{"t"}) {
		t.Errorf("the filter is %+v", f)
	}
	if f := replayFilter(store.Webhook{Webhook: crier.Webhook{Types: []string{"post.created", crier.AllEvents}}},
		in); f.Types != nil || f.TeamIDs != nil {
		t.Errorf("the filter of a webhook of everything is %+v", f)
	}
}

func TestAttemptsAreKeptNewestFirstAndBounded(t *testing.T) {
	t.Parallel()
	var list []crier.WebhookAttempt
	for i := range 30 {
		list = addAttempt(list, crier.WebhookAttempt{Status: 500 + i, Answer: "sorry"})
	}
	if len(list) != maxStoredAttempts || list[0].Status != 529 || list[0].Answer != "sorry" {
		t.Errorf("%d attempts are kept, the newest %+v", len(list), list[0])
	}
	for i, a := range list[1:] {
		if a.Answer != "" || a.Status != 528-i {
			t.Errorf("attempt %d is %+v: only the answer of the newest is kept", i+1, a)
		}
	}
}

func TestShownDeliveryTellsWhenItIsTriedNext(t *testing.T) {
	t.Parallel()
	due := crier.TimeOf(time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC))
	for _, c := range []struct {
		name    string
		status  crier.WebhookDeliveryStatus
		claimed bool
		want    *crier.Time
	}{
		{"waiting", crier.WebhookPending, false, &due}, {"under way", crier.WebhookPending, true, nil},
		{"arrived", crier.WebhookDelivered, false, nil}, {"given up", crier.WebhookFailed, false, nil},
	} {
		d := store.Delivery{DueAt: &due, Claimed: c.claimed, WebhookDelivery: crier.WebhookDelivery{Status: c.status}}
		shown, err := Shown(d)
		if err != nil || shown.NextAttemptAt != c.want || shown.RequestBody != nil {
			t.Errorf("%s: next %v, %v; want %v", c.name, shown.NextAttemptAt, err, c.want)
		}
	}
	if _, err := Shown(store.Delivery{Event: &store.Event{Data: []byte(`{`)}}); err == nil {
		t.Error("an event that cannot be read is shown")
	}
}
