package api

import (
	"context"
	"net/http"

	"crier"
	"crier/internal/service"
)

type createUploadInput struct {
	teamPath
	Body crier.UploadCreate
}

var createUploadDoc = doc{
	ID: "createUpload", Tag: "Media library", Summary: "Begin to upload a file in pieces", Status: http.StatusCreated,
	Description: "For large files and unsteady lines. Send the pieces in order with `PUT …/uploads/{uploadId}`, each where the last one ended; after " +
		"an interruption of either side `GET …/uploads/{uploadId}` tells in `nextByteStart` where to go on. Then `POST …/complete`.",
}

func (s *Server) createUpload(ctx context.Context, scope service.TeamScope, in *createUploadInput) (crier.Upload, error) {
	return s.services.Uploads.Create(ctx, scope, in.Body)
}
