package api

import (
	"fmt"
	"io"
	"net/http"
	"time"
)

// securityTextLife is how long the contact is valid (RFC 9116 recommends less than a year).
const securityTextLife = 180 * 24 * time.Hour

// securityText serves the contact for security reports according to RFC 9116.
func (s *Server) securityText(w http.ResponseWriter, r *http.Request) {
	if s.securityContact == "" {
		s.notFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	expires := s.now().Add(securityTextLife).UTC().Truncate(24 * time.Hour)
	_, _ = io.WriteString(w, fmt.Sprintf("Contact: %s\nExpires: %s\nPreferred-Languages: en\nCanonical: %s\n",
		s.securityContact, expires.Format(time.RFC3339), s.instance.PublicURL+"/.well-known/security.txt"))
}
