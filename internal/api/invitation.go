package api

import (
	"errors"
	"fmt"
	"net/http"

	"crier"
	"crier/internal/access"
	"crier/internal/api/contract"
	"crier/internal/auth"
	"crier/internal/service"
)

// invitationPage is the page on which an invited person joins.
type invitationPage struct {
	service.InvitationView
	Token  string
	Fields []formField
}

// newInvitationPage returns the same form for new people and for those with an account, so that it does not reveal
// which they are.
func newInvitationPage(token, name string, view service.InvitationView) invitationPage {
	return invitationPage{InvitationView: view, Token: token, Fields: []formField{
		{
			Name: "name", Label: "Name", Type: "text", Autocomplete: "name", Value: name, Optional: true,
			Hint: "If you are new here. Leave it empty if you have an account with this address already.",
		},
		{
			Name: "password", Label: "Password", Type: "password", Autocomplete: "current-password",
			MinLength: auth.MinPasswordLength,
			Hint: fmt.Sprintf("The one of your account, or a new one of at least %d characters.",
				auth.MinPasswordLength),
		},
	}}
}

func (s *Server) invitationForm(w http.ResponseWriter, r *http.Request) {
	token := r.URL.Query().Get("token")
	view, err := s.services.Invitations.View(r.Context(), token)
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
	token, name := r.PostForm.Get("token"), cleanInput(r.PostForm.Get("name"))
	view, err := s.services.Invitations.View(r.Context(), token)
	if err != nil {
		s.failInvitation(w, r, err)
		return
	}
	ctx := access.WithAction(r.Context(), access.Caller{},
		access.Action{Operation: "acceptInvitation", Target: r.URL.Path, RequestID: infoOf(r).id})
	session, err := s.services.Invitations.Accept(ctx, token, crier.Name(name), r.PostForm.Get("password"),
		browserOf(r))
	if known, ok := errors.AsType[*crier.Error](err); ok && known.Kind != crier.KindNotFound {
		page := newInvitationPage(token, name, view)
		markPassword(page.Fields, known)
		s.render(w, r, contract.Status(known.Kind), "invitation", page)
		return
	}
	if err != nil {
		s.failInvitation(w, r, err)
		return
	}
	s.setSession(w, r, session.Token, int(session.Expires.Sub(s.now()).Seconds()))
	http.Redirect(w, r, appPath, http.StatusSeeOther)
}

func (s *Server) failInvitation(w http.ResponseWriter, r *http.Request, err error) {
	if known, ok := errors.AsType[*crier.Error](err); ok {
		s.render(w, r, contract.Status(known.Kind), "message",
			message{Title: "This invitation does not work",
				Lines: []string{known.Message, "Ask the person who invited you for a new one."}})
		return
	}
	s.failPage(w, r, err)
}
