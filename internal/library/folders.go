package library

import (
	"context"
	"fmt"
	"slices"

	"crier"
	"crier/internal/access"
	"crier/internal/pagination"
	"crier/internal/store"
)

// maxFolderDepth bounds the nesting of folders.
const maxFolderDepth = 10

// FolderSorts are the sort orders of folder lists; the first is the default.
var FolderSorts = []string{"createdAt", "updatedAt", "name"}

// Folders implements the folders of the media library.
type Folders struct {
	store  *store.Store
	writes *access.Idempotency
	clock  crier.Clock
	pages  *pagination.Cursors
}

// FolderFilter narrows the list of folders.
type FolderFilter = store.FolderFilter

// List returns one page of a team's folders.
func (s *Folders) List(ctx context.Context, scope access.TeamScope, filter FolderFilter,
	q pagination.Query) (crier.Page[crier.Folder], error) {
	var none crier.Page[crier.Folder]
	if err := scope.Check(); err != nil {
		return none, err
	}
	rows, err := s.store.Folders(ctx, scope.Team().ID, filter, q.Rows())
	if err != nil {
		return none, err
	}
	total, err := s.store.FolderCount(ctx, scope.Team().ID, filter)
	if err != nil {
		return none, err
	}
	return pagination.Page(s.pages, q, rows, total), nil
}

// Get returns one folder.
func (s *Folders) Get(ctx context.Context, scope access.TeamScope, id crier.ID) (crier.Folder, error) {
	if err := scope.Check(); err != nil {
		return crier.Folder{}, err
	}
	return s.store.Folder(ctx, scope.Team().ID, id)
}

// Create creates a folder.
func (s *Folders) Create(ctx context.Context, scope access.TeamScope, in crier.FolderCreate) (crier.Folder, error) {
	if err := scope.Check(); err != nil {
		return crier.Folder{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.Folder, error) {
		if _, err := tx.LockTeam(ctx, scope.Team().ID); err != nil {
			return crier.Folder{}, err
		}
		now := s.clock.Now()
		f := crier.Folder{ID: crier.NewID(), TeamID: scope.Team().ID, ParentID: in.ParentID, Name: in.Name.Trimmed(),
			CreatedAt: now, UpdatedAt: now}
		if err := checkPlace(ctx, tx, f, 1); err != nil {
			return f, err
		}
		return f, tx.InsertFolder(ctx, f, store.FoldName(f.Name))
	})
}

// checkPlace rejects a place for a folder of some levels: under a missing parent, inside itself, or too deep. The team
// must be locked, so that two concurrent moves cannot create a cycle.
func checkPlace(ctx context.Context, tx *store.Tx, f crier.Folder, levels int) error {
	if f.ParentID == nil {
		return nil
	}
	if _, err := tx.ShareFolder(ctx, f.TeamID, *f.ParentID); crier.IsKind(err, crier.KindNotFound) {
		return crier.Invalid(crier.At(fmt.Sprintf("there is no folder %s in this team", *f.ParentID), "parentId"))
	} else if err != nil {
		return err
	}
	above, err := tx.FolderPath(ctx, *f.ParentID)
	switch {
	case err != nil:
		return err
	case slices.Contains(above, f.ID):
		return crier.Invalid(crier.At("a folder cannot be moved into itself or one of its own folders", "parentId"))
	case len(above)+levels > maxFolderDepth:
		return crier.Invalid(crier.At(fmt.Sprintf("folders can be nested at most %d levels deep; this would be %d",
			maxFolderDepth, len(above)+levels), "parentId"))
	}
	return nil
}

// Update renames or moves a folder.
func (s *Folders) Update(ctx context.Context, scope access.TeamScope, id crier.ID, in crier.FolderUpdate) (crier.Folder,
	error) {
	if err := scope.Check(); err != nil {
		return crier.Folder{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.Folder, error) {
		if _, err := tx.LockTeam(ctx, scope.Team().ID); err != nil {
			return crier.Folder{}, err
		}
		f, err := tx.LockFolder(ctx, scope.Team().ID, id)
		if err != nil {
			return f, err
		}
		if in.ParentID.Set {
			f.ParentID = in.ParentID.Ptr()
			levels, err := tx.FolderHeight(ctx, id)
			if err != nil {
				return f, err
			}
			if err := checkPlace(ctx, tx, f, levels); err != nil {
				return f, err
			}
		}
		if in.Name.Set {
			f.Name = in.Name.Value.Trimmed()
		}
		f.UpdatedAt = s.clock.Now()
		return f, tx.UpdateFolder(ctx, f, store.FoldName(f.Name))
	})
}

// Delete deletes an empty folder.
func (s *Folders) Delete(ctx context.Context, scope access.TeamScope, id crier.ID) (crier.Deleted, error) {
	if err := scope.Check(); err != nil {
		return crier.Deleted{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.Deleted, error) {
		if _, err := tx.LockTeam(ctx, scope.Team().ID); err != nil {
			return crier.Deleted{}, err
		}
		f, err := tx.LockFolder(ctx, scope.Team().ID, id)
		if err != nil {
			return crier.Deleted{}, err
		}
		folders, assets, err := tx.FolderHas(ctx, id)
		switch {
		case err != nil:
			return crier.Deleted{}, err
		case folders:
			return crier.Deleted{}, crier.Conflict("The folder has folders in it. Delete or move them first.")
		case assets:
			return crier.Deleted{}, crier.Conflict("The folder has assets in it. Delete or move them first.")
		}
		return crier.Deleted{Deleted: true}, tx.DeleteFolder(ctx, f)
	})
}
