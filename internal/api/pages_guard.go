package api

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"crier"
	"crier/internal/auth"
	"crier/internal/service"
)

// newProtection returns the check for cross-site requests by the headers of browsers. Behind a proxy that changes the
// Host header, the public URL is this site too.
func newProtection(publicURL string) *http.CrossOriginProtection {
	protection := http.NewCrossOriginProtection()
	if u, err := url.Parse(publicURL); err == nil && u.Host != "" {
		_ = protection.AddTrustedOrigin(u.Scheme + "://" + u.Host) // an address without an origin is not trusted
	}
	protection.AddInsecureBypassPattern("POST /v1/auth/token") // it looks at no cookie, so there is nothing to forge
	return protection
}

// ownSiteOnly rejects changing requests that another site makes a browser send (CSRF).
func (s *Server) ownSiteOnly(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch err := s.protection.Check(r); {
		case err == nil:
			next(w, r)
		case isPage(r):
			s.render(w, r, http.StatusForbidden, "message", message{
				Title: "This form was sent from another site",
				Lines: []string{"Nothing was changed. Open the page here and send the form from it."},
			})
		default:
			s.fail(w, r, crier.Forbidden("The request was sent by a page of another site."))
		}
	}
}

// isPage reports whether a path is for people, not for programs.
func isPage(r *http.Request) bool {
	for _, prefix := range []string{"/v1/", "/mcp", "/healthz", "/readyz", "/metrics", "/media/", "/openapi.json"} {
		if strings.HasPrefix(r.URL.Path, prefix) {
			return false
		}
	}
	return true
}

// browserOf returns the details of the browser that a person signs in with.
func browserOf(r *http.Request) service.Browser {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = ""
	}
	return service.Browser{UserAgent: r.UserAgent(), Address: host}
}

// guessesPerMinute is the rate limit of links and passwords per remote address.
const guessesPerMinute = 20

// fewGuesses rate-limits guessing of secrets.
func (s *Server) fewGuesses(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _, wait := s.guesses.take(networkID(r.RemoteAddr))
		if wait == 0 {
			next(w, r)
			return
		}
		pause := max(1, seconds(wait))
		w.Header().Set("Retry-After", strconv.Itoa(pause))
		s.render(w, r, http.StatusTooManyRequests, "message", message{
			Title: "Too many attempts",
			Lines: []string{fmt.Sprintf("Wait %d s, then try again.", pause)},
		})
	}
}

// networks is the namespace of the ids of remote addresses.
const networks crier.ID = "5d0f9f9c-5f3e-5c1b-8a53-6d1b7c0f2a11"

// networkID returns the id under which the guesses of a remote address are counted.
func networkID(remote string) crier.ID {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	return crier.DerivedID(networks, auth.NetworkOf(host))
}

// maxForm is the largest form in bytes.
const maxForm = 16 << 10

// readForm reads the fields of a form into r.PostForm. If that fails, it sends the error and returns false.
func (s *Server) readForm(w http.ResponseWriter, r *http.Request) bool {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	err := r.ParseForm()
	if err == nil {
		return true
	}
	status, line := http.StatusBadRequest, "Its fields could not be read. Load the page again and fill it in once more."
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		status, line = http.StatusRequestEntityTooLarge, fmt.Sprintf("It may have at most %d bytes.", maxForm)
	}
	s.render(w, r, status, "message", message{Title: "This form cannot be accepted", Lines: []string{line}})
	return false
}

// cleanInput returns a person's input without the spaces that keyboards and pasting add.
func cleanInput(typed string) string { return strings.TrimSpace(strings.ToValidUTF8(typed, "\uFFFD")) }
