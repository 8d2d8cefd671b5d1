package store

import (
	"context"
	"database/sql"
	"sync"
	"sync/atomic"
)

// statements caches prepared statements by query text. SQLite would compile a query at every call, which costs more
// than running it; pgx has a cache of its own.
type statements struct {
	db       *sql.DB
	prepared sync.Map // query text → *sql.Stmt
	count    atomic.Int64
}

func cached(db *sql.DB) *statements { return &statements{db: db} }

// Generated texts must not fill the memory: neither long ones nor more than a number are cached.
const (
	maxPreparedLength = 4096
	maxPrepared       = 2000
)

// known returns the statement of a query if there is one.
func (s *statements) known(query string) *sql.Stmt {
	if stmt, ok := s.prepared.Load(query); ok {
		return stmt.(*sql.Stmt)
	}
	return nil
}

func (s *statements) prepare(ctx context.Context, query string) *sql.Stmt {
	if stmt := s.known(query); stmt != nil {
		return stmt
	}
	if len(query) > maxPreparedLength || s.count.Load() >= maxPrepared {
		return nil
	}
	stmt, err := s.db.PrepareContext(ctx, query)
	if err != nil {
		return nil // the plain call reports the error where it can be handled
	}
	if other, loaded := s.prepared.LoadOrStore(query, stmt); loaded {
		_ = stmt.Close() //nolint:sqlclosecheck // the other one is kept
		return other.(*sql.Stmt)
	}
	s.count.Add(1)
	return stmt
}

func (s *statements) QueryContext(ctx context.Context, query string, args ...any) (found resultRows, err error) {
	if stmt := s.prepare(ctx, query); stmt != nil { //nolint:sqlclosecheck // kept for the next call
		found, err = stmt.QueryContext(ctx, args...) //nolint:rowserrcheck // by who reads them
	} else {
		found, err = s.db.QueryContext(ctx, query, args...) //nolint:rowserrcheck // by who reads them
	}
	if err != nil {
		return nil, err
	}
	return found, nil
}

// Ask runs the queries one after the other.
func (s *statements) Ask(ctx context.Context, questions ...question) error {
	return askEach(ctx, s, questions)
}

func (s *statements) QueryRowContext(ctx context.Context, query string, args ...any) scanner {
	if stmt := s.prepare(ctx, query); stmt != nil { //nolint:sqlclosecheck // kept for the next call
		return stmt.QueryRowContext(ctx, args...)
	}
	return s.db.QueryRowContext(ctx, query, args...)
}

func (s *statements) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if stmt := s.prepare(ctx, query); stmt != nil { //nolint:sqlclosecheck // kept for the next call
		return stmt.ExecContext(ctx, args...)
	}
	return s.db.ExecContext(ctx, query, args...)
}

// preparedTx runs the queries of a transaction of SQLite by the statements that were prepared for earlier ones. It has
// the only connection that writes, so what is new to it is prepared after its end.
type preparedTx struct {
	tx         *sql.Tx
	statements *statements
	unknown    []string
}

func (p *preparedTx) statement(ctx context.Context, query string) *sql.Stmt {
	if stmt := p.statements.known(query); stmt != nil {
		return p.tx.StmtContext(ctx, stmt)
	}
	p.unknown = append(p.unknown, query)
	return nil
}

func (p *preparedTx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if stmt := p.statement(ctx, query); stmt != nil { //nolint:sqlclosecheck // the transaction closes it
		return stmt.QueryContext(ctx, args...)
	}
	return p.tx.QueryContext(ctx, query, args...)
}

func (p *preparedTx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if stmt := p.statement(ctx, query); stmt != nil { //nolint:sqlclosecheck // the transaction closes it
		return stmt.QueryRowContext(ctx, args...)
	}
	return p.tx.QueryRowContext(ctx, query, args...)
}

func (p *preparedTx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if stmt := p.statement(ctx, query); stmt != nil { //nolint:sqlclosecheck // the transaction closes it
		return stmt.ExecContext(ctx, args...)
	}
	return p.tx.ExecContext(ctx, query, args...)
}
