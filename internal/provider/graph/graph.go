// Package graph is what Instagram, Facebook and Threads share: Meta's Graph API with its errors and usage headers, the
// tokens that are exchanged for longer ones, and the containers in which posts are prepared.
//
// It is no network itself: what a post looks like, and which requests make one, is known to the three packages above it.
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

// Client talks to one host of the Graph API on behalf of accounts.
type Client struct {
	Caller *provider.Caller
	// BaseURL is the host with the version, such as https://graph.threads.net/v1.0.
	BaseURL string
	// Rules are the errors that the network has besides the common ones.
	Rules []Rule
	// ProofKey is the app's secret, when requests have to prove that they come from the app itself.
	ProofKey provider.Secret
}

// BaseURL is the configured address without a slash at the end, or the usual one.
func BaseURL(configured, usual string) string {
	if configured == "" {
		return usual
	}
	return strings.TrimRight(configured, "/")
}

// Send makes one exchange with the account's token; answers that are no success become errors. The URL of the request
// is a path below the client's base.
func (c Client) Send(ctx context.Context, token provider.Secret, r provider.Request) (*provider.Response, error) {
	answer, err := c.SendRaw(ctx, token, r)
	if err != nil {
		return nil, err
	}
	if !answer.OK() {
		return nil, Classify(answer, c.Rules)
	}
	return answer, nil
}

// SendRaw is Send without judging the answer.
func (c Client) SendRaw(ctx context.Context, token provider.Secret, r provider.Request) (*provider.Response, error) {
	r.URL = c.prove(c.BaseURL+r.URL, token)
	r.Bearer = token
	return c.Caller.Send(ctx, r)
}

// prove adds the proof that whoever uses the token knows the app's secret, where the app asks for it.
func (c Client) prove(address string, token provider.Secret) string {
	if c.ProofKey == "" {
		return address
	}
	mac := hmac.New(sha256.New, []byte(c.ProofKey.Reveal()))
	mac.Write([]byte(token.Reveal()))
	separator := "?"
	if strings.Contains(address, "?") {
		separator = "&"
	}
	return address + separator + "appsecret_proof=" + hex.EncodeToString(mac.Sum(nil))
}

// Get reads something.
func (c Client) Get(ctx context.Context, token provider.Secret, path string, v any) error {
	answer, err := c.Send(ctx, token, provider.Request{Operation: provider.OpRead, Method: http.MethodGet, URL: path})
	if err != nil {
		return err
	}
	return answer.Decode(v)
}

// Post sends a form and decodes the answer into v.
func (c Client) Post(ctx context.Context, token provider.Secret, r provider.Request, form url.Values, v any) error {
	r.Method, r.Body = http.MethodPost, provider.FormBody(form)
	answer, err := c.Send(ctx, token, r)
	if err != nil {
		return err
	}
	return answer.Decode(v)
}

// Delete removes an object. One that the network does not know is gone already.
func (c Client) Delete(ctx context.Context, token provider.Secret, path string) (provider.Deletion, error) {
	answer, err := c.Send(ctx, token, provider.Request{Operation: provider.OpDelete, Method: http.MethodDelete, URL: path})
	if failure := provider.AsError(err); failure != nil {
		if IsMissing(failure) {
			return provider.AlreadyGone, nil
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
