package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type updateFolderInput struct {
	folderPath
	Body crier.FolderUpdate
}

var updateFolderDoc = doc{
	ID: "updateFolder", Tag: "Media library", Summary: "Update a folder",
	Description: "Omitted fields keep their value. A `parentId` of null moves the folder to the top level, with " +
		"its contents.",
}

func (s *Server) updateFolder(ctx context.Context, scope access.TeamScope, in *updateFolderInput) (crier.Folder,
	error) {
	return s.services.Folders.Update(ctx, scope, in.FolderID, in.Body)
}
