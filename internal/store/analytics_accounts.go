package store

import (
	"context"
	"fmt"

	"crier"
)

// AccountDay is what a network told of an account on a day; nil means not told.
type AccountDay struct {
	SocialAccountID crier.ID
	// Day counts from 1 January 1970 in the team's zone.
	Day      int64
	TeamID   crier.ID
	Provider crier.Provider
	ReadAt   crier.Time
	// Followers, Following and Posts are the account's at the last reading of the day.
	Followers, Following, Posts *int64
	// Views, Reach and Engagements are of the day as a whole.
	Views, Reach, Engagements *int64
}

// PutAccountDay keeps what was told of an account on a day. What an earlier reading of the day told stays where this
// one tells nothing.
func (tx *Tx) PutAccountDay(ctx context.Context, d AccountDay) error {
	return tx.queueExec(ctx, changed("keep the numbers of an account"), `INSERT INTO account_days AS d
		(social_account_id, day, team_id, provider, read_at, followers, following, posts, views, reach, engagements)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
		ON CONFLICT (social_account_id, day) DO UPDATE SET read_at = excluded.read_at,
		followers = coalesce(excluded.followers, d.followers), following = coalesce(excluded.following, d.following),
		posts = coalesce(excluded.posts, d.posts), views = coalesce(excluded.views, d.views),
		reach = coalesce(excluded.reach, d.reach), engagements = coalesce(excluded.engagements, d.engagements)`,
		d.SocialAccountID, d.Day, d.TeamID, d.Provider, d.ReadAt, d.Followers, d.Following, d.Posts, d.Views, d.Reach,
		d.Engagements)
}

// AccountDays reads what was told of a team's accounts, by day and account.
func (r reads) AccountDays(ctx context.Context, f AnalyticsFilter) ([]AccountDay, error) {
	where, args := f.where("a")
	rows, err := r.q.QueryContext(ctx, bind(`SELECT a.social_account_id, a.day, a.team_id, a.provider, a.read_at,
		a.followers, a.following, a.posts, a.views, a.reach, a.engagements FROM account_days a
		WHERE a.team_id = ? AND a.day BETWEEN ? AND ?`+where+` ORDER BY a.day, a.social_account_id`, 0),
		append([]any{f.TeamID, f.From, f.To}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("read the numbers of accounts: %w", err)
	}
	list, err := collect(rows, func(row scanner) (d AccountDay, err error) {
		return d, row.Scan(&d.SocialAccountID, &d.Day, &d.TeamID, &d.Provider, &d.ReadAt, &d.Followers, &d.Following,
			&d.Posts, &d.Views, &d.Reach, &d.Engagements)
	})
	if err != nil {
		return nil, fmt.Errorf("read the numbers of accounts: %w", err)
	}
	return list, nil
}

// AccountsToRead reads the connected accounts whose numbers are due, the longest waiting first.
func (r reads) AccountsToRead(ctx context.Context, now crier.Time, limit int) ([]crier.ID, error) {
	rows, err := r.keyed.QueryContext(ctx, `SELECT a.id FROM social_accounts a JOIN teams t ON t.id = a.team_id
		WHERE a.status = 'connected' AND a.metrics_at <= $1 AND t.deleted_at IS NULL ORDER BY a.metrics_at LIMIT $2`,
		now, limit)
	if err != nil {
		return nil, fmt.Errorf("look for accounts to read: %w", err)
	}
	return collect(rows, scanID)
}

// PlanAccountRead sets when an account is read next, unless somebody else has planned it since it was due.
func (tx *Tx) PlanAccountRead(ctx context.Context, account crier.ID, due, next crier.Time) (planned bool, err error) {
	res, err := tx.q.ExecContext(ctx, `UPDATE social_accounts SET metrics_at = $3 WHERE id = $1 AND metrics_at <= $2`,
		account, due, next)
	if err != nil {
		return false, fmt.Errorf("plan the reading of an account: %w", err)
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// SetMetricsHint notes what keeps a network from telling the numbers of an account; nil notes that it told them.
func (tx *Tx) SetMetricsHint(ctx context.Context, account crier.ID, hint *string) error {
	return tx.queueExec(ctx, changed("note the hint of an account"), `UPDATE social_accounts SET metrics_hint = $2
		WHERE id = $1 AND metrics_hint IS DISTINCT FROM $2`, account, hint)
}
