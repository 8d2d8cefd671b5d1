package api

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"crier"
	"crier/internal/api/contract"
	"crier/internal/oauth"
	"crier/internal/service"
)

// The grant types of the token endpoint: RFC 8628 and RFC 6749.
const (
	grantDevice  = "urn:ietf:params:oauth:grant-type:device_code"
	grantCode    = "authorization_code"
	grantRefresh = "refresh_token"
)

// tokenRequestsPerMinute is the rate limit of the token endpoints per remote address, which many devices may share.
const tokenRequestsPerMinute = 600

// The documented forms of the token endpoints.
type (
	deviceLoginForm struct {
		ClientID string `json:"client_id,omitempty" doc:"A name for the device, shown to the person." example:"crier on a laptop"`
	}
	tokenForm struct {
		GrantType    string `json:"grant_type" enum:"urn:ietf:params:oauth:grant-type:device_code,authorization_code,refresh_token"`
		DeviceCode   string `json:"device_code,omitempty" doc:"With the grant of a device code." example:"qEDb3bKGYkTIVuXUnqWIxTj4I0f9srr238HLGwzG3j8"`
		Code         string `json:"code,omitempty" doc:"With the grant of an authorization code."`
		RedirectURI  string `json:"redirect_uri,omitempty" doc:"With an authorization code: the redirect URI it was sent to."`
		CodeVerifier string `json:"code_verifier,omitempty" doc:"With an authorization code: the verifier of PKCE."`
		Resource     string `json:"resource,omitempty" doc:"With an authorization code: what the tokens are for (RFC 8707)."`
		RefreshToken string `json:"refresh_token,omitempty" doc:"With the grant of a refresh token."`
		ClientID     string `json:"client_id,omitempty" doc:"With an authorization code and its refresh tokens: the client that it was issued to."`
	}
	revocationForm struct {
		Token string `json:"token" doc:"An access or refresh token of the login."`
	}
)

var startDeviceLoginDoc = doc{
	ID: "beginDeviceLogin", Tag: "Device login", Summary: "Start a device login",
	Description: "RFC 8628. Show the person `user_code` and `verification_uri`, or open " +
		"`verification_uri_complete`; then poll `POST /v1/auth/token` every `interval` seconds until the person " +
		"has decided.",
}

var issueTokenDoc = doc{
	ID: "issueToken", Tag: "Device login", Summary: "Issue or refresh tokens",
	Description: "Until the person has decided, the answer is the error `authorization_pending`, or `slow_down`, " +
		"which lengthens the interval by five seconds; then tokens, `access_denied` or `expired_token`. A " +
		"refresh token works once: store the new one before you use the new access token.",
}

var revokeTokenDoc = doc{
	ID: "revokeToken", Tag: "Device login", Summary: "Revoke a login",
	Description: "RFC 7009. Revokes all tokens of the login. An unknown token gets the same response.",
}

// fewRequests limits the token endpoints per remote address; they have no token to count by.
func (s *Server) fewRequests(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _, wait := s.devices.take(networkID(r.RemoteAddr))
		if wait > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(max(1, seconds(wait))))
			write(w, http.StatusTooManyRequests, crier.OAuthError{Code: "slow_down",
				Description: "too many requests from this address"})
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if err := r.ParseForm(); err != nil {
			write(w, http.StatusBadRequest, crier.OAuthError{Code: "invalid_request",
				Description: "the form could not be read"})
			return
		}
		next(w, r)
	}
}

// startDeviceLogin starts a device login.
func (s *Server) startDeviceLogin(w http.ResponseWriter, r *http.Request) {
	out, err := s.services.Devices.Start(r.Context(), r.PostForm.Get("client_id"))
	s.oauthAnswer(w, r, out, err)
}

// clientOf returns the requesting client: a field, or the user name of HTTP Basic, which some libraries try first.
// Clients are public, so there is no password to check.
func clientOf(r *http.Request) string {
	name, _, ok := r.BasicAuth()
	if !ok {
		return r.PostForm.Get("client_id")
	}
	if plain, err := url.QueryUnescape(name); err == nil {
		return plain
	}
	return name
}

// grantFields are the fields with the credential of each grant.
var grantFields = map[string]string{grantDevice: "device_code", grantRefresh: "refresh_token", grantCode: "code"}

// missingField returns the first of some fields that a form lacks; empty if there is none.
func missingField(form url.Values, fields ...string) string {
	for _, field := range fields {
		if field != "" && form.Get(field) == "" {
			return field
		}
	}
	return ""
}

// issueToken exchanges a device code, an authorization code or a refresh token for tokens.
func (s *Server) issueToken(w http.ResponseWriter, r *http.Request) {
	form := r.PostForm
	w.Header().Set("Access-Control-Allow-Origin", "*") // clients that run in a browser ask too; no cookie counts here
	kind := form.Get("grant_type")
	if missing := missingField(form, "grant_type", grantFields[kind]); missing != "" {
		s.oauthAnswer(w, r, nil, &crier.OAuthError{Code: "invalid_request", Description: missing + " is required"})
		return
	}
	switch kind {
	case grantDevice:
		out, err := s.services.Devices.Redeem(r.Context(), form.Get("device_code"))
		s.oauthAnswer(w, r, out, err)
	case grantRefresh:
		out, err := s.services.Devices.Refresh(r.Context(), form.Get("refresh_token"), clientOf(r))
		s.oauthAnswer(w, r, out, err)
	case grantCode:
		out, err := s.services.Authorizations.Exchange(r.Context(), oauth.CodeGrant{Code: form.Get("code"),
			ClientID: clientOf(r), RedirectURI: form.Get("redirect_uri"), Verifier: form.Get("code_verifier"),
			Resource: form.Get("resource")})
		s.oauthAnswer(w, r, out, err)
	default:
		s.oauthAnswer(w, r, nil, &crier.OAuthError{Code: "unsupported_grant_type", Description: "allowed: " +
			grantDevice + ", " + grantCode + ", " + grantRefresh})
	}
}

// revokeToken ends a login. As RFC 7009 requires, an unknown token gets the same response as a known one.
func (s *Server) revokeToken(w http.ResponseWriter, r *http.Request) {
	token := r.PostForm.Get("token")
	if token == "" {
		s.oauthAnswer(w, r, nil, &crier.OAuthError{Code: "invalid_request", Description: "token is required"})
		return
	}
	s.oauthAnswer(w, r, crier.TokenRevocation{Revoked: true}, s.services.Devices.Revoke(r.Context(), token))
}

func (s *Server) oauthAnswer(w http.ResponseWriter, r *http.Request, out any, err error) {
	infoOf(r).secret = true
	if known, ok := errors.AsType[*crier.OAuthError](err); ok {
		write(w, http.StatusBadRequest, known)
		return
	}
	if err != nil {
		infoOf(r).err = err
		status := http.StatusInternalServerError
		if service.Unavailable(err) {
			status = http.StatusServiceUnavailable
			w.Header().Set("Retry-After", unavailableRetry)
		}
		write(w, status, contract.ErrorBody{Message: internalMessage, Tag: crier.KindInternal})
		return
	}
	s.respond(w, r, http.StatusOK, out)
}
