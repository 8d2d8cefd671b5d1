package api

import (
	"net/http"
	"strings"

	"crier"
	"crier/internal/service"
)

// authenticate turns the bearer token of a request into a caller.
func (s *Server) authenticate(r *http.Request) (service.Caller, error) {
	header := r.Header.Get("Authorization")
	if header == "" {
		return service.Caller{}, crier.Unauthorized("The request needs the header Authorization: Bearer <token>.")
	}
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return service.Caller{}, crier.Unauthorized("The Authorization header must be: Bearer <token>.")
	}
	return s.services.Access.Authenticate(r.Context(), strings.TrimSpace(token))
}
