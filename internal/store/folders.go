package store

import (
	"context"
	"fmt"

	"crier"
)

const folderColumns = `f.id, f.team_id, f.parent_id, f.name, f.created_at, f.updated_at`

func scanFolder(row scanner) (crier.Folder, error) {
	var f crier.Folder
	err := row.Scan(&f.ID, &f.TeamID, &f.ParentID, &f.Name, &f.CreatedAt, &f.UpdatedAt)
	return f, err
}

// FolderFilter filters the list of a team's folders. Zero fields do not filter.
type FolderFilter struct {
	Parent crier.ID
	// AtTop selects the folders without a parent.
	AtTop bool
}

func (f FolderFilter) branch(team crier.ID) branch {
	b := branch{where: "f.team_id = ?", args: []any{team}}
	if f.Parent != "" {
		b.where += " AND f.parent_id = ?"
		b.args = append(b.args, f.Parent)
	}
	if f.AtTop {
		b.where += " AND f.parent_id IS NULL"
	}
	return b
}

var folderSorts = map[string]string{"createdAt": "f.created_at", "updatedAt": "f.updated_at", "name": "f.name_key"}

// Folders reads one page of a team's folders.
func (r reads) Folders(ctx context.Context, team crier.ID, filter FolderFilter, q PageQuery) (PageRows[crier.Folder],
	error) {
	list := listing[crier.Folder]{
		columns: folderColumns, from: "folders f", id: "f.id", sorts: folderSorts,
		branches: []branch{filter.branch(team)}, scan: scanFolder,
		key: func(f crier.Folder, sort string) Key {
			return Key{Value: sortValue(sort, f.CreatedAt, f.UpdatedAt, f.Name), ID: f.ID}
		},
	}
	page, err := list.page(ctx, r, q)
	if err != nil {
		return page, fmt.Errorf("list folders: %w", err)
	}
	return page, nil
}

// FolderCount counts the folders of a team that pass a filter; without a filter it reads the team's counter.
func (r reads) FolderCount(ctx context.Context, team crier.ID, filter FolderFilter) (int64, error) {
	query, args := `SELECT folder_count FROM teams WHERE id = $1`, []any{team}
	if filter != (FolderFilter{}) {
		b := filter.branch(team)
		query, args = `SELECT count(*) FROM folders f WHERE `+bind(b.where, 0), b.args
	}
	var n int64
	if err := r.q.QueryRowContext(ctx, query, args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count folders: %w", err)
	}
	return n, nil
}

// Folder reads a folder of a team.
func (r reads) Folder(ctx context.Context, team, id crier.ID) (crier.Folder, error) {
	return r.folder(ctx, team, id, "")
}

// ShareFolder is Folder with a shared lock, so that it is not deleted while something is added to it.
func (tx *Tx) ShareFolder(ctx context.Context, team, id crier.ID) (crier.Folder, error) {
	return tx.folder(ctx, team, id, tx.forShare())
}

// LockFolder is Folder with an exclusive lock: it cannot be changed and nothing can be added to it.
func (tx *Tx) LockFolder(ctx context.Context, team, id crier.ID) (crier.Folder, error) {
	return tx.folder(ctx, team, id, tx.forUpdate)
}

func (r reads) folder(ctx context.Context, team, id crier.ID, lock string) (crier.Folder, error) {
	f, err := scanFolder(r.q.QueryRowContext(ctx,
		`SELECT `+folderColumns+` FROM folders f WHERE f.id = $1 AND f.team_id = $2`+lock, id, team))
	return f, orNotFound(err, "folder", id)
}

// FolderPath returns the ids from a folder up to the root, starting with the folder itself.
func (r reads) FolderPath(ctx context.Context, id crier.ID) ([]crier.ID, error) {
	rows, err := r.q.QueryContext(ctx, `WITH RECURSIVE up (id, parent_id, steps) AS (
			SELECT f.id, f.parent_id, 1 FROM folders f WHERE f.id = $1
			UNION ALL SELECT f.id, f.parent_id, up.steps + 1 FROM folders f JOIN up ON f.id = up.parent_id)
		SELECT up.id FROM up ORDER BY up.steps`, id)
	if err != nil {
		return nil, fmt.Errorf("read the path of a folder: %w", err)
	}
	return collect(rows, scanID)
}

// FolderHeight returns the number of levels of a folder's subtree; 1 without subfolders.
func (r reads) FolderHeight(ctx context.Context, id crier.ID) (int, error) {
	var levels int
	err := r.q.QueryRowContext(ctx, `WITH RECURSIVE down (id, level) AS (
			SELECT f.id, 1 FROM folders f WHERE f.id = $1
			UNION ALL SELECT f.id, down.level + 1 FROM folders f JOIN down ON f.parent_id = down.id)
		SELECT max(down.level) FROM down`, id).Scan(&levels)
	if err != nil {
		return 0, fmt.Errorf("measure a folder: %w", err)
	}
	return levels, nil
}

// FolderHas reports whether a folder contains folders or assets.
func (r reads) FolderHas(ctx context.Context, id crier.ID) (folders, assets bool, err error) {
	err = r.q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM folders f WHERE f.parent_id = $1),
		EXISTS (SELECT 1 FROM assets a WHERE a.folder_id = $1 AND a.deleted_at IS NULL)`, id).Scan(&folders, &assets)
	if err != nil {
		return false, false, fmt.Errorf("look into a folder: %w", err)
	}
	return folders, assets, nil
}

// InsertFolder inserts a folder and increments the counter. folded is the case-folded name, unique among siblings.
func (tx *Tx) InsertFolder(ctx context.Context, f crier.Folder, folded string) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO folders (id, team_id, parent_id, name, folded, created_at, updated_at,
		name_key) VALUES ($1, $2, $3, $4, $5, $6, $6, $7)`, f.ID, f.TeamID, f.ParentID, f.Name, folded, f.CreatedAt,
		sortKey(f.Name))
	if err != nil {
		return folderError(err, "insert folder", f.Name)
	}
	return tx.countFolder(ctx, f.TeamID, 1)
}

// UpdateFolder writes the name and the parent of a folder.
func (tx *Tx) UpdateFolder(ctx context.Context, f crier.Folder, folded string) error {
	_, err := tx.q.ExecContext(ctx,
		`UPDATE folders SET parent_id = $2, name = $3, folded = $4, updated_at = $5, name_key = $6 WHERE id = $1`,
		f.ID, f.ParentID, f.Name, folded, f.UpdatedAt, sortKey(f.Name))
	return folderError(err, "update folder", f.Name)
}

func folderError(err error, doing, name string) error {
	if isUniqueViolation(err) {
		return crier.Conflict("There is a folder named %q here already; upper and lower case count as the same.", name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// DeleteFolder deletes an empty folder and decrements the counter. The folder must be locked. Uploads into it lose
// their folder.
func (tx *Tx) DeleteFolder(ctx context.Context, f crier.Folder) error {
	if _, err := tx.q.ExecContext(ctx, `DELETE FROM folders WHERE id = $1`, f.ID); err != nil {
		return fmt.Errorf("delete folder: %w", err)
	}
	return tx.countFolder(ctx, f.TeamID, -1)
}

func (tx *Tx) countFolder(ctx context.Context, team crier.ID, by int) error {
	if _, err := tx.q.ExecContext(ctx, `UPDATE teams SET folder_count = folder_count + $2 WHERE id = $1`, team,
		by); err != nil {
		return fmt.Errorf("count folders: %w", err)
	}
	return nil
}
