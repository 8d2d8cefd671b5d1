package x

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"crier/internal/provider"
)

// ConsentURL is X's page where a person lets crier act for the account.
func (p *Provider) ConsentURL(r provider.ConsentRequest) (string, error) {
	return provider.ConsentAddress(p.consentURL+"/i/oauth2/authorize", p.credentials, []provider.Field{
		{Name: "response_type", Value: "code"},
		{Name: "client_id", Value: p.credentials.ClientID},
		{Name: "redirect_uri", Value: r.RedirectURL},
		{Name: "scope", Value: strings.Join(provider.ScopeNames(p.info.Scopes), " ")},
		{Name: "state", Value: r.State},
		{Name: "code_challenge", Value: provider.S256Challenge(r.Verifier)},
		{Name: "code_challenge_method", Value: "S256"},
	})
}

// Exchange turns the code into a token. Codes live for 30 seconds.
func (p *Provider) Exchange(ctx context.Context, r provider.CodeExchange) (provider.Token, error) {
	return p.token(ctx, provider.OpConnect, url.Values{
		"grant_type":    {"authorization_code"},
		"code":          {r.Code.Reveal()},
		"redirect_uri":  {r.RedirectURL},
		"code_verifier": {r.Verifier.Reveal()},
	}, r.Code, r.Verifier)
}

// Refresh renews the token. X's refresh tokens work once: the new pair has to be saved before it is used. When the
// answer is lost, the old one is probably spent; the next try then says that the account has to be connected again.
func (p *Provider) Refresh(ctx context.Context, a provider.Account) (provider.Token, error) {
	if a.Token.Refresh == "" {
		return provider.Token{}, &provider.Error{
			Kind: provider.AuthExpired, Code: provider.CodeAuthExpired, Scope: provider.ScopeAccount, Message: "the connection has no refresh token",
		}
	}
	token, err := p.token(ctx, provider.OpRefresh, url.Values{
		"grant_type":    {"refresh_token"},
		"refresh_token": {a.Token.Refresh.Reveal()},
	}, a.Token.Refresh)
	if err != nil {
		return provider.Token{}, err
	}
	if token.Refresh == "" {
		token.Refresh = a.Token.Refresh
	}
	if len(token.Scopes) == 0 {
		token.Scopes = a.Token.Scopes
	}
	return token, nil
}

func (p *Provider) token(ctx context.Context, op provider.Operation, form url.Values, secrets ...provider.Secret) (provider.Token, error) {
	answer, err := p.caller.Send(ctx, p.clientRequest(op, "/2/oauth2/token", form, secrets))
	if err != nil {
		return provider.Token{}, err
	}
	if !answer.OK() {
		return provider.Token{}, classifyToken(answer, p.now())
	}
	var t tokenAnswer
	if err := answer.Decode(&t); err != nil {
		return provider.Token{}, err
	}
	if t.AccessToken == "" {
		return provider.Token{}, answer.Unavailable("X answered without a token")
	}
	return provider.Token{
		Access:    provider.Secret(t.AccessToken),
		Refresh:   provider.Secret(t.RefreshToken),
		ExpiresAt: p.now().Add(time.Duration(t.ExpiresIn) * time.Second).UTC(),
		Scopes:    strings.Fields(t.Scope),
	}, nil
}

// clientRequest is a form that crier itself sends: with its secret, or with its id alone when it has none.
func (p *Provider) clientRequest(op provider.Operation, path string, form url.Values, secrets []provider.Secret) provider.Request {
	r := provider.Request{Operation: op, Method: http.MethodPost, URL: p.apiURL + path, Secrets: secrets}
	if p.credentials.ClientSecret == "" {
		form.Set("client_id", p.credentials.ClientID)
	} else {
		r.Basic = &p.credentials
	}
	r.Body = provider.FormBody(form)
	return r
}

// Revoke ends the refresh token and the access token: X ends only the one that is named. A token that is dead already is
// refused by X, which is as good.
func (p *Provider) Revoke(ctx context.Context, a provider.Account) error {
	if a.Token.Refresh != "" {
		if err := p.revoke(ctx, a.Token.Refresh, "refresh_token"); err != nil {
			return err
		}
	}
	return p.revoke(ctx, a.Token.Access, "access_token")
}

func (p *Provider) revoke(ctx context.Context, token provider.Secret, kind string) error {
	form := url.Values{"token": {token.Reveal()}, "token_type_hint": {kind}}
	answer, err := p.caller.Send(ctx, p.clientRequest(provider.OpConnect, "/2/oauth2/revoke", form, []provider.Secret{token}))
	if err != nil {
		return err
	}
	if answer.OK() {
		return nil
	}
	if e := classifyToken(answer, p.now()); e.Kind != provider.AuthExpired {
		return e
	}
	return nil
}

// profilePath asks for what is known of the token's own account.
const profilePath = "/2/users/me?user.fields=id,name,username,profile_image_url,verified,verified_type,subscription_type,protected,public_metrics"

// Accounts is the one account that a consent is for.
func (p *Provider) Accounts(ctx context.Context, t provider.Token) ([]provider.ConnectedAccount, error) {
	account, err := p.Profile(ctx, provider.Account{Token: t})
	if err != nil {
		return nil, err
	}
	account.Token = t
	return []provider.ConnectedAccount{account}, nil
}

// Profile reads the account that the token belongs to.
func (p *Provider) Profile(ctx context.Context, a provider.Account) (provider.ConnectedAccount, error) {
	var answer userAnswer
	if err := p.get(ctx, a, profilePath, &answer); err != nil {
		return provider.ConnectedAccount{}, err
	}
	user := answer.Data
	encoded, err := json.Marshal(details{SubscriptionType: user.SubscriptionType, VerifiedType: user.VerifiedType, Protected: user.Protected})
	if err != nil || user.ID == "" {
		return provider.ConnectedAccount{}, &provider.Error{
			Kind: provider.Temporary, Code: provider.CodeProviderUnavailable, Message: "X did not say whose token it is", Err: err,
		}
	}
	return provider.ConnectedAccount{
		ProviderAccountID: user.ID,
		DisplayName:       user.Name,
		Handle:            user.Username,
		ImageURL:          strings.Replace(user.ProfileImageURL, "_normal.", ".", 1), // without the suffix it has its full size
		Details:           encoded,
	}, nil
}
