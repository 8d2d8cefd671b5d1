package crier

import "time"

// Metric is a metric that networks report for posts, or one derived from those.
type Metric string

// The metrics of posts. All but reach can be summed: reach counts people, and somebody who saw two posts would count
// twice.
const (
	MetricViews       Metric = "views"
	MetricReach       Metric = "reach"
	MetricLikes       Metric = "likes"
	MetricComments    Metric = "comments"
	MetricShares      Metric = "shares"
	MetricQuotes      Metric = "quotes"
	MetricSaves       Metric = "saves"
	MetricClicks      Metric = "clicks"
	MetricEngagements Metric = "engagements"
)

// MaxAnalyticsDays is the maximum window of analytics.
const MaxAnalyticsDays = 400

// MetricsPolicy says whether crier reads metrics that a network charges for.
type MetricsPolicy string

// The policies of paid readings.
const (
	MetricsFree MetricsPolicy = "free"
	MetricsAll  MetricsPolicy = "all"
)

// Enum lists the values on the wire.
func (MetricsPolicy) Enum() []string { return enumOf([]MetricsPolicy{MetricsFree, MetricsAll}) }

// Date is a day without a zone, such as 2026-11-16.
type Date string

// Problem describes why the date is invalid; it is empty for a valid one.
func (d Date) Problem() string {
	if t, err := time.Parse(time.DateOnly, string(d)); err != nil || t.Year() < 1970 {
		return "must be a date such as 2026-11-16"
	}
	return ""
}

// AnalyticsBasis says which values a window counts.
type AnalyticsBasis string

// The bases of analytics.
const (
	BasisPublished AnalyticsBasis = "published"
	BasisGained    AnalyticsBasis = "gained"
)

// Enum lists the values on the wire.
func (AnalyticsBasis) Enum() []string { return enumOf([]AnalyticsBasis{BasisPublished, BasisGained}) }

// AnalyticsSum is the sum of a metric.
type AnalyticsSum struct {
	Value   *int64 `json:"value" number:"true" doc:"null when nothing reports it."`
	Told    int64  `json:"told" number:"true" doc:"Number of posts in the sum; with basis gained, of readings."`
	NotTold int64  `json:"notTold" number:"true" doc:"Number of posts (readings) without the metric, which are not in the sum."`
}

// AnalyticsSums are the metrics that can be summed. Reach cannot.
type AnalyticsSums struct {
	Views       AnalyticsSum `json:"views" doc:"Number of times posts were seen: views, or impressions where the network reports those."`
	Likes       AnalyticsSum `json:"likes"`
	Comments    AnalyticsSum `json:"comments"`
	Shares      AnalyticsSum `json:"shares" doc:"Shares, reposts."`
	Quotes      AnalyticsSum `json:"quotes"`
	Saves       AnalyticsSum `json:"saves" doc:"Saves, bookmarks."`
	Clicks      AnalyticsSum `json:"clicks" doc:"Clicks on links."`
	Engagements AnalyticsSum `json:"engagements" doc:"Likes, comments, shares, quotes and saves together, as far as the network reports them."`
}

// AnalyticsRate is engagements divided by views, over the posts that report both.
type AnalyticsRate struct {
	Value   *float64 `json:"value" doc:"0.05 is 5 %; null when no post reports both, or no post was seen."`
	Told    int64    `json:"told" number:"true"`
	NotTold int64    `json:"notTold" number:"true"`
}

// AnalyticsFollowers is the number of followers of the accounts. Somebody who follows two accounts counts twice.
type AnalyticsFollowers struct {
	Value   *int64 `json:"value" number:"true" doc:"Sum of the last reading of each account in the window; null when no account has a value."`
	Change  *int64 `json:"change" number:"true" doc:"Difference to the first reading of each account in the window."`
	Told    int64  `json:"told" number:"true" doc:"Number of accounts with a value."`
	NotTold int64  `json:"notTold" number:"true" doc:"Number of connected accounts without a value."`
}

// AnalyticsTotals are the totals of a window.
type AnalyticsTotals struct {
	Posts          int64              `json:"posts" number:"true" doc:"Posts published in the window, one per account."`
	Metrics        AnalyticsSums      `json:"metrics"`
	EngagementRate AnalyticsRate      `json:"engagementRate"`
	Followers      AnalyticsFollowers `json:"followers"`
}

// AnalyticsWindow describes the window of a response.
type AnalyticsWindow struct {
	From     Date   `json:"from" doc:"The first day."`
	To       Date   `json:"to" doc:"The last day."`
	Timezone string `json:"timezone" doc:"The zone of the days."`
}

// AnalyticsSummary summarizes the metrics of a team's posts and accounts in a window.
type AnalyticsSummary struct {
	AnalyticsWindow
	Basis AnalyticsBasis `json:"basis"`
	AnalyticsTotals
	Previous         *AnalyticsPrevious  `json:"previous" doc:"The window of the same length before this one; null unless compare=previous."`
	ByProvider       []ProviderAnalytics `json:"byProvider"`
	BySocialAccount  []AccountTotals     `json:"bySocialAccount"`
	AccountsWithHint []AccountHint       `json:"accountsWithHint" doc:"Accounts whose metrics cannot be read, and how to fix it."`
}

// AnalyticsPrevious are the totals of the previous window.
type AnalyticsPrevious struct {
	From Date `json:"from"`
	To   Date `json:"to"`
	AnalyticsTotals
}

// ProviderAnalytics are the totals of a network.
type ProviderAnalytics struct {
	Provider Provider `json:"provider"`
	AnalyticsTotals
}

// AccountTotals are the totals of an account.
type AccountTotals struct {
	SocialAccountID ID       `json:"socialAccountId"`
	Provider        Provider `json:"provider"`
	DisplayName     string   `json:"displayName"`
	ProfileHandle   *string  `json:"profileHandle"`
	AnalyticsTotals
}

// AccountHint says why the metrics of an account are missing.
type AccountHint struct {
	SocialAccountID ID       `json:"socialAccountId"`
	Provider        Provider `json:"provider"`
	Hint            string   `json:"hint"`
}

// AnalyticsSeries is a metric over time, in columns: element i of every list belongs to bucket i.
type AnalyticsSeries struct {
	AnalyticsWindow
	Basis    AnalyticsBasis `json:"basis"`
	Metric   string         `json:"metric"`
	Interval string         `json:"interval" enum:"day,week,month"`
	GroupBy  string         `json:"groupBy" enum:"none,provider,socialAccount,postType,tag"`
	Buckets  []Date         `json:"buckets" doc:"The first day of each bucket. Weeks start on Monday; the first and the last bucket may be cut by the window."`
	Groups   []SeriesGroup  `json:"groups"`
}

// SeriesGroup is one line of a series.
type SeriesGroup struct {
	Key     string     `json:"key" doc:"The network, the account's id, the type or the tag; total without groups, untagged for posts without a tag."`
	Label   string     `json:"label"`
	Values  []*float64 `json:"values" doc:"null is a gap: there were posts or accounts, but no values."`
	Told    []int64    `json:"told"`
	NotTold []int64    `json:"notTold"`
}

// PostNumbers are the metrics of a post; null means that the network does not report the metric.
type PostNumbers struct {
	Views       *int64 `json:"views" number:"true"`
	Reach       *int64 `json:"reach" number:"true" doc:"People, not times."`
	Likes       *int64 `json:"likes" number:"true"`
	Comments    *int64 `json:"comments" number:"true"`
	Shares      *int64 `json:"shares" number:"true"`
	Quotes      *int64 `json:"quotes" number:"true"`
	Saves       *int64 `json:"saves" number:"true"`
	Clicks      *int64 `json:"clicks" number:"true"`
	Engagements *int64 `json:"engagements" number:"true"`
}

// AnalyticsPost is a published post on an account, in a ranking.
type AnalyticsPost struct {
	ScheduledPostID ID          `json:"scheduledPostId"`
	PostID          ID          `json:"postId"`
	SocialAccountID ID          `json:"socialAccountId"`
	Provider        Provider    `json:"provider"`
	AccountName     string      `json:"accountName"`
	AccountHandle   *string     `json:"accountHandle"`
	PostType        PostType    `json:"postType"`
	Title           *string     `json:"title"`
	Text            string      `json:"text" doc:"The first 280 characters."`
	Permalink       *string     `json:"permalink"`
	PublishedAt     Time        `json:"publishedAt"`
	ReadAt          *Time       `json:"readAt" doc:"Time of the last reading; null before the first one."`
	Metrics         PostNumbers `json:"metrics" doc:"The last reported values."`
	EngagementRate  *float64    `json:"engagementRate" doc:"Engagements divided by views; 0.05 is 5 %."`
}

// BestTimes are the hours of the week at which posts did better than usual.
type BestTimes struct {
	AnalyticsWindow
	Posts        int64      `json:"posts" number:"true" doc:"Number of compared posts: those with metrics read at least a day after publishing, on accounts with at least 5 of them."`
	MinimumPosts int64      `json:"minimumPosts" number:"true" doc:"Cells with fewer posts are ignored."`
	Known        bool       `json:"known" doc:"false when no hour is statistically significant."`
	Reason       string     `json:"reason" doc:"Why known is false; otherwise empty."`
	Best         []BestTime `json:"best" doc:"The statistically significant hours, best first."`
	Cells        []BestTime `json:"cells" doc:"All 168 hours of the week, Monday first."`
}

// BestTime is an hour of the week.
type BestTime struct {
	Weekday int      `json:"weekday" number:"true" doc:"1 is Monday, 7 is Sunday."`
	Hour    int      `json:"hour" number:"true" doc:"0 to 23, in the zone of the response."`
	Posts   int64    `json:"posts" number:"true" doc:"Number of posts published in this hour."`
	Score   *float64 `json:"score" doc:"Median of engagements relative to the median of the post's own account: 1.5 is 50 % more than usual. null with fewer posts than minimumPosts."`
}

// AnalyticsDelivery is the results and lateness of the posts that were due in a window.
type AnalyticsDelivery struct {
	AnalyticsWindow
	DeliveryCounts
	ByProvider []ProviderDelivery `json:"byProvider"`
}

// ProviderDelivery is the results and lateness of posts on a network.
type ProviderDelivery struct {
	Provider Provider `json:"provider"`
	DeliveryCounts
}

// DeliveryCounts are the results of posts, and their lateness.
type DeliveryCounts struct {
	Published int64             `json:"published" number:"true"`
	Failed    int64             `json:"failed" number:"true"`
	Missed    int64             `json:"missed" number:"true"`
	Unknown   int64             `json:"unknown" number:"true"`
	Open      int64             `json:"open" number:"true" doc:"Not finished yet: scheduled, publishing, processing."`
	Lateness  *DeliveryLateness `json:"lateness" doc:"null when no post was published."`
}

// DeliveryLateness is the time from when posts were due to the call that published them.
type DeliveryLateness struct {
	Posts int64 `json:"posts" number:"true" doc:"Number of posts that crier published by its own call."`
	P50Ms int64 `json:"p50Ms" number:"true" doc:"The median, in milliseconds."`
	P95Ms int64 `json:"p95Ms" number:"true"`
	P99Ms int64 `json:"p99Ms" number:"true"`
}
