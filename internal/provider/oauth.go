package provider

import (
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strings"
)

// ConsentAddress puts a query behind an address, in order, with %20 for spaces: not every network reads a plus there.
func ConsentAddress(base string, query []Field) string {
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
	return address.String()
}

// S256Challenge is the PKCE challenge of a verifier (RFC 7636, section 4.2).
func S256Challenge(verifier Secret) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// ScopeNames are the names of grants, in order.
func ScopeNames(grants []Grant) []string {
	names := make([]string, len(grants))
	for i, g := range grants {
		names[i] = g.Scope
	}
	return names
}
