package tiktok

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"crier/internal/provider"
)

// ConsentURL is TikTok's page where a person lets crier act for the account. The challenge is written in hexadecimal,
// unlike in RFC 7636 (Login Kit for desktop).
func (p *Provider) ConsentURL(r provider.ConsentRequest) (string, error) {
	query := []provider.Field{
		{Name: "client_key", Value: p.credentials.ClientID},
		{Name: "response_type", Value: "code"},
		{Name: "scope", Value: strings.Join(provider.ScopeNames(p.info.Scopes), ",")},
		{Name: "redirect_uri", Value: r.RedirectURL},
		{Name: "state", Value: r.State},
	}
	if p.info.PKCE {
		sum := sha256.Sum256([]byte(r.Verifier.Reveal()))
		query = append(query,
			provider.Field{Name: "code_challenge", Value: hex.EncodeToString(sum[:])}, provider.Field{Name: "code_challenge_method", Value: "S256"})
	}
	return provider.ConsentAddress(p.consentURL+"/v2/auth/authorize/", p.credentials, query)
}

// Exchange turns the code into a token.
func (p *Provider) Exchange(ctx context.Context, r provider.CodeExchange) (provider.Token, error) {
	form := url.Values{
		"grant_type":   {"authorization_code"},
		"code":         {r.Code.Reveal()},
		"redirect_uri": {r.RedirectURL},
	}
	if p.info.PKCE {
		form.Set("code_verifier", r.Verifier.Reveal())
	}
	return p.token(ctx, provider.OpConnect, form, r.Code, r.Verifier)
}

// Refresh renews the token. TikTok's refresh tokens work once: the new pair has to be saved before it is used. When the
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
		token.Refresh, token.RefreshExpiresAt = a.Token.Refresh, a.Token.RefreshExpiresAt
	}
	if len(token.Scopes) == 0 {
		token.Scopes = a.Token.Scopes
	}
	return token, nil
}

func (p *Provider) token(ctx context.Context, op provider.Operation, form url.Values, secrets ...provider.Secret) (provider.Token, error) {
	answer, err := p.caller.Send(ctx, p.clientRequest(op, "/v2/oauth/token/", form, secrets))
	if err != nil {
		return provider.Token{}, err
	}
	var t tokenAnswer
	if err := json.Unmarshal(answer.Body, &t); err != nil || !answer.OK() || t.OAuthError != "" {
		return provider.Token{}, classifyToken(answer)
	}
	if t.AccessToken == "" {
		return provider.Token{}, answer.Unavailable("TikTok answered without a token")
	}
	token := provider.Token{
		Access:    provider.Secret(t.AccessToken),
		Refresh:   provider.Secret(t.RefreshToken),
		ExpiresAt: p.after(t.ExpiresIn),
		Scopes:    splitScopes(t.Scope),
	}
	if t.RefreshExpiresIn > 0 {
		token.RefreshExpiresAt = p.after(t.RefreshExpiresIn)
	}
	return token, nil
}

func splitScopes(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

func (p *Provider) after(seconds int64) time.Time {
	return p.now().Add(time.Duration(seconds) * time.Second).UTC()
}

// clientRequest is a form that crier itself sends, with its key and secret.
func (p *Provider) clientRequest(op provider.Operation, path string, form url.Values, secrets []provider.Secret) provider.Request {
	form.Set("client_key", p.credentials.ClientID)
	form.Set("client_secret", p.credentials.ClientSecret.Reveal())
	return provider.Request{
		Operation: op, Method: http.MethodPost, URL: p.apiURL + path, Body: provider.FormBody(form),
		Secrets: append(secrets, p.credentials.ClientSecret),
	}
}

// Revoke ends the connection. TikTok calls a token that is dead already an invalid request, which is as good.
func (p *Provider) Revoke(ctx context.Context, a provider.Account) error {
	form := url.Values{"token": {a.Token.Access.Reveal()}}
	answer, err := p.caller.Send(ctx, p.clientRequest(provider.OpConnect, "/v2/oauth/revoke/", form, []provider.Secret{a.Token.Access}))
	if err != nil {
		return err
	}
	var oauth tokenAnswer
	if len(answer.Body) > 0 && json.Unmarshal(answer.Body, &oauth) != nil {
		oauth = tokenAnswer{} // no JSON: the status has to do
	}
	switch oauth.OAuthError {
	case "invalid_request", "invalid_grant", "access_token_invalid":
		return nil
	case "":
		if answer.OK() {
			return nil
		}
	}
	return classifyToken(answer)
}

// Accounts is the one account that a consent is for.
func (p *Provider) Accounts(ctx context.Context, t provider.Token) ([]provider.ConnectedAccount, error) {
	account, err := p.Profile(ctx, provider.Account{Token: t, Scopes: t.Scopes})
	if err != nil {
		return nil, err
	}
	account.Token = t
	return []provider.ConnectedAccount{account}, nil
}

// Profile reads the account that the token belongs to, and what it may post. The second is missing for accounts that may
// not post at the moment.
func (p *Provider) Profile(ctx context.Context, a provider.Account) (provider.ConnectedAccount, error) {
	fields := "open_id,union_id,avatar_url,display_name"
	if a.HasScope(scopeProfile) {
		fields += ",username" // asking without the scope is an error
	}
	user, err := p.readUser(ctx, a, fields)
	if err != nil {
		return provider.ConnectedAccount{}, err
	}
	d := details{UnionID: user.User.UnionID}
	var creator creatorInfo
	if a.HasScope(scopePublish) && p.read(ctx, a, creatorPath, nil, &creator) == nil {
		d.PrivacyLevelOptions, d.MaxVideoDurationSec = creator.PrivacyLevels, creator.MaxVideoSeconds
		d.CommentDisabled, d.DuetDisabled, d.StitchDisabled = creator.CommentDisabled, creator.DuetDisabled, creator.StitchDisabled
	}
	encoded, err := json.Marshal(d)
	if err != nil || user.User.OpenID == "" {
		return provider.ConnectedAccount{}, &provider.Error{
			Kind: provider.Temporary, Code: provider.CodeProviderUnavailable, Message: "TikTok did not say whose token it is", Err: err,
		}
	}
	return provider.ConnectedAccount{
		ProviderAccountID: user.User.OpenID,
		DisplayName:       user.User.DisplayName,
		Handle:            firstOf(user.User.Username, creator.Username),
		ImageURL:          user.User.AvatarURL,
		Details:           encoded,
	}, nil
}

func (p *Provider) readUser(ctx context.Context, a provider.Account, fields string) (userAnswer, error) {
	var answer userAnswer
	err := p.send(ctx, a, provider.Request{
		Operation: provider.OpRead, Method: http.MethodGet, URL: "/v2/user/info/?fields=" + fields,
	}, nil, &answer)
	return answer, err
}
