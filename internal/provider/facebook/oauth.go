package facebook

import (
	"context"
	"encoding/json"

	"crier/internal/provider"
	"crier/internal/provider/graph"
)

// ConsentURL returns the URL of Facebook's consent page.
func (p *Provider) ConsentURL(r provider.ConsentRequest) (string, error) {
	return p.login.ConsentURL(r)
}

// Exchange exchanges the code for a user token of 60 days.
func (p *Provider) Exchange(ctx context.Context, r provider.CodeExchange) (provider.Token, error) {
	return p.login.Exchange(ctx, r)
}

const pageFields = "id,name,username,access_token,category,tasks,picture.type(large){url}"

// Accounts returns the Pages that the person may publish to, each with its own token that does not expire.
func (p *Provider) Accounts(ctx context.Context, t provider.Token) ([]provider.ConnectedAccount, error) {
	pages, err := p.login.Pages(ctx, t, pageFields)
	if err != nil {
		return nil, err
	}
	accounts := []provider.ConnectedAccount{}
	for _, page := range pages {
		account, err := newAccount(page)
		if err != nil {
			return nil, err
		}
		account.Token = page.Token(t)
		accounts = append(accounts, account)
	}
	return accounts, nil
}

// Profile reads the Page. A Page does not contain the person's permissions, so these stay unchanged.
func (p *Provider) Profile(ctx context.Context, a provider.Account) (provider.ConnectedAccount, error) {
	var page pageAnswer
	if err := p.api.Get(ctx, a.Token.Access, pagePath(a)+"?fields=id,name,username,category,picture.type(large){url}",
		&page); err != nil {
		return provider.ConnectedAccount{}, err
	}
	page.Tasks = decodeDetails(a).Tasks
	return newAccount(page.Page)
}

func newAccount(page graph.Page) (provider.ConnectedAccount, error) {
	encoded, err := json.Marshal(details{PageID: string(page.ID), Category: page.Category, Tasks: page.Tasks})
	if err != nil || page.ID == "" {
		return provider.ConnectedAccount{}, &provider.Error{
			Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "Facebook did not say which Page it is", Err: err,
		}
	}
	return provider.ConnectedAccount{
		ProviderAccountID: string(page.ID),
		DisplayName:       page.Name,
		Handle:            page.Username,
		ImageURL:          page.Picture.Data.URL,
		SubType:           "page",
		Details:           encoded,
	}, nil
}
