package client

import (
	"cmp"
	"context"
	"io"
	"maps"
	"net/http"
	"net/url"

	"crier"
)

// AnalyticsQuery selects the data of an analytics request; empty fields select all.
type AnalyticsQuery struct {
	// From and To are the first and last day, such as 2026-11-16; the default is the last 30 days, for best times 90.
	From, To crier.Date
	// Timezone determines the days; the team's if empty.
	Timezone         string
	Providers        []crier.Provider
	SocialAccountIDs []crier.ID
	PostTypes        []crier.PostType
	// Basis is for summaries and series; published if empty.
	Basis crier.AnalyticsBasis
}

func (q AnalyticsQuery) query() url.Values {
	v := url.Values{}
	set(v, "from", string(q.From))
	set(v, "to", string(q.To))
	set(v, "timezone", q.Timezone)
	set(v, "provider", joined(q.Providers))
	set(v, "socialAccountId", joined(q.SocialAccountIDs))
	set(v, "postType", joined(q.PostTypes))
	set(v, "basis", string(q.Basis))
	return v
}

func analyticsPath(team crier.ID, resource string) string {
	return "/v1/teams/" + url.PathEscape(string(team)) + "/analytics/" + resource
}

// AnalyticsSummary returns the totals of posts and accounts in a period; compare adds the previous period.
func (c *Client) AnalyticsSummary(ctx context.Context, team crier.ID, q AnalyticsQuery,
	compare bool) (crier.AnalyticsSummary, error) {
	v := q.query()
	if compare {
		v.Set("compare", "previous")
	}
	return get[crier.AnalyticsSummary](ctx, c, analyticsPath(team, "summary"), v)
}

// SeriesOptions configure a series; the default is views by day without groups.
type SeriesOptions struct {
	Metric, Interval, GroupBy string
}

// AnalyticsSeries returns a metric over time.
func (c *Client) AnalyticsSeries(ctx context.Context, team crier.ID, q AnalyticsQuery,
	o SeriesOptions) (crier.AnalyticsSeries, error) {
	return get[crier.AnalyticsSeries](ctx, c, analyticsPath(team, "series"), o.query(q))
}

func (o SeriesOptions) query(q AnalyticsQuery) url.Values {
	v := q.query()
	set(v, "metric", o.Metric)
	set(v, "interval", o.Interval)
	set(v, "groupBy", o.GroupBy)
	return v
}

// AnalyticsSeriesTable writes a metric over time as CSV to w.
func (c *Client) AnalyticsSeriesTable(ctx context.Context, team crier.ID, q AnalyticsQuery, o SeriesOptions,
	w io.Writer) error {
	return c.table(ctx, team, "series", o.query(q), w)
}

// AnalyticsPosts returns a page of the ranking of posts.
func (c *Client) AnalyticsPosts(ctx context.Context, team crier.ID, q AnalyticsQuery,
	o ListOptions) (crier.Page[crier.AnalyticsPost], error) {
	v := q.query()
	maps.Copy(v, o.query())
	return get[crier.Page[crier.AnalyticsPost]](ctx, c, analyticsPath(team, "posts"), v)
}

// BestTimes returns the hours of the week in which posts performed better than usual.
func (c *Client) BestTimes(ctx context.Context, team crier.ID, q AnalyticsQuery) (crier.BestTimes, error) {
	return get[crier.BestTimes](ctx, c, analyticsPath(team, "best-times"), q.query())
}

// AnalyticsDelivery returns the outcomes of posts and how late they were published.
func (c *Client) AnalyticsDelivery(ctx context.Context, team crier.ID,
	q AnalyticsQuery) (crier.AnalyticsDelivery, error) {
	return get[crier.AnalyticsDelivery](ctx, c, analyticsPath(team, "delivery"), q.query())
}

// AnalyticsTable writes a response as CSV to w: noun is summary, posts, best-times or delivery. An empty noun is
// summary. Posts are written with all entries, whatever the limit.
func (c *Client) AnalyticsTable(ctx context.Context, team crier.ID, resource string, q AnalyticsQuery, o ListOptions,
	w io.Writer) error {
	v := q.query()
	maps.Copy(v, o.query())
	return c.table(ctx, team, cmp.Or(resource, "summary"), v, w)
}

func (c *Client) table(ctx context.Context, team crier.ID, resource string, v url.Values, w io.Writer) error {
	v.Set("format", "csv")
	return c.send(ctx, request{method: http.MethodGet, path: analyticsPath(team, resource), query: v}, w)
}
