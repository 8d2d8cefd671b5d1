package api

import (
	"errors"
	"net/http"

	"crier"
	"crier/internal/api/contract"
)

// mailLinkPage is the page on which people request the links of their own e-mail address by mail.
type mailLinkPage struct{ Fields []formField }

func newMailLinkPage(email string) mailLinkPage {
	return mailLinkPage{Fields: []formField{{Name: "email", Label: "E-mail address", Type: "email",
		Autocomplete: "username", Value: email}}}
}

func (s *Server) mailLinkForm(w http.ResponseWriter, r *http.Request) {
	if !s.services.Invitations.CanMail() {
		s.render(w, r, http.StatusNotFound, "message", message{Title: "No mail from here", Home: true, Lines: []string{
			"This installation sends no mail. Ask the person who invited you, or its operator, for a link."}})
		return
	}
	s.render(w, r, http.StatusOK, "mail_link", newMailLinkPage(""))
}

// mailLink handles the form. The response is the same for every address, so that it does not reveal who is known.
func (s *Server) mailLink(w http.ResponseWriter, r *http.Request) {
	if !s.readForm(w, r) {
		return
	}
	email := cleanInput(r.PostForm.Get("email"))
	err := s.services.Invitations.MailLinks(r.Context(), crier.Email(email))
	if known, ok := errors.AsType[*crier.Error](err); ok {
		page := newMailLinkPage(email)
		markPassword(page.Fields, known)
		s.render(w, r, contract.Status(known.Kind), "mail_link", page)
		return
	}
	if err != nil {
		s.failPage(w, r, err)
		return
	}
	s.render(w, r, http.StatusOK, "message", message{Title: "Check your mail", Lines: []string{
		"If this address is invited or has an account here, its links are on their way.",
		"Nothing came? Check your spam folder, and ask again in five minutes."}})
}
