package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"crier"
)

// On SQLite, the triggers that follow the status of a publication run for each row. Where the engine changes many rows,
// the store does their work for all rows at once, and tells the triggers to do nothing; see the table bulk_change. On
// PostgreSQL, triggers run once for a statement.

// inBulk runs updates of which the caller does what the triggers would do for each row.
func (tx *Tx) inBulk(ctx context.Context, update func() error) error {
	if tx.pipe != nil {
		return update()
	}
	if err := tx.setBulk(ctx, true); err != nil {
		return err
	}
	if err := update(); err != nil {
		return err
	}
	return tx.setBulk(ctx, false)
}

func (tx *Tx) setBulk(ctx context.Context, running bool) error {
	if _, err := tx.q.ExecContext(ctx, `UPDATE bulk_change SET running = $1 WHERE id = 1`, running); err != nil {
		return fmt.Errorf("switch triggers: %w", err)
	}
	return nil
}

// statusBefore is the status of a publication before it is settled.
type statusBefore struct {
	status crier.ScheduledPostStatus
	// repeated is true if its post has another publication, or is not listed: then repeatsByState changes.
	repeated bool
}

// settleInBulk settles publications with settleAll and does what the triggers would do.
func (tx *Tx) settleInBulk(ctx context.Context, now crier.Time, list []*Settlement) error {
	before, err := tx.statusesBefore(ctx, list)
	if err != nil {
		return err
	}
	var repeated []crier.ID
	for _, s := range list {
		if before[s.Publication.ID].repeated {
			repeated = append(repeated, s.Publication.PostID)
		}
	}
	repeated = distinct(repeated)
	if err := tx.countRepeats(ctx, -1, repeated); err != nil {
		return err
	}
	if err := tx.inBulk(ctx, func() error { return tx.settleAll(ctx, now, list) }); err != nil {
		return err
	}
	if err := tx.countRepeats(ctx, 1, repeated); err != nil {
		return err
	}
	return tx.followStatuses(ctx, list, before)
}

// statusesBefore reads the statuses of publications before they are settled.
func (tx *Tx) statusesBefore(ctx context.Context, list []*Settlement) (map[crier.ID]statusBefore, error) {
	ids := make([]crier.ID, len(list))
	for i, s := range list {
		ids[i] = s.Publication.ID
	}
	rows, err := tx.q.QueryContext(ctx, `SELECT s.id, s.status, s.kind = 'post' AND (EXISTS (
			SELECT 1 FROM publications o WHERE o.post_id = s.post_id AND o.id <> s.id AND o.kind = 'post')
		OR EXISTS (SELECT 1 FROM posts p
			WHERE p.id = s.post_id AND (p.deleted_at IS NOT NULL OR p.status = 'archived')))
		FROM `+tx.jsonRows("key uuid")+` CROSS JOIN publications s ON s.id = v.key`, keys(ids))
	if err != nil {
		return nil, fmt.Errorf("read statuses: %w", err)
	}
	before := make(map[crier.ID]statusBefore, len(list))
	_, err = collect(rows, func(row scanner) (b statusBefore, err error) {
		var id crier.ID
		err = row.Scan(&id, &b.status, &b.repeated)
		before[id] = b
		return b, err
	})
	if err != nil {
		return nil, fmt.Errorf("read statuses: %w", err)
	}
	return before, nil
}

// followStatuses writes what follows from the statuses of settled publications: problems and counts.
func (tx *Tx) followStatuses(ctx context.Context, list []*Settlement, before map[crier.ID]statusBefore) error {
	counts := countChanges{}
	var begun, ended []crier.ID
	for _, s := range list {
		was, p := before[s.Publication.ID].status, s.Publication
		if !s.Written || was == p.Status {
			continue
		}
		counts.move(p, was, p.Status)
		switch {
		case isProblem(p.Status):
			begun = append(begun, p.ID)
		case isProblem(was):
			ended = append(ended, p.ID)
		}
	}
	if err := tx.changeProblems(ctx, begun, ended); err != nil {
		return err
	}
	return tx.addCounts(ctx, counts)
}

// changeProblems adds and removes publications that are problems.
func (tx *Tx) changeProblems(ctx context.Context, begun, ended []crier.ID) error {
	if len(begun) > 0 {
		err := tx.queueExec(ctx, changed("note problems"), `INSERT INTO publication_problems (publication_id,
			scheduled_post_id, team_id, post_id, status)
			SELECT p.id, coalesce(p.parent_id, p.id), p.team_id, p.post_id, p.status
			FROM `+tx.jsonRows("key uuid")+` CROSS JOIN publications p ON p.id = v.key WHERE TRUE
			ON CONFLICT (publication_id) DO UPDATE SET status = excluded.status, dismissed_at = NULL`, keys(begun))
		if err != nil {
			return err
		}
	}
	if len(ended) == 0 {
		return nil
	}
	return tx.queueExec(ctx, changed("end problems"), `DELETE FROM publication_problems
		WHERE publication_id IN (SELECT v.key FROM `+tx.jsonRows("key uuid")+`)`, keys(ended))
}

// isProblem reports whether a publication with a status is in the table of problems.
func isProblem(s crier.ScheduledPostStatus) bool {
	return s == crier.Failed || s == crier.Missed || s == crier.Unknown
}

// countRepeats adds what posts contribute to repeatsByState, times a factor.
func (tx *Tx) countRepeats(ctx context.Context, factor int, posts []crier.ID) error {
	if len(posts) == 0 {
		return nil
	}
	return tx.queueExec(ctx, changed("count repeats"), `INSERT INTO list_counts (team_id, list, value, row_count)
		SELECT r.team_id, '`+string(repeatsByState)+`', r.state, $2 * sum(r.scheduled - r.listed)
		FROM (SELECT p.team_id, p.id, CASE WHEN e.every THEN 'any'
				WHEN s.status IN ('scheduled', 'publishing', 'processing') THEN 'pending' ELSE s.status END AS state,
				count(*) AS scheduled, p.deleted_at IS NULL AND p.status <> 'archived' AS listed
			FROM `+tx.jsonRows("key uuid")+` CROSS JOIN posts p ON p.id = v.key
			CROSS JOIN publications s ON s.post_id = p.id AND s.kind = 'post' AND s.status <> 'canceled'
			CROSS JOIN (SELECT TRUE AS every UNION ALL SELECT FALSE) AS e GROUP BY 1, 2, 3) AS r
		GROUP BY r.team_id, r.state HAVING sum(r.scheduled - r.listed) <> 0
		ON CONFLICT (team_id, list, value) DO UPDATE SET row_count = row_count + excluded.row_count`, keys(posts), factor)
}

// countChanges are changes of the counts of scheduled posts.
type countChanges map[countRow]int64

// countRow is a row of list_counts without its list.
type countRow struct {
	Team  crier.ID `json:"team"`
	Value string   `json:"value"`
}

// move counts a publication in another status.
func (c countChanges) move(p Publication, before, after crier.ScheduledPostStatus) {
	if p.IsAction() || before == after {
		return
	}
	of := string(p.Provider) + " " + string(p.SocialAccountID) + " "
	c[countRow{p.TeamID, of + string(before)}]--
	c[countRow{p.TeamID, of + string(after)}]++
}

// addCounts adds changes to the counts, as PostgreSQL's trigger does.
func (tx *Tx) addCounts(ctx context.Context, changes countChanges) error {
	if tx.pipe != nil {
		return nil
	}
	type changeRow struct {
		countRow
		Change int64 `json:"change"`
	}
	rows := make([]changeRow, 0, len(changes))
	for of, change := range changes {
		if change != 0 {
			rows = append(rows, changeRow{of, change})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	slices.SortFunc(rows, func(a, b changeRow) int { // neighbors are on the same page
		return strings.Compare(string(a.Team)+a.Value, string(b.Team)+b.Value)
	})
	return tx.queueExec(ctx, changed("count scheduled posts"), `INSERT INTO list_counts (team_id, list, value, row_count)
		SELECT v.team, '`+string(countedScheduledPosts)+`', v.value, v.change
		FROM `+tx.jsonRows("team uuid, value text, change bigint")+` WHERE TRUE
		ON CONFLICT (team_id, list, value) DO UPDATE SET row_count = row_count + excluded.row_count`, asJSON(&rows))
}
