package api

import (
	"context"

	"crier"
	"crier/internal/access"
	"crier/internal/service"
)

type listPostVersionsInput struct {
	postPath
	listQuery
}

var listPostVersionsDoc = doc{
	ID: "listPostVersions", Tag: "Posts", Summary: "List versions of a post", Sorts: service.VersionSorts,
	Description: "Earlier versions of the content. A version that was scheduled or published is never replaced.",
}

func (in *listPostVersionsInput) check(s *Server) []crier.Issue {
	return in.open(s, "versions of "+string(in.PostID), service.VersionSorts)
}

func (s *Server) listPostVersions(ctx context.Context, scope access.TeamScope,
	in *listPostVersionsInput) (crier.Page[crier.PostVersion], error) {
	return s.services.Posts.Versions(ctx, scope, in.PostID, in.page)
}

type getPostVersionInput struct {
	postPath
	ContentPayloadID crier.ID `path:"contentPayloadId"`
}

var getPostVersionDoc = doc{ID: "getPostVersion", Tag: "Posts", Summary: "Get a version of a post"}

func (s *Server) getPostVersion(ctx context.Context, scope access.TeamScope,
	in *getPostVersionInput) (crier.PostVersion, error) {
	return s.services.Posts.Version(ctx, scope, in.PostID, in.ContentPayloadID)
}
