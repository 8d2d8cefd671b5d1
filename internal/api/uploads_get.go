package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

// uploadPath is the part of an input that identifies an upload.
type uploadPath struct {
	teamPath
	UploadID crier.ID `path:"uploadId"`
}

type getUploadInput struct{ uploadPath }

var getUploadDoc = doc{
	ID: "getUpload", Tag: "Media library", Summary: "Get an upload's progress",
	Description: "`nextByteStart` is the number of bytes that are durably stored.",
}

func (s *Server) getUpload(ctx context.Context, scope access.TeamScope, in *getUploadInput) (crier.Upload, error) {
	return s.services.Uploads.Get(ctx, scope, in.UploadID)
}

// aliasOf describes the same operation at a second path.
func aliasOf(d doc) doc {
	d.ID += "Alias"
	d.Summary += " (alias)"
	d.Description = "The same as the operation under `/v1/teams/{teamId}/assets/uploads`. " + d.Description
	return d
}
