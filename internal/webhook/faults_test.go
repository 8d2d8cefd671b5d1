package webhook

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// TestEndpointsThatMisbehave has an endpoint that fails once and then works: the event arrives, and the delivery shows
// the failure.
func TestEndpointsThatMisbehave(t *testing.T) {
	t.Parallel()
	elsewhere := newEndpoint(t, nil)
	var sent atomic.Int64
	const hangs = 3 * time.Second // until the delivery times out
	for name, c := range map[string]struct {
		wrong    func(w http.ResponseWriter)
		status   int
		wantErr  string
		accepted bool
	}{
		"hangs": {func(http.ResponseWriter) { <-time.After(2 * hangs) }, 0, "did not answer within", false},
		"answers 500": {func(w http.ResponseWriter) { http.Error(w, "no", http.StatusInternalServerError) }, 500,
			"answered 500", false},
		"redirects": {func(w http.ResponseWriter) {
			w.Header().Set("Location", elsewhere.URL)
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, 307, "redirects are not followed", false},
		"closes the connection": {func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, 0,
			"could not be reached", false},
		"answers 200 and sends a gigabyte": {func(w http.ResponseWriter) {
			for piece := bytes.Repeat([]byte("x"), 1<<20); sent.Load() < 1<<30; sent.Add(1 << 20) {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
		}, 200, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
				timeout := waitTimeout
				if name == "hangs" {
					timeout = hangs
				}
				w := newWorldWith(t, f, timeout)
				e := newEndpoint(t, func(n int, rw http.ResponseWriter) {
					if n == 1 {
						c.wrong(rw)
					}
				})
				hook, secret := w.create(e.URL)
				w.happen(1)
				w.deliver()
				d := w.deliveries(hook.ID)[0]
				if a := d.Attempts[0]; a.Status != c.status || !strings.Contains(a.Error, c.wantErr) ||
					(a.Error == "") != c.accepted || len(a.Answer) > crier.MaxWebhookAnswer {
					t.Errorf("the attempt is %+v", a)
				}
				w.time = w.time.Add(6 * time.Second)
				w.deliver()
				got := e.requests()
				if d = w.deliveries(hook.ID)[0]; d.Status != crier.WebhookDelivered ||
					c.accepted != (len(got) == 1) || len(got) > 2 {
					t.Fatalf("%d requests, delivery %+v", len(got), d)
				}
				for _, r := range got {
					if err := verify(t, secret, r); err != nil || r.header.Get("webhook-id") != string(d.EventID) {
						t.Errorf("request %+v: %v", r.header, err)
					}
				}
			})
		})
	}
	t.Cleanup(func() {
		if n := len(elsewhere.requests()); n != 0 {
			t.Errorf("a redirect was followed %d times", n)
		}
		// The endpoint has sent only as much as the kernel buffers for two connections.
		if n := sent.Load(); n > 64<<20 {
			t.Errorf("%d bytes of an answer were taken", n)
		}
	})
}

// TestSecretChangesWhileDeliveriesRun rotates the secret of a webhook whenever an event arrives, while others are
// delivered. Each request is signed with a secret that the receiver knows: the current one, or the previous one within
// its grace period.
func TestSecretChangesWhileDeliveriesRun(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w := newWorld(t, f)
		arrived := make(chan struct{}, 100)
		e := newEndpoint(t, func(int, http.ResponseWriter) {
			select {
			case arrived <- struct{}{}:
			default: // more arrive than there are events, which the test reports below
			}
		})
		hook, first := w.create(e.URL)
		secrets, changed := []string{first}, make(chan error, 1)
		w.happen(100)
		go func() {
			var failed error
			for range arrived {
				secret, err := w.rotate(hook.ID)
				secrets, failed = append(secrets, secret), errors.Join(failed, err)
			}
			changed <- failed
		}()
		w.deliver()
		close(arrived)
		w.must(<-changed)
		got := e.requests()
		if len(got) != 100 {
			t.Fatalf("%d requests; the deliveries are %+v", len(got), w.deliveries(hook.ID))
		}
		newest := 0 // of the deliveries so far, which run eight at a time
		for i, r := range got {
			fits := -1
			for n, secret := range secrets {
				if verify(t, secret, r) == nil {
					fits = n
				}
			}
			if fits < 0 {
				t.Errorf("request %d fits no secret", i)
			}
			newest = max(newest, fits)
		}
		if newest == 0 {
			t.Error("no delivery was signed with a new secret")
		}
		w.must(f.WithTx(t.Context(), func(tx *store.Tx) error {
			_, err := tx.LockWebhook(t.Context(), w.Organization.ID, hook.ID)
			return err
		}))
	})
}

// rotate gives a webhook a new secret, with a grace period of a minute for the old one.
func (w *world) rotate(id crier.ID) (secret string, err error) {
	ctx := context.Background()
	err = w.WithTx(ctx, func(tx *store.Tx) error {
		hook, err := tx.LockWebhook(ctx, w.Organization.ID, id)
		if err != nil {
			return err
		}
		var sealed []byte
		if secret, sealed, err = w.NewSecret(id); err != nil {
			return err
		}
		ends := crier.TimeOf(w.time.Add(time.Minute))
		hook.OldSecret, hook.OldSecretEndsAt, hook.Secret = hook.Secret, &ends, sealed
		return tx.UpdateWebhook(ctx, hook, false)
	})
	return secret, err
}
