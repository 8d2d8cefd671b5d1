package store_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

func TestLeaseRules(t *testing.T) {
	t.Parallel()
	type change = func(f *storetest.Fixture, p *store.Publication)
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		for name, c := range map[string]struct {
			change change
			owned  bool          // by another worker
			until  time.Duration // of a lease, from now; 0 for none
			epoch  int64
			want   bool
		}{
			"due": {want: true},
			"due later": {change: func(f *storetest.Fixture,
				p *store.Publication) {
				w := f.After(time.Second)
				p.WakeAt = &w
			}},
			"nothing left": {change: func(_ *storetest.Fixture, p *store.Publication) { p.WakeAt = nil }},
			"over":         {change: func(_ *storetest.Fixture, p *store.Publication) { p.Status = crier.Failed }},
			"unknown, to check": {change: func(_ *storetest.Fixture, p *store.Publication) { p.Status = crier.Unknown },
				want: true},
			"another epoch":    {epoch: 1},
			"leased":           {owned: true, until: time.Second},
			"lease expired":    {owned: true, until: -time.Second, want: true},
			"taken by a sweep": {until: time.Minute, want: true},
		} {
			p := f.Schedule(f.NewPost("Hello"), func(p *store.Publication) {
				if c.change != nil {
					c.change(f, p)
				}
			})
			if c.until != 0 {
				mustExec(t, f.Store, `UPDATE publications SET lease_until = $2 WHERE id = $1`, p.ID, f.After(c.until))
			}
			if c.owned {
				mustExec(t, f.Store, `UPDATE publications SET lease_owner = $2 WHERE id = $1`, p.ID, crier.NewID())
			}
			request := &store.LeaseRequest{ID: p.ID, Epoch: c.epoch, Owner: crier.NewID(), Now: f.Now,
				Until: f.After(time.Minute), Run: store.Run{Job: "42", Attempt: "1"}}
			f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.Lease(ctx, store.Patient, request) })
			if request.Leased != c.want {
				t.Errorf("%s: leased: %v, want %v", name, request.Leased, c.want)
				continue
			}
			if err := f.ReadLeased(t.Context(), request); err != nil || request.Leased != c.want {
				t.Errorf("%s: read: %v, %v", name, request.Leased, err)
			}
			if got := request.Publication; c.want && (*got.LeaseOwner != request.Owner || got.WorkflowID != "42" ||
				request.Context == nil || request.Context.Account.ID != f.Account.ID ||
				request.Context.Content.Input.Atomic.Text != "Hello") {
				t.Errorf("%s: leased %+v with %+v", name, got, request.Context)
			}
		}
	})
}

func TestLeaseReportsDeletedPost(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		post := f.NewPost("Hello")
		p := f.Schedule(post)
		if gone, err := f.PostGone(ctx, post.ID); err != nil || gone {
			t.Errorf("gone: %v, %v", gone, err)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.DeletePost(ctx, post.ID, f.Now) })
		request := &store.LeaseRequest{ID: p.ID, Owner: crier.NewID(), Now: f.Now, Until: f.Now}
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.Lease(ctx, store.Patient, request) })
		if err := f.ReadLeased(ctx, request); err != nil {
			t.Fatal(err)
		}
		if !request.Context.Gone {
			t.Errorf("%+v", request.Context)
		}
		if gone, err := f.PostGone(ctx, post.ID); err != nil || !gone {
			t.Errorf("gone: %v, %v", gone, err)
		}
	})
}

func TestLeaseIsExtendedReleasedAndLost(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, owner, stranger := context.Background(), crier.NewID(), crier.NewID()
		p := f.Lease(owner, f.Schedule(f.NewPost("Hello")))[0]
		until := f.After(time.Hour)
		for _, who := range []crier.ID{stranger, owner} {
			if err := f.ExtendLease(ctx, p.ID, who, until); err != nil {
				t.Fatal(err)
			}
		}
		if got := f.Read(p.ID); !got.LeaseUntil.Equal(until.Time) {
			t.Errorf("extended until %v", got.LeaseUntil)
		}
		p.State = []byte(`{"step":"sent"}`)
		for who, want := range map[crier.ID]bool{stranger: false, owner: true} {
			if ok, err := f.SaveProgress(ctx, p, who, until); err != nil || ok != want {
				t.Errorf("saved: %v, %v", ok, err)
			}
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				ok, err := tx.SetReserved(ctx, p, who, 9)
				if ok != want {
					t.Errorf("reserved: %v", ok)
				}
				return err
			})
		}
		wake := f.After(2 * time.Hour)
		if err := f.ReleaseLease(ctx, p.ID, p.Epoch, stranger, wake); err != nil || f.Read(p.ID).LeaseOwner == nil {
			t.Errorf("a stranger ended the lease: %v", err)
		}
		if err := f.ReleaseLease(ctx, p.ID, p.Epoch, owner, wake); err != nil {
			t.Fatal(err)
		}
		got := f.Read(p.ID)
		if got.LeaseOwner != nil || !got.WakeAt.Equal(wake.Time) || got.Reserved != 9 {
			t.Errorf("after the rest: %+v", got)
		}
		next, err := f.NotDueUntil(ctx, p.ID, p.Epoch, f.Now)
		if err != nil || next == nil || !next.Equal(wake.Time) {
			t.Errorf("not due until %v, %v", next, err)
		}
		if next, err := f.NotDueUntil(ctx, p.ID, p.Epoch, wake); err != nil || next != nil {
			t.Errorf("due: %v, %v", next, err)
		}
	})
}

func TestPostponeSkipsLeasedPublications(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, wake := context.Background(), f.After(time.Hour)
		free, leased := f.Schedule(f.NewPost("1")), f.Schedule(f.NewPost("2"))
		f.Lease(crier.NewID(), leased)
		for _, p := range []store.Publication{free, leased} {
			if err := f.Postpone(ctx, p.ID, p.Epoch, f.Now, wake); err != nil {
				t.Fatal(err)
			}
		}
		if a, b := f.Read(free.ID), f.Read(leased.ID); !a.WakeAt.Equal(wake.Time) || !b.WakeAt.Equal(f.Now.Time) {
			t.Errorf("due again at %v and %v", a.WakeAt, b.WakeAt)
		}
	})
}

func TestTakeOverdueTakesEachPublicationOnce(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		at := func(d time.Duration) func(*store.Publication) {
			return func(p *store.Publication) { w := f.After(d); p.WakeAt = &w }
		}
		old := f.Schedule(f.NewPost("old"), at(-time.Hour))
		f.Schedule(f.NewPost("young"), at(-time.Second))
		f.Schedule(f.NewPost("future"), at(time.Hour))
		dead := f.Schedule(f.NewPost("its worker died"), at(-10*time.Second))
		mustExec(t, f.Store, `UPDATE publications SET lease_owner = $2, lease_until = $3 WHERE id = $1`, dead.ID,
			crier.NewID(), f.After(-time.Second))
		f.Lease(crier.NewID(), f.Schedule(f.NewPost("at work"), at(-time.Hour)))
		action := f.Follow(old, store.FirstComment, at(-time.Hour))
		due := store.DueBefore{Woken: f.After(-2 * time.Second), Waiting: f.After(-time.Minute)}
		take := func() (ids []crier.ID) {
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				list, err := tx.TakeOverdue(ctx, due, f.Now, f.After(time.Minute), 10)
				for _, o := range list {
					if (o.Kind == store.PostPublication) != (o.ID != action.ID) || o.SocialAccountID != f.Account.ID ||
						o.Provider != "x" {
						t.Errorf("took %+v", o)
					}
					ids = append(ids, o.ID)
				}
				return err
			})
			return ids
		}
		want := []crier.ID{old.ID, dead.ID, action.ID}
		slices.Sort(want)
		if got := take(); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
			t.Errorf("took %v, want %v", got, want)
		}
		if got := take(); len(got) != 0 {
			t.Errorf("took %v twice", got)
		}
	})
}

func TestWakeAccountWakesWaitingPublications(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		later := f.After(time.Hour)
		waits := func(text, code string, status crier.ScheduledPostStatus) store.Publication {
			p := f.Schedule(f.NewPost(text), func(p *store.Publication) { p.WakeAt, p.Status = &later, status })
			mustExec(t, f.Store, `UPDATE publications SET error_code = $2 WHERE id = $1`, p.ID, code)
			return p
		}
		expired := waits("1", "auth_expired", crier.Scheduled)
		action := f.Follow(expired, store.RepostPublication)
		mustExec(t, f.Store, `UPDATE publications SET error_code = 'permission_missing', wake_at = $2 WHERE id = $1`,
			action.ID, later)
		waits("2", "rate_limited", crier.Scheduled)
		waits("3", "auth_expired", crier.Unknown)
		waits("4", "auth_expired", crier.Failed)
		var woken []store.Overdue
		f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
			woken, err = tx.WakeAccount(ctx, f.Account.ID, f.Now)
			return err
		})
		if len(woken) != 2 {
			t.Fatalf("woke %+v", woken)
		}
		for _, id := range []crier.ID{expired.ID, action.ID} {
			if got := f.Read(id); !got.WakeAt.Equal(f.Now.Time) {
				t.Errorf("%s is due at %v", got.Kind, got.WakeAt)
			}
		}
	})
}

func TestLeasesOfADeadProcessAreReleased_sqlite(t *testing.T) {
	t.Parallel()
	f := storetest.NewFixture(t, databases.Fresh(t, store.SQLite).Open(t))
	p := f.Lease(crier.NewID(), f.Schedule(f.NewPost("Hello")))[0]
	if err := f.ReleaseLeases(context.Background()); err != nil || f.Read(p.ID).LeaseOwner != nil {
		t.Errorf("the lease is still there: %v", err)
	}
}

// Between the commit of a lease and its reading, a person may move or take back the publication.
func TestLeaseOfAPublicationThatWasChangedSinceIsLost(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		for name, change := range map[string]string{
			"moved":   `UPDATE publications SET epoch = epoch + 1 WHERE id = $1`,
			"taken":   `UPDATE publications SET lease_owner = post_id WHERE id = $1`,
			"free":    `UPDATE publications SET lease_owner = NULL, lease_until = NULL WHERE id = $1`,
			"deleted": `DELETE FROM publications WHERE id = $1`,
		} {
			p := f.Schedule(f.NewPost("Hello"))
			request := &store.LeaseRequest{ID: p.ID, Owner: crier.NewID(), Now: f.Now, Until: f.After(time.Minute)}
			f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.Lease(ctx, store.Patient, request) })
			if !request.Leased {
				t.Fatal("not leased")
			}
			mustExec(t, f.Store, change, p.ID)
			if err := f.ReadLeased(t.Context(), request); err != nil || request.Leased {
				t.Errorf("%s: still leased: %v, %v", name, request.Leased, err)
			}
		}
	})
}

// Without statistics, PostgreSQL would read all contents and posts and compare them with those that are leased.
func TestReadingWhatWasLeasedReadsNothingElse_postgres(t *testing.T) {
	t.Parallel()
	f := storetest.NewFixture(t, databases.Fresh(t, store.Postgres).Open(t))
	post := f.NewPost("Hello")
	p := f.Schedule(post)
	copyPosts(t, f, post.ID, 4000)
	mustExec(t, f.Store, `INSERT INTO payloads (id, post_id, version, text, post_input, created_at)
		SELECT p.id, p.id, 1, y.text, y.post_input, y.created_at FROM posts p, payloads y
		WHERE y.post_id = $1 AND p.id <> $1`, post.ID)
	request := &store.LeaseRequest{ID: p.ID, Owner: crier.NewID(), Now: f.Now, Until: f.After(time.Minute)}
	f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.Lease(ctx, store.Patient, request) })
	queries := 0
	r := f.Recording(func(query string, args []any) {
		queries++
		steps := plan(t, f.Store, query, args...)
		for _, table := range []string{"publications", "payloads", "posts"} {
			if strings.Contains(steps, "Seq Scan on "+table) {
				t.Errorf("all %s are read:\n%s", table, steps)
			}
		}
	})
	if err := r.ReadLeased(t.Context(), request); err != nil || !request.Leased || queries != 2 {
		t.Errorf("leased: %v with %d queries, %v", request.Leased, queries, err)
	}
}
