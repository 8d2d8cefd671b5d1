package store

import (
	"context"
	"database/sql"
	"sync"
	"sync/atomic"
)

// statements prepares each query text once. SQLite compiles a query at every call otherwise, which costs more than
// running it; pgx keeps prepared statements by itself.
type statements struct {
	db       *sql.DB
	prepared sync.Map // query text → *sql.Stmt
	count    atomic.Int64
}

func cached(db *sql.DB) *statements { return &statements{db: db} }

// Generated texts, of which there may be many, must not fill the memory: long ones are not kept, nor more than a number.
const (
	maxPreparedLength = 4096
	maxPrepared       = 2000
)

func (s *statements) prepare(ctx context.Context, query string) *sql.Stmt {
	if stmt, ok := s.prepared.Load(query); ok {
		return stmt.(*sql.Stmt)
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

func (s *statements) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if stmt := s.prepare(ctx, query); stmt != nil { //nolint:sqlclosecheck // kept for the next call
		return stmt.QueryContext(ctx, args...)
	}
	return s.db.QueryContext(ctx, query, args...)
}

func (s *statements) QueryRowContext(ctx context.Context, query string, args ...any) scanner {
	if stmt := s.prepare(ctx, query); stmt != nil { //nolint:sqlclosecheck // kept for the next call
		return stmt.QueryRowContext(ctx, args...)
	}
	return s.db.QueryRowContext(ctx, query, args...)
}

func (s *statements) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return s.db.ExecContext(ctx, query, args...)
}
