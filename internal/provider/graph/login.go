package graph

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"crier/internal/provider"
)

// UserToken is the key in Token.Extra of the user token behind a Page token.
const UserToken = "user"

// Login implements Facebook Login, by which a person lets crier act for Pages, and for the Instagram accounts behind
// them.
type Login struct {
	// Client reads with the user token; its base is also that of the token endpoint.
	Client Client
	Tokens provider.OAuth2
	// DialogURL is the host of the consent page, with the version.
	DialogURL string
	Scopes    []string
	// ConfigID is a configuration of Facebook Login for Business, used instead of the scopes.
	ConfigID string
}

// ConsentURL returns the URL of the consent page.
func (l Login) ConsentURL(r provider.ConsentRequest) (string, error) {
	query := []provider.Field{
		{Name: "client_id", Value: l.Tokens.Credentials.ClientID},
		{Name: "redirect_uri", Value: r.RedirectURL},
		{Name: "state", Value: r.State},
		{Name: "response_type", Value: "code"},
	}
	if l.ConfigID != "" {
		query = append(query, provider.Field{Name: "config_id", Value: l.ConfigID})
	} else {
		query = append(query, provider.Field{Name: "scope", Value: strings.Join(l.Scopes, ",")})
	}
	return provider.ConsentAddress(l.DialogURL+"/dialog/oauth", l.Tokens.Credentials, query)
}

// Exchange exchanges the code for a user token of an hour, that for one of 60 days, and reads the granted scopes.
func (l Login) Exchange(ctx context.Context, r provider.CodeExchange) (provider.Token, error) {
	code := CleanCode(r.Code)
	short, err := l.token(ctx, url.Values{"redirect_uri": {r.RedirectURL}, "code": {code.Reveal()}}, code)
	if err != nil {
		return provider.Token{}, err
	}
	long, err := l.token(ctx, url.Values{"grant_type": {"fb_exchange_token"},
		"fb_exchange_token": {short.Access.Reveal()}}, short.Access)
	if err != nil {
		return provider.Token{}, err
	}
	long.Scopes, err = l.granted(ctx, long.Access)
	return long, err
}

func (l Login) token(ctx context.Context, values url.Values, secret provider.Secret) (provider.Token, error) {
	values.Set("client_id", l.Tokens.Credentials.ClientID)
	values.Set("client_secret", l.Tokens.Credentials.ClientSecret.Reveal())
	return FetchToken(ctx, l.Tokens, TokenRequest{
		Operation: provider.OpConnect, Method: http.MethodGet, URL: l.Client.BaseURL + "/oauth/access_token",
		Values:  values,
		Secrets: []provider.Secret{secret, l.Tokens.Credentials.ClientSecret},
	})
}

func (l Login) granted(ctx context.Context, token provider.Secret) ([]string, error) {
	var answer struct {
		Data []struct {
			Permission string `json:"permission"`
			Status     string `json:"status"`
		} `json:"data"`
	}
	if err := l.Client.Get(ctx, token, "/me/permissions", &answer); err != nil {
		return nil, err
	}
	var scopes []string
	for _, p := range answer.Data {
		if p.Status == "granted" {
			scopes = append(scopes, p.Permission)
		}
	}
	return scopes, nil
}

// Page is a Page that the person manages.
type Page struct {
	ID          ID       `json:"id"`
	Name        string   `json:"name"`
	Username    string   `json:"username"`
	AccessToken string   `json:"access_token"`
	Category    string   `json:"category"`
	Tasks       []string `json:"tasks"`
	Picture     struct {
		Data struct {
			URL string `json:"url"`
		} `json:"data"`
	} `json:"picture"`
	Instagram *struct {
		ID       ID     `json:"id"`
		Username string `json:"username"`
		Name     string `json:"name"`
		Picture  string `json:"profile_picture_url"`
	} `json:"instagram_business_account"`
}

// MayPublish reports whether the person's role on the Page allows it. Not all responses contain the role.
func (p Page) MayPublish() bool {
	return len(p.Tasks) == 0 || slices.Contains(p.Tasks, "CREATE_CONTENT") || slices.Contains(p.Tasks, "MANAGE")
}

// maxPageLists is the maximum number of pages read of a list.
const maxPageLists = 50

// ScopePortfolio is the permission to see the Pages of Business portfolios.
const ScopePortfolio = "business_management"

// Pages lists the Pages that the person may publish to, with their tokens. For many people, those of a Business
// portfolio are not in their own list, so portfolios are read as well where that was granted.
func (l Login) Pages(ctx context.Context, user provider.Token, fields string) ([]Page, error) {
	pages, err := l.pages(ctx, user.Access, "/me/accounts", fields)
	if err != nil || !slices.Contains(user.Scopes, ScopePortfolio) {
		return pages, err
	}
	businesses, err := list[business](ctx, l.Client, user.Access, "/me/businesses?fields=id")
	if err != nil {
		return pages, unlessRefused(err)
	}
	seen := map[ID]bool{}
	for _, page := range pages {
		seen[page.ID] = true
	}
	for _, b := range businesses {
		for _, edge := range []string{"/owned_pages", "/client_pages"} {
			more, err := l.pages(ctx, user.Access, "/"+url.PathEscape(string(b.ID))+edge, fields)
			if err := unlessRefused(err); err != nil {
				return nil, err
			}
			for _, page := range more {
				if !seen[page.ID] {
					seen[page.ID], pages = true, append(pages, page)
				}
			}
		}
	}
	return pages, nil
}

type business struct {
	ID ID `json:"id"`
}

// unlessRefused drops the error of a portfolio that the person may not read: the other Pages remain.
func unlessRefused(err error) error {
	failure := provider.AsError(err)
	if failure == nil || failure.Kind == provider.Rejected || failure.Code == provider.CodePermissionMissing {
		return nil
	}
	return failure
}

// pages reads a list of Pages and returns those that the person may publish to.
func (l Login) pages(ctx context.Context, user provider.Secret, path, fields string) ([]Page, error) {
	pages, err := list[Page](ctx, l.Client, user, path+"?fields="+fields)
	return slices.DeleteFunc(pages, func(p Page) bool { return !p.MayPublish() || p.AccessToken == "" }), err
}

// list reads all pages of a list.
func list[T any](ctx context.Context, client Client, token provider.Secret, path string) ([]T, error) {
	var all []T
	after := ""
	for range maxPageLists {
		var page struct {
			Data   []T `json:"data"`
			Paging struct {
				Cursors struct {
					After string `json:"after"`
				} `json:"cursors"`
				Next string `json:"next"`
			} `json:"paging"`
		}
		address := path + "&limit=100"
		if after != "" {
			address += "&after=" + url.QueryEscape(after)
		}
		if err := client.Get(ctx, token, address, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Data...)
		if after = page.Paging.Cursors.After; page.Paging.Next == "" || after == "" {
			break
		}
	}
	return all, nil
}

// Token returns the Page's own token, with the user token behind it. It does not expire if it was obtained with a 60
// day user token.
func (p Page) Token(user provider.Token) provider.Token {
	return provider.Token{
		Access: provider.Secret(p.AccessToken), Scopes: user.Scopes,
		Extra: map[string]provider.Secret{UserToken: user.Access},
	}
}
