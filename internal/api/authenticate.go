package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"crier"
	"crier/internal/access"
)

// requestHeader is sent by the pages of this installation if a browser does not send the site of a request: it does so
// only for HTTPS sites and localhost. A foreign page cannot send the header without a preflight request, which is
// rejected.
const requestHeader = "X-Crier-Request"

// authenticate returns the caller of a request's bearer token, or of a browser's session cookie if the request comes
// from a page of this installation.
func (s *Server) authenticate(r *http.Request) (access.Caller, error) {
	header := r.Header.Get("Authorization")
	if header == "" {
		if session := sessionToken(r); session != "" {
			return s.authenticateSession(r, session)
		}
		return access.Caller{}, crier.Unauthorized("The request needs the header Authorization: Bearer <token>.")
	}
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return access.Caller{}, crier.Unauthorized("The Authorization header must be: Bearer <token>.")
	}
	c, err := s.services.Access.AuthenticateAhead(r.Context(), strings.TrimSpace(token), lookahead(r))
	if err == nil && c.Resource() != "" && !isForAgents(r) {
		return access.Caller{}, crier.Unauthorized("The token is for %s alone.", c.Resource())
	}
	return c, err
}

type agentsKey struct{}

// ForAgents returns the API as used by the MCP endpoint: tokens that are only for that endpoint are accepted.
func (s *Server) ForAgents() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), agentsKey{}, true)))
	})
}

func isForAgents(r *http.Request) bool { return r.Context().Value(agentsKey{}) != nil }

// authenticateSession accepts a session cookie only from this installation's own pages, reads included: browsers send
// cookies with the requests of other sites too, and some reads cost credits.
func (s *Server) authenticateSession(r *http.Request, token string) (access.Caller, error) {
	if !fromOwnPage(r) {
		return access.Caller{}, crier.Unauthorized("A session cookie is accepted from this server's own pages only. " +
			"Programs need the header Authorization: Bearer <token>.")
	}
	return s.services.Access.AuthenticateSessionAhead(r.Context(), token, lookahead(r))
}

// fromOwnPage reports whether a browser made the request for a page of this installation.
func fromOwnPage(r *http.Request) bool {
	if site, sent := r.Header["Sec-Fetch-Site"]; sent {
		return len(site) == 1 && site[0] == "same-origin"
	}
	return r.Header.Get(requestHeader) == "1"
}

// lookahead returns what a request will need, as far as its URL and headers show.
func lookahead(r *http.Request) access.Lookahead {
	var ahead access.Lookahead
	ahead.TeamID, _ = crier.ParseID(chi.URLParam(r, "teamId"))
	ahead.OrganizationID, _ = crier.ParseID(chi.URLParam(r, "organizationId"))
	if key := r.Header[keyHeader]; r.Method != http.MethodGet && keyProblem(key) == "" {
		ahead.IdempotencyKey = key[0]
	}
	return ahead
}
