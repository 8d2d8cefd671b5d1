package service

import (
	"testing"
	"time"

	"crier"
	"crier/internal/store"
)

// Nobody can resolve an unknown outcome of a deleted team: its credits are released with the others, and those of what
// becomes unknown later when the team is purged.
func TestDeletedTeamReservesNoCredits(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		d, ctx := newDesk(t, st), t.Context()
		ids := map[crier.ScheduledPostStatus]crier.ID{}
		for _, status := range []crier.ScheduledPostStatus{crier.Scheduled, crier.Unknown, crier.Publishing} {
			id := d.schedule(t, d.post(t, textOf("Hello")).ID, d.request(crier.ProviderX))[0].ID
			d.become(t, id, status)
			ids[status] = id
		}
		running := d.stored(t, ids[crier.Publishing]).Reserved
		if _, reserved := d.free(t); running == 0 || reserved != 3*running {
			t.Fatalf("%d credits are reserved, %d for one", reserved, running)
		}
		if _, err := d.Teams.Delete(ctx, d.scope); err != nil {
			t.Fatal(err)
		}
		for _, status := range []crier.ScheduledPostStatus{crier.Scheduled, crier.Unknown} {
			if p := d.stored(t, ids[status]); p.Status != crier.Canceled || p.Reserved != 0 {
				t.Errorf("what was %s is %s, with %d credits", status, p.Status, p.Reserved)
			}
		}
		if _, reserved := d.free(t); reserved != running {
			t.Errorf("%d credits are reserved, want the %d of what is being published", reserved, running)
		}
		d.become(t, ids[crier.Publishing], crier.Unknown)
		for _, c := range []struct {
			after time.Duration
			want  int64
		}{{time.Hour, running}, {31 * 24 * time.Hour, 0}} {
			d.time = d.time.Add(c.after)
			if err := d.Upkeep.PurgeTeam(ctx, d.scope.Team().ID); err != nil {
				t.Fatal(err)
			}
			if _, reserved := d.free(t); reserved != c.want {
				t.Errorf("%s later, %d credits are reserved, want %d", c.after, reserved, c.want)
			}
		}
		var booked int64
		if err := st.Reader().QueryRowContext(ctx, `SELECT CAST(sum(reserved_amount) AS bigint)
			FROM credit_transactions`).Scan(&booked); err != nil || booked != 0 {
			t.Errorf("the ledger has %d reserved credits, %v", booked, err)
		}
	})
}
