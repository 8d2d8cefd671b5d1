package linkedin

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"crier/internal/provider"
)

// ConsentURL returns the URL of LinkedIn's consent page, for the member and their organizations.
func (p *Provider) ConsentURL(r provider.ConsentRequest) (string, error) {
	return provider.ConsentAddress(p.consentURL+"/oauth/v2/authorization", p.tokens.Credentials, []provider.Field{
		{Name: "response_type", Value: "code"},
		{Name: "client_id", Value: p.tokens.Credentials.ClientID},
		{Name: "redirect_uri", Value: r.RedirectURL},
		{Name: "state", Value: r.State},
		{Name: "scope", Value: strings.Join(provider.ScopeNames(p.info.Scopes), " ")},
	})
}

// Exchange exchanges the code for a token.
func (p *Provider) Exchange(ctx context.Context, r provider.CodeExchange) (provider.Token, error) {
	return p.tokens.Exchange(ctx, r)
}

// Refresh refreshes the token for apps that LinkedIn allows to do so; the others need the member every 60 days. The
// lifetime of a refresh token counts from the first consent and is not extended.
func (p *Provider) Refresh(ctx context.Context, a provider.Account) (provider.Token, error) {
	return p.tokens.Refresh(ctx, a.Token)
}

// Revoke revokes the token.
func (p *Provider) Revoke(ctx context.Context, a provider.Account) error {
	return p.tokens.Revoke(ctx, url.Values{}, a.Token.Access)
}

// Accounts returns the member and, if the app and the consent allow it, the organizations that the member may post for.
// All share one token.
func (p *Provider) Accounts(ctx context.Context, t provider.Token) ([]provider.ConnectedAccount, error) {
	a := provider.Account{Scopes: t.Scopes, Token: t}
	member, err := p.member(ctx, a)
	if err != nil {
		return nil, err
	}
	accounts := []provider.ConnectedAccount{member}
	if a.HasScope(scopeOrgAdmin, scopeOrgAdminRead) {
		organizations, err := p.organizations(ctx, a)
		if err != nil {
			return nil, err
		}
		accounts = append(accounts, organizations...)
	}
	for i := range accounts {
		accounts[i].Token = t
	}
	return accounts, nil
}

// Profile reads the member or the organization.
func (p *Provider) Profile(ctx context.Context, a provider.Account) (provider.ConnectedAccount, error) {
	id, ok := strings.CutPrefix(a.ProviderAccountID, organizationPrefix)
	if !ok {
		return p.member(ctx, a)
	}
	return p.organization(ctx, a, id, decodeDetails(a).Role)
}

// member reads the owner of the token: from OpenID, or, for apps without OpenID, from the older profile.
func (p *Provider) member(ctx context.Context, a provider.Account) (provider.ConnectedAccount, error) {
	if len(a.Scopes) == 0 || a.HasScope(scopeOpenID, scopeProfile) {
		var info memberInfo
		if err := p.getLegacy(ctx, a, "/v2/userinfo", &info); err != nil {
			return provider.ConnectedAccount{}, err
		}
		return newAccount(a, personPrefix, info.Sub, info.Name, "", info.Picture, "person", "")
	}
	var profile memberProfile
	if err := p.getLegacy(ctx, a, "/v2/me?projection=(id,localizedFirstName,localizedLastName,vanityName,"+
		"profilePicture(displayImage~:playableStreams))", &profile); err != nil {
		return provider.ConnectedAccount{}, err
	}
	name := strings.TrimSpace(profile.FirstName + " " + profile.LastName)
	return newAccount(a, personPrefix, profile.ID, name, profile.Vanity, profile.picture(), "person", "")
}

func (p *Provider) getLegacy(ctx context.Context, a provider.Account, path string, v any) error {
	answer, err := p.legacy(ctx, a, call{operation: provider.OpConnect, method: http.MethodGet, path: path})
	if err != nil {
		return err
	}
	return answer.Decode(v)
}

// postingRoles are the roles in which a member may post for an organization. LinkedIn spells one of them in two ways.
var postingRoles = []string{"ADMINISTRATOR", "CONTENT_ADMIN", "CONTENT_ADMINISTRATOR",
	"DIRECT_SPONSORED_CONTENT_POSTER"}

// organizations lists those that the member may post for.
func (p *Provider) organizations(ctx context.Context, a provider.Account) ([]provider.ConnectedAccount, error) {
	var roles roleList
	if err := p.get(ctx, a, "/rest/organizationAcls?q=roleAssignee&state=APPROVED&count=100", methodFinder,
		&roles); err != nil {
		return nil, err
	}
	var accounts []provider.ConnectedAccount
	seen := map[string]bool{}
	for _, role := range roles.Elements {
		id, ok := strings.CutPrefix(role.Organization, organizationPrefix)
		if !ok || seen[id] || !slices.Contains(postingRoles, role.Role) {
			continue
		}
		seen[id] = true
		account, err := p.organization(ctx, a, id, role.Role)
		switch failure := provider.AsError(err); {
		case failure == nil:
			accounts = append(accounts, account)
		case failure.Kind != provider.Rejected && failure.Code != provider.CodePermissionMissing:
			return nil, failure // one that may not be read does not affect the others
		}
	}
	return accounts, nil
}

func (p *Provider) organization(ctx context.Context, a provider.Account, id, role string) (provider.ConnectedAccount,
	error) {
	var o organization
	if err := p.get(ctx, a, "/rest/organizations/"+urn(id), "", &o); err != nil {
		return provider.ConnectedAccount{}, err
	}
	return newAccount(a, organizationPrefix, id, o.Name, o.Vanity, p.logo(ctx, a, o), "organization", role)
}

func newAccount(a provider.Account, prefix, id, name, handle, image, subType, role string) (provider.ConnectedAccount,
	error) {
	encoded, err := json.Marshal(details{CanRefresh: a.Token.Refresh != "", Role: role})
	if err != nil || id == "" {
		return provider.ConnectedAccount{}, &provider.Error{
			Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "LinkedIn did not say whose token it is", Err: err,
		}
	}
	return provider.ConnectedAccount{
		ProviderAccountID: prefix + id, DisplayName: name, Handle: handle, ImageURL: image, SubType: subType,
		Details: encoded,
	}, nil
}
