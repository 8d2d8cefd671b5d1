package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// These tests read more than one tenant, so each has a separate database.

func TestAnalyticsFollowTheLogAndWhatWasBeforeIt(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		first, second := f.Schedule(f.NewPost("1")), f.Schedule(f.NewPost("2"))
		tell := func(kind crier.EventType, of crier.ID) {
			f.Tx(func(_ context.Context, tx *store.Tx) error {
				tx.RecordEvents(store.NewEvent{ID: crier.NewID(), Type: kind, TeamID: &f.Team.ID,
					Data: json.RawMessage(`{"object":{"id":"` + string(of) + `"}}`), CreatedAt: f.Now})
				return nil
			})
			if _, err := f.SequenceEvents(ctx); err != nil {
				t.Fatal(err)
			}
		}
		behind := func() store.Behind {
			b, err := f.AnalyticsBehind(ctx)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		since := func(limit int) (u store.Uncounted) {
			f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
				if u, err = tx.PublishedSince(ctx, limit); err != nil {
					return err
				}
				return tx.EventsCounted(ctx, u.Last)
			})
			return u
		}
		before := behind()
		if before.Published || before.Events != 0 {
			t.Errorf("without events: %+v", before)
		}
		tell("post.created", first.PostID)
		if b := behind(); b.Published || b.Events != 1 {
			t.Errorf("with an event that is not counted: %+v", b)
		}
		tell(crier.ScheduledPostPublished, first.ID)
		tell(crier.ScheduledPostPublished, second.ID)
		if b := behind(); !b.Published || b.Events != 3 {
			t.Errorf("with what is to be counted: %+v", b)
		}
		if u := since(2); !slices.Equal(u.Publications, []crier.ID{first.ID}) || u.Events != 2 {
			t.Errorf("the first two: %+v", u)
		}
		if u := since(2); !slices.Equal(u.Publications, []crier.ID{second.ID}) || u.Events != 1 {
			t.Errorf("the rest: %+v", u)
		}
		if u := since(2); u.Events != 0 || len(u.Publications) != 0 || behind().Events != 0 {
			t.Errorf("at the end: %+v, %+v", u, behind())
		}
		earlier := func(limit int) (list []crier.ID) {
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				found, last, err := tx.PublishedBefore(ctx, limit)
				list = found
				return errors.Join(err, tx.BackfillDone(ctx, last))
			})
			return list
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.BackfillDone(ctx, "00000000-0000-0000-0000-000000000000")
		})
		want := slices.Sorted(slices.Values([]crier.ID{first.ID, second.ID}))
		if got := earlier(1); !slices.Equal(got, want[:1]) || !behind().Publications {
			t.Errorf("the first of before: %v", got)
		}
		if got := earlier(9); !slices.Equal(got, want[1:]) || behind().Publications {
			t.Errorf("the rest of before: %v, %+v", got, behind())
		}
		if got := earlier(9); len(got) != 0 {
			t.Errorf("behind the end: %v", got)
		}
	})
}

func TestKeptReadingsAreAppliedAndSwept(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, s := context.Background(), published(f, 0)
		for i := range 3 {
			f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
				at := f.After(time.Duration(i) * time.Hour)
				if err := tx.InsertMetrics(ctx, s.PublicationID, at, json.RawMessage(`{"views":1}`)); err != nil {
					return err
				}
				s, err = tx.ApplyReading(ctx, s, store.Reading{PublicationID: s.PublicationID, At: at, Day: dayOf(at),
					Numbers: store.Numbers{Views: number(int64(10 * (i + 1)))}})
				return err
			})
		}
		if !same(s.Numbers.Views, number(30)) {
			t.Errorf("the numbers are %v", s.Numbers.Views)
		}
		sums := days(t, f, true, store.DayGrouping{})
		if len(sums) != 1 || sum(sums[0], crier.MetricViews) != (store.Sum{Value: 30, Told: 3}) ||
			sums[0].Counted != 3 {
			t.Errorf("gained %+v", sums)
		}
		sweep := func(after time.Duration) (n int64) {
			f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
				n, err = tx.SweepMetrics(ctx, f.After(after))
				return err
			})
			return n
		}
		if n := sweep(0) + sweep(-time.Hour); n != 0 {
			t.Errorf("%d readings that are not older were swept", n)
		}
		if n := sweep(2 * time.Hour); n != 2 {
			t.Errorf("%d readings were swept, want 2", n)
		}
		left, err := f.RawReadings(ctx, []crier.ID{s.PublicationID})
		after := days(t, f, true, store.DayGrouping{})
		if err != nil || len(left[s.PublicationID]) != 1 || after[0] != sums[0] {
			t.Errorf("left are %v, and the sums %+v: %v", left, after, err)
		}
		missing := store.PublicationStats{PublicationID: crier.NewID(), TeamID: f.Team.ID}
		err = f.TryTx(func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ApplyReading(ctx, missing, store.Reading{At: f.Now})
			return err
		})
		if kindOf(err) != crier.KindNotFound {
			t.Errorf("a reading of what is not counted: %v", err)
		}
	})
}

// jobTable creates the job engine's table with the columns that the store uses.
func jobTable(t *testing.T, s *store.Store, states ...string) {
	t.Helper()
	mustExec(t, s, `CREATE TABLE river_job (id bigint, state text NOT NULL, scheduled_at timestamp)`)
	for i, state := range states {
		mustExec(t, s, `INSERT INTO river_job (id, state) VALUES ($1, $2)`, i, state)
	}
}

func TestJobsOfDeadProcessesGoBackToTheQueue(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		jobTable(t, s, "running", "running", "available", "retryable", "completed")
		counts := func() map[string]int64 {
			n, err := s.JobCounts(ctx)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		if got := counts(); got["running"] != 2 || got["available"] != 1 || got["retryable"] != 1 || len(got) != 3 {
			t.Errorf("the jobs are %v", got)
		}
		if err := errors.Join(s.ReleaseRunningJobs(ctx), s.IndexJobs(ctx), s.IndexJobs(ctx)); err != nil {
			t.Fatal(err)
		}
		want := map[store.Dialect]int64{store.SQLite: 0, store.Postgres: 2}[s.Dialect()] // there, their node may live
		if got := counts(); got["running"] != want || got["available"] != 3-want {
			t.Errorf("the jobs are %v", got)
		}
		if err := s.Ping(ctx); err != nil {
			t.Error(err)
		}
		if pool := s.JobPool(); (pool != nil) != (s.Dialect() == store.Postgres) {
			t.Errorf("the job engine's pool is %v", pool)
		}
	})
}

func TestARestoredStoreExaminesWhatIsNotOver(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		jobTable(t, f.Store, "running")
		due := f.Lease(crier.NewID(), f.Schedule(f.NewPost("due"), at(f.After(-time.Minute), crier.Scheduled)))[0]
		later := f.Schedule(f.NewPost("later"), at(f.After(3*time.Hour), crier.Scheduled))
		over := f.Schedule(f.NewPost("over"), at(f.Now, crier.Published), func(p *store.Publication) { p.WakeAt = nil })
		newSession(f, "browser")
		newTokens(f)
		if r, err := f.Restoration(ctx); err != nil || r != nil {
			t.Errorf("never restored: %+v, %v", r, err)
		}
		mark := func() (found store.RestoredPublications, err error) {
			err = f.TryTx(func(ctx context.Context, tx *store.Tx) (err error) {
				found, err = tx.MarkRestored(ctx, store.RestoreTimes{BackedUpAt: f.Now, Now: f.After(time.Hour)})
				return err
			})
			return found, err
		}
		if _, err := mark(); kindOf(err) != crier.KindNotFound {
			t.Errorf("a store without an instance: %v", err)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			record(tx, f, "before")
			return tx.SetKeyFingerprint(ctx, "abc", f.Now)
		})
		newEvents(t, f.Store, 0)()
		log, err := f.EventLog(ctx)
		if err != nil || log.Last == 0 {
			t.Fatalf("the log ends at %d, %v", log.Last, err)
		}
		found, err := mark()
		if err != nil || found != (store.RestoredPublications{Due: 1, Later: 1}) {
			t.Fatalf("%+v, %v", found, err)
		}
		if r, err := f.Restoration(ctx); !errors.Is(err, store.ErrNotServed) {
			t.Errorf("before the first start: %+v, %v", r, err)
		}
		for name, id := range map[string]crier.ID{"due": due.ID, "later": later.ID} {
			if p := f.Read(id); p.WakeAt == nil || !p.WakeAt.Equal(f.After(time.Hour).Time) || p.LeaseOwner != nil ||
				p.LeaseUntil != nil {
				t.Errorf("%s wakes at %v, leased by %v", name, p.WakeAt, p.LeaseOwner)
			}
		}
		if p := f.Read(over.ID); p.WakeAt != nil {
			t.Error("what is over wakes")
		}
		if s, err := f.SessionByToken(ctx, secret(f, "browser"), f.Now); err != nil || s != nil {
			t.Errorf("a browser is still signed in: %v", err)
		}
		if _, err := f.AccessToken(ctx, secret(f, "access"), f.Now); err != nil {
			t.Errorf("a program is not: %v", err)
		}
		if after, err := f.EventLog(ctx); err != nil || after.Last < log.Last+1_000_000 {
			t.Errorf("the log goes on at %d after %d, %v", after.Last, log.Last, err)
		}
		if n := f.Scan(`SELECT count(*) FROM river_job WHERE state = 'available'`); n != 1 {
			t.Error("the jobs of dead workers are not handed back")
		}
	})
}

// The old installation may publish until the restored one is served.
func TestTheFirstStartAfterARestoreIsRecordedOnce(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		serve := func(at crier.Time) (first bool) {
			f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
				first, err = tx.ServeRestored(ctx, at)
				return err
			})
			return first
		}
		jobTable(t, f.Store, "running")
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.SetKeyFingerprint(ctx, "abc", f.Now) })
		if serve(f.Now) {
			t.Error("a store that was never restored is served for the first time")
		}
		for _, age := range []time.Duration{time.Hour, 3 * time.Hour} { // it may be restored again
			backedUp, served := f.After(age), f.After(age+time.Hour)
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.MarkRestored(ctx, store.RestoreTimes{BackedUpAt: backedUp, Now: backedUp})
				return err
			})
			if first, again := serve(served), serve(f.After(9*time.Hour)); !first || again {
				t.Errorf("the first start is the first one: %v, the second one: %v", first, again)
			}
			r, err := f.Restoration(context.Background())
			if err != nil || r == nil || !r.BackedUpAt.Equal(backedUp.Time) || !r.ServedAt.Equal(served.Time) {
				t.Errorf("%+v, %v", r, err)
			}
		}
	})
}

func TestWebhooksAreHandedEventsFromOnePlace(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		if has, err := f.HasWebhooks(ctx); err != nil || has {
			t.Errorf("has webhooks: %v, %v", has, err)
		}
		off := newWebhook(f, func(w *store.Webhook) { w.Status = "disabled" })
		if has, err := f.HasWebhooks(ctx); err != nil || has {
			t.Errorf("with a disabled one: %v, %v", has, err)
		}
		events := newEventsOf(t, f, 3)
		w := newWebhook(f)
		off.Status = "enabled"
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.UpdateWebhook(ctx, off, true) })
		for name, id := range map[string]crier.ID{"a new one": w.ID, "one that was switched on": off.ID} {
			got, err := f.Webhook(ctx, f.Organization.ID, id)
			if err != nil || got.AfterSequence != events[2].Sequence {
				t.Errorf("%s is told of what happens behind %d, %v", name, got.AfterSequence, err)
			}
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			list, err := tx.EnabledWebhooks(ctx)
			if err != nil || len(list) != 2 || list[0].ID > list[1].ID {
				t.Errorf("enabled are %+v, %v", list, err)
			}
			at, err := tx.LockDispatched(ctx)
			if at != 0 {
				t.Errorf("handed over up to %d", at)
			}
			return errors.Join(err, tx.SetDispatched(ctx, events[1].Sequence))
		})
		if at, err := f.Dispatched(ctx); err != nil || at != events[1].Sequence {
			t.Errorf("handed over up to %d, %v", at, err)
		}
	})
}

func TestPostsWithOldWordsAreIndexedOnce(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		var all []crier.ID
		for range 3 {
			all = append(all, f.NewPost("x").ID)
		}
		slices.Sort(all)
		next := func(after crier.ID, limit int) []crier.ID {
			list, err := f.PostsToIndex(ctx, after, limit)
			if err != nil {
				t.Fatal(err)
			}
			return list
		}
		if got := next("", 9); len(got) != 0 {
			t.Errorf("new posts are to be indexed: %v", got)
		}
		mustExec(t, f.Store, `UPDATE posts SET words_version = 1`)
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.DeletePost(ctx, all[1], f.Now) })
		if got := next("", 9); !slices.Equal(got, []crier.ID{all[0], all[2]}) {
			t.Errorf("to be indexed are %v", got)
		}
		if got := next("", 1); !slices.Equal(got, all[:1]) {
			t.Errorf("the first is %v", got)
		}
		if got := next(all[0], 9); !slices.Equal(got, all[2:]) {
			t.Errorf("behind the first is %v", got)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.MarkIndexed(ctx, all[0]) })
		if got := next("", 9); !slices.Equal(got, all[2:]) {
			t.Errorf("left is %v", got)
		}
		if err := f.AddWordChanges(ctx); err != nil {
			t.Error(err)
		}
		before := f.CredentialChanges()
		f.NewPost("y")
		if got := f.CredentialChanges(); got != before {
			t.Errorf("a post changes %d credentials", got-before)
		}
		f.NewUser("n@acme.example")
		if got := f.CredentialChanges(); got != before+1 {
			t.Errorf("a person changes %d credentials", got-before)
		}
	})
}

func TestDumpsAreOnlyLoadedWhereTheyFit(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, dir := context.Background(), t.TempDir()
		f.NewAsset(func(a *store.Asset) { a.SHA256 = "abc" })
		gone := f.NewAsset()
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.DeleteAsset(ctx, gone, f.Now) })
		var sums []string
		if err := f.AssetChecksums(ctx, func(_ crier.ID, sum string) { sums = append(sums, sum) }); err != nil ||
			!slices.Equal(sums, []string{"abc"}) {
			t.Errorf("checksums %q, %v", sums, err)
		}
		dump, err := f.Dump(ctx, dir)
		if err != nil || dump.Dialect != f.Dialect() || dump.Schema == 0 || len(dump.Files) == 0 {
			t.Fatalf("%+v, %v", dump, err)
		}
		for _, file := range dump.Files {
			if info, err := os.Stat(filepath.Join(dir, file.Name)); err != nil || info.Mode().Perm()&0o077 != 0 &&
				f.Dialect() == store.Postgres {
				t.Errorf("%s: %v, %v", file.Name, info, err)
			}
			if slices.Contains([]string{"goose_db_version", "river_migration", "river_leader"}, file.Table) {
				t.Errorf("%s is in the dump", file.Table)
			}
		}
		if _, err := f.Dump(ctx, dir); err == nil {
			t.Error("a dump was written over another")
		}
		prepared := false
		prepare := func(context.Context, *store.Store) error { prepared = true; return nil }
		newer, other := dump, dump
		newer.Schema = 99_999
		other.Dialect = map[store.Dialect]store.Dialect{store.SQLite: store.Postgres,
			store.Postgres: store.SQLite}[f.Dialect()]
		used := filepath.Join(t.TempDir(), "used")
		if err := errors.Join(os.Mkdir(used, 0o700),
			os.WriteFile(filepath.Join(used, "crier.db"), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		fresh := t.TempDir()
		load := func(d store.Dump, into string) error {
			if f.Dialect() == store.Postgres {
				_, err := f.LoadPostgres(ctx, d, dir, store.RestoreTimes{}, prepare)
				return err
			}
			_, err := store.LoadSQLite(ctx, d, dir, into, store.RestoreTimes{}, prepare)
			return err
		}
		for name, c := range map[string]struct {
			dump store.Dump
			into string
			want string
		}{
			"a newer version": {newer, fresh, "newer version of crier (schema 99999"},
			"another kind":    {other, fresh, "this is the backup of a " + string(other.Dialect) + " database"},
			"a used place":    {dump, used, "restore into an empty"},
		} {
			if err := load(c.dump, c.into); err == nil || !strings.Contains(err.Error(), c.want) || prepared {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestADatabaseThatIsNotMigratedIsNotDumped(t *testing.T) {
	t.Parallel()
	s := empty.Fresh(t, store.SQLite).Open(t)
	if _, err := s.Dump(context.Background(), t.TempDir()); err == nil ||
		!strings.Contains(err.Error(), "run crier migrate first") {
		t.Errorf("%v", err)
	}
}
