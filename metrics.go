package crier

import "time"

// PostMetrics are the metrics of a post, per account that it was published on.
type PostMetrics struct {
	Data []PublicationMetrics `json:"data"`
}

// PublicationMetrics are the metrics of a post on one account: stored snapshots, newest first.
type PublicationMetrics struct {
	ScheduledPostID ID                `json:"scheduledPostId"`
	SocialAccountID ID                `json:"socialAccountId"`
	Provider        Provider          `json:"provider"`
	PlatformPostID  string            `json:"platformPostId"`
	PublishedAt     Time              `json:"publishedAt"`
	Snapshots       []MetricsSnapshot `json:"snapshots" doc:"At most the last 50."`
}

// MetricsSnapshot is one reading of metrics.
type MetricsSnapshot struct {
	TakenAt Time          `json:"takenAt"`
	Metrics JSON[Metrics] `json:"metrics"`
}

// Metrics are the metrics of one post. Null means that the network does not report the metric, zero that it reported
// zero.
type Metrics struct {
	Impressions *int64           `json:"impressions"`
	Reach       *int64           `json:"reach"`
	Views       *int64           `json:"views"`
	Likes       *int64           `json:"likes"`
	Comments    *int64           `json:"comments"`
	Shares      *int64           `json:"shares"`
	Quotes      *int64           `json:"quotes"`
	Saves       *int64           `json:"saves"`
	Clicks      *int64           `json:"clicks"`
	Extra       map[string]int64 `json:"extra,omitempty" doc:"Metrics that only this network has, under its own names."`
}

// AccountMetrics are the metrics of an account. Null means that the network does not report the metric.
type AccountMetrics struct {
	Followers   *int64           `json:"followers"`
	Following   *int64           `json:"following"`
	Posts       *int64           `json:"posts"`
	Impressions *int64           `json:"impressions"`
	Reach       *int64           `json:"reach"`
	Engagements *int64           `json:"engagements"`
	Extra       map[string]int64 `json:"extra,omitempty" doc:"Metrics that only this network has, under its own names."`
	From        time.Time        `json:"from,omitzero" doc:"Start of the period of the metrics that are not totals; absent if the network reports totals only."`
	To          time.Time        `json:"to,omitzero"`
}

// AccountAnalytics are the current metrics of an account, as its network reports them.
type AccountAnalytics struct {
	SocialAccountID ID                   `json:"socialAccountId"`
	Provider        Provider             `json:"provider"`
	From            Time                 `json:"from"`
	To              Time                 `json:"to"`
	CreditCost      int64                `json:"creditCost" number:"true"`
	Metrics         JSON[AccountMetrics] `json:"metrics"`
}
