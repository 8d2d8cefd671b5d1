package crier

import "encoding/json"

// PostMetrics is how a post does, per account that it was published on.
type PostMetrics struct {
	Data []PublicationMetrics `json:"data"`
}

// PublicationMetrics is how a post does on one account: stored snapshots, the newest first.
type PublicationMetrics struct {
	ScheduledPostID ID                `json:"scheduledPostId"`
	SocialAccountID ID                `json:"socialAccountId"`
	Provider        Provider          `json:"provider"`
	PlatformPostID  string            `json:"platformPostId"`
	PublishedAt     Time              `json:"publishedAt"`
	Snapshots       []MetricsSnapshot `json:"snapshots" doc:"At most the last 50."`
}

// MetricsSnapshot is what a network told at a moment.
type MetricsSnapshot struct {
	TakenAt Time            `json:"takenAt"`
	Metrics json.RawMessage `json:"metrics" doc:"impressions, reach, views, likes, comments, shares, quotes, saves, clicks: null means that the network does not tell, 0 that it told zero; extra has the network's own numbers."`
}

// AccountAnalytics is how an account does, as its network tells now.
type AccountAnalytics struct {
	SocialAccountID ID              `json:"socialAccountId"`
	Provider        Provider        `json:"provider"`
	From            Time            `json:"from"`
	To              Time            `json:"to"`
	CreditCost      int64           `json:"creditCost" number:"true"`
	Metrics         json.RawMessage `json:"metrics" doc:"followers, following, posts, impressions, reach, engagements: null means that the network does not tell."`
}
