package api

import "net/http"

// homePage redirects a signed-in person to the dashboard and shows everybody else the home page.
func (s *Server) homePage(w http.ResponseWriter, r *http.Request) {
	if s.dashboard != nil && sessionToken(r) != "" {
		user, err := s.services.People.User(r.Context(), sessionToken(r))
		if err != nil {
			s.failPage(w, r, err)
			return
		}
		if user != nil {
			http.Redirect(w, r, appPath, http.StatusSeeOther)
			return
		}
	}
	s.render(w, r, http.StatusOK, "home", home{Ready: s.ready(r.Context()) == nil, App: s.dashboard != nil})
}

// home is the content of the home page.
type home struct {
	Ready bool
	// App is true if there is a dashboard to sign in to.
	App bool
}
