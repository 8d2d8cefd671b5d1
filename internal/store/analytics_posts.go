package store

import (
	"context"
	"fmt"

	"crier"
)

// RankedPost is a published post on an account, as shown in a ranking.
type RankedPost struct {
	PublicationStats
	Title         *string
	Text          string
	Permalink     *string
	AccountName   string
	AccountHandle *string
}

// rankSorts maps the sorts of a ranking to columns. Metrics that were not reported sort last.
var rankSorts = map[string]string{
	string(crier.MetricViews):       "coalesce(s.views, -1)",
	string(crier.MetricReach):       "coalesce(s.reach, -1)",
	string(crier.MetricLikes):       "coalesce(s.likes, -1)",
	string(crier.MetricComments):    "coalesce(s.comments, -1)",
	string(crier.MetricShares):      "coalesce(s.shares, -1)",
	string(crier.MetricQuotes):      "coalesce(s.quotes, -1)",
	string(crier.MetricSaves):       "coalesce(s.saves, -1)",
	string(crier.MetricClicks):      "coalesce(s.clicks, -1)",
	string(crier.MetricEngagements): "coalesce(s.engagements, -1)",
	"engagementRate":                "coalesce(s.engagement_rate, -1)",
	"publishedAt":                   "s.published_at",
}

// rankKey returns the value that a row is sorted by.
func rankKey(p RankedPost, sort string) Key {
	n := p.Numbers
	byName := map[string]*int64{
		string(crier.MetricViews): n.Views, string(crier.MetricReach): n.Reach, string(crier.MetricLikes): n.Likes,
		string(crier.MetricComments): n.Comments, string(crier.MetricShares): n.Shares,
		string(crier.MetricQuotes): n.Quotes, string(crier.MetricSaves): n.Saves, string(crier.MetricClicks): n.Clicks,
		string(crier.MetricEngagements): n.Engagements(), "engagementRate": n.Rate(),
	}
	if sort == "publishedAt" {
		return Key{Value: p.PublishedAt, ID: p.PublicationID}
	}
	key := Key{Value: int64(-1), ID: p.PublicationID}
	if v := byName[sort]; v != nil {
		key.Value = *v
	}
	return key
}

// ranking returns the list of posts that were published in a time range and are not deleted.
func ranking(f AnalyticsFilter, from, to crier.Time) listing[RankedPost] {
	where, args := f.where("s")
	// The days limit the range that is read from the index; a day of any time zone starts within one of them.
	condition := `s.team_id = ? AND s.published_day BETWEEN ? AND ? AND s.published_at >= ? AND s.published_at < ?
		AND EXISTS (SELECT 1 FROM posts o WHERE o.id = s.post_id AND o.deleted_at IS NULL)` + where
	return listing[RankedPost]{
		columns: statsColumns + `, o.title, substr(y.text, 1, 280), p.permalink, a.display_name, a.profile_handle`,
		from: `publication_stats s JOIN publications p ON p.id = s.publication_id JOIN posts o ON o.id = s.post_id
			JOIN payloads y ON y.id = p.payload_id JOIN social_accounts a ON a.id = s.social_account_id`,
		id: "s.publication_id", sorts: rankSorts, scan: scanRankedPost, key: rankKey,
		branches: []branch{{where: condition,
			args: append([]any{f.TeamID, f.From - 1, f.To + 1, from, to}, args...)}},
	}
}

// RankedPosts reads one page of a ranking and the total of the list.
func (r reads) RankedPosts(ctx context.Context, f AnalyticsFilter, from, to crier.Time,
	q PageQuery) (PageRows[RankedPost], Total, error) {
	page, err := r.RankedPage(ctx, f, from, to, q)
	if err != nil {
		return page, Total{}, err
	}
	total, err := r.countBranches(ctx, "publication_stats s", ranking(f, from, to).branches, true)
	if err != nil {
		return page, total, fmt.Errorf("count ranked posts: %w", err)
	}
	return page, total, nil
}

// RankedPage reads one page of a ranking without counting the list.
func (r reads) RankedPage(ctx context.Context, f AnalyticsFilter, from, to crier.Time,
	q PageQuery) (PageRows[RankedPost], error) {
	page, err := ranking(f, from, to).page(ctx, r, q)
	if err != nil {
		return page, fmt.Errorf("rank posts: %w", err)
	}
	return page, nil
}

func scanRankedPost(row scanner) (p RankedPost, err error) {
	s, n := &p.PublicationStats, &p.Numbers
	err = row.Scan(&s.PublicationID, &s.TeamID, &s.SocialAccountID, &s.PostID, &s.Provider, &s.PostType, &s.DueAt,
		&s.PublishedAt, &s.PublishedDay, &s.LateMillis, &s.ReadAt, &s.Readings, &n.Views, &n.Reach, &n.Likes,
		&n.Comments, &n.Shares, &n.Quotes, &n.Saves, &n.Clicks, &p.Title, &p.Text, &p.Permalink, &p.AccountName,
		&p.AccountHandle)
	return p, err
}
