package store

import (
	"context"
	"fmt"
	"time"

	"crier"
)

const slotColumns = `s.id, s.team_id, s.hour, s.minute, s.label, s.days_of_week, s.created_at, s.updated_at`

func scanSlot(row scanner) (crier.SchedulingSlot, error) {
	var s crier.SchedulingSlot
	var days *[]int
	err := row.Scan(&s.ID, &s.TeamID, &s.Hour, &s.Minute, &s.Label, intoJSON(&days), &s.CreatedAt, &s.UpdatedAt)
	if days != nil {
		s.DaysOfWeek = *days
	}
	return s, err
}

// Slots reads the slots of a team, by hour and minute.
func (r reads) Slots(ctx context.Context, team crier.ID) ([]crier.SchedulingSlot, error) {
	rows, err := r.q.QueryContext(ctx, `SELECT `+slotColumns+` FROM scheduling_slots s WHERE s.team_id = $1
		ORDER BY s.hour, s.minute, s.id`, team)
	if err != nil {
		return nil, fmt.Errorf("list slots: %w", err)
	}
	return collect(rows, scanSlot)
}

// Slot reads one slot of a team.
func (r reads) Slot(ctx context.Context, team, id crier.ID) (crier.SchedulingSlot, error) {
	s, err := scanSlot(r.q.QueryRowContext(ctx,
		`SELECT `+slotColumns+` FROM scheduling_slots s WHERE s.id = $1 AND s.team_id = $2`, id, team))
	return s, orNotFound(err, "scheduling slot", id)
}

// InsertSlot writes a new slot.
func (tx *Tx) InsertSlot(ctx context.Context, s crier.SchedulingSlot) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO scheduling_slots (id, team_id, hour, minute, label, days_of_week,
		created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		s.ID, s.TeamID, s.Hour, s.Minute, s.Label, asJSON(&s.DaysOfWeek), s.CreatedAt, s.UpdatedAt)
	if err != nil {
		return fmt.Errorf("insert slot: %w", err)
	}
	return nil
}

// UpdateSlot writes a slot.
func (tx *Tx) UpdateSlot(ctx context.Context, s crier.SchedulingSlot) error {
	res, err := tx.q.ExecContext(ctx, `UPDATE scheduling_slots SET hour = $3, minute = $4, label = $5,
		days_of_week = $6, updated_at = $7
		WHERE id = $1 AND team_id = $2`, s.ID, s.TeamID, s.Hour, s.Minute, s.Label, asJSON(&s.DaysOfWeek), s.UpdatedAt)
	return affectedOne(res, err, "scheduling slot", s.ID)
}

// DeleteSlot deletes a slot. Posts that are scheduled at it stay.
func (tx *Tx) DeleteSlot(ctx context.Context, team, id crier.ID) error {
	res, err := tx.q.ExecContext(ctx, `DELETE FROM scheduling_slots WHERE id = $1 AND team_id = $2`, id, team)
	return affectedOne(res, err, "scheduling slot", id)
}

// FreeInstants returns the positions of the first limit instants at which none of the accounts has a live post other
// than the given one, if any. It is one query with an index lookup per instant.
func (r reads) FreeInstants(ctx context.Context, accounts []crier.ID, except crier.ID, instants []time.Time,
	limit int) ([]int, error) {
	texts := make([]string, len(instants))
	for i, t := range instants {
		texts[i] = crier.TimeOf(t).Format(crier.StoredTimeLayout)
	}
	args, others := append([]any{asJSON(&texts), limit}, anys(accounts)...), ""
	if except != "" {
		args = append(args, except)
		others = fmt.Sprintf(" AND p.post_id <> $%d", len(args))
	}
	rows, err := r.q.QueryContext(ctx, `SELECT c.position FROM `+r.listOfTimes+` AS c WHERE NOT EXISTS (
			SELECT 1 FROM publications p WHERE p.social_account_id IN (`+placeholders(3, len(accounts))+`)
			AND p.scheduled_at = c.instant AND p.live AND p.kind = 'post'`+others+`)
		ORDER BY c.position LIMIT $2`, args...)
	if err != nil {
		return nil, fmt.Errorf("find free instants: %w", err)
	}
	free, err := collect(rows, func(row scanner) (position int, err error) { return position, row.Scan(&position) })
	if err != nil {
		return nil, fmt.Errorf("find free instants: %w", err)
	}
	return free, nil
}

// TakenInstants returns the live and published posts of some accounts of a team, or of all, that take instants in
// [from, to), by instant.
func (r reads) TakenInstants(ctx context.Context, team crier.ID, accounts []crier.ID, from, to crier.Time) (
	map[crier.Time][]crier.SlotTaken, error) {
	where, args := "", []any{team, from, to}
	if len(accounts) > 0 {
		where, args = ` AND s.social_account_id IN (`+placeholders(4, len(accounts))+`)`,
			append(args, anys(accounts)...)
	}
	of := func(class string) string {
		return `SELECT s.scheduled_at, s.social_account_id, s.id, s.post_id, s.status
			FROM publications s WHERE s.team_id = $1 AND s.kind = 'post' AND ` + class + `
			AND s.scheduled_at >= $2 AND s.scheduled_at < $3 AND s.status IN ` + destinationStatuses + where
	}
	rows, err := r.q.QueryContext(ctx, of(classLive)+` UNION ALL `+of(classEnded)+` ORDER BY 1, 3`, args...)
	if err != nil {
		return nil, fmt.Errorf("read taken instants: %w", err)
	}
	taken := map[crier.Time][]crier.SlotTaken{}
	_, err = collect(rows, func(row scanner) (t crier.SlotTaken, err error) {
		var at crier.Time
		err = row.Scan(&at, &t.SocialAccountID, &t.ScheduledPostID, &t.PostID, &t.Status)
		at = crier.TimeOf(at.Time)
		taken[at] = append(taken[at], t)
		return t, err
	})
	if err != nil {
		return nil, fmt.Errorf("read taken instants: %w", err)
	}
	return taken, nil
}
