package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// dayOf returns the UTC day of a time, counted as analytics counts days.
func dayOf(at crier.Time) int64 { return at.Unix() / (24 * 60 * 60) }

// published returns a post that was published some time after now, and counts it unless it was counted before.
func published(f *storetest.Fixture, after time.Duration,
	change ...func(*store.PublicationStats)) store.PublicationStats {
	at := f.After(after)
	p := f.Schedule(f.NewPost("Hello"), func(p *store.Publication) { p.ScheduledAt = at })
	s := store.PublicationStats{PublicationID: p.ID, TeamID: p.TeamID, SocialAccountID: p.SocialAccountID,
		PostID: p.PostID, Provider: p.Provider, PostType: crier.TextPost, DueAt: at, PublishedAt: at,
		PublishedDay: dayOf(at)}
	for _, fn := range change {
		fn(&s)
	}
	f.Tx(func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.CountPublications(ctx, []store.PublicationStats{s})
		return err
	})
	return s
}

// read adds a reading of a publication and reports whether it was stored.
func read(f *storetest.Fixture, s store.PublicationStats, after time.Duration, n store.Numbers) (kept bool) {
	at := f.After(after)
	f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
		kept, err = tx.AddReading(ctx, store.Reading{PublicationID: s.PublicationID, At: at, Day: dayOf(at), Numbers: n,
			Raw: json.RawMessage(`{}`)})
		return err
	})
	return kept
}

// days reads the sums of the team's days around now.
func days(t *testing.T, f *storetest.Fixture, gained bool, by store.DayGrouping,
	change ...func(*store.AnalyticsFilter)) []store.DaySums {
	t.Helper()
	filter := around(f)
	for _, fn := range change {
		fn(&filter)
	}
	list, err := f.AnalyticsDays(context.Background(), filter, gained, by)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// around selects everything of the team within ten days of now.
func around(f *storetest.Fixture) store.AnalyticsFilter {
	return store.AnalyticsFilter{TeamID: f.Team.ID, From: dayOf(f.Now) - 10, To: dayOf(f.Now) + 10}
}

const aDay = 24 * time.Hour

func TestPublicationsAreCountedOnceHoweverOftenTheyAreTold(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		first := published(f, 0)
		second := first
		second.PublicationID = f.Schedule(f.NewPost("2")).ID
		count := func(list ...store.PublicationStats) (counted []crier.ID) {
			f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
				counted, err = tx.CountPublications(ctx, list)
				return err
			})
			return counted
		}
		if got := count(first); len(got) != 0 {
			t.Errorf("a counted one is counted again: %v", got)
		}
		if got := count(first, second); !slices.Equal(got, []crier.ID{second.PublicationID}) {
			t.Errorf("counted %v, want the new one", got)
		}
		if got := count(); len(got) != 0 {
			t.Errorf("none: %v", got)
		}
		list := days(t, f, false, store.DayGrouping{})
		if len(list) != 1 || list[0].Counted != 2 || list[0].Sums != (store.DaySums{}).Sums {
			t.Errorf("the sums are %+v", list)
		}
		if list := days(t, f, true, store.DayGrouping{}); len(list) != 0 {
			t.Errorf("without a reading days have gained %+v", list)
		}
	})
}

func TestReadingsChangeTheSumsByTheirDifference(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		s := published(f, 0)
		for i, c := range []struct {
			after   time.Duration
			numbers store.Numbers
			kept    bool
		}{
			{time.Hour, store.Numbers{Views: number(100), Likes: number(10)}, true},
			{time.Hour, store.Numbers{Views: number(999)}, false},   // the same time
			{time.Minute, store.Numbers{Views: number(999)}, false}, // an earlier one
			{aDay, store.Numbers{Views: number(150)}, true},         // without likes: they stay
			{2 * aDay, store.Numbers{Views: number(140), Likes: number(9), Comments: number(1)}, true},
		} {
			if kept := read(f, s, c.after, c.numbers); kept != c.kept {
				t.Errorf("reading %d is kept: %v, want %v", i, kept, c.kept)
			}
		}
		list := days(t, f, false, store.DayGrouping{Day: true})
		if len(list) != 1 || list[0].Day != s.PublishedDay || list[0].Counted != 1 ||
			sum(list[0], crier.MetricViews) != (store.Sum{Value: 140, Told: 1}) ||
			sum(list[0], crier.MetricLikes) != (store.Sum{Value: 9, Told: 1}) ||
			sum(list[0], crier.MetricEngagements) != (store.Sum{Value: 10, Told: 1}) ||
			sum(list[0], crier.MetricShares) != (store.Sum{}) ||
			list[0].Rated != (store.Rated{Views: 140, Engagements: 10, Told: 1}) {
			t.Errorf("the day of publication has %+v", list)
		}
		var gained []string
		for _, d := range days(t, f, true, store.DayGrouping{Day: true}) {
			gained = append(gained, fmt.Sprintf("%+d: %d readings, %+v, %+v, %+v", d.Day-s.PublishedDay, d.Counted,
				sum(d, crier.MetricViews), sum(d, crier.MetricLikes), d.Rated))
		}
		if diff := cmp.Diff([]string{
			"+0: 1 readings, {Value:100 Told:1}, {Value:10 Told:1}, {Views:100 Engagements:10 Told:1}",
			"+1: 1 readings, {Value:50 Told:1}, {Value:0 Told:0}, {Views:0 Engagements:0 Told:0}",
			"+2: 1 readings, {Value:-10 Told:1}, {Value:-1 Told:1}, {Views:-10 Engagements:0 Told:1}",
		}, gained); diff != "" {
			t.Errorf("gained (-want +got):\n%s", diff)
		}
		if got, err := f.StatsReadSince(context.Background(), around(f), f.Now, 10); err != nil || len(got) != 1 ||
			got[0].Readings != 3 || !got[0].ReadAt.Equal(f.After(2*aDay).Time) || *got[0].Numbers.Comments != 1 {
			t.Errorf("the publication has %+v, %v", got, err)
		}
	})
}

func TestReadingsOfUncountedPublicationsAreLeftOut(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		uncounted := f.Schedule(f.NewPost("x"))
		for name, id := range map[string]crier.ID{"not counted": uncounted.ID, "unknown": crier.NewID()} {
			if read(f, store.PublicationStats{PublicationID: id}, time.Hour, store.Numbers{Views: number(1)}) {
				t.Errorf("%s: it is kept", name)
			}
			if raw, err := f.RawReadings(context.Background(), []crier.ID{id}); err != nil || len(raw) != 0 {
				t.Errorf("%s: %v, %v", name, raw, err)
			}
		}
	})
}

func TestSumsOfDaysAreKeptApartAsAsked(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		other := f.NewAccount(crier.ProviderLinkedIn)
		on := func(account store.Account, kind crier.PostType) func(*store.PublicationStats) {
			return func(s *store.PublicationStats) {
				s.SocialAccountID, s.Provider, s.PostType = account.ID, account.Provider, kind
			}
		}
		for i, s := range []store.PublicationStats{
			published(f, 0), published(f, aDay), published(f, aDay, on(f.Account, crier.TextImage)),
			published(f, 0, on(other, crier.TextPost)),
		} {
			read(f, s, 2*aDay, store.Numbers{Views: number(1 << i)})
		}
		for name, c := range map[string]struct {
			by     store.DayGrouping
			filter func(*store.AnalyticsFilter)
			want   []int64 // views, in order
		}{
			"all together":     {store.DayGrouping{}, nil, []int64{15}},
			"by day":           {store.DayGrouping{Day: true}, nil, []int64{9, 6}},
			"by type":          {store.DayGrouping{PostType: true}, nil, []int64{4, 11}},
			"one network":      {store.DayGrouping{}, providers(crier.ProviderLinkedIn), []int64{8}},
			"two networks":     {store.DayGrouping{}, providers(crier.ProviderLinkedIn, crier.ProviderX), []int64{15}},
			"an unused one":    {store.DayGrouping{}, providers(crier.ProviderTikTok), nil},
			"one account":      {store.DayGrouping{Day: true}, accounts(f.Account.ID), []int64{1, 6}},
			"an unknown one":   {store.DayGrouping{Day: true}, accounts(crier.NewID()), nil},
			"account and kind": {store.DayGrouping{}, kinds(f.Account.ID, crier.TextImage), []int64{4}},
			"the first day":    {store.DayGrouping{}, span(dayOf(f.Now), dayOf(f.Now)), []int64{9}},
			"the second day":   {store.DayGrouping{}, span(dayOf(f.Now)+1, dayOf(f.Now)+1), []int64{6}},
			"before them":      {store.DayGrouping{}, span(0, dayOf(f.Now)-1), nil},
			"from after to":    {store.DayGrouping{}, span(dayOf(f.Now)+1, dayOf(f.Now)), nil},
		} {
			if c.filter == nil {
				c.filter = func(*store.AnalyticsFilter) {}
			}
			var got []int64
			for _, d := range days(t, f, false, c.by, c.filter) {
				got = append(got, sum(d, crier.MetricViews).Value)
				if d.TeamID != f.Team.ID || !c.by.Day && d.Day != 0 || !c.by.PostType && d.PostType != "" ||
					!c.by.Account && (d.SocialAccountID != "" || d.Provider != "") {
					t.Errorf("%s: fields that are not kept apart: %+v", name, d)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: %v, want %v", name, got, c.want)
			}
		}
		byAccount := map[crier.ID]int64{}
		for _, d := range days(t, f, false, store.DayGrouping{Account: true}) {
			byAccount[d.SocialAccountID] = sum(d, crier.MetricViews).Value
			if d.SocialAccountID == other.ID && d.Provider != crier.ProviderLinkedIn {
				t.Errorf("the network of an account is %q", d.Provider)
			}
		}
		if byAccount[f.Account.ID] != 7 || byAccount[other.ID] != 8 || len(byAccount) != 2 {
			t.Errorf("by account %v", byAccount)
		}
	})
}

func providers(list ...crier.Provider) func(*store.AnalyticsFilter) {
	return func(f *store.AnalyticsFilter) { f.Providers = list }
}

func accounts(list ...crier.ID) func(*store.AnalyticsFilter) {
	return func(f *store.AnalyticsFilter) { f.SocialAccountIDs = list }
}

func kinds(account crier.ID, list ...crier.PostType) func(*store.AnalyticsFilter) {
	return func(f *store.AnalyticsFilter) { f.SocialAccountIDs, f.PostTypes = []crier.ID{account}, list }
}

func span(from, to int64) func(*store.AnalyticsFilter) {
	return func(f *store.AnalyticsFilter) { f.From, f.To = from, to }
}

func TestAnalyticsOfATeamAreItsOwn(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, s := context.Background(), published(f, 0)
		read(f, s, time.Hour, store.Numbers{Views: number(5)})
		foreign := around(f)
		foreign.TeamID = f.NewTeam("Sales").ID
		from, to := f.After(-aDay), f.After(aDay)
		sums, err := f.AnalyticsDays(ctx, foreign, false, store.DayGrouping{})
		stats, err2 := f.StatsBetween(ctx, foreign, from, to, 10)
		since, err3 := f.StatsReadSince(ctx, foreign, from, 10)
		ranked, total, err4 := f.RankedPosts(ctx, foreign, from, to, store.PageQuery{Sort: "views", Limit: 10})
		late, err5 := f.Latenesses(ctx, foreign, from, to, []int{50})
		ended, err6 := f.DeliveryCounts(ctx, foreign, from, to)
		accountDays, err7 := f.AccountDays(ctx, foreign)
		for _, err := range []error{err, err2, err3, err4, err5, err6, err7} {
			if err != nil {
				t.Error(err)
			}
		}
		if n := len(sums) + len(stats) + len(since) + len(ranked.Rows) + len(late) + len(ended) +
			len(accountDays); n != 0 || total.Count != 0 {
			t.Errorf("another team sees %d rows of it", n)
		}
	})
}

func TestStatsBetweenReadsTheNewestFirst(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		old, middle, young := published(f, -time.Hour), published(f, 0), published(f, time.Hour)
		for name, c := range map[string]struct {
			from, to time.Duration
			limit    int
			want     []crier.ID
		}{
			"all":             {-aDay, aDay, 10, ids(young, middle, old)},
			"at most two":     {-aDay, aDay, 2, ids(young, middle)},
			"half-open":       {-time.Hour, time.Hour, 10, ids(middle, old)},
			"one instant":     {0, time.Millisecond, 10, ids(middle)},
			"an empty time":   {0, 0, 10, nil},
			"a time reversed": {time.Hour, -time.Hour, 10, nil},
		} {
			list, err := f.StatsBetween(ctx, around(f), f.After(c.from), f.After(c.to), c.limit)
			if err != nil || !slices.Equal(ids(list...), c.want) {
				t.Errorf("%s: %v, %v; want %v", name, ids(list...), err, c.want)
			}
		}
		narrow := around(f)
		narrow.From, narrow.To = dayOf(f.Now)+5, dayOf(f.Now)+6
		if list, err := f.StatsBetween(ctx, narrow, f.After(-aDay), f.After(aDay), 10); err != nil || len(list) != 0 {
			t.Errorf("days that do not reach there: %v, %v", list, err)
		}
	})
}

// ids returns the publications of stats.
func ids(list ...store.PublicationStats) (out []crier.ID) {
	for _, s := range list {
		out = append(out, s.PublicationID)
	}
	return out
}

func TestRawReadingsAreKeptInTheOrderOfTime(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		one, two := f.Schedule(f.NewPost("1")), f.Schedule(f.NewPost("2"))
		for _, c := range []struct {
			of    crier.ID
			after time.Duration
			raw   string
		}{{one.ID, 2 * time.Hour, `{"views":2}`}, {one.ID, time.Hour, `{"impressions":1}`}, {two.ID, 0, `{}`}} {
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				return tx.InsertMetrics(ctx, c.of, f.After(c.after), json.RawMessage(c.raw))
			})
		}
		got, err := f.RawReadings(ctx, []crier.ID{one.ID, two.ID, crier.NewID()})
		if err != nil || len(got) != 2 || len(got[one.ID]) != 2 || len(got[two.ID]) != 1 {
			t.Fatalf("%+v, %v", got, err)
		}
		first, second := got[one.ID][0], got[one.ID][1]
		if *first.Numbers.Views != 1 || *second.Numbers.Views != 2 || !first.At.Equal(f.After(time.Hour).Time) ||
			first.PublicationID != one.ID || got[two.ID][0].Numbers != (store.Numbers{}) {
			t.Errorf("the readings are %+v", got)
		}
		if got, err := f.RawReadings(ctx, nil); err != nil || len(got) != 0 {
			t.Errorf("of nothing: %v, %v", got, err)
		}
		mustExec(t, f.Store, `UPDATE post_metrics SET metrics = '{"views":"many"}' WHERE scheduled_post_id = $1`, one.ID)
		if _, err := f.RawReadings(ctx, []crier.ID{one.ID}); err == nil {
			t.Error("a reading that is not of numbers was read")
		}
	})
}

func TestCountablesArePublishedPostsWithTheirLateness(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		public := func(p store.Publication) store.Publication {
			mustExec(t, f.Store, `UPDATE publications SET status = 'published', published_at = $2, wake_at = NULL
				WHERE id = $1`, p.ID, f.After(time.Minute))
			return p
		}
		late, elsewhere := public(f.Schedule(f.NewPost("late"))), public(f.Schedule(f.NewPost("by hand")))
		early := public(f.Schedule(f.NewPost("early")))
		waiting, comment := f.Schedule(f.NewPost("waits")), public(f.Follow(late, store.FirstComment))
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			part := sending(f, late, time.Hour)
			part.Part = 1 // of a thread: the first part determines when the post was published
			for _, a := range []store.Attempt{sending(f, late, time.Second), sending(f, late, 2500*time.Millisecond),
				part, attempt(f, late, "prepare", 2*time.Hour), sending(f, early, -time.Second)} {
				if err := tx.InsertAttempt(ctx, a); err != nil {
					return err
				}
			}
			return nil
		})
		mustExec(t, f.Store, `UPDATE teams SET timezone = 'Europe/Berlin' WHERE id = $1`, f.Team.ID)
		list, err := f.Countables(ctx,
			[]crier.ID{late.ID, elsewhere.ID, early.ID, waiting.ID, comment.ID, crier.NewID()})
		if err != nil || len(list) != 3 {
			t.Fatalf("%+v, %v", list, err)
		}
		want := map[crier.ID]*int64{late.ID: number(2500), elsewhere.ID: nil, early.ID: number(0)}
		for _, c := range list {
			s := c.Stats
			if lateness, ok := want[s.PublicationID]; !ok || !same(s.LateMillis, lateness) {
				t.Errorf("%s is late by %v", s.PublicationID, s.LateMillis)
			}
			if c.Zone != "Europe/Berlin" || c.Sandbox || s.PostType != crier.TextPost || s.TeamID != f.Team.ID ||
				!s.DueAt.Equal(f.Now.Time) || !s.PublishedAt.Equal(f.After(time.Minute).Time) || s.PublishedDay != 0 {
				t.Errorf("%+v", c)
			}
		}
		if list, err := f.Countables(ctx, nil); err != nil || len(list) != 0 {
			t.Errorf("of nothing: %v, %v", list, err)
		}
	})
}

func TestPostTagNamesAreSortedByPost(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		tagged, bare := f.NewPost("1"), f.NewPost("2")
		var wanted []crier.ID
		for _, name := range []string{"News", "Launch"} {
			tag := crier.Tag{ID: crier.NewID(), TeamID: f.Team.ID, Name: name, CreatedAt: f.Now, UpdatedAt: f.Now}
			f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertTag(ctx, tag, name) })
			wanted = append(wanted, tag.ID)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ReplacePostTags(ctx, tagged.ID, nil, wanted)
			return err
		})
		got, err := f.PostTagNames(context.Background(), []crier.ID{tagged.ID, bare.ID, crier.NewID()})
		if diff := cmp.Diff(map[crier.ID][]string{tagged.ID: {"Launch", "News"}}, got); err != nil || diff != "" {
			t.Errorf("%v, (-want +got):\n%s", err, diff)
		}
		if got, err := f.PostTagNames(context.Background(), nil); err != nil || len(got) != 0 {
			t.Errorf("of nothing: %v, %v", got, err)
		}
	})
}
