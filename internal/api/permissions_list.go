package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type listPermissionsInput struct{}

var listPermissionsDoc = doc{ID: "listPermissions", Tag: "Members",
	Summary: "List permissions and the roles that have them"}

func (s *Server) listPermissions(context.Context, access.CallerScope,
	*listPermissionsInput) (crier.PermissionCatalogue, error) {
	return crier.Catalogue(), nil
}
