package api

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"crier"
	"crier/internal/api/contract"
)

// sessionCookie is the cookie of a person's browser session. Over TLS its name has the prefix that browsers accept only
// from this host, so that a sibling domain cannot plant a session.
const (
	sessionCookie       = "crier_session"
	secureSessionCookie = "__Host-" + sessionCookie
)

func sessionCookieName(r *http.Request) string {
	if infoOf(r).secure {
		return secureSessionCookie
	}
	return sessionCookie
}

// signInPage is the form for e-mail address and password.
type signInPage struct {
	Next    string
	Problem string
	// Ended is true for a person who was signed in until now, Back if they return to where they were.
	Ended, Back bool
	CanMail     bool
	Fields      []formField
}

func (s *Server) signInPage(next, email string) signInPage {
	return signInPage{Next: next, CanMail: s.services.Invitations.CanMail(), Fields: []formField{
		{Name: "email", Label: "E-mail address", Type: "email", Autocomplete: "username", Value: email},
		{Name: "password", Label: "Password", Type: "password", Autocomplete: "current-password"},
	}}
}

// ownPath restricts the redirect after signing in to this site: a path, never another host.
func ownPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") ||
		strings.ContainsAny(next, "\\\r\n") {
		return appPath
	}
	return next
}

func (s *Server) signInForm(w http.ResponseWriter, r *http.Request) {
	next := ownPath(r.URL.Query().Get("next"))
	page := s.signInPage(next, "")
	page.Ended, page.Back = s.sessionEnded(r), next != appPath
	s.render(w, r, http.StatusOK, "sign_in", page)
}

// sessionEnded reports whether the browser was signed in before. A browser still sends the cookie of a session that was
// ended from elsewhere. It has forgotten that of an expired one, so the dashboard says that it had been signed in.
func (s *Server) sessionEnded(r *http.Request) bool {
	if r.URL.Query().Has("ended") {
		return true
	}
	token := sessionToken(r)
	if token == "" {
		return false
	}
	user, err := s.services.People.User(r.Context(), token)
	return err == nil && user == nil
}

// signIn handles the form. The session's token is always new.
func (s *Server) signIn(w http.ResponseWriter, r *http.Request) {
	if !s.readForm(w, r) {
		return
	}
	next := ownPath(r.PostForm.Get("next"))
	session, err := s.services.People.SignIn(r.Context(), r.PostForm.Get("email"), r.PostForm.Get("password"),
		browserOf(r))
	known, ok := errors.AsType[*crier.Error](err)
	if err != nil && !ok {
		s.failPage(w, r, err)
		return
	}
	if ok {
		page := s.signInPage(next, cleanInput(r.PostForm.Get("email")))
		page.Problem = known.Message
		s.render(w, r, contract.Status(known.Kind), "sign_in", page)
		return
	}
	s.setSession(w, r, session.Token, int(session.Expires.Sub(s.now()).Seconds()))
	http.Redirect(w, r, next, http.StatusSeeOther) //nolint:gosec // ownPath keeps it on this site
}

// setSession sets the browser's cookie: not for scripts, not for other sites.
func (s *Server) setSession(w http.ResponseWriter, r *http.Request, token string, maxAge int) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure wherever there is TLS; a first start has none
		Name: sessionCookieName(r), Value: token, Path: "/", MaxAge: maxAge, HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
		Secure:   infoOf(r).secure,
	})
}

func sessionToken(r *http.Request) string {
	cookie, err := r.Cookie(sessionCookieName(r))
	if err != nil {
		return ""
	}
	return cookie.Value
}

// signedInUser returns the signed-in person. If there is none, the browser is redirected to sign in and back.
func (s *Server) signedInUser(w http.ResponseWriter, r *http.Request) (*crier.User, bool) {
	user, err := s.services.People.User(r.Context(), sessionToken(r))
	if err != nil {
		s.failPage(w, r, err)
		return nil, false
	}
	if user == nil {
		http.Redirect(w, r, "/sign-in?next="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
		return nil, false
	}
	return user, true
}

// signOut ends the session, or with everywhere all sessions and devices of the person.
func (s *Server) signOut(w http.ResponseWriter, r *http.Request) {
	if !s.readForm(w, r) {
		return
	}
	user, err := s.services.People.User(r.Context(), sessionToken(r))
	if err == nil && user != nil {
		if r.PostForm.Get("everywhere") != "" {
			err = s.services.People.SignOutEverywhere(r.Context(), user.ID)
		} else {
			err = s.services.People.SignOut(r.Context(), sessionToken(r))
		}
	}
	if err != nil {
		s.failPage(w, r, err)
		return
	}
	s.setSession(w, r, "", -1)
	http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
}
