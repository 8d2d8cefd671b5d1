package api

import (
	"context"
	"net/http"

	"crier"
	"crier/internal/access"
)

type completeUploadInput struct{ uploadPath }

var completeUploadDoc = doc{
	ID: "completeUpload", Tag: "Media library", Summary: "Complete an upload", Status: http.StatusCreated,
	Long: true, Costs: true,
	Description: "A 409 with `nextByteStart` while bytes are missing. Repeating it returns the same asset. A " +
		"rejected file is removed together with its upload.",
}

func (s *Server) completeUpload(ctx context.Context, scope access.TeamScope, in *completeUploadInput) (crier.Asset,
	error) {
	return s.services.Uploads.Complete(ctx, scope, in.UploadID)
}
