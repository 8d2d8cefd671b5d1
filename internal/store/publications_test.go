package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

func TestPublicationsOfEveryKindRoundTrip(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		days, slot, first := 7, f.After(time.Hour), crier.NewID()
		post := f.Schedule(f.NewPost("Hello"), func(p *store.Publication) {
			p.SlotAt, p.ScheduledAt, p.Timezone, p.RecurrenceOf, p.Reserved = &slot, slot, "Europe/Berlin", &first, 3
			p.Settings = map[string]json.RawMessage{"visibility": json.RawMessage(`"public"`)}
			p.Actions = crier.PlannedActions{RecurrenceIntervalDays: &days}
		})
		for _, kind := range []store.PublicationKind{store.FirstComment, store.EngagementComment,
			store.RepostPublication} {
			action := f.Follow(post, kind, func(p *store.Publication) { p.ExpiresAt = &slot })
			got := f.Read(action.ID)
			if !got.IsAction() || got.Kind != kind || got.ScheduledPostID != post.ID || got.Timezone != "" ||
				got.SlotAt != nil || got.ExpiresAt == nil || !got.ExpiresAt.Equal(slot.Time) {
				t.Errorf("%s is read as %+v", kind, got)
			}
		}
		got := f.Read(post.ID)
		if diff := cmp.Diff(post, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("the post's publication differs (-written +read):\n%s", diff)
		}
	})
}

func TestActionHappensOncePerKind(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		post := f.Schedule(f.NewPost("Hello"))
		first := f.Follow(post, store.FirstComment)
		f.Follow(post, store.FirstComment)
		f.Follow(post, store.RepostPublication)
		other := f.Schedule(f.NewPost("Other"))
		f.Follow(other, store.FirstComment)
		if n := f.Scan(`SELECT count(*) FROM publications WHERE kind <> 'post'`); n != 3 {
			t.Errorf("%d actions, want 3", n)
		}
		if got := f.Read(first.ID); got.Kind != store.FirstComment {
			t.Errorf("the first one is %+v", got)
		}
	})
}

func TestPostIsLiveOncePerAccount(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		post, slot := f.NewPost("Hello"), f.After(time.Hour)
		f.Follow(f.Schedule(post), store.FirstComment) // live too, but no conflict
		insert := func(p store.Post, change func(*store.Publication)) error {
			return f.TryTx(func(ctx context.Context, tx *store.Tx) error {
				row := store.Publication{ID: crier.NewID(), TeamID: f.Team.ID,
					OrganizationID: f.Organization.ID, PostID: p.ID, SocialAccountID: f.Account.ID, Provider: "x",
					Status: crier.Scheduled, ScheduledAt: slot, Timezone: "UTC", PayloadID: p.ContentPayloadID,
					State: json.RawMessage(`{}`), CreatedAt: f.Now}
				change(&row)
				return tx.InsertPublication(ctx, row)
			})
		}
		if err := insert(post, func(*store.Publication) {}); !errors.Is(err, store.ErrTaken) {
			t.Errorf("a second live publication on the account: %v", err)
		}
		if err := insert(post, func(p *store.Publication) { p.Status = crier.Published }); err != nil {
			t.Errorf("a publication that is over: %v", err)
		}
		if err := insert(f.NewPost("2"), func(p *store.Publication) { p.SlotAt = &slot }); err != nil {
			t.Errorf("a free slot: %v", err)
		}
		if err := insert(f.NewPost("3"), func(p *store.Publication) { p.SlotAt = &slot }); !errors.Is(err,
			store.ErrTaken) {
			t.Errorf("a taken slot: %v", err)
		}
		live, err := f.HasLive(ctx, post.ID, f.Account.ID)
		var plan store.Planning
		f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
			plan, err = tx.LockForPlanning(ctx, f.Team.ID, post.ID, []crier.ID{f.Account.ID})
			return err
		})
		if err != nil || !live || !plan.Published[f.Account.ID] {
			t.Errorf("live %v, published %v; %v", live, plan.Published, err)
		}
		if live, err := f.HasLive(ctx, post.ID, crier.NewID()); err != nil || live {
			t.Errorf("live on another account: %v, %v", live, err)
		}
	})
}

func TestMovingAPublicationAdvancesEpochAndClearsLease(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		p := f.Lease(crier.NewID(), f.Schedule(f.NewPost("Hello")))[0]
		move := func(p store.Publication) error {
			return f.TryTx(func(ctx context.Context, tx *store.Tx) error { return tx.MovePublication(ctx, p, f.Now) })
		}
		later := f.After(time.Hour)
		p.ScheduledAt, p.WakeAt, p.Epoch, p.Timezone = later, &later, 1, "Asia/Tokyo"
		if err := move(p); err != nil {
			t.Fatal(err)
		}
		got := f.Read(p.ID)
		if got.Epoch != 1 || got.LeaseOwner != nil || !got.ScheduledAt.Equal(later.Time) ||
			got.Timezone != "Asia/Tokyo" {
			t.Errorf("after the move: %+v", got)
		}
		mustExec(t, f.Store, `UPDATE publications SET status = 'publishing' WHERE id = $1`, p.ID)
		if err := move(p); kindOf(err) != crier.KindNotFound {
			t.Errorf("a publication that has started was moved: %v", err)
		}
	})
}

// settlement returns a settlement that changes only the publication's row.
func settlement(p store.Publication, owner crier.ID, change func(*store.Publication)) *store.Settlement {
	s := &store.Settlement{Publication: p, Epoch: p.Epoch, Owner: owner}
	change(&s.Publication)
	return s
}

func TestSettlementsAreWrittenOnlyForTheOwnerOfTheLease(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		owner, id, code := crier.NewID(), "p1", "rejected"
		parent := f.Schedule(f.NewPost("Hello"))
		leased := f.Lease(owner, parent, f.Follow(parent, store.FirstComment), f.Schedule(f.NewPost("Other")))
		publish := func(p *store.Publication) {
			p.Status, p.PlatformPostID, p.PublishedAt, p.WakeAt = crier.Published, &id, &f.Now, nil
			p.Captured, p.ErrorCode, p.StateSecrets = 4, &code, []byte{0, 255}
			p.Results.PlatformPostIDs = []string{"p1"}
		}
		list := []*store.Settlement{settlement(leased[0], owner, publish), settlement(leased[1], owner, publish),
			settlement(leased[2], crier.NewID(), publish), settlement(leased[2], owner, publish)}
		list[3].Epoch++ // it was moved meanwhile
		settle(t, f.Store, f.Now, list...)
		for i, want := range []bool{true, true, false, false} {
			if list[i].Written != want {
				t.Errorf("settlement %d written: %v, want %v", i, list[i].Written, want)
			}
		}
		for _, p := range leased[:2] {
			got := f.Read(p.ID)
			if got.Status != crier.Published || got.LeaseOwner != nil || got.WakeAt != nil ||
				*got.PlatformPostID != "p1" || got.Captured != 4 || *got.ErrorCode != "rejected" ||
				string(got.StateSecrets) != "\x00\xff" {
				t.Errorf("%s is %+v", got.Kind, got)
			}
		}
		if got := f.Read(leased[2].ID); got.Status != crier.Scheduled || *got.LeaseOwner != owner {
			t.Errorf("the other one is %+v", got)
		}
		post, err := f.Post(context.Background(), f.Team.ID, parent.PostID, false)
		if err != nil || post.DeliveryState != crier.DeliveryPublished {
			t.Errorf("the post is %s, %v", post.DeliveryState, err)
		}
	})
}

func TestManualDecisionStopsTheWorker(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		owner := crier.NewID()
		p := f.Lease(owner, f.Schedule(f.NewPost("Hello")))[0]
		decision := settlement(p, "", func(p *store.Publication) { p.Status, p.Epoch, p.WakeAt = crier.Failed, 1, nil })
		settle(t, f.Store, f.Now, decision)
		if ok, err := f.SaveProgress(context.Background(), p, owner, f.After(time.Minute)); err != nil || ok {
			t.Errorf("the worker goes on: %v, %v", ok, err)
		}
		if got := f.Read(p.ID); !decision.Written || got.Status != crier.Failed || got.LeaseOwner != nil {
			t.Errorf("after the decision: %+v", got)
		}
	})
}

func TestSettlementWritesFollowups(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, owner := context.Background(), crier.NewID()
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.AddCredits(ctx, booking(f, f.Organization.ID, "grant", 10, 0))
		})
		post := f.NewPost("Hello", func(p *store.Post) { p.Status = crier.PostApproved })
		p := f.Lease(owner, f.Schedule(post))[0]
		lost := sending(f, p, 0)
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.InsertAttempt(ctx, lost) })
		next, issue := p, "auth_failed"
		next.ID, next.Status, next.Epoch, next.ScheduledAt = crier.NewID(), crier.Scheduled, 0, f.After(time.Hour)
		comment := p
		comment.ID, comment.Kind = crier.NewID(), store.FirstComment
		comment.ScheduledPostID, comment.Spec, comment.Status = p.ID, json.RawMessage(`{}`), crier.Scheduled
		ended := attempt(f, p, "poll", time.Second)
		s := settlement(p, owner, func(p *store.Publication) { p.Status, p.WakeAt = crier.Published, nil })
		s.Attempt, s.Resolved = &ended, []store.ResolvedAttempt{{ID: lost.ID, Outcome: "succeeded"}}
		s.Actions, s.Next = []store.Publication{comment}, &store.NextPublication{Publication: next, Cost: 3}
		s.Health = &store.AccountHealth{AccountID: f.Account.ID, TeamID: f.Team.ID, ConnectedAt: f.Account.ConnectedAt,
			Status: crier.AccountRefreshNeeded, Issue: &issue}
		settle(t, f.Store, f.Now, s)
		if got := f.Read(s.Next.Publication.ID); !s.Next.Written || got.Reserved != 3 || got.Status != crier.Scheduled {
			t.Errorf("the next one is %+v", got)
		}
		attempts, err := f.Attempts(ctx, p.ID, 10)
		if err != nil || len(attempts) != 2 || attempts[0].Outcome != "succeeded" {
			t.Errorf("attempts %+v, %v", attempts, err)
		}
		account, err := f.Store.Account(ctx, f.Account.ID)
		if err != nil || account.Status != crier.AccountRefreshNeeded || *account.AccountHealthIssue != issue {
			t.Errorf("the account is %+v, %v", account, err)
		}
		done := settlement(f.Lease(owner, f.Read(comment.ID))[0], owner, func(p *store.Publication) {
			p.Status, p.WakeAt = crier.Published, nil
		})
		done.ParentResults = &store.ActionResults{FirstCommentID: "c1"}
		settle(t, f.Store, f.Now, done)
		if got := f.Read(p.ID); got.Results.FirstCommentID != "c1" {
			t.Errorf("the results are %+v", got.Results)
		}
	})
}

// Calls of an account end in any order: one that succeeds after another has found that the connection has ended does
// not take away the reason.
func TestEndedConnectionKeepsItsReason(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, ended, limited := context.Background(), "auth_failed", "rate_limited"
		for _, c := range []struct {
			status crier.AccountStatus
			issue  *string
			want   string
		}{
			{crier.AccountConnected, &limited, limited}, {crier.AccountRefreshNeeded, &ended, ended},
			{crier.AccountConnected, nil, ended}, {crier.AccountConnected, &limited, ended},
			{crier.AccountRefreshNeeded, nil, ended}, {crier.AccountRefreshNeeded, &ended, ended},
		} {
			owner := crier.NewID()
			p := f.Lease(owner, f.Schedule(f.NewPost("Hello")))[0]
			s := settlement(p, owner, func(p *store.Publication) { p.Status, p.WakeAt = crier.Published, nil })
			s.Health = &store.AccountHealth{AccountID: f.Account.ID, TeamID: f.Team.ID,
				ConnectedAt: f.Account.ConnectedAt, Status: c.status, Issue: c.issue}
			settle(t, f.Store, f.Now, s)
			account, err := f.Store.Account(ctx, f.Account.ID)
			if err != nil || crier.Text(account.AccountHealthIssue) != c.want ||
				(account.Status == crier.AccountRefreshNeeded) != (c.want == ended) {
				t.Errorf("%s, %q: %s, %q, %v", c.status, crier.Text(c.issue), account.Status,
					crier.Text(account.AccountHealthIssue), err)
			}
		}
	})
}

func TestResultAfterLostLeaseIsKept(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		owner := crier.NewID()
		p := f.Lease(owner, f.Schedule(f.NewPost("Hello")))[0]
		a := sending(f, p, 0)
		begin(t, f, &store.AttemptStart{Publication: p, Owner: owner, Attempt: a})
		mustExec(t, f.Store, `UPDATE publications SET lease_owner = $2 WHERE id = $1`, p.ID, crier.NewID())
		ended := f.After(time.Minute)
		a.EndedAt, a.Outcome = &ended, "succeeded"
		late := func() *store.Settlement {
			s := settlement(p, owner, func(p *store.Publication) { p.Status, p.WakeAt = crier.Published, nil })
			s.Attempt, s.Public = &a, true
			settle(t, f.Store, f.Now, s)
			return s
		}
		if !late().Written || f.Read(p.ID).Status != crier.Published {
			t.Error("what is public is not known to be")
		}
		if late().Written {
			t.Error("it was written, and paid for, twice")
		}
	})
}

func TestUnstartedPublicationsAreLockedByPostAndTeam(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		post, other := f.NewPost("Hello"), f.NewPost("Other")
		on := func(post store.Post, status crier.ScheduledPostStatus) store.Publication {
			account := f.NewAccount(crier.ProviderThreads)
			return f.Schedule(post, func(p *store.Publication) { p.SocialAccountID, p.Status = account.ID, status })
		}
		waiting, done, elsewhere := on(post, crier.Scheduled), on(post, crier.Published), on(other, crier.Scheduled)
		on(post, crier.Publishing)
		comment := f.Follow(done, store.FirstComment)
		for name, c := range map[string]struct {
			lock func(context.Context, *store.Tx) ([]store.Publication, error)
			want []crier.ID
		}{
			"post": {func(ctx context.Context, tx *store.Tx) ([]store.Publication, error) {
				return tx.LockScheduled(ctx, post.ID, false)
			}, []crier.ID{waiting.ID, comment.ID}},
			"team": {func(ctx context.Context, tx *store.Tx) ([]store.Publication, error) {
				return tx.LockTeamPending(ctx, f.Team.ID)
			}, []crier.ID{waiting.ID, comment.ID, elsewhere.ID}},
		} {
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				list, err := c.lock(ctx, tx)
				var got []crier.ID
				for _, p := range list {
					got = append(got, p.ID)
				}
				slices.Sort(c.want)
				if !slices.Equal(got, c.want) {
					t.Errorf("%s: %v, want %v", name, got, c.want)
				}
				return err
			})
		}
	})
}

func TestPublicationReads(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		post := f.NewPost("Hello")
		id := "p1"
		published := f.Schedule(post, func(p *store.Publication) { p.Status = crier.Published })
		mustExec(t, f.Store, `UPDATE publications SET platform_post_id = $2 WHERE id = $1`, published.ID, id)
		comment := f.Follow(published, store.FirstComment)
		live := f.Schedule(post, func(p *store.Publication) { p.CreatedAt = f.After(time.Second) })

		if _, err := f.ScheduledPost(ctx, f.Team.ID, comment.ID); kindOf(err) != crier.KindNotFound {
			t.Errorf("a comment is read as a scheduled post: %v", err)
		}
		if _, err := f.ScheduledPost(ctx, crier.NewID(), live.ID); kindOf(err) != crier.KindNotFound {
			t.Errorf("another team reads it: %v", err)
		}
		if got, err := f.ScheduledPost(ctx, f.Team.ID, live.ID); err != nil || got.ID != live.ID {
			t.Errorf("%+v, %v", got, err)
		}
		byID, err := f.ScheduledPostsByID(ctx, []crier.ID{published.ID, comment.ID, live.ID, crier.NewID()})
		if err != nil || len(byID) != 2 {
			t.Errorf("%d by id, %v", len(byID), err)
		}
		wire, err := f.ScheduledPosts(ctx, []crier.ID{published.ID, comment.ID, live.ID})
		if err != nil || len(wire) != 2 || wire[published.ID].PlatformPostID != "p1" {
			t.Errorf("%+v, %v", wire, err)
		}
		of, err := f.PublishedOf(ctx, f.Team.ID, post.ID)
		if err != nil || len(of) != 1 || of[0].ID != published.ID {
			t.Errorf("published %+v, %v", of, err)
		}
		public, err := f.PublishedPlatformPosts(ctx, post.ID)
		if err != nil || len(public) != 1 || public[0].ScheduledPostID != published.ID {
			t.Errorf("public %+v, %v", public, err)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			got, err := tx.LivePublications(ctx, post.ID)
			if len(got) != 1 || got[f.Account.ID].ID != live.ID {
				t.Errorf("live: %+v", got)
			}
			return errors.Join(err, tx.NotePublished(ctx, published.ID,
				crier.PublishResults{PlatformPostIDs: []string{"p1", "c1"}}, f.Now))
		})
		if got := f.Read(published.ID).Results.PlatformPostIDs; len(got) != 2 {
			t.Errorf("results %v", got)
		}
		full, err := f.Post(ctx, f.Team.ID, post.ID, true)
		if err != nil || len(*full.ScheduledPosts) != 2 || full.LatestScheduledPost.ID != live.ID ||
			len(full.ScheduledDestinationAccountIDs) != 1 {
			t.Errorf("the post has %+v, %v", full.Post, err)
		}
	})
}

func TestSupersededFailures(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		status := func(s crier.ScheduledPostStatus) func(*store.Publication) {
			return func(p *store.Publication) { p.Status, p.WakeAt = s, nil }
		}
		created := func(d time.Duration) func(*store.Publication) {
			return func(p *store.Publication) { p.CreatedAt = f.After(d) }
		}
		for name, c := range map[string]struct {
			series bool // the other one continues the series of the failure
			other  []func(*store.Publication)
			want   bool
		}{
			"published later":           {other: with(status(crier.Published), created(time.Minute)), want: true},
			"published in that instant": {other: with(status(crier.Published)), want: true},
			"failed later":              {other: with(status(crier.Failed), created(time.Minute)), want: true},
			"canceled later":            {other: with(status(crier.Canceled), created(time.Minute))},
			"published before":          {other: with(status(crier.Published), created(-time.Minute))},
			"live, made before":         {other: with(created(-time.Minute)), want: true},
			"next of the series":        {other: with(created(time.Minute)), series: true, want: true},
			"next of the series, published": {other: with(status(crier.Published), created(time.Minute)),
				series: true},
		} {
			post := f.NewPost(name)
			failed := f.Schedule(post, status(crier.Failed))
			if c.series {
				c.other = append(c.other, func(p *store.Publication) { p.RecurrenceOf = &failed.ID })
			}
			f.Schedule(f.NewPost("another post"), status(crier.Published), created(time.Minute))
			other := f.Schedule(post, c.other...)
			got, err := f.Replacement(context.Background(), failed)
			if err != nil || (got != nil) != c.want || got != nil && got.ID != other.ID {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
			shown, err := f.ScheduledPosts(context.Background(), []crier.ID{failed.ID, other.ID})
			if by := shown[failed.ID].ReplacedBy; err != nil || (by != nil) != c.want || by != nil && *by != other.ID {
				t.Errorf("%s: shown as replaced by %v, %v", name, by, err)
			}
			if by := shown[other.ID].ReplacedBy; by != nil {
				t.Errorf("%s: the other one is shown as replaced by %s", name, *by)
			}
		}
	})
}

func with(changes ...func(*store.Publication)) []func(*store.Publication) { return changes }
