package service

import (
	"context"

	"crier"
	"crier/internal/access"
	"crier/internal/pagination"
	"crier/internal/store"
)

// VersionSorts are the orders that versions can be listed in; the first is the default.
var VersionSorts = []string{"createdAt"}

// Versions returns one page of the versions of a post's content.
func (s *Posts) Versions(ctx context.Context, scope access.TeamScope, post crier.ID,
	q pagination.Query) (crier.Page[crier.PostVersion], error) {
	var none crier.Page[crier.PostVersion]
	if err := scope.Check(); err != nil {
		return none, err
	}
	head, err := s.store.Post(ctx, scope.Team().ID, post, false)
	if err != nil {
		return none, err
	}
	rows, err := s.store.PayloadPage(ctx, post, q.Rows())
	if err != nil {
		return none, err
	}
	total, err := s.store.PayloadCount(ctx, post)
	if err != nil {
		return none, err
	}
	versions, err := s.shownVersions(ctx, head, rows.Rows)
	if err != nil {
		return none, err
	}
	page := pagination.PageOf(s.pages, q, rows, total,
		func(y store.Payload) crier.PostVersion { return versions[y.ID] })
	return page, nil
}

// Version returns one version of a post's content.
func (s *Posts) Version(ctx context.Context, scope access.TeamScope, post, id crier.ID) (crier.PostVersion, error) {
	if err := scope.Check(); err != nil {
		return crier.PostVersion{}, err
	}
	head, err := s.store.Post(ctx, scope.Team().ID, post, false)
	if err != nil {
		return crier.PostVersion{}, err
	}
	found, err := s.store.Payloads(ctx, []crier.ID{id})
	if err != nil {
		return crier.PostVersion{}, err
	}
	y, ok := found[id]
	if !ok || y.PostID != post {
		return crier.PostVersion{}, crier.NotFound("There is no version %s of this post.", id)
	}
	versions, err := s.shownVersions(ctx, head, []store.Payload{y})
	return versions[id], err
}

// shownVersions are versions of a post as the API shows them, by id.
func (s *Posts) shownVersions(ctx context.Context, head store.Post, list []store.Payload) (
	map[crier.ID]crier.PostVersion, error) {
	posts := make([]store.Post, len(list))
	for i := range list {
		posts[i].TeamID, posts[i].PostInput, posts[i].AssetIDs = head.TeamID, &list[i].PostInput,
			list[i].PostInput.AssetIDs()
	}
	if err := s.store.AddAssetFacts(ctx, posts); err != nil {
		return nil, err
	}
	shown := make(map[crier.ID]crier.PostVersion, len(list))
	for i, y := range list {
		p := s.shownPost(posts[i])
		shown[y.ID] = crier.PostVersion{ContentPayloadID: y.ID, PostID: y.PostID, Version: y.Version,
			Current: y.ID == head.ContentPayloadID, Text: y.Text, AssetIDs: p.AssetIDs, PostInput: p.PostInput,
			CreatedAt: y.CreatedAt}
	}
	return shown, nil
}

// autosaves reports whether a change of a post's content replaces the last version instead of adding one: it is a
// draft's, the same credential began it minutes ago, and nothing was ever scheduled with it.
func (s *Posts) autosaves(ctx context.Context, tx *store.Tx, scope access.TeamScope, before store.Post,
	now crier.Time) (bool, error) {
	if before.Status != crier.PostDraft && before.Status != crier.PostIdea {
		return false, nil
	}
	return tx.Replaceable(ctx, before.ID, before.ContentPayloadID, scope.Caller().CredentialID(),
		crier.TimeOf(now.Add(-crier.AutosaveWindow)))
}
