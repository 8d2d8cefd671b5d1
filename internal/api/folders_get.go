package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

// folderPath is the part of an input that identifies a folder.
type folderPath struct {
	teamPath
	FolderID crier.ID `path:"folderId"`
}

type getFolderInput struct{ folderPath }

var getFolderDoc = doc{ID: "getFolder", Tag: "Media library", Summary: "Get a folder"}

func (s *Server) getFolder(ctx context.Context, scope access.TeamScope, in *getFolderInput) (crier.Folder, error) {
	return s.services.Folders.Get(ctx, scope, in.FolderID)
}
