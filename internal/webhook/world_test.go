package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"crier"
	"crier/internal/auth"
	"crier/internal/events"
	"crier/internal/job"
	"crier/internal/media"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

var databases = &storetest.Suite{}

func TestMain(m *testing.M) { os.Exit(databases.Run(m)) }

// received is a request to an endpoint.
type received struct {
	header http.Header
	body   []byte
	event  crier.Event
}

// endpoint receives webhooks.
type endpoint struct {
	*httptest.Server
	mu  sync.Mutex
	got []received
}

// newEndpoint answers the nth request with answer, or with 200.
func newEndpoint(t *testing.T, answer func(n int, w http.ResponseWriter)) *endpoint {
	t.Helper()
	e := &endpoint{}
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
		if answer != nil {
			answer(n, w)
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

func verify(t *testing.T, secret string, r received) error {
	t.Helper()
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	return verifier.Verify(r.body, r.header)
}

// jobList is a queue whose jobs the test runs.
type jobList struct {
	mu   sync.Mutex
	jobs []job.Args
	// fail is the error of the next call.
	fail error
}

func (q *jobList) Enqueue(_ context.Context, _ *store.Tx, jobs ...job.Job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.fail; err != nil {
		q.fail = nil
		return err
	}
	for _, j := range jobs {
		q.jobs = append(q.jobs, j.Args)
	}
	return nil
}

func (q *jobList) take() []job.Args {
	q.mu.Lock()
	defer q.mu.Unlock()
	jobs := q.jobs
	q.jobs = nil
	return jobs
}

// world is a Dispatcher whose webhooks may have addresses of this machine.
type world struct {
	*Dispatcher
	*storetest.Fixture
	t     *testing.T
	queue *jobList
	time  time.Time
	mails []string
	// rejected is an address that no mail can be sent to.
	rejected crier.Email
}

func (w *world) Send(_ context.Context, to crier.Email, subject, _ string) error {
	if to == w.rejected {
		return errors.New("550 no such user")
	}
	w.mails = append(w.mails, string(to)+": "+subject)
	return nil
}

// waitTimeout is how long deliveries wait for a response: long enough for an endpoint on a busy machine.
const waitTimeout = time.Minute

func newWorld(t *testing.T, f *storetest.Fixture) *world {
	t.Helper()
	return newWorldWith(t, f, waitTimeout)
}

// newWorldWith returns a world whose deliveries have the given timeout.
func newWorldWith(t *testing.T, f *storetest.Fixture, timeout time.Duration) *world {
	t.Helper()
	keys, err := auth.NewKeyring("0123456789abcdef0123456789abcdef")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{Fixture: f, t: t, queue: &jobList{}, time: time.Now().UTC()} // receivers check the time too
	w.Dispatcher = New(Config{Store: f.Store, Keys: keys, Queue: w.queue, Clock: func() time.Time { return w.time },
		Mailer: w, Timeout: timeout,
		Guard: media.Fetcher{AllowAddr: netip.Addr.IsLoopback, AllowPort: func(uint16) bool { return true }}})
	w.sequence()
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) exec(query string, args ...any) {
	w.t.Helper()
	_, err := w.Writer().ExecContext(w.t.Context(), query, args...)
	w.must(err)
}

// create creates a webhook that receives every event.
func (w *world) create(address string) (hook store.Webhook, secret string) {
	w.t.Helper()
	now := crier.TimeOf(w.time)
	hook = store.Webhook{Webhook: crier.Webhook{ID: crier.NewID(), OrganizationID: w.Organization.ID, URL: address,
		Types: []string{crier.AllEvents}, Status: crier.WebhookEnabledStatus, CreatedAt: now, UpdatedAt: now}}
	secret, sealed, err := w.NewSecret(hook.ID)
	w.must(err)
	hook.Secret = sealed
	w.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertWebhook(ctx, hook) })
	return hook, secret
}

// happen writes n events.
func (w *world) happen(n int) {
	w.t.Helper()
	w.Tx(func(_ context.Context, tx *store.Tx) error {
		for range n {
			if err := events.Record(tx, crier.TimeOf(w.time), events.Fact{Type: crier.PostCreated,
				TeamID: &w.Team.ID, Object: crier.Post{ID: crier.NewID(), TeamID: w.Team.ID}}); err != nil {
				return err
			}
		}
		return nil
	})
	w.sequence()
}

// sequence sequences events, as the log of a running node does.
func (w *world) sequence() {
	w.t.Helper()
	_, err := w.SequenceEvents(w.t.Context())
	w.must(err)
}

// deliver dispatches new events and runs jobs until there are none.
func (w *world) deliver() {
	w.t.Helper()
	w.must(w.Dispatch(w.t.Context()))
	w.must(w.AdmitDue(w.t.Context()))
	for jobs := w.queue.take(); len(jobs) > 0; jobs = w.queue.take() {
		w.run(jobs)
		w.sequence()
	}
}

// run runs jobs concurrently.
func (w *world) run(jobs []job.Args) {
	w.t.Helper()
	var all sync.WaitGroup
	failures := make([]error, len(jobs))
	for i, args := range jobs {
		all.Go(func() { failures[i] = w.do(args) })
	}
	all.Wait()
	for _, err := range failures {
		w.must(err)
	}
}

func (w *world) do(args job.Args) error {
	switch args := args.(type) {
	case job.DeliverWebhook:
		return w.Deliver(w.t.Context(), args)
	case job.ReplayWebhook:
		return w.ReplayEvents(w.t.Context(), args)
	case job.MailWebhookDisabled:
		return w.MailDisabled(w.t.Context(), args)
	}
	return nil
}

// deliveries returns those of a webhook, the oldest first, as the API shows them.
func (w *world) deliveries(hook crier.ID) []crier.WebhookDelivery {
	w.t.Helper()
	page, err := w.Fixture.Deliveries(w.t.Context(), hook, "", "", store.PageQuery{Sort: "createdAt", Limit: 100})
	w.must(err)
	list := make([]crier.WebhookDelivery, len(page.Rows))
	for i, d := range page.Rows {
		list[i], err = Shown(d)
		w.must(err)
	}
	return list
}
