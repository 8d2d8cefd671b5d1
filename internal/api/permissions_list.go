package api

import (
	"context"

	"crier"
	"crier/internal/service"
)

type listPermissionsInput struct{}

var listPermissionsDoc = doc{ID: "listPermissions", Tag: "Members", Summary: "List every permission and which roles hold it"}

func (s *Server) listPermissions(context.Context, service.CallerScope, *listPermissionsInput) (crier.PermissionCatalogue, error) {
	return crier.Catalogue(), nil
}
