package provider

import "time"

// Metrics are the numbers of one post. Nil means that the network does not tell, zero that it told zero.
type Metrics struct {
	Impressions *int64 `json:"impressions"`
	Reach       *int64 `json:"reach"`
	Views       *int64 `json:"views"`
	Likes       *int64 `json:"likes"`
	Comments    *int64 `json:"comments"`
	Shares      *int64 `json:"shares"`
	Quotes      *int64 `json:"quotes"`
	Saves       *int64 `json:"saves"`
	Clicks      *int64 `json:"clicks"`
	// Extra are numbers that only this network has, under its own names.
	Extra map[string]int64 `json:"extra,omitempty"`
}

// AccountMetrics are the numbers of an account. Nil means that the network does not tell.
type AccountMetrics struct {
	Followers   *int64           `json:"followers"`
	Following   *int64           `json:"following"`
	Posts       *int64           `json:"posts"`
	Impressions *int64           `json:"impressions"`
	Reach       *int64           `json:"reach"`
	Engagements *int64           `json:"engagements"`
	Extra       map[string]int64 `json:"extra,omitempty"`
	// From and To are the time that the flowing numbers belong to; zero where the network tells totals only.
	From time.Time `json:"from,omitzero"`
	To   time.Time `json:"to,omitzero"`
}
