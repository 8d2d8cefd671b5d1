package store

import (
	"context"
	"fmt"

	"crier"
)

// AccountDay holds the metrics that a network reported for an account on a day; nil means not reported.
type AccountDay struct {
	SocialAccountID crier.ID
	// Day is the day number since 1 January 1970 in the team's time zone.
	Day      int64
	TeamID   crier.ID
	Provider crier.Provider
	ReadAt   crier.Time
	// Followers, Following and Posts are the account's values at the last reading of the day.
	Followers, Following, Posts *int64
	// Views, Reach and Engagements cover the whole day.
	Views, Reach, Engagements *int64
}

// PutAccountDay stores the metrics of an account on a day. Values of an earlier reading of the day are kept where this
// one has none.
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

// AccountDays reads the daily metrics of a team's accounts, by day and account.
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

// AccountsToRead returns the connected accounts whose metrics are due to be read, longest overdue first.
func (r reads) AccountsToRead(ctx context.Context, now crier.Time, limit int) ([]crier.ID, error) {
	rows, err := r.keyed.QueryContext(ctx, `SELECT a.id FROM social_accounts a JOIN teams t ON t.id = a.team_id
		WHERE a.status = 'connected' AND a.metrics_at <= $1 AND t.deleted_at IS NULL ORDER BY a.metrics_at LIMIT $2`,
		now, limit)
	if err != nil {
		return nil, fmt.Errorf("look for accounts to read: %w", err)
	}
	return collect(rows, scanID)
}

// PlanAccountRead sets when an account is read next, unless another node has planned it since it was due.
func (tx *Tx) PlanAccountRead(ctx context.Context, account crier.ID, due, next crier.Time) (planned bool, err error) {
	res, err := tx.q.ExecContext(ctx, `UPDATE social_accounts SET metrics_at = $3 WHERE id = $1 AND metrics_at <= $2`,
		account, due, next)
	if err != nil {
		return false, fmt.Errorf("plan the reading of an account: %w", err)
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// SetMetricsHint records why a network does not report the metrics of an account; nil records that it does.
func (tx *Tx) SetMetricsHint(ctx context.Context, account crier.ID, hint *string) error {
	return tx.queueExec(ctx, changed("note the hint of an account"), `UPDATE social_accounts SET metrics_hint = $2
		WHERE id = $1 AND metrics_hint IS DISTINCT FROM $2`, account, hint)
}
