package library

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"crier"
	"crier/internal/access"
	"crier/internal/job"
	"crier/internal/media"
	"crier/internal/pagination"
	"crier/internal/provider"
	"crier/internal/publish"
	"crier/internal/store"
)

// AssetSorts are the sort orders of asset lists; the first is the default.
var AssetSorts = []string{"createdAt", "updatedAt", "fileName", "byteSize"}

// Assets implements the assets of the media library.
type Assets struct {
	store     *store.Store
	writes    *access.Idempotency
	providers *provider.Registry
	engine    *publish.Engine
	queue     job.Queue
	blobs     media.Blobs
	addresses *media.Addresses
	clock     crier.Clock
	log       *slog.Logger
	pages     *pagination.Cursors
	images    *media.Images
	fetcher   media.Fetcher
	quota     int64
	// quickPixels is Config.QuickPixels.
	quickPixels int
}

// AssetFilter narrows the list of assets.
type AssetFilter = store.AssetFilter

// List returns one page of a team's assets.
func (s *Assets) List(ctx context.Context, scope access.TeamScope, filter AssetFilter,
	q pagination.Query) (crier.Page[crier.Asset],
	error) {
	var none crier.Page[crier.Asset]
	if err := scope.Check(); err != nil {
		return none, err
	}
	rows, err := s.store.Assets(ctx, scope.Team().ID, filter, q.Rows())
	if err != nil {
		return none, err
	}
	total, err := s.store.AssetCount(ctx, scope.Team().ID, filter)
	if err != nil {
		return none, err
	}
	shown := make(map[crier.ID]crier.Asset, len(rows.Rows))
	for _, a := range rows.Rows {
		if shown[a.ID], err = s.shown(a); err != nil {
			return none, err
		}
	}
	return pagination.PageOf(s.pages, q, rows, total, func(a store.Asset) crier.Asset { return shown[a.ID] }), nil
}

// Get returns one asset.
func (s *Assets) Get(ctx context.Context, scope access.TeamScope, id crier.ID) (crier.Asset, error) {
	if err := scope.Check(); err != nil {
		return crier.Asset{}, err
	}
	a, err := s.store.Asset(ctx, scope.Team().ID, id)
	if err != nil {
		return crier.Asset{}, err
	}
	return s.shown(a)
}

// shown returns an asset as the API shows it.
func (s *Assets) shown(a store.Asset) (crier.Asset, error) {
	facts, err := media.DecodeFacts(a.Facts)
	if err != nil {
		return a.Asset, err
	}
	if facts.Thumbnail {
		address := s.addresses.Thumbnail(a.ID)
		a.ThumbnailURL = &address
	}
	a.Compatibility = s.compatibility(a, facts)
	return a.Asset, nil
}

// Update changes the name, folder or alt text of an asset.
func (s *Assets) Update(ctx context.Context, scope access.TeamScope, id crier.ID, in crier.AssetUpdate) (crier.Asset,
	error) {
	if err := scope.Check(); err != nil {
		return crier.Asset{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.Asset, error) {
		a, err := tx.LockAsset(ctx, scope.Team().ID, id)
		if err != nil {
			return a.Asset, err
		}
		if in.FileName.Set {
			a.FileName = string(in.FileName.Value)
		}
		if in.AltText.Set && crier.Text(a.AltText) != crier.Text(in.AltText.Ptr()) {
			if err := mayDescribe(ctx, tx, scope, id); err != nil {
				return a.Asset, err
			}
		}
		if in.AltText.Set {
			a.AltText = in.AltText.Ptr()
		}
		if in.FolderID.Set {
			a.FolderID = in.FolderID.Ptr()
			if err := checkFolder(ctx, tx, scope.Team().ID, a.FolderID); err != nil {
				return a.Asset, err
			}
		}
		a.UpdatedAt = s.clock.Now()
		if err := tx.UpdateAsset(ctx, a); err != nil {
			return a.Asset, err
		}
		return s.shown(a)
	})
}

// mayDescribe returns an error if the alt text of an asset was approved with a post and the caller may not approve:
// posts are published with the present alt texts of their media.
func mayDescribe(ctx context.Context, tx *store.Tx, scope access.TeamScope, id crier.ID) error {
	if !scope.Team().RequireApproval || scope.Can(crier.ApprovePosts) {
		return nil
	}
	post, err := tx.ApprovedWith(ctx, scope.Team().ID, id)
	if err != nil || post == nil {
		return err
	}
	return crier.Forbidden("This team publishes what was approved, and the alt text of the asset %s was approved with "+
		"the post %s: changing it needs the permission %s.", id, *post, crier.ApprovePosts)
}

// checkFolder returns an error if the team does not have the folder, and locks it until the transaction ends.
func checkFolder(ctx context.Context, tx *store.Tx, team crier.ID, folder *crier.ID) error {
	if folder == nil {
		return nil
	}
	_, err := tx.ShareFolder(ctx, team, *folder)
	if crier.IsKind(err, crier.KindNotFound) {
		return crier.Invalid(crier.At(fmt.Sprintf("there is no folder %s in this team", *folder), "folderId"))
	}
	return err
}

// Delete hides an asset at once; its files are removed permanently after thirty days. Posts keep referring to it,
// without its tags.
func (s *Assets) Delete(ctx context.Context, scope access.TeamScope, id crier.ID) (crier.Deleted, error) {
	if err := scope.Check(); err != nil {
		return crier.Deleted{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.Deleted, error) {
		a, err := tx.LockAsset(ctx, scope.Team().ID, id)
		if err != nil {
			return crier.Deleted{}, err
		}
		used, err := tx.AssetInUse(ctx, scope.Team().ID, id)
		if err != nil {
			return crier.Deleted{}, err
		}
		if used {
			return crier.Deleted{},
				crier.Conflict("Asset %s is needed by a post that is scheduled or being published. "+
					"Move the post to draft, or give it another asset, then delete this one.", id)
		}
		if err := tx.DeleteAsset(ctx, a, s.clock.Now()); err != nil {
			return crier.Deleted{}, err
		}
		return crier.Deleted{Deleted: true}, s.retagPosts(ctx, tx, a)
	})
}

// retagPosts enqueues the update of the posts that use an asset whose tags changed.
func (s *Assets) retagPosts(ctx context.Context, tx *store.Tx, a store.Asset) error {
	if len(a.AssetTags) == 0 {
		return nil
	}
	return s.queue.Enqueue(ctx, tx, job.Job{Args: job.RetagPosts{AssetID: a.ID, TeamID: a.TeamID}})
}

// withFacts sets the columns of an asset from the facts of its file.
func withFacts(a *store.Asset, facts media.Facts) error {
	data, err := json.Marshal(facts)
	if err != nil {
		return fmt.Errorf("encode the facts of asset %s: %w", a.ID, err)
	}
	a.Facts = data
	return nil
}
