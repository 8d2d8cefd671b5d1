package api

import (
	"errors"
	"fmt"
	"net/http"

	"crier"
	"crier/internal/api/contract"
	"crier/internal/auth"
	"crier/internal/service"
)

// accountView is the account page of a signed-in person.
type accountView struct {
	*crier.User
	Fields []formField
}

func newAccountView(user *crier.User) accountView {
	return accountView{User: user, Fields: []formField{
		{Name: "current", Label: "Current password", Type: "password", Autocomplete: "current-password"},
		newPasswordField("New password"),
	}}
}

func newPasswordField(label string) formField {
	return formField{
		Name: "password", Label: label, Type: "password", Autocomplete: "new-password",
		MinLength: auth.MinPasswordLength,
		Hint: fmt.Sprintf("At least %d characters. A few words in a row are easy to remember and hard to guess.",
			auth.MinPasswordLength),
	}
}

// accountPage shows the account of the signed-in person.
func (s *Server) accountPage(w http.ResponseWriter, r *http.Request) {
	if user, ok := s.signedInUser(w, r); ok {
		s.render(w, r, http.StatusOK, "account", newAccountView(user))
	}
}

// changePassword handles the form of the account page. The browser that sent it stays signed in, all other sessions
// end.
func (s *Server) changePassword(w http.ResponseWriter, r *http.Request) {
	user, ok := s.signedInUser(w, r)
	if !ok || !s.readForm(w, r) {
		return
	}
	session, err := s.services.People.ChangePassword(r.Context(), user.ID, r.PostForm.Get("current"),
		r.PostForm.Get("password"), browserOf(r))
	if known, ok := errors.AsType[*crier.Error](err); ok {
		page := newAccountView(user)
		markPassword(page.Fields[:1], known)
		markProblems(page.Fields, known)
		s.render(w, r, contract.Status(known.Kind), "account", page)
		return
	}
	s.signedIn(w, r, session, err)
}

// signedIn sets the session that a form created.
func (s *Server) signedIn(w http.ResponseWriter, r *http.Request, session service.Session, err error) {
	if err != nil {
		s.failPage(w, r, err)
		return
	}
	s.setSession(w, r, session.Token, int(session.Expires.Sub(s.now()).Seconds()))
	http.Redirect(w, r, "/account", http.StatusSeeOther)
}

// markPassword adds problems to the fields; those without a field are shown at the last one, the password.
func markPassword(fields []formField, err *crier.Error) {
	markProblems(fields, err)
	if err.Kind != crier.KindInvalid {
		fields[len(fields)-1].Problem = err.Message
	}
}

// resetPage is the form of a password reset link.
type resetPage struct {
	Token  string
	Fields []formField
}

func newResetPage(token string) resetPage {
	return resetPage{Token: token, Fields: []formField{newPasswordField("New password")}}
}

func (s *Server) resetForm(w http.ResponseWriter, r *http.Request) {
	page := newResetPage(r.URL.Query().Get("token"))
	if err := s.services.People.CheckResetLink(r.Context(), page.Token); err != nil {
		s.failReset(w, r, err)
		return
	}
	s.render(w, r, http.StatusOK, "reset_password", page)
}

// resetPassword handles the form.
func (s *Server) resetPassword(w http.ResponseWriter, r *http.Request) {
	if !s.readForm(w, r) {
		return
	}
	page := newResetPage(r.PostForm.Get("token"))
	session, err := s.services.People.ResetPassword(r.Context(), page.Token, r.PostForm.Get("password"),
		browserOf(r))
	known, ok := errors.AsType[*crier.Error](err)
	switch {
	case ok && known.Kind == crier.KindInvalid:
		markProblems(page.Fields, known)
		s.render(w, r, http.StatusBadRequest, "reset_password", page)
	case ok:
		s.failReset(w, r, err)
	default:
		s.signedIn(w, r, session, err)
	}
}

func (s *Server) failReset(w http.ResponseWriter, r *http.Request, err error) {
	if known, ok := errors.AsType[*crier.Error](err); ok {
		s.render(w, r, contract.Status(known.Kind), "message", message{
			Title: "This link does not work", Lines: []string{known.Message,
				"Ask the operator of this server for a new one."},
		})
		return
	}
	s.failPage(w, r, err)
}
