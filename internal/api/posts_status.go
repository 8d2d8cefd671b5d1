package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type setPostStatusInput struct {
	postPath
	Body crier.PostStatusUpdate
}

var setPostStatusDoc = doc{
	ID: "setPostStatus", Tag: "Posts", Summary: "Change a post's status",
	Description: "Allowed: idea → draft, proposed_render, archived; proposed_render → draft, rejected; draft → " +
		"approved, rejected, idea, archived; rejected → draft, archived; approved → draft, archived; archived → " +
		"draft. Anything else is a 409. Leaving `approved` cancels the scheduled posts. In a team that requires " +
		"approval, approving needs the permission `approve_posts`.",
}

func (s *Server) setPostStatus(ctx context.Context, scope access.TeamScope, in *setPostStatusInput) (crier.Post,
	error) {
	return s.services.Posts.SetStatus(ctx, scope, in.PostID, in.Body)
}
