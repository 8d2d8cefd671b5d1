package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/server/servertest"
)

// TestMetricsCoverTheAlerts uses a node with the role api, so that due posts are not published.
func TestMetricsCoverTheAlerts(t *testing.T) {
	t.Parallel()
	servertest.EachDatabase(t, func(t *testing.T, db servertest.Database) {
		clock := servertest.NewStoppedClock()
		s := servertest.Start(t, db, servertest.WithClock(clock), servertest.WithRole("api"))
		scrape := func(want ...string) {
			t.Helper()
			got := string(s.Send(t, servertest.Request{Method: "GET", Path: "/metrics"}).Want(t, http.StatusOK).Body)
			for _, line := range want {
				if !strings.Contains(got, "\n"+line+"\n") {
					t.Errorf("the metrics have no %s:\n%s", line, linesWith(got, line[:min(len(line), 14)]))
				}
			}
		}
		idle := []string{`crier_database_up 1`, `crier_publications_due{provider="x"} 0`,
			`crier_publications_oldest_due_seconds{provider="x"} 0`, `crier_publications_ready_seconds 0`,
			`crier_webhooks_failing{state="dead"} 0`, `crier_webhooks_failing{state="retrying"} 0`}
		scrape(idle...)

		x := s.InsertAccount(t, "x")
		at := crier.TimeOf(clock.Now().Add(-90 * time.Second))
		due := s.InsertPublications(t, servertest.PublicationRow{
			Post: s.NewPostID(t, servertest.Object{"text": "Hello"}), Account: x,
			Status: crier.Scheduled, At: at.Time})[0]
		s.Exec(t, `UPDATE publications SET wake_at = $2 WHERE id = $1`, due, at)
		s.Exec(t, `UPDATE social_accounts SET health_issue = 'auth_failed' WHERE id = $1`, x)
		s.Do(t, "POST", "/v1/organizations/"+string(s.Organization)+"/webhooks", servertest.Object{
			"url": "https://example.com/hook", "types": []string{"post.created"}}).Want(t, http.StatusCreated)
		s.Exec(t, `UPDATE webhooks SET failing_since = $1, status = 'disabled'`, at)

		scrape(idle...) // they are cached for some seconds
		clock.Advance(30 * time.Second)
		scrape(`crier_publications_due{provider="x"} 1`, `crier_publications_due{provider="threads"} 0`,
			`crier_publications_oldest_due_seconds{provider="x"} 120`, `crier_publications_ready_seconds 120`,
			`crier_accounts_unhealthy{issue="auth_failed",provider="x"} 1`, `crier_webhooks_failing{state="dead"} 1`,
			`crier_webhooks_failing{state="retrying"} 0`)

		s.Exec(t, `ALTER TABLE webhooks RENAME TO away`)
		clock.Advance(30 * time.Second)
		scrape(`crier_database_up 0`)
	})
}

// linesWith returns the lines of a text that start with a prefix.
func linesWith(text, start string) string {
	var found strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, start) {
			found.WriteString(line)
		}
	}
	return found.String()
}
