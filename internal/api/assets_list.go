package api

import (
	"context"
	"fmt"

	"crier"
	"crier/internal/access"
	"crier/internal/library"
)

// none is the value of a folder filter for assets and folders that are in no folder.
const none = "none"

type listAssetsInput struct {
	teamPath
	listQuery
	FolderID string          `query:"folderId" doc:"Only the assets of this folder; none for those in no folder."`
	Status   string          `query:"status" enum:"processing,ready,failed" doc:"Only assets in this state."`
	Kind     crier.AssetKind `query:"kind" doc:"Only assets of this kind."`
	Q        string          `query:"q" maxLength:"255" doc:"Only assets whose file name has this prefix, ignoring case."`

	filter library.AssetFilter
}

var listAssetsDoc = doc{ID: "listAssets", Tag: "Media library", Summary: "List assets",
	Sorts: library.AssetSorts}

func (in *listAssetsInput) check(s *Server) []crier.Issue {
	in.filter = library.AssetFilter{Status: in.Status, Kind: string(in.Kind), NamePrefix: in.Q}
	var issues []crier.Issue
	in.filter.Folder, in.filter.NoFolder, issues = folderFilter(in.FolderID, "folderId")
	name := fmt.Sprintf("assets of %s %q", in.TeamID, []string{in.FolderID, in.Status, string(in.Kind), in.Q})
	return append(issues, in.open(s, name, library.AssetSorts)...)
}

// folderFilter parses a filter that is empty, the id of a folder, or none.
func folderFilter(given, parameter string) (id crier.ID, inNone bool, issues []crier.Issue) {
	if given == "" || given == none {
		return "", given == none, nil
	}
	id, ok := crier.ParseID(given)
	if !ok {
		issues = []crier.Issue{crier.At("must be the UUID of a folder, or "+none, parameter)}
	}
	return id, false, issues
}

func (s *Server) listAssets(ctx context.Context, scope access.TeamScope, in *listAssetsInput) (crier.Page[crier.Asset],
	error) {
	return s.services.Assets.List(ctx, scope, in.filter, in.page)
}
