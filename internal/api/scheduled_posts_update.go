package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type updateScheduledPostInput struct {
	scheduledPostPath
	Body crier.ScheduledPostUpdate
}

var updateScheduledPostDoc = doc{
	ID: "updateScheduledPost", Tag: "Publishing", Summary: "Update a scheduled post", Costs: true,
	Description: "Moves a post on one account, or changes its settings and follow-up actions. Omitted fields " +
		"keep their value; given ones replace the whole value; `null` removes it. A new time gives up the post's " +
		"slot. A recurrence counts from the new time. Once it is `publishing`, a change is a 409.",
}

func (in *updateScheduledPostInput) check(s *Server) []crier.Issue {
	return s.services.ScheduledPosts.CheckUpdate(in.Body)
}

func (s *Server) updateScheduledPost(ctx context.Context, scope access.TeamScope,
	in *updateScheduledPostInput) (crier.ScheduledPost, error) {
	return s.services.ScheduledPosts.Update(ctx, scope, in.ID, in.Body)
}
