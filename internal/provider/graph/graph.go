// Package graph implements what Instagram, Facebook and Threads share: Meta's Graph API with its errors and usage
// headers, the tokens that are exchanged for longer ones, and the containers in which posts are prepared.
//
// It is not a network itself: the form of posts and the requests that create them are defined in the three packages
// above it.
package graph

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"

	"crier/internal/provider"
)

// Client sends requests to one host of the Graph API on behalf of accounts.
type Client struct{ provider.APIClient }

// ClientConfig configures a Client.
type ClientConfig struct {
	Caller *provider.Caller
	// BaseURL is the host with the version, such as https://graph.threads.net/v1.0.
	BaseURL string
	// Rules are the network's errors besides the common ones.
	Rules []Rule
	// ProofKey is the app's secret, if requests have to prove that they come from the app.
	ProofKey provider.Secret
}

// NewClient returns a Client.
func NewClient(c ClientConfig) Client {
	classify := func(answer *provider.Response) *provider.Error { return Classify(answer, c.Rules) }
	client := Client{APIClient: provider.APIClient{Caller: c.Caller, BaseURL: c.BaseURL,
		Failure: provider.FailureOf(classify)}}
	if c.ProofKey != "" {
		client.Sign = func(address string, token provider.Secret) string { return prove(address, c.ProofKey, token) }
	}
	return client
}

// WithBase returns the client for another host.
func (c Client) WithBase(base string) Client {
	c.BaseURL = base
	return c
}

// prove adds the proof that the user of the token knows the app's secret.
func prove(address string, key, token provider.Secret) string {
	mac := hmac.New(sha256.New, []byte(key.Reveal()))
	mac.Write([]byte(token.Reveal()))
	separator := "?"
	if strings.Contains(address, "?") {
		separator = "&"
	}
	return address + separator + "appsecret_proof=" + hex.EncodeToString(mac.Sum(nil))
}

// Post sends a form and decodes the response into v.
func (c Client) Post(ctx context.Context, token provider.Secret, r provider.Request, form url.Values, v any) error {
	r.Method, r.Body = http.MethodPost, provider.FormBody(form)
	answer, err := c.Send(ctx, token, r)
	if err != nil {
		return err
	}
	return answer.Decode(v)
}

// ReadPermalink reads the permalink of the first post once. A missing permalink is no error.
func (c Client) ReadPermalink(ctx context.Context, token provider.Secret, st provider.State) provider.State {
	st.RequiresPolling = false
	if len(st.Published) == 0 {
		return st
	}
	var answer struct {
		Permalink string `json:"permalink"`
	}
	if err := c.Get(ctx, token, "/"+url.PathEscape(st.PlatformPostID)+"?fields=id,permalink", &answer); err != nil {
		st.Warnings = append(st.Warnings, "the address of the post could not be read: "+provider.AsError(err).Message)
		return st
	}
	st.Published[0].Permalink = answer.Permalink
	return st
}

// Delete deletes an object. An unknown object counts as already deleted, unless it can still be read.
func (c Client) Delete(ctx context.Context, token provider.Secret, path string) (provider.Deletion, error) {
	answer, err := c.Send(ctx, token, provider.Request{Operation: provider.OpDelete, Method: http.MethodDelete,
		URL: path})
	if failure := provider.AsError(err); failure != nil {
		if IsMissing(failure) {
			return c.unlessReadable(ctx, token, path, failure)
		}
		return "", failure
	}
	var done struct {
		Success bool `json:"success"`
	}
	if err := answer.Decode(&done); err != nil {
		return "", err
	}
	if !done.Success {
		return "", answer.Unavailable("the network did not delete the post")
	}
	return provider.Deleted, nil
}

// unlessReadable reads an object that the network did not delete because it does not know it. The same error stands for
// a missing permission and for objects that cannot be deleted: these can still be read.
func (c Client) unlessReadable(ctx context.Context, token provider.Secret, path string,
	failure *provider.Error) (provider.Deletion, error) {
	var found struct {
		ID ID `json:"id"`
	}
	err := c.Get(ctx, token, path+"?fields=id", &found)
	switch {
	case IsMissing(err):
		return provider.AlreadyGone, nil
	case err != nil:
		return "", provider.AsError(err)
	}
	failure.Code = provider.CodePermissionMissing
	failure.Message = "the network still shows it and does not let this connection delete it; delete it there " +
		"manually: " + failure.Message
	return "", failure
}
