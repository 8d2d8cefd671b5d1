package sim

import (
	"crypto/rand"
	"slices"
	"time"
)

// TokenKind tells what a token is good for.
type TokenKind string

// The kinds of tokens. A code is traded for the others once.
const (
	AccessToken  TokenKind = "access"
	RefreshToken TokenKind = "refresh"
)

// Token is what an app holds for an account.
type Token struct {
	Value     string    `json:"value"`
	Kind      TokenKind `json:"kind"`
	AccountID string    `json:"account"`
	// ClientID is the app; it is empty for seeded tokens, which belong to every app.
	ClientID string    `json:"client,omitempty"`
	Scopes   []string  `json:"scopes"`
	IssuedAt time.Time `json:"issued"`
	// ExpiresAt is zero for a token without an end.
	ExpiresAt time.Time `json:"expires,omitzero"`
	// Revoked is set when the token was taken back, or used up where it may be used once.
	Revoked bool `json:"revoked,omitempty"`
	// Seeded is set for tokens that describe themselves; they are remembered for good.
	Seeded bool `json:"seeded,omitempty"`
}

// Has tells whether all the scopes were granted.
func (t Token) Has(scopes ...string) bool {
	for _, scope := range scopes {
		if !slices.Contains(t.Scopes, scope) {
			return false
		}
	}
	return true
}

// Standing is what a token is worth at an instant.
type Standing int

// The standings of a token.
const (
	TokenUnknown Standing = iota
	TokenLive
	TokenExpired
	TokenRevoked
)

// Standing returns what the token is worth at an instant.
func (t Token) Standing(at time.Time) Standing {
	switch {
	case t.Value == "":
		return TokenUnknown
	case t.Revoked:
		return TokenRevoked
	case !t.ExpiresAt.IsZero() && !at.Before(t.ExpiresAt):
		return TokenExpired
	default:
		return TokenLive
	}
}

// tokenMemory is how long an expired token is still told apart from one that never was.
const tokenMemory = 30 * 24 * time.Hour

// Tokens is every token of a network. All methods need a running View or Update of the store.
type Tokens struct {
	table *Table[Token]
}

func newTokens(s *Store) *Tokens {
	t := &Tokens{table: NewTable[Token](s, "tokens")}
	t.table.Keep(func(token Token) bool {
		return token.Seeded || token.ExpiresAt.IsZero() || s.now().Before(token.ExpiresAt.Add(tokenMemory))
	})
	return t
}

// Watch calls fn for every change of a token; see [Table.Watch].
func (t *Tokens) Watch(fn func(value string, before, after *Token)) { t.table.Watch(fn) }

// Get returns a token that was issued or seen before. Seeded tokens are first seen by [Env.FindToken].
func (t *Tokens) Get(value string) (Token, bool) { return t.table.Get(value) }

// Issue makes and writes a token with a new value. Only the value and the instant are filled in; a lifetime of zero has
// no end.
func (t *Tokens) Issue(tx *Tx, prefix string, lifetime time.Duration, token Token) Token {
	token.Value = prefix + rand.Text()
	token.IssuedAt = tx.Now()
	if lifetime > 0 {
		token.ExpiresAt = tx.Now().Add(lifetime)
	}
	token.Seeded = false
	t.table.Put(tx, token.Value, token)
	return token
}

// Put writes a changed token.
func (t *Tokens) Put(tx *Tx, token Token) { t.table.Put(tx, token.Value, token) }

// Revoke makes a token worthless for good.
func (t *Tokens) Revoke(tx *Tx, token Token) {
	token.Revoked = true
	t.table.Put(tx, token.Value, token)
}
