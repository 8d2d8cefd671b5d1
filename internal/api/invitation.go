package api

import (
	"errors"
	"net/http"

	"crier"
	"crier/internal/auth"
	"crier/internal/service"
)

// invitationPage lets an invited person join.
type invitationPage struct {
	service.InvitationView
	Token  string
	Fields []formField
}

func newInvitationPage(token, name string, view service.InvitationView) invitationPage {
	page := invitationPage{InvitationView: view, Token: token}
	if view.HasAccount {
		page.Fields = []formField{{Name: "password", Label: "Your password", Type: "password", Autocomplete: "current-password"}}
		return page
	}
	page.Fields = []formField{
		{Name: "name", Label: "Name", Type: "text", Autocomplete: "name", Value: name, MinLength: crier.MinNameLength},
		{Name: "password", Label: "Choose a password", Type: "password", Autocomplete: "new-password", MinLength: auth.MinPasswordLength},
	}
	return page
}

func (s *Server) invitationForm(w http.ResponseWriter, r *http.Request) {
	token := r.URL.Query().Get("token")
	view, err := s.services.Members.Invitation(r.Context(), token)
	if err != nil {
		s.failInvitation(w, r, err)
		return
	}
	s.render(w, r, http.StatusOK, "invitation", newInvitationPage(token, "", view))
}

func (s *Server) acceptInvitation(w http.ResponseWriter, r *http.Request) {
	if !s.readForm(w, r) {
		return
	}
	token, name := r.PostForm.Get("token"), tidy(r.PostForm.Get("name"))
	view, err := s.services.Members.Invitation(r.Context(), token)
	if err != nil {
		s.failInvitation(w, r, err)
		return
	}
	session, err := s.services.Members.Accept(r.Context(), token, crier.Name(name), r.PostForm.Get("password"))
	if known, ok := errors.AsType[*crier.Error](err); ok && known.Kind != crier.KindNotFound {
		page := newInvitationPage(token, name, view)
		markProblems(page.Fields, known)
		if known.Kind != crier.KindInvalid {
			page.Fields[len(page.Fields)-1].Problem = known.Message
		}
		s.render(w, r, statusOf[known.Kind], "invitation", page)
		return
	}
	if err != nil {
		s.failInvitation(w, r, err)
		return
	}
	s.setSession(w, r, session.Token, int(session.Expires.Sub(s.now()).Seconds()))
	http.Redirect(w, r, "/account", http.StatusSeeOther)
}

func (s *Server) failInvitation(w http.ResponseWriter, r *http.Request, err error) {
	if known, ok := errors.AsType[*crier.Error](err); ok {
		s.render(w, r, statusOf[known.Kind], "message", message{Title: "This invitation does not work", Lines: []string{known.Message, "Ask whoever invited you for a new one."}})
		return
	}
	s.failPage(w, r, err)
}
