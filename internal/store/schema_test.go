package store_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crier"
	"crier/internal/store"
)

// TestBothDatabasesHaveTheSameSchema: a migration has a text per database, but a query has one text for both.
func TestBothDatabasesHaveTheSameSchema_postgres(t *testing.T) {
	t.Parallel()
	lite, post := databases.Fresh(t, store.SQLite).Open(t), databases.Fresh(t, store.Postgres).Open(t)
	columns := postgresColumns(t, post)
	// Exceptions: the changes of words by nodes of an older version, those of counts, which on SQLite its only writer
	// makes at once, and the key that finds an event by its id. On SQLite, the sequence of events is the key.
	maps.DeleteFunc(columns, func(name, _ string) bool {
		return strings.HasPrefix(name, "word_changes.") || strings.HasPrefix(name, "list_changes.")
	})
	columns["events.sequence"] += " not null"
	columns["bulk_change.id"], columns["bulk_change.running"] = "integer not null", "boolean not null" // SQLite alone
	if diff := cmp.Diff(sqliteColumns(t, lite), columns); diff != "" {
		t.Errorf("the columns differ (-sqlite +postgres):\n%s", diff)
	}
	liteIndexes, postIndexes := sqliteIndexes(t, lite), postgresIndexes(t, post)
	// Nodes of an older version infer this index from its columns alone, which a partial index does not allow. On
	// SQLite there are no other nodes.
	liteIndexes["publications_once"] = strings.TrimSuffix(liteIndexes["publications_once"], " where on parent_id")
	for _, name := range []string{"events_by_organization", "events_by_type"} {
		liteIndexes[name] += ",sequence where on sequence" // the key of a table ends every entry of its indexes
	}
	liteIndexes["events_by_team"] = "team_id,sequence where on sequence,team_id"
	for _, name := range []string{"audit_log_by_created", "audit_log_by_action", "audit_log_by_principal"} {
		liteIndexes[name] += ",id" // on SQLite, entries of one instant are sorted when they are read
	}
	delete(liteIndexes, "events_by_id")
	delete(postIndexes, "events_by_sequence")
	delete(postIndexes, "events_unsequenced")
	delete(postIndexes, "list_changes_by_list")
	delete(postIndexes, "idempotency_keys_by_expiry") // on SQLite, the order of the rows
	// On SQLite, reading a column at the end of a row takes several times as long as the lookup of the row.
	liteIndexes["publications_occupied"] = strings.Replace(liteIndexes["publications_occupied"], ",kind", "", 1)
	if diff := cmp.Diff(liteIndexes, postIndexes); diff != "" {
		t.Errorf("the indexes differ (-sqlite +postgres):\n%s", diff)
	}
}

func TestMigrationsComeInPairs(t *testing.T) {
	t.Parallel()
	names := func(dialect string) []string {
		files, err := filepath.Glob("migrations/" + dialect + "/*.sql")
		if err != nil || len(files) == 0 {
			t.Fatalf("%d migrations of %s, %v", len(files), dialect, err)
		}
		for i := range files {
			files[i] = filepath.Base(files[i])
		}
		return files
	}
	if diff := cmp.Diff(names("sqlite"), names("postgres")); diff != "" {
		t.Errorf("the migrations differ (-sqlite +postgres):\n%s", diff)
	}
}

// The driver of SQLite parses every value of a column that is declared as timestamp by trial.
func TestTimesAreDeclaredAsText_sqlite(t *testing.T) {
	t.Parallel()
	s := databases.Fresh(t, store.SQLite).Open(t)
	declared := query(t, s, `SELECT m.name, c.name, lower(c.type) FROM sqlite_schema m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'river%' AND m.name NOT LIKE 'goose%'
		AND (c.name LIKE '%\_at' ESCAPE '\' OR c.type LIKE '%timestamp%')`)
	if len(declared) < 30 {
		t.Errorf("%d columns are times", len(declared))
	}
	for _, column := range declared {
		if column[2] != "text" {
			t.Errorf("%s.%s is declared as %s", column[0], column[1], column[2])
		}
	}
	if sound := query(t, s, `PRAGMA integrity_check`); len(sound) != 1 || sound[0][0] != "ok" {
		t.Errorf("the database is damaged: %v", sound)
	}
}

// Texts that users write must have byte order on both databases, or pages would differ.
func TestSortedTextUsesByteOrder_postgres(t *testing.T) {
	t.Parallel()
	// Internal words and ids of networks are looked up, never sorted by.
	lookedUp := []string{"principal_kind", "provider", "provider_account_id", "delivery_state", "post_type",
		"save_destination", "field", "kind", "status", "action", "type"}
	s := databases.Fresh(t, store.Postgres).Open(t)
	rows := query(t, s, `SELECT i.relname, a.attname FROM pg_index x
		JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class r ON r.oid = x.indrelid
		JOIN pg_namespace n ON n.oid = r.relnamespace
		JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum = ANY (x.indkey)
		JOIN pg_collation c ON c.oid = a.attcollation
		WHERE n.nspname = 'public' AND c.collname <> 'C' AND r.relname NOT LIKE 'river%'
		AND r.relname NOT LIKE 'goose%'`)
	for _, row := range rows {
		if !slices.Contains(lookedUp, row[1]) {
			t.Errorf("%s in the index %s is sorted by the rules of a language", row[1], row[0])
		}
	}
}

// query reads all rows as text.
func query(t *testing.T, s *store.Store, text string, args ...any) [][]string {
	t.Helper()
	rows, err := s.Reader().QueryContext(context.Background(), text, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for rows.Next() {
		values, targets := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			t.Fatal(err)
		}
		line := make([]string, len(values))
		for i, v := range values {
			if at, ok := v.(time.Time); ok { // as SQLite stores it, which may be declared as text
				v = at.Format(crier.StoredTimeLayout)
			}
			line[i] = fmt.Sprint(v)
		}
		out = append(out, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func ours(table string) bool {
	return !strings.HasPrefix(table, "river") && !strings.HasPrefix(table, "goose") &&
		!strings.HasPrefix(table, "sqlite")
}

// common returns one name for the types of both databases.
func common(kind string) string {
	kind = strings.ToLower(kind)
	for _, same := range [][2]string{
		{"timestamp with time zone", "text"}, {"uuid", "text"}, {"jsonb", "text"}, {"bytea", "blob"},
		{"double precision", "real"}, {"bigint", "integer"},
	} {
		if kind == same[0] {
			return same[1]
		}
	}
	return kind
}

func sqliteColumns(t *testing.T, s *store.Store) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, row := range query(t, s,
		`SELECT m.name, c.name, c.type, c."notnull" OR c.pk > 0 FROM sqlite_master m JOIN pragma_table_xinfo(m.name) c
			WHERE m.type = 'table'`) {
		if ours(row[0]) {
			found[row[0]+"."+row[1]] = common(row[2]) + notNull(row[3] == "1")
		}
	}
	return found
}

func postgresColumns(t *testing.T, s *store.Store) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, row := range query(t, s,
		`SELECT c.table_name, c.column_name, c.data_type, c.is_nullable FROM information_schema.columns c
			JOIN information_schema.tables t USING (table_schema, table_name)
			WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'`) {
		if ours(row[0]) {
			found[row[0]+"."+row[1]] = common(row[2]) + notNull(row[3] == "NO")
		}
	}
	return found
}

func notNull(yes bool) string {
	if yes {
		return " not null"
	}
	return ""
}

// sqliteIndexes returns the named indexes: whether they are unique, and their columns.
func sqliteIndexes(t *testing.T, s *store.Store) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, row := range query(t, s,
		`SELECT m.name, m.tbl_name, m.sql FROM sqlite_master m WHERE m.type = 'index' AND m.sql IS NOT NULL`) {
		if ours(row[1]) {
			found[row[0]] = shape(row[2])
		}
	}
	return found
}

func postgresIndexes(t *testing.T, s *store.Store) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, row := range query(t, s, `SELECT i.indexname, i.tablename, i.indexdef FROM pg_indexes i
		WHERE i.schemaname = 'public'
		AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conname = i.indexname)`) {
		if ours(row[1]) {
			found[row[0]] = shape(row[2])
		}
	}
	return found
}

// shape returns the relevant parts of an index definition in one spelling: unique or not, the columns, and whether
// there is a condition.
func shape(text string) string {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	unique := ""
	if strings.HasPrefix(text, "create unique") {
		unique = "unique "
	}
	_, columns, _ := strings.Cut(text, "(")
	columns, condition, partial := strings.Cut(columns, " where ")
	columns = strings.TrimSuffix(strings.TrimSpace(columns), ")")
	if partial {
		condition = " where on " + strings.Join(columnsIn(condition), ",")
	}
	return unique + strings.ReplaceAll(columns, " ", "") + condition
}

// columnsIn returns the words of a condition that are names.
func columnsIn(condition string) []string {
	words := map[string]bool{}
	for _, word := range strings.FieldsFunc(condition,
		func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz_'", r) }) {
		if !strings.Contains(word, "'") && !slices.Contains([]string{"is", "not", "null", "and", "or", "in", "any",
			"array", "text", "true", "false"}, word) {
			words[word] = true
		}
	}
	return slices.Sorted(maps.Keys(words))
}
