package tiktok

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"crier/internal/provider"
)

// ConsentURL returns the URL of TikTok's consent page. The challenge is encoded in hexadecimal, unlike in RFC 7636
// (Login Kit for desktop).
func (p *Provider) ConsentURL(r provider.ConsentRequest) (string, error) {
	query := []provider.Field{
		{Name: "client_key", Value: p.tokens.Credentials.ClientID},
		{Name: "response_type", Value: "code"},
		{Name: "scope", Value: strings.Join(provider.ScopeNames(p.info.Scopes), ",")},
		{Name: "redirect_uri", Value: r.RedirectURL},
		{Name: "state", Value: r.State},
		// Without it, TikTok selects the account that the browser is logged in to, whichever the person wants.
		{Name: "disable_auto_auth", Value: "1"},
	}
	if p.info.PKCE {
		sum := sha256.Sum256([]byte(r.Verifier.Reveal()))
		query = append(query,
			provider.Field{Name: "code_challenge", Value: hex.EncodeToString(sum[:])},
			provider.Field{Name: "code_challenge_method", Value: "S256"})
	}
	return provider.ConsentAddress(p.consentURL+"/v2/auth/authorize/", p.tokens.Credentials, query)
}

// Exchange exchanges the code for a token.
func (p *Provider) Exchange(ctx context.Context, r provider.CodeExchange) (provider.Token, error) {
	return p.tokens.Exchange(ctx, r)
}

// Refresh refreshes the token. TikTok's refresh tokens work once: the new pair has to be saved before it is used. If
// the response is lost, the old one is probably used up; the next attempt then reports that the account has to be
// reconnected.
func (p *Provider) Refresh(ctx context.Context, a provider.Account) (provider.Token, error) {
	return p.tokens.Refresh(ctx, a.Token)
}

// Revoke revokes the token. TikTok reports an already invalid token as an invalid request, which is no error.
func (p *Provider) Revoke(ctx context.Context, a provider.Account) error {
	form := url.Values{"token": {a.Token.Access.Reveal()}}
	answer, err := p.api.Caller.Send(ctx, p.tokens.Request(provider.OpConnect, p.tokens.RevokeURL, form,
		a.Token.Access))
	if err != nil {
		return err
	}
	var oauth struct {
		Error string `json:"error"`
	}
	if len(answer.Body) > 0 && json.Unmarshal(answer.Body, &oauth) != nil {
		oauth.Error = "" // no JSON: the status has to suffice
	}
	switch oauth.Error {
	case "invalid_request", "invalid_grant", "access_token_invalid":
		return nil
	case "":
		if answer.OK() {
			return nil
		}
	}
	return classifyToken(answer)
}

// Accounts returns the only account of a consent.
func (p *Provider) Accounts(ctx context.Context, t provider.Token) ([]provider.ConnectedAccount, error) {
	account, err := p.Profile(ctx, provider.Account{Token: t, Scopes: t.Scopes})
	if err != nil {
		return nil, err
	}
	account.Token = t
	return []provider.ConnectedAccount{account}, nil
}

// Profile reads the token's account, and what it may post. The latter is missing for accounts that currently may not
// post.
func (p *Provider) Profile(ctx context.Context, a provider.Account) (provider.ConnectedAccount, error) {
	fields := "open_id,union_id,avatar_url,display_name"
	if a.HasScope(scopeProfile) {
		fields += ",username" // requesting it without the scope is an error
	}
	user, err := p.readUser(ctx, a, fields)
	if err != nil {
		return provider.ConnectedAccount{}, err
	}
	d := details{UnionID: user.User.UnionID}
	var creator creatorInfo
	if a.HasScope(scopePublish) && p.read(ctx, a, creatorPath, nil, &creator) == nil {
		d.PrivacyLevelOptions, d.MaxVideoDurationSec = creator.PrivacyLevels, creator.MaxVideoSeconds
		d.CreatorNickname = creator.Nickname
		d.CommentDisabled, d.DuetDisabled, d.StitchDisabled = creator.CommentDisabled, creator.DuetDisabled,
			creator.StitchDisabled
	}
	encoded, err := json.Marshal(d)
	if err != nil || user.User.OpenID == "" {
		return provider.ConnectedAccount{}, &provider.Error{
			Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "TikTok did not say whose token it is", Err: err,
		}
	}
	return provider.ConnectedAccount{
		ProviderAccountID: user.User.OpenID,
		DisplayName:       cmp.Or(creator.Nickname, user.User.DisplayName),
		Handle:            cmp.Or(user.User.Username, creator.Username),
		ImageURL:          cmp.Or(user.User.AvatarURL, creator.AvatarURL),
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
