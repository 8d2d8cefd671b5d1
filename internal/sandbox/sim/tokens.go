package sim

import (
	"crypto/rand"
	"slices"
	"time"
)

// TokenKind is the kind of a token.
type TokenKind string

// The kinds of tokens. A code is exchanged for the others once.
const (
	AccessToken  TokenKind = "access"
	RefreshToken TokenKind = "refresh"
)

// Token is an app's token for an account.
type Token struct {
	Value     string    `json:"value"`
	Kind      TokenKind `json:"kind"`
	AccountID string    `json:"account"`
	// ClientID is the app; it is empty for seeded tokens, which are valid for every app.
	ClientID string    `json:"client,omitempty"`
	Scopes   []string  `json:"scopes"`
	IssuedAt time.Time `json:"issued"`
	// ExpiresAt is zero for a token that does not expire.
	ExpiresAt time.Time `json:"expires,omitzero"`
	// Revoked is set if the token was revoked, or used if it may be used only once.
	Revoked bool `json:"revoked,omitempty"`
	// Seeded is set for self-describing tokens; they are kept permanently.
	Seeded bool `json:"seeded,omitempty"`
}

// Has reports whether all the scopes were granted.
func (t Token) Has(scopes ...string) bool {
	for _, scope := range scopes {
		if !slices.Contains(t.Scopes, scope) {
			return false
		}
	}
	return true
}

// Standing is the validity of a token at a time.
type Standing int

// The standings of a token.
const (
	TokenUnknown Standing = iota
	TokenLive
	TokenExpired
	TokenRevoked
)

// Standing returns the validity of the token at a time.
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

// tokenMemory is how long an expired token is distinguished from an unknown one.
const tokenMemory = 30 * 24 * time.Hour

// Tokens holds all tokens of a network. All methods need a running View or Update of the store.
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

// Get returns a known token. Seeded tokens are first recognized by [Env.FindToken].
func (t *Tokens) Get(value string) (Token, bool) { return t.table.Get(value) }

// Issue creates and writes a token with a new value. Only the value and the time are filled in; a lifetime of zero does
// not expire.
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

// Revoke revokes a token.
func (t *Tokens) Revoke(tx *Tx, token Token) {
	token.Revoked = true
	t.table.Put(tx, token.Value, token)
}
