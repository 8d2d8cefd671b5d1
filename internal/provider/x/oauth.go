package x

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"crier/internal/provider"
)

// ConsentURL returns the URL of X's consent page.
func (p *Provider) ConsentURL(r provider.ConsentRequest) (string, error) {
	return provider.ConsentAddress(p.consentURL+"/i/oauth2/authorize", p.tokens.Credentials, []provider.Field{
		{Name: "response_type", Value: "code"},
		{Name: "client_id", Value: p.tokens.Credentials.ClientID},
		{Name: "redirect_uri", Value: r.RedirectURL},
		{Name: "scope", Value: strings.Join(provider.ScopeNames(p.info.Scopes), " ")},
		{Name: "state", Value: r.State},
		{Name: "code_challenge", Value: provider.S256Challenge(r.Verifier)},
		{Name: "code_challenge_method", Value: "S256"},
	})
}

// Exchange exchanges the code for a token. Codes are valid for 30 seconds.
func (p *Provider) Exchange(ctx context.Context, r provider.CodeExchange) (provider.Token, error) {
	return p.tokens.Exchange(ctx, r)
}

// Refresh refreshes the token. X's refresh tokens work once: the new pair has to be saved before it is used. If the
// response is lost, the old one is probably used up; the next attempt then reports that the account has to be
// reconnected.
func (p *Provider) Refresh(ctx context.Context, a provider.Account) (provider.Token, error) {
	return p.tokens.Refresh(ctx, a.Token)
}

// Revoke revokes the refresh token and the access token: X revokes only the one that is named.
func (p *Provider) Revoke(ctx context.Context, a provider.Account) error {
	if a.Token.Refresh != "" {
		hint := url.Values{"token_type_hint": {"refresh_token"}}
		if err := p.tokens.Revoke(ctx, hint, a.Token.Refresh); err != nil {
			return err
		}
	}
	return p.tokens.Revoke(ctx, url.Values{"token_type_hint": {"access_token"}}, a.Token.Access)
}

// profilePath reads the token's own account.
const profilePath = "/2/users/me?user.fields=id,name,username,profile_image_url,verified,verified_type,subscription_type,protected,public_metrics"

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
	var answer userAnswer
	if err := p.api.Get(ctx, a.Token.Access, profilePath, &answer); err != nil {
		return provider.ConnectedAccount{}, err
	}
	user := answer.Data
	encoded, err := json.Marshal(details{SubscriptionType: user.SubscriptionType, VerifiedType: user.VerifiedType,
		Protected: user.Protected})
	if err != nil || user.ID == "" {
		return provider.ConnectedAccount{}, &provider.Error{
			Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "X did not say whose token it is", Err: err,
		}
	}
	return provider.ConnectedAccount{
		ProviderAccountID: user.ID,
		DisplayName:       user.Name,
		Handle:            user.Username,
		// full size without the suffix
		ImageURL: strings.Replace(user.ProfileImageURL, "_normal.", ".", 1),
		Details:  encoded,
	}, nil
}
