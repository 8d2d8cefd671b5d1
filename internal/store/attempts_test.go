package store_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// attempt returns an attempt of a publication that started some time after now.
func attempt(f *storetest.Fixture, p store.Publication, operation string, after time.Duration) store.Attempt {
	a := store.Attempt{ScheduledPostID: p.ScheduledPostID}
	a.ID, a.Operation, a.StartedAt = crier.NewID(), operation, f.After(after)
	if p.Kind != store.PostPublication {
		a.ActionID = &p.ID
	}
	return a
}

// sending returns an attempt that may publish something.
func sending(f *storetest.Fixture, p store.Publication, after time.Duration) store.Attempt {
	a := attempt(f, p, "publish", after)
	before, settled := f.After(after+10*time.Second), f.After(after+30*time.Second)
	a.SendBefore, a.SettledAfter = &before, &settled
	return a
}

func begin(t *testing.T, f *storetest.Fixture, starts ...*store.AttemptStart) {
	t.Helper()
	f.Tx(func(ctx context.Context, tx *store.Tx) error {
		return tx.BeginAttempts(ctx, store.Impatient, starts...)
	})
}

func TestAttemptsBeginOnlyUnderTheLease(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, owner := context.Background(), crier.NewID()
		parent := f.Schedule(f.NewPost("Hello"))
		leased := f.Lease(owner, parent, f.Follow(parent, store.FirstComment), f.Schedule(f.NewPost("2")),
			f.Schedule(f.NewPost("3")))
		starts := make([]*store.AttemptStart, len(leased))
		for i, p := range leased {
			starts[i] = &store.AttemptStart{Publication: p, Owner: owner, Attempt: sending(f, p, 0),
				LeaseUntil: f.After(20 * time.Second)}
		}
		starts[2].Owner = crier.NewID()
		mustExec(t, f.Store, `UPDATE publications SET epoch = epoch + 1 WHERE id = $1`, leased[3].ID)
		begin(t, f, starts...)
		for i, want := range []bool{true, true, false, false} {
			if starts[i].Begun != want {
				t.Errorf("attempt %d begun: %v, want %v", i, starts[i].Begun, want)
			}
		}
		got := f.Read(parent.ID)
		if got.Status != crier.Publishing || !got.LeaseUntil.Equal(f.After(20*time.Second).Time) {
			t.Errorf("the publication is %s and leased until %v", got.Status, got.LeaseUntil)
		}
		attempts, err := f.Attempts(ctx, parent.ID, 10)
		if err != nil || len(attempts) != 2 || !attempts[0].Unresolved() {
			t.Fatalf("%d attempts, %v", len(attempts), err)
		}
		// Its repetition ends the first one.
		leased[0].Status = crier.Publishing
		again := &store.AttemptStart{Publication: leased[0], Owner: owner, Attempt: sending(f, leased[0], time.Minute),
			Repeats: &starts[0].Attempt.ID}
		begin(t, f, again)
		last, err := f.LastSend(ctx, leased[0])
		if err != nil || last == nil || last.ID != again.Attempt.ID {
			t.Errorf("the last one that was sent is %+v, %v", last, err)
		}
	})
}

// The start of a call writes only the publication; whoever reads the post meanwhile sees that it is being published.
func TestPostIsPublishingWhileOneOfItsCallsRuns(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, owner := context.Background(), crier.NewID()
		states := func(post crier.ID) (read, listed crier.DeliveryState) {
			one, err := f.Post(ctx, f.Team.ID, post, false)
			if err != nil {
				t.Fatal(err)
			}
			page, _, err := f.Posts(ctx, store.PostFilter{TeamID: f.Team.ID},
				store.PageQuery{Sort: "createdAt", Limit: 10}, false)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range page.Rows {
				if p.ID == post {
					listed = p.DeliveryState
				}
			}
			return one.DeliveryState, listed
		}
		single, double := f.NewPost("On one account"), f.NewPost("On two")
		first := f.Schedule(double)
		other := f.NewAccount(crier.ProviderX)
		f.Schedule(double, func(p *store.Publication) { p.SocialAccountID = other.ID })
		leased := f.Lease(owner, f.Schedule(single), first)
		for _, p := range leased {
			begin(t, f, &store.AttemptStart{Publication: p, Owner: owner, Attempt: sending(f, p, 0)})
		}
		for _, post := range []store.Post{single, double} {
			if read, listed := states(post.ID); read != crier.DeliveryPublishing || listed != read {
				t.Errorf("%s: read as %s, listed as %s", post.Text, read, listed)
			}
		}
		// What waits on another account is still scheduled.
		for state, want := range map[crier.DeliveryState][]crier.ID{
			crier.DeliveryScheduled: {double.ID}, crier.DeliveryPublishing: {single.ID, double.ID}} {
			page, total, err := f.Posts(ctx, store.PostFilter{TeamID: f.Team.ID,
				DeliveryStates: []crier.DeliveryState{state}}, store.PageQuery{Sort: "createdAt", Limit: 10}, false)
			var found []crier.ID
			for _, p := range page.Rows {
				found = append(found, p.ID)
			}
			if err != nil || !slices.Equal(found, want) || total != (store.Total{Count: int64(len(want))}) {
				t.Errorf("%s: %v of %+v, %v; want %v", state, found, total, err, want)
			}
		}
	})
}

func TestAttemptEndsOnce(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, owner := context.Background(), crier.NewID()
		p := f.Lease(owner, f.Schedule(f.NewPost("Hello")))[0]
		a := sending(f, p, 0)
		begin(t, f, &store.AttemptStart{Publication: p, Owner: owner, Attempt: a})
		ended := f.After(1500 * time.Millisecond)
		a.EndedAt, a.Outcome, a.Message, a.ErrorCode = &ended, "succeeded", "It is public.", ""
		a.Exchanges = []crier.Exchange{{Method: "POST", URL: "https://x.example", Status: 201}}
		later := a
		later.Outcome = "failed"
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			if err := tx.WriteAttempts(ctx, a, attempt(f, p, "prepare", -time.Second)); err != nil {
				return err
			}
			ok, err := tx.EndAttempt(ctx, later)
			if ok {
				t.Error("it ended twice")
			}
			return err
		})
		list, err := f.Attempts(ctx, p.ID, 10)
		if err != nil || len(list) != 2 || list[0].Operation != "prepare" {
			t.Fatalf("%+v, %v", list, err)
		}
		if got := list[1]; got.Outcome != "succeeded" || *got.DurationMillis != 1500 || len(got.Exchanges) != 1 ||
			got.Unresolved() {
			t.Errorf("the attempt is %+v", got)
		}
	})
}

func TestLastSendPrefersUnresolvedAttempts(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		p := f.Schedule(f.NewPost("Hello"))
		action := f.Follow(p, store.FirstComment)
		if last, err := f.LastSend(ctx, p); err != nil || last != nil {
			t.Errorf("without any: %+v, %v", last, err)
		}
		insert := func(a store.Attempt, outcome string) store.Attempt {
			if outcome != "" {
				ended := f.After(time.Hour)
				a.EndedAt, a.Outcome = &ended, outcome
			}
			f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertAttempt(ctx, a) })
			return a
		}
		unknown := insert(sending(f, p, 0), store.OutcomeUnknown)
		failed := insert(sending(f, p, time.Minute), "failed")
		insert(attempt(f, p, "reconcile", 2*time.Minute), "succeeded")
		other := insert(sending(f, action, 3*time.Minute), "")
		for name, c := range map[string]struct {
			of   store.Publication
			want crier.ID
		}{"post": {p, unknown.ID}, "action": {action, other.ID}} {
			if last, err := f.LastSend(ctx, c.of); err != nil || last == nil || last.ID != c.want {
				t.Errorf("%s: %+v, %v", name, last, err)
			}
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.ResolveAttempt(ctx, unknown.ID, "absent", f.Now)
		})
		if last, err := f.LastSend(ctx, p); err != nil || last.ID != failed.ID {
			t.Errorf("when all are known: %+v, %v", last, err)
		}
	})
}

func TestDeleteAttemptsSelectsNamedPublications(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		one, two := f.Schedule(f.NewPost("1")), f.Schedule(f.NewPost("2"))
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.WriteAttempts(ctx, attempt(f, one, "delete", 0), attempt(f, one, "poll", 0), attempt(f, two,
				"delete", 0))
		})
		list, err := f.DeleteAttempts(context.Background(), []crier.ID{one.ID})
		if err != nil || len(list) != 1 || list[0].ScheduledPostID != one.ID {
			t.Errorf("%+v, %v", list, err)
		}
	})
}

// disable is what a person does who ends the calls of the fixture's account.
func disable(ctx context.Context, f *storetest.Fixture, tx *store.Tx) error {
	if err := tx.HoldStarts(ctx, f.Account.ID); err != nil {
		return err
	}
	locked, err := tx.LockAccounts(ctx, f.Team.ID, []crier.ID{f.Account.ID})
	if err != nil {
		return err
	}
	a := locked[f.Account.ID]
	a.Status = crier.AccountDisabled
	return tx.UpdateAccount(ctx, a)
}

// A node starts calls while a person disables their account at another one, who is faster.
func TestNoCallStartsWhileItsAccountIsDisabled(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		owner, other := crier.NewID(), f.NewAccount(crier.ProviderX)
		leased := f.Lease(owner, f.Schedule(f.NewPost("1")),
			f.Schedule(f.NewPost("2"), func(p *store.Publication) { p.SocialAccountID = other.ID }))
		starts := make([]*store.AttemptStart, len(leased))
		for i, p := range leased {
			starts[i] = &store.AttemptStart{Publication: p, Owner: owner, Attempt: sending(f, p, 0),
				LeaseUntil: f.After(20 * time.Second)}
		}
		begun := make(chan error, 1)
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			if err := disable(ctx, f, tx); err != nil {
				return err
			}
			go func() {
				begun <- f.TryTx(func(ctx context.Context, tx *store.Tx) error {
					return tx.BeginAttempts(ctx, store.Patient, starts...)
				})
			}()
			select {
			case err := <-begun:
				t.Errorf("started while the account is being disabled: %v", err)
				begun <- err
			case <-time.After(300 * time.Millisecond):
			}
			return nil
		})
		if err := <-begun; err != nil {
			t.Fatal(err)
		}
		if starts[0].Begun || !starts[1].Begun {
			t.Errorf("begun: of the disabled account %t, of the other one %t", starts[0].Begun, starts[1].Begun)
		}
	})
}

// Nodes start calls of the same accounts, in different orders, while people disable and enable them: nobody waits for
// each other in a circle, and no call starts after its account was disabled.
func TestStartsAndEndsOfManyAccountsDoNotBlockEachOther(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		accounts := []store.Account{f.Account, f.NewAccount(crier.ProviderX), f.NewAccount(crier.ProviderX)}
		owner := crier.NewID()
		var group errgroup.Group
		for range 4 {
			var list []store.Publication
			for i := range accounts {
				list = append(list, f.Schedule(f.NewPost("Hello"),
					func(p *store.Publication) { p.SocialAccountID = accounts[i].ID }))
			}
			list = f.Lease(owner, list...)
			group.Go(func() error {
				for range 10 {
					starts := make([]*store.AttemptStart, len(list))
					for i, p := range list {
						starts[i] = &store.AttemptStart{Publication: p, Owner: owner, Attempt: sending(f, p, 0)}
					}
					err := f.TryTx(func(ctx context.Context, tx *store.Tx) error {
						return tx.BeginAttempts(ctx, store.Patient, starts...)
					})
					if err != nil {
						return err
					}
				}
				return nil
			})
		}
		for _, a := range accounts {
			group.Go(func() error {
				for range 10 {
					err := f.TryTx(func(ctx context.Context, tx *store.Tx) error {
						return tx.HoldStarts(ctx, a.ID)
					})
					if err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			t.Error(err)
		}
	})
}
