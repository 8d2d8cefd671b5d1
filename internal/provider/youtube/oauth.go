package youtube

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"crier/internal/provider"
)

// ConsentURL is Google's page where a person chooses a channel and lets crier act for it. Only with offline access and
// a forced consent does Google hand out a refresh token again.
func (p *Provider) ConsentURL(r provider.ConsentRequest) (string, error) {
	return provider.ConsentAddress(p.consentURL+"/o/oauth2/v2/auth", p.credentials, []provider.Field{
		{Name: "client_id", Value: p.credentials.ClientID},
		{Name: "redirect_uri", Value: r.RedirectURL},
		{Name: "response_type", Value: "code"},
		{Name: "scope", Value: strings.Join(provider.ScopeNames(p.info.Scopes), " ")},
		{Name: "state", Value: r.State},
		{Name: "access_type", Value: "offline"},
		{Name: "prompt", Value: "consent"},
		{Name: "include_granted_scopes", Value: "true"},
		{Name: "code_challenge", Value: provider.S256Challenge(r.Verifier)},
		{Name: "code_challenge_method", Value: "S256"},
	})
}

// Exchange turns the code into a token.
func (p *Provider) Exchange(ctx context.Context, r provider.CodeExchange) (provider.Token, error) {
	return p.token(ctx, provider.OpConnect, url.Values{
		"grant_type":    {"authorization_code"},
		"code":          {r.Code.Reveal()},
		"redirect_uri":  {r.RedirectURL},
		"code_verifier": {r.Verifier.Reveal()},
	}, r.Code, r.Verifier)
}

// Refresh renews the token. Google normally keeps the refresh token as it is.
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
	form.Set("client_id", p.credentials.ClientID)
	form.Set("client_secret", p.credentials.ClientSecret.Reveal())
	answer, err := p.caller.Send(ctx, provider.Request{
		Operation: op, Method: http.MethodPost, URL: p.tokenURL + "/token", Body: provider.FormBody(form),
		Secrets: append(secrets, p.credentials.ClientSecret),
	})
	if err != nil {
		return provider.Token{}, err
	}
	if !answer.OK() {
		return provider.Token{}, p.classifyToken(answer)
	}
	var t tokenAnswer
	if err := answer.Decode(&t); err != nil {
		return provider.Token{}, err
	}
	if t.AccessToken == "" {
		return provider.Token{}, answer.Unavailable("Google answered without a token")
	}
	token := provider.Token{
		Access:    provider.Secret(t.AccessToken),
		Refresh:   provider.Secret(t.RefreshToken),
		ExpiresAt: p.after(t.ExpiresIn),
		Scopes:    strings.Fields(t.Scope),
	}
	if t.RefreshExpiresIn > 0 {
		token.RefreshExpiresAt = p.after(t.RefreshExpiresIn)
	}
	return token, nil
}

func (p *Provider) after(seconds int64) time.Time {
	return p.now().Add(time.Duration(seconds) * time.Second).UTC()
}

// Revoke ends the connection: the refresh token takes the access token with it. One that is dead already is no error.
func (p *Provider) Revoke(ctx context.Context, a provider.Account) error {
	token := a.Token.Refresh
	if token == "" {
		token = a.Token.Access
	}
	answer, err := p.caller.Send(ctx, provider.Request{
		Operation: provider.OpConnect, Method: http.MethodPost, SecretURL: true, Secrets: []provider.Secret{token},
		URL:  p.tokenURL + "/revoke?token=" + url.QueryEscape(token.Reveal()),
		Body: provider.NoBody("application/x-www-form-urlencoded"),
	})
	if err != nil {
		return err
	}
	if answer.OK() {
		return nil
	}
	if e := p.classifyToken(answer); e.Kind != provider.AuthExpired {
		return e
	}
	return nil
}

// channelPath asks for what is known of the token's own channel.
const channelPath = "/youtube/v3/channels?part=snippet,statistics,contentDetails,status&mine=true"

// Accounts is the one channel that the person chose.
func (p *Provider) Accounts(ctx context.Context, t provider.Token) ([]provider.ConnectedAccount, error) {
	account, err := p.Profile(ctx, provider.Account{Token: t})
	if err != nil {
		return nil, err
	}
	account.Token = t
	return []provider.ConnectedAccount{account}, nil
}

// Profile reads the channel that the token belongs to.
func (p *Provider) Profile(ctx context.Context, a provider.Account) (provider.ConnectedAccount, error) {
	own, err := p.ownChannel(ctx, a)
	if err != nil {
		return provider.ConnectedAccount{}, err
	}
	encoded, err := json.Marshal(details{
		UploadsPlaylistID: own.ContentDetails.RelatedPlaylists.Uploads, LongUploadsStatus: own.Status.LongUploads,
	})
	if err != nil {
		return provider.ConnectedAccount{}, &provider.Error{
			Kind: provider.Temporary, Code: provider.CodeProviderUnavailable, Message: "the channel cannot be noted", Err: err,
		}
	}
	return provider.ConnectedAccount{
		ProviderAccountID: own.ID,
		DisplayName:       own.Snippet.Title,
		Handle:            own.Snippet.CustomURL,
		ImageURL:          own.Snippet.Thumbnails["default"].URL,
		Details:           encoded,
	}, nil
}

func (p *Provider) ownChannel(ctx context.Context, a provider.Account) (channel, error) {
	var answer channelList
	if err := p.get(ctx, a, channelPath, &answer); err != nil {
		return channel{}, err
	}
	if len(answer.Items) == 0 || answer.Items[0].ID == "" {
		return channel{}, &provider.Error{
			Kind: provider.Rejected, Code: provider.CodeAccountRestricted, Scope: provider.ScopeAccount,
			Message: "this Google account has no YouTube channel: create one, then connect again",
		}
	}
	return answer.Items[0], nil
}
