package youtube

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"crier/internal/provider"
)

// ConsentURL returns the URL of Google's consent page, where a person chooses a channel. Only with offline access and a
// forced consent does Google issue a refresh token again.
func (p *Provider) ConsentURL(r provider.ConsentRequest) (string, error) {
	return provider.ConsentAddress(p.consentURL+"/o/oauth2/v2/auth", p.tokens.Credentials, []provider.Field{
		{Name: "client_id", Value: p.tokens.Credentials.ClientID},
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

// Exchange exchanges the code for a token.
func (p *Provider) Exchange(ctx context.Context, r provider.CodeExchange) (provider.Token, error) {
	return p.tokens.Exchange(ctx, r)
}

// Refresh refreshes the token. Google normally keeps the refresh token.
func (p *Provider) Refresh(ctx context.Context, a provider.Account) (provider.Token, error) {
	return p.tokens.Refresh(ctx, a.Token)
}

// Revoke revokes the refresh token, and with it the access token. An already invalid one is no error.
func (p *Provider) Revoke(ctx context.Context, a provider.Account) error {
	token := cmp.Or(a.Token.Refresh, a.Token.Access)
	answer, err := p.api.Caller.Send(ctx, provider.Request{
		Operation: provider.OpConnect, Method: http.MethodPost, SecretURL: true, Secrets: []provider.Secret{token},
		URL:  p.tokens.RevokeURL + "?token=" + url.QueryEscape(token.Reveal()),
		Body: provider.NoBody("application/x-www-form-urlencoded"),
	})
	if err != nil {
		return err
	}
	return p.tokens.Revoked(answer)
}

// channelPath reads the token's own channel.
const channelPath = "/youtube/v3/channels?part=snippet,statistics,contentDetails,status&mine=true"

// Accounts returns the only channel of the consent.
func (p *Provider) Accounts(ctx context.Context, t provider.Token) ([]provider.ConnectedAccount, error) {
	account, err := p.Profile(ctx, provider.Account{Token: t})
	if err != nil {
		return nil, err
	}
	account.Token = t
	return []provider.ConnectedAccount{account}, nil
}

// Profile reads the token's channel.
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
			Kind: provider.Temporary, Code: provider.CodeProviderUnavailable, Message: "the channel cannot be encoded",
			Err: err,
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
	if err := p.api.Get(ctx, a.Token.Access, channelPath, &answer); err != nil {
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
