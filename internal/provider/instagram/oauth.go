package instagram

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

// ConsentURL returns the URL of the consent page for the account, or for the accounts behind the person's Pages.
func (p *Provider) ConsentURL(r provider.ConsentRequest) (string, error) {
	if p.mode == FacebookLogin {
		return p.login.ConsentURL(r)
	}
	return provider.ConsentAddress(p.consentURL+"/oauth/authorize", p.tokens.Credentials, []provider.Field{
		{Name: "client_id", Value: p.tokens.Credentials.ClientID},
		{Name: "redirect_uri", Value: r.RedirectURL},
		{Name: "response_type", Value: "code"},
		{Name: "scope", Value: strings.Join(provider.ScopeNames(p.info.Scopes), ",")},
		{Name: "state", Value: r.State},
	})
}

// Exchange exchanges the code for a token of an hour, and that for one of 60 days.
func (p *Provider) Exchange(ctx context.Context, r provider.CodeExchange) (provider.Token, error) {
	if p.mode == FacebookLogin {
		return p.login.Exchange(ctx, r)
	}
	code, secret := graph.CleanCode(r.Code), p.tokens.Credentials.ClientSecret
	short, err := p.token(ctx, graph.TokenRequest{
		Operation: provider.OpConnect, Method: http.MethodPost, URL: p.codeURL + "/oauth/access_token",
		Secrets: []provider.Secret{code, secret},
		Values: url.Values{
			"client_id": {p.tokens.Credentials.ClientID}, "client_secret": {secret.Reveal()},
			"grant_type": {"authorization_code"}, "redirect_uri": {r.RedirectURL}, "code": {code.Reveal()},
		},
	})
	if err != nil {
		return provider.Token{}, err
	}
	token, err := p.token(ctx, graph.TokenRequest{
		Operation: provider.OpConnect, Method: http.MethodGet, URL: p.hostURL + "/access_token",
		Secrets: []provider.Secret{short.Access, secret},
		Values: url.Values{"grant_type": {"ig_exchange_token"}, "client_secret": {secret.Reveal()},
			"access_token": {short.Access.Reveal()}},
	})
	token.Scopes = short.Scopes
	return token, err
}

// Refresh extends the token by 60 days. Instagram has no refresh token: the access token is refreshed with itself, from
// a day after it was issued until it expires. A Page token does not expire, so one that is rejected is invalid.
func (p *Provider) Refresh(ctx context.Context, a provider.Account) (provider.Token, error) {
	if p.modeOf(a) == FacebookLogin {
		return provider.Token{}, &provider.Error{
			Kind: provider.AuthExpired, Code: provider.CodeAuthExpired, Scope: provider.ScopeAccount,
			Message: "the token of a Page cannot be renewed: the account has to be connected again",
		}
	}
	token, err := p.token(ctx, graph.TokenRequest{
		Operation: provider.OpRefresh, Method: http.MethodGet, URL: p.hostURL + "/refresh_access_token",
		Secrets: []provider.Secret{a.Token.Access},
		Values:  url.Values{"grant_type": {"ig_refresh_token"}, "access_token": {a.Token.Access.Reveal()}},
	})
	if err != nil {
		return provider.Token{}, err
	}
	token.Scopes, token.Extra = a.Token.Scopes, a.Token.Extra
	return token, nil
}

func (p *Provider) token(ctx context.Context, r graph.TokenRequest) (provider.Token, error) {
	return graph.FetchToken(ctx, p.tokens, r)
}

// Accounts returns the only account of Instagram's login, or those behind the person's Pages.
func (p *Provider) Accounts(ctx context.Context, t provider.Token) ([]provider.ConnectedAccount, error) {
	if p.mode == FacebookLogin {
		return p.accountsOfPages(ctx, t)
	}
	account, err := p.Profile(ctx, provider.Account{Token: t})
	if err != nil {
		return nil, err
	}
	account.Token = t
	return []provider.ConnectedAccount{account}, nil
}

// accountsOfPages lists the professional accounts behind Pages. Each uses the token of its Page.
func (p *Provider) accountsOfPages(ctx context.Context, t provider.Token) ([]provider.ConnectedAccount, error) {
	pages, err := p.login.Pages(ctx, t,
		"id,name,access_token,tasks,instagram_business_account{id,username,name,profile_picture_url}")
	if err != nil {
		return nil, err
	}
	accounts := []provider.ConnectedAccount{}
	for _, page := range pages {
		if page.Instagram == nil || page.Instagram.ID == "" {
			continue
		}
		encoded, err := json.Marshal(details{AuthMode: FacebookLogin, PageID: string(page.ID), PageName: page.Name})
		if err != nil {
			return nil, unknownAccount(err)
		}
		accounts = append(accounts, provider.ConnectedAccount{
			ProviderAccountID: string(page.Instagram.ID),
			DisplayName:       cmp.Or(page.Instagram.Name, page.Instagram.Username),
			Handle:            page.Instagram.Username,
			ImageURL:          page.Instagram.Picture,
			SubType:           "business",
			Details:           encoded,
			Token:             page.Token(t),
		})
	}
	return accounts, nil
}

// Profile reads the account.
func (p *Provider) Profile(ctx context.Context, a provider.Account) (provider.ConnectedAccount, error) {
	path, d := "/me?fields=user_id,username,name,account_type,profile_picture_url", decodeDetails(a)
	d.AuthMode = p.modeOf(a)
	if d.AuthMode == FacebookLogin {
		path = "/" + url.PathEscape(a.ProviderAccountID) + "?fields=id,username,name,profile_picture_url"
	}
	var answer profileAnswer
	if err := p.api.Get(ctx, a.Token.Access, path, &answer); err != nil {
		return provider.ConnectedAccount{}, err
	}
	user := answer.one()
	id := cmp.Or(string(user.UserID), string(user.ID))
	d.AccountType = cmp.Or(user.AccountType, d.AccountType)
	encoded, err := json.Marshal(d)
	if err != nil || id == "" {
		return provider.ConnectedAccount{}, unknownAccount(err)
	}
	return provider.ConnectedAccount{
		ProviderAccountID: id,
		DisplayName:       cmp.Or(user.Name, user.Username),
		Handle:            user.Username,
		ImageURL:          user.Picture,
		SubType:           subTypes[user.AccountType],
		Details:           encoded,
	}, nil
}

// subTypes are the kinds of professional accounts; personal ones cannot be connected.
var subTypes = map[string]string{"": "business", "BUSINESS": "business", "MEDIA_CREATOR": "creator"}

func unknownAccount(err error) error {
	return &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
		Message: "Instagram did not say whose token it is", Err: err}
}

// one returns the account from either form of the response.
func (a profileAnswer) one() profile {
	if len(a.Data) > 0 {
		return a.Data[0]
	}
	return a.profile
}
