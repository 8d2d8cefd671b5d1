// Package store holds all SQL: one file per resource, the migrations of both databases, and the only code that knows
// which database is used. It has no business rules.
//
// Every query has one text for SQLite and PostgreSQL, with $1 parameters. Times are parameters, never now().
package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"modernc.org/sqlite"
	sqlitelib "modernc.org/sqlite/lib"

	"crier"
)

// Dialect is the kind of database.
type Dialect string

// The two databases.
const (
	SQLite   Dialect = "sqlite"
	Postgres Dialect = "postgres"
)

// sqliteFile is the name of the embedded database in the data directory.
const sqliteFile = "crier.db"

// Config configures a store.
type Config struct {
	// DatabaseURL is the URL of a PostgreSQL database; empty means SQLite in DataDir.
	DatabaseURL string
	DataDir     string
	// MaxConnections limits each of the reader and writer pools on PostgreSQL; 0 means 15.
	MaxConnections int
	// CreditsLow is the threshold of available credits below which an organization is notified; 0 means never, unless
	// the organization has its own threshold.
	CreditsLow int64
	// Tracer traces every statement and batch that is sent to PostgreSQL, for tests that count them.
	Tracer pgx.QueryTracer
	Logger *slog.Logger
}

// Store is an open database. Its own methods read; writes happen in WithTx.
type Store struct {
	reads
	dialect Dialect
	writer  *sql.DB // SQLite: exactly one connection; PostgreSQL: a pool with cached plans
	reader  *sql.DB // SQLite: a read-only pool; PostgreSQL: a pool that plans for the values of each call
	jobs    *pgxpool.Pool
	log     *slog.Logger
	// commits and checkpoints are for SQLite only.
	commits     chan struct{}
	checkpoints *checkpointer
	// credentialChanges counts the transactions of this process that may have changed credentials.
	credentialChanges atomic.Int64
	// eventsWritten has a buffer of one signal: its reader reads all new events.
	eventsWritten chan struct{}
	sequenced     sequencedEvents
	// crowded sends the teams whose changes may have to be merged.
	crowded    chan crier.ID
	creditsLow int64
}

// queryer is a pool or a transaction.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (resultRows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) scanner
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	// Ask runs queries that do not depend on each other, in one round trip.
	Ask(ctx context.Context, questions ...question) error
}

// resultRows are the rows of a query.
type resultRows interface {
	scanner
	Next() bool
	Err() error
	Close() error
}

// direct adapts a pool or a transaction of database/sql.
type direct struct {
	to interface {
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
		QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	}
}

func (d direct) QueryContext(ctx context.Context, query string, args ...any) (resultRows, error) {
	found, err := d.to.QueryContext(ctx, query, args...) //nolint:rowserrcheck // by the reader of the rows
	if err != nil {
		return nil, err
	}
	return found, nil
}

// Ask runs the queries one after the other.
func (d direct) Ask(ctx context.Context, questions ...question) error {
	return askEach(ctx, d, questions)
}

func (d direct) QueryRowContext(ctx context.Context, query string, args ...any) scanner {
	return d.to.QueryRowContext(ctx, query, args...)
}

func (d direct) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return d.to.ExecContext(ctx, query, args...)
}

// reads are the queries that a Store and a Tx share.
type reads struct {
	q queryer
	// keyed is for lookups of single rows by key, which happen on every request and publication. One plan fits all such
	// calls, and planning takes PostgreSQL longer than executing.
	keyed queryer
	fragments
}

// fragments are the SQL fragments in which the databases differ.
type fragments struct {
	// forUpdate is the clause of an exclusive lock on rows. It still allows new rows that refer to them: the database
	// checks references in its own order, which would lead to deadlocks.
	forUpdate string
	// listOfTimes reads the first argument, a JSON array of times, as rows of position (from 0) and instant.
	listOfTimes string
	// jsonRows reads the first argument, a JSON array of objects, as table v with the named columns; see jsonrows.go.
	jsonRows func(columns string) string
	// driven joins a table as alias by one lookup of key in its column for each row of the tables before it. PostgreSQL
	// is forced to do so: before the first ANALYZE of many new rows it assumes that the table is empty and would
	// compare each row with each.
	driven func(table, alias, column, key string) string
	// position is the function that returns the position of a text in another, 0 if there is none.
	position string
	// eachOf reads a JSON array in a column as table e with the column value.
	eachOf func(column string) string
	// indexed makes SQLite read a table by an index. Without statistics its planner may prefer another one.
	indexed func(index string) string
	// setLive and insertLive set live of a publication with its status; a trigger would write the row once more. On
	// PostgreSQL, it is generated.
	setLive    func(status string) string
	insertLive func(status string) (column, value string)
	// expiredKeys selects up to $2 idempotency keys that expired by $1. On SQLite it looks among the oldest rows: they
	// expire in the order in which they are inserted, and an index costs every request with a key a page or two.
	expiredKeys string
	// listCounts selects the values and counts of list $2 of team $1; on PostgreSQL also those that are not merged yet.
	listCounts string
	// postCount is the number of posts of team $1 that are neither deleted nor archived.
	postCount string
	// eventLog is the table with the range of the event log. SQLite derives its end from the events.
	eventLog string
}

var (
	sqliteFragments = fragments{listOfTimes: `(SELECT key AS position, value AS instant FROM json_each($1))`,
		jsonRows: sqliteJSONRows, position: "instr",
		driven: func(table, alias, column, key string) string {
			return "CROSS JOIN " + table + " " + alias + " ON " + alias + "." + column + " = " + key
		},
		eachOf:  func(column string) string { return "json_each(" + column + ") AS e" },
		indexed: func(index string) string { return " INDEXED BY " + index },
		setLive: func(status string) string { return ", live = " + status + " IN " + liveStatuses },
		insertLive: func(status string) (column, value string) {
			return ", live", ", " + status + " IN " + liveStatuses
		},
		expiredKeys: `SELECT k.principal_id, k.key
			FROM (SELECT * FROM idempotency_keys ORDER BY rowid LIMIT $2) AS k WHERE k.expires_at <= $1`,
		listCounts: listCounts,
		postCount:  postCountOf(listCounts),
		eventLog: `(SELECT id, max(last, coalesce((SELECT max(sequence) FROM events), 0)) AS last, swept
			FROM event_log)`}
	postgresFragments = fragments{
		forUpdate: " FOR NO KEY UPDATE",
		listOfTimes: `(SELECT n - 1 AS position, CAST(t AS timestamptz) AS instant
			FROM jsonb_array_elements_text($1) WITH ORDINALITY AS e (t, n))`,
		jsonRows: postgresJSONRows,
		driven: func(table, alias, column, key string) string {
			return "CROSS JOIN LATERAL (SELECT * FROM " + table + " WHERE " + table + "." + column + " = " + key +
				" OFFSET 0) AS " + alias
		},
		position:   "strpos",
		eachOf:     func(column string) string { return "jsonb_array_elements(" + column + ") AS e (value)" },
		indexed:    func(string) string { return "" },
		setLive:    func(string) string { return "" },
		insertLive: func(string) (column, value string) { return "", "" },
		expiredKeys: `SELECT k.principal_id, k.key
			FROM idempotency_keys k WHERE k.expires_at <= $1 ORDER BY k.expires_at LIMIT $2`,
		listCounts: mergingListCounts,
		postCount:  postCountOf(mergingListCounts),
		eventLog:   "event_log",
	}
)

const (
	listCounts        = `SELECT c.value, c.row_count AS n FROM list_counts c WHERE c.team_id = $1 AND c.list = $2`
	mergingListCounts = listCounts + ` UNION ALL SELECT x.value, x.change FROM list_changes x
		WHERE x.team_id = $1 AND x.list = $2`
)

// postCountOf returns the expression postCount for a query that selects counts. Their values begin with the status.
func postCountOf(counts string) string {
	return `(SELECT CAST(coalesce(sum(counts.n), 0) AS bigint) FROM (` +
		strings.ReplaceAll(counts, "$2", "'"+string(countedPosts)+"'") +
		`) AS counts WHERE substr(counts.value, 1, 9) <> '` + string(crier.PostArchived) + ` ')`
}

// Open opens the database; it does not migrate it.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	open := openSQLite
	if cfg.DatabaseURL != "" {
		open = openPostgres
	}
	s, err := open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	s.log, s.eventsWritten, s.creditsLow = cfg.Logger, make(chan struct{}, 1), cfg.CreditsLow
	s.crowded = make(chan crier.ID, 64)
	if s.dialect == SQLite {
		s.checkpoints = startCheckpoints(ctx, s.reader, s.commits, s.log)
	}
	if err := s.selfTest(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// selfTest rejects a driver that binds $2 and $1 by order of appearance instead of by number.
func (s *Store) selfTest(ctx context.Context) error {
	var got string
	if err := s.q.QueryRowContext(ctx, `SELECT CAST($2 AS text) || CAST($1 AS text)`, "a", "b").Scan(&got); err != nil {
		return fmt.Errorf("reach the database: %w", err)
	}
	if got != "ba" {
		return fmt.Errorf("the database driver binds parameters by order, not by number: got %q", got)
	}
	if s.dialect == SQLite {
		return nil
	}
	var version int
	if err := s.q.QueryRowContext(ctx, `SELECT CAST(current_setting('server_version_num') AS integer)`).Scan(
		&version); err != nil {
		return fmt.Errorf("ask for the version of PostgreSQL: %w", err)
	}
	return checkPostgres(version)
}

// oldestPostgres is the first version with CREATE OR REPLACE TRIGGER, which migrations use.
const oldestPostgres = 14

// checkPostgres rejects a version, as PostgreSQL numbers it, that is too old.
func checkPostgres(version int) error {
	if major := version / 10_000; major < oldestPostgres {
		return fmt.Errorf("the database is PostgreSQL %d; crier needs %d or newer", major, oldestPostgres)
	}
	return nil
}

// Exists reports whether the SQLite database exists. A PostgreSQL database always exists, or Open returns an error.
func Exists(cfg Config) (bool, error) {
	if cfg.DatabaseURL != "" {
		return true, nil
	}
	_, err := os.Stat(filepath.Join(cfg.DataDir, sqliteFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func openSQLite(ctx context.Context, cfg Config) (*Store, error) {
	if err := os.MkdirAll(cfg.DataDir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	path := filepath.Join(cfg.DataDir, sqliteFile)
	commits := make(chan struct{}, 1)
	writer, err := openCompiled(sqliteDSN(path, false), commits)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	// The single writer connection, shared with the job engine, is handed out first come, first served. Two would
	// starve each other.
	writer.SetMaxOpenConns(1)
	reader, err := openCompiled(sqliteDSN(path, true), nil)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s for reading: %w", path, err), writer.Close())
	}
	readers := max(4, runtime.NumCPU())
	reader.SetMaxOpenConns(readers)
	reader.SetMaxIdleConns(readers)
	// The writer creates the file and switches it to WAL, which a read-only connection cannot do.
	if err := writer.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w%s", path, err, damageHint(err)), writer.Close(), reader.Close())
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("protect %s: %w", path, err), writer.Close(), reader.Close())
	}
	rows := direct{reader}
	return &Store{reads: reads{rows, rows, sqliteFragments}, dialect: SQLite, writer: writer, reader: reader,
		commits: commits}, nil
}

// sqlitePageSize is the page size of new SQLite databases. A commit writes every page that it touches to the log, and
// index entries are small: pages of a quarter of the usual size write less than half as much.
const sqlitePageSize = 1024

// cacheKiB returns the size of a connection's page cache. A list of a large team reads more than the default of 2 MiB.
// The writer's cache is as small as large batches allow: to balance a tree, SQLite numbers a page temporarily as one
// behind the first GiB, and the commit after that searches the whole cache for pages to drop. Below one GiB, a cache of
// 16 MiB made this an eighth of a draft's processor time.
func cacheKiB(readOnly bool) int {
	if readOnly {
		return 16 << 10
	}
	return 6 << 10
}

// damageHint says what to do about a database file that SQLite cannot read.
func damageHint(err error) string {
	lite, ok := errors.AsType[*sqlite.Error](err)
	if !ok || lite.Code() != sqlitelib.SQLITE_CORRUPT && lite.Code() != sqlitelib.SQLITE_NOTADB {
		return ""
	}
	return ": the file is damaged; keep it, and restore a backup into another directory with crier restore"
}

// sqliteDSN sets WAL with synchronous=FULL, so that an acknowledged write survives a power failure.
func sqliteDSN(path string, readOnly bool) string {
	v := url.Values{}
	v.Add("_pragma", "busy_timeout(5000)")
	if !readOnly { // applies to a new database, before its first page
		v.Add("_pragma", fmt.Sprintf("page_size(%d)", sqlitePageSize))
	}
	v.Set("_journal_mode", "WAL") // after the pragmas
	v.Add("_pragma", "synchronous(FULL)")
	v.Add("_pragma", "foreign_keys(1)")
	v.Add("_pragma", fmt.Sprintf("wal_autocheckpoint(%d)", checkpointLimit))
	v.Add("_pragma", fmt.Sprintf("cache_size(-%d)", cacheKiB(readOnly)))
	// ANALYZE reads this many rows of each index, however many there are, and takes no samples: with samples, SQLite
	// plans by the bound values and recompiles the statement for every call.
	v.Add("_pragma", "analysis_limit(1000)")
	v.Set("_time_format", "sqlite")
	v.Set("_timezone", "UTC")
	if readOnly {
		v.Add("_pragma", "query_only(1)")
	} else {
		v.Set("_txlock", "immediate")
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + v.Encode()
}

// transactionPause is how long PostgreSQL waits for the next statement of a transaction before it aborts it. Otherwise
// a node that freezes or loses its connection in a transaction would hold its locks forever.
const transactionPause = 15 * time.Second

func openPostgres(ctx context.Context, cfg Config) (*Store, error) {
	connCfg, err := pgx.ParseConfig(cfg.DatabaseURL)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", redact(err))
	}
	poolCfg, err := pgxpool.ParseConfig(cfg.DatabaseURL)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", redact(err))
	}
	connCfg.Tracer, poolCfg.ConnConfig.Tracer = cfg.Tracer, cfg.Tracer
	poolCfg.ConnConfig.RuntimeParams = withParams(poolCfg.ConnConfig.RuntimeParams, plannedAnew)
	poolCfg.AfterRelease = func(conn *pgx.Conn) bool { return !isStandby(conn) }
	poolCfg.MaxConns = int32(max(8, runtime.NumCPU()*2)) //nolint:gosec // a CPU count fits
	jobs, err := pgxpool.NewWithConfig(ctx, poolCfg)
	if err != nil {
		return nil, fmt.Errorf("open the job pool: %w", redact(err))
	}
	writer, reader := openPool(*connCfg, keptPlans, cfg.MaxConnections),
		openPool(*connCfg, plannedAnew, cfg.MaxConnections)
	return &Store{reads: reads{pooled(reader), pooled(writer), postgresFragments}, dialect: Postgres, writer: writer,
		reader: reader, jobs: jobs}, nil
}

var (
	// plannedAnew is for lists, searches and the job engine. A generic plan fits a team of average size: beside a team
	// with a million posts, it would read all posts to search a small team. And a plan made for an empty job table
	// makes a burst of jobs join quadratically.
	plannedAnew = map[string]string{"plan_cache_mode": "force_custom_plan"}
	// keptPlans is for statements that find rows by key: all writes, and reads of single rows. A plan made while a
	// table was small must not scan the table when it has grown, so every row is looked up in an index.
	keptPlans = map[string]string{"plan_cache_mode": "auto", "enable_seqscan": "off", "enable_hashjoin": "off",
		"enable_mergejoin": "off", "jit": "off"}
)

func openPool(cfg pgx.ConnConfig, params map[string]string, size int) *sql.DB {
	if size <= 0 {
		size = 15
	}
	cfg.RuntimeParams = withParams(cfg.RuntimeParams, params)
	db := stdlib.OpenDB(cfg, stdlib.OptionResetSession(leaveStandby))
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	db.SetConnMaxIdleTime(5 * time.Minute)
	return db
}

// isStandby reports whether a connection leads to a server that only reads. After a failover, the pools must not keep
// the connections that they opened too early: the address leads to the new primary by then.
func isStandby(conn *pgx.Conn) bool {
	return conn.PgConn().ParameterStatus("in_hot_standby") == "on" ||
		conn.PgConn().ParameterStatus("default_transaction_read_only") == "on"
}

// leaveStandby makes a pool open a new connection instead of one that only reads.
func leaveStandby(_ context.Context, conn *pgx.Conn) error {
	if isStandby(conn) {
		return driver.ErrBadConn
	}
	return nil
}

// withParams adds connection parameters to those of the URL.
func withParams(given, more map[string]string) map[string]string {
	all := maps.Clone(given)
	maps.Copy(all, more)
	all["idle_in_transaction_session_timeout"] = strconv.FormatInt(transactionPause.Milliseconds(), 10)
	return all
}

// redact keeps the password of a database URL out of errors.
func redact(err error) error {
	if _, ok := errors.AsType[*pgconn.ParseConfigError](err); ok {
		return errors.New("it is not a PostgreSQL address such as postgres://user:password@host:5432/crier")
	}
	return err
}

// Close closes all pools.
func (s *Store) Close() error {
	if s.jobs != nil {
		s.jobs.Close()
	}
	if s.checkpoints != nil {
		s.checkpoints.stop()
	}
	err := s.writer.Close()
	if s.reader != s.writer {
		err = errors.Join(err, s.reader.Close())
	}
	return err
}

// Dialect returns the kind of database.
func (s *Store) Dialect() Dialect { return s.dialect }

// Writer returns the writer pool, which the job engine shares on SQLite.
func (s *Store) Writer() *sql.DB { return s.writer }

// Reader returns the reader pool.
func (s *Store) Reader() *sql.DB { return s.reader }

// JobPool returns the job engine's own pool on PostgreSQL; nil on SQLite.
func (s *Store) JobPool() *pgxpool.Pool { return s.jobs }

// Ping checks that the database responds.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	return s.q.QueryRowContext(ctx, `SELECT 1`).Scan(&one)
}

// Unavailable reports whether err means that the database is unreachable or overloaded, not that the request was wrong.
func Unavailable(err error) bool {
	var connect *pgconn.ConnectError
	var network net.Error
	var lite *sqlite.Error
	switch {
	case err == nil:
		return false
	case errors.As(err, &connect), errors.As(err, &network), errors.Is(err, driver.ErrBadConn),
		errors.Is(err, sql.ErrConnDone):
		return true
	case errors.Is(err, io.ErrUnexpectedEOF): // the connection was cut while waiting for a response
		return true
	case errors.As(err, &lite):
		primary := lite.Code() & 0xff
		return primary == sqlitelib.SQLITE_BUSY || primary == sqlitelib.SQLITE_LOCKED ||
			primary == sqlitelib.SQLITE_FULL || primary == sqlitelib.SQLITE_IOERR
	}
	state := sqlState(err)
	// Classes 08 (connection), 53 (resources) and 57P (server shutting down or starting), a transaction that was
	// aborted for idling, and a write to a standby that has not taken over yet.
	return strings.HasPrefix(state, "08") || strings.HasPrefix(state, "53") || strings.HasPrefix(state, "57P") ||
		state == "25P03" || state == "25006"
}

// connectionLost reports whether an established connection was closed by the other side.
func connectionLost(err error) bool {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return false
	}
	network, ok := errors.AsType[*net.OpError](err)
	return ok && !network.Timeout() || errors.Is(err, io.ErrUnexpectedEOF) || strings.HasPrefix(sqlState(err), "57P")
}

func isDeadlock(err error) bool {
	state := sqlState(err)
	return state == "40001" || state == "40P01"
}

// isUniqueViolation reports whether err is the violation of a unique index.
func isUniqueViolation(err error) bool {
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		code := lite.Code()
		return code == sqlitelib.SQLITE_CONSTRAINT_UNIQUE || code == sqlitelib.SQLITE_CONSTRAINT_PRIMARYKEY
	}
	return sqlState(err) == "23505"
}

func sqlState(err error) string {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code
	}
	return ""
}
