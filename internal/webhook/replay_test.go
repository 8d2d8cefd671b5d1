package webhook

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"crier"
	"crier/internal/job"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// ids returns the events that an endpoint has received, in the order of their arrival.
func (e *endpoint) ids() []crier.ID {
	var list []crier.ID
	for _, r := range e.requests() {
		list = append(list, r.event.ID)
	}
	return list
}

func TestReplaySendsTheEventsOfATimeAgain(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w, e := newWorld(t, f), newEndpoint(t, nil)
		hook, secret := w.create(e.URL)
		w.happen(2)
		w.deliver()
		begin := crier.TimeOf(w.time.Add(time.Minute))
		w.time = w.time.Add(2 * time.Minute)
		w.happen(3)
		w.deliver()
		first := e.ids()
		if len(first) != 5 {
			t.Fatalf("%d events arrived, want 5", len(first))
		}
		replay := func(from, to crier.Time) (count int64) {
			w.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
				count, err = w.StartReplay(ctx, tx, hook, crier.WebhookReplay{From: from, To: to})
				return err
			})
			return count
		}
		if n := replay(crier.TimeOf(w.time.Add(time.Hour)), crier.TimeOf(w.time.Add(2*time.Hour))); n != 0 ||
			len(w.queue.take()) != 0 {
			t.Errorf("a time without events has %d to send", n)
		}
		if n := replay(begin, crier.TimeOf(w.time.Add(time.Minute))); n != 3 {
			t.Errorf("%d events are sent again, want the 3 since then", n)
		}
		w.deliver()
		again := e.requests()[5:]
		if len(again) != 3 {
			t.Fatalf("%d events arrived again, want 3", len(again))
		}
		late := slices.Clone(first[2:])
		for _, r := range again {
			if err := verify(t, secret, r); err != nil {
				t.Error(err)
			}
			if !slices.Contains(late, r.event.ID) { // the same id: receivers detect repeats by it
				t.Errorf("%s was sent instead of one of %v", r.event.ID, late)
			}
		}
	})
}

// A transaction that the database aborts to resolve a deadlock runs again, and sends the same events.
func TestReplaySkipsNothingAfterADeadlock(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w := newWorld(t, f)
		hook, _ := w.create("https://example.com/hook")
		w.happen(3)
		w.queue.fail = &pgconn.PgError{Code: "40P01"}
		w.must(w.ReplayEvents(t.Context(), job.ReplayWebhook{WebhookID: hook.ID,
			From: crier.TimeOf(w.time.Add(-time.Hour)), To: crier.TimeOf(w.time.Add(time.Hour)),
			OrganizationID: w.Organization.ID}))
		if n := w.assigned(hook.ID); w.queue.fail != nil || n != 3 {
			t.Errorf("%d events are sent again, want 3", n)
		}
	})
}

func TestReplayOfAWebhookThatIsOffOrGoneSendsNothing(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w, e := newWorld(t, f), newEndpoint(t, nil)
		hook, _ := w.create(e.URL)
		w.happen(1)
		hook.Status = crier.WebhookDisabledStatus
		w.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.UpdateWebhook(ctx, hook, false) })
		for _, id := range []crier.ID{hook.ID, crier.NewID()} {
			w.must(w.ReplayEvents(t.Context(), job.ReplayWebhook{WebhookID: id,
				From: crier.TimeOf(w.time.Add(-time.Hour)),
				To:   crier.TimeOf(w.time.Add(time.Hour)), OrganizationID: w.Organization.ID}))
		}
		w.deliver()
		if got := e.ids(); len(got) != 0 {
			t.Errorf("%v were sent", got)
		}
	})
}

func TestATestIsSentToItsWebhookAlone(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w, e, other := newWorld(t, f), newEndpoint(t, nil), newEndpoint(t, nil)
		hook, _ := w.create(e.URL)
		w.create(other.URL)
		var id crier.ID
		w.Tx(func(_ context.Context, tx *store.Tx) (err error) { id, err = w.SendTest(tx, hook); return err })
		w.sequence()
		w.deliver()
		got := e.requests()
		if len(got) != 1 || got[0].event.ID != id || got[0].event.Type != crier.WebhookTest {
			t.Fatalf("the webhook got %+v", got)
		}
		if rest := other.requests(); len(rest) != 0 {
			t.Errorf("another webhook got %s", rest[0].body)
		}
	})
}

func TestATestIsNotReplayedToOtherWebhooks(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w, e, other := newWorld(t, f), newEndpoint(t, nil), newEndpoint(t, nil)
		hook, _ := w.create(e.URL)
		watcher, _ := w.create(other.URL)
		named, _ := w.create(other.URL)
		named.Types = []string{string(crier.PostCreated), string(crier.WebhookTest)}
		w.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.UpdateWebhook(ctx, named, false) })
		w.Tx(func(_ context.Context, tx *store.Tx) error { _, err := w.SendTest(tx, hook); return err })
		w.happen(1)
		w.must(w.Dispatch(t.Context()))
		w.queue.take()
		w.exec(`DELETE FROM webhook_deliveries`)
		period := crier.WebhookReplay{From: crier.TimeOf(w.time.Add(-time.Hour)),
			To: crier.TimeOf(w.time.Add(time.Hour))}
		for _, c := range []struct {
			hook store.Webhook
			want int64
		}{{hook, 2}, {watcher, 1}, {named, 1}} {
			var count int64
			w.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
				count, err = w.StartReplay(ctx, tx, c.hook, period)
				return err
			})
			w.run(w.queue.take())
			if sent := w.assigned(c.hook.ID); count != c.want || sent != c.want {
				t.Errorf("%d events are counted and %d sent again, want %d", count, sent, c.want)
			}
			w.queue.take()
		}
	})
}

func TestAnEndpointThatIsGoneSwitchesItsWebhookOff(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w := newWorld(t, f)
		e := newEndpoint(t, func(_ int, a http.ResponseWriter) { a.WriteHeader(http.StatusGone) })
		watcher := newEndpoint(t, nil)
		hook, _ := w.create(e.URL + "/hook?key=hush")
		w.happen(1)
		w.deliver()
		off, err := w.WebhookByID(t.Context(), hook.ID)
		w.must(err)
		if off.Status != crier.WebhookDisabledStatus ||
			crier.Text(off.DisabledReason) != "The endpoint answered 410 Gone: it wants no more events." {
			t.Errorf("the webhook is %s: %q", off.Status, crier.Text(off.DisabledReason))
		}
		if want := []string{"owner@acme.example: A webhook was switched off"}; !slices.Equal(w.mails, want) {
			t.Errorf("the mails are %v, want %v", w.mails, want)
		}
		if list := w.deliveries(hook.ID); len(list) != 1 || list[0].Status != crier.WebhookFailed {
			t.Errorf("its deliveries are %+v", list)
		}
		if n := w.Scan(`SELECT count(*) FROM events WHERE type = $1`, crier.WebhookDisabled); n != 1 {
			t.Errorf("%d events tell of it", n)
		}
		w.create(watcher.URL)
		w.happen(1) // nothing more is sent to the disabled one
		w.deliver()
		if len(e.requests()) != 1 {
			t.Errorf("%d events were sent to an endpoint that is gone", len(e.requests()))
		}
	})
}

func TestMailThatAWebhookIsOffIsSentOnlyWhileItIs(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w := newWorld(t, f)
		hook, _ := w.create("https://example.com/hook")
		mail := job.MailWebhookDisabled{WebhookID: hook.ID, UserID: w.Owner.ID, OrganizationID: w.Organization.ID}
		w.must(w.MailDisabled(t.Context(), mail)) // it was enabled again meanwhile
		w.must(w.MailDisabled(t.Context(), job.MailWebhookDisabled{WebhookID: crier.NewID(), UserID: w.Owner.ID}))
		if len(w.mails) != 0 {
			t.Errorf("the mails are %v", w.mails)
		}
		hook.Status = crier.WebhookDisabledStatus
		w.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.UpdateWebhook(ctx, hook, false) })
		w.mailer = nil
		if err := w.MailDisabled(t.Context(), mail); err == nil ||
			err.Error() != "this node cannot send mail: set CRIER_SMTP_URL and CRIER_MAIL_FROM on every "+
				"worker node" {
			t.Errorf("without a mailer: %v", err)
		}
	})
}

// A failing address does not stop the mails to others, and its retries do not repeat them.
func TestEachOwnerIsMailedOnceThatAWebhookIsOff(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w := newWorld(t, f)
		for _, name := range []crier.Email{"broken", "third", "former"} {
			user := w.NewUser(name + "@acme.example")
			w.Join(store.UserPrincipal, user.ID, crier.RoleOwner)
		}
		e := newEndpoint(t, func(_ int, a http.ResponseWriter) { a.WriteHeader(http.StatusGone) })
		hook, _ := w.create(e.URL)
		w.happen(1)
		w.must(w.Dispatch(t.Context()))
		w.run(w.queue.take()) // the webhook is switched off
		mails := w.queue.take()
		w.exec(`DELETE FROM memberships WHERE principal_id =
			(SELECT id FROM users WHERE email = 'former@acme.example')`)
		w.rejected = "broken@acme.example"
		work := func() (failed []job.Args) {
			for _, args := range mails {
				if w.do(args) != nil {
					failed = append(failed, args)
				}
			}
			return failed
		}
		for range 3 {
			mails = work()
		}
		if len(mails) != 1 {
			t.Errorf("%d jobs fail, want that of the rejected address: %+v", len(mails), mails)
		}
		want := []string{"owner@acme.example: A webhook was switched off",
			"third@acme.example: A webhook was switched off"}
		if slices.Sort(w.mails); !slices.Equal(w.mails, want) {
			t.Errorf("the mails are %v, want %v", w.mails, want)
		}
		w.rejected, w.mails = "", nil
		w.must(w.do(job.MailWebhookDisabled{WebhookID: hook.ID})) // enqueued by an older version, for all of them
		mails = w.queue.take()
		if failed := work(); len(mails) != 3 || len(failed) != 0 || len(w.mails) != 3 {
			t.Errorf("a job for all owners sent %v", w.mails)
		}
	})
}

func TestDeliveriesOfNoOneEndQuietly(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w, e := newWorld(t, f), newEndpoint(t, nil)
		w.must(w.Deliver(t.Context(), job.DeliverWebhook{DeliveryID: crier.NewID(), Epoch: 1}))
		hook, _ := w.create(e.URL)
		w.happen(1)
		w.must(w.Dispatch(t.Context()))
		jobs := w.queue.take()
		stale, ok := jobs[0].(job.DeliverWebhook)
		if !ok || len(jobs) != 1 {
			t.Fatalf("the jobs are %+v", jobs)
		}
		stale.Epoch++ // another worker has it
		w.must(w.Deliver(t.Context(), stale))
		if len(e.requests()) != 0 {
			t.Error("a delivery of another worker was made")
		}
		hook.Status = crier.WebhookDisabledStatus
		w.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.UpdateWebhook(ctx, hook, false) })
		w.run(jobs)
		w.must(w.AdmitDue(t.Context()))
		if len(e.requests()) != 0 || len(w.queue.take()) != 0 {
			t.Error("a webhook that is off was told")
		}
	})
}

func TestADeliveryWhoseEventIsGoneSaysSo(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w, e := newWorld(t, f), newEndpoint(t, nil)
		hook, _ := w.create(e.URL)
		w.happen(1)
		w.must(w.Dispatch(t.Context()))
		if _, err := w.Writer().ExecContext(t.Context(), `DELETE FROM events`); err != nil {
			t.Fatal(err)
		}
		w.run(w.queue.take())
		list := w.deliveries(hook.ID)
		if len(list) != 1 || len(list[0].Attempts) != 1 ||
			list[0].Attempts[0].Error != "The event is no longer kept." ||
			list[0].RequestBody != nil {
			t.Errorf("the delivery is %+v", list)
		}
	})
}
