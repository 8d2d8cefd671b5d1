package api

import (
	"crier"
	"crier/internal/analytics"
)

// analyticsQuery is the common part of the inputs of analytics.
type analyticsQuery struct {
	teamPath
	From            crier.Date `query:"from" doc:"The first day, such as 2026-11-01; at most 399 days before to. Without it the window is 30 days long, of best times 90."`
	To              crier.Date `query:"to" doc:"The last day; today when absent."`
	Timezone        crier.Zone `query:"timezone" doc:"The zone of the days; the team's when absent, else UTC. Days of other zones than the team's are counted post by post: slower, and only for windows of at most 50,000 posts."`
	Provider        string     `query:"provider" maxLength:"1000" doc:"Comma-separated networks; all when absent."`
	SocialAccountID string     `query:"socialAccountId" maxLength:"4000" doc:"Comma-separated ids of accounts; all when absent. At most 100."`
	PostType        string     `query:"postType" maxLength:"1000" doc:"Comma-separated: text_post, text_image, text_video, carousel; all when absent."`
	Format          string     `query:"format" enum:"json,csv" default:"json" doc:"csv returns the same values as a table; missing values are empty cells."`

	query analytics.Query
}

func (in *analyticsQuery) check(*Server) []crier.Issue {
	q := &in.query
	q.From, q.To, q.Zone = in.From, in.To, in.Timezone
	issues := into(&q.Providers)(enumList("provider", in.Provider, crier.Providers()))
	issues = append(issues, into(&q.SocialAccountIDs)(idList("socialAccountId", in.SocialAccountID))...)
	return append(issues, into(&q.PostTypes)(enumList("postType", in.PostType, crier.PostTypes()))...)
}

// basisQuery selects which values are counted.
type basisQuery struct {
	Basis string `query:"basis" enum:"published,gained" default:"published" doc:"published: current values of the posts published in the window. gained: increases within the window, on posts of any age; an increase belongs to the day on which it was read."`
}
