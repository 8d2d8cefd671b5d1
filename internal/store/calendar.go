package store

import (
	"context"
	"database/sql"
	"fmt"

	"crier"
)

// CalendarRow is a scheduled post with what a calendar shows of its post.
type CalendarRow struct {
	crier.CalendarEntry
	// Timezone is the zone that its time was chosen in.
	Timezone string
	Actions  crier.PlannedActions
}

const calendarQuery = `SELECT s.id, s.post_id, s.social_account_id, s.provider, p.title, substr(y.text, 1, 280), p.post_type, s.status,
	s.scheduled_at, s.permalink, s.error_code, s.timezone, s.actions FROM scheduled_posts s
	JOIN posts p ON p.id = s.post_id JOIN payloads y ON y.id = s.payload_id
	WHERE s.team_id = $1 AND p.deleted_at IS NULL AND `

func scanCalendarRow(row scanner) (CalendarRow, error) {
	var c CalendarRow
	var status crier.ScheduledPostStatus
	var permalink, code sql.NullString
	var actions *crier.PlannedActions
	err := row.Scan(&c.ScheduledPostID, &c.PostID, &c.SocialAccountID, &c.Provider, &c.Title, &c.Text, &c.PostType, &status,
		&c.ScheduledAt, &permalink, &code, &c.Timezone, intoJSON(&actions))
	c.Kind, c.Status, c.Permalink, c.ErrorCode = "scheduled_post", &status, permalink.String, code.String
	if actions != nil {
		c.Actions = *actions
	}
	return c, err
}

// CalendarRows reads the scheduled posts of a team in a half-open window, by time, canceled ones left out.
func (r reads) CalendarRows(ctx context.Context, team crier.ID, from, to crier.Time, limit int) ([]CalendarRow, error) {
	return r.calendar(ctx, `NOT s.canceled AND s.scheduled_at >= $2 AND s.scheduled_at < $3
		ORDER BY s.scheduled_at, s.id LIMIT $4`, team, from, to, limit)
}

// RecurringRows reads the scheduled posts of a team that a series will go on from: those that are live and planned before
// a time.
func (r reads) RecurringRows(ctx context.Context, team crier.ID, before crier.Time, limit int) ([]CalendarRow, error) {
	return r.calendar(ctx, `s.recurring AND s.live AND s.scheduled_at < $2
		ORDER BY s.scheduled_at, s.id LIMIT $3`, team, before, limit)
}

func (r reads) calendar(ctx context.Context, where string, args ...any) ([]CalendarRow, error) {
	rows, err := r.q.QueryContext(ctx, calendarQuery+where, args...)
	if err != nil {
		return nil, fmt.Errorf("read the calendar: %w", err)
	}
	list, err := collect(rows, scanCalendarRow)
	if err != nil {
		return nil, fmt.Errorf("read the calendar: %w", err)
	}
	return list, nil
}
