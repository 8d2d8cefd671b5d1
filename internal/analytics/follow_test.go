package analytics_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crier"
	"crier/internal/job"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// follow counts until nothing is left, and returns the number of calls.
func (w *world) follow(t *testing.T) (calls int) {
	t.Helper()
	if _, err := w.SequenceEvents(t.Context()); err != nil {
		t.Fatal(err)
	}
	for calls = 1; calls < 20; calls++ {
		more, err := w.Analytics.Follow(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			return calls
		}
	}
	t.Fatal("counting has no end")
	return 0
}

func TestFollowCountsEachPublishedPostOnce(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w := newWorld(t, f)
		w.follow(t) // there is nothing from before analytics
		zone := "Pacific/Auckland"
		w.Team.Timezone = &zone
		w.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.UpdateTeam(ctx, w.Team) })
		sandbox := w.connected(t, crier.ProviderX, func(a *store.Account) { a.Sandbox = true })
		actual := w.published("real", time.Hour)
		tried := w.published("tried", time.Hour, func(p *store.Publication) { p.SocialAccountID = sandbox.ID })
		due := w.Schedule(w.NewPost("due"))
		// An event may occur twice, and a post may have been deleted since.
		w.recordPublished(actual, tried, due, actual)
		w.follow(t)
		if n := w.Scan(`SELECT count(*) FROM publication_stats`); n != 2 {
			t.Errorf("%d publications are counted, want the 2 that went out", n)
		}
		// 13:00 UTC is the next day in New Zealand.
		if day := w.Scan(`SELECT min(published_day) FROM publication_stats`); day != w.Now.Unix()/86400+1 {
			t.Errorf("a post of the next day is counted on day %d", day)
		}
		want := []job.Job{w.reading(actual, 0, time.Hour), w.reading(tried, 0, time.Hour),
			w.reading(tried, 1, 5*time.Second)} // on the sandbox
		if diff := cmp.Diff(want, w.queue.take()); diff != "" {
			t.Errorf("the planned readings (-want +got):\n%s", diff)
		}
		w.recordPublished(actual)
		w.follow(t)
		if n := w.Scan(`SELECT sum(counted) FROM analytics_days WHERE NOT gained`); n != 2 || len(w.queue.take()) != 0 {
			t.Errorf("2 posts are counted %d times after an event came again", n)
		}
	})
}

// reading is the job of a reading of a publication at an age; early is 0 for the first regular one.
func (w *world) reading(p store.Publication, early int, age time.Duration) job.Job {
	return job.Job{At: p.PublishedAt.Add(age), Args: job.Snapshot{ScheduledPostID: p.ID, Early: early,
		Provider: p.Provider, TeamID: p.TeamID}}
}

// Nodes of the previous version plan the first reading of a post when they publish it, and none when they count it.
func TestFollowPlansFirstReadingsBesideThePreviousVersion(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w := newWorld(t, f)
		w.follow(t)
		byOlder, counted, fresh := w.published("1", time.Hour), w.published("2", time.Hour), w.published("3", time.Hour)
		w.exec(`UPDATE publications SET reading_follows = FALSE WHERE id = $1`, byOlder.ID)
		w.recordPublished(byOlder, counted)
		w.follow(t)
		w.queue.take()
		// The older node has counted both, and so they are not counted again.
		w.exec(`UPDATE analytics_log SET planned_to = 0`)
		w.recordPublished(fresh, counted)
		w.follow(t)
		if diff := cmp.Diff([]job.Job{w.reading(counted, 0, time.Hour), w.reading(fresh, 0, time.Hour)},
			w.queue.take()); diff != "" {
			t.Errorf("the planned readings (-want +got):\n%s", diff)
		}
		w.recordPublished(fresh, counted)
		w.follow(t)
		if again := w.queue.take(); len(again) != 0 {
			t.Errorf("readings are planned again: %+v", again)
		}
		if n := w.Scan(`SELECT count(*) FROM analytics_log WHERE planned_to = followed AND followed = (SELECT
			max(sequence) FROM events)`); n != 1 {
			t.Error("events are left to count")
		}
	})
}

// An installation that is older than analytics has posts and readings whose events are gone.
func TestFollowCountsWhatIsOlderThanAnalytics(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w := newWorld(t, f)
		old := w.published("old", -48*time.Hour)
		w.published("silent", -time.Hour)
		w.Schedule(w.NewPost("due"))
		for hours, likes := range []int64{2, 5} {
			w.exec(`INSERT INTO post_metrics (scheduled_post_id, taken_at, metrics) VALUES ($1, $2, $3)`, old.ID,
				w.After(time.Duration(24*hours-24)*time.Hour), `{"likes":`+string('0'+rune(likes))+`}`)
		}
		w.follow(t)
		for query, want := range map[string]int64{
			`SELECT count(*) FROM publication_stats`:                   2,
			`SELECT sum(likes) FROM analytics_days WHERE NOT gained`:   5,
			`SELECT max(likes) FROM analytics_days WHERE gained`:       3,
			`SELECT count(*) FROM analytics_days WHERE gained`:         2,
			`SELECT sum(counted) FROM analytics_days WHERE NOT gained`: 2,
		} {
			if got := w.Scan(query); got != want {
				t.Errorf("%s: %d, want %d", query, got, want)
			}
		}
		if calls := w.follow(t); calls != 1 {
			t.Errorf("what is counted was looked at %d times more", calls)
		}
	})
}

func TestFollowPassesEventsThatTellNothing(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w := newWorld(t, f)
		w.follow(t)
		w.exec(`UPDATE event_log SET last = 6000 + coalesce((SELECT max(sequence) FROM events), 0)`)
		if more, err := w.Analytics.Follow(t.Context()); err != nil || more {
			t.Errorf("a long log without posts: more %t, %v", more, err)
		}
		behind, err := w.AnalyticsBehind(t.Context())
		if err != nil || behind.Events != 0 {
			t.Errorf("afterwards %d events are not read, %v", behind.Events, err)
		}
		p := w.published("after the gap", 0)
		w.recordPublished(p)
		w.follow(t)
		if n := w.Scan(`SELECT count(*) FROM publication_stats WHERE publication_id = $1`, p.ID); n != 1 {
			t.Errorf("a post after the gap was counted %d times", n)
		}
	})
}
