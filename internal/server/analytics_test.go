package server_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"crier"
	"crier/internal/sandbox"
	"crier/internal/server/servertest"
)

// TestChartsUpdateWithinAMinuteOfTheFirstPost publishes the first post of a new installation with the sandbox: within a
// minute on the clock, the metrics of the post exist and have grown, and the follower chart has data.
func TestChartsUpdateWithinAMinuteOfTheFirstPost(t *testing.T) {
	t.Parallel()
	servertest.EachDatabase(t, func(t *testing.T, db servertest.Database) {
		clock := &servertest.Clock{}
		box := servertest.StartBoxWith(t, sandbox.Options{Grows: true, Now: clock.Now})
		s := servertest.Start(t, db, servertest.WithBox(box), servertest.WithClock(clock))
		c := s.NewCrew(t, 1000, "threads")
		id := s.PostOn(t, c, s.NewPost(t, c, "Our first post"), c.Accounts[0], nil)
		published := *s.Await(t, c, id, crier.Published).PublishedAt
		var views []float64
		line := func(metric string) *float64 {
			var series crier.AnalyticsSeries
			s.Call(t, c, "GET", "analytics/series?metric="+metric, nil).Want(t, http.StatusOK).Into(t, &series)
			if len(series.Groups) == 0 {
				return nil
			}
			return series.Groups[0].Values[len(series.Buckets)-1]
		}
		for _, age := range []time.Duration{5 * time.Second, 15 * time.Second, 30 * time.Second, 45 * time.Second} {
			clock.Advance(max(0, age-clock.Now().Sub(published.Time)))
			runEarlyReading(t, s)
			servertest.Until(t, func() bool {
				v := line("views")
				if v == nil || *v <= append(views, 0)[max(0, len(views)-1)] {
					return false
				}
				views = append(views, *v)
				return true
			}, func() string { return fmt.Sprintf("%s after the post the views are %v", age, views) })
		}
		t.Logf("the views are %v", views)
		servertest.Until(t, func() bool { return line("followers") != nil },
			func() string { return "nobody knows how many follow the account" })
	})
}

// runEarlyReading runs the next early reading of the post at once, as soon as it is planned: the job engine uses the
// machine's time, not the clock of the test.
func runEarlyReading(t *testing.T, s *servertest.Server) {
	t.Helper()
	servertest.Until(t, func() bool {
		done, err := s.Node.Store.Writer().ExecContext(t.Context(), `UPDATE river_job SET state = 'available',
			scheduled_at = created_at WHERE kind = 'post.metrics' AND state = 'scheduled'
			AND CAST(args AS text) LIKE '%early%'`)
		if err != nil {
			t.Fatal(err)
		}
		n, err := done.RowsAffected()
		return err == nil && n == 1
	}, func() string { return "no early reading is planned" })
}
