package client

import (
	"context"
	"net/http"
	"net/url"

	"crier"
)

func accountsPath(team crier.ID) string { return teamPath(team) + "/social-accounts" }

// ListAccounts returns all social accounts of a team.
func (c *Client) ListAccounts(ctx context.Context, team crier.ID) (crier.SocialAccountList, error) {
	return get[crier.SocialAccountList](ctx, c, accountsPath(team), nil)
}

// GetAccount returns a social account.
func (c *Client) GetAccount(ctx context.Context, team, id crier.ID) (crier.SocialAccount, error) {
	return get[crier.SocialAccount](ctx, c, accountsPath(team)+"/"+string(id), nil)
}

// UpdateAccount disables or enables a social account.
func (c *Client) UpdateAccount(ctx context.Context, team, id crier.ID,
	in crier.SocialAccountUpdate) (crier.SocialAccount, error) {
	return change[crier.SocialAccount](ctx, c, http.MethodPatch, accountsPath(team)+"/"+string(id), in)
}

// ConnectAccount starts connecting a social account.
func (c *Client) ConnectAccount(ctx context.Context, team crier.ID, in crier.ConnectRequest) (crier.ConnectResponse,
	error) {
	return change[crier.ConnectResponse](ctx, c, http.MethodPost, accountsPath(team)+"/connect", in)
}

// DisconnectAccount disconnects a social account.
func (c *Client) DisconnectAccount(ctx context.Context, team, id crier.ID) (crier.SocialAccount, error) {
	return change[crier.SocialAccount](ctx, c, http.MethodPost, accountsPath(team)+"/"+string(id)+"/disconnect", nil)
}

// AccountChoices returns the values that a publish setting can have, as the account's network lists them.
func (c *Client) AccountChoices(ctx context.Context, team, id crier.ID, setting, query string) (crier.AccountChoices,
	error) {
	q := url.Values{"setting": {setting}}
	if query != "" {
		q.Set("q", query)
	}
	return get[crier.AccountChoices](ctx, c, accountsPath(team)+"/"+string(id)+"/choices", q)
}

// FindMentions searches the account's network for people and organizations to mention.
func (c *Client) FindMentions(ctx context.Context, team, id crier.ID, query string) (crier.MentionList, error) {
	return get[crier.MentionList](ctx, c, accountsPath(team)+"/"+string(id)+"/mentions", url.Values{"q": {query}})
}

// AccountAnalytics reads live metrics of an account, which may cost credits; nil times mean the last 28 days.
func (c *Client) AccountAnalytics(ctx context.Context, team, id crier.ID, from, to *crier.Time) (crier.AccountAnalytics,
	error) {
	q := url.Values{}
	if from != nil {
		q.Set("from", from.String())
	}
	if to != nil {
		q.Set("to", to.String())
	}
	return get[crier.AccountAnalytics](ctx, c, accountsPath(team)+"/"+string(id)+"/analytics", q)
}
