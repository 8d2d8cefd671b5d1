package api

import (
	"context"
	"fmt"

	"crier"
	"crier/internal/service"
)

type listFoldersInput struct {
	teamPath
	listQuery
	ParentID string `query:"parentId" doc:"Only the folders in this folder; none for those at the top."`

	filter service.FolderFilter
}

var listFoldersDoc = doc{ID: "listFolders", Tag: "Media library", Summary: "List a team's folders", Sorts: service.FolderSorts}

func (in *listFoldersInput) check(s *Server) []crier.Issue {
	var issues []crier.Issue
	in.filter.Parent, in.filter.AtTop, issues = folderFilter(in.ParentID, "parentId")
	return append(issues, in.open(s, fmt.Sprintf("folders of %s %q", in.TeamID, in.ParentID), service.FolderSorts)...)
}

func (s *Server) listFolders(ctx context.Context, scope service.TeamScope, in *listFoldersInput) (crier.Page[crier.Folder], error) {
	return s.services.Folders.List(ctx, scope, in.filter, in.page)
}
