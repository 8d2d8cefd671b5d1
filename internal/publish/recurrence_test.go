package publish

import (
	"context"
	"testing"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

func TestNextOfSeries(t *testing.T) {
	t.Parallel()
	at := func(text string) crier.Time {
		parsed, err := crier.ParseTime(text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	for _, c := range []struct {
		name           string
		planned, start string
		index, days    int
		zone, now      string
		ends           string
		status         crier.ScheduledPostStatus
		want           string
		wantIndex      int
	}{
		{name: "no series", planned: "2026-11-15T09:00:00Z", zone: "UTC", now: "2026-11-15T09:00:01Z"},
		{name: "a week later", planned: "2026-11-15T09:00:00Z", days: 7, zone: "UTC", now: "2026-11-15T09:00:01Z",
			want: "2026-11-22T09:00:00Z", wantIndex: 1},
		{name: "after a failure", planned: "2026-11-15T09:00:00Z", days: 7, zone: "UTC", now: "2026-11-15T09:00:01Z",
			status: crier.Failed, want: "2026-11-22T09:00:00Z", wantIndex: 1},
		{name: "after a cancellation", planned: "2026-11-15T09:00:00Z", days: 7, zone: "UTC",
			now: "2026-11-15T09:00:01Z", status: crier.Canceled},
		{name: "before its time", planned: "2026-11-15T09:00:00Z", days: 1, zone: "UTC", now: "2026-11-14T09:00:00Z",
			want: "2026-11-16T09:00:00Z", wantIndex: 1},
		{name: "the wall clock stays across a clock change", planned: "2026-10-20T07:00:00Z", days: 7,
			zone: "Europe/Berlin", now: "2026-10-20T07:00:01Z", want: "2026-10-27T08:00:00Z", wantIndex: 1},
		{name: "a series that slept continues ahead", planned: "2026-11-01T09:00:00Z", days: 2, zone: "UTC",
			now: "2026-11-15T09:00:00Z", want: "2026-11-17T09:00:00Z", wantIndex: 8},
		{name: "from its start, not from a late publication", planned: "2026-11-15T12:34:56Z",
			start: "2026-11-01T09:00:00Z", index: 14, days: 1, zone: "UTC", now: "2026-11-15T12:35:00Z",
			want: "2026-11-16T09:00:00Z", wantIndex: 15},
		{name: "the end", planned: "2026-11-15T09:00:00Z", days: 7, zone: "UTC", now: "2026-11-15T09:00:01Z",
			ends: "2026-11-22T08:59:59Z"},
		{name: "the last before the end", planned: "2026-11-15T09:00:00Z", days: 7, zone: "UTC",
			now: "2026-11-15T09:00:01Z", ends: "2026-11-22T09:00:00Z", want: "2026-11-22T09:00:00Z", wantIndex: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := testPublication(store.PostPublication, crier.Published)
			p.ScheduledAt, p.Timezone, p.Actions.SeriesIndex = at(c.planned), c.zone, c.index
			if c.status != "" {
				p.Status = c.status
			}
			if c.days > 0 {
				p.Actions.RecurrenceIntervalDays = &c.days
			}
			if c.start != "" {
				start := at(c.start)
				p.Actions.SeriesStart = &start
			}
			if c.ends != "" {
				ends := at(c.ends)
				p.Actions.RecurrenceEndsAt = &ends
			}
			next, err := nextOfSeries(p, at(c.now))
			if err != nil || (next == nil) != (c.want == "") {
				t.Fatalf("%+v, %v", next, err)
			}
			if next == nil {
				return
			}
			n := next.Publication
			if n.ScheduledAt != at(c.want) || n.Actions.SeriesIndex != c.wantIndex || *n.RecurrenceOf != p.ID ||
				next.Cost != 10 || n.Reserved != 0 || !n.WakeAt.Equal(at(c.want).Add(-45*time.Second)) {
				t.Errorf("%s, index %d, cost %d; want %s, index %d", n.ScheduledAt, n.Actions.SeriesIndex, next.Cost,
					c.want, c.wantIndex)
			}
		})
	}
}

func TestNextOfSeriesRefusesAnUnknownZone(t *testing.T) {
	t.Parallel()
	days := 1
	p := testPublication(store.PostPublication, crier.Published)
	p.Timezone, p.Actions.RecurrenceIntervalDays = "Europe/Atlantis", &days
	if _, err := nextOfSeries(p, testNow); err == nil {
		t.Error("no error")
	}
}

// A series that was ended by hand stays ended: the retry of one that failed publishes that one.
func TestRetryDoesNotStartASeriesAgain(t *testing.T) {
	t.Parallel()
	refused := answer{err: &provider.Error{Kind: provider.Rejected, Code: provider.CodeContentRejected, Message: "no"}}
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		for name, c := range map[string]struct {
			ended func(f *fixture, next store.Publication)
			rows  int
		}{
			"the next one is canceled": {rows: 2, ended: func(f *fixture, next store.Publication) {
				f.tx(t, func(ctx context.Context, tx *store.Tx) error {
					return f.Publisher.Cancel(ctx, tx, []store.Publication{next})
				})
			}},
			"the next one is the last": {rows: 2, ended: func(f *fixture, next store.Publication) {
				next.Actions.RecurrenceIntervalDays = nil
				f.tx(t, func(ctx context.Context, tx *store.Tx) error {
					return tx.MovePublication(ctx, next, crier.TimeOf(f.now()))
				})
				f.sleep(next.ScheduledAt.Sub(f.now()))
				if got := f.run(t, next.ID); got.Status != crier.Published {
					t.Errorf("the last is %s", got.Status)
				}
			}},
		} {
			t.Run(name, func(t *testing.T) {
				f := withNetwork(t, st, newTestNetwork(refused))
				days := 7
				first := f.insert(t, func(p *store.Publication) { p.Actions.RecurrenceIntervalDays = &days })
				if first = f.run(t, first.ID); first.Status != crier.Failed {
					t.Fatalf("the first is %s", first.Status)
				}
				c.ended(f, f.nextOf(t, first))
				f.tx(t, func(ctx context.Context, tx *store.Tx) error { return f.Publisher.Retry(ctx, tx, &first) })
				if got := f.run(t, first.ID); got.Status != crier.Published {
					t.Errorf("it is %s", got.Status)
				}
				var rows int
				if err := st.Reader().QueryRowContext(t.Context(), `SELECT count(*) FROM publications
					WHERE post_id = $1`, f.post).Scan(&rows); err != nil || rows != c.rows {
					t.Errorf("%d publications, %v; want %d", rows, err, c.rows)
				}
				shown, err := st.ScheduledPosts(t.Context(), []crier.ID{first.ID})
				if err != nil || shown[first.ID].Recurrence != nil {
					t.Errorf("it shows the recurrence %+v, %v", shown[first.ID].Recurrence, err)
				}
			})
		}
	})
}

// An unknown outcome has not ended yet: the series goes on after it, whatever a person sees on the network.
func TestSeriesGoesOnAfterAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		for _, outcome := range []string{"published", "failed", "retry"} {
			n := newTestNetwork(answer{err: unanswered})
			n.strategy = provider.Strategy{Method: provider.Impossible}
			f := withNetwork(t, st, n)
			days := 7
			p := f.run(t, f.insert(t, func(p *store.Publication) { p.Actions.RecurrenceIntervalDays = &days }).ID)
			if err := f.resolve(t, p.ID, crier.Resolution{Outcome: outcome}); err != nil {
				t.Fatal(err)
			}
			f.run(t, p.ID)
			if next := f.nextOf(t, p); next.ScheduledAt.Sub(p.ScheduledAt.Time) != 7*24*time.Hour {
				t.Errorf("resolved as %s, the next is due at %s", outcome, next.ScheduledAt)
			}
		}
	})
}
