package store

import (
	"container/list"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"modernc.org/sqlite"
)

// A SQLite connection caches this many statements, with texts up to this length. A compiled statement takes about 10
// KiB, one with a list of hundreds of values ten times as much.
const (
	maxCompiled     = 300
	maxCompiledText = 4096
)

// openCompiled opens SQLite with connections that cache compiled statements, for crier and for the job engine:
// compiling a statement takes longer than running most. pgx has its own cache. Transactions send a signal to committed,
// if it is set, when they are committed.
func openCompiled(dsn string, committed chan<- struct{}) (*sql.DB, error) {
	connector, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(compilingConnector{connector, committed}), nil
}

type compilingConnector struct {
	driver.Connector
	committed chan<- struct{}
}

// Connect opens a connection.
func (c compilingConnector) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	conn, ok := opened.(sqliteConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("the driver of SQLite has a connection that cannot be wrapped: %T", opened),
			opened.Close())
	}
	return &compilingConn{sqliteConn: conn, committed: c.committed, byQuery: map[string]*list.Element{},
		recent: list.New()}, nil
}

// sqliteConn has all interfaces that database/sql uses of a connection and that the driver implements.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// compilingConn is a connection that caches the most recently used statements. database/sql makes one call at a time on
// a connection.
type compilingConn struct {
	sqliteConn
	committed chan<- struct{}
	byQuery   map[string]*list.Element
	recent    *list.List // of *compiled, most recently used first
}

// compiled is a cached statement.
type compiled struct {
	query string
	stmt  compiledStmt
	// busy is true while its rows are read.
	busy bool
}

type compiledStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// worthKeeping matches statements on rows, after comments, and EXPLAIN, which must get the text that is run. Others are
// rare, and some take effect when they are compiled.
var worthKeeping = regexp.MustCompile(`(?i)^(?:\s+|--[^\n]*\n|/\*.*?\*/)*` +
	`(?:EXPLAIN|SELECT|INSERT|UPDATE|DELETE|WITH)\b`)

// boundLimit matches a limit that is a parameter. SQLite plans by the value of a limit, so it recompiles such a
// statement whenever a value is bound to it, even the same one; it ignores the value of an expression.
var boundLimit = regexp.MustCompile(`(?i)\bLIMIT\s+([?@:$][a-z0-9_]*)`)

// planned returns a query as it is compiled.
func planned(query string) string {
	return boundLimit.ReplaceAllString(strings.Replace(query, jobsToPromote, jobsToPromoteByQueue, 1), "LIMIT ($1 + 0)")
}

// statement returns the cached statement of a query for the caller to use; nil if it is in use or not worth caching.
func (c *compilingConn) statement(ctx context.Context, query string) (*compiled, error) {
	if kept, ok := c.byQuery[query]; ok {
		s := kept.Value.(*compiled)
		if s.busy {
			return nil, nil
		}
		c.recent.MoveToFront(kept)
		return s, nil
	}
	if len(query) > maxCompiledText || !worthKeeping.MatchString(query) {
		return nil, nil
	}
	if err := c.makeRoom(); err != nil {
		return nil, err
	}
	prepared, err := c.PrepareContext(ctx, planned(query))
	if err != nil {
		return nil, err
	}
	s := &compiled{query: query, stmt: prepared.(compiledStmt)}
	c.byQuery[query] = c.recent.PushFront(s)
	return s, nil
}

// makeRoom evicts the least recently used statements, so that one more can be cached.
func (c *compilingConn) makeRoom() error {
	for e := c.recent.Back(); e != nil && c.recent.Len() >= maxCompiled; {
		s, before := e.Value.(*compiled), e.Prev()
		if !s.busy {
			c.recent.Remove(e)
			delete(c.byQuery, s.query)
			if err := s.stmt.Close(); err != nil {
				return err
			}
		}
		e = before
	}
	return nil
}

// BeginTx begins a transaction.
func (c *compilingConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	tx, err := c.sqliteConn.BeginTx(ctx, opts)
	if err != nil || c.committed == nil {
		return tx, err
	}
	return signalingTx{tx, c.committed}, nil
}

// ExecContext runs a statement that returns no rows.
func (c *compilingConn) ExecContext(ctx context.Context, query string,
	args []driver.NamedValue) (driver.Result, error) {
	s, err := c.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.sqliteConn.ExecContext(ctx, query, args)
	}
	return s.stmt.ExecContext(ctx, args)
}

// QueryContext runs a query.
func (c *compilingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.sqliteConn.QueryContext(ctx, query, args)
	}
	rows, err := s.stmt.QueryContext(ctx, args)
	if err != nil {
		return nil, err
	}
	s.busy = true
	return &compiledRows{Rows: rows, of: s}, nil
}

// Close closes the connection and its cached statements.
func (c *compilingConn) Close() error {
	var errs []error
	for e := c.recent.Front(); e != nil; e = e.Next() {
		errs = append(errs, e.Value.(*compiled).stmt.Close())
	}
	clear(c.byQuery)
	c.recent.Init()
	return errors.Join(errors.Join(errs...), c.sqliteConn.Close())
}

// compiledRows are rows that release their statement when they are closed.
type compiledRows struct {
	driver.Rows
	of     *compiled
	closed bool
}

// Close closes the rows. A second call must do nothing: the statement may be in use again by then.
func (r *compiledRows) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	err := r.Rows.Close() // also resets the statement if it returns the error that ended the rows
	r.of.busy = false
	return err
}
