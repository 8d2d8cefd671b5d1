package graph

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"crier/internal/provider"
)

// TokenRequest is a request to a token endpoint.
type TokenRequest struct {
	Operation provider.Operation
	// Method is GET, with the values in the query, or POST, with the values in a form.
	Method  string
	URL     string
	Values  url.Values
	Secrets []provider.Secret
}

// NewTokens returns the token endpoint of one of Meta's networks.
func NewTokens(network string, caller *provider.Caller, now func() time.Time, c provider.Credentials) provider.OAuth2 {
	return provider.OAuth2{Caller: caller, Now: now, Network: network, Credentials: c, Classify: ClassifyToken}
}

// FetchToken requests a token from a token endpoint.
func FetchToken(ctx context.Context, tokens provider.OAuth2, r TokenRequest) (provider.Token, error) {
	request := provider.Request{Operation: r.Operation, Method: r.Method, URL: r.URL, Secrets: r.Secrets}
	if r.Method == http.MethodGet {
		request.URL += "?" + r.Values.Encode()
	} else {
		request.Body = provider.FormBody(r.Values)
	}
	return tokens.Token(ctx, request)
}

// CleanCode returns the code of a callback without the fragment that Meta appends.
func CleanCode(code provider.Secret) provider.Secret {
	clean, _, _ := strings.Cut(code.Reveal(), "#")
	return provider.Secret(clean)
}
