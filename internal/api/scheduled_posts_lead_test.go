package api_test

import (
	"net/http"
	"testing"
	"time"

	"crier"
	"crier/internal/server/servertest"
)

// A text on Threads is a container, which is created before the post is due: also when the post was only moved.
func TestThreadsTextPostsStartEarly(t *testing.T) {
	t.Parallel()
	servertest.EachDatabase(t, func(t *testing.T, db servertest.Database) {
		s := servertest.Start(t, db, servertest.WithRole("api"))
		c := s.NewCrew(t, 1000, "threads", "x")
		for i, want := range []time.Duration{12 * time.Second, 2500 * time.Millisecond} {
			planned, at := s.ScheduleIn(t, c, s.NewPost(t, c, "a text"), time.Hour,
				crier.Targets{SocialAccountIDs: []crier.ID{c.Accounts[i].ID}})
			id := planned.Data[0].ScheduledPost.ID
			wantWake(t, s, id, at.Add(-want))
			moved := at.Add(time.Hour)
			s.Call(t, c, "PATCH", servertest.Path("scheduled-posts/%s", id),
				servertest.Object{"scheduledAt": moved.UTC().Format(time.RFC3339Nano)}).Want(t, http.StatusOK)
			wantWake(t, s, id, moved.Add(-want))
		}
	})
}

func wantWake(t *testing.T, s *servertest.Server, id crier.ID, want time.Time) {
	t.Helper()
	if s.Number(t, `SELECT count(*) FROM publications WHERE id = $1 AND wake_at = $2`, id, crier.TimeOf(want)) != 1 {
		t.Errorf("work on %s does not begin at %v", id, want)
	}
}
