package provider

import (
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"time"

	"crier"
)

// Secret is a credential. However it is printed or logged, its value does not show; encoding it is an error, so that
// it cannot be stored in the clear by accident.
type Secret string

const hidden = "[secret]"

// Reveal returns the value, for the one place that sends or seals it.
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

// MarshalText refuses: a secret is sealed, not encoded.
func (s Secret) MarshalText() ([]byte, error) {
	return nil, errors.New("a secret is not encoded: seal what Reveal returns")
}

// Token is what a network gave to act for an account.
type Token struct {
	Access  Secret
	Refresh Secret // empty where the network has none
	// ExpiresAt is when Access ends; zero means that it does not end by time.
	ExpiresAt time.Time
	// RefreshExpiresAt is when Refresh ends; zero means that it is not known.
	RefreshExpiresAt time.Time
	// Scopes are what was granted, which may be less than what was asked for.
	Scopes []string
	// Extra are further credentials that belong to the connection, such as the user token behind a page token.
	Extra map[string]Secret
}

// SharesWith reports whether both come from the same consent, so that ending one ends the other.
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
	// Details is what the connection carries, as its provider wrote it (SocialAccount.providerSettings): never a
	// secret.
	Details json.RawMessage
	Token   Token
}

// HasScope reports whether one of the scopes was granted.
func (a Account) HasScope(anyOf ...string) bool {
	return slices.ContainsFunc(anyOf, func(s string) bool { return slices.Contains(a.Scopes, s) })
}

// ConnectedAccount is an account that a consent gives access to.
type ConnectedAccount struct {
	ProviderAccountID string
	DisplayName       string
	Handle            string
	ImageURL          string
	SubType           string
	Details           json.RawMessage
	Token             Token
}

// Credentials are what a network gave to this installation.
type Credentials struct {
	ClientID     string
	ClientSecret Secret
}

// ConsentRequest is what a consent address is made from.
type ConsentRequest struct {
	RedirectURL string
	State       string
	// Verifier is the PKCE secret of this consent; the address carries its challenge where Info.PKCE asks for it.
	Verifier Secret
}

// CodeExchange is what the callback of a consent brought, with what the consent was asked for.
type CodeExchange struct {
	Code        Secret
	RedirectURL string
	Verifier    Secret
}
