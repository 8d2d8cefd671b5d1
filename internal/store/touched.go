package store

import (
	"context"
	"database/sql"
	"regexp"
	"sync"
	"sync/atomic"
)

// touched records what the statements of a transaction may have changed. It inspects their texts, so that no method can
// forget to report it.
type touched struct{ credentials bool }

var (
	changesCredentials = regexp.MustCompile(
		`(?i)\b(insert into|update|delete from) (api_keys|api_key_secrets|users|sessions|access_tokens|token_families)\b`)
	// countsOnly matches statements that only change a counter.
	countsOnly = regexp.MustCompile(`(?i)\bset organization_count = organization_count [+-] (1|\$\d+) where\b`)
	// touches caches the result for a number of texts.
	touches      sync.Map // query text → bool
	touchesCount atomic.Int64
)

// Generated texts must not fill the memory: long ones are not cached, and the number of texts is limited.
const (
	maxTouchesText = 4096
	maxTouches     = 2000
)

func (t *touched) note(query string) {
	known, ok := touches.Load(query)
	if !ok {
		known = changesCredentials.MatchString(query) && !countsOnly.MatchString(query)
		if len(query) <= maxTouchesText && touchesCount.Add(1) <= maxTouches {
			touches.Store(query, known)
		}
	}
	t.credentials = t.credentials || known.(bool)
}

// CredentialChanges grows whenever this process commits a transaction that may have changed a credential: credentials
// that were read at a smaller number must be read again.
func (s *Store) CredentialChanges() int64 { return s.credentialChanges.Load() }

// watched is a SQLite transaction whose statements are recorded in touched.
type watched struct {
	direct
	*touched
}

func (w watched) QueryContext(ctx context.Context, query string, args ...any) (resultRows, error) {
	w.note(query)
	return w.direct.QueryContext(ctx, query, args...)
}

func (w watched) QueryRowContext(ctx context.Context, query string, args ...any) scanner {
	w.note(query)
	return w.direct.QueryRowContext(ctx, query, args...)
}

func (w watched) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	w.note(query)
	return w.direct.ExecContext(ctx, query, args...)
}
