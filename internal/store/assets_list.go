package store

import (
	"context"
	"fmt"

	"crier"
)

// AssetFilter filters the list of a team's assets. Zero fields do not filter.
type AssetFilter struct {
	Folder crier.ID
	// NoFolder selects the assets that are in no folder.
	NoFolder bool
	Status   string
	Kind     string
	// NamePrefix is a case-insensitive prefix of the file name.
	NamePrefix string
}

// highest sorts after every character of a file name.
const highest = "\U0010FFFF"

// branch returns the filter as a condition.
func (f AssetFilter) branch(team crier.ID) branch {
	b := branch{where: "a.team_id = ? AND a.deleted_at IS NULL", args: []any{team}}
	add := func(condition string, args ...any) {
		b.where += " AND " + condition
		b.args = append(b.args, args...)
	}
	if f.Folder != "" {
		add("a.folder_id = ?", f.Folder)
	}
	if f.NoFolder {
		add("a.folder_id IS NULL")
	}
	if f.Status != "" {
		add("a.status = ?", f.Status)
	}
	if f.Kind != "" {
		add("a.kind = ?", f.Kind)
	}
	if f.NamePrefix != "" {
		prefix := nameKey(f.NamePrefix)
		add("a.name_key >= ? AND a.name_key <= ?", prefix, prefix+highest)
	}
	return b
}

var assetSorts = map[string]string{
	"createdAt": "a.created_at", "updatedAt": "a.updated_at", "fileName": "a.name_key", "byteSize": "a.byte_size",
}

func assetKey(a Asset, sort string) Key {
	switch sort {
	case "updatedAt":
		return Key{Value: a.UpdatedAt, ID: a.ID}
	case "fileName":
		return Key{Value: nameKey(a.FileName), ID: a.ID}
	case "byteSize":
		return Key{Value: a.ByteSize, ID: a.ID}
	}
	return Key{Value: a.CreatedAt, ID: a.ID}
}

// Assets reads one page of a team's assets.
func (r reads) Assets(ctx context.Context, team crier.ID, f AssetFilter, q PageQuery) (PageRows[Asset], error) {
	list := listing[Asset]{
		columns: assetColumns, from: "assets a", id: "a.id", sorts: assetSorts,
		branches: []branch{f.branch(team)}, scan: scanAsset, key: assetKey,
	}
	page, err := list.page(ctx, r, q)
	if err != nil {
		return page, fmt.Errorf("list assets: %w", err)
	}
	return page, nil
}

// AssetCount counts the assets of a team that pass a filter; without a filter it reads the team's counter.
func (r reads) AssetCount(ctx context.Context, team crier.ID, f AssetFilter) (int64, error) {
	query, args := `SELECT asset_count FROM teams WHERE id = $1`, []any{team}
	if f != (AssetFilter{}) {
		b := f.branch(team)
		query, args = `SELECT count(*) FROM assets a WHERE `+bind(b.where, 0), b.args
	}
	var n int64
	if err := r.q.QueryRowContext(ctx, query, args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count assets: %w", err)
	}
	return n, nil
}
