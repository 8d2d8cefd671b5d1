package service

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"crier"
	"crier/internal/access"
	"crier/internal/job"
	"crier/internal/media"
	"crier/internal/notify"
	"crier/internal/pagination"
	"crier/internal/store"
)

// received is a request to an endpoint.
type received struct {
	header http.Header
	body   []byte
	event  crier.Event
}

// endpoint receives webhooks.
type endpoint struct {
	*httptest.Server
	mu     sync.Mutex
	got    []received
	answer func(n int, w http.ResponseWriter)
}

func newEndpoint(t *testing.T, answer func(n int, w http.ResponseWriter)) *endpoint {
	t.Helper()
	e := &endpoint{answer: answer}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		in := received{header: r.Header, body: body}
		_ = json.Unmarshal(body, &in.event)
		e.mu.Lock()
		e.got = append(e.got, in)
		n := len(e.got)
		e.mu.Unlock()
		if e.answer != nil {
			e.answer(n, w)
		}
	}))
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) requests() []received {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.got)
}

// jobList is a queue whose webhook jobs the test runs.
type jobList struct {
	mu   sync.Mutex
	jobs []job.Job
}

func (q *jobList) Enqueue(_ context.Context, _ *store.Tx, jobs ...job.Job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, j := range jobs {
		if strings.HasPrefix(j.Args.Kind(), "webhook.") {
			q.jobs = append(q.jobs, j)
		}
	}
	return nil
}

func (q *jobList) take() []job.Job {
	q.mu.Lock()
	defer q.mu.Unlock()
	jobs := q.jobs
	q.jobs = nil
	return jobs
}

// hooks are rules whose webhooks may have addresses of this machine.
type hooks struct {
	*rules
	queue *jobList
	team  access.TeamScope
	scope access.OrgScope
	mails []string
}

func (h *hooks) Send(_ context.Context, to crier.Email, subject, _ string) error {
	h.mails = append(h.mails, string(to)+": "+subject)
	return nil
}

func newHooks(t *testing.T, st *store.Store) *hooks {
	t.Helper()
	h := &hooks{queue: &jobList{}}
	h.rules = newRulesWith(t, st, testSecret, func(cfg *Config) {
		// No endpoint of these tests hangs: only a busy machine would reach the timeout.
		cfg.Queue, cfg.Mailer, cfg.WebhookTimeout = h.queue, h, time.Minute
		cfg.WebhookGuard = media.Fetcher{AllowAddr: netip.Addr.IsLoopback, AllowPort: func(uint16) bool { return true }}
	})
	h.time = time.Now().UTC()
	h.team = h.initialise(t, crier.WritePosts)
	scope, err := h.Access.Organization(t.Context(), h.team.Caller(), h.team.Team().OrganizationID,
		crier.ManageWebhooks)
	if err != nil {
		t.Fatal(err)
	}
	h.scope = scope
	h.sequence(t)
	return h
}

func (h *hooks) create(t *testing.T, address string, types ...string) crier.WebhookWithSecret {
	t.Helper()
	w, err := h.Webhooks.Create(t.Context(), h.scope, crier.WebhookCreate{URL: address, Types: types})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (h *hooks) draft(t *testing.T) crier.Post {
	t.Helper()
	p, err := h.Posts.Create(t.Context(), h.team, crier.PostCreate{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// deliver dispatches new events and runs jobs until there are none.
func (h *hooks) deliver(t *testing.T) {
	t.Helper()
	h.sequence(t)
	for _, step := range []func(context.Context) error{h.Dispatcher.Dispatch, h.Dispatcher.AdmitDue} {
		if err := step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for jobs := h.queue.take(); len(jobs) > 0; jobs = h.queue.take() {
		for _, j := range jobs {
			if err := h.run(t.Context(), j.Args); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func (h *hooks) run(ctx context.Context, args job.Args) error {
	switch args := args.(type) {
	case job.DeliverWebhook:
		return h.Dispatcher.Deliver(ctx, args)
	case job.ReplayWebhook:
		return h.Dispatcher.ReplayEvents(ctx, args)
	case job.MailWebhookDisabled:
		return h.Dispatcher.MailDisabled(ctx, args)
	}
	return nil
}

func (h *hooks) deliveries(t *testing.T, id crier.ID) []crier.WebhookDelivery {
	t.Helper()
	q, err := h.Pages.Query(pagination.Request{SortBy: "createdAt", Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	page, err := h.Webhooks.Deliveries(t.Context(), h.scope, id, DeliveryQuery{}, q)
	if err != nil {
		t.Fatal(err)
	}
	return page.Data
}

func verify(t *testing.T, secret string, r received) error {
	t.Helper()
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	return verifier.Verify(r.body, r.header)
}

func TestEventsAreDeliveredSigned(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		h := newHooks(t, st)
		h.draft(t) // before the webhook was created
		h.sequence(t)
		all, some := newEndpoint(t, nil), newEndpoint(t, nil)
		w := h.create(t, all.URL, crier.AllEvents)
		h.create(t, some.URL, string(crier.PostDeletedEvent))
		post := h.draft(t)
		h.deliver(t)
		got := all.requests()
		if len(got) != 1 || got[0].event.Type != crier.PostCreated ||
			got[0].header.Get(notify.HeaderID) != string(got[0].event.ID) {
			t.Fatalf("got %+v", got)
		}
		if err := verify(t, w.Secret, got[0]); err != nil {
			t.Error(err)
		}
		if len(some.requests()) != 0 {
			t.Error("an endpoint was told of what it did not ask for")
		}
		if _, err := h.Posts.Delete(t.Context(), h.team, post.ID, false); err != nil {
			t.Fatal(err)
		}
		h.deliver(t)
		if len(all.requests()) != 2 || len(some.requests()) != 1 {
			t.Errorf("%d and %d requests", len(all.requests()), len(some.requests()))
		}
		for _, d := range h.deliveries(t, w.ID) {
			if d.Status != crier.WebhookDelivered || d.Tries != 1 || d.RequestBody == nil || d.NextAttemptAt != nil {
				t.Errorf("delivery %+v", d)
			}
		}
	})
}

func TestFailedDeliveryIsRetriedWithTheSameID(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		h := newHooks(t, st)
		e := newEndpoint(t, func(n int, w http.ResponseWriter) {
			if n == 1 {
				http.Error(w, "not now", http.StatusInternalServerError)
			}
		})
		w := h.create(t, e.URL, crier.AllEvents)
		h.draft(t)
		h.deliver(t)
		d := h.deliveries(t, w.ID)
		if len(d) != 1 || d[0].Status != crier.WebhookPending || d[0].NextAttemptAt == nil ||
			d[0].NextAttemptAt.Sub(h.time).Round(time.Second) != 5*time.Second ||
			d[0].Attempts[0].Answer != "not now\n" {
			t.Fatalf("deliveries %+v", d)
		}
		h.time = h.time.Add(4 * time.Second)
		h.deliver(t)
		if len(e.requests()) != 1 {
			t.Error("it was tried too early")
		}
		h.time = h.time.Add(2 * time.Second)
		h.deliver(t)
		got := e.requests()
		if len(got) != 2 || got[0].header.Get(notify.HeaderID) != got[1].header.Get(notify.HeaderID) {
			t.Fatalf("%d requests", len(got))
		}
		again, err := h.Webhooks.Redeliver(t.Context(), h.scope, w.ID, d[0].ID)
		if err != nil || again.Tries != 0 {
			t.Fatalf("%+v, %v", again, err)
		}
		h.deliver(t)
		if got = e.requests(); len(got) != 3 ||
			got[2].header.Get(notify.HeaderID) != got[0].header.Get(notify.HeaderID) {
			t.Errorf("%d requests after a redelivery", len(got))
		}
	})
}

func TestGoneEndpointIsDisabledAndReported(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		h := newHooks(t, st)
		gone := newEndpoint(t, func(_ int, w http.ResponseWriter) { w.WriteHeader(http.StatusGone) })
		other := newEndpoint(t, nil)
		w := h.create(t, gone.URL, crier.AllEvents)
		h.create(t, other.URL, string(crier.WebhookDisabled))
		for range 20 {
			h.draft(t)
		}
		h.deliver(t)
		h.deliver(t) // of the event
		now, err := h.Webhooks.Get(t.Context(), h.scope, w.ID)
		if err != nil || now.Status != crier.WebhookDisabledStatus || now.DisabledReason == nil {
			t.Fatalf("%+v, %v", now, err)
		}
		if n := len(gone.requests()); n >= 20 {
			t.Errorf("%d requests went to an endpoint that is gone", n)
		}
		if got := other.requests(); len(got) != 1 || got[0].event.Type != crier.WebhookDisabled {
			t.Errorf("others were told %+v", got)
		}
		if _, err := h.Webhooks.Test(t.Context(), h.scope, w.ID); !isConflict(err) {
			t.Errorf("a disabled webhook is tested: %v", err)
		}
		gone.answer = nil
		enabled := crier.WebhookUpdate{Status: crier.Optional[crier.WebhookStatus]{Set: true,
			Value: crier.WebhookEnabledStatus}}
		if _, err := h.Webhooks.Update(t.Context(), h.scope, w.ID, enabled); err != nil {
			t.Fatal(err)
		}
		before := len(gone.requests())
		h.deliver(t)
		if len(gone.requests()) != before {
			t.Error("it was told of what happened while it was off")
		}
		replayed, err := h.Webhooks.Replay(t.Context(), h.scope, w.ID, crier.WebhookReplay{
			From: crier.TimeOf(h.time.Add(-time.Hour)), To: crier.TimeOf(h.time.Add(time.Hour))})
		if err != nil || replayed.Events < 20 {
			t.Fatalf("%+v, %v", replayed, err)
		}
		h.deliver(t)
		if n := int64(len(gone.requests()) - before); n != replayed.Events {
			t.Errorf("%d events were replayed, want %d", n, replayed.Events)
		}
	})
}

func isConflict(err error) bool {
	known, ok := errors.AsType[*crier.Error](err)
	return ok && known.Kind == crier.KindConflict
}

func TestTestEventGoesOnlyToItsWebhook(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		h := newHooks(t, st)
		one, two := newEndpoint(t, nil), newEndpoint(t, nil)
		w := h.create(t, one.URL, string(crier.PostDeletedEvent))
		h.create(t, two.URL, crier.AllEvents)
		tested, err := h.Webhooks.Test(t.Context(), h.scope, w.ID)
		if err != nil {
			t.Fatal(err)
		}
		h.deliver(t)
		if got := one.requests(); len(got) != 1 || got[0].event.ID != tested.EventID {
			t.Errorf("got %+v", got)
		}
		if len(two.requests()) != 0 {
			t.Error("another webhook got the test")
		}
	})
}

func TestBothSecretsSignDuringARotation(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		h := newHooks(t, st)
		e := newEndpoint(t, nil)
		old := h.create(t, e.URL, crier.AllEvents)
		h.draft(t)
		h.sequence(t)
		if err := h.Dispatcher.Dispatch(t.Context()); err != nil {
			t.Fatal(err)
		}
		rotated, err := h.Webhooks.Rotate(t.Context(), h.scope, old.ID, crier.WebhookRotate{GraceSeconds: 60})
		if err != nil || rotated.Secret == old.Secret {
			t.Fatal(err)
		}
		h.deliver(t) // pending deliveries are signed with both
		h.time = h.time.Add(61 * time.Second)
		h.draft(t)
		h.deliver(t)
		got := e.requests()
		if len(got) != 2 {
			t.Fatalf("%d requests", len(got))
		}
		for i, want := range []struct{ old, new bool }{{true, true}, {false, true}} {
			got[i].header.Set(notify.HeaderTimestamp, got[i].header.Get(notify.HeaderTimestamp))
			if fits := verify(t, old.Secret, got[i]) == nil; fits != want.old {
				t.Errorf("request %d fits the old secret: %v", i, fits)
			}
			if fits := verify(t, rotated.Secret, got[i]) == nil; fits != want.new {
				t.Errorf("request %d fits the new secret: %v", i, fits)
			}
		}
	})
}
