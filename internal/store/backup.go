package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"crier"
)

// A Dump is a consistent copy of a database as files in a directory: one SQLite database, or one file per PostgreSQL
// table.
type Dump struct {
	Dialect Dialect `json:"dialect"`
	// Schema is the number of the last migration.
	Schema int64       `json:"schema"`
	Files  []DumpFile  `json:"files"`
	Counts []DumpCount `json:"sequences,omitempty"`
}

// DumpFile is a file of a dump. Table and Columns are set for PostgreSQL only.
type DumpFile struct {
	Name    string   `json:"name"`
	Table   string   `json:"table,omitempty"`
	Columns []string `json:"columns,omitempty"`
}

// DumpCount is the value of a PostgreSQL sequence.
type DumpCount struct {
	Sequence string `json:"sequence"`
	Value    int64  `json:"value"`
}

// notDumped are the PostgreSQL tables that describe the schema, which migrations create, or the running nodes.
var notDumped = []string{"goose_db_version", "river_migration", "river_leader", "river_client", "river_client_queue"}

// Dump writes a consistent copy of the database to an empty directory while the database is in use.
func (s *Store) Dump(ctx context.Context, dir string) (Dump, error) {
	if current, err := s.Migrated(ctx); err != nil || !current {
		return Dump{}, errors.Join(err, errors.New("the schema is not up to date: run crier migrate first"))
	}
	d := Dump{Dialect: s.dialect}
	var err error
	if d.Schema, err = s.schemaVersion(ctx); err != nil {
		return d, err
	}
	if s.dialect == SQLite {
		d.Files = []DumpFile{{Name: sqliteFile}}
		// It reads in one transaction, which does not block writers in WAL mode.
		if _, err := s.writer.ExecContext(ctx, `VACUUM INTO $1`, filepath.Join(dir, sqliteFile)); err != nil {
			return d, fmt.Errorf("copy the database: %w", err)
		}
		return d, nil
	}
	err = s.withJobConn(ctx, func(conn *pgx.Conn) error {
		return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly},
			func(tx pgx.Tx) error { return d.writeTables(ctx, tx, dir) })
	})
	return d, err
}

func (s *Store) schemaVersion(ctx context.Context) (int64, error) {
	provider, done, err := s.migrationProvider()
	if err != nil {
		return 0, err
	}
	defer done()
	version, err := provider.GetDBVersion(ctx)
	if err != nil {
		return 0, fmt.Errorf("ask for the version of the schema: %w", err)
	}
	return version, nil
}

// withJobConn calls fn with a connection whose planner settings suit whole tables.
func (s *Store) withJobConn(ctx context.Context, fn func(*pgx.Conn) error) error {
	conn, err := s.jobs.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("get a connection: %w", redact(err))
	}
	defer conn.Release()
	return fn(conn.Conn())
}

// writeTables writes every table of a transaction's snapshot, referenced tables first.
func (d *Dump) writeTables(ctx context.Context, tx pgx.Tx, dir string) error {
	tables, err := tablesInOrder(ctx, tx)
	if err != nil {
		return err
	}
	for _, table := range tables {
		file := DumpFile{Name: table + ".copy", Table: table}
		if file.Columns, err = storedColumns(ctx, tx, table); err != nil {
			return err
		}
		if err := file.copyOut(ctx, tx, dir); err != nil {
			return fmt.Errorf("copy table %s: %w", table, err)
		}
		d.Files = append(d.Files, file)
	}
	rows, err := tx.Query(ctx, `SELECT sequencename, last_value FROM pg_sequences
		WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY sequencename`)
	if err != nil {
		return fmt.Errorf("read sequences: %w", err)
	}
	if d.Counts, err = pgx.CollectRows(rows, pgx.RowToStructByPos[DumpCount]); err != nil {
		return fmt.Errorf("read sequences: %w", err)
	}
	return nil
}

func (f DumpFile) copyOut(ctx context.Context, tx pgx.Tx, dir string) error {
	//nolint:gosec // in a folder of this program
	file, err := os.OpenFile(filepath.Join(dir, f.Name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = tx.Conn().PgConn().CopyTo(ctx, file, `COPY (SELECT `+f.columnList()+` FROM `+
		quoted(f.Table)+`) TO STDOUT`)
	return errors.Join(err, file.Close())
}

func (f DumpFile) columnList() string {
	names := make([]string, len(f.Columns))
	for i, column := range f.Columns {
		names[i] = quoted(column)
	}
	return strings.Join(names, ", ")
}

func quoted(name string) string { return pgx.Identifier{name}.Sanitize() }

// tablesInOrder lists the tables to copy, each after the tables it references.
func tablesInOrder(ctx context.Context, tx pgx.Tx) ([]string, error) {
	rows, err := tx.Query(ctx, `SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = current_schema() AND c.relkind = 'r' AND c.relname <> ALL ($1) ORDER BY c.relname`, notDumped)
	if err != nil {
		return nil, fmt.Errorf("list tables: %w", err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("list tables: %w", err)
	}
	rows, err = tx.Query(ctx, `SELECT a.relname, b.relname FROM pg_constraint k JOIN pg_class a ON a.oid = k.conrelid
		JOIN pg_class b ON b.oid = k.confrelid JOIN pg_namespace n ON n.oid = a.relnamespace
		WHERE k.contype = 'f' AND n.nspname = current_schema() AND a.oid <> b.oid`)
	if err != nil {
		return nil, fmt.Errorf("list references: %w", err)
	}
	references := map[string][]string{}
	var from, to string
	if _, err := pgx.ForEachRow(rows, []any{&from, &to}, func() error {
		references[from] = append(references[from], to)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("list references: %w", err)
	}
	return sortByReferences(tables, references)
}

// sortByReferences sorts every table after the tables it references.
func sortByReferences(tables []string, references map[string][]string) ([]string, error) {
	var sorted []string
	for len(sorted) < len(tables) {
		before := len(sorted)
		for _, table := range tables {
			ready := !slices.ContainsFunc(references[table],
				func(to string) bool { return !slices.Contains(sorted, to) })
			if ready && !slices.Contains(sorted, table) {
				sorted = append(sorted, table)
			}
		}
		if len(sorted) == before {
			return nil, errors.New("tables refer to each other in a circle")
		}
	}
	return sorted, nil
}

// storedColumns returns the columns of a table that are not generated.
func storedColumns(ctx context.Context, tx pgx.Tx, table string) ([]string, error) {
	rows, err := tx.Query(ctx, `SELECT a.attname FROM pg_attribute a WHERE a.attrelid = $1::regclass AND a.attnum > 0
		AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY a.attnum`, quoted(table))
	if err != nil {
		return nil, fmt.Errorf("list columns: %w", err)
	}
	columns, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("list columns: %w", err)
	}
	return columns, nil
}

// LoadSQLite restores a dump to a data directory that has no database. The database is migrated and marked as restored
// before it is moved into place.
func LoadSQLite(ctx context.Context, d Dump, dir, dataDir string, r RestoreTimes,
	prepare func(context.Context, *Store) error) (found RestoredPublications, err error) {
	target := filepath.Join(dataDir, sqliteFile)
	if there, err := Exists(Config{DataDir: dataDir}); err != nil || there {
		return found, errors.Join(err, fmt.Errorf("%s exists already: restore into an empty directory", target))
	}
	if d.Dialect != SQLite {
		return found, fmt.Errorf("this is the backup of a %s database: set CRIER_DATABASE_URL", d.Dialect)
	}
	s, err := Open(ctx, Config{DataDir: dir})
	if err != nil {
		return found, err
	}
	if err = s.checkLoadable(ctx, d); err == nil {
		err = prepare(ctx, s)
	}
	if err == nil {
		found, err = s.markRestored(ctx, r)
	}
	if err == nil {
		err = s.emptyLog(ctx)
	}
	if err = errors.Join(err, s.Close()); err != nil {
		return found, err
	}
	if err := os.Rename(filepath.Join(dir, sqliteFile), target); err != nil {
		return found, fmt.Errorf("put the database in its place: %w", err)
	}
	return found, syncDir(dataDir)
}

func syncDir(dir string) error {
	f, err := os.Open(dir) //nolint:gosec // the operator names the directory
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (s *Store) checkLoadable(ctx context.Context, d Dump) error {
	version, err := s.newestMigration()
	if err == nil && d.Schema > version {
		err = fmt.Errorf("the backup was made by a newer version of crier (schema %d, this one knows %d)", d.Schema,
			version)
	}
	return errors.Join(err, ctx.Err())
}

// newestMigration returns the number of the last migration of this program.
func (s *Store) newestMigration() (int64, error) {
	provider, done, err := s.migrationProvider()
	if err != nil {
		return 0, err
	}
	defer done()
	sources := provider.ListSources()
	return sources[len(sources)-1].Version, nil
}

func (s *Store) markRestored(ctx context.Context, r RestoreTimes) (found RestoredPublications, err error) {
	err = s.WithTx(ctx, func(tx *Tx) error {
		found, err = tx.MarkRestored(ctx, r)
		return err
	})
	return found, err
}

// LoadPostgres loads a dump into an empty PostgreSQL database and marks it as restored, in one transaction.
func (s *Store) LoadPostgres(ctx context.Context, d Dump, dir string, r RestoreTimes,
	prepare func(context.Context, *Store) error) (found RestoredPublications, err error) {
	if d.Dialect != Postgres {
		return found, fmt.Errorf("this is the backup of a %s database: leave CRIER_DATABASE_URL out", d.Dialect)
	}
	if err := s.checkLoadable(ctx, d); err != nil {
		return found, err
	}
	if err := s.migrateTo(ctx, d.Schema); err != nil {
		return found, err
	}
	if used, err := s.HasUsers(ctx); err != nil || used {
		return found, errors.Join(err, errors.New("the database is in use already: restore into an empty one"))
	}
	if err := prepare(ctx, s); err != nil { // the tables of the job engine
		return found, err
	}
	conn, err := s.writer.Conn(ctx)
	if err != nil {
		return found, fmt.Errorf("get a connection: %w", err)
	}
	defer func() { err = errors.Join(err, ignoreDone(conn.Close())) }()
	err = lend(conn, func(conn *pgx.Conn) error {
		return s.postgresTx(ctx, conn, func(tx *Tx) error {
			if err := d.readTables(ctx, conn, dir, tx); err != nil {
				return err
			}
			found, err = tx.MarkRestored(ctx, r)
			return err
		})
	})
	return found, err
}

// migrateTo migrates an empty database to the schema of a dump.
func (s *Store) migrateTo(ctx context.Context, version int64) error {
	provider, done, err := s.migrationProvider()
	if err != nil {
		return err
	}
	defer done()
	if _, err := provider.UpTo(ctx, version); err != nil {
		return fmt.Errorf("make the tables of the backup: %w", err)
	}
	return nil
}

// readTables loads the tables in the running transaction of a connection.
func (d Dump) readTables(ctx context.Context, conn *pgx.Conn, dir string, tx *Tx) error {
	names := make([]string, len(d.Files))
	for i, f := range d.Files {
		names[i] = quoted(f.Table)
	}
	if err := tx.merges(ctx); err != nil { // words are already counted
		return err
	}
	if _, err := tx.q.ExecContext(ctx, `TRUNCATE `+strings.Join(names, ", ")+` CASCADE`); err != nil {
		return fmt.Errorf("empty the tables: %w", err)
	}
	for _, f := range d.Files {
		if err := f.copyIn(ctx, conn, dir); err != nil {
			return fmt.Errorf("fill table %s: %w", f.Table, err)
		}
	}
	for _, c := range d.Counts {
		if _, err := tx.q.ExecContext(ctx, `SELECT setval($1::text::regclass, $2)`, quoted(c.Sequence),
			c.Value); err != nil {
			return fmt.Errorf("set sequence %s: %w", c.Sequence, err)
		}
	}
	return nil
}

func (f DumpFile) copyIn(ctx context.Context, conn *pgx.Conn, dir string) error {
	file, err := os.Open(filepath.Join(dir, f.Name)) //nolint:gosec // a file that this program has just written
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it is only read
	_, err = conn.PgConn().CopyFrom(ctx, io.Reader(file), `COPY `+quoted(f.Table)+` (`+f.columnList()+`) FROM STDIN`)
	return err
}

// AssetChecksums calls fn with the SHA-256 of every asset's original file.
func (s *Store) AssetChecksums(ctx context.Context, fn func(id crier.ID, sum string)) error {
	rows, err := s.q.QueryContext(ctx, `SELECT a.id, a.sha256 FROM assets a WHERE a.deleted_at IS NULL`)
	if err != nil {
		return fmt.Errorf("read checksums: %w", err)
	}
	_, err = collect(rows, func(row scanner) (none struct{}, err error) {
		var id crier.ID
		var sum sql.NullString
		if err := row.Scan(&id, &sum); err != nil {
			return none, err
		}
		fn(id, sum.String)
		return none, nil
	})
	if err != nil {
		return fmt.Errorf("read checksums: %w", err)
	}
	return nil
}
