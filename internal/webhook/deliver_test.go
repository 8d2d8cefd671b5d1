package webhook

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"testing"
	"time"

	"crier/internal/job"
	"crier/internal/media"
	"crier/internal/notify"
	"crier/internal/store/storetest"
)

// If a worker is lost between the response and recording it, the event is sent again once its lease has ended.
func TestDeliveryOfALostWorkerIsRetried(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w := newWorld(t, f)
		ctx, die := context.WithCancel(t.Context())
		e := newEndpoint(t, func(n int, _ http.ResponseWriter) {
			if n == 1 {
				die() // before it can record anything
			}
		})
		hook, secret := w.create(e.URL)
		w.happen(1)
		w.must(w.Dispatch(t.Context()))
		lost := w.queue.take()[0].(job.DeliverWebhook)
		if err := w.Deliver(ctx, lost); err == nil {
			t.Fatal("the worker lived")
		}
		w.time = w.time.Add(deliveryLease - time.Second)
		w.deliver()
		if len(e.requests()) != 1 {
			t.Fatal("it was taken for lost too early")
		}
		w.time = w.time.Add(2 * time.Second)
		w.deliver()
		got := e.requests()
		if len(got) != 2 || got[0].header.Get(notify.HeaderID) != got[1].header.Get(notify.HeaderID) {
			t.Fatalf("%d requests", len(got))
		}
		for _, r := range got {
			if err := verify(t, secret, r); err != nil {
				t.Error(err)
			}
		}
		w.must(w.Deliver(t.Context(), lost)) // it was only suspended
		if len(e.requests()) != 2 {
			t.Error("a worker that was taken for lost went on")
		}
		if d := w.deliveries(hook.ID); len(d) != 1 || d[0].Tries != 1 {
			t.Errorf("deliveries %+v", d)
		}
	})
}

func TestFailingEndpointUsesOneWorker(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w := newWorld(t, f)
		dead := newEndpoint(t, func(_ int, w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) })
		healthy := newEndpoint(t, nil)
		w.create(dead.URL)
		w.create(healthy.URL)
		w.happen(30)
		w.must(w.Dispatch(t.Context()))
		jobs := w.queue.take()
		if len(jobs) != 2*webhookWindow {
			t.Fatalf("%d deliveries are under way at first, want %d", len(jobs), 2*webhookWindow)
		}
		for len(healthy.requests()) < 30 {
			if len(jobs) == 0 {
				t.Fatalf("nothing is under way after %d requests", len(healthy.requests()))
			}
			w.run(jobs)
			// It is not known to fail before the third failure.
			if jobs = w.queue.take(); len(jobs) > webhookWindow+failingFrom {
				t.Fatalf("%d deliveries are under way", len(jobs))
			}
		}
		if n := len(dead.requests()); n > 30 {
			t.Errorf("%d requests went to the dead endpoint", n)
		}
	})
}

// Whatever deliveries the other webhooks of an organization have running, each webhook may have one.
func TestDeadEndpointsLeaveRoomForAHealthyOne(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w := newWorld(t, f)
		hold := make(chan struct{})
		dead := newEndpoint(t, func(int, http.ResponseWriter) { <-hold })
		defer close(hold)
		for range organizationWindow / webhookWindow {
			w.create(dead.URL)
		}
		w.happen(webhookWindow)
		w.must(w.Dispatch(t.Context()))
		if n := len(w.queue.take()); n != organizationWindow { // and none of them ends
			t.Fatalf("%d deliveries are under way, want %d", n, organizationWindow)
		}
		healthy := newEndpoint(t, nil)
		w.create(healthy.URL)
		w.happen(3)
		w.deliver()
		if n := len(healthy.requests()); n != 3 {
			t.Errorf("the healthy endpoint got %d events, want 3", n)
		}
	})
}

func TestWebhookURLs(t *testing.T) {
	t.Parallel()
	anyPort := func(uint16) bool { return true }
	open := New(Config{Guard: media.Fetcher{AllowAddr: netip.Addr.IsLoopback, AllowPort: anyPort}})
	strict := New(Config{Guard: media.Fetcher{AllowPort: anyPort}})
	for address, want := range map[string]struct{ strict, open bool }{
		"https://example.com/hook":      {true, true},
		"https://example.com:8443/hook": {true, true},
		"http://example.com/hook":       {false, true},
		"http://127.0.0.1:3000/hook":    {false, true},
		"http://93.184.216.34/hook":     {false, false},
		"https://93.184.216.34/hook":    {true, true},
		"https://127.0.0.1/":            {false, true},
		"https://[::1]/":                {false, true},
		"https://10.0.0.1/":             {false, false},
		"https://169.254.169.254/":      {false, false},
		"https://2130706433/":           {false, false},
		"https://ada:pw@example.com/":   {false, false},
		"ftp://example.com/":            {false, false},
		"example.com":                   {false, false},
		"":                              {false, false},
	} {
		if got := len(strict.CheckURL(address)) == 0; got != want.strict {
			t.Errorf("%q is allowed: %v", address, got)
		}
		if got := len(open.CheckURL(address)) == 0; got != want.open {
			t.Errorf("%q is allowed for development: %v", address, got)
		}
	}
}

// lookups answers each lookup of a name with the next address; the last one is repeated.
type lookups struct {
	addresses []string
	requests  int
}

func (l *lookups) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	address := l.addresses[min(l.requests, len(l.addresses)-1)]
	l.requests++
	return []netip.Addr{netip.MustParseAddr(address)}, nil
}

// Each attempt resolves the name once, checks the address, and connects to it: a name that resolves to another address
// at a second lookup gains nothing. The test treats 127.0.0.1 as the internet and 127.0.0.2 as a private network.
func TestAddressIsCheckedAtDialTime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		found    []string
		requests int
		errors   []string
	}{
		"a private address": {[]string{"127.0.0.2"}, 0, []string{media.RefusedAddress(&media.Refusal{
			Reason: media.ReasonAddress})}},
		"an address that changes": {[]string{"127.0.0.1", "127.0.0.2"}, 1, []string{
			"The endpoint answered 500 Internal Server Error; an answer of 2xx means that the event has arrived.",
			media.RefusedAddress(&media.Refusal{Reason: media.ReasonAddress})}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
				w := newWorld(t, f)
				e := newEndpoint(t, func(_ int, w http.ResponseWriter) {
					w.WriteHeader(http.StatusInternalServerError)
				})
				names := &lookups{addresses: c.found}
				w.guard = media.Fetcher{AllowPort: func(uint16) bool { return true }, LookupNetIP: names.LookupNetIP,
					AllowAddr: func(a netip.Addr) bool { return a == netip.MustParseAddr("127.0.0.1") }}
				w.sender.Transport = w.guard.Transport()
				hook, _ := w.create("http://rebinding.example.com" + e.URL[len("http://127.0.0.1"):])
				w.happen(1)
				for range c.errors {
					w.deliver()
					w.time = w.time.Add(time.Minute)
				}
				d := w.deliveries(hook.ID)
				var errors []string
				for _, a := range slices.Backward(d[0].Attempts) {
					errors = append(errors, a.Error)
				}
				if !slices.Equal(errors, c.errors) || len(e.requests()) != c.requests ||
					names.requests != len(c.errors) {
					t.Errorf("%d requests, %d look-ups, errors %q", len(e.requests()), names.requests, errors)
				}
			})
		})
	}
}
