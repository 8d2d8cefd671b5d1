package store_test

import (
	"context"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// numbered begins a statement that inserts a row for each number i up to $2, from the row t of the team $1.
const numbered = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST($2 AS integer)) `

// manyRows writes more rows of the team than a batch into every table that is purged in batches.
func manyRows(t *testing.T, f *storetest.Fixture, count int) {
	t.Helper()
	events := newEventsOf(t, f, count)
	mustExec(t, f.Store, `UPDATE events SET team_id = $1 WHERE sequence >= $2`, f.Team.ID, events[0].Sequence)
	for _, query := range []string{
		`INSERT INTO analytics_days (team_id, gained, day, social_account_id, post_type, provider)
			SELECT t.id, true, n.i, t.id, 'text', 'x' FROM n, teams t WHERE t.id = $1`,
		`INSERT INTO account_days (social_account_id, day, team_id, provider, read_at)
			SELECT t.id, n.i, t.id, 'x', t.created_at FROM n, teams t WHERE t.id = $1`,
		`INSERT INTO facet_counts (team_id, field, value, post_count)
			SELECT t.id, 'language', CAST(n.i AS text), 1 FROM n, teams t WHERE t.id = $1`,
		`INSERT INTO word_counts (team_id, word, post_count)
			SELECT t.id, CAST(n.i AS text), 1 FROM n, teams t WHERE t.id = $1`,
	} {
		mustExec(t, f.Store, numbered+query, f.Team.ID, count)
	}
	f.Tx(func(ctx context.Context, tx *store.Tx) error {
		for i := range 2 * count {
			a := store.Asset{Asset: crier.Asset{ID: crier.NewID(), TeamID: f.Team.ID, FileName: "a.png",
				MimeType: "image/png", Kind: "image", Status: crier.AssetReady, CreatedAt: f.Now, UpdatedAt: f.Now},
				Facts: []byte(`{}`)}
			if i%2 == 0 {
				a.FileName = "deleted.png"
			}
			if err := tx.InsertAsset(ctx, a); err != nil {
				return err
			}
		}
		return nil
	})
	mustExec(t, f.Store, `UPDATE assets SET deleted_at = created_at WHERE team_id = $1 AND file_name = 'deleted.png'`,
		f.Team.ID)
}

// No transaction of a purge deletes more than a batch from each table, because writers wait for it on SQLite.
func TestPurgeOfATeamDeletesInBatches(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		const count = store.BatchSize + 10
		manyRows(t, f, count)
		other := *f
		other.Team = f.NewTeam("stays")
		manyRows(t, &other, 1)
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.DeleteTeam(ctx, f.Team, f.Now) })
		tables := []string{"events", "analytics_days", "account_days", "facet_counts", "word_counts", "assets"}
		rows := func(team crier.ID) (n []int64) {
			for _, table := range tables {
				n = append(n, f.Scan(`SELECT count(*) FROM `+table+` WHERE team_id = $1`, team))
			}
			return n
		}
		kept, before := rows(other.Team.ID), rows(f.Team.ID)
		for i, table := range tables {
			if before[i] < count || kept[i] == 0 {
				t.Fatalf("%s has %d and %d rows", table, before[i], kept[i])
			}
		}
		for more, rounds := true, 0; more; rounds++ {
			f.Tx(func(ctx context.Context, tx *store.Tx) (err error) {
				more, err = tx.PurgeTeam(ctx, f.Team.ID, f.After(time.Hour))
				return err
			})
			after := rows(f.Team.ID)
			var deleted int64
			for i := range tables {
				deleted += before[i] - after[i]
			}
			if most := int64(2 * store.BatchSize); deleted > most { // a whole batch ends the transaction
				t.Errorf("round %d deleted %d rows, want %d at most", rounds, deleted, most)
			}
			before = after
		}
		for i, table := range tables {
			if now := rows(other.Team.ID)[i]; before[i] != 0 || now != kept[i] {
				t.Errorf("%s has %d rows of the team, and %d of %d of another one", table, before[i], now, kept[i])
			}
		}
		if n := f.Scan(`SELECT count(*) FROM teams WHERE id = $1`, f.Team.ID); n != 0 {
			t.Error("the team is still there")
		}
	})
}
