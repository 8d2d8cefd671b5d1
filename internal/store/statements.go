package store

import (
	"container/list"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"regexp"

	"modernc.org/sqlite"
)

// A connection to SQLite keeps so many statements, of texts that are not longer. A compiled statement takes about
// 10 KiB, one with a list of hundreds of values ten times as much.
const (
	maxCompiled     = 300
	maxCompiledText = 4096
)

// openCompiled opens SQLite with connections that keep what they compile, for crier and for the job engine: compiling a
// statement takes longer than most statements take to run. pgx has a cache of its own. Transactions give a sign when
// they were committed, if there is somebody to see it.
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

// sqliteConn is all that database/sql asks of a connection and that the driver has.
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

// compilingConn is a connection that keeps the statements that were used last. database/sql has one call at a time on a
// connection.
type compilingConn struct {
	sqliteConn
	committed chan<- struct{}
	byQuery   map[string]*list.Element
	recent    *list.List // of *compiled, the last used first
}

// compiled is a statement that is kept.
type compiled struct {
	query string
	stmt  compiledStmt
	// busy is true while rows of it are read.
	busy bool
}

type compiledStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// worthKeeping matches statements on rows, behind comments, and EXPLAIN, which must get the text that is run. Others
// are rare, and some act when they are compiled.
var worthKeeping = regexp.MustCompile(`(?i)^(?:\s+|--[^\n]*\n|/\*.*?\*/)*` +
	`(?:EXPLAIN|SELECT|INSERT|UPDATE|DELETE|WITH)\b`)

// boundLimit matches a limit that is bound. SQLite plans by the value of a limit, so it compiles such a statement anew
// whenever a value is bound to it, also to the same one; the value of an expression it does not look at.
var boundLimit = regexp.MustCompile(`(?i)\bLIMIT\s+([?@:$][a-z0-9_]*)`)

// statement returns the statement of a query, which is then the caller's; nil if it is in use or not worth keeping.
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
	prepared, err := c.PrepareContext(ctx, boundLimit.ReplaceAllString(query, "LIMIT ($1 + 0)"))
	if err != nil {
		return nil, err
	}
	s := &compiled{query: query, stmt: prepared.(compiledStmt)}
	c.byQuery[query] = c.recent.PushFront(s)
	return s, nil
}

// makeRoom forgets what was not used for the longest time, so that one more can be kept.
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
	return tellingTx{tx, c.committed}, nil
}

// ExecContext runs a statement that returns nothing.
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

// Close closes the connection and all that it keeps.
func (c *compilingConn) Close() error {
	var errs []error
	for e := c.recent.Front(); e != nil; e = e.Next() {
		errs = append(errs, e.Value.(*compiled).stmt.Close())
	}
	clear(c.byQuery)
	c.recent.Init()
	return errors.Join(errors.Join(errs...), c.sqliteConn.Close())
}

// compiledRows are rows whose statement is free for the next call when they are closed.
type compiledRows struct {
	driver.Rows
	of     *compiled
	closed bool
}

// Close ends the reading. A second call must not: the statement may be another one's by then.
func (r *compiledRows) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	err := r.Rows.Close() // it resets the statement also where it returns what had ended the reading
	r.of.busy = false
	return err
}
