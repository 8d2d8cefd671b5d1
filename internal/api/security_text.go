package api

import (
	"fmt"
	"io"
	"net/http"
	"time"
)

// securityTextLife is how long the contact may be relied on (RFC 9116 recommends less than a year).
const securityTextLife = 180 * 24 * time.Hour

// securityText names whom to tell about a weakness, as RFC 9116 describes it.
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
