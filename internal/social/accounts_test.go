package social

import (
	"context"
	"testing"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/access/accesstest"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// startOf returns the start of a call of the fixture's account.
func startOf(f *storetest.Fixture, text string) *store.AttemptStart {
	owner := crier.NewID()
	p := f.Lease(owner, f.Schedule(f.NewPost(text)))[0]
	before, settled := f.After(10*time.Second), f.After(30*time.Second)
	a := store.Attempt{ScheduledPostID: p.ScheduledPostID, SendBefore: &before, SettledAfter: &settled}
	a.ID, a.Operation, a.StartedAt = crier.NewID(), "publish", f.Now
	return &store.AttemptStart{Publication: p, Owner: owner, Attempt: a, LeaseUntil: f.After(20 * time.Second)}
}

// A node starts a call while a person ends the account's calls at another one: the person gets an answer only when it
// has started, so that no call starts after the answer.
func TestAccountEndsOnlyAfterTheStartsOfItsCalls(t *testing.T) {
	t.Parallel()
	type end = func(ctx context.Context, w *world, scope access.TeamScope) (crier.SocialAccount, error)
	for name, end := range map[string]end{
		"disabled": func(ctx context.Context, w *world, scope access.TeamScope) (crier.SocialAccount, error) {
			return w.Accounts.Update(ctx, scope, w.Account.ID, crier.SocialAccountUpdate{Status: "disabled"})
		},
		"disconnected": func(ctx context.Context, w *world, scope access.TeamScope) (crier.SocialAccount, error) {
			return w.Accounts.Disconnect(ctx, scope, w.Account.ID)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
				w, scope := newWorld(t, f), accesstest.Owner(t, f).Team(crier.ManageSocialAccounts)
				early, late := startOf(f, "before"), startOf(f, "after")
				answered := make(chan error, 1)
				f.Tx(func(ctx context.Context, tx *store.Tx) error {
					if err := tx.BeginAttempts(ctx, store.Patient, early); err != nil {
						return err
					}
					go func() {
						a, err := end(ctx, w, scope)
						if err == nil && string(a.Status) != name {
							t.Errorf("the account is %s", a.Status)
						}
						answered <- err
					}()
					select {
					case err := <-answered:
						t.Errorf("answered while a call starts: %v", err)
						answered <- err
					case <-time.After(300 * time.Millisecond):
					}
					return nil
				})
				if err := <-answered; err != nil {
					t.Fatal(err)
				}
				f.Tx(func(ctx context.Context, tx *store.Tx) error {
					return tx.BeginAttempts(ctx, store.Patient, late)
				})
				if !early.Begun || late.Begun {
					t.Errorf("begun: before %t, after %t", early.Begun, late.Begun)
				}
			})
		})
	}
}
