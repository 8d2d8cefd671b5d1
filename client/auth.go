package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"crier"
)

// BeginDeviceLogin starts a login that a person approves in their browser. name identifies the device to them.
func (c *Client) BeginDeviceLogin(ctx context.Context, name string) (crier.DeviceCode, error) {
	return exchange[crier.DeviceCode](ctx, c, "/v1/auth/device", url.Values{"client_id": {name}})
}

// RedeemDeviceCode requests the tokens of a device login. Until the person has decided it fails with a
// *crier.OAuthError whose code is authorization_pending or slow_down.
func (c *Client) RedeemDeviceCode(ctx context.Context, deviceCode string) (crier.BearerTokens, error) {
	const grant = "urn:ietf:params:oauth:grant-type:device_code"
	return exchange[crier.BearerTokens](ctx, c, "/v1/auth/token",
		url.Values{"grant_type": {grant}, "device_code": {deviceCode}})
}

// RefreshTokens exchanges a refresh token, which works once: store the new one before using the new access token. It is
// never retried automatically, because the second use of a refresh token ends the login.
func (c *Client) RefreshTokens(ctx context.Context, refreshToken string) (crier.BearerTokens, error) {
	return exchange[crier.BearerTokens](ctx, c, "/v1/auth/token",
		url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refreshToken}})
}

// RevokeToken ends the login that an access or refresh token belongs to.
func (c *Client) RevokeToken(ctx context.Context, token string) (crier.TokenRevocation, error) {
	return exchange[crier.TokenRevocation](ctx, c, "/v1/auth/revoke", url.Values{"token": {token}})
}

// exchange sends a form to a token endpoint, once and without a bearer token. An OAuth error is a *crier.OAuthError.
func exchange[T any](ctx context.Context, c *Client, path string, form url.Values) (T, error) {
	var out T
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		return out, fmt.Errorf("build the request: %w", err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("User-Agent", c.agent)
	answer, err := c.http.Do(request)
	if err != nil {
		return out, c.unreachable(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		return out, fmt.Errorf("read the answer: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		return out, oauthError(answer, data)
	}
	if err := json.Unmarshal(data, &out); err != nil {
		return out, notCrier(answer)
	}
	return out, nil
}

// oauthError decodes an error of a token endpoint; any other error response is an Error.
func oauthError(answer *http.Response, data []byte) error {
	var known crier.OAuthError
	if json.Unmarshal(data, &known) == nil && known.Code != "" {
		return &known
	}
	return notCrier(answer)
}
