package api

import (
	"context"
	"net/http"

	"crier"
	"crier/internal/access"
)

type createUploadInput struct {
	teamPath
	Body crier.UploadCreate
}

var createUploadDoc = doc{
	ID: "createUpload", Tag: "Media library", Summary: "Start a resumable upload", Status: http.StatusCreated,
	Costs: true,
	Description: "For large files and unreliable connections. Send the chunks in order with `PUT " +
		"…/uploads/{uploadId}`, each where the last one ended; after an interruption, `nextByteStart` of `GET " +
		"…/uploads/{uploadId}` is where to resume. Then `POST …/complete`.",
}

func (s *Server) createUpload(ctx context.Context, scope access.TeamScope, in *createUploadInput) (crier.Upload,
	error) {
	return s.services.Uploads.Create(ctx, scope, in.Body)
}
