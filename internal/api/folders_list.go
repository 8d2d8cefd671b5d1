package api

import (
	"context"
	"fmt"

	"crier"
	"crier/internal/access"
	"crier/internal/library"
)

type listFoldersInput struct {
	teamPath
	listQuery
	ParentID string `query:"parentId" doc:"Only the folders in this folder; none for the top level."`

	filter library.FolderFilter
}

var listFoldersDoc = doc{ID: "listFolders", Tag: "Media library", Summary: "List folders",
	Sorts: library.FolderSorts}

func (in *listFoldersInput) check(s *Server) []crier.Issue {
	var issues []crier.Issue
	in.filter.Parent, in.filter.AtTop, issues = folderFilter(in.ParentID, "parentId")
	return append(issues, in.open(s, fmt.Sprintf("folders of %s %q", in.TeamID, in.ParentID), library.FolderSorts)...)
}

func (s *Server) listFolders(ctx context.Context, scope access.TeamScope,
	in *listFoldersInput) (crier.Page[crier.Folder], error) {
	return s.services.Folders.List(ctx, scope, in.filter, in.page)
}
