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
	Description: "A 409 that tells `nextByteStart` while bytes are missing. Done again, it answers with the same " +
		"asset. A file that is refused is removed " +
		"together with its upload.",
}

func (s *Server) completeUpload(ctx context.Context, scope access.TeamScope, in *completeUploadInput) (crier.Asset,
	error) {
	return s.services.Uploads.Complete(ctx, scope, in.UploadID)
}
