package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"crier"
)

// sortKey returns the form of a name that it is sorted by: its letters, without case and accents. It is stored in a
// column, so that both databases sort alike. It is idempotent, and empty only for the empty name.
func sortKey(name string) string {
	letters := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(cases.Fold().String(norm.NFKD.String(name))))
	if letters == "" {
		return name
	}
	return letters
}

// titleKey returns the sortKey of a title; no title sorts first.
func titleKey(title *string) string {
	if title == nil {
		return ""
	}
	return sortKey(*title)
}

// textSorts are the sorts whose column holds sort keys.
var textSorts = map[string]bool{"name": true, "title": true, "fileName": true}

// keyedColumns are the columns that hold the sort keys of others.
var keyedColumns = []struct{ table, name, key string }{
	{"teams", "name", "name_key"}, {"api_keys", "name", "name_key"}, {"tags", "name", "name_key"},
	{"folders", "name", "name_key"}, {"memberships", "organization_name", "organization_name_key"},
	{"posts", "title", "sort_title"}, {"assets", "file_name", "name_key"},
}

// sortKeyBatch is how many rows one statement of fillSortKeys reads.
const sortKeyBatch = 500

// fillSortKeys computes the sort keys of rows that have none: those from before the migration that added the keys, and
// those written by nodes of the previous version since. It works in batches and may be interrupted.
func (s *Store) fillSortKeys(ctx context.Context, db *sql.DB) error {
	for _, c := range keyedColumns {
		for {
			n, err := fillSortKeys(ctx, db, c.table, c.name, c.key)
			if err != nil {
				return fmt.Errorf("fill the sort keys of %s: %w", c.table, err)
			}
			if n < sortKeyBatch {
				break
			}
		}
	}
	return nil
}

type namedRow struct {
	id   crier.ID
	name string
}

func fillSortKeys(ctx context.Context, db *sql.DB, table, name, key string) (int, error) {
	//nolint:gosec // names of this file's own tables
	query := fmt.Sprintf(`SELECT id, %[2]s FROM %[1]s WHERE %[3]s = '' AND %[2]s <> '' LIMIT %[4]d`, table, name, key,
		sortKeyBatch)
	rows, err := db.QueryContext(ctx, query) //nolint:rowserrcheck // by collect
	if err != nil {
		return 0, err
	}
	found, err := collect(rows, func(row scanner) (r namedRow, err error) { return r, row.Scan(&r.id, &r.name) })
	if err != nil {
		return 0, err
	}
	for _, r := range found {
		// A name that was changed meanwhile was written with its key.
		if _, err := db.ExecContext(ctx, fmt.Sprintf(`UPDATE %s SET %s = $2 WHERE id = $1 AND %s = $3`, table, key,
			name),
			r.id, sortKey(r.name), r.name); err != nil {
			return 0, err
		}
	}
	return len(found), nil
}
