package publish

import (
	"context"
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/job"
	"crier/internal/provider"
	"crier/internal/store"
)

// forgetful is a network that loses some answers, gives no way to find out what became of the calls, and deletes posts.
type forgetful struct {
	*testNetwork
	removed []string
}

func newForgetful(commits ...answer) *forgetful {
	n := &forgetful{testNetwork: newTestNetwork(commits...)}
	n.strategy = provider.Strategy{Method: provider.Impossible}
	return n
}

func (n *forgetful) Info() provider.Info {
	info := n.testNetwork.Info()
	info.Abilities.Delete = true
	return info
}

func (n *forgetful) Delete(_ context.Context, _ provider.Account, id string) (provider.Deletion, error) {
	n.removed = append(n.removed, id)
	return provider.Deleted, nil
}

// withForgetful returns a fixture with a forgetful network.
func withForgetful(t *testing.T, st *store.Store, n *forgetful) *fixture {
	t.Helper()
	f := newFixture(t, st, n)
	n.now = f.now
	return f
}

// lose returns a publication with an unknown outcome, whose post was deleted, from the network too.
func (f *fixture) lose(t *testing.T, change ...func(*store.Publication)) store.Publication {
	t.Helper()
	p := f.run(t, f.insert(t, change...).ID)
	for _, a := range f.actions(t, p) {
		f.run(t, a.ID)
	}
	f.tx(t, func(ctx context.Context, tx *store.Tx) error {
		unknown, err := tx.LockUnknown(ctx, f.post)
		if err != nil || len(unknown) != 1 {
			t.Errorf("%d are unknown, %v", len(unknown), err)
		}
		for _, u := range unknown {
			if err := f.Publisher.RequestDeletion(ctx, tx, u); err != nil {
				return err
			}
		}
		return tx.DeletePost(ctx, f.post, crier.TimeOf(f.now()))
	})
	f.jobs.take()
	return p
}

// unpublish runs the deletion of a publication once, and returns when it continues.
func (f *fixture) unpublish(t *testing.T, p store.Publication) time.Duration {
	t.Helper()
	next, err := f.Publisher.Unpublish(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	if next.IsZero() {
		return 0
	}
	return next.Sub(f.now())
}

// deletions returns the attempts to delete a publication, as "outcome: message".
func (f *fixture) deletions(t *testing.T, p store.Publication) []string {
	t.Helper()
	list, err := f.store.DeleteAttempts(t.Context(), []crier.ID{p.ID})
	if err != nil {
		t.Fatal(err)
	}
	said := make([]string, len(list))
	for i, a := range list {
		said[i] = a.Outcome + ": " + a.Message
	}
	return said
}

// wantDeletions fails the test unless these were recorded, and these ids removed.
func (f *fixture) wantDeletions(t *testing.T, n *forgetful, p store.Publication, said []string, removed ...string) {
	t.Helper()
	if got := f.deletions(t, p); !slices.Equal(got, said) || !slices.Equal(n.removed, removed) {
		t.Errorf("recorded %q and removed %q; want %q and %q", got, n.removed, said, removed)
	}
}

// What turns out to be public after its post was deleted is deleted from the network, as was asked for.
func TestDeletionFollowsTheResolutionOfAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		for name, c := range map[string]struct {
			in      crier.Resolution
			jobs    int
			said    string
			removed []string
		}{
			"published": {crier.Resolution{Outcome: "published", PlatformPostID: "seen"}, 1,
				"deleted: Removed from X.", []string{"seen"}},
			"published, who knows where": {crier.Resolution{Outcome: "published"}, 1,
				"failed: X has not returned the id of the post; delete it there manually.", nil},
			"failed": {crier.Resolution{Outcome: "failed"}, 0, "not_needed: It was not published.", nil},
		} {
			t.Run(name, func(t *testing.T) {
				n := newForgetful(answer{err: unanswered, effect: true})
				f := withForgetful(t, st, n)
				p := f.lose(t)
				if again := f.unpublish(t, p); again != time.Minute {
					t.Errorf("it is looked at again after %s", again)
				}
				f.sleep(time.Hour)
				if again := f.unpublish(t, p); again != time.Hour {
					t.Errorf("after an hour it is looked at again after %s", again)
				}
				f.wantDeletions(t, n, p, []string{"waiting: " + DeletionWaits})
				if err := f.resolve(t, p.ID, c.in); err != nil {
					t.Fatal(err)
				}
				jobs := slices.DeleteFunc(f.jobs.take(), func(j job.Job) bool {
					args, ok := j.Args.(job.Unpublish)
					return !ok || args != job.Unpublish{ScheduledPostID: p.ID, Provider: p.Provider, TeamID: p.TeamID}
				})
				if len(jobs) != c.jobs {
					t.Errorf("%d deletions are enqueued", len(jobs))
				}
				for range 2 { // the job that waited comes, too
					if again := f.unpublish(t, p); again != 0 {
						t.Errorf("it is looked at again after %s", again)
					}
				}
				f.wantDeletions(t, n, p, []string{c.said}, c.removed...)
			})
		}
	})
}

// A worker that was frozen in its call may bring the answer, without anybody's decision.
func TestDeletionFollowsALateAnswer(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		n := newForgetful(answer{err: unanswered, effect: true})
		f := withForgetful(t, st, n)
		p := f.lose(t)
		now := crier.TimeOf(f.now())
		p.Status, p.PlatformPostID, p.PublishedAt = crier.Published, crier.TextOrNil("late"), &now
		f.tx(t, func(ctx context.Context, tx *store.Tx) error {
			return tx.WriteSettlements(ctx, now, store.Patient, &store.Settlement{Publication: p, Epoch: p.Epoch})
		})
		f.sleep(time.Minute)
		if again := f.unpublish(t, p); again != 0 {
			t.Errorf("it is looked at again after %s", again)
		}
		f.wantDeletions(t, n, p, []string{"deleted: Removed from X."}, "late")
	})
}

// Nobody waits for ever for a decision: whoever makes it later continues the deletion.
func TestDeletionStopsLookingForALateAnswer(t *testing.T) {
	t.Parallel()
	f := withForgetful(t, databases.Fresh(t, store.SQLite).Open(t), newForgetful(answer{err: unanswered}))
	p := f.lose(t)
	f.sleep(outcomesFor)
	if again := f.unpublish(t, p); again != 0 {
		t.Errorf("it is looked at again after %s", again)
	}
	if err := f.resolve(t, p.ID, crier.Resolution{Outcome: "published"}); err != nil || len(f.jobs.take()) == 0 {
		t.Errorf("nothing is deleted, %v", err)
	}
	if again := f.unpublish(t, store.Publication{ID: crier.NewID()}); again != 0 {
		t.Errorf("what was purged is looked at again after %s", again)
	}
}

const somethingUnknown = " Something of it has an unknown outcome: if it is resolved as published, it is deleted, too."

// Of a thread, the parts that are known to be public do not wait. The rest is not published any more.
func TestDeletionOfAThreadWithAnUnknownPart(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		for outcome, c := range map[string]struct {
			said    string
			spent   int64
			message string
			removed []string
		}{
			"published": {"deleted: Removed from X.", 5, restNotPublished, []string{"id0", "seen", "id0"}},
			"failed": {"not_needed: It was not published.", 2,
				"this connection gives no way to find out whether the post was published", []string{"id0"}},
		} {
			t.Run(outcome, func(t *testing.T) {
				n := newForgetful(answer{}, answer{err: unanswered, effect: true})
				n.parts = 3
				f := withForgetful(t, st, n)
				p := f.lose(t, f.costs(t, 2, 3, 4))
				if again := f.unpublish(t, p); again != time.Minute {
					t.Errorf("it is looked at again after %s", again)
				}
				waits := "waiting: " + DeletionWaits
				first := "deleted: Removed from X." + somethingUnknown
				f.wantDeletions(t, n, p, []string{waits, first}, "id0")
				if err := f.resolve(t, p.ID, crier.Resolution{Outcome: outcome, PlatformPostID: "seen"}); err != nil {
					t.Fatal(err)
				}
				if again := f.unpublish(t, p); again != 0 {
					t.Errorf("it is looked at again after %s", again)
				}
				f.wantDeletions(t, n, p, []string{c.said, first}, c.removed...)
				if p = f.read(t, p.ID); p.Status != crier.Failed || crier.Text(p.ErrorMessage) != c.message {
					t.Errorf("it is %s: %s", p.Status, crier.Text(p.ErrorMessage))
				}
				if balance, reserved := f.credits(t); balance != testCredits-c.spent || reserved != 0 {
					t.Errorf("balance %d, reserved %d", balance, reserved)
				}
			})
		}
	})
}

// A comment or a quote that follows a deleted post stays on some networks.
func TestDeletionOfAnActionWithAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		n := newForgetful(answer{}, answer{err: unanswered, effect: true})
		f := withForgetful(t, st, n)
		p := f.lose(t, func(p *store.Publication) { p.Actions.FirstComment = &crier.Comment{Text: "thanks"} })
		if again := f.unpublish(t, p); again != time.Minute {
			t.Errorf("it is looked at again after %s", again)
		}
		waits, first := "waiting: "+DeletionWaits, "deleted: Removed from X."+somethingUnknown
		f.wantDeletions(t, n, p, []string{waits, first}, "id0")
		comment := f.actions(t, p)[0]
		if err := f.resolve(t, comment.ID, crier.Resolution{Outcome: "published", PlatformPostID: "seen"}); err != nil {
			t.Fatal(err)
		}
		if again := f.unpublish(t, p); again != 0 {
			t.Errorf("it is looked at again after %s", again)
		}
		f.wantDeletions(t, n, p, []string{"deleted: Removed from X.", first}, "id0", "seen", "id0")
	})
}
