package provider

import (
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"time"

	"crier"
)

// Secret is a credential. Printing or logging it does not reveal the value; encoding it is an error, so that it cannot
// be stored in plain text by accident.
type Secret string

const hidden = "[secret]"

// Reveal returns the value. Only code that sends or seals it may call this.
func (s Secret) Reveal() string { return string(s) }

// String hides the value.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return hidden
}

// GoString hides the value.
func (s Secret) GoString() string { return s.String() }

// LogValue hides the value.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText always fails: a secret is sealed, not encoded.
func (s Secret) MarshalText() ([]byte, error) {
	return nil, errors.New("a secret is not encoded: seal what Reveal returns")
}

// Token holds the credentials with which crier acts for an account.
type Token struct {
	Access  Secret
	Refresh Secret // empty where the network issues none
	// ExpiresAt is when Access expires; zero means that it does not expire.
	ExpiresAt time.Time
	// RefreshExpiresAt is when Refresh expires; zero means unknown.
	RefreshExpiresAt time.Time
	// Scopes are the granted scopes, which may be fewer than requested.
	Scopes []string
	// Extra holds further credentials of the connection, such as the user token behind a page token.
	Extra map[string]Secret
}

// SharesWith reports whether both tokens come from the same consent, so that revoking one revokes the other.
func (t Token) SharesWith(other Token) bool {
	if t.Refresh != "" || other.Refresh != "" {
		return t.Refresh == other.Refresh
	}
	return t.Access == other.Access
}

// Account is a connected account as a provider sees it. Token is empty in Check and InfoFor.
type Account struct {
	ID                crier.ID
	ProviderAccountID string
	Handle            string
	SubType           string // SocialAccount.accountSubType
	Scopes            []string
	// Details is the provider's own data about the connection (SocialAccount.providerSettings). It never holds a
	// secret.
	Details json.RawMessage
	Token   Token
}

// HasScope reports whether one of the scopes was granted.
func (a Account) HasScope(anyOf ...string) bool {
	return slices.ContainsFunc(anyOf, func(s string) bool { return slices.Contains(a.Scopes, s) })
}

// ConnectedAccount is an account that a consent grants access to.
type ConnectedAccount struct {
	ProviderAccountID string
	DisplayName       string
	Handle            string
	ImageURL          string
	SubType           string
	Details           json.RawMessage
	Token             Token
}

// Credentials are the app credentials that a network issued to this installation.
type Credentials struct {
	ClientID     string
	ClientSecret Secret
}

// ConsentRequest holds the parameters of a consent URL.
type ConsentRequest struct {
	RedirectURL string
	State       string
	// Verifier is the PKCE verifier of this consent; the URL carries its challenge where Info.PKCE is set.
	Verifier Secret
}

// CodeExchange holds the parameters of a consent's callback, and those the consent was requested with.
type CodeExchange struct {
	Code        Secret
	RedirectURL string
	Verifier    Secret
}
