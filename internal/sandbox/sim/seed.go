package sim

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// seedMark distinguishes self-describing tokens from issued ones.
const seedMark = "seed."

// seedKey signs seeded tokens against typing errors. It is public: a sandbox protects nothing.
const seedKey = "crier sandbox seeds guard nothing"

// SeedTerms defines the form and lifetime of a network's seeded tokens.
type SeedTerms struct {
	Scopes         []string
	AccessPrefix   string
	AccessLifetime time.Duration
	// WithRefresh adds a refresh token.
	WithRefresh     bool
	RefreshPrefix   string
	RefreshLifetime time.Duration
}

// seedClaims is the content of a seeded token.
type seedClaims struct {
	Network  string    `json:"n"`
	Kind     TokenKind `json:"k"`
	Account  Account   `json:"a"`
	Scopes   []string  `json:"s"`
	Lifetime int64     `json:"l,omitempty"` // seconds
}

// NewSeed connects an account offline. The same account and terms always yield the same tokens.
func NewSeed(network string, a Account, terms SeedTerms) (Seed, error) {
	s := Seed{Network: network, AccountID: a.ID, Handle: a.Handle, DisplayName: a.Name, AccountKind: a.Kind,
		Scopes: terms.Scopes, ExpiresIn: terms.AccessLifetime}
	claims := seedClaims{Network: network, Kind: AccessToken, Account: a, Scopes: terms.Scopes,
		Lifetime: int64(terms.AccessLifetime / time.Second)}
	var err error
	if s.AccessToken, err = claims.token(terms.AccessPrefix); err != nil || !terms.WithRefresh {
		return s, err
	}
	claims.Kind, claims.Lifetime = RefreshToken, int64(terms.RefreshLifetime/time.Second)
	s.RefreshExpiresIn = terms.RefreshLifetime
	s.RefreshToken, err = claims.token(terms.RefreshPrefix)
	return s, err
}

func (c seedClaims) token(prefix string) (string, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("encode seed: %w", err)
	}
	body := base64.RawURLEncoding.EncodeToString(text)
	return prefix + seedMark + body + "." + seedSignature(body), nil
}

func seedSignature(body string) string {
	mac := hmac.New(sha256.New, []byte(seedKey))
	mac.Write([]byte(body))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:12])
}

// parseSeed decodes a self-describing token; ok is false for any other token.
func parseSeed(network, value string) (claims seedClaims, ok bool) {
	_, rest, found := strings.Cut(value, seedMark)
	body, signature, signed := strings.Cut(rest, ".")
	if !found || !signed || subtle.ConstantTimeCompare([]byte(signature), []byte(seedSignature(body))) != 1 {
		return claims, false
	}
	text, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil || json.Unmarshal(text, &claims) != nil {
		return claims, false
	}
	return claims, claims.Network == network
}
