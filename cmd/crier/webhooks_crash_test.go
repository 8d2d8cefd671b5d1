package main

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// A process that is killed after an endpoint has accepted an event, and before it could record that, sends the event
// again with the same id: the endpoint can recognize the duplicate.
func TestEventIsRedeliveredWithTheSameIDAfterAKill(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		k := startKillableServer(t, db, "CRIER_WEBHOOK_ALLOW=127.0.0.0/8")
		taken, dead := make(chan string, 10), make(chan struct{})
		first := sync.OnceFunc(func() { <-dead }) // the response comes after the process is killed
		endpoint := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			taken <- r.Header.Get("webhook-id")
			first()
		}))
		t.Cleanup(endpoint.Close)
		k.Do(t, "POST", path("/v1/organizations/%s/webhooks", k.Organization), object{"url": endpoint.URL,
			"types": []string{"post.created"}}).Want(t, http.StatusCreated)
		k.NewPostID(t, object{"text": "Hello"})
		id := receive(t, taken)
		k.restart(t)
		close(dead)
		if db.Dialect == store.Postgres { // another node could hold it: the claim expires after a minute
			endClaims(t, db)
		}
		if again := receive(t, taken); again != id || id == "" {
			t.Errorf("the event %s was delivered again as %s", id, again)
		}
		hooks := k.Do(t, "GET", path("/v1/organizations/%s/webhooks", k.Organization), nil).
			Want(t, http.StatusOK).IDs(t)
		servertest.Until(t, func() bool {
			var list crier.Page[crier.WebhookDelivery]
			k.Do(t, "GET", path("/v1/organizations/%s/webhooks/%s/deliveries", k.Organization, hooks[0]), nil).Want(t,
				http.StatusOK).Into(t, &list)
			return len(list.Data) == 1 && list.Data[0].Status == crier.WebhookDelivered &&
				string(list.Data[0].EventID) == id
		}, func() string { return "the delivery is not noted" })
	})
}

func receive(t *testing.T, taken <-chan string) string {
	t.Helper()
	select {
	case id := <-taken:
		return id
	case <-time.After(servertest.WaitTimeout):
		t.Fatal("no event arrives")
		return ""
	}
}

// endClaims makes the minute pass after which deliveries of a dead node are claimed by others.
func endClaims(t *testing.T, db database) {
	t.Helper()
	st := db.Open(t)
	past := crier.TimeOf(time.Now().Add(-time.Second))
	for _, query := range []string{`UPDATE webhook_deliveries SET due_at = $1 WHERE claimed`,
		`UPDATE webhooks SET wake_at = $1`} {
		if _, err := st.Writer().ExecContext(t.Context(), query, past); err != nil {
			t.Fatal(err)
		}
	}
}
