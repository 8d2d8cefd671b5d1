package queue

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"crier"
	"crier/internal/analytics"
	"crier/internal/job"
	"crier/internal/store"
)

func TestJobsGoToTheQueueOfTheirKind(t *testing.T) {
	t.Parallel()
	for want, list := range map[string][]job.Args{
		"publish_x":      {job.Publish{Provider: crier.ProviderX}},
		"publish_tiktok": {job.Publish{Provider: crier.ProviderTikTok, Action: true}},
		"webhooks":       {job.DeliverWebhook{}},
		"media":          {job.ProcessAsset{}},
		"metrics":        {job.Snapshot{}, job.AccountSnapshot{}},
		"default": {job.Unpublish{}, job.PurgeTeam{}, job.MailInvitation{}, job.MailReset{}, job.EnrichPost{},
			job.RetagPosts{}, job.ReplayWebhook{}, job.MailWebhookDisabled{}},
	} {
		for _, args := range list {
			if got := queueOf(args); got != want {
				t.Errorf("%s goes to %s, want %s", args.Kind(), got, want)
			}
		}
	}
	// Every queue that jobs are enqueued to has workers.
	q := &Queue{log: slog.New(slog.DiscardHandler), workers: river.NewWorkers()}
	queues := q.riverConfig(0).Queues
	for _, p := range crier.Providers() {
		if queues[publishQueue(p)].MaxWorkers != publishWorkers {
			t.Errorf("nobody works on %s", p)
		}
	}
	for _, name := range []string{river.QueueDefault, webhookQueue, metricsQueue, upkeepQueue, mediaQueue} {
		if queues[name].MaxWorkers < 1 {
			t.Errorf("nobody works on %s", name)
		}
	}
	if len(queues) != len(crier.Providers())+5 {
		t.Errorf("there are %d queues", len(queues))
	}
}

func TestPublicationsComeBackSoonAfterErrorsOfOurOwn(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	w := &publishWorker{now: func() time.Time { return now }}
	for attempt, want := range map[int]time.Duration{1: 2 * time.Second, 2: 4 * time.Second, 15: 30 * time.Second,
		16: 30 * time.Second, 1000: 30 * time.Second} {
		got := w.NextRetry(&river.Job[job.Publish]{JobRow: &rivertype.JobRow{Attempt: attempt}})
		if got.Sub(now) != want {
			t.Errorf("try %d comes back after %s, want %s", attempt, got.Sub(now), want)
		}
	}
	if got := w.Timeout(nil); got != publishTimeout || got <= jobTimeout {
		t.Errorf("a publication may run for %s", got)
	}
	if (&processAssetWorker{}).Timeout(nil) != processTimeout ||
		(&sweepAssetsWorker{}).Timeout(nil) != sweepAssetsTimeout {
		t.Error("what decodes files may not run for longer")
	}
}

func TestReadingsComeBackWhenTheNetworkSaysSo(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	if err := orLater(nil); err != nil {
		t.Errorf("done: %v", err)
	}
	if err := orLater(broken); !errors.Is(err, broken) {
		t.Errorf("failed: %v", err)
	}
	snoozed, ok := errors.AsType[*river.JobSnoozeError](orLater(&analytics.Later{After: time.Minute}))
	if !ok || snoozed.Duration != time.Minute {
		t.Errorf("later: %+v", snoozed)
	}
}

func TestEveryJobIsMeasuredAndLoggedOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err     error
		outcome string
		level   string
	}{
		"done":    {nil, "done", "INFO"},
		"waits":   {river.JobSnooze(time.Second), "waits", "INFO"},
		"failed":  {errors.New("disk full"), "failed", "WARN"},
		"stopped": {context.Canceled, "failed", "WARN"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			now, reg := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC), prometheus.NewRegistry()
			q := &Queue{log: slog.New(slog.NewTextHandler(&out, nil)), now: func() time.Time { return now },
				metrics: newMetrics(reg)}
			row := &rivertype.JobRow{Kind: "post.publish", ID: 7, Attempt: 2}
			err := q.observe(t.Context(), row, func(context.Context) error {
				now = now.Add(250 * time.Millisecond)
				return c.err
			})
			if !errors.Is(err, c.err) {
				t.Errorf("%v", err)
			}
			line := out.String()
			for _, want := range []string{"level=" + c.level, "kind=post.publish", "job=7", "attempt=2",
				"outcome=" + c.outcome, "took=250ms"} {
				if !strings.Contains(line, want) {
					t.Errorf("%q is not in %s", want, line)
				}
			}
			if strings.Count(line, "\n") != 1 || strings.Contains(line, "error=") != (c.level == "WARN") {
				t.Errorf("logged %s", line)
			}
			if got := metricValues(t, reg); got["crier_job_duration_seconds post.publish "+c.outcome] != 1 ||
				len(got) != 1 {
				t.Errorf("measured %v", got)
			}
		})
	}
}

func TestWhatNetworksAnswerIsCounted(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	q := &Queue{metrics: newMetrics(reg)}
	q.Attempt(crier.ProviderX, "publish", "published")
	q.Attempt(crier.ProviderX, "publish", "published")
	q.Attempt(crier.ProviderX, "publish", "rejected")
	q.Late(crier.ProviderX, 30*time.Millisecond)
	got := metricValues(t, reg)
	for series, want := range map[string]float64{"crier_attempts_total publish published x": 2,
		"crier_attempts_total publish rejected x": 1, "crier_publish_lateness_seconds x": 1} {
		if got[series] != want {
			t.Errorf("%s: %v of %v", series, got[series], got)
		}
	}
}

// metricValues returns the counts of all series, by name and the values of their labels in the order of the labels'
// names.
func metricValues(t *testing.T, reg *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			name := family.GetName()
			var values []string
			for _, label := range m.GetLabel() {
				values = append(values, label.GetName()+"="+label.GetValue())
			}
			slices.Sort(values)
			for _, value := range values {
				_, value, _ = strings.Cut(value, "=")
				name += " " + value
			}
			counts[name] = m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return counts
}

// Counting starts with the tick after the burst has begun: it must not go on until all posts of the burst are counted.
func TestCountingLeavesRoomToABurst(t *testing.T) {
	t.Parallel()
	waited := 0
	next := func(advanced int64) (share time.Duration) {
		share, waited = countingShare(advanced, waited)
		return share
	}
	if share := next(burst - 1); share != followEvery {
		t.Errorf("%v of a quiet tick", share)
	}
	for tick := range followMax {
		if share := next(burst); share != 0 {
			t.Errorf("%v of tick %d of a burst", share, tick)
		}
	}
	for range 2 {
		if share := next(1000); share != followShare || share > followEvery/4 {
			t.Errorf("%v of a tick of a long burst", share)
		}
	}
	if share := next(0); share != followEvery || next(burst) != 0 {
		t.Errorf("%v of the tick after a burst, and a new one is not waited for", share)
	}
}

func TestBackgroundWorkIsRepeatedWhileThereIsMore(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	q := &Queue{log: slog.New(slog.NewTextHandler(&out, nil)), now: time.Now}
	calls := 0
	count := func(until int, err error) func(context.Context) (bool, error) {
		calls = 0
		return func(context.Context) (bool, error) {
			calls++
			if calls == until {
				return false, err
			}
			return true, nil
		}
	}
	q.repeat(t.Context(), "count posts", time.Hour, count(3, nil))
	if calls != 3 || out.Len() != 0 {
		t.Errorf("%d calls: %s", calls, out.String())
	}
	q.repeat(t.Context(), "count posts", time.Hour, count(2, errors.New("disk full")))
	if calls != 2 || !strings.Contains(out.String(), "count posts") ||
		!strings.Contains(out.String(), "disk full") {
		t.Errorf("%d calls: %s", calls, out.String())
	}
	q.repeat(t.Context(), "count posts", time.Nanosecond, count(3, nil))
	if calls != 1 {
		t.Errorf("%d calls in the time of one", calls)
	}
	out.Reset()
	gone, cancel := context.WithCancel(t.Context())
	q.repeat(gone, "x", time.Hour, func(context.Context) (bool, error) { cancel(); return true, errors.New("cut off") })
	q.repeat(gone, "x", time.Hour, count(2, nil))
	if calls != 0 || out.Len() != 0 {
		t.Errorf("while it stops: %d calls, %s", calls, out.String())
	}
	ticked := 0
	ending, stop := context.WithCancel(t.Context())
	q.every(ending, time.Hour, time.Hour, "nothing", func(context.Context) error {
		ticked++
		stop()
		return errors.New("cut off")
	})
	if ticked != 1 || out.Len() != 0 {
		t.Errorf("%d ticks: %s", ticked, out.String())
	}
}

// A connection to the database may never answer.
func TestEveryEndsARoundThatHangs(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	q := &Queue{log: slog.New(slog.NewTextHandler(&out, nil)), now: time.Now}
	ending, stop := context.WithCancel(t.Context())
	rounds := 0
	q.every(ending, time.Millisecond, time.Millisecond, "hang", func(ctx context.Context) error {
		if rounds++; rounds == 3 {
			stop()
		}
		<-ctx.Done()
		return ctx.Err()
	})
	if rounds != 3 || strings.Count(out.String(), "upkeep failed") != 2 {
		t.Errorf("%d rounds: %s", rounds, out.String())
	}
}

func TestTheJobEngineRebuildsItsIndexesInAQuietHour(t *testing.T) {
	t.Parallel()
	for after, want := range map[string]string{
		"2026-11-15T00:00:00Z":      "2026-11-15T03:43:00Z",
		"2026-11-15T03:42:59Z":      "2026-11-15T03:43:00Z",
		"2026-11-15T03:43:00Z":      "2026-11-16T03:43:00Z",
		"2026-12-31T23:59:59Z":      "2027-01-01T03:43:00Z",
		"2026-11-15T04:00:00+02:00": "2026-11-15T03:43:00Z",
	} {
		at, err := time.Parse(time.RFC3339, after)
		if err != nil {
			t.Fatal(err)
		}
		if got := quietTime.Next(at).Format(time.RFC3339); got != want {
			t.Errorf("after %s it is %s, want %s", after, got, want)
		}
	}
	if n := len(periodicJobs()); n != 4 {
		t.Errorf("%d jobs come back by themselves", n)
	}
}

func TestJobsAreTakenIntoTheTransactionTheyBelongTo(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		ctx := t.Context()
		q, err := buildQueue(Config{Store: st}, func(context.Context, probe) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		if current, err := q.Migrated(ctx); err != nil || !current {
			t.Errorf("the tables are up to date: %v, %v", current, err)
		}
		at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
		jobs := []job.Job{{Args: job.PurgeTeam{TeamID: crier.NewID()}, At: at},
			{Args: job.Publish{ID: crier.NewID(), Provider: crier.ProviderX}},
			{Args: job.Snapshot{Provider: crier.ProviderX}, At: at}}
		enqueue := func(end error) error {
			return st.WithTx(ctx, func(tx *store.Tx) error {
				if err := errors.Join(q.Enqueue(ctx, tx), q.Enqueue(ctx, tx, jobs...)); err != nil {
					return err
				}
				return end
			})
		}
		read := func() (list []string) {
			rows, err := st.Reader().QueryContext(ctx, `SELECT kind, queue, state FROM river_job ORDER BY kind`)
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			for rows.Next() {
				var kind, queue, state string
				if err := rows.Scan(&kind, &queue, &state); err != nil {
					t.Fatal(err)
				}
				list = append(list, kind+" "+queue+" "+state)
			}
			if err := rows.Err(); err != nil {
				t.Fatal(err)
			}
			return list
		}
		undo := errors.New("undo")
		if err := enqueue(undo); !errors.Is(err, undo) || len(read()) != 0 {
			t.Errorf("undone: %v, %q", err, read())
		}
		if err := enqueue(nil); err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, j := range jobs {
			state := "scheduled"
			if j.At.IsZero() {
				state = "available"
			}
			want = append(want, j.Args.Kind()+" "+queueOf(j.Args)+" "+state)
		}
		slices.Sort(want)
		if got := read(); !slices.Equal(got, want) {
			t.Errorf("enqueued %q, want %q", got, want)
		}
		// Jobs that are due soon are promoted early; others stay.
		if err := q.engine.promote(ctx, at.Add(-time.Second)); err != nil {
			t.Fatal(err)
		}
		if got := read(); !slices.Equal(got, want) {
			t.Errorf("too early: %q", got)
		}
		if err := q.engine.promote(ctx, at.Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		for _, line := range read() {
			if !strings.HasSuffix(line, " available") {
				t.Errorf("due and still %s", line)
			}
		}
		if q.Running() || q.Stop(ctx) != nil {
			t.Error("a queue that was not started runs")
		}
	})
}
