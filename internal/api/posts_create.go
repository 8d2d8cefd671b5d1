package api

import (
	"context"
	"net/http"

	"crier"
	"crier/internal/access"
)

// postPath is the part of an input that every route about one post shares.
type postPath struct {
	teamPath
	PostID crier.ID `path:"postId"`
}

type createPostInput struct {
	teamPath
	Body crier.PostCreate `body:"optional"`
}

var createPostDoc = doc{
	ID: "createPost", Tag: "Posts", Summary: "Create a post", Status: http.StatusCreated,
	Description: "No field is needed: an empty draft is fine. `postInput` wins over `text` and is needed for " +
		"threads. Without `postType` the type " +
		"follows the media: one image `text_image`, two or more `carousel`, one video `text_video`, none " +
		"`text_post`. Media that do not go together " +
		"are refused at once; a `carousel` that has one photo yet only when it is scheduled. Assets that are still " +
		"being processed are fine in a draft.",
}

func (s *Server) createPost(ctx context.Context, scope access.TeamScope, in *createPostInput) (crier.Post, error) {
	return s.services.Posts.Create(ctx, scope, in.Body)
}
