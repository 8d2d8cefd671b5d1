package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"crier"
	"crier/internal/api/contract"
	"crier/internal/oauth"
)

// authorizePage asks a person about a program that wants to act for them.
type authorizePage struct {
	Ticket string
	Person string
	Client string
	// Host published the program's description, which proves its name; empty if nothing does.
	Host string
	// Known is true for programs that the operator has set.
	Known bool
	// RedirectHost is where the answer goes; Local says that it is a program on the person's own machine.
	RedirectHost string
	Local        bool
	Roles        []oauth.OrganizationRole
}

// authorizeForm asks the person. Only those who are signed in have this server look at a client.
func (s *Server) authorizeForm(w http.ResponseWriter, r *http.Request) {
	user, ok := s.signedInUser(w, r)
	if !ok {
		return
	}
	s.fewGuesses(func(w http.ResponseWriter, r *http.Request) { s.askAboutClient(w, r, user) })(w, r)
}

func (s *Server) askAboutClient(w http.ResponseWriter, r *http.Request, user *crier.User) {
	query := r.URL.Query()
	for name, values := range query {
		if len(values) > 1 {
			s.refuseClient(w, r, &crier.Error{Kind: crier.KindInvalid, Message: "The program that sent you here did " +
				"not ask properly: it sent " + printableName(name) + " more than once."})
			return
		}
	}
	consent, err := s.services.Authorizations.Ask(r.Context(), user.ID, sessionToken(r), oauth.AuthorizationRequest{
		ClientID: query.Get("client_id"), RedirectURI: query.Get("redirect_uri"),
		ResponseType: query.Get("response_type"), Challenge: query.Get("code_challenge"),
		ChallengeMethod: query.Get("code_challenge_method"), Resource: query.Get("resource"),
		State: query.Get("state"),
	})
	if err != nil {
		s.refuseClient(w, r, err)
		return
	}
	page := authorizePage{Ticket: consent.Ticket, Person: user.Name, Client: consent.Client.Name,
		Host: consent.Client.Host, Known: consent.Client.Configured, Roles: consent.Roles}
	if u, err := url.Parse(consent.RedirectURI); err == nil {
		page.RedirectHost, page.Local = u.Host, u.Scheme == "http"
	}
	s.renderWith(w, r, http.StatusOK, "authorize", page, s.pages.leadingTo(consent.RedirectURI))
}

// printableName keeps the name of a parameter short on a page.
func printableName(name string) string {
	if len(name) > 40 {
		return "a parameter"
	}
	return name
}

// refuseClient tells the client if it is known where, else the person.
func (s *Server) refuseClient(w http.ResponseWriter, r *http.Request, err error) {
	infoOf(r).secret = true
	if back, ok := errors.AsType[*oauth.SentBack](err); ok {
		http.Redirect(w, r, back.Address, http.StatusSeeOther)
		return
	}
	known, ok := errors.AsType[*crier.Error](err)
	if !ok {
		s.failPage(w, r, err)
		return
	}
	s.render(w, r, contract.Status(known.Kind), "message", message{Title: "This program cannot be let in",
		Lines: []string{known.Message, "Nothing was changed."}, Home: true})
}

// decideAuthorization takes the person's word and sends the browser back to the program.
func (s *Server) decideAuthorization(w http.ResponseWriter, r *http.Request) {
	user, ok := s.signedInUser(w, r)
	if !ok || !s.readForm(w, r) {
		return
	}
	back, err := s.services.Authorizations.Decide(r.Context(), user.ID, sessionToken(r), r.PostForm.Get("ticket"),
		r.PostForm.Get("decision") == "approve")
	if err == nil {
		err = back
	}
	s.refuseClient(w, r, err)
}

// registerClient lets a program register itself (RFC 7591), where that is allowed.
func (s *Server) registerClient(w http.ResponseWriter, r *http.Request) {
	if !s.services.Authorizations.RegistrationAllowed() {
		s.notFound(w, r)
		return
	}
	var in oauth.ClientRegistration
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		s.oauthAnswer(w, r, nil, &crier.OAuthError{Code: "invalid_client_metadata",
			Description: "the description could not be read as JSON"})
		return
	}
	out, err := s.services.Authorizations.Register(in)
	if err != nil {
		s.oauthAnswer(w, r, nil, err)
		return
	}
	write(w, http.StatusCreated, out)
}
