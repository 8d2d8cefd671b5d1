package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type setPostStatusInput struct {
	postPath
	IfMatch crier.VersionMatch `header:"If-Match" required:"false" doc:"The contentPayloadId that was seen, in double quotes. If it is not the current version: 412, and nothing is changed."`
	Body    crier.PostStatusUpdate
}

var setPostStatusDoc = doc{
	ID: "setPostStatus", Tag: "Posts", Summary: "Change a post's status",
	Description: "Allowed: idea → draft, proposed_render, archived; proposed_render → draft, rejected; draft → " +
		"approved, rejected, idea, archived; rejected → draft, archived; approved → draft, archived; archived → " +
		"draft. Anything else is a 409. Leaving `approved` cancels the scheduled posts; moving to `archived` or " +
		"`rejected` also cancels the follow-up comments and reposts of what is published. In a team that requires " +
		"approval, approving needs the permission `approve_posts`.",
}

func (s *Server) setPostStatus(ctx context.Context, scope access.TeamScope, in *setPostStatusInput) (crier.Post,
	error) {
	return s.services.Posts.SetStatusMatching(ctx, scope, in.PostID, in.IfMatch, in.Body)
}
