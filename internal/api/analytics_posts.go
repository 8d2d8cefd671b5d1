package api

import (
	"context"
	"fmt"

	"crier"
	"crier/internal/access"
	"crier/internal/analytics"
)

type listAnalyticsPostsInput struct {
	analyticsQuery
	listQuery

	// each reads the whole ranking, for a table.
	each func(func(crier.AnalyticsPost) error) error
}

var listAnalyticsPostsDoc = doc{
	ID: "listAnalyticsPosts", Tag: "Analytics", Summary: "Rank posts", Sorts: analytics.PostSorts, CSV: true,
	Long: true,
	Description: "Posts that were published in the window, one entry per account, by the last reading of the " +
		"metric. In descending order, posts without a value come last. Deleted posts are not ranked. As CSV the " +
		"ranking is not paged: it is sent as a whole, starting at the cursor if there is one.",
}

func (in *listAnalyticsPostsInput) check(s *Server) []crier.Issue {
	issues := in.analyticsQuery.check(s)
	name := fmt.Sprintf("analytics %s %s %s %s %s %s %s", in.TeamID, in.From, in.To, in.Timezone, in.Provider,
		in.SocialAccountID, in.PostType)
	return append(issues, in.open(s, name, analytics.PostSorts)...)
}

func (s *Server) listAnalyticsPosts(ctx context.Context, scope access.TeamScope,
	in *listAnalyticsPostsInput) (crier.Page[crier.AnalyticsPost], error) {
	if in.Format == formatCSV {
		in.each = func(fn func(crier.AnalyticsPost) error) error {
			return s.services.Analytics.EachPost(ctx, scope, in.query, in.page, fn)
		}
		return crier.Page[crier.AnalyticsPost]{}, nil
	}
	return s.services.Analytics.Posts(ctx, scope, in.query, in.page)
}

// rows are the lines of the table.
func (in *listAnalyticsPostsInput) rows(write func(row []string) error) error {
	if err := write(postColumns); err != nil {
		return err
	}
	return in.each(func(p crier.AnalyticsPost) error { return write(postRow(p)) })
}
