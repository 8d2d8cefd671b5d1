package graph

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"crier/internal/provider"
)

// tokenAnswer is what the token endpoints answer: flat, or in a list of one.
type tokenAnswer struct {
	AccessToken string `json:"access_token"`
	ExpiresIn   int64  `json:"expires_in"`
	Permissions scopes `json:"permissions"`
	Data        []struct {
		AccessToken string `json:"access_token"`
		Permissions scopes `json:"permissions"`
	} `json:"data"`
}

// scopes are a list, or a text with commas.
type scopes []string

// UnmarshalJSON reads both spellings.
func (s *scopes) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*s = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
		return nil
	}
	return json.Unmarshal(data, (*[]string)(s))
}

// TokenRequest is a request to a token endpoint.
type TokenRequest struct {
	Operation provider.Operation
	// Method is GET, with the values in the query, or POST, with the values in a form.
	Method  string
	URL     string
	Values  url.Values
	Secrets []provider.Secret
}

// FetchToken asks a token endpoint for a token.
func FetchToken(ctx context.Context, caller *provider.Caller, now func() time.Time, r TokenRequest) (provider.Token, error) {
	request := provider.Request{Operation: r.Operation, Method: r.Method, URL: r.URL, Secrets: r.Secrets}
	if r.Method == http.MethodGet {
		request.URL += "?" + r.Values.Encode()
	} else {
		request.Body = provider.FormBody(r.Values)
	}
	answer, err := caller.Send(ctx, request)
	if err != nil {
		return provider.Token{}, err
	}
	if !answer.OK() {
		return provider.Token{}, ClassifyToken(answer)
	}
	var t tokenAnswer
	if err := answer.Decode(&t); err != nil {
		return provider.Token{}, err
	}
	if t.AccessToken == "" && len(t.Data) > 0 {
		t.AccessToken, t.Permissions = t.Data[0].AccessToken, t.Data[0].Permissions
	}
	if t.AccessToken == "" {
		return provider.Token{}, answer.Unavailable("the network answered without a token")
	}
	token := provider.Token{Access: provider.Secret(t.AccessToken), Scopes: t.Permissions}
	if t.ExpiresIn > 0 {
		token.ExpiresAt = now().Add(time.Duration(t.ExpiresIn) * time.Second).UTC()
	}
	return token, nil
}

// CleanCode is the code of a callback without the fragment that Meta puts behind it.
func CleanCode(code provider.Secret) provider.Secret {
	clean, _, _ := strings.Cut(code.Reveal(), "#")
	return provider.Secret(clean)
}
