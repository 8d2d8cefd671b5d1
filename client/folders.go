package client

import (
	"context"
	"net/http"

	"crier"
)

func foldersPath(team crier.ID) string { return teamPath(team) + "/folders" }

// ListFolders returns a page of the folders of the media library.
func (c *Client) ListFolders(ctx context.Context, team crier.ID, o ListOptions) (crier.Page[crier.Folder], error) {
	return get[crier.Page[crier.Folder]](ctx, c, foldersPath(team), o.query())
}

// CreateFolder creates a folder.
func (c *Client) CreateFolder(ctx context.Context, team crier.ID, in crier.FolderCreate) (crier.Folder, error) {
	return change[crier.Folder](ctx, c, http.MethodPost, foldersPath(team), in)
}

// GetFolder returns a folder.
func (c *Client) GetFolder(ctx context.Context, team, id crier.ID) (crier.Folder, error) {
	return get[crier.Folder](ctx, c, foldersPath(team)+"/"+string(id), nil)
}

// UpdateFolder changes a folder.
func (c *Client) UpdateFolder(ctx context.Context, team, id crier.ID, in crier.FolderUpdate) (crier.Folder, error) {
	return change[crier.Folder](ctx, c, http.MethodPatch, foldersPath(team)+"/"+string(id), in)
}

// DeleteFolder deletes an empty folder.
func (c *Client) DeleteFolder(ctx context.Context, team, id crier.ID) (crier.Deleted, error) {
	return change[crier.Deleted](ctx, c, http.MethodDelete, foldersPath(team)+"/"+string(id), nil)
}
