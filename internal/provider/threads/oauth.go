package threads

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"crier/internal/provider"
	"crier/internal/provider/graph"
)

// ConsentURL returns the URL of Threads' consent page.
func (p *Provider) ConsentURL(r provider.ConsentRequest) (string, error) {
	return provider.ConsentAddress(p.consentURL+"/oauth/authorize", p.tokens.Credentials, []provider.Field{
		{Name: "client_id", Value: p.tokens.Credentials.ClientID},
		{Name: "redirect_uri", Value: r.RedirectURL},
		{Name: "scope", Value: strings.Join(provider.ScopeNames(p.info.Scopes), ",")},
		{Name: "response_type", Value: "code"},
		{Name: "state", Value: r.State},
	})
}

// Exchange exchanges the code for a token of an hour, and that for one of 60 days.
func (p *Provider) Exchange(ctx context.Context, r provider.CodeExchange) (provider.Token, error) {
	code, secret := graph.CleanCode(r.Code), p.tokens.Credentials.ClientSecret
	short, err := p.token(ctx, provider.OpConnect, http.MethodPost, "/oauth/access_token", url.Values{
		"client_id": {p.tokens.Credentials.ClientID}, "client_secret": {secret.Reveal()},
		"grant_type": {"authorization_code"}, "redirect_uri": {r.RedirectURL}, "code": {code.Reveal()},
	}, code, secret)
	if err != nil {
		return provider.Token{}, err
	}
	token, err := p.token(ctx, provider.OpConnect, http.MethodGet, "/access_token", url.Values{
		"grant_type": {"th_exchange_token"}, "client_secret": {secret.Reveal()},
		"access_token": {short.Access.Reveal()},
	}, short.Access, secret)
	if err != nil {
		return provider.Token{}, err
	}
	token.Scopes = p.grantedScopes(ctx, token.Access)
	return token, nil
}

// grantedScopes reads the granted scopes, which may be fewer than requested. If Threads does not return them, all count
// as granted: a missing one shows when it is needed.
func (p *Provider) grantedScopes(ctx context.Context, token provider.Secret) []string {
	var answer struct {
		Data struct {
			Scopes []string `json:"scopes"`
		} `json:"data"`
	}
	host := p.api.WithBase(p.hostURL) // the path has no version
	err := host.Get(ctx, token, "/debug_token?input_token="+url.QueryEscape(token.Reveal()), &answer)
	if err != nil || len(answer.Data.Scopes) == 0 {
		return provider.ScopeNames(p.info.Scopes)
	}
	return answer.Data.Scopes
}

// Refresh extends the token by 60 days. Threads has no refresh token: the access token is refreshed with itself, from a
// day after it was issued until it expires.
func (p *Provider) Refresh(ctx context.Context, a provider.Account) (provider.Token, error) {
	token, err := p.token(ctx, provider.OpRefresh, http.MethodGet, "/refresh_access_token", url.Values{
		"grant_type": {"th_refresh_token"}, "access_token": {a.Token.Access.Reveal()},
	}, a.Token.Access)
	if err != nil {
		return provider.Token{}, err
	}
	token.Scopes, token.Extra = a.Token.Scopes, a.Token.Extra
	return token, nil
}

func (p *Provider) token(ctx context.Context, op provider.Operation, method, path string, values url.Values,
	secrets ...provider.Secret) (provider.Token, error) {
	return graph.FetchToken(ctx, p.tokens, graph.TokenRequest{
		Operation: op, Method: method, URL: p.hostURL + path, Values: values, Secrets: secrets,
	})
}

// Accounts returns the only account of a consent.
func (p *Provider) Accounts(ctx context.Context, t provider.Token) ([]provider.ConnectedAccount, error) {
	account, err := p.Profile(ctx, provider.Account{Token: t})
	if err != nil {
		return nil, err
	}
	account.Token = t
	return []provider.ConnectedAccount{account}, nil
}

// Profile reads the token's account.
func (p *Provider) Profile(ctx context.Context, a provider.Account) (provider.ConnectedAccount, error) {
	var user profileAnswer
	if err := p.api.Get(ctx, a.Token.Access, "/me?fields=id,username,name,threads_profile_picture_url,is_verified",
		&user); err != nil {
		return provider.ConnectedAccount{}, err
	}
	encoded, err := json.Marshal(details{Verified: user.Verified})
	if err != nil || user.ID == "" {
		return provider.ConnectedAccount{}, &provider.Error{
			Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "Threads did not say whose token it is", Err: err,
		}
	}
	return provider.ConnectedAccount{
		ProviderAccountID: string(user.ID),
		DisplayName:       cmp.Or(user.Name, user.Username),
		Handle:            user.Username,
		ImageURL:          user.Picture,
		Details:           encoded,
	}, nil
}
