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
	Description: "Folders lie at most 10 deep. A name that the place has already, in whatever case, is a 409.",
}

func (s *Server) createFolder(ctx context.Context, scope access.TeamScope, in *createFolderInput) (crier.Folder,
	error) {
	return s.services.Folders.Create(ctx, scope, in.Body)
}
