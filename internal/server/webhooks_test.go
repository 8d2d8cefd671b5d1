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

// TestBacklogOfADeadEndpointDoesNotDelayOthers measures how long after a draft a healthy endpoint receives its event:
// alone, and while many events wait for an endpoint that hangs. CRIER_TEST_EVENTS sets their number.
func TestBacklogOfADeadEndpointDoesNotDelayOthers(t *testing.T) {
	t.Parallel()
	backlog := int(servertest.NumberFrom(t, "CRIER_TEST_EVENTS", 300))
	servertest.EachDatabase(t, func(t *testing.T, db servertest.Database) {
		s := servertest.Start(t, db, servertest.WithRateLimit(0), func(c *server.Config) {
			c.WebhookAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		})
		stop, received := make(chan struct{}), make(chan time.Time, 1000)
		dead := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-stop:
			case <-r.Context().Done():
			}
		}))
		healthy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			received <- time.Now()
		}))
		t.Cleanup(func() { close(stop); dead.Close(); healthy.Close() })
		for address, kind := range map[string]string{dead.URL: "asset.ready", healthy.URL: "post.created"} {
			s.Do(t, "POST", "/v1/organizations/"+string(s.Organization)+"/webhooks",
				servertest.Object{"url": address, "types": []string{kind}}).Want(t, http.StatusCreated)
		}
		delays := func() []time.Duration {
			list := make([]time.Duration, 16)
			for i := range list {
				s.NewPostID(t, servertest.Object{"text": "Hello"})
				created := time.Now()
				select {
				case at := <-received:
					list[i] = max(0, at.Sub(created))
				case <-time.After(2 * time.Minute):
					t.Fatal("the healthy endpoint hears nothing")
				}
			}
			slices.Sort(list)
			return list
		}
		alone := delays()
		for written := 0; written < backlog; written += 100 {
			s.WithTx(t, func(_ context.Context, tx *store.Tx) error {
				for range 100 {
					if err := events.Record(tx, crier.TimeOf(time.Now()), events.Fact{Type: crier.AssetReadyEvent,
						TeamID: &s.Team, Object: servertest.Object{"id": crier.NewID()}}); err != nil {
						return err
					}
				}
				return nil
			})
		}
		beside := delays()
		t.Logf("a healthy endpoint hears after %s (p95 %s), beside a backlog of %d events after %s (p95 %s)", alone[8],
			alone[14], backlog, beside[8], beside[14])
		if late := beside[8] - alone[8]; late > servertest.Pace(100*time.Millisecond) {
			t.Errorf("a backlog of %d events delays a healthy endpoint by %s", backlog, late)
		}
	})
}
