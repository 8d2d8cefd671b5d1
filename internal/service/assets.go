package service

import (
	"context"
	"encoding/json"
	"fmt"

	"crier"
	"crier/internal/media"
	"crier/internal/store"
)

// Assets are the rules of the media library.
type Assets struct {
	*core
	pages   *Pages
	images  *media.Images
	fetcher media.Fetcher
}

// AssetFilter narrows the list of assets.
type AssetFilter = store.AssetFilter

// List returns one page of a team's assets.
func (s *Assets) List(ctx context.Context, scope TeamScope, filter AssetFilter, q PageQuery) (crier.Page[crier.Asset], error) {
	var none crier.Page[crier.Asset]
	if err := scope.check(); err != nil {
		return none, err
	}
	rows, err := s.store.Assets(ctx, scope.team.ID, filter, q.query)
	if err != nil {
		return none, err
	}
	total, err := s.store.AssetCount(ctx, scope.team.ID, filter)
	if err != nil {
		return none, err
	}
	shown := make(map[crier.ID]crier.Asset, len(rows.Rows))
	for _, a := range rows.Rows {
		if shown[a.ID], err = s.shown(a); err != nil {
			return none, err
		}
	}
	return pageOf(s.pages, q, rows, total, func(a store.Asset) crier.Asset { return shown[a.ID] }), nil
}

// Get returns one asset.
func (s *Assets) Get(ctx context.Context, scope TeamScope, id crier.ID) (crier.Asset, error) {
	if err := scope.check(); err != nil {
		return crier.Asset{}, err
	}
	a, err := s.store.Asset(ctx, scope.team.ID, id)
	if err != nil {
		return crier.Asset{}, err
	}
	return s.shown(a)
}

// shown is an asset as the interface shows it.
func (s *Assets) shown(a store.Asset) (crier.Asset, error) {
	facts, err := factsOf(a)
	if err != nil {
		return a.Asset, err
	}
	if facts.Thumbnail {
		address := s.thumbnailURL(a.ID)
		a.ThumbnailURL = &address
	}
	a.Compatibility = s.compatibility(a, facts)
	return a.Asset, nil
}

// Update changes the name, the folder or the alternative text of an asset.
func (s *Assets) Update(ctx context.Context, scope TeamScope, id crier.ID, in crier.AssetUpdate) (crier.Asset, error) {
	if err := scope.check(); err != nil {
		return crier.Asset{}, err
	}
	return write(ctx, s.core, func(tx *store.Tx) (crier.Asset, error) {
		a, err := tx.LockAsset(ctx, scope.team.ID, id)
		if err != nil {
			return a.Asset, err
		}
		if in.FileName.Set {
			a.FileName = string(in.FileName.Value)
		}
		if in.AltText.Set {
			a.AltText = in.AltText.Ptr()
		}
		if in.FolderID.Set {
			a.FolderID = in.FolderID.Ptr()
			if err := checkFolder(ctx, tx, scope.team.ID, a.FolderID); err != nil {
				return a.Asset, err
			}
		}
		a.UpdatedAt = s.now()
		if err := tx.UpdateAsset(ctx, a); err != nil {
			return a.Asset, err
		}
		return s.shown(a)
	})
}

// checkFolder refuses a folder that the team does not have, and keeps the one it has until the transaction ends.
func checkFolder(ctx context.Context, tx *store.Tx, team crier.ID, folder *crier.ID) error {
	if folder == nil {
		return nil
	}
	_, err := tx.ShareFolder(ctx, team, *folder)
	if isNotFound(err) {
		return crier.Invalid(crier.At(fmt.Sprintf("there is no folder %s in this team", *folder), "folderId"))
	}
	return err
}

// Delete hides an asset at once; its files are removed for good after thirty days. Posts keep naming it, without its tags.
func (s *Assets) Delete(ctx context.Context, scope TeamScope, id crier.ID) (crier.Deleted, error) {
	if err := scope.check(); err != nil {
		return crier.Deleted{}, err
	}
	return write(ctx, s.core, func(tx *store.Tx) (crier.Deleted, error) {
		a, err := tx.LockAsset(ctx, scope.team.ID, id)
		if err != nil {
			return crier.Deleted{}, err
		}
		used, err := tx.AssetInUse(ctx, scope.team.ID, id)
		if err != nil {
			return crier.Deleted{}, err
		}
		if used {
			return crier.Deleted{}, crier.Conflict("Asset %s is needed by a post that is scheduled or being published. "+
				"Move the post to draft, or give it another asset, then delete this one.", id)
		}
		if err := tx.DeleteAsset(ctx, a, s.now()); err != nil {
			return crier.Deleted{}, err
		}
		return crier.Deleted{Deleted: true}, s.retagPosts(ctx, tx, a)
	})
}

// retagPosts has the posts with an asset told that its tags have changed.
func (c *core) retagPosts(ctx context.Context, tx *store.Tx, a store.Asset) error {
	if len(a.AssetTags) == 0 {
		return nil
	}
	return c.queue.Enqueue(ctx, tx, Job{Args: RetagPostsJob{AssetID: a.ID}})
}

// withFacts puts what is known about a file into its row.
func withFacts(a *store.Asset, facts assetFacts) error {
	data, err := json.Marshal(facts)
	if err != nil {
		return fmt.Errorf("encode the facts of asset %s: %w", a.ID, err)
	}
	a.Facts = data
	return nil
}
