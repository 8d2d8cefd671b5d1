package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type deleteFolderInput struct{ folderPath }

var deleteFolderDoc = doc{
	ID: "deleteFolder", Tag: "Media library", Summary: "Delete an empty folder",
	Description: "A folder that is not empty is a 409. Uploads in progress only lose their folder.",
}

func (s *Server) deleteFolder(ctx context.Context, scope access.TeamScope, in *deleteFolderInput) (crier.Deleted,
	error) {
	return s.services.Folders.Delete(ctx, scope, in.FolderID)
}
