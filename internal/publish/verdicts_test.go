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

// scripted is a network scripted by the test.
type scripted struct {
	provider.Defaults
	commit    func(st *provider.State) error
	poll      func(st *provider.State) error
	cannot    bool // the account may not delete
	deletions []string
}

func (n *scripted) Info() provider.Info {
	return provider.Info{Name: "x", DisplayName: "X", CommitTimeout: time.Second,
		Formats:   []provider.Format{{Name: "post", Text: provider.TextLimit{Max: 280}}},
		Abilities: provider.Abilities{Delete: true}}
}

func (n *scripted) InfoFor(provider.Account) provider.Info {
	info := n.Info()
	info.Abilities.Delete = !n.cannot
	return info
}

func (n *scripted) Check(provider.Account, provider.Content) provider.Findings {
	return provider.Findings{}
}

func (n *scripted) Commit(_ context.Context, _ provider.Account, _ provider.Content,
	st provider.State) (provider.State, error) {
	return st, n.commit(&st)
}

func (n *scripted) Poll(_ context.Context, _ provider.Account, _ provider.Content,
	st provider.State) (provider.State, error) {
	return st, n.poll(&st)
}

func (n *scripted) Delete(_ context.Context, _ provider.Account, id string) (provider.Deletion, error) {
	n.deletions = append(n.deletions, id)
	return provider.Deleted, nil
}

// publish runs a publication until it has ended.
func (f *fixture) publish(t *testing.T, p store.Publication) store.Publication {
	t.Helper()
	for range 20 {
		if _, err := f.Publisher.Advance(t.Context(), job.Publish{ID: p.ID, Epoch: p.Epoch}, store.Run{}); err != nil {
			t.Fatal(err)
		}
		var err error
		if p, err = f.store.Publication(t.Context(), p.ID); err != nil {
			t.Fatal(err)
		}
		if !p.Status.Live() {
			return p
		}
		f.sleep(time.Minute)
	}
	t.Fatalf("the publication is still %s", p.Status)
	return p
}

// deleteVerdict returns the result of deleting a publication from the network.
func (f *fixture) deleteVerdict(t *testing.T, p store.Publication) string {
	t.Helper()
	if _, err := f.Publisher.Unpublish(t.Context(), p.ID); err != nil {
		t.Fatal(err)
	}
	attempts, err := f.store.DeleteAttempts(t.Context(), []crier.ID{p.ID})
	if err != nil || len(attempts) != 1 {
		t.Fatalf("%d attempts: %v", len(attempts), err)
	}
	return attempts[0].Outcome
}

func publishAs(id string) func(*provider.State) error {
	return func(st *provider.State) error {
		st.Publish(provider.Published{PlatformPostID: id}, 1)
		return nil
	}
}

func TestPostWithoutAPlatformIDIsPublishedAndCannotBeRemoved(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		network := &scripted{commit: publishAs("")}
		f := newFixture(t, st, network)
		p := f.publish(t, f.insert(t))
		if p.Status != crier.Published || p.Results.PlatformPostIDs == nil || len(p.Results.PlatformPostIDs) != 0 {
			t.Errorf("%s with the ids %q, want an empty list", p.Status, p.Results.PlatformPostIDs)
		}
		public, err := f.store.PublishedPlatformPosts(t.Context(), f.post)
		if err != nil || len(public) != 1 || public[0].PlatformPostID != "" || public[0].ScheduledPostID != p.ID {
			t.Errorf("public is %+v: %v", public, err)
		}
		if got := f.deleteVerdict(t, p); got != "failed" || len(network.deletions) != 0 {
			t.Errorf("the verdict is %s after the deletions %q", got, network.deletions)
		}
	})
}

func TestAccountThatMayNotDeleteIsNotSupported(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		for _, tc := range []struct {
			cannot bool
			want   string
		}{{true, "not_supported"}, {false, "deleted"}} {
			network := &scripted{commit: publishAs("1"), cannot: tc.cannot}
			f := newFixture(t, st, network)
			if got := f.deleteVerdict(t, f.publish(t, f.insert(t))); got != tc.want {
				t.Errorf("an account that cannot delete (%v): %s, want %s", tc.cannot, got, tc.want)
			}
		}
	})
}

func TestFailedPublicationNeedsNoPolling(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		f := newFixture(t, st, &scripted{
			commit: func(st *provider.State) error { st.RequiresPolling = true; return nil },
			poll: func(*provider.State) error {
				return &provider.Error{Kind: provider.Rejected, Code: provider.CodeMediaRejected, Message: "too dark"}
			},
		})
		p := f.publish(t, f.insert(t))
		state, _, err := f.Publisher.loadState(p)
		if err != nil || p.Status != crier.Failed || state.RequiresPolling {
			t.Errorf("%s, requiresPolling %v: %v", p.Status, state.RequiresPolling, err)
		}
	})
}

// The network has accepted a post and does not know it any more: nobody can tell whether it will be public.
func TestAcceptedPostThatTheNetworkLosesIsLeftToAPerson(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		polls := 0
		f := newFixture(t, st, &scripted{
			commit: func(st *provider.State) error { st.RequiresPolling = true; return nil },
			poll: func(*provider.State) error {
				polls++
				return &provider.Error{Kind: provider.OutcomeUnknown, Code: provider.CodeOutcomeUnknown,
					Message: "there is no such post"}
			},
		})
		p := f.insert(t, f.costs(t, 4))
		for range 3 {
			f.step(t, p.ID)
			f.sleep(time.Minute)
		}
		p = f.read(t, p.ID)
		if p.Status != crier.Unknown || crier.Text(p.ErrorCode) != codeOutcomeUnknown ||
			crier.Text(p.ErrorMessage) != "there is no such post" || p.WakeAt != nil || polls != 1 {
			t.Errorf("%s, %s: %s, wakes at %v, asked %d times", p.Status, crier.Text(p.ErrorCode),
				crier.Text(p.ErrorMessage), p.WakeAt, polls)
		}
		if state, _, err := f.Publisher.loadState(p); err != nil || state.RequiresPolling {
			t.Errorf("its state is to be asked for: %v", err)
		}
		if got := f.attempts(t, p); !slices.Equal(got, []string{"publish accepted", "poll unclear"}) {
			t.Errorf("attempts %q", got)
		}
	})
}

// Its parts are public: what cannot be read any more is only what follows.
func TestPublishedPostWhoseFollowUpIsUnknownIsPublished(t *testing.T) {
	t.Parallel()
	f := newFixture(t, databases.Fresh(t, store.SQLite).Open(t), &scripted{
		commit: func(st *provider.State) error {
			st.RequiresPolling = true
			return publishAs("1")(st)
		},
		poll: func(*provider.State) error {
			return &provider.Error{Kind: provider.OutcomeUnknown, Code: provider.CodeOutcomeUnknown, Message: "hm"}
		},
	})
	p := f.publish(t, f.insert(t))
	if p.Status != crier.Published || !slices.Equal(p.Results.Warnings, []string{"hm"}) {
		t.Errorf("%s with the warnings %q", p.Status, p.Results.Warnings)
	}
}

func TestMissedPublicationSaysThatItsWindowHasPassed(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		f := newFixture(t, st, &scripted{commit: func(*provider.State) error {
			return &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable, Message: "away",
				RetryAfter: 2 * time.Hour}
		}})
		p := f.publish(t, f.insert(t))
		if p.Status != crier.Missed || p.ErrorCode == nil || *p.ErrorCode != "window_passed" {
			t.Errorf("%s with the code %v", p.Status, p.ErrorCode)
		}
	})
}
