package service

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
)

// countedJobs counts the jobs that it takes.
type countedJobs struct{ taken int }

// Enqueue counts.
func (c *countedJobs) Enqueue(_ context.Context, _ *store.Tx, jobs ...Job) error {
	c.taken += len(jobs)
	return nil
}

func TestABusyNodeWakesWhatNobodyHasTouchedLater(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		r, ctx, jobs := newRules(t, st, testSecret), context.Background(), &countedJobs{}
		insertDue(t, r)
		r.Publisher.queue = jobs
		for _, c := range []struct {
			name   string
			atWork int
			late   time.Duration
			leased bool // once, by a worker that died
			woken  int
		}{
			{name: "soon after its time", late: 4 * time.Second},
			{name: "late", late: 6 * time.Second, woken: 1},
			{name: "late on a node with some at work", atWork: handsFull - 1, late: 6 * time.Second, woken: 1},
			{name: "late on a busy node", atWork: handsFull, late: 6 * time.Second},
			{name: "late on a busy node, and its worker died", atWork: handsFull, late: 6 * time.Second, leased: true, woken: 1},
			{name: "almost too late on a busy node", atWork: handsFull, late: 29 * time.Second},
			{name: "too late on a busy node", atWork: handsFull, late: 31 * time.Second, woken: 1},
		} {
			var lease *crier.Time
			if c.leased {
				lease = timeOrNil(r.time.Add(-time.Second))
			}
			if _, err := st.Writer().ExecContext(ctx, `UPDATE scheduled_posts SET wake_at = $1, lease_until = $2`, crier.TimeOf(r.time.Add(-c.late)), lease); err != nil {
				t.Fatal(err)
			}
			jobs.taken, r.Publisher.lanes = 0, lanesWith(c.atWork)
			if err := r.Publisher.WakeOverdue(ctx); err != nil || jobs.taken != c.woken {
				t.Errorf("%s: woken %d times, want %d (%v)", c.name, jobs.taken, c.woken, err)
			}
		}
	})
}

// lanesWith are lanes with some at work, on as many accounts as it takes.
func lanesWith(atWork int) *lanes {
	l := newLanes()
	for on := crier.NewID(); atWork > 0; {
		if !l.enter(on) {
			on = crier.NewID()
			continue
		}
		atWork--
	}
	return l
}

// insertDue puts a post into an empty store that is due now.
func insertDue(t *testing.T, r *rules) {
	t.Helper()
	ctx, now := context.Background(), crier.TimeOf(r.time)
	scope := r.initialise(t, crier.WritePosts)
	post, err := r.Posts.Create(ctx, scope, crier.PostCreate{})
	if err != nil {
		t.Fatal(err)
	}
	err = r.store.WithTx(ctx, func(tx *store.Tx) error {
		a := store.Account{}
		a.ID, a.TeamID, a.Provider, a.Status, a.ProviderAccountID, a.DisplayName = crier.NewID(), scope.team.ID, crier.ProviderX, crier.AccountConnected, "1", "An account"
		a.Scopes, a.ProviderSettings, a.ConnectedAt, a.CreatedAt, a.UpdatedAt = []string{}, json.RawMessage(`{}`), now, now, now
		if err := tx.InsertAccount(ctx, a); err != nil {
			return err
		}
		return tx.InsertPublication(ctx, store.Publication{
			Ref: store.Ref{ID: crier.NewID()}, Kind: store.PostPublication, TeamID: scope.team.ID, OrganizationID: scope.team.OrganizationID, PostID: post.ID,
			SocialAccountID: a.ID, Provider: a.Provider, Status: crier.Scheduled, ScheduledAt: now, Timezone: "UTC", PayloadID: post.ContentPayloadID,
			Settings: map[string]json.RawMessage{}, State: json.RawMessage(`{}`), CreatedAt: now, UpdatedAt: now,
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}
