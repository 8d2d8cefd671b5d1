package api

import (
	"errors"
	"net/http"
	"strconv"

	"crier"
	"crier/internal/service"
)

// grantDevice is the grant type of RFC 8628.
const grantDevice = "urn:ietf:params:oauth:grant-type:device_code"

// tokenRequestsPerMinute is how often one remote address may ask the token endpoints: many devices may share it.
const tokenRequestsPerMinute = 600

// oauthError is an error body of RFC 6749.
type oauthError struct {
	Error       string `json:"error"`
	Description string `json:"error_description,omitempty"`
}

// fewRequests limits the token endpoints per remote address; they take no token to count by.
func (s *Server) fewRequests(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _, wait := s.devices.take(networkID(r.RemoteAddr))
		if wait > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(max(1, seconds(wait))))
			write(w, http.StatusTooManyRequests, oauthError{Error: "slow_down", Description: "too many requests from this address"})
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if err := r.ParseForm(); err != nil {
			write(w, http.StatusBadRequest, oauthError{Error: "invalid_request", Description: "the form could not be read"})
			return
		}
		next(w, r)
	}
}

// beginDevice starts a device login.
func (s *Server) beginDevice(w http.ResponseWriter, r *http.Request) {
	out, err := s.services.Devices.Begin(r.Context(), r.PostForm.Get("client_id"))
	s.oauthAnswer(w, r, out, err)
}

// issueToken exchanges a device code or a refresh token for tokens.
func (s *Server) issueToken(w http.ResponseWriter, r *http.Request) {
	form := r.PostForm
	switch form.Get("grant_type") {
	case grantDevice:
		out, err := s.services.Devices.Redeem(r.Context(), form.Get("device_code"))
		s.oauthAnswer(w, r, out, err)
	case "refresh_token":
		out, err := s.services.Devices.Refresh(r.Context(), form.Get("refresh_token"))
		s.oauthAnswer(w, r, out, err)
	default:
		s.oauthAnswer(w, r, nil, &service.OAuthError{Code: "unsupported_grant_type", Description: "allowed: " + grantDevice + ", refresh_token"})
	}
}

// revokeToken ends a login. As RFC 7009 asks, a token that is not known is answered like one that was.
func (s *Server) revokeToken(w http.ResponseWriter, r *http.Request) {
	token := r.PostForm.Get("token")
	if token == "" {
		s.oauthAnswer(w, r, nil, &service.OAuthError{Code: "invalid_request", Description: "token is required"})
		return
	}
	s.oauthAnswer(w, r, map[string]bool{"revoked": true}, s.services.Devices.Revoke(r.Context(), token))
}

func (s *Server) oauthAnswer(w http.ResponseWriter, r *http.Request, out any, err error) {
	if known, ok := errors.AsType[*service.OAuthError](err); ok {
		write(w, http.StatusBadRequest, oauthError{Error: known.Code, Description: known.Description})
		return
	}
	if err != nil {
		infoOf(r).err = err
		status := http.StatusInternalServerError
		if service.Unavailable(err) {
			status = http.StatusServiceUnavailable
			w.Header().Set("Retry-After", unavailableRetry)
		}
		write(w, status, errorBody{Message: internalMessage, Tag: crier.KindInternal})
		return
	}
	s.respond(w, r, http.StatusOK, out)
}
