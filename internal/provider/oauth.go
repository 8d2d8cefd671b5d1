package provider

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
)

// ErrNoCredentials means that this installation has no credentials for the network.
var ErrNoCredentials = errors.New("the network gave no credentials to this installation")

// ConsentAddress appends a query to a URL, in order, with spaces as %20, because not every network decodes a plus. It
// fails without credentials.
func ConsentAddress(base string, c Credentials, query []Field) (string, error) {
	if c.ClientID == "" {
		return "", ErrNoCredentials
	}
	var address strings.Builder
	address.WriteString(base)
	for i, f := range query {
		if i == 0 {
			address.WriteByte('?')
		} else {
			address.WriteByte('&')
		}
		address.WriteString(f.Name + "=" + strings.ReplaceAll(url.QueryEscape(f.Value), "+", "%20"))
	}
	return address.String(), nil
}

// S256Challenge returns the PKCE challenge of a verifier (RFC 7636, section 4.2).
func S256Challenge(verifier Secret) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// ScopeNames returns the names of grants, in order.
func ScopeNames(grants []Grant) []string {
	names := make([]string, len(grants))
	for i, g := range grants {
		names[i] = g.Scope
	}
	return names
}
