package api

import (
	"context"
	"net/http"

	"crier"
	"crier/internal/access"
)

type createFolderInput struct {
	teamPath
	Body crier.FolderCreate
}

var createFolderDoc = doc{
	ID: "createFolder", Tag: "Media library", Summary: "Create a folder", Status: http.StatusCreated,
	Description: "Folders can be nested 10 levels deep. A name that already exists there, ignoring case, is a " +
		"409.",
}

func (s *Server) createFolder(ctx context.Context, scope access.TeamScope, in *createFolderInput) (crier.Folder,
	error) {
	return s.services.Folders.Create(ctx, scope, in.Body)
}
