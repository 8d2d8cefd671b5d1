package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// newWebhook inserts an enabled webhook of the fixture's organization.
func newWebhook(f *storetest.Fixture, change ...func(*store.Webhook)) store.Webhook {
	var w store.Webhook
	w.ID, w.OrganizationID, w.URL, w.Status = crier.NewID(), f.Organization.ID, "https://example.com/hook", "enabled"
	w.Types, w.Secret, w.CreatedAt, w.UpdatedAt = []string{"*"}, []byte("sealed"), f.Now, f.Now
	for _, fn := range change {
		fn(&w)
	}
	f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertWebhook(ctx, w) })
	return w
}

// newEventsOf writes events and returns them as they were written.
func newEventsOf(t *testing.T, f *storetest.Fixture, count int) []store.Event {
	t.Helper()
	log, err := f.EventLog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f.Tx(func(_ context.Context, tx *store.Tx) error {
		for i := range count {
			record(tx, f, fmt.Sprint(i))
		}
		return nil
	})
	if _, err := f.SequenceEvents(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, err := f.EventsAfter(t.Context(), log.Last, count)
	if err != nil || len(list) != count {
		t.Fatalf("%d events, %v", len(list), err)
	}
	return list
}

// deliver creates deliveries of events to a webhook.
func deliver(f *storetest.Fixture, w store.Webhook, again bool, at crier.Time, list ...store.Event) {
	deliveries := make([]store.Delivery, len(list))
	for i, e := range list {
		deliveries[i].ID, deliveries[i].WebhookID, deliveries[i].EventID = crier.NewID(), w.ID, e.ID
		deliveries[i].OrganizationID, deliveries[i].EventSequence, deliveries[i].EventType = w.OrganizationID,
			e.Sequence,
			e.Type
	}
	f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertDeliveries(ctx, deliveries, again, at) })
}

func claim(f *storetest.Fixture, w store.Webhook, limit int, now, until crier.Time) (claims []store.Claim) {
	f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
		claims, err = tx.ClaimDeliveries(ctx, w.ID, limit, now, until)
		return err
	})
	return claims
}

// state returns the states of a webhook's deliveries, in the order of their events.
func state(t *testing.T, f *storetest.Fixture, w store.Webhook) string {
	t.Helper()
	page, err := f.Deliveries(t.Context(), w.ID, "", "", store.PageQuery{Sort: "createdAt", Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(page.Rows, func(a, b store.Delivery) int { return int(a.EventSequence - b.EventSequence) })
	var out []string
	for _, d := range page.Rows {
		text := string(d.Status)
		if d.Claimed {
			text += " claimed"
		}
		out = append(out, fmt.Sprintf("%s %d", text, d.Epoch))
	}
	return strings.Join(out, ", ")
}

func TestDeliveryIsLeasedToOneWorker(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, w := t.Context(), newWebhook(f)
		list := newEventsOf(t, f, 3)
		deliver(f, w, false, f.Now, list...)
		deliver(f, w, false, f.Now, list...) // assigned twice
		if got := state(t, f, w); got != "pending 0, pending 0, pending 0" {
			t.Fatalf("the deliveries are %s", got)
		}
		if got := claim(f, w, 10, f.After(-time.Microsecond), f.After(time.Minute)); len(got) != 0 {
			t.Errorf("%d were claimed before they were due", len(got))
		}
		if got := claim(f, w, 0, f.Now, f.After(time.Minute)); len(got) != 0 {
			t.Errorf("%d were claimed of none", len(got))
		}
		first := claim(f, w, 2, f.Now, f.After(time.Minute)) // the oldest
		if got := state(t, f, w); len(first) != 2 || got != "pending claimed 1, pending claimed 1, pending 0" {
			t.Fatalf("%d were claimed: %s", len(first), got)
		}
		var of, all int
		f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
			of, all, err = tx.ClaimedDeliveries(ctx, f.Organization.ID, w.ID, f.Now)
			return err
		})
		if of != 2 || all != 2 {
			t.Errorf("workers have %d of it and %d of all", of, all)
		}
		if rest := claim(f, w, 10, f.Now, f.After(time.Minute)); len(rest) != 1 {
			t.Errorf("%d were left to claim", len(rest))
		}
		again := claim(f, w, 10, f.After(time.Minute), f.After(2*time.Minute)) // all leases have expired
		if len(again) != 3 {
			t.Fatalf("%d were claimed again", len(again))
		}
		if d, err := f.ClaimedDelivery(ctx, first[0]); d != nil || err != nil {
			t.Errorf("a worker that was taken for lost has %+v, %v", d, err)
		}
		finish := func(c store.Claim, status crier.WebhookDeliveryStatus, due *crier.Time) (ok bool) {
			var d store.Delivery
			d.ID, d.Epoch, d.Status, d.DueAt, d.Tries, d.UpdatedAt = c.ID, c.Epoch, status, due, 1, f.Now
			d.Attempts = []crier.WebhookAttempt{{Status: 200}}
			f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
				ok, err = tx.FinishDelivery(ctx, d)
				return err
			})
			return ok
		}
		if finish(first[0], "delivered", nil) {
			t.Error("a worker that was taken for lost has finished")
		}
		if !finish(again[0], "delivered", nil) || finish(again[0], "failed", nil) {
			t.Error("the present worker has finished never or twice")
		}
		d, err := f.ClaimedDelivery(ctx, again[1])
		if err != nil || d == nil || d.Event == nil || d.Event.OrganizationID != f.Organization.ID ||
			string(d.Event.Data) != "{}" || d.Attempts == nil {
			t.Errorf("the worker has %+v, %v", d, err)
		}
	})
}

func TestFinishedDeliveryCanBeRedelivered(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w, other := newWebhook(f), newWebhook(f)
		list := newEventsOf(t, f, 2)
		deliver(f, w, false, f.Now, list...)
		deliver(f, other, false, f.Now, list...)
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.GiveUpDeliveries(ctx, w.ID, f.Now) })
		if got := state(t, f, w); got != "failed 1, failed 1" {
			t.Errorf("after giving up: %s", got)
		}
		deliver(f, w, false, f.Now, list...)
		if got := state(t, f, w); got != "failed 1, failed 1" {
			t.Errorf("what ended is delivered again without being asked for: %s", got)
		}
		deliver(f, w, true, f.Now, list[0])
		if got := state(t, f, w); got != "pending 2, failed 1" {
			t.Errorf("after a replay: %s", got)
		}
		claim(f, w, 1, f.Now, f.After(time.Minute))
		deliver(f, w, true, f.Now, list[0]) // it is being delivered
		if got := state(t, f, w); got != "pending claimed 3, failed 1" {
			t.Errorf("a replay of what is on its way: %s", got)
		}
		if got := state(t, f, other); got != "pending 0, pending 0" {
			t.Errorf("those of another webhook are %s", got)
		}
		var locked store.Delivery
		f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
			page, err := tx.Deliveries(ctx, w.ID, list[1].ID, "", store.PageQuery{Sort: "createdAt", Limit: 9})
			if err != nil || len(page.Rows) != 1 {
				return fmt.Errorf("%d deliveries, %w", len(page.Rows), err)
			}
			if locked, err = tx.LockDelivery(ctx, w.ID, page.Rows[0].ID); err != nil {
				return err
			}
			return tx.RestartDelivery(ctx, locked.ID, f.Now)
		})
		if got := state(t, f, w); got != "pending claimed 3, pending 2" {
			t.Errorf("after a restart: %s", got)
		}
		err := f.TryTx(func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.LockDelivery(ctx, other.ID, locked.ID)
			return err
		})
		if kindOf(err) != crier.KindNotFound {
			t.Errorf("the delivery of another webhook: %v", err)
		}
		for _, c := range []struct {
			event  crier.ID
			status crier.WebhookDeliveryStatus
			want   int64
		}{{"", "", 2}, {list[0].ID, "", 1}, {"", "pending", 2}, {"", "failed", 0}, {crier.NewID(), "", 0}} {
			if n, err := f.DeliveryCount(t.Context(), w.ID, c.event, c.status); err != nil || n != c.want {
				t.Errorf("%d deliveries of %q in the state %q, %v; want %d", n, c.event, c.status, err, c.want)
			}
		}
	})
}

func TestWebhookWakesForItsEarliestDelivery(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, w := t.Context(), newWebhook(f)
		disabled := newWebhook(f, func(w *store.Webhook) { w.Status = "disabled" })
		list := newEventsOf(t, f, 2)
		wake := func(at crier.Time) (due int) {
			t.Helper()
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				return firstError(tx.WakeWebhook(ctx, w.ID), tx.WakeWebhook(ctx, disabled.ID))
			})
			ids, err := f.DueWebhooks(ctx, at)
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range ids {
				if id != w.ID {
					t.Errorf("%s is due", id)
				}
			}
			return len(ids)
		}
		if wake(f.After(time.Hour)) != 0 {
			t.Error("a webhook without deliveries is due")
		}
		deliver(f, w, false, f.After(time.Minute), list[0])
		deliver(f, w, false, f.After(time.Second), list[1])
		deliver(f, disabled, false, f.Now, list...)
		if wake(f.After(time.Second-time.Microsecond)) != 0 || wake(f.After(time.Second)) != 1 {
			t.Error("it is not due with its first delivery")
		}
		claim(f, w, 10, f.After(time.Second), f.After(time.Hour))
		if wake(f.After(59*time.Second)) != 0 || wake(f.After(time.Minute)) != 1 {
			t.Error("it is not due with its second delivery")
		}
	})
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestWebhookReceivesEventsSinceItsCreation(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := t.Context()
		if has, err := f.HasWebhooks(ctx); has || err != nil {
			t.Errorf("there are webhooks: %v", err)
		}
		before := newEventsOf(t, f, 2)[1].Sequence
		w := newWebhook(f, func(w *store.Webhook) { w.TeamIDs = []crier.ID{f.Team.ID} })
		later := newEventsOf(t, f, 1)[0].Sequence
		got, err := f.Webhook(ctx, f.Organization.ID, w.ID)
		if err != nil || got.AfterSequence != before || !slices.Equal(got.TeamIDs, w.TeamIDs) ||
			!slices.Equal(got.Types, w.Types) || string(got.Secret) != "sealed" {
			t.Fatalf("the webhook is %+v, %v", got, err)
		}
		update := func(switchedOn bool) store.Webhook {
			t.Helper()
			got.TeamIDs, got.Status, got.Failures = nil, "enabled", 3
			f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.UpdateWebhook(ctx, got, switchedOn) })
			now, err := f.WebhookByID(ctx, w.ID)
			if err != nil || now == nil || now.TeamIDs != nil || now.Failures != 3 {
				t.Fatalf("changed to %+v, %v", now, err)
			}
			return *now
		}
		if now := update(false); now.AfterSequence != before {
			t.Errorf("a change moves it to %d", now.AfterSequence)
		}
		if now := update(true); now.AfterSequence != later {
			t.Errorf("what is switched on begins at %d, want %d", now.AfterSequence, later)
		}
		if _, err := f.Webhook(ctx, crier.NewID(), w.ID); kindOf(err) != crier.KindNotFound {
			t.Errorf("another organization reads it: %v", err)
		}
		if n, err := f.WebhookCount(ctx, f.Organization.ID); n != 1 || err != nil {
			t.Errorf("there are %d, %v", n, err)
		}
		deliver(f, w, false, f.Now, newEventsOf(t, f, 1)...)
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.DeleteWebhook(ctx, w.ID) })
		if gone, err := f.WebhookByID(ctx, w.ID); gone != nil || err != nil {
			t.Errorf("it is there: %v", err)
		}
		if n := f.Scan(`SELECT count(*) FROM webhook_deliveries`); n != 0 {
			t.Errorf("%d deliveries are left", n)
		}
	})
}

func TestOldEventsAreSweptWithTheirDeliveriesAndWithoutGaps(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w := newWebhook(f)
		var list []store.Event
		for _, age := range []time.Duration{3 * time.Hour, 2 * time.Hour, 0, 2 * time.Hour} {
			now := f.Now
			f.Now = f.After(-age)
			list = append(list, newEventsOf(t, f, 1)...)
			f.Now = now
		}
		deliver(f, w, false, f.Now, list...)
		var swept, deliveries int64
		f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
			swept, err = tx.SweepEvents(ctx, f.After(-time.Hour))
			return err
		})
		f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
			deliveries, err = tx.SweepDeliveries(ctx)
			return err
		})
		log, err := f.EventLog(t.Context())
		if err != nil || swept != 2 || deliveries != 2 || log.Swept != list[1].Sequence ||
			log.Last != list[3].Sequence {
			t.Errorf("swept %d events and %d deliveries: %+v, %v", swept, deliveries, log, err)
		}
		left, err := f.EventsAfter(t.Context(), 0, 10)
		if err != nil || len(left) != 2 || left[0].ID != list[2].ID {
			t.Errorf("%d events are left, %v: an old one behind a young one stays", len(left), err)
		}
	})
}

func TestEventsAreSelected(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, other := t.Context(), f.NewTeam("Other")
		foreign := f.NewOrganization("Foreign").ID
		event := func(kind crier.EventType, team *crier.ID, org crier.ID, at crier.Time) store.NewEvent {
			return store.NewEvent{ID: crier.NewID(), Type: kind, OrganizationID: org, TeamID: team, Data: []byte(`{}`),
				CreatedAt: at}
		}
		list := []store.NewEvent{
			event("a", &f.Team.ID, "", f.Now), event("b", &other.ID, "", f.After(time.Hour)),
			event("a", nil, f.Organization.ID, f.After(2*time.Hour)), event("a", nil, foreign, f.Now),
		}
		f.Tx(func(_ context.Context, tx *store.Tx) error { tx.RecordEvents(list...); return nil })
		if _, err := f.SequenceEvents(ctx); err != nil {
			t.Fatal(err)
		}
		first, _, err := f.EventSequence(ctx, f.Organization.ID, list[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		hour, two := f.After(time.Hour), f.After(2*time.Hour)
		for name, c := range map[string]struct {
			after  int64
			filter store.EventFilter
			want   []int
		}{
			"all":               {0, store.EventFilter{}, []int{0, 1, 2}},
			"behind the first":  {first, store.EventFilter{}, []int{1, 2}},
			"of a type":         {0, store.EventFilter{Types: []crier.EventType{"a"}}, []int{0, 2}},
			"of both types":     {0, store.EventFilter{Types: []crier.EventType{"b", "a", "b"}}, []int{0, 1, 2}},
			"of two types":      {0, store.EventFilter{Types: []crier.EventType{"b", "c"}}, []int{1}},
			"of a team":         {0, store.EventFilter{TeamID: other.ID}, []int{1}},
			"of a person":       {0, store.EventFilter{TeamIDs: []crier.ID{f.Team.ID, other.ID}}, []int{0, 1}},
			"from an hour on":   {0, store.EventFilter{From: &hour}, []int{1, 2}},
			"before two hours":  {0, store.EventFilter{To: &two}, []int{0, 1}},
			"up to a place":     {0, store.EventFilter{Until: first + 1}, []int{0, 1}},
			"nothing of a team": {first, store.EventFilter{TeamID: f.Team.ID}, nil},
		} {
			got, err := f.OrganizationEvents(ctx, f.Organization.ID, c.after, c.filter, 10)
			if err != nil {
				t.Fatal(err)
			}
			var ids, want []crier.ID
			for _, e := range got {
				ids = append(ids, e.ID)
			}
			for _, i := range c.want {
				want = append(want, list[i].ID)
			}
			if !slices.Equal(ids, want) {
				t.Errorf("%s: %d events, want %d", name, len(ids), len(want))
			}
			if n, err := f.CountEvents(ctx, f.Organization.ID, c.filter); c.after == 0 && (err != nil ||
				n != int64(len(want))) {
				t.Errorf("%s: %d are counted, %v", name, n, err)
			}
		}
		if _, ok, err := f.EventSequence(ctx, f.Organization.ID, list[3].ID); ok || err != nil {
			t.Errorf("the event of another organization is found: %v", err)
		}
	})
}
