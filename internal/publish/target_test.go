package publish

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

// resolve applies a person's decision and returns its error.
func (f *fixture) resolve(tb testing.TB, id crier.ID, in crier.Resolution) (err error) {
	tb.Helper()
	p := f.read(tb, id)
	return f.store.WithTx(context.Background(), func(tx *store.Tx) error {
		return f.Publisher.Resolve(context.Background(), tx, &p, in)
	})
}

// actions returns the actions that follow a publication.
func (f *fixture) actions(tb testing.TB, p store.Publication) []store.Publication {
	tb.Helper()
	var list []store.Publication
	rows, err := f.store.Reader().QueryContext(context.Background(),
		`SELECT id FROM publications WHERE parent_id = $1 ORDER BY created_at, id`, p.ID)
	if err != nil {
		tb.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id crier.ID
		if err := rows.Scan(&id); err != nil {
			tb.Fatal(err)
		}
		list = append(list, f.read(tb, id))
	}
	return list
}

// neverFound makes a network leave every lost answer to a person.
func neverFound(parts int) *testNetwork {
	n := newTestNetwork(answer{err: unanswered})
	n.parts, n.strategy = parts, provider.Strategy{Method: provider.Impossible}
	return n
}

// A person says that a post is public, and not what its id is: nothing can be added to a post that is not known. A
// comment without its post would be a post of its own, and so would a quote.
func TestNothingFollowsAPostWithoutAnID(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		n := neverFound(1)
		f := withNetwork(t, st, n)
		p := f.run(t, f.insert(t, func(p *store.Publication) {
			p.Actions.FirstComment = &crier.Comment{Text: "thanks"}
			p.Actions.RepostAfter = &crier.RepostAfter{OffsetDays: 1, Text: "again"}
		}).ID)
		if p.Status != crier.Unknown {
			t.Fatalf("it is %s", p.Status)
		}
		if err := f.resolve(t, p.ID, crier.Resolution{Outcome: "published"}); err != nil {
			t.Fatal(err)
		}
		actions := f.actions(t, p)
		if len(actions) != 2 {
			t.Fatalf("%d actions", len(actions))
		}
		for _, a := range actions {
			if wait := a.ScheduledAt.Sub(f.now()); wait > 0 {
				f.sleep(wait)
			}
			a = f.run(t, a.ID)
			if a.Status != crier.Failed || !strings.Contains(crier.Text(a.ErrorMessage), "id of the post") {
				t.Errorf("the %s is %s: %s", a.Kind, a.Status, crier.Text(a.ErrorMessage))
			}
		}
		if !slices.Equal(n.calls, []string{"commit post"}) {
			t.Errorf("calls %q", n.calls)
		}
	})
}

// The next part of a thread is a reply to the one before: without its id it would be a post of its own.
func TestThreadDoesNotContinueBelowAPartWithoutAnID(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		n := neverFound(2)
		f := withNetwork(t, st, n)
		p := f.run(t, f.insert(t, f.costs(t, 4, 3)).ID)
		if p.Status != crier.Unknown {
			t.Fatalf("it is %s", p.Status)
		}
		err := f.resolve(t, p.ID, crier.Resolution{Outcome: "published"})
		if !crier.IsKind(err, crier.KindInvalid) || f.read(t, p.ID).Status != crier.Unknown {
			t.Errorf("resolved without an id: %v, %s", err, f.read(t, p.ID).Status)
		}
		if err := f.resolve(t, p.ID, crier.Resolution{Outcome: "published", PlatformPostID: "seen"}); err != nil {
			t.Fatal(err)
		}
		if p = f.run(t, p.ID); p.Status != crier.Published || p.Captured != 7 ||
			!slices.Equal(p.Results.PlatformPostIDs, []string{"seen", "id0"}) {
			t.Errorf("%s with %q, captured %d", p.Status, p.Results.PlatformPostIDs, p.Captured)
		}
		// A network may not tell the id either.
		n = newTestNetwork()
		n.parts, n.nameless = 2, true
		f = withNetwork(t, st, n)
		if p = f.run(t, f.insert(t, f.costs(t, 4, 3)).ID); p.Status != crier.Failed || p.Captured != 4 ||
			p.Reserved != 0 || len(n.public) != 1 {
			t.Errorf("%s, captured %d, reserved %d, public %q", p.Status, p.Captured, p.Reserved, n.public)
		}
	})
}

// A person connects the account again while a call with the old token is made: what the network says about the old
// connection does not end the new one.
func TestTheEndOfAConnectionDoesNotEndTheNextOne(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		n := newTestNetwork(answer{err: &provider.Error{Kind: provider.Rejected, Scope: provider.ScopeAccount,
			Code: provider.CodePermissionMissing, Message: "a permission is missing"}})
		f := withNetwork(t, st, n)
		n.commits[0].before = func() {
			f.sleep(time.Second)
			f.tx(t, func(ctx context.Context, tx *store.Tx) error {
				a := f.account
				a.ConnectedAt = crier.TimeOf(f.now())
				return tx.UpdateAccount(ctx, a)
			})
		}
		if p := f.run(t, f.insert(t).ID); p.Status != crier.Failed {
			t.Fatalf("it is %s", p.Status)
		}
		if a := f.stored(t); a.Status != crier.AccountConnected || a.AccountHealthIssue != nil {
			t.Errorf("the account is %s: %s", a.Status, crier.Text(a.AccountHealthIssue))
		}
	})
}
