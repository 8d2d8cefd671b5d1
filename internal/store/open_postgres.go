package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

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

// oldestPostgres is the first version with CREATE OR REPLACE TRIGGER, which migrations use.
const oldestPostgres = 14

// checkPostgres rejects a version, as PostgreSQL numbers it, that is too old.
func checkPostgres(version int) error {
	if major := version / 10_000; major < oldestPostgres {
		return fmt.Errorf("the database is PostgreSQL %d; crier needs %d or newer", major, oldestPostgres)
	}
	return nil
}
