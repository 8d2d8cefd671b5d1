package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/events"
	"crier/internal/server"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

func TestMain(m *testing.M) { os.Exit(servertest.Run(m)) }

// hearing is a server with a healthy endpoint that receives the events of new posts.
type hearing struct {
	*servertest.Server
	received chan time.Time
}

func newHearing(t *testing.T, db servertest.Database) hearing {
	t.Helper()
	h := hearing{received: make(chan time.Time, 1000)}
	h.Server = servertest.Start(t, db, servertest.WithRateLimit(0), func(c *server.Config) {
		c.WebhookAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	healthy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		h.received <- time.Now()
	}))
	t.Cleanup(healthy.Close)
	h.subscribe(t, healthy.URL, "post.created")
	return h
}

func (h hearing) subscribe(t *testing.T, url, kind string) {
	t.Helper()
	h.Do(t, "POST", "/v1/organizations/"+string(h.Organization)+"/webhooks",
		servertest.Object{"url": url, "types": []string{kind}}).Want(t, http.StatusCreated)
}

// delay returns how long after a draft the healthy endpoint receives its event.
func (h hearing) delay(t *testing.T) time.Duration {
	t.Helper()
	h.NewPostID(t, servertest.Object{"text": "Hello"})
	created := time.Now()
	select {
	case at := <-h.received:
		return max(0, at.Sub(created))
	case <-time.After(2 * time.Minute):
		t.Fatal("the healthy endpoint hears nothing")
		return 0
	}
}

// TestBacklogOfADeadEndpointDoesNotDelayOthers compares a server on which many events wait for an endpoint that hangs
// with one that has none, in turn, so that the load of the machine affects both. CRIER_TEST_EVENTS sets their number.
func TestBacklogOfADeadEndpointDoesNotDelayOthers(t *testing.T) {
	t.Parallel()
	backlog := int(servertest.NumberFrom(t, "CRIER_TEST_EVENTS", 300))
	servertest.EachDatabase(t, func(t *testing.T, db servertest.Database) {
		calm, busy := newHearing(t, servertest.Databases.Fresh(t, db.Dialect)), newHearing(t, db)
		stop := make(chan struct{})
		dead := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-stop:
			case <-r.Context().Done():
			}
		}))
		t.Cleanup(func() { close(stop); dead.Close() })
		busy.subscribe(t, dead.URL, "asset.ready")
		for written := 0; written < backlog; written += 100 {
			busy.WithTx(t, func(_ context.Context, tx *store.Tx) error {
				for range 100 {
					if err := events.Record(tx, crier.TimeOf(time.Now()), events.Fact{Type: crier.AssetReadyEvent,
						TeamID: &busy.Team, Object: servertest.Object{"id": crier.NewID()}}); err != nil {
						return err
					}
				}
				return nil
			})
		}
		var alone, beside [16]time.Duration
		for i := range alone {
			alone[i], beside[i] = calm.delay(t), busy.delay(t)
		}
		slices.Sort(alone[:])
		slices.Sort(beside[:])
		t.Logf("a healthy endpoint hears after %s (p95 %s), beside a backlog of %d events after %s (p95 %s)", alone[8],
			alone[14], backlog, beside[8], beside[14])
		if late := beside[8] - alone[8]; late > servertest.Pace(100*time.Millisecond) {
			t.Errorf("a backlog of %d events delays a healthy endpoint by %s", backlog, late)
		}
	})
}
