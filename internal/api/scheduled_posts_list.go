package api

import (
	"context"

	"crier"
	"crier/internal/access"
	"crier/internal/service"
)

type listScheduledPostsInput struct {
	teamPath
	Status          string     `query:"status" maxLength:"1000" doc:"Comma-separated: scheduled, publishing, processing, published, failed, canceled, missed, unknown. Without it, all but canceled."`
	Provider        string     `query:"provider" maxLength:"1000" doc:"Comma-separated networks."`
	SocialAccountID string     `query:"socialAccountId" maxLength:"4000" doc:"Comma-separated ids. At most 100."`
	PostID          crier.ID   `query:"postId"`
	From            crier.Time `query:"from" doc:"scheduledAt is at or after this."`
	To              crier.Time `query:"to" doc:"scheduledAt is before this."`
	NeedsAttention  string     `query:"needsAttention" enum:"true,false" doc:"true lists scheduled posts that failed, were missed, have an unknown outcome or a failed action, and were not dismissed."`
	listQuery

	filter service.ScheduledPostFilter
}

var listScheduledPostsDoc = doc{
	ID: "listScheduledPosts", Tag: "Publishing", Summary: "List scheduled posts", Sorts: service.ScheduledPostSorts,
	Description: "One entry per post and account. Filters are combined with and; the values of one filter with " +
		"or. Canceled ones are listed only if `status` includes them.",
}

func (in *listScheduledPostsInput) check(s *Server) []crier.Issue {
	f := &in.filter
	var issues []crier.Issue
	note := func(found []crier.Issue) { issues = append(issues, found...) }
	note(into(&f.Statuses)(enumList("status", in.Status, crier.ScheduledPostStatuses())))
	note(into(&f.Providers)(enumList("provider", in.Provider, crier.Providers())))
	note(into(&f.SocialAccountIDs)(idList("socialAccountId", in.SocialAccountID)))
	f.PostID, f.Scheduled.From, f.Scheduled.To = in.PostID, orNil(in.From), orNil(in.To)
	note(rangeIssues("from", "to", f.Scheduled.From, f.Scheduled.To))
	if in.NeedsAttention != "" {
		needs := in.NeedsAttention == "true"
		f.NeedsAttention = &needs
	}
	return append(issues, in.open(s, f.ListName(in.TeamID), service.ScheduledPostSorts)...)
}

func (s *Server) listScheduledPosts(ctx context.Context, scope access.TeamScope,
	in *listScheduledPostsInput) (crier.Page[crier.ScheduledPost], error) {
	return s.services.ScheduledPosts.List(ctx, scope, in.filter, in.page)
}
