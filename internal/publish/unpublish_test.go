package publish

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

// remover is a network that records the deletions of posts, in order, and charges for them.
type remover struct {
	provider.Defaults
	removed []string
	refuses map[string]*provider.Error
}

func (*remover) Info() provider.Info {
	return provider.Info{Name: "x", DisplayName: "X", CommitTimeout: 1, Formats: []provider.Format{{Name: "post"}},
		Abilities: provider.Abilities{Delete: true}, Costs: []provider.Cost{{Key: provider.CostDelete, Credits: 10}}}
}

func (*remover) Check(provider.Account, provider.Content) provider.Findings {
	return provider.Findings{}
}

func (*remover) Commit(_ context.Context, _ provider.Account, _ provider.Content,
	st provider.State) (provider.State, error) {
	return st, nil
}

func (r *remover) Delete(_ context.Context, _ provider.Account, id string) (provider.Deletion, error) {
	if refusal := r.refuses[id]; refusal != nil {
		return "", refusal
	}
	if slices.Contains(r.removed, id) {
		return provider.AlreadyGone, nil
	}
	r.removed = append(r.removed, id)
	return provider.Deleted, nil
}

func (r *remover) Unrepost(ctx context.Context, a provider.Account, id string) (provider.Deletion, error) {
	return r.Delete(ctx, a, "repost of "+id)
}

// published inserts a published thread of two parts with a comment, a comment after many likes, and a repost.
func (f *fixture) published(tb testing.TB, repost crier.RepostAfter) store.Publication {
	tb.Helper()
	now := crier.TimeOf(f.now())
	p := f.insert(tb)
	spec, err := json.Marshal(repost)
	if err != nil {
		tb.Fatal(err)
	}
	end := func(ctx context.Context, tx *store.Tx, p store.Publication, id string) error {
		p.Status, p.PlatformPostID, p.PublishedAt, p.WakeAt = crier.Published, &id, &now, nil
		return tx.WriteSettlements(ctx, now, store.Patient, &store.Settlement{Publication: p, Epoch: p.Epoch})
	}
	f.tx(tb, func(ctx context.Context, tx *store.Tx) error {
		for id, kind := range map[string]store.PublicationKind{"comment": store.FirstComment,
			"late comment": store.EngagementComment, "repost": store.RepostPublication} {
			a := p
			a.ID, a.Kind, a.ScheduledPostID = crier.NewID(), kind, p.ID
			a.Spec = spec
			if err := tx.InsertAction(ctx, a); err != nil {
				return err
			}
			if err := end(ctx, tx, a, id); err != nil {
				return err
			}
		}
		p.Results.PlatformPostIDs = []string{"part 1", "part 2"}
		return end(ctx, tx, p, "part 1")
	})
	return p
}

func TestUnpublishRemovesEverythingCrierPublished(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		for _, tc := range []struct {
			name    string
			repost  crier.RepostAfter
			refuses map[string]*provider.Error
			removed []string
			message string
			again   bool
		}{
			{"everything", crier.RepostAfter{}, nil,
				[]string{"comment", "late comment", "part 1", "part 2", "repost of part 1"}, "Removed from X.", false},
			{"a quote", crier.RepostAfter{Text: "as I said"}, nil,
				[]string{"comment", "late comment", "part 1", "part 2", "repost"}, "Removed from X.", false},
			{"a comment that stays", crier.RepostAfter{},
				map[string]*provider.Error{"comment": {Kind: provider.Rejected, Message: "No."}},
				[]string{"late comment", "part 1", "part 2", "repost of part 1"},
				"Removed from X. The first comment is still there: No.", false},
			{"a comment during an outage", crier.RepostAfter{},
				map[string]*provider.Error{"comment": {Kind: provider.Temporary, Message: "Later."}}, nil, "Later.",
				true},
		} {
			t.Run(tc.name, func(t *testing.T) {
				network := &remover{refuses: tc.refuses}
				f := newFixture(t, st, network)
				p := f.published(t, tc.repost)
				next, err := f.Publisher.Unpublish(context.Background(), p.ID)
				if err != nil || next.IsZero() == tc.again {
					t.Fatalf("Unpublish = %v, %v", next, err)
				}
				attempts, err := st.DeleteAttempts(context.Background(), []crier.ID{p.ID})
				if err != nil || len(attempts) != 1 || !strings.HasPrefix(attempts[0].Message, tc.message) {
					t.Errorf("attempts %+v, %v; want %q", attempts, err, tc.message)
				}
				if tc.again {
					return
				}
				slices.Sort(network.removed)
				if !slices.Equal(network.removed, tc.removed) {
					t.Errorf("removed %v, want %v", network.removed, tc.removed)
				}
				o, err := st.Organization(context.Background(), f.organization)
				if want := testCredits - int64(10*len(tc.removed)); err != nil || o.CreditsBalance != want {
					t.Errorf("%d credits are left, %v; want %d", o.CreditsBalance, err, want)
				}
			})
		}
	})
}

// A network that asks for a pause of months does not keep a deletion open that long: a person is faster.
func TestUnpublishGivesUpOnALongPause(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		for pause, outcome := range map[time.Duration]string{24 * time.Hour: string(provider.RateLimited),
			25 * time.Hour: deletionFailed, 365 * 24 * time.Hour: deletionFailed} {
			network := &remover{refuses: map[string]*provider.Error{"part 2": {Kind: provider.RateLimited,
				Code: provider.CodeRateLimited, Message: "Slow down.", RetryAfter: pause}}}
			f := newFixture(t, st, network)
			p := f.published(t, crier.RepostAfter{})
			next, err := f.Publisher.Unpublish(t.Context(), p.ID)
			if err != nil || next.IsZero() != (outcome == deletionFailed) {
				t.Errorf("%s: Unpublish = %v, %v", pause, next, err)
			}
			want := "Slow down."
			if outcome == deletionFailed {
				want = "Slow down. X asks to wait until " + crier.TimeOf(f.now().Add(pause)).String() +
					"; delete it there manually."
			}
			attempts, err := st.DeleteAttempts(t.Context(), []crier.ID{p.ID})
			if err != nil || len(attempts) != 1 || attempts[0].Outcome != outcome || attempts[0].Message != want {
				t.Errorf("%s: %+v, %v", pause, attempts, err)
			}
		}
	})
}

// A token may be revoked before it expires; the network tells with the first call.
func TestUnpublishRenewsARejectedToken(t *testing.T) {
	t.Parallel()
	rejected := &provider.Error{Kind: provider.AuthExpired, Code: provider.CodeAuthExpired, Message: "old token"}
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		for name, c := range map[string]struct {
			renewal error
			outcome string
			again   bool
		}{
			"renewed":               {nil, string(provider.Deleted), false},
			"renewed later":         {outage, string(provider.Temporary), true},
			"refused to be renewed": {rejected, deletionFailed, false},
		} {
			n := &renewer{err: c.renewal}
			n.refuses = map[string]*provider.Error{"part 2": rejected}
			n.before = func() { n.refuses = nil }
			f := newFixture(t, st, n)
			n.token = provider.Token{Access: "new", ExpiresAt: f.now().Add(time.Hour)}
			p := f.published(t, crier.RepostAfter{})
			next, err := f.Publisher.Unpublish(t.Context(), p.ID)
			if err != nil || next.IsZero() == c.again {
				t.Errorf("%s: Unpublish = %v, %v", name, next, err)
			}
			attempts, err := st.DeleteAttempts(t.Context(), []crier.ID{p.ID})
			if err != nil || len(attempts) != 1 || attempts[0].Outcome != c.outcome {
				t.Errorf("%s: %+v, %v", name, attempts, err)
			}
			if o, err := st.Organization(t.Context(), f.organization); err != nil ||
				o.CreditsBalance != testCredits-int64(10*len(n.removed)) {
				t.Errorf("%s: %d credits are left after %v, %v", name, o.CreditsBalance, n.removed, err)
			}
		}
	})
}

// TestUnpublishWaitsForActions: a comment or a quote whose call has begun becomes public in spite of the deletion.
func TestUnpublishWaitsForActions(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		for name, answered := range map[string]bool{"that is answered": true, "without an answer": false} {
			network := &remover{}
			f := newFixture(t, st, network)
			p := f.published(t, crier.RepostAfter{Text: "as I said"})
			actions, err := st.PublishedActions(t.Context(), p.ID)
			if err != nil {
				t.Fatal(err)
			}
			quote := actions[slices.IndexFunc(actions, func(a store.Publication) bool {
				return a.Kind == store.RepostPublication
			})]
			f.setStatus(t, &quote, crier.Publishing)
			started, settled := crier.TimeOf(f.now()), crier.TimeOf(f.now().Add(time.Minute))
			f.tx(t, func(ctx context.Context, tx *store.Tx) error {
				attempt := crier.Attempt{ID: crier.NewID(), ActionID: &quote.ID, Operation: opPublish,
					StartedAt: started}
				return tx.InsertAttempt(ctx, store.Attempt{Attempt: attempt, ScheduledPostID: p.ID,
					SettledAfter: &settled})
			})
			next, err := f.Publisher.Unpublish(t.Context(), p.ID)
			if err != nil || next.Sub(f.now()) != actionPause || len(network.removed) != 0 {
				t.Errorf("%s: Unpublish = %v, %v; removed %v while a quote is sent", name, next, err, network.removed)
			}
			if answered {
				f.setStatus(t, &quote, crier.Published)
			} else {
				f.sleep(time.Minute)
			}
			if next, err = f.Publisher.Unpublish(t.Context(), p.ID); err != nil || !next.IsZero() ||
				slices.Contains(network.removed, "repost") != answered || !slices.Contains(network.removed, "part 1") {
				t.Errorf("%s: Unpublish = %v, %v; removed %v", name, next, err, network.removed)
			}
		}
	})
}

// setStatus writes the status of an action.
func (f *fixture) setStatus(tb testing.TB, p *store.Publication, status crier.ScheduledPostStatus) {
	tb.Helper()
	p.Status = status
	f.tx(tb, func(ctx context.Context, tx *store.Tx) error {
		return tx.WriteSettlements(ctx, crier.TimeOf(f.now()), store.Patient, &store.Settlement{Publication: *p,
			Epoch: p.Epoch})
	})
}
