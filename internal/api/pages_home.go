package api

import "net/http"

// homePage tells people who come with a browser where they are.
func (s *Server) homePage(w http.ResponseWriter, r *http.Request) {
	s.render(w, r, http.StatusOK, "home", struct{ Ready bool }{Ready: s.ready(r.Context()) == nil})
}
