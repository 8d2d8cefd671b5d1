package main

import (
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

func TestPostNowPublishesOnEachNetworkOnce(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		post := e.NewPost(t, e.crew, "Hello, world")
		r := e.PostNow(t, e.crew, post, e.IDs(), object{"waitSeconds": 30})
		if r.Outcome.Kind != "none_failed" || r.Outcome.SuccessCount != 2 {
			t.Fatalf("outcome %+v", r.Outcome)
		}
		for i, entry := range r.Data {
			if p := entry.ScheduledPost; p == nil || p.Status != crier.Published || p.PlatformPostID == "" ||
				p.Permalink == "" || p.PublishedAt == nil {
				t.Fatalf("entry %d: %+v", i, entry)
			}
			posts := e.box.Timeline(t, e.Accounts[i])
			if len(posts) != 1 || posts[0].Text != "Hello, world" ||
				posts[0].PlatformPostID != entry.ScheduledPost.PlatformPostID {
				t.Errorf("timeline of %s: %+v", e.Accounts[i].Network, posts)
			}
		}
		e.Balanced(t, e.crew)
	})
}

// Not parallel: it measures time, and a machine with more work than cores is late.
func TestScheduledPostsAreSentOnTheSecond(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		due := map[crier.ID]time.Time{}
		for i, text := range []string{"early", "on time", "late"} {
			post := e.NewPost(t, e.crew, text)
			r, at := e.ScheduleIn(t, e.crew, post, 3*time.Second+time.Duration(i)*170*time.Millisecond,
				crier.Targets{SocialAccountIDs: e.IDs()})
			for _, entry := range r.Data {
				due[entry.ScheduledPost.ID] = at
			}
		}
		for id, at := range due {
			p := e.Await(t, e.crew, id, crier.Published)
			sent := e.Attempts(t, e.crew, id)[0].StartedAt.Time
			if late := sent.Sub(at); late < 0 || late > 2*time.Second {
				t.Errorf("%s was due at %s and left %s later", p.ID, at, late)
			}
		}
		for _, on := range e.Accounts {
			// Their order is that of their times if none is late: they are 170 ms apart.
			if got := slices.Sorted(slices.Values(servertest.Texts(e.box.Timeline(t, on)))); !slices.Equal(got,
				[]string{"early", "late", "on time"}) {
				t.Errorf("timeline of %s: %q", on.Network, got)
			}
		}
	})
}

func TestThreadIsPublishedInOrderWithItsFirstComment(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		x := e.Accounts[0]
		post := e.NewThread(t, e.crew, "one", "two", "three")
		id := e.PostOn(t, e.crew, post, x, object{"firstComment": object{"text": "a comment"}})
		e.Await(t, e.crew, id, crier.Published)
		e.AwaitAction(t, e.crew, id, store.FirstComment, crier.Published)
		posts := e.box.Timeline(t, x)
		if got := servertest.Texts(posts); !slices.Equal(got, []string{"one", "two", "three", "a comment"}) {
			t.Fatalf("timeline %q", got)
		}
		if posts[1].ParentID != posts[0].PlatformPostID || posts[2].ParentID != posts[1].PlatformPostID ||
			posts[3].ParentID != posts[0].PlatformPostID {
			t.Errorf("the parts do not hang together: %+v", posts)
		}
		p := e.Publication(t, e.crew, id)
		if len(p.PublishResults.PlatformPostIDs) != 3 || p.PublishResults.FirstCommentID != posts[3].PlatformPostID {
			t.Errorf("results %+v", p.PublishResults)
		}
		e.Balanced(t, e.crew)
	})
}

func TestCommentFollowsOnceThePostHasEnoughLikes(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		x := e.Accounts[0]
		trigger := object{"engagementCommentTrigger": object{"likeThreshold": 3, "windowHours": 1,
			"comment": object{"text": "thank you all"}}}
		liked := e.PostOn(t, e.crew, e.NewPost(t, e.crew, "like me"), x, trigger)
		ignored := e.PostOn(t, e.crew, e.NewPost(t, e.crew, "ignore me"), x, trigger)
		p := e.Await(t, e.crew, liked, crier.Published)
		e.Await(t, e.crew, ignored, crier.Published)
		e.box.Like(t, "x", p.PlatformPostID, 2)
		counted := e.box.Calls(t, "x", "read")
		servertest.Until(t, func() bool { return e.box.Calls(t, "x", "read") >= counted+2 },
			func() string { return "likes are not counted" })
		if got := e.box.Timeline(t, x); len(got) != 2 {
			t.Fatalf("a comment came before its likes: %+v", got)
		}
		e.box.Like(t, "x", p.PlatformPostID, 1)
		e.AwaitAction(t, e.crew, liked, store.EngagementComment, crier.Published)
		posts := e.box.Timeline(t, x)
		if len(posts) != 3 || posts[2].Text != "thank you all" || posts[2].ParentID != p.PlatformPostID {
			t.Errorf("timeline %+v", posts)
		}
		// The window of the other post ends without enough likes.
		e.Exec(t, `UPDATE publications SET expires_at = created_at, wake_at = created_at WHERE parent_id = $1`,
			ignored)
		e.AwaitAction(t, e.crew, ignored, store.EngagementComment, crier.Canceled)
		if got := e.box.Timeline(t, x); len(got) != 3 {
			t.Errorf("timeline %+v", got)
		}
		e.Balanced(t, e.crew)
	})
}

func TestRepostsAndQuotesFollowAfterTheirDays(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &servertest.Clock{}
		e := startEngine(t, db, servertest.WithClock(c))
		crew := e.NewCrew(t, 10_000, "threads") // X allows self-serve apps to repost, but not to quote
		on := crew.Accounts[0]
		plain := e.PostOn(t, crew, e.NewPost(t, crew, "once more"), on, object{"repostAfter": object{"offsetDays": 1}})
		quoted := e.PostOn(t, crew, e.NewPost(t, crew, "quote me"), on,
			object{"repostAfter": object{"offsetDays": 2, "text": "as I said"}})
		first := e.Await(t, crew, plain, crier.Published)
		second := e.Await(t, crew, quoted, crier.Published)
		c.Advance(23 * time.Hour)
		c.Advance(time.Hour + time.Second)
		e.AwaitAction(t, crew, plain, store.RepostPublication, crier.Published)
		if n := e.Number(t, `SELECT count(*) FROM publications WHERE parent_id = $1 AND status = 'scheduled'`,
			quoted); n != 1 {
			t.Error("the quote did not wait for its day")
		}
		c.Advance(24 * time.Hour)
		e.AwaitAction(t, crew, quoted, store.RepostPublication, crier.Published)
		posts := e.box.Timeline(t, on)
		if len(posts) != 4 || posts[2].Kind != "repost" || posts[2].ParentID != first.PlatformPostID ||
			posts[3].Text != "as I said" {
			t.Fatalf("timeline %+v", posts)
		}
		if got := e.Publication(t, crew, quoted).PublishResults.RepostID; got != posts[3].PlatformPostID {
			t.Errorf("the repost's id is %q; quoted %s", got, second.PlatformPostID)
		}
		e.Balanced(t, crew)
	})
}

func TestSeriesKeepsItsWallClockTimeAcrossAClockChange(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		berlin, err := time.LoadLocation("Europe/Berlin")
		if err != nil {
			t.Fatal(err)
		}
		c := &servertest.Clock{}
		c.Advance(time.Until(time.Date(2027, 3, 26, 9, 30, 0, 0, berlin))) // two days before clocks go forward
		e := startEngine(t, db, servertest.WithClock(c))
		x, zone := e.Accounts[0], crier.Zone("Europe/Berlin")
		r, at := e.ScheduleIn(t, e.crew, e.NewPost(t, e.crew, "again and again"), 3*time.Second, crier.Targets{
			SocialAccountIDs: []crier.ID{x.ID}, Timezone: crier.Some(zone), RecurrenceIntervalDays: crier.Some(2),
		})
		e.Await(t, e.crew, r.Data[0].ScheduledPost.ID, crier.Published)
		next := e.nextOf(t, r.Data[0].ScheduledPost.ID, 1)
		if got, want := next.Time, at.Add(47*time.Hour); !got.Equal(want) || got.In(berlin).Hour() != 9 {
			t.Errorf("the next one is at %s, want %s", got.In(berlin), want.In(berlin))
		}
		// A failure does not end the series, and the next one counts from the planned time.
		c.Advance(time.Until(next.Time) - time.Until(c.Now()) + 2*time.Hour)
		servertest.Until(t, func() bool {
			return e.Number(t, `SELECT count(*) FROM publications WHERE recurrence_of = $1 AND status = 'missed'`,
				r.Data[0].ScheduledPost.ID) == 1
		}, func() string { return "the second one is not missed" })
		if got, want := e.nextOf(t, r.Data[0].ScheduledPost.ID, 2).Time, at.Add(95*time.Hour); !got.Equal(want) {
			t.Errorf("the third one is at %s, want %s", got.In(berlin), want.In(berlin))
		}
		e.Balanced(t, e.crew)
	})
}

// nextOf waits until a series has n further publications and returns the time of the last.
func (e *engine) nextOf(tb testing.TB, first crier.ID, n int64) crier.Time {
	tb.Helper()
	servertest.Until(tb, func() bool {
		return e.Number(tb, `SELECT count(*) FROM publications WHERE recurrence_of = $1`, first) == n
	}, func() string { return "the series does not go on" })
	var at crier.Time
	err := e.Node.Store.Reader().QueryRow(`SELECT scheduled_at FROM publications WHERE recurrence_of = $1
		ORDER BY scheduled_at DESC LIMIT 1`, first).Scan(&at)
	if err != nil {
		tb.Fatal(err)
	}
	return at
}
