package api

import (
	"context"
	"net/http"

	"crier"
	"crier/internal/access"
)

// postPath is the part of an input that identifies a post.
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
	Description: "All fields are optional: a draft may be empty. `postInput` takes precedence over `text` and is " +
		"needed for threads. Without `postType` the type is inferred from the media: one image `text_image`, two " +
		"or more `carousel`, one video `text_video`, none `text_post`. Media that cannot be combined are " +
		"rejected at once; a `carousel` with a single photo only when it is scheduled. A draft may have assets " +
		"that are still being processed.",
}

func (s *Server) createPost(ctx context.Context, scope access.TeamScope, in *createPostInput) (crier.Post, error) {
	return s.services.Posts.Create(ctx, scope, in.Body)
}
