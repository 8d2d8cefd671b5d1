package api

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"crier"
	"crier/internal/api/contract"
	"crier/internal/auth"
	"crier/internal/service"
)

// setupPage is the form of the set-up link of a new organization's owner.
type setupPage struct {
	Token  string
	Failed bool
	Fields []formField
}

// newSetupPage returns the form with the previous input, but never the password.
func newSetupPage(token string, typed url.Values) setupPage {
	return setupPage{Token: token, Fields: []formField{
		{Name: "name", Label: "Name", Type: "text", Autocomplete: "name", Value: typed.Get("name"),
			MinLength: crier.MinNameLength},
		{Name: "email", Label: "E-mail address", Type: "email", Autocomplete: "username", Value: typed.Get("email")},
		{
			Name: "password", Label: "Password", Type: "password", Autocomplete: "new-password",
			MinLength: auth.MinPasswordLength,
			Hint: fmt.Sprintf("At least %d characters. A few words in a row are easy to remember and hard to guess.",
				auth.MinPasswordLength),
		},
	}}
}

// setupForm shows the form while its link is valid.
func (s *Server) setupForm(w http.ResponseWriter, r *http.Request) {
	page := newSetupPage(r.URL.Query().Get("token"), nil)
	if err := s.services.Instance.CheckSetupLink(r.Context(), page.Token); err != nil {
		s.failSetup(w, r, page, err)
		return
	}
	s.render(w, r, http.StatusOK, "setup", page)
}

// setUp handles the form. The link is checked first, because hashing a password is expensive. The response is a
// redirect, so that reloading the next page does not send the form again.
func (s *Server) setUp(w http.ResponseWriter, r *http.Request) {
	if !s.readForm(w, r) {
		return
	}
	form := r.PostForm
	form.Set("name", cleanInput(form.Get("name")))
	form.Set("email", cleanInput(form.Get("email")))
	page := newSetupPage(form.Get("token"), form)
	err := s.services.Instance.CheckSetupLink(r.Context(), page.Token)
	var session service.Session
	if err == nil {
		session, err = s.services.Instance.SetUpOwner(r.Context(), page.Token, crier.Name(form.Get("name")),
			crier.Email(form.Get("email")), form.Get("password"), browserOf(r))
	}
	if err != nil {
		s.failSetup(w, r, page, err)
		return
	}
	s.setSession(w, r, session.Token, int(session.Expires.Sub(s.now()).Seconds()))
	next := "/setup/done"
	if s.dashboard != nil {
		next = appPath + "/welcome"
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
}

// failSetup shows the error: at a field, about the link, or of the server.
func (s *Server) failSetup(w http.ResponseWriter, r *http.Request, page setupPage, err error) {
	var known *crier.Error
	switch {
	case !errors.As(err, &known):
		s.failPage(w, r, err)
	case known.Kind == crier.KindNotFound:
		s.render(w, r, http.StatusNotFound, "setup_dead", nil)
	default:
		page.Failed = true
		markProblems(page.Fields, known)
		s.render(w, r, contract.Status(known.Kind), "setup", page)
	}
}

// markProblems adds problems to the fields. A conflict is about the e-mail address: it belongs to one person.
func markProblems(fields []formField, err *crier.Error) {
	for i, f := range fields {
		if f.Name == "email" && err.Kind == crier.KindConflict {
			fields[i].Problem = err.Message
		}
		for _, issue := range err.Issues {
			if strings.Join(issue.Path, ".") == f.Name {
				fields[i].Problem = f.Label + " " + issue.Message + "."
			}
		}
	}
}

// setupDone shows the next steps.
func (s *Server) setupDone(w http.ResponseWriter, r *http.Request) {
	s.render(w, r, http.StatusOK, "setup_done", nil)
}
